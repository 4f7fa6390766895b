// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which function a thread begins with, as the call that starts it tells.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>

namespace qdadvise {

/// The functions whose address a call passes on for a thread to begin with: the routine of
/// pthread_create and its like; and, as a wrapper may start the thread, every argument that
/// looks like such a routine, or like one that returns nothing (`env->StartThread(work, this)`).
void forEachStartRoutine(const clang::CallExpr &call, const clang::FunctionDecl &callee,
                         llvm::function_ref<void(const clang::FunctionDecl &)> use);

/// Is it a function as pthread_create wants it, `void *(void *)`? Threads may begin with it that
/// are started elsewhere.
bool looksLikeRoutine(const clang::FunctionDecl &function);

/// Where in what its argument points to a function has the routine that it is there to call, in
/// bytes: `void *stub(void *a) { return ((Start *)a)->routine(((Start *)a)->argument); }`. Absent
/// where it is no such stub.
std::optional<std::uint32_t> routineInArgument(const clang::FunctionDecl &function);

/// The function that a thread runs which a call of the library starts (`std::thread(work)`). Its
/// start routine is the library's own. Null where the call starts none, or does not tell.
const clang::FunctionDecl *spawnedRoutine(const clang::Expr &call,
                                          const clang::FunctionDecl &callee);

} // namespace qdadvise
