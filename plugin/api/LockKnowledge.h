// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LockApi is made of: each source of knowledge is a function that says what a
// callee does to locks, or nothing. Callees here depend on no template parameter.
#pragma once

#include "plugin/api/KnownFunctions.h"
#include "plugin/api/LockOperation.h"

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>

namespace qdadvise {

// The sources, one file each.

/// POSIX and C11 threads, semaphores, sleeping and waiting for the outside.
std::optional<LockOperation> cOperation(const clang::FunctionDecl &callee);
/// What is in namespace std, but for what its classes have of named requirements.
std::optional<LockOperation> standardOperation(const clang::FunctionDecl &callee);
/// Clang's thread-safety attributes.
std::optional<LockOperation> attributeOperation(const clang::FunctionDecl &callee);
/// Whether the attributes speak for the whole class: what has none is no operation.
bool isScopedCapability(const clang::CXXRecordDecl &record);
/// Members that make a type BasicLockable, SharedLockable and so on, and the
/// constructors and destructors of such types (lifetime).
std::optional<LockOperation> lockableOperation(const clang::CXXMethodDecl &method);

// What they share.

/// The identifier, or "".
llvm::StringRef nameOf(const clang::NamedDecl &decl);

template <typename Row, std::size_t size>
const Row *rowNamed(const Row (&table)[size], llvm::StringRef name) {
  const Row *row = llvm::find_if(table, [&](const Row &r) { return r.name == name; });
  return row == std::end(table) ? nullptr : row;
}

/// Is it at the level of a namespace of that name (inline ones apart)? `space` may be
/// nested: `std::this_thread`.
bool isMemberOfNamespace(const clang::Decl &decl, llvm::StringRef space);

/// The members that make a type BasicLockable, Lockable, TimedLockable or SharedLockable.
struct LockMember {
  llvm::StringRef name;
  SiteRole role;
  std::uint32_t flags;
  unsigned parameters;
  bool returnsBool;
};
inline constexpr LockMember lockMembers[] = {
    {"lock", SiteRole::acquire, 0, 0, false},
    {"try_lock", SiteRole::acquire, siteTry, 0, true},
    {"try_lock_for", SiteRole::acquire, siteTimed, 1, true},
    {"try_lock_until", SiteRole::acquire, siteTimed, 1, true},
    {"unlock", SiteRole::release, 0, 0, false},
    {"lock_shared", SiteRole::acquire, siteShared, 0, false},
    {"try_lock_shared", SiteRole::acquire, siteTry | siteShared, 0, true},
    {"try_lock_shared_for", SiteRole::acquire, siteTimed | siteShared, 1, true},
    {"try_lock_shared_until", SiteRole::acquire, siteTimed | siteShared, 1, true},
    {"unlock_shared", SiteRole::release, siteShared, 0, false},
};

/// Whether the class has the public member that the requirement asks for, or inherits it.
bool hasLockMember(const clang::CXXRecordDecl &record, llvm::StringRef name);

/// The name a class has in reports: `std::mutex`, `my::Lock<int>`.
std::string lockClassName(const clang::CXXRecordDecl &lock);

/// Adds name, algorithm and flags of one more lock: where the locks differ, the
/// algorithm is unknown.
void addTraits(LockOperation &operation, const clang::CXXRecordDecl &lock);

/// Whether it is a lock class of the standard library or of QDAdvise's own.
bool isKnownLockClass(const clang::CXXRecordDecl &record);

/// The names in namespace std of the known lock classes.
llvm::SmallVector<llvm::StringRef, 8> knownStandardLocks();

/// A constructor or destructor: the object at argument 0 begins or ends its life as a
/// lock. Nothing for another member.
std::optional<LockOperation> lifetimeOperation(const clang::CXXMethodDecl &method);

} // namespace qdadvise
