// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records in one of so many slices of time. Hooks are off in between and look at no clock, so a
// thread of our own opens and closes the slices: the only one, and only where the options ask for
// slices, or for `auto` and it turns out to be wanted. The first one begins with the recording,
// each later one somewhere in its period, by chance, so that no rhythm of the program's is in step
// with them.
#pragma once

#include <cstdint>

namespace qdadvise::runtime {

/// Starts that thread, or lets a hook start it, if the options ask for slices.
void prepareSlices();
/// Tells that thread that recording is wanted. Async-signal-safe.
void wakeSlices();
/// The child of a fork has no such thread: all is recorded until it has one.
void forgetSlices();
/// There should be such a thread and there is none yet: this process is the child of a fork.
bool lackSlices();

} // namespace qdadvise::runtime
