// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What there is once in a process: options, calibration, and how long it has been recorded.
#pragma once

#include "runtime/base/spin.h"
#include "runtime/events/clock.h"
#include "runtime/process/options.h"
#include "runtime/replay/hook_cost.h"
#include "runtime/replay/replay_context.h"
#include "runtime/tables/readers.h"

#include <cstdint>

namespace qdadvise::runtime {

/// How long a slice of time is that is recorded (control/slices.h).
inline constexpr std::uint64_t sliceNs = 10'000'000;
/// Hooks are on so much longer, before and after: the thread that turns them on and off takes the
/// processor from one of the program's, and what that had in hand takes longer.
inline constexpr std::uint64_t sliceMarginNs = 500'000;
/// How long hooks are on for a slice: one part in `slices` of the time.
inline constexpr std::uint64_t sliceHooksNs = sliceNs + 2 * sliceMarginNs;

struct Process {
  SpinLock control; ///< taken to turn a switch, to write, and to name a lock
  Options options;
  ReplayContext context;
  HookCost hookCost;              ///< guarded by `control`
  LockEndLog *lockEnds = nullptr; ///< null when out of memory
  ReaderTable *readers = nullptr; ///< the same
  char program[256] = "";
  char host[256] = "";
  char command[4096] = "";
  char path[maxPath] = "";            ///< of the profile
  Clocks startClocks{};               ///< when all this was set up
  double timerNs = 0;                 ///< of one reading of the clock; 0 until it was calibrated
  int pid = 0;                        ///< of the process that this is
  bool isChild = false;               ///< of a fork
  bool ended = false;                 ///< the last profile was written
  std::uint32_t hookKinds = 0;        ///< format::RunFlags: the kinds of hooks in use
  bool wasThreaded = false;           ///< a second thread existed when recording began
  bool lacksSlices = false;           ///< no thread could be started for slices
  std::uint32_t slices = 1;           ///< one in so many slices of time is recorded
  std::uint64_t startUnixNs = 0;      ///< of recording
  std::uint64_t recordedNs = 0;       ///< earlier periods of recording
  std::uint64_t recordingSinceNs = 0; ///< monotonic; 0 while recording is off
  std::uint64_t pausedStamp = 0; ///< since when it is off; 0 while it is on, or before it ever was
  std::uint64_t wantedNs = 0;    ///< as the two above, but with the time between slices
  std::uint64_t wantedSinceNs = 0;

  /// Before anything is recorded, and not earlier: a process that has just begun waits for it.
  void calibrateClock();
  /// Gives the profile of this process its path, as the options say.
  void findPath();
  /// The mean of so many events, of which so many came through XRay.
  double hookNs(std::uint64_t events, std::uint64_t xrayEvents) const;
  /// Hooks that are called, and XRay's.
  bool hasBothHooks() const;
  /// The stamp until which the calling thread was recorded: now, or when recording went off.
  std::uint64_t recordedUpTo() const;
  /// How long it has been on just now.
  std::uint64_t recordingNs() const;
};

/// Ready from the first call on; the first call sets everything up.
Process &process();

/// This process has hooks of this kind (format::RunFlags).
void noteHookKind(std::uint32_t kind);

/// qdadvise_name_lock.
void nameLock(const void *lock, const char *name);

} // namespace qdadvise::runtime
