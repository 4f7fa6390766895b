// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What there is once in a process: options, calibration, and the switches that
// <qdadvise/profile.h> turns.
#pragma once

#include "runtime/options.h"
#include "runtime/readers.h"
#include "runtime/replay.h"

#include <cstdint>

namespace qdadvise::runtime {

struct Process {
  Options options;
  ReplayContext context;
  Retirements *retirements = nullptr; ///< null when out of memory
  ReaderTable *readers = nullptr;     ///< the same
  char program[256] = "";
  char host[256] = "";
  char command[4096] = "";
  char path[maxPath] = ""; ///< of the profile
  double timerNs = 0;
  std::uint32_t doors = 0;            ///< format::RunFlags: the kinds of hooks in use
  bool wasThreaded = false;           ///< a second thread existed when recording began
  std::uint64_t startUnixNs = 0;      ///< of recording
  std::uint64_t recordedNs = 0;       ///< earlier periods of recording
  std::uint64_t recordingSinceNs = 0; ///< monotonic; 0 while recording is off
  std::uint64_t pausedStamp = 0; ///< since when it is off; 0 while it is on, or before it ever was
  std::uint64_t wantedNs = 0;    ///< as the two above, but with the time between slices
  std::uint64_t wantedSinceNs = 0;

  double hookNs() const;
  /// Until when what the calling thread did was recorded: now, or when recording went off.
  std::uint64_t recordedUpTo() const;
  /// How long it has been on just now.
  std::uint64_t recordingNs() const;
};

/// Ready from the first call on; the first call sets everything up.
Process &process();

/// This process has hooks of this kind (format::RunFlags).
void noteDoor(std::uint32_t door);

/// qdadvise_name_lock.
void nameLock(const void *lock, const char *name);

inline constexpr std::uint64_t sliceNs = 10'000'000;
/// Hooks are on so much longer, before and after: the thread that turns them on and off takes the
/// processor from one of the program's, and what that had in hand takes longer.
inline constexpr std::uint64_t sliceMarginNs = 500'000;
/// A slice of time begins that is recorded, if recording is wanted.
void openSlice();
/// It ends. Not before threads have ended what they began in it: to be called until it returns
/// true, with `now` where that takes too long.
bool closeSlice(bool now);

void startRecording();
void stopRecording();
void resetRecording();
/// Writes the profile. Async-signal-safe. False if it could not be written (and was said).
bool writeProfile();
/// Puts what all threads have stored so far into their tables.
void catchUpAll();
/// What the signal of the options asks for, by the value that was queued with it.
enum class Request : std::uint32_t {
  startOrWrite = 0, ///< without a value: start, or write where that was done
  start = 1,
  stop = 2,
  reset = 3,
  write = 4,
};
inline constexpr std::uint32_t requestCount = 5;
/// Async-signal-safe: in the midst of the recorder's own work it is done right after it, and
/// several requests then in the order of their numbers.
void onRequest(Request request);
/// The process ends: the last profile.
void finishRecording();

} // namespace qdadvise::runtime
