// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See recording_mode.h.
#include "runtime/events/recording_mode.h"

namespace qdadvise::runtime {

constinit std::uint8_t recordingStateByte = static_cast<std::uint8_t>(RecordingState::off);
constinit RecordingKind recordingKind = RecordingKind::times;

} // namespace qdadvise::runtime
