// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lock an expression means, as far as one function can tell: the way to it from what the
// function was given. Two expressions with equal paths mean one lock. A callee's path becomes its
// caller's when the argument is put in front.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace qdadvise {

struct LockPath {
  enum class Base : std::uint8_t {
    unknown,   ///< `number` is a hash of the expression
    object,    ///< what `this` points to
    parameter, ///< what parameter `number` points or refers to, or its value
    variable,  ///< `variable` itself
  };
  /// One step from an object to the next: a member, the pointee, or element `index`
  /// (a hash of the subscript) of an array.
  struct Step {
    enum class Kind : std::uint8_t { field, pointee, element } kind;
    const clang::FieldDecl *field = nullptr;
    std::uint64_t index = 0;
    bool operator==(const Step &) const = default;
  };

  Base base = Base::unknown;
  std::uint64_t number = 0;
  const clang::VarDecl *variable = nullptr;
  llvm::SmallVector<Step, 4> steps;

  bool operator==(const LockPath &) const = default;

  /// Does this lock lie in the object that `other` means, or is it that object?
  bool startsWith(const LockPath &other) const;

  /// Is it a local variable's own memory, which ends with its function?
  bool isLocal() const;

  /// The member or variable that comes last, where the path names one.
  const clang::ValueDecl *declaration() const;

  /// The path as far as the author of a caller knows it: it ends at an object of a class that is
  /// named as a lock, `store.lock` instead of `store.lock.impl`.
  LockPath asCallersKnowIt() const;

  /// Bytes from the base to the last object that can be had without reading memory.
  std::uint64_t offset(const clang::ASTContext &context) const;

  /// The steps as source after the text of the base: `->list.lock`, `[...]`.
  std::string suffix(bool baseIsPointer) const;
};

/// The lock that a function is given: the object itself, or what a pointer points to.
LockPath lockPath(const clang::Expr &expression, const clang::ASTContext &context);

/// The path of what a pointer points to.
LockPath pointeePath(const clang::Expr &pointer, const clang::ASTContext &context);

} // namespace qdadvise
