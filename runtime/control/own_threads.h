// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of the runtime's own. None of the program's signals is handled there.
#pragma once

namespace qdadvise::runtime {

/// Takes the signals that are blocked here for those that the program blocks when it is in no
/// handler. Comes before the functions below.
void noteUsualSignals();
/// Starts a thread that nobody waits for. False if none can be started.
bool startOwnThread(int (*run)(void *));
/// Restores the usual signals, in such a thread.
void unblockSignals();
/// Whether a thread may be started from here, a hook: a signal handler may have come in anywhere,
/// also into the C library's allocator, and it runs with its signal blocked. Never where that may
/// be forbidden.
bool mayStartThread(bool nothingOpen);

/// glibc leaves out atomics in a process that never had a second thread. Lets one begin and end,
/// if one can be started (Process::wasThreaded).
void letOneThreadRun();
/// The same, but not before something has been recorded, from a hook: until then the program's
/// locks are left as they are.
void letOneThreadRunLater();
/// What is called from a hook whenever a thread's buffer was emptied, once that thread has run.
void callFromHooks(void (*action)(bool nothingOpen));

} // namespace qdadvise::runtime
