// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a hook costs when many run in a row, with nothing in between but what locks do.
#pragma once

#include "runtime/abi/site_record.h"

namespace qdadvise::runtime {

/// Ticks of one of many hooks in a row. `hook` must store one event. What it stored is
/// forgotten. 0 if it cannot be measured now.
double measureHook(void (*hook)(void *context), void *context);
/// Measures the hooks that the program calls, or, once some were registered, those that are patched
/// in. What other threads may be using already stays, and followHookCost mends it.
void measureCallHooks();
/// measureHook of an attempt while RecordingState::counting; in a program with
/// XRay hooks, with what these take more.
double measureCountingHook();
/// Measures again, as the processor's clock and the company on it change, and moves
/// `driftTicks` towards what is found.
void followHookCost();

} // namespace qdadvise::runtime
