// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What identifies sites, lock classes and thread classes across runs.
#pragma once

#include "advisor/profile/Profile.h"

#include <tuple>

namespace qdadvise {

inline auto identity(const ProfiledSite &site) {
  return std::tie(site.file, site.line, site.column, site.function, site.expression, site.ordinal,
                  site.lockName, site.lockType, site.declFile, site.declLine, site.declColumn,
                  site.role, site.kind, site.flags, site.sectionHash, site.facts, site.caller,
                  site.path);
}

inline auto identity(const ProfiledLockClass &lock) {
  return std::tie(lock.name, lock.type, lock.declFile, lock.declLine, lock.declColumn, lock.kind);
}

inline auto identity(const ProfiledThreadClass &thread) {
  return std::tie(thread.name, thread.file, thread.line, thread.isMain);
}

} // namespace qdadvise
