// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions and classes that `[[lock_api]]` names, found among the declarations of a
// translation unit.
#pragma once

#include "advisor/advice/LockApis.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace qdadvise {

/// Names are looked up as a declaration at the end of the file would: through inline
/// namespaces, `using`, typedefs and templates, whatever their arguments.
class ConfiguredNames {
public:
  ConfiguredNames() = default;
  /// `entries` must outlive it.
  ConfiguredNames(const std::vector<LockApiEntry> &entries, clang::ASTContext &context);

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
  bool empty() const { return functions.empty() && types.empty(); }
  /// The row for a function or a class, or null where no entry names it.
  const Function *function(const clang::FunctionDecl &callee) const;
  const Type *type(const clang::CXXRecordDecl &record) const;

private:
  void addFunction(clang::ASTContext &context, const ApiFunction &function,
                   const LockApiEntry &entry);
  void addType(clang::ASTContext &context, const std::string &name, const LockApiEntry &entry,
               const ApiGuard *guard);
  void addInherited(const clang::CXXRecordDecl &record, const ApiFunction &function,
                    const LockApiEntry &entry);
  void ignore(clang::ASTContext &context, const std::string &name, const LockApiEntry &entry);

  llvm::DenseMap<const clang::FunctionDecl *, Function>
      functions; ///< the key is the pattern of a template
  llvm::DenseMap<const clang::CXXRecordDecl *, Type> types; ///< likewise
};

} // namespace qdadvise
