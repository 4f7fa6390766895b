// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the plugin leaves in an object file and the runtime reads: one record per
// lock operation in the section `qdadvise_sites`, and the hooks that name it.
//
// The plugin builds these records as LLVM constants, field by field in this
// order; a change here is a change of `SiteRecords.cpp` and of `siteRecordVersion`.
#pragma once

#include "runtime/abi/lock_algorithms.h"

#include "runtime/abi/section_facts.h"

#include <cstdint>

namespace qdadvise {

inline constexpr std::uint32_t siteRecordVersion = 4;

/// What an operation at a site does to the lock (or to the thread).
enum class SiteRole : std::uint32_t {
  acquire = 0,     ///< attempt, then acquire or fail
  release = 1,     ///< release
  wait = 2,        ///< gives the lock up, blocks, takes it again: wait, then wake
  block = 3,       ///< blocks without a lock (barrier, join, semaphore): block, then unblock
  threadStart = 4, ///< names a start routine; no hooks, `thunks[0]` is the routine's address
  /// A call of a function that may return with a lock held that it took: attempt before,
  /// acquire after it. A site only where a lock taken inside is still held at the acquire;
  /// else nothing was done here, and what happened inside happened for itself. Releases
  /// are those of the locks inside. Without a declaration the lock's class is that of the
  /// operation inside; so it is where the call keeps several.
  wrapper = 5,
  lifetime = 6, ///< makes or destroys a lock: retire
  spawn = 7,    ///< starts a thread that runs `function`, defined at `file`:`line`: spawn
};

/// The instants a hook can mark. The argument of every hook is the address of
/// the lock (for block and unblock it means nothing).
enum class Instant : std::uint32_t {
  attempt = 0,
  acquire = 1,
  release = 2,
  fail = 3, ///< a try that failed, a timed acquire that ran out, or a lock operation that threw
  wait = 4,
  wake = 5,
  block = 6,
  unblock = 7,
  retire = 8, ///< the lock at the address begins or ends its life: what follows is another lock
  spawn = 9,  ///< the next thread that this thread starts is of the class that the site names
};
inline constexpr unsigned instantCount = 10;

enum SiteFlags : std::uint32_t {
  siteTry = 1u << 0,         ///< may fail at once
  siteTimed = 1u << 1,       ///< may fail after a while
  siteShared = 1u << 2,      ///< acquires in shared (reader) mode
  siteRecursive = 1u << 3,   ///< the lock may be taken again by its owner
  siteConditional = 1u << 4, ///< a release that may find nothing to release (~unique_lock)
  /// The body of a wrapper that others may call without knowing it: the hooks' address is
  /// where the function returns to, and each of those is a site of its own.
  siteByCaller = 1u << 5,
  /// The site is in the body of a function that is such an operation itself. A release in a release
  /// (~MutexLock calls Unlock): where the caller has marked that, nothing is left to release
  /// here. What takes a lock in a function that does: a site only where it is given back inside.
  siteInner = 1u << 6,
  /// The site is in code whose memory accesses are traced (the plugin's `memory`). The runtime
  /// takes the flag out again: it says how a program was compiled, not what the site is.
  siteTraced = 1u << 7,
  /// The owner of a lock taken here took it again. Set by the runtime, in the profile.
  siteReentered = 1u << 8,
  /// A wait through std::condition_variable_any: any lock would do there.
  siteAnyLock = 1u << 9,
  /// A wrapper that gives up its caller's lock in a condition wait, and takes it again.
  siteWaits = 1u << 10,
  /// A block at a barrier: a thread goes on when all the others have come, too.
  siteBarrier = 1u << 11,
};

/// What `__qdadvise_trace_access` is told of an access.
enum AccessFlags : std::uint32_t {
  accessRead = 1u << 0,
  accessWrite = 1u << 1,
  accessAtomic = 1u << 2,
  accessChained = 1u << 3, ///< the address was read from where one before it pointed to
};

/// Which hooks call the runtime.
enum HooksOn : std::uint32_t {
  noHooks = 0,
  allHooks = 1,
  attemptHooks = 2, ///< none but those of Instant::attempt and Instant::fail
};

/// One operation. Strings are zero-terminated UTF-8 and never null.
struct SiteRecord {
  std::uint32_t version; ///< siteRecordVersion
  SiteRole role;
  LockKind kind;        ///< what is behind the address; chooses the reader of the lock's word
  std::uint32_t flags;  ///< SiteFlags
  std::uint32_t line;   ///< 1-based, of the operation
  std::uint32_t column; ///< 1-based
  /// Among the operations of `function` with equal `expression`, from 0. Of a threadStart that only
  /// calls another routine: one plus where in what its argument points to that one's address is.
  std::uint32_t ordinal;
  std::uint32_t declLine; ///< where the lock is declared; 0 if that says nothing
  std::uint32_t declColumn;
  std::uint32_t index;       ///< the runtime's own: 0 until registered
  std::uint64_t sectionHash; ///< of the section's tokens, for staleness; 0 for a release
  std::uint32_t facts;       ///< SectionFact
  /// The runtime's own, in the first record of an executable or shared object: which of its hooks
  /// (`hooks=call`) call the runtime (HooksOn). All do until it says otherwise.
  std::uint32_t hooksOn;
  const char *file;       ///< as the compiler was given it
  const char *function;   ///< qualified, with parameter types
  const char *expression; ///< the lock as written, e.g. `this->cache_.lock`
  const char *lockName;   ///< the declaration's qualified name, e.g. `Cache::lock`; "" if none
  const char *lockType;   ///< as declared, e.g. `std::mutex`
  const char *declFile;   ///< "" if `declLine` is 0
  const void *thunks[instantCount]; ///< XRay thunks by instant; null where there is none
};
static_assert(sizeof(SiteRecord) == 40 + 16 + 6 * sizeof(void *) + instantCount * sizeof(void *));

/// XRay's functions in the order in which `__qdadvise_xray` takes them. XRay's runtime
/// is linked into the program and hides its symbols from shared libraries, ours among
/// them: an object with thunks passes them on. Those after the sixth came with LLVM 20.
inline constexpr const char *xrayFunctionNames[] = {"__xray_init",
                                                    "__xray_set_handler_arg1",
                                                    "__xray_max_function_id",
                                                    "__xray_function_address",
                                                    "__xray_patch_function",
                                                    "__xray_unpatch_function",
                                                    "__xray_num_objects",
                                                    "__xray_max_function_id_in_object",
                                                    "__xray_function_address_in_object",
                                                    "__xray_pack_id"};
inline constexpr unsigned xrayFunctionCount =
    sizeof(xrayFunctionNames) / sizeof(xrayFunctionNames[0]);

} // namespace qdadvise

/// Marks functions that are called rarely from code that keeps its registers: the callee
/// preserves them. The plugin's MemoryTrace does the same.
#if defined(__x86_64__) || defined(__aarch64__)
#define QDADVISE_COLD_CALL __attribute__((preserve_most))
#else
#define QDADVISE_COLD_CALL
#endif

// What instrumented code refers to, all weak there: without the runtime it just runs.
extern "C" {
/// Tells the runtime of the records of one executable or shared object, from a
/// constructor that the plugin emits. `end` is one past the last.
void __qdadvise_register(qdadvise::SiteRecord *begin, qdadvise::SiteRecord *end);
/// Takes them back, from a destructor (`dlclose`).
void __qdadvise_unregister(qdadvise::SiteRecord *begin, qdadvise::SiteRecord *end);
/// Tells the runtime of XRay's functions, before the records; null where the program
/// has no such function.
void __qdadvise_xray(const void *const *begin, const void *const *end);
/// The hook of `hooks=call` and `hooks=patch`.
void __qdadvise_event(qdadvise::SiteRecord *site, std::uint32_t instant, const void *address);

/// Not null while this thread's memory accesses are to be told (the plugin's `memory`). It
/// changes in calls only. Each object defines it, so that a program without the runtime finds
/// it null; those of one process are one.
extern __attribute__((weak, visibility("default"),
                      tls_model("initial-exec"))) constinit thread_local void *__qdadvise_trace;
/// Tells that so many instructions of the program were run. Accesses to the function's own stack
/// are among them, and are not told one by one. The calls for its other accesses follow.
QDADVISE_COLD_CALL void __qdadvise_trace_block(std::uint32_t instructions,
                                               std::uint32_t stackAccesses);
/// Tells of one access, of no bytes if it was masked out. `what` is of AccessFlags.
QDADVISE_COLD_CALL void __qdadvise_trace_access(const void *address, std::uint64_t bytes,
                                                std::uint32_t what);
}
