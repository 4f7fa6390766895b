// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interfaces: POSIX threads, C11 threads, semaphores, and the functions in which a thread
// waits for the world outside. A new function is a row of a table.
#pragma once

#include "plugin/api/LockOperation.h"

#include "clang/AST/Decl.h"

#include <optional>

namespace qdadvise {

/// What the C function does to its lock; nothing where it is in no table.
std::optional<LockOperation> cOperation(const clang::FunctionDecl &callee);

/// Is it the name of a C function that sleeps or waits for the world outside?
bool isOutsideWait(llvm::StringRef name);

/// The argument that names the routine of the thread that a call starts, or nothing.
std::optional<unsigned> startRoutineArgument(const clang::FunctionDecl &callee);

} // namespace qdadvise
