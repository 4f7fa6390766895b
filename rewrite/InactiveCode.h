// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in text that a unit does not compile: what `#if` leaves out, and the bodies of macros.
#pragma once

#include "rewrite/uses/LockUse.h"

#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

#include <memory>
#include <set>

namespace qdadvise {

/// Adds the names to `mentions`, while the unit is read. System headers are left out.
std::unique_ptr<clang::PPCallbacks> mentionsCollector(const clang::Preprocessor &preprocessor,
                                                      std::set<Mention> &mentions);

} // namespace qdadvise
