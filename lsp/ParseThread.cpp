// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/ParseThread.h"

#include "lsp/UnitParse.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace qdadvise {
namespace {

UnitFindings findingsOf(const ParseJob &job) {
  UnitFindings unit;
  for (const clang::tooling::CompileCommand &command : job.units) {
    unit = parseUnit(command, job.options, job.buffers);
    if (unit.files.contains(job.file))
      break;
  }
  return unit;
}

} // namespace

ParseThread::ParseThread() : event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

ParseThread::~ParseThread() {
  if (worker.joinable())
    worker.join();
  ::close(event);
}

void ParseThread::start(ParseJob job) {
  worker = std::thread([this, job = std::move(job)] {
    result = findingsOf(job);
    ::eventfd_write(event, 1);
  });
}

std::optional<UnitFindings> ParseThread::take() {
  eventfd_t count = 0;
  if (::eventfd_read(event, &count) != 0)
    return std::nullopt;
  worker.join();
  return std::exchange(result, {});
}

void ParseThread::wait() const {
  pollfd events{event, POLLIN, 0};
  while (isBusy() && ::poll(&events, 1, -1) < 1) {
  }
}

} // namespace qdadvise
