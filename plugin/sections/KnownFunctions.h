// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions of the C library and the standard library do, whose bodies are not in sight: their
// names tell. A new function is a word in a table.
#pragma once

#include "runtime/abi/site_record.h"

#include "clang/AST/Decl.h"

#include <optional>

namespace qdadvise {

/// Facts (SectionFact) of a call of a C function that every system has and that is no
/// operation, 0 for one that only computes; nothing for functions that are not in the table.
std::optional<SectionFactBits> knownFunction(const clang::FunctionDecl &function);

/// Facts of a call of a member or function of namespace std that does more than compute, 0 for all
/// others there. What their callables do is not in it.
SectionFactBits standardFunctionFacts(const clang::FunctionDecl &function);

/// Is it one of the streams behind which there is a file or a device, as far as its
/// type says? A std::ostringstream is not.
bool isDeviceStream(clang::QualType type);

} // namespace qdadvise
