// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this process records, and whether it does just now. Hooks read each with one load of a byte.
//
// What is recorded (RecordingKind) is settled before the first event. Whether it is recorded
// (RecordingState) is changed by control/switches.cpp alone, with Process::control taken:
//
//   state      hooks that are on   threads' events
//   off        none                none are stored; nobody asked for recording
//   paused     none                none are stored; recording is wanted, between two slices of time
//              (as in the slice for the moment from closeSlice to beginCounting, where that
//              follows)
//   counting   attempts            none are stored, attempts to take a lock are counted; else as
//                                  paused. So it is found out what hooks cost (replay/hook_cost.h).
//   on         all                 all are stored
//   finishing  all                 a thread's are stored until nothing is open that it began in the
//                                  slice; the slice is over
//
//   from               to         by
//   off                on         startRecording
//   paused, counting   on         openSlice; in the child of a fork recordAnew
//   on                 finishing  the first closeSlice
//   finishing          paused     the closeSlice that finds all threads finished, or may not wait
//   finishing          on         recordAnew
//   paused             counting   beginCounting
//   counting           paused     endCounting
//   each but off       off        stopRecording, or the end of the process
//
// Without slices of time there are only off and on.
#pragma once

#include <cstdint>

namespace qdadvise::runtime {

enum class RecordingState : std::uint8_t { off, paused, counting, on, finishing };
extern constinit std::uint8_t recordingStateByte; ///< a RecordingState

inline RecordingState recordingState() {
  return static_cast<RecordingState>(__atomic_load_n(&recordingStateByte, __ATOMIC_RELAXED));
}
inline void setRecordingState(RecordingState state) {
  __atomic_store_n(&recordingStateByte, static_cast<std::uint8_t>(state), __ATOMIC_RELEASE);
}
/// Hooks store events.
inline bool isRecording() { return recordingState() >= RecordingState::on; }
/// Recording was asked for. In slices of time it is off in between nevertheless.
inline bool isRecordingWanted() { return recordingState() != RecordingState::off; }

enum class RecordingKind : std::uint8_t {
  times,  ///< events with stamps
  memory, ///< events without, and what threads do to memory while they hold a lock
};
extern constinit RecordingKind recordingKind;

inline bool tracesMemory() { return recordingKind == RecordingKind::memory; }

} // namespace qdadvise::runtime
