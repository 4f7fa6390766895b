// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooks of `hooks=xray`: XRay's trampolines call in with a function id. One
// runtime serves programs with and without it.
#include "runtime/hooks/hooks_xray.h"

#include "runtime/base/hash_index.h"
#include "runtime/base/pages.h"
#include "runtime/base/text.h"
#include "runtime/hooks/call_paths.h"
#include "runtime/hooks/first_copy.h"
#include "runtime/hooks/hook_measurement.h"
#include "runtime/hooks/lock_words.h"
#include "runtime/hooks/recorder.h"
#include "runtime/hooks/registration.h"
#include "runtime/process/process.h"
#include "runtime/sites/sites.h"

#include <cstring>
#include <sys/mman.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

// The functions of <xray/xray_interface.h>, but weak. Only a static runtime finds them itself.
extern "C" {
__attribute__((weak)) void __xray_init();
__attribute__((weak)) int __xray_set_handler_arg1(void (*handler)(std::int32_t id, int entryType,
                                                                  std::uint64_t argument));
__attribute__((weak)) std::size_t __xray_max_function_id();
__attribute__((weak)) std::uintptr_t __xray_function_address(std::int32_t id);
__attribute__((weak)) int __xray_patch_function(std::int32_t id);
__attribute__((weak)) int __xray_unpatch_function(std::int32_t id);
__attribute__((weak)) std::size_t __xray_num_objects();
__attribute__((weak)) std::size_t __xray_max_function_id_in_object(std::int32_t object);
__attribute__((weak)) std::uintptr_t __xray_function_address_in_object(std::int32_t id,
                                                                       std::int32_t object);
__attribute__((weak)) std::int32_t __xray_pack_id(std::int32_t id, std::int32_t object);
}

namespace {

/// XRay's functions, in the order of xrayFunctionNames.
struct Xray {
  decltype(&__xray_init) init;
  decltype(&__xray_set_handler_arg1) setHandler;
  decltype(&__xray_max_function_id) maxFunctionId;
  decltype(&__xray_function_address) functionAddress;
  decltype(&__xray_patch_function) patch;
  decltype(&__xray_unpatch_function) unpatch;
  decltype(&__xray_num_objects) objectCount;
  decltype(&__xray_max_function_id_in_object) maxFunctionIdIn;
  decltype(&__xray_function_address_in_object) functionAddressIn;
  decltype(&__xray_pack_id) packId;

  bool usable() const {
    return init && setHandler && maxFunctionId && functionAddress && patch && unpatch;
  }
  bool knowsObjects() const {
    return objectCount && maxFunctionIdIn && functionAddressIn && packId;
  }
};
static_assert(sizeof(Xray) == xrayFunctionCount * sizeof(void *));

Xray xray = {__xray_init,
             __xray_set_handler_arg1,
             __xray_max_function_id,
             __xray_function_address,
             __xray_patch_function,
             __xray_unpatch_function,
             __xray_num_objects,
             __xray_max_function_id_in_object,
             __xray_function_address_in_object,
             __xray_pack_id};

} // namespace

namespace {

/// What a thunk's function id stands for.
struct HookEntry {
  std::uint32_t what;    ///< packEvent's; 0 stores no event (there an instant has no flag)
  bool shared;           ///< siteShared
  bool stamped;          ///< isStamped
  bool on;               ///< patched
  bool tries;            ///< of Instant::attempt or Instant::fail: on with attemptHooks, too
  LockWordReader reader; ///< for attempts
  const SiteRecord *now; ///< of a hook that acts at once; else null
  std::uint32_t detour;  ///< in the place of `what`, where siteDetour is set; else 0
  bool gone;             ///< its code was unmapped, or is about to be
  std::uint16_t *sled;   ///< what turns it on and off, once XRay has patched it; null: XRay does

  bool isOnWith(HooksOn hooks) const {
    return hooks == allHooks || (tries && hooks == attemptHooks);
  }
  bool isOurs() const { return what != 0 || now || detour != 0; }
};

/// XRay packs an object's number into the high byte of an id.
constexpr unsigned objectShift = 24;
constexpr unsigned maxObjects = 256;

struct Object {
  HookEntry *entries;
  std::uint32_t count; ///< largest id + 1
};
Object objects[maxObjects];

SpinLock entriesLock;

/// XRay's trampoline, and the thunk.
constexpr unsigned framesToSite = 2;
/// How many bytes of stack they take. A hook of `hooks=call` has none of them, and which of two
/// operations is around the other is told by their stack pointers.
std::uint32_t bytesToSite = 0;

/// Does what the hook below cannot do at once.
__attribute__((noinline)) void onThunkSlowly(const HookEntry &entry, std::uint64_t argument,
                                             std::uint32_t stack) {
  const auto *const address = reinterpret_cast<const void *>(argument);
  if (entry.now)
    return actAtOnce(*entry.now, address);
  if (entry.detour == 0)
    return;
  std::uint32_t what = entry.detour;
  if (entry.reader)
    what |= entry.reader(address, hotThread.id, entry.shared);
  what = onCallPath(what, argument, stack, __builtin_frame_address(0), framesToSite);
  recordReader(what, argument, stack + bytesToSite);
}

void onThunk(std::int32_t id, int, std::uint64_t argument) {
  const std::uint32_t stack = stackPointer();
  const auto packed = static_cast<std::uint32_t>(id);
  const Object &object = objects[packed >> objectShift];
  const std::uint32_t index = packed & ((1u << objectShift) - 1);
  if (index >= object.count)
    return;
  const HookEntry &entry = object.entries[index];
  if (entry.what == 0)
    return onThunkSlowly(entry, argument, stack);
  const std::uint32_t atSite = stack + bytesToSite;
  std::uint32_t what = entry.what;
  if (entry.reader)
    what |= entry.reader(reinterpret_cast<const void *>(argument), hotThread.id, entry.shared);
  else if (__builtin_expect(entry.stamped && (entry.shared || hotThread.reading != 0), 0) &&
           !tracesMemory())
    return recordReader(what, argument, atSite);
  const auto instant = static_cast<Instant>(what & eventInstantMask);
  if (__builtin_expect(!storeEvent(hotThread, what, instant, argument, atSite, entry.stamped), 0))
    recordSlowly(what, argument, atSite);
}

std::uint32_t objectCount() {
  if (!xray.knowsObjects())
    return 1;
  const std::size_t count = xray.objectCount();
  return count < maxObjects ? static_cast<std::uint32_t>(count) : maxObjects;
}

std::uint32_t functionsIn(std::uint32_t object) {
  return static_cast<std::uint32_t>(
      object == 0 ? xray.maxFunctionId() : xray.maxFunctionIdIn(static_cast<std::int32_t>(object)));
}

std::uintptr_t addressOf(std::uint32_t id, std::uint32_t object) {
  const auto function = static_cast<std::int32_t>(id);
  return object == 0 ? xray.functionAddress(function)
                     : xray.functionAddressIn(function, static_cast<std::int32_t>(object));
}

/// Thunks by address, for one run of connectXray.
class ThunkMap {
public:
  bool add(const SiteRecord &record, unsigned instant) {
    Entry *const entry = entries.append(arena);
    if (!entry)
      return false;
    *entry = {record.thunks[instant], &record, instant};
    return index.insert(arena, hashOf(entry->address), entries.size() - 1);
  }

  bool find(std::uintptr_t address, const SiteRecord *&record, unsigned &instant) const {
    const auto *const wanted = reinterpret_cast<const void *>(address);
    const std::uint32_t at =
        index.find(hashOf(wanted), [&](std::uint32_t i) { return entries[i].address == wanted; });
    if (at == format::none)
      return false;
    record = entries[at].record;
    instant = entries[at].instant;
    return true;
  }

private:
  struct Entry {
    const void *address;
    const SiteRecord *record;
    unsigned instant;
  };
  static std::uint64_t hashOf(const void *address) {
    return mixHash(1, reinterpret_cast<std::uintptr_t>(address));
  }
  Arena arena;
  HashIndex index;
  BlockArray<Entry> entries;
};

/// Sites whose hooks act at once have no index.
bool isForUs(const SiteRecord &record) {
  return record.version == siteRecordVersion && actsAtOnce(record.role);
}

bool growEntries(Object &object, std::uint32_t count) {
  if (object.count >= count)
    return true;
  // The old array stays: a thread in the handler may still read it.
  auto *const entries = reinterpret_cast<HookEntry *>(mapPages(count * sizeof(HookEntry)));
  if (!entries)
    return false;
  for (std::uint32_t i = 0; i < object.count; ++i)
    entries[i] = object.entries[i];
  __atomic_store_n(&object.entries, entries, __ATOMIC_RELEASE);
  __atomic_store_n(&object.count, count, __ATOMIC_RELEASE);
  return true;
}

/// Any of them.
const void *stampedThunk = nullptr, *storingThunk = nullptr;

HookEntry entryFor(const SiteRecord &record, unsigned instant) {
  HookEntry entry{};
  if (actsAtOnce(record.role)) {
    entry.now = &record;
    return entry;
  }
  const bool isAttempt = instant == static_cast<unsigned>(Instant::attempt);
  const bool takesDetour = (record.index & siteDetour) != 0;
  const std::uint32_t what = packEvent(record.index - 1, static_cast<Instant>(instant), eventXray);
  entry.what = takesDetour ? 0 : what;
  entry.shared = (record.flags & siteShared) != 0;
  entry.stamped = isStamped(record.role);
  entry.tries = isAttempt || instant == static_cast<unsigned>(Instant::fail);
  entry.reader = isAttempt ? lockWordReader(record.kind) : nullptr;
  entry.detour = takesDetour ? what : 0;
  if (!takesDetour) {
    storingThunk = record.thunks[instant];
    stampedThunk = entry.stamped ? storingThunk : stampedThunk;
  }
  return entry;
}

/// Says once that some hooks do not work. What they would have told is missing in the profile.
void warnOfLostHooks(const char *message) {
  static bool said = false;
  if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
    warn(message);
}

} // namespace

namespace qdadvise::runtime {

unsigned connectXray(SiteRecord *begin, SiteRecord *end) {
  if (!xray.usable())
    return 0;
  const SpinGuard guard(entriesLock);
  ThunkMap thunks;
  bool any = false, outOfMemory = false;
  for (const SiteRecord *record = begin; record != end; ++record)
    for (unsigned i = 0; record->role != SiteRole::threadStart && i < instantCount; ++i)
      if (record->thunks[i] && (record->index != 0 || isForUs(*record)))
        (thunks.add(*record, i) ? any : outOfMemory) = true;
  if (any)
    xray.init();
  unsigned connected = 0;
  for (std::uint32_t o = 0; any && o < objectCount(); ++o) {
    const std::uint32_t functions = functionsIn(o);
    if (functions == 0)
      continue;
    if (!growEntries(objects[o], functions + 1)) {
      outOfMemory = true;
      continue;
    }
    for (std::uint32_t id = 1; id <= functions; ++id) {
      const SiteRecord *record = nullptr;
      unsigned instant = 0;
      if (!thunks.find(addressOf(id, o), record, instant))
        continue;
      objects[o].entries[id] = entryFor(*record, instant);
      ++connected;
    }
  }
  if (outOfMemory)
    warnOfLostHooks("out of memory: some of the program's hooks record nothing");
  return connected;
}

namespace {

// XRay makes code writable for each of its functions anew, which takes 5 to 15 us: too long for
// slices. What it writes into a function stays there when it is off, but for the first
// instruction's first two bytes, a jump over the rest.
#if defined(__x86_64__)
constexpr std::uint16_t sledOn = 0xba41, sledOff = 0x09eb; // mov imm32, %r10d; jmp .+11

/// Null where there is something else.
std::uint16_t *findSled(std::uintptr_t function) {
  constexpr std::uint32_t endbr64 = 0xfa1e0ff3;
  if (function == 0)
    return nullptr;
  std::uint32_t first;
  std::memcpy(&first, reinterpret_cast<const void *>(function), sizeof first);
  auto *const sled = reinterpret_cast<std::uint16_t *>(function + (first == endbr64 ? 4 : 0));
  return function % 2 == 0 && *sled == sledOn ? sled : nullptr;
}
#else
constexpr std::uint16_t sledOn = 0, sledOff = 0;
std::uint16_t *findSled(std::uintptr_t) { return nullptr; }
#endif

/// Turns all hooks of an object whose sleds are known at once.
void turnSleds(Object &object, HooksOn hooks) {
  std::uintptr_t low = ~std::uintptr_t{0}, high = 0;
  for (std::uint32_t id = 1; id < object.count; ++id)
    if (const auto sled = reinterpret_cast<std::uintptr_t>(object.entries[id].sled); sled != 0) {
      low = sled < low ? sled : low;
      high = sled > high ? sled : high;
    }
  if (high == 0)
    return;
  constexpr std::uintptr_t page = 4096;
  auto *const from = reinterpret_cast<void *>(low & -page);
  const std::size_t bytes = high + sizeof sledOn - (low & -page);
  // Other threads run this code meanwhile. NOLINTNEXTLINE(clang-analyzer-security.MmapWriteExec)
  if (mprotect(from, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return; // XRay turns them then, which takes longer
  for (std::uint32_t id = 1; id < object.count; ++id) {
    HookEntry &entry = object.entries[id];
    const bool on = entry.isOnWith(hooks);
    if (!entry.sled || entry.on == on)
      continue;
    __atomic_store_n(entry.sled, on ? sledOn : sledOff, __ATOMIC_RELAXED);
    entry.on = on;
  }
  // If this fails, the code stays writable, and works.
  mprotect(from, bytes, PROT_READ | PROT_EXEC);
}

/// Lets XRay turn a function on or off; false if it cannot.
bool turnFunction(std::int32_t id, bool on) {
  // The values of XRayPatchingStatus; another thread may be patching an object of its own.
  constexpr int succeeded = 1, ongoing = 2;
  constexpr unsigned mostTries = 1000;
  int status = ongoing;
  for (unsigned i = 0; status == ongoing && i < mostTries; ++i)
    status = on ? xray.patch(id) : xray.unpatch(id);
  return status == succeeded;
}

} // namespace

void forgetSleds(const SiteRecord *begin, const SiteRecord *end) {
  constexpr std::uintptr_t longestStart = 4;
  std::uintptr_t low = ~std::uintptr_t{0}, high = 0;
  for (const SiteRecord *record = begin; record != end; ++record)
    for (unsigned i = 0; record->role != SiteRole::threadStart && i < instantCount; ++i)
      if (const auto thunk = reinterpret_cast<std::uintptr_t>(record->thunks[i]); thunk != 0) {
        low = thunk < low ? thunk : low;
        high = thunk + longestStart > high ? thunk + longestStart : high;
      }
  const SpinGuard guard(entriesLock);
  for (std::uint32_t o = 0; o < maxObjects; ++o)
    for (std::uint32_t id = 1; id < objects[o].count; ++id) {
      HookEntry &entry = objects[o].entries[id];
      if (!entry.isOurs())
        continue;
      if (const std::uintptr_t at = addressOf(id, o); at >= low && at <= high) {
        entry.sled = nullptr;
        entry.gone = true;
      }
    }
}

void patchXray(HooksOn hooks) {
  if (!xray.usable())
    return;
  const SpinGuard guard(entriesLock);
  const bool hasHandler = hooks == noHooks || xray.setHandler(onThunk) != 0;
  bool works = true;
  const bool inSlices = process().context.sliced;
  for (Object &object : objects)
    if (inSlices && object.count != 0)
      turnSleds(object, hooks);
  for (std::uint32_t o = 0; o < maxObjects; ++o)
    for (std::uint32_t id = 1; id < objects[o].count; ++id) {
      HookEntry &entry = objects[o].entries[id];
      const bool on = entry.isOnWith(hooks);
      if (!entry.isOurs() || entry.on == on)
        continue;
      const auto function = static_cast<std::int32_t>(id);
      const std::int32_t packed =
          o == 0 ? function : xray.packId(function, static_cast<std::int32_t>(o));
      const bool turned = turnFunction(packed, on);
      works &= (turned && hasHandler) || entry.gone;
      entry.on = turned ? on : entry.on;
      if (turned && on && inSlices)
        entry.sled = findSled(addressOf(id, o));
    }
  if (!works)
    warnOfLostHooks("XRay cannot switch some of the program's hooks; what they see is missing in "
                    "the profile");
}

void lockHookEntries() { entriesLock.lock(); }
void unlockHookEntries() { entriesLock.unlock(); }

double measureXrayHook() {
  const void *const thunk = stampedThunk ? stampedThunk : storingThunk;
  if (!thunk)
    return 0;
  // A lock word to look at, of whatever kind: free and nobody's.
  alignas(16) static unsigned char dummy[128];
  struct Call {
    void (*thunk)(void *);
    SiteRecord nobody;
    std::uint32_t called, thunked; ///< stack pointers of the two kinds of hooks, from one frame
  } call{reinterpret_cast<void (*)(void *)>(const_cast<void *>(thunk)), {}, 0, 0};
  call.nobody.index = 1;
  call.nobody.role = SiteRole::acquire;
  const double ticks = measureHook(
      [](void *context) {
        Call &hook = *static_cast<Call *>(context);
        if (hook.called == 0) {
          constexpr auto instant = static_cast<std::uint32_t>(Instant::acquire);
          __qdadvise_event(&hook.nobody, instant, dummy);
          hook.called = hotThread.next[-1].stack;
          return;
        }
        hook.thunk(dummy);
        if (hook.thunked == 0)
          hook.thunked = hotThread.next[-1].stack;
      },
      &call);
  if (bytesToSite == 0 && ticks != 0)
    bytesToSite = call.called - call.thunked;
  // Hooks without a stamp cost less.
  return stampedThunk ? ticks : 0;
}

} // namespace qdadvise::runtime

extern "C" __attribute__((visibility("default"))) void __qdadvise_xray(const void *const *begin,
                                                                       const void *const *end) {
  if (end - begin != static_cast<std::ptrdiff_t>(xrayFunctionCount) || !begin[0])
    return;
  if (const RuntimeEntries *const first = firstCopy())
    return first->takeXray(begin, end);
  const InsideRecorder inside;
  const SpinGuard guard(entriesLock);
  std::memcpy(&xray, begin, sizeof xray);
}
