// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads one translation unit: its locks, their uses, and the sites that advice is about.
#pragma once

#include "advisor/advice/AdviceFile.h"
#include "rewrite/uses/ProgramUses.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"

#include <memory>
#include <string>

namespace qdadvise {

/// A consumer that adds what it finds to `program`. All must outlive it.
std::unique_ptr<clang::ASTConsumer> unitReader(clang::CompilerInstance &compiler,
                                               const AdviceFile &advice, const WantedUses &wanted,
                                               ProgramUses &program);

} // namespace qdadvise
