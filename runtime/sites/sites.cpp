// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See sites.h.
#include "runtime/sites/sites.h"

#include "runtime/base/hash_index.h"
#include "runtime/base/pages.h"
#include "runtime/base/text.h"
#include "runtime/sites/lasting_memory.h"
#include "runtime/sites/modules.h"

#include <cstring>

namespace qdadvise::runtime {

namespace {

constinit HashIndex siteIndex;
constinit Sites theSites;

std::uint64_t hashOfRecord(const SiteRecord &record) {
  std::uint64_t hash = mixHash(static_cast<std::uint64_t>(record.role), record.flags);
  hash = mixHash(hash, std::uint64_t{record.line} << 32 | record.column);
  hash = mixHash(hash, record.ordinal);
  return hashText(hashText(hashText(hash, record.file), record.function), record.expression);
}

bool sameSite(const SiteRecord &a, const SiteRecord &b) {
  return a.role == b.role && a.kind == b.kind && a.flags == b.flags && a.line == b.line &&
         a.column == b.column && a.ordinal == b.ordinal && a.sectionHash == b.sectionHash &&
         sameText(a.file, b.file) && sameText(a.function, b.function) &&
         sameText(a.expression, b.expression) && sameText(a.lockName, b.lockName);
}

/// Whether a record lies at `FILE` or `FILE:LINE`, the file named from any of its folders on.
bool isAt(const SiteRecord &record, const char *place, std::size_t size) {
  const auto *const colon = static_cast<const char *>(memrchr(place, ':', size));
  const std::size_t bare = colon ? static_cast<std::size_t>(colon - place) : size;
  const std::size_t length = std::strlen(record.file);
  if (bare == 0 || bare > length || std::memcmp(record.file + length - bare, place, bare) != 0 ||
      (bare < length && record.file[length - bare - 1] != '/'))
    return false;
  Text<16> line;
  line.addNumber(record.line);
  return !colon || (std::strlen(line.c_str()) == size - bare - 1 &&
                    std::memcmp(line.c_str(), colon + 1, size - bare - 1) == 0);
}

/// Whether `test(item, size)` holds for one of the items with commas between them.
template <typename Test> bool anyOf(const char *items, Test test) {
  for (const char *item = items; *item;) {
    const char *const end = strchrnul(item, ',');
    if (test(item, static_cast<std::size_t>(end - item)))
      return true;
    item = *end ? end + 1 : end;
  }
  return false;
}

template <typename T> T *reserveArray(std::size_t count) {
  return reinterpret_cast<T *>(reservePages(count * sizeof(T)));
}

} // namespace

Sites &Sites::instance() { return theSites; }

bool Sites::prepare() {
  if (!recordOf) {
    recordOf = reserveArray<const SiteRecord *>(maxSites);
    traitsOf = reserveArray<SiteTraits>(maxSites);
    hashOf = reserveArray<std::uint64_t>(maxSites);
    places = reserveArray<CallerPlace>(CallerIndex::maxCallers);
    objects = reserveArray<SiteRecord *>(maxSites);
  }
  return recordOf && traitsOf && hashOf && places && objects && lockClassTable.prepare();
}

std::uint32_t Sites::find(const SiteRecord &record, std::uint64_t hash) const {
  return siteIndex.find(
      hash, [&](std::uint32_t i) { return hashOf[i] == hash && sameSite(*recordOf[i], record); });
}

std::uint32_t Sites::namedLockClass(const char *name) {
  const SpinGuard guard(lock);
  if (!prepare())
    return 0;
  return lockClassTable.ofName(name);
}

void Sites::addLocked(SiteRecord &record) {
  const std::uint64_t hash = hashOfRecord(record);
  std::uint32_t index = find(record, hash);
  if (index == format::none) {
    if (siteCount == maxSites || !siteIndex.insert(lastingMemory(), hash, siteCount))
      return;
    index = siteCount;
    hashOf[index] = hash;
    recordOf[index] = &record;
    traitsOf[index] = {record.role, record.kind, flagsOf(record), lockClassTable.ofSite(record)};
    __atomic_store_n(&siteCount, index + 1, __ATOMIC_RELEASE);
  }
  const std::uint32_t marks = wantsPaths(record) ? siteDetour : 0;
  __atomic_store_n(&record.index, (index + 1) | marks, __ATOMIC_RELEASE);
}

unsigned Sites::add(SiteRecord *begin, SiteRecord *end) {
  const SpinGuard guard(lock);
  if (!prepare())
    return 0;
  unsigned strangers = 0;
  for (SiteRecord *record = begin; record != end; ++record) {
    if (record->version != siteRecordVersion)
      ++strangers;
    else if (record->index == 0 && record->role != SiteRole::lifetime &&
             record->role != SiteRole::spawn)
      addLocked(*record);
  }
  return strangers;
}

void Sites::takeHooks(SiteRecord *begin) {
  const SpinGuard guard(lock);
  if (!prepare() || objectCount == maxSites)
    return; // they go on calling
  objects[objectCount++] = begin;
  __atomic_store_n(&begin->hooksOn, hooksOn, __ATOMIC_RELAXED);
}

void Sites::turnHooks(HooksOn on) {
  const SpinGuard guard(lock);
  hooksOn = on;
  for (std::uint32_t i = 0; i < objectCount; ++i)
    __atomic_store_n(&objects[i]->hooksOn, on, __ATOMIC_RELAXED);
}

void Sites::addOne(SiteRecord &record) { add(&record, &record + 1); }

const char *Sites::keep(const char *text) {
  const SpinGuard guard(lock);
  return keepText(text);
}

void Sites::retire(SiteRecord *begin, SiteRecord *end) {
  const SpinGuard guard(lock);
  for (std::uint32_t i = objectCount; i-- > 0;)
    if (objects[i] >= begin && objects[i] < end)
      objects[i] = objects[--objectCount];
  for (SiteRecord *record = begin; record != end; ++record) {
    const std::uint32_t index = record->index & ~siteDetour;
    if (index == 0 || index > siteCount || recordOf[index - 1] != record)
      continue;
    auto *const copy = lastingMemory().allocateArray<SiteRecord>(1);
    static SiteRecord nowhere{};
    if (!copy) {
      nowhere.file = nowhere.function = nowhere.expression = "";
      nowhere.lockName = nowhere.lockType = nowhere.declFile = "";
      useRecord(index - 1, nowhere);
      continue;
    }
    std::memcpy(copy, record, sizeof *copy);
    const char **const texts[] = {&copy->file,     &copy->function, &copy->expression,
                                  &copy->lockName, &copy->lockType, &copy->declFile};
    for (const char **const text : texts)
      *text = keepText(*text);
    useRecord(index - 1, *copy);
  }
}

void Sites::useRecord(std::uint32_t site, const SiteRecord &record) {
  recordOf[site] = &record;
  for (std::uint32_t i = 0; i < placeCount; ++i) // one that another is made from comes before it
    if (recordOf[places[i].body] == &record)
      recordOf[places[i].site] = &record;
}

// --- sites known by who called ---

/// The site of a place that is known already, or none: a library that comes back at
/// another address brings the same places.
std::uint32_t Sites::findPlace(std::uint32_t body, const CodePlace &at) const {
  for (std::uint32_t i = 0; i < placeCount; ++i)
    if (places[i].body == body && places[i].at.offset == at.offset &&
        sameText(places[i].at.module, at.module))
      return places[i].site;
  return format::none;
}

std::uint32_t Sites::addCaller(std::uint32_t body, std::uint64_t address) {
  static char module[4096];
  const SpinGuard guard(lock);
  std::uint32_t site = callers.find(body, address);
  if (site != format::none)
    return site;
  CodePlace at{module, 0};
  if (callers.isFull())
    return body;
  // What the instruction before the return belongs to: the call.
  if (findModule(address - 1, module, sizeof module, at.offset))
    site = findPlace(body, {module, ++at.offset});
  else
    site = body;
  if (site == format::none && placeCount < CallerIndex::maxCallers && siteCount < maxSites) {
    site = siteCount;
    recordOf[site] = recordOf[body];
    traitsOf[site] = traitsOf[body];
    hashOf[site] = 0;
    const bool isKnown = placeCount != 0 && sameText(places[placeCount - 1].at.module, module);
    places[placeCount] = {
        body,
        site,
        {isKnown ? places[placeCount - 1].at.module : keepText(module), at.offset},
        false};
    __atomic_store_n(&placeCount, placeCount + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&siteCount, site + 1, __ATOMIC_RELEASE);
  }
  if (site == format::none)
    site = body;
  callers.add(body, address, site);
  return site;
}

const Sites::CallerPlace *Sites::callerOf(std::uint32_t site) const {
  const std::uint32_t count = __atomic_load_n(&placeCount, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = 0; i < count; ++i)
    if (places[i].site == site)
      return &places[i];
  return nullptr;
}

void Sites::forgetCallers() {
  const SpinGuard guard(lock);
  callers.forget();
  __atomic_store_n(&unloadCount, unloadCount + 1, __ATOMIC_RELAXED);
}

// --- sites told apart by call paths ---

void Sites::choosePaths(const char *placesWanted, std::uint32_t mostPaths) {
  pathPlaces = placesWanted;
  maxPaths = mostPaths;
}

bool Sites::wantsPaths(const SiteRecord &record) const {
  return (record.role == SiteRole::acquire || record.role == SiteRole::wait ||
          record.role == SiteRole::wrapper) &&
         anyOf(pathPlaces,
               [&](const char *place, std::size_t size) { return isAt(record, place, size); });
}

std::uint32_t Sites::flagsOf(const SiteRecord &record) const {
  const bool traced =
      tracedPlaces &&
      (!*tracedPlaces || anyOf(tracedPlaces, [&](const char *place, std::size_t size) {
        return isAt(record, place, size) || (std::strlen(record.lockName) == size &&
                                             std::memcmp(record.lockName, place, size) == 0);
      }));
  return traced ? record.flags : record.flags & ~std::uint32_t{siteTraced};
}

std::uint32_t Sites::pathSite(std::uint32_t site, std::uint64_t address,
                              const std::uint64_t *returnAddresses, unsigned count) {
  const bool isFull = __atomic_load_n(&pathCount, __ATOMIC_RELAXED) >= maxPaths;
  std::uint32_t at = site;
  unsigned first = 0;
  // The body of a wrapper is told apart by its caller already: the path is what leads there.
  if ((traitsOf[site].flags & siteByCaller) != 0) {
    at = callerSite(site, address);
    for (unsigned i = first = 1; i < count; ++i)
      if (returnAddresses[i] == address)
        first = i + 1;
  }
  const std::uint32_t known = at;
  for (unsigned i = first; i < count; ++i) {
    const std::uint32_t next =
        isFull ? callers.find(at, returnAddresses[i]) : callerSite(at, returnAddresses[i]);
    if (next == format::none || next == at)
      return site;
    at = next;
  }
  const SpinGuard guard(lock);
  for (std::uint32_t i = 0; i < placeCount && at != known; ++i) {
    CallerPlace &place = places[i];
    if (place.site != at)
      continue;
    if (!place.endsPath) {
      if (pathCount >= maxPaths)
        return site;
      place.endsPath = true;
      __atomic_store_n(&pathCount, pathCount + 1, __ATOMIC_RELAXED);
      traitsOf[at].flags &= ~std::uint32_t{siteByCaller};
    }
    return at;
  }
  return site;
}

} // namespace qdadvise::runtime
