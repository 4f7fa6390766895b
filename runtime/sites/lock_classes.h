// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lock classes: locks declared at one place, or given one name by the program. Indices last as long
// as the process. One thread at a time adds; others may read.
#pragma once

#include "runtime/abi/site_record.h"
#include "runtime/base/hash_index.h"

#include <cstdint>

namespace qdadvise::runtime {

/// What a profile says of a lock class; strings live as long as the process.
struct LockClassInfo {
  const char *name;
  const char *type;
  const char *declFile;
  std::uint32_t declLine;
  std::uint32_t declColumn;
  LockKind kind; ///< as the site declares it; what was seen inside goes before it
};

class LockClasses {
public:
  static constexpr std::uint32_t most = 1u << 20;

  /// Reserves the table. False when out of memory; else the rest may be called.
  bool prepare();

  std::uint32_t size() const { return __atomic_load_n(&count, __ATOMIC_ACQUIRE); }
  const LockClassInfo &operator[](std::uint32_t at) const { return classes[at]; }

  /// The class of the locks that a site takes, made if need be. 0 for a site that takes none; none
  /// for a wrapper that does not say.
  std::uint32_t ofSite(const SiteRecord &record);
  /// The class of one lock that the program has given a name to.
  std::uint32_t ofName(const char *name);

private:
  std::uint32_t add(const LockClassInfo &info, std::uint64_t hash);

  LockClassInfo *classes = nullptr;
  std::uint64_t *hashes = nullptr;
  std::uint32_t count = 0;
  HashIndex index;
};

} // namespace qdadvise::runtime
