// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See thread_classes.h.
#include "runtime/threads/thread_classes.h"

#include "runtime/abi/profile_format.h"
#include "runtime/base/spin.h"
#include "runtime/base/text.h"
#include "runtime/events/hot_thread.h"
#include "runtime/sites/modules.h"
#include "runtime/sites/sites.h"

#include <cerrno>
#include <cstring>

namespace qdadvise::runtime {

namespace {

/// More start routines than this are all `thread`.
constexpr std::uint32_t maxThreadClasses = 1024;

SpinLock classesLock;
ThreadClassInfo classes[maxThreadClasses] = {
    {"main", "", 0, 0, 0, 0, nullptr},
    {"thread", "", 0, 0, 0, 0, nullptr},
};
std::uint32_t classCount = 2;
std::uint32_t alive = 0;
std::uint32_t mostAlive = 0;
std::uint32_t seen = 0;

std::uint32_t find(const void *routine, const char *name) {
  for (std::uint32_t i = 0; i < classCount; ++i)
    if (routine ? classes[i].routine == routine : std::strcmp(classes[i].name, name) == 0)
      return i;
  return format::none;
}

/// Whether both may be the same routine: so called, and not known to stand elsewhere
/// (two lambdas of one function have one name).
bool mayBeSame(const ThreadClassInfo &a, const ThreadClassInfo &b) {
  const bool bothPlaced = a.line != 0 && b.line != 0;
  return std::strcmp(a.name, b.name) == 0 &&
         (!bothPlaced || (a.line == b.line && std::strcmp(a.file, b.file) == 0));
}

/// Takes the class that is known already, so that one routine met under two addresses (a
/// template in two libraries) is one class.
std::uint32_t add(const ThreadClassInfo &info) {
  std::uint32_t index = 0;
  while (index < classCount && !mayBeSame(classes[index], info))
    ++index;
  if (index < classCount)
    return index;
  if (classCount == maxThreadClasses)
    return unknownThreadClass;
  index = classCount;
  classes[index] = info;
  __atomic_store_n(&classCount, index + 1, __ATOMIC_RELEASE);
  return index;
}

/// What the plugin recorded of a start routine, or null.
const SiteRecord *recordOfRoutine(const void *routine) {
  const Sites &sites = Sites::instance();
  for (std::uint32_t i = 0; i < sites.size(); ++i) {
    const SiteRecord &record = sites.record(i);
    if (record.role == SiteRole::threadStart && record.thunks[0] == routine)
      return &record;
  }
  return nullptr;
}

/// The routine that one runs, which a library of the program's own may hand to a stub as what its
/// argument points to. The plugin has to have seen both.
const void *innerRoutine(const void *routine, const void *argument) {
  const SiteRecord *const stub = recordOfRoutine(routine);
  if (!stub || stub->ordinal == 0 || !argument)
    return routine;
  const void *inner = nullptr;
  std::memcpy(&inner, static_cast<const char *>(argument) + (stub->ordinal - 1), sizeof inner);
  return inner && recordOfRoutine(inner) ? inner : routine;
}

/// libstdc++ starts every std::thread through one routine of its own and passes a
/// state object made for the callable: the type's name, mangled, tells them apart.
const char *nameOfStandardThread(const void *argument) {
  if (!argument)
    return nullptr;
  const void *const *const vtable = *static_cast<const void *const *const *>(argument);
  const void *const *const typeInfo = static_cast<const void *const *>(vtable[-1]);
  return typeInfo ? static_cast<const char *>(typeInfo[1]) : nullptr;
}

} // namespace

std::uint32_t threadClassCount() { return __atomic_load_n(&classCount, __ATOMIC_ACQUIRE); }
const ThreadClassInfo &threadClassInfo(std::uint32_t index) { return classes[index]; }

std::uint32_t threadClassOfRoutine(const void *started, const void *argument) {
  const InsideRecorder inside;
  const void *const routine = innerRoutine(started, argument);
  LoadedModule module{"", 0, nullptr};
  const bool found = findLoaded(routine, module);
  const bool inLibrary = found && std::strstr(module.path, "libstdc++.so");
  const char *type = inLibrary ? nameOfStandardThread(argument) : nullptr;
  const SpinGuard guard(classesLock);
  const std::uint32_t known = type ? format::none : find(routine, nullptr);
  if (known != format::none)
    return known;
  const char *const name = found && !type ? exportedName(module, routine) : nullptr;
  if (name && std::strstr(name, "execute_native_thread_routine"))
    type = nameOfStandardThread(argument);
  if (type) {
    const std::uint32_t index = find(nullptr, type);
    return index != format::none ? index
                                 : add({Sites::instance().keep(type), "", 0, 0, 0, 0, nullptr});
  }
  if (const SiteRecord *const record = recordOfRoutine(routine))
    return add({Sites::instance().keep(record->function), Sites::instance().keep(record->file),
                record->line, 0, 0, 0, routine});
  Text<512> shown;
  if (name) {
    shown.add(name);
  } else {
    const char *const path = !found ? "?" : *module.path ? module.path : program_invocation_name;
    const char *const slash = std::strrchr(path, '/');
    shown.add("thread@").add(slash ? slash + 1 : path).add("+0x");
    shown.addNumber(reinterpret_cast<std::uintptr_t>(routine) - module.base, 16);
  }
  return add({Sites::instance().keep(shown.c_str()), "", 0, 0, 0, 0, routine});
}

std::uint32_t threadClassOfName(const char *name) {
  const InsideRecorder inside;
  const SpinGuard guard(classesLock);
  const std::uint32_t index = find(nullptr, name);
  return index != format::none ? index
                               : add({Sites::instance().keep(name), "", 0, 0, 0, 0, nullptr});
}

std::uint32_t threadClassOfSpawn(const char *function, const char *file, std::uint32_t line) {
  const InsideRecorder inside;
  const SpinGuard guard(classesLock);
  const ThreadClassInfo asked{function, file, line, 0, 0, 0, nullptr};
  for (std::uint32_t i = 0; i < classCount; ++i)
    if (mayBeSame(classes[i], asked))
      return i;
  Sites &sites = Sites::instance();
  return add({sites.keep(function), sites.keep(file), line, 0, 0, 0, nullptr});
}

namespace {

void enter(ThreadClassInfo &info) {
  ++info.count;
  ++info.alive;
  if (info.alive > info.maxAlive)
    info.maxAlive = info.alive;
}

} // namespace

void noteThreadBegin(std::uint32_t threadClass) {
  const InsideRecorder inside;
  const SpinGuard guard(classesLock);
  enter(classes[threadClass]);
  ++seen;
  ++alive;
  if (alive > mostAlive)
    mostAlive = alive;
}

void noteClassChange(std::uint32_t from, std::uint32_t to) {
  const InsideRecorder inside;
  const SpinGuard guard(classesLock);
  --classes[from].alive;
  enter(classes[to]);
}

void noteThreadEnd(std::uint32_t threadClass) {
  const InsideRecorder inside;
  const SpinGuard guard(classesLock);
  --classes[threadClass].alive;
  --alive;
}

std::uint32_t maxThreadsAlive() { return mostAlive; }
std::uint32_t threadsSeen() { return seen; }

void lockThreadClasses() { classesLock.lock(); }
void unlockThreadClasses() { classesLock.unlock(); }

void forgetThreads(std::uint32_t ownClass, bool isKnown) {
  for (ThreadClassInfo &info : classes)
    info.count = info.alive = info.maxAlive = 0;
  const std::uint32_t one = isKnown ? 1 : 0;
  ThreadClassInfo &own = classes[ownClass];
  own.count = own.alive = own.maxAlive = one;
  alive = mostAlive = seen = one;
}

} // namespace qdadvise::runtime
