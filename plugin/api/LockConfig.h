// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the entries of `[[lock_api]]` say that functions do to their locks.
#pragma once

#include "plugin/api/ConfiguredNames.h"
#include "plugin/api/LockOperation.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace qdadvise {

class LockConfig {
public:
  /// `entries` must outlive it.
  LockConfig(const std::vector<LockApiEntry> &entries, clang::ASTContext &context)
      : names(entries, context) {}

  /// Nothing where no entry names the function or its class.
  std::optional<LockAnswer> answerTo(const clang::FunctionDecl &callee) const;

  bool isGuard(const clang::CXXRecordDecl &record) const;

private:
  using Function = ConfiguredNames::Function;
  using Type = ConfiguredNames::Type;
  using LockTypes = llvm::SmallVector<const clang::CXXRecordDecl *, 2>;

  bool isLockOf(const clang::CXXRecordDecl &record, const LockApiEntry &entry) const;
  LockTypes lockTypesOf(const clang::CXXRecordDecl &guard, const Type &type) const;
  bool addLockOfGuard(LockOperation &operation, unsigned argument,
                      const clang::CXXRecordDecl &guard) const;
  std::optional<unsigned> lockParameter(const clang::FunctionDecl &constructor,
                                        const Type &type) const;
  std::optional<LockOperation> operation(const clang::FunctionDecl &callee, const Function &said,
                                         const Type *guard) const;
  std::optional<LockOperation> guardConstructor(const clang::CXXConstructorDecl &callee,
                                                const Type &type) const;
  std::optional<LockOperation> guardDestructor(const clang::CXXRecordDecl &guard,
                                               const Type &type) const;

  ConfiguredNames names;
};

} // namespace qdadvise
