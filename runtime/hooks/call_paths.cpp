// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See call_paths.h. Walks by the tables that unwind exceptions, which programs without
// frame pointers and C programs have, too.
#include "runtime/hooks/call_paths.h"

#include "runtime/base/pages.h"
#include "runtime/base/text.h"
#include "runtime/hooks/first_copy.h"
#include "runtime/hooks/recorder.h"
#include "runtime/process/process.h"
#include "runtime/sites/path_memory.h"
#include "runtime/sites/sites.h"
#include "runtime/threads/thread_slots.h"

#include <dlfcn.h>
#include <new>
#include <unwind.h>

// Weak: a static program may have none of them, and a C program loads no unwinder until asked to.
extern "C" {
#pragma weak dlopen
#pragma weak dlsym
#pragma weak _Unwind_Backtrace
#pragma weak _Unwind_GetIP
#pragma weak _Unwind_GetCFA
}

namespace qdadvise::runtime {

namespace {

struct Unwinder {
  decltype(&_Unwind_Backtrace) backtrace;
  decltype(&_Unwind_GetIP) address;
  decltype(&_Unwind_GetCFA) frame;

  bool usable() const { return backtrace && address && frame; }
};

Unwinder unwinder{};

struct Walking {
  StackWalk walk;
  std::uint64_t stack; ///< pointer, in the hook
  std::uint64_t own;   ///< return addresses below this one are ours
  unsigned between;    ///< frames to leave out yet
  unsigned wanted;
};

_Unwind_Reason_Code onFrame(_Unwind_Context *context, void *argument) {
  Walking &walking = *static_cast<Walking *>(argument);
  // A call leaves its return address just below the frame it returns to.
  const std::uint64_t at = unwinder.frame(context) - sizeof(std::uint64_t);
  if (at < walking.own)
    return _URC_NO_REASON;
  if (walking.between != 0) {
    --walking.between;
    return _URC_NO_REASON;
  }
  StackWalk &walk = walking.walk;
  const std::uint64_t address = unwinder.address(context);
  const std::uint64_t offset = at - walking.stack;
  if (address == 0)
    return _URC_END_OF_STACK;
  walk.found = walk.found && offset <= UINT32_MAX && at % alignof(std::uint64_t) == 0 &&
               *reinterpret_cast<const std::uint64_t *>(at) == address;
  walk.addresses[walk.count] = address;
  walk.offsets[walk.count] = static_cast<std::uint32_t>(offset);
  return ++walk.count == walking.wanted ? _URC_END_OF_STACK : _URC_NO_REASON;
}

PathMemory *memoryOf(HotThread &thread) {
  PathMemory *&memory = thread.slot->paths;
  if (!memory) {
    char *const bytes = mapPages(sizeof(PathMemory));
    if (!bytes)
      return nullptr;
    memory = new (bytes) PathMemory();
  }
  memory->use(thread.id, Sites::instance().unloads());
  return memory;
}

std::uint32_t walkPath(PathMemory &memory, std::uint32_t site, std::uint64_t address,
                       std::uint64_t stack, std::uint64_t frame, unsigned between) {
  const InsideRecorder inside;
  // The hook has called that function in last place, in its own frame's place, or it has not.
  const std::uint64_t returns = frame + sizeof(std::uint64_t);
  Walking walking{
      {}, stack, returns > stack ? returns : stack, between, process().options.pathDepth + 1};
  walking.walk.found = true;
  unwinder.backtrace(onFrame, &walking);
  const StackWalk &walk = walking.walk;
  const std::uint32_t pathSite =
      Sites::instance().pathSite(site, address, walk.addresses, walk.count);
  memory.remember(site, stack, walk, pathSite);
  return pathSite;
}

/// The address near `frame` whose low half is `stack`.
std::uint64_t wholeAddress(std::uint64_t frame, std::uint32_t stack) {
  const auto distance = static_cast<std::int32_t>(stack - static_cast<std::uint32_t>(frame));
  return frame + static_cast<std::uint64_t>(std::int64_t{distance});
}

/// Tells the thread's replay what finding the path took: it is nobody's time.
void tellPause(HotThread &thread, std::uint32_t site, std::uint64_t ticks, std::uint32_t stack) {
  const std::uint32_t what = packEvent(site, pauseInstant);
  if (!storeEvent(thread, what, pauseInstant, ticks, stack, false))
    recordSlowly(what, ticks, stack);
}

} // namespace

void prepareCallPaths() {
  if (process().options.pathSites[0] == '\0')
    return;
  unwinder = {_Unwind_Backtrace, _Unwind_GetIP, _Unwind_GetCFA};
  if (!unwinder.usable() && dlopen && dlsym)
    if (void *const library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL))
      unwinder = {
          reinterpret_cast<decltype(&_Unwind_Backtrace)>(dlsym(library, "_Unwind_Backtrace")),
          reinterpret_cast<decltype(&_Unwind_GetIP)>(dlsym(library, "_Unwind_GetIP")),
          reinterpret_cast<decltype(&_Unwind_GetCFA)>(dlsym(library, "_Unwind_GetCFA"))};
  if (!unwinder.usable())
    warn("QDADVISE_OPTIONS: there is no libgcc_s.so.1 to walk stacks with; 'path_sites' is "
         "ignored");
}

std::uint32_t onCallPath(std::uint32_t what, std::uint64_t address, std::uint32_t stack,
                         const void *frame, unsigned between) {
  HotThread &thread = hotThread;
  const auto instant = static_cast<Instant>(what & eventInstantMask);
  const bool begins = instant == Instant::attempt || instant == Instant::wait;
  const bool ends =
      instant == Instant::acquire || instant == Instant::fail || instant == Instant::wake;
  if ((!begins && !ends) || !unwinder.usable() || thread.busy != idle || !isRecording() ||
      firstCopy())
    return what;
  if (!thread.slot && !attachUnseenThread())
    return what;
  const std::uint64_t from = begins && !tracesMemory() ? readStamp() : 0;
  const std::uint32_t site = what >> eventSiteShift;
  std::uint32_t pathSite = site;
  thread.busy = inHook;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (PathMemory *const memory = memoryOf(thread); memory && ends) {
    pathSite = memory->end(site, address);
  } else if (memory) {
    const auto ofCaller = reinterpret_cast<std::uintptr_t>(frame);
    const std::uint64_t top = wholeAddress(ofCaller, stack);
    pathSite = memory->find(site, top);
    if (pathSite == format::none)
      pathSite = walkPath(*memory, site, address, top, ofCaller, between);
    memory->begin(site, address, pathSite);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  thread.busy = idle;
  if (from != 0) {
    const Process &self = process();
    const double stampTicks = self.timerNs / self.context.nsPerTick;
    tellPause(thread, site, readStamp() - from + static_cast<std::uint64_t>(stampTicks), stack);
  }
  return packEvent(pathSite, instant, what & (eventInstantMask ^ ((1u << eventSiteShift) - 1)));
}

} // namespace qdadvise::runtime
