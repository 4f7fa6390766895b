// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sites that the instrumented code has told us of.
// Equal records of several objects are one site. Indices last: a site whose object
// was unloaded keeps its index and a copy of its strings.
#pragma once

#include "runtime/base/spin.h"
#include "runtime/events/event.h"
#include "runtime/sites/caller_sites.h"
#include "runtime/sites/lock_classes.h"

#include <cstdint>

namespace qdadvise::runtime {

class Sites {
public:
  static Sites &instance();

  /// Reserves the tables, so that traits() lasts. False when out of memory.
  bool prepare();

  /// Sites added from here on that lie at one of `places` (`FILE[:LINE]`, commas between them) are
  /// told apart by call paths, so many at most in all. `places` lasts as long as the process.
  void choosePaths(const char *places, std::uint32_t mostPaths);

  /// Sites in traced code (siteTraced) added from here on are to be traced only at one of the
  /// `chosen` places, or on a lock of one of these names; "": all are, null: none is. `chosen`
  /// lasts as long as the process.
  void chooseTraced(const char *chosen) { tracedPlaces = chosen; }

  /// Gives every new record its index. Records of another version are left alone;
  /// returns how many there were.
  unsigned add(SiteRecord *begin, SiteRecord *end);
  /// Adds one record: a hook was faster than its registration.
  void addOne(SiteRecord &record);
  /// The records are about to be unmapped.
  void retire(SiteRecord *begin, SiteRecord *end);
  /// The hooks of the object whose records begin here call the runtime as all others' do.
  void takeHooks(SiteRecord *begin);
  /// These hooks call the runtime from here on.
  void turnHooks(HooksOn on);

  std::uint32_t size() const { return __atomic_load_n(&siteCount, __ATOMIC_ACQUIRE); }
  const SiteTraits *traits() const { return traitsOf; }
  const SiteRecord &record(std::uint32_t site) const { return *recordOf[site]; }

  const LockClasses &lockClasses() const { return lockClassTable; }
  /// The class of one lock the program has given a name to.
  std::uint32_t namedLockClass(const char *name);

  /// The site for calls of a body (siteByCaller) that return to `address`, made if need
  /// be; the body itself when there are too many, or nobody knows where that is.
  std::uint32_t callerSite(std::uint32_t body, std::uint64_t address) {
    const std::uint32_t found = callers.find(body, address);
    return found != format::none ? found : addCaller(body, address);
  }
  /// The site for the operation at `site`, whose hook was given `address`, where it was reached by
  /// these return addresses, the innermost first: into its own function, its caller and so on. The
  /// site itself when there are too many, or nobody knows where one is.
  std::uint32_t pathSite(std::uint32_t site, std::uint64_t address,
                         const std::uint64_t *returnAddresses, unsigned count);

  /// A site and one place that calls it, or that calls what is at the places so far.
  struct CallerPlace {
    std::uint32_t body; ///< the site without this place
    std::uint32_t site; ///< the one with it
    CodePlace at;
    bool endsPath; ///< pathSite's
  };
  /// What tells a site apart from `body`; null: it is a record's own.
  const CallerPlace *callerOf(std::uint32_t site) const;
  /// Code is about to be unmapped.
  void forgetCallers();
  /// How often code was unmapped.
  std::uint32_t unloads() const { return __atomic_load_n(&unloadCount, __ATOMIC_RELAXED); }

  /// A copy of a string that lasts; "" when out of memory.
  const char *keep(const char *text);

  /// Held across fork, so that the child's tables are whole.
  SpinLock lock;

private:
  std::uint32_t find(const SiteRecord &record, std::uint64_t hash) const;
  void addLocked(SiteRecord &record);
  std::uint32_t addCaller(std::uint32_t body, std::uint64_t address);
  std::uint32_t findPlace(std::uint32_t body, const CodePlace &at) const;
  bool wantsPaths(const SiteRecord &record) const;
  std::uint32_t flagsOf(const SiteRecord &record) const;
  void useRecord(std::uint32_t site, const SiteRecord &record);

  const SiteRecord **recordOf = nullptr;
  SiteTraits *traitsOf = nullptr;
  std::uint64_t *hashOf = nullptr;
  LockClasses lockClassTable;
  SiteRecord **objects = nullptr; ///< the first record of each
  std::uint32_t siteCount = 0;
  std::uint32_t objectCount = 0;
  HooksOn hooksOn = noHooks;

  CallerIndex callers;
  CallerPlace *places = nullptr;
  std::uint32_t placeCount = 0;
  std::uint32_t unloadCount = 0;

  const char *pathPlaces = "";
  const char *tracedPlaces = "";
  std::uint32_t maxPaths = 0;
  std::uint32_t pathCount = 0;
};

} // namespace qdadvise::runtime
