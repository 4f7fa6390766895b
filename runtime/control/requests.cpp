// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See requests.h.
#include "runtime/control/requests.h"

#include "runtime/base/text.h"
#include "runtime/control/endings.h"
#include "runtime/control/switches.h"
#include "runtime/hooks/recorder.h"
#include "runtime/output/write_profile.h"
#include "runtime/process/process.h"

#include <cerrno>
#include <csignal>
#include <cstdint>

namespace qdadvise::runtime {

namespace {

enum class Request : std::uint32_t {
  startOrWrite = 0, ///< without a value: start, or write where that was done
  start = 1,
  stop = 2,
  reset = 3,
  write = 4,
};
constexpr std::uint32_t requestCount = 5;

std::uint32_t pendingRequests = 0; ///< a bit each

/// Async-signal-safe: in the midst of the recorder's own work it is done right after it, and
/// several requests then in the order of their numbers.
void onRequest(Request request) {
  if (hotThread.busy == inRecorder) {
    __atomic_fetch_or(&pendingRequests, 1u << static_cast<std::uint32_t>(request),
                      __ATOMIC_RELAXED);
    return;
  }
  switch (request) {
  case Request::startOrWrite:
    if (isRecordingWanted())
      writeProfile();
    else
      startRecording();
    return;
  case Request::start:
    return startRecording();
  case Request::stop:
    return stopRecording();
  case Request::reset:
    return resetRecording();
  case Request::write:
    writeProfile();
    return;
  }
}

/// Does what signals asked for at a bad moment.
void catchUpWithSignals() {
  catchUpWithEnding();
  if (__builtin_expect(__atomic_load_n(&pendingRequests, __ATOMIC_RELAXED) == 0, 1))
    return;
  const std::uint32_t requests = __atomic_exchange_n(&pendingRequests, 0, __ATOMIC_RELAXED);
  for (std::uint32_t i = 0; i < requestCount; ++i)
    if ((requests >> i & 1) != 0)
      onRequest(static_cast<Request>(i));
}

void onSignal(int, siginfo_t *info, void *) {
  const int saved = errno;
  const int value = info->si_code == SI_QUEUE ? info->si_value.sival_int : 0;
  if (value >= 0 && value < static_cast<int>(requestCount))
    onRequest(static_cast<Request>(value));
  errno = saved;
}

} // namespace

void forgetRequests() { __atomic_store_n(&pendingRequests, 0, __ATOMIC_RELAXED); }

void prepareRequests() {
  afterRecorder = catchUpWithSignals;
  const int signal = process().options.signal;
  if (signal == 0)
    return;
  struct sigaction before{};
  if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) {
    warn("QDADVISE_OPTIONS: the program handles this signal itself; 'signal' is ignored");
    return;
  }
  struct sigaction ours{};
  ours.sa_sigaction = onSignal;
  ours.sa_flags = SA_RESTART | SA_SIGINFO;
  if (sigaction(signal, &ours, nullptr) != 0)
    warn("QDADVISE_OPTIONS: no handler can be set for this signal; 'signal' is ignored");
}

} // namespace qdadvise::runtime
