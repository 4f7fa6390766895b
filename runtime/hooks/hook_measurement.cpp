// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hook_measurement.h.
#include "runtime/hooks/hook_measurement.h"

#include "runtime/events/clock.h"
#include "runtime/process/process.h"
#include "runtime/threads/thread_classes.h"
#include "runtime/threads/thread_slots.h"

#include <csignal>

#if defined(__x86_64__)
/// What a jump from a sled leads to: saves what the sled's code does, and comes back as it does.
extern "C" __attribute__((visibility("hidden"))) void
qdadviseSledOnce(qdadvise::SiteRecord *site, std::uint32_t instant, const void *address);
__asm__(R"(
  .text
  .p2align 4
  .hidden qdadviseSledOnce
  .globl qdadviseSledOnce
  .type qdadviseSledOnce,@function
qdadviseSledOnce:
  movq %rdi, -8(%rsp)
  movq %rsi, -16(%rsp)
  movq %rdx, -24(%rsp)
  leaq -24(%rsp), %rsp
  callq *__qdadvise_sled@GOTPCREL(%rip)
  popq %rdx
  popq %rsi
  popq %rdi
  .byte 0xe9
  .long 0f - . - 4
0:
  retq
  .size qdadviseSledOnce, . - qdadviseSledOnce
)");
#endif

namespace qdadvise::runtime {

namespace {

constexpr unsigned hooksPerRound = 66;

/// Two atomic instructions for three hooks, as around a lock: they wait for the hooks' stores.
/// Returns the ticks of a round.
template <typename Work> std::uint64_t ticksAroundLocks(Work work) {
  std::uint32_t word = 0;
  const std::uint64_t from = readStamp();
  for (unsigned i = 0; i < hooksPerRound; ++i) {
    work();
    if (i % 3 != 2)
      __atomic_exchange_n(&word, i, __ATOMIC_SEQ_CST);
  }
  return readStamp() - from;
}

/// Ticks of one of many in a row: the median of several rounds, of which those count as none that
/// `isGood` does not find so.
template <typename Work, typename IsGood> double medianCost(Work work, IsGood isGood) {
  constexpr unsigned rounds = 9;
  double costs[rounds];
  for (double &cost : costs) {
    const std::uint64_t without = ticksAroundLocks([] {});
    const std::uint64_t with = ticksAroundLocks(work);
    cost = isGood() && with > without ? static_cast<double>(with - without) / hooksPerRound : 0;
  }
  return medianOf(costs, rounds);
}

} // namespace

double measureHook(void (*hook)(void *context), void *context) {
  HotThread &thread = hotThread;
  if (!thread.slot && !attachUnseenThread())
    return 0;
  ThreadSlot &slot = *thread.slot;
  Event *const before = thread.next;
  if (before + hooksPerRound + 1 >= softLimitOf(slot))
    return 0;
  const std::uint32_t busy = thread.busy;
  const std::uint32_t open = thread.open;
  double cost = 0;
  {
    // Nobody may replay these events, and no signal handler add to them. With room they are
    // stored whether or not anything is being recorded.
    sigset_t all;
    sigset_t signals;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &signals);
    const SpinGuard guard(slot.inUse);
    thread.busy = idle;
    Event *const limit = thread.softLimit;
    thread.softLimit = softLimitOf(slot);
    cost = medianCost([=] { hook(context); },
                      [&] {
                        const bool stored = thread.next == before + hooksPerRound;
                        thread.next = before;
                        return stored;
                      });
    thread.softLimit = limit;
    thread.busy = busy;
    thread.open = open;
    pthread_sigmask(SIG_SETMASK, &signals, nullptr);
  }
  return cost;
}

namespace {

/// A hook of the program's own kind.
void hookOf(SiteRecord &site, Instant instant) {
#if defined(__x86_64__)
  if ((process().hookKinds & format::runHooksPatch) != 0)
    return qdadviseSledOnce(&site, static_cast<std::uint32_t>(instant), &site);
#endif
  __qdadvise_event(&site, static_cast<std::uint32_t>(instant), &site);
}

/// measureHook for sites of a role.
double measureCallHook(SiteRole role) {
  SiteRecord nobody{};
  nobody.index = 1;
  nobody.role = role;
  return measureHook(
      [](void *record) { hookOf(*static_cast<SiteRecord *>(record), Instant::acquire); }, &nobody);
}

/// Ticks of the hook of an attempt, of a site with this index, that stores no event.
double measureUnstored(std::uint32_t index) {
  SiteRecord nobody{};
  nobody.index = index;
  nobody.role = SiteRole::acquire;
  return medianCost([&] { hookOf(nobody, Instant::attempt); }, [] { return true; });
}

} // namespace

void measureCallHooks() {
  if (threadsSeen() > 1)
    return;
  process().context.setCallHook(measureCallHook(SiteRole::acquire),
                                measureCallHook(SiteRole::wrapper));
}

double measureCountingHook() {
  const double called = measureUnstored(1);
  const ReplayContext &context = process().context;
  return called + (context.xrayHookTicks != 0 ? context.xrayHookTicks - context.callHookTicks : 0);
}

void followHookCost() {
  constexpr double weight = 0.25;
  ReplayContext &context = process().context;
  const double found = measureCallHook(SiteRole::acquire);
  if (found == 0 || context.callHookTicks == 0)
    return;
  double drift = context.drift();
  drift += weight * (found - context.callHookTicks - drift);
  __atomic_store(&context.driftTicks, &drift, __ATOMIC_RELAXED);
}

} // namespace qdadvise::runtime
