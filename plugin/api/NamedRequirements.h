// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types that meet the standard's BasicLockable, Lockable, TimedLockable or
// SharedLockable requirements.
#pragma once

#include "plugin/api/LockOperation.h"

#include "clang/AST/DeclCXX.h"

#include <optional>

namespace qdadvise {

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

/// What a member that a requirement asks for does, or a constructor or destructor of a type that
/// meets one (lifetime). Nothing for other members.
std::optional<LockOperation> lockableOperation(const clang::CXXMethodDecl &method);

} // namespace qdadvise
