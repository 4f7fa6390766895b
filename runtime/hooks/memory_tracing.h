// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory trace: what threads do to memory while they hold a lock. Code compiled for it tells
// of its accesses where __qdadvise_trace is set for the thread; it is, from an acquisition to the
// next event of a hook, where the section at hand is to be traced.
//
// Every hook's event is replayed at once then, so that the section is known, and there are no
// times.
//
// A run is faster where only some slices of time are traced; in the others events gather in
// the thread's buffer as in any run that counts.
#pragma once

#include "runtime/events/hot_thread.h"

namespace qdadvise::runtime {

/// An object with traced code (siteTraced) has been registered. The run becomes a memory trace
/// unless events have been recorded already, or nobody wants it.
void beginTracing();

/// To be called after an event of the calling thread, which has a slot, while memory is traced.
void traceAfterEvent(HotThread &thread);
/// The thread's buffer was full, in a slice that is not traced: its next event tells whether this
/// one is.
void lookAgain(HotThread &thread);

/// All that was known of lines and executions, as the tables were emptied.
void forgetMemory();
void lockMemory();
void unlockMemory();

} // namespace qdadvise::runtime
