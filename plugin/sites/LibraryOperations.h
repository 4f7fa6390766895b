// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that the standard library performs for its caller: the waits in
// condition_variable::wait(lock, predicate), the guard in std::make_unique<lock_guard>(m).
// They happen in the library's code and belong to the line that calls it. In IR the same calls
// are found by instrument/UserCall.h.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <map>

namespace qdadvise {

class LibraryOperations {
public:
  using IsOperation = std::function<bool(const clang::FunctionDecl &)>;
  using IsGuard = std::function<bool(const clang::CXXRecordDecl &)>;

  /// `isOperation`: what is looked for. `isGuard`: the classes that have it; a template of the
  /// library has something to do with it only if it is given one of these.
  LibraryOperations(IsOperation isOperation, IsGuard isGuard)
      : operates(std::move(isOperation)), guards(std::move(isGuard)) {}

  using Callees = llvm::SmallVector<const clang::FunctionDecl *, 2>;

  /// The functions that are operations and that `function` calls, itself or through
  /// other functions of the library. Empty for a function that is not the library's,
  /// is an operation itself, or has nothing to do with guards and condition variables.
  const Callees &within(const clang::FunctionDecl &function);

private:
  bool mayOperate(const clang::FunctionDecl &function) const;

  IsOperation operates;
  IsGuard guards;
  std::map<const clang::FunctionDecl *, Callees> known;
};

} // namespace qdadvise
