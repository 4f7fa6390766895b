// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See recording_mode.h.
#include "runtime/events/recording_mode.h"

namespace qdadvise::runtime {

bool recording = false;
bool recordingWanted = false;
bool countingAttempts = false;
bool countingSites = false;
bool finishing = false;
bool tracingMemory = false;

} // namespace qdadvise::runtime
