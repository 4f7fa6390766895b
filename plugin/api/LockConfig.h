// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The locks that `[[lock_api]]` names, found among the declarations of a translation unit.
#pragma once

#include "advisor/advice/LockApis.h"
#include "plugin/api/LockOperation.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace qdadvise {

struct GuardLayout;

/// The entries of the file that comes with the plugin.
const std::vector<LockApiEntry> &bundledLockApis();

/// Names are looked up as a declaration at the end of the file would: through inline
/// namespaces, `using`, typedefs and templates, whatever their arguments.
class LockConfig {
public:
  LockConfig() = default;
  /// `entries` must outlive it.
  LockConfig(const std::vector<LockApiEntry> &entries, clang::ASTContext &context);

  /// Nothing where no entry names the function or its class.
  std::optional<LockAnswer> answerTo(const clang::FunctionDecl &callee) const;

  bool isGuard(const clang::CXXRecordDecl &record) const;

private:
  struct Function {
    const ApiFunction *api;
    const LockApiEntry *entry;
  };
  struct Type {
    const LockApiEntry *entry = nullptr;
    const ApiGuard *guard = nullptr; ///< null: a lock
    bool isIgnored = false;
    llvm::StringMap<const ApiFunction *> members;
  };
  using LockTypes = llvm::SmallVector<const clang::CXXRecordDecl *, 2>;

  void addFunction(clang::ASTContext &context, const ApiFunction &function,
                   const LockApiEntry &entry);
  void addType(clang::ASTContext &context, const std::string &name, const LockApiEntry &entry,
               const ApiGuard *guard);
  void addInherited(const clang::CXXRecordDecl &record, const ApiFunction &function,
                    const LockApiEntry &entry);
  void ignore(clang::ASTContext &context, const std::string &name, const LockApiEntry &entry);

  const Type *typeOf(const clang::CXXRecordDecl &record) const;
  bool isLockOf(const clang::CXXRecordDecl &record, const LockApiEntry &entry) const;
  LockTypes lockTypesOf(const clang::CXXRecordDecl &guard, const Type &type) const;
  bool addHeld(LockOperation &operation, unsigned argument,
               const clang::CXXRecordDecl &guard) const;
  std::optional<unsigned> lockParameter(const clang::FunctionDecl &constructor,
                                        const Type &type) const;
  std::optional<LockOperation> operation(const clang::FunctionDecl &callee, const Function &said,
                                         const Type *guard) const;
  std::optional<LockOperation> constructor(const clang::CXXConstructorDecl &callee,
                                           const Type &type) const;
  std::optional<LockOperation> guardEnd(const clang::CXXRecordDecl &guard, const Type &type) const;

  llvm::DenseMap<const clang::FunctionDecl *, Function> functions; ///< by pattern
  llvm::DenseMap<const clang::CXXRecordDecl *, Type> types;        ///< by pattern
};

} // namespace qdadvise
