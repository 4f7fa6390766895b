// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One process has one runtime, even if several copies of it were linked or loaded: the
// static one in the program and the shared one under a library of its, say, which know
// no symbol of each other. The first copy to come claims a page at an address that all
// copies know and leaves its entries there; any other passes on whatever it is told.
#pragma once

#include "runtime/abi/site_record.h"
#include "runtime/abi/sled_record.h"

#include <cstdint>

namespace qdadvise::runtime {

/// How other copies reach the one that records.
struct RuntimeEntries {
  char magic[16];
  std::uint32_t version; ///< siteRecordVersion: records must look alike
  void (*registerSites)(SiteRecord *begin, SiteRecord *end);
  void (*unregisterSites)(SiteRecord *begin, SiteRecord *end);
  void (*takeXray)(const void *const *begin, const void *const *end);
  void (*record)(std::uint32_t what, std::uint64_t address, std::uint32_t stack);
  void (*actAtOnce)(const SiteRecord &record, const void *address);
  // What follows is null in copies that were built before there was one.
  void (*writeBeforeEnd)();
  void (*registerSleds)(const SledRecord *begin, const SledRecord *end);
  void (*unregisterSleds)(const SledRecord *begin, const SledRecord *end);
  void (*noteSandbox)();
};

/// The entries of another copy that came first, or null: this one records. Asks once.
const RuntimeEntries *firstCopy();

} // namespace qdadvise::runtime
