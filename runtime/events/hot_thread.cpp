// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hot_thread.h.
#include "runtime/events/hot_thread.h"

namespace qdadvise::runtime {

constinit thread_local HotThread hotThread{};
constinit void (*afterRecorder)() = nullptr;

InsideRecorder::~InsideRecorder() {
  pthread_setcancelstate(cancelState, nullptr);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  hotThread.busy = before;
  if (before != inRecorder && afterRecorder)
    afterRecorder();
}

} // namespace qdadvise::runtime
