// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/api/LockTraits.h"

#include "plugin/ast/DeclNames.h"

#include "clang/AST/ASTContext.h"

using namespace clang;
using llvm::StringRef;

namespace qdadvise {

namespace {

constexpr StringRef mutexType = "pthread_mutex_t", rwlockType = "pthread_rwlock_t";

/// A lock class whose algorithm is known. Other types are LockKind::unknown.
struct LockClass {
  StringRef space, name;
  LockKind kind;
  std::uint32_t flags;
  StringRef word; ///< the type that must come first for the algorithm to be that; or empty
};
constexpr LockClass lockClasses[] = {
    {"std", "mutex", LockKind::pthreadMutex, 0, mutexType},
    {"std", "recursive_mutex", LockKind::pthreadMutex, siteRecursive, mutexType},
    {"std", "timed_mutex", LockKind::pthreadMutex, 0, mutexType},
    {"std", "recursive_timed_mutex", LockKind::pthreadMutex, siteRecursive, mutexType},
    {"std", "shared_mutex", LockKind::pthreadRwlock, 0, rwlockType},
    {"std", "shared_timed_mutex", LockKind::pthreadRwlock, 0, rwlockType},
#define SHIPPED_LOCK(kind, number, name, label, lock, ...)                                         \
  {"qdadvise", "basic_" #lock, LockKind::kind, 0, ""},
#include "runtime/abi/LockAlgorithms.def"
};

const LockClass *lockClassOf(const CXXRecordDecl &record) {
  const LockClass *row = rowNamed(lockClasses, nameOf(record));
  return row && isMemberOfNamespace(record, row->space) ? row : nullptr;
}

/// Does the POSIX lock of that name lie at the very beginning of the lock? Only then
/// is its word where the runtime's reader looks for it. A lock that is built on
/// another lock class is not that lock: it may be free while the other is taken.
bool beginsWith(const CXXRecordDecl &lock, StringRef name) {
  const CXXRecordDecl *record = lock.getDefinition();
  while (record) {
    if (const TypedefNameDecl *alias = record->getTypedefNameForAnonDecl())
      return nameOf(*alias) == name;
    if (record != lock.getDefinition() && lockClassOf(*record))
      return false;
    const CXXRecordDecl *first = nullptr;
    for (const CXXBaseSpecifier &specifier : record->bases()) {
      const CXXRecordDecl *base = specifier.getType()->getAsCXXRecordDecl();
      if (!first && base && base->hasDefinition() && !base->isEmpty())
        first = base->getDefinition();
    }
    if (!first && !record->field_empty())
      first = record->field_begin()->getType()->getAsCXXRecordDecl();
    record = first ? first->getDefinition() : nullptr;
  }
  return false;
}

} // namespace

std::string lockClassName(const CXXRecordDecl &lock) {
  std::string name;
  PrintingPolicy policy(lock.getASTContext().getLangOpts());
  policy.SuppressUnwrittenScope = true;
  llvm::raw_string_ostream stream(name);
  lock.getNameForDiagnostic(stream, policy, /*Qualified=*/true);
  return name;
}

void addTraits(LockOperation &operation, const CXXRecordDecl &lock) {
  const LockClass *row = lockClassOf(lock);
  const std::string name = lockClassName(lock);
  const bool isKnown = row && (row->word.empty() || beginsWith(lock, row->word));
  const LockKind kind = isKnown ? row->kind : LockKind::unknown;
  const bool first = operation.lockType.empty();
  operation.kind = first || operation.kind == kind ? kind : LockKind::unknown;
  operation.flags |= row ? row->flags : 0;
  if (first)
    operation.lockType = name;
  else if (operation.lockType != name)
    operation.lockType += ", " + name;
}

bool isKnownLockClass(const CXXRecordDecl &record) { return lockClassOf(record) != nullptr; }

llvm::SmallVector<StringRef, 8> knownStandardLocks() {
  llvm::SmallVector<StringRef, 8> names;
  for (const LockClass &row : lockClasses)
    if (row.space == "std")
      names.push_back(row.name);
  return names;
}

std::optional<LockOperation> lifetimeOperation(const CXXMethodDecl &method) {
  if (!isa<CXXConstructorDecl, CXXDestructorDecl>(method))
    return std::nullopt;
  LockOperation operation;
  addTraits(operation, *method.getParent());
  operation.role = SiteRole::lifetime;
  operation.locks.push_back({0, {}, 0});
  return operation;
}

} // namespace qdadvise
