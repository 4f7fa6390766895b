// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/calibration/Team.h"

#include <qdadvise/locks/spin_wait.h>
#include <sched.h>

namespace qdadvise {
namespace {

constexpr std::size_t mostProcessors = 1 << 14;

} // namespace

Pinned::Pinned(int processor) : before(CPU_ALLOC_SIZE(mostProcessors)) {
  auto *set = reinterpret_cast<cpu_set_t *>(before.data());
  if (sched_getaffinity(0, before.size(), set) != 0)
    before.clear();
  std::vector<unsigned char> only(CPU_ALLOC_SIZE(mostProcessors));
  auto *one = reinterpret_cast<cpu_set_t *>(only.data());
  CPU_SET_S(static_cast<std::size_t>(processor), only.size(), one);
  sched_setaffinity(0, only.size(), one);
}

Pinned::~Pinned() {
  if (!before.empty())
    sched_setaffinity(0, before.size(), reinterpret_cast<cpu_set_t *>(before.data()));
}

Team::Team(std::vector<int> processors)
    : count(static_cast<int>(processors.size())), pinned(processors.front()) {
  for (int index = 1; index < count; ++index)
    threads.emplace_back(
        [this, index, &processors] { member(index, processors[static_cast<std::size_t>(index)]); });
  // The members read `processors` before they arrive.
  for (spin_wait wait; arrived != count - 1;)
    wait();
}

Team::~Team() {
  ending = true;
  ++generation;
  for (std::thread &thread : threads)
    thread.join();
}

void Team::begin() {
  ++arrived;
  for (spin_wait wait; arrived != count;)
    wait();
}

double Team::run(const std::function<void(int)> &body) {
  task = &body;
  arrived = 0;
  working = count - 1;
  ++generation;
  begin();
  const double start = nowNs();
  body(0);
  for (spin_wait wait; working != 0;)
    wait();
  return nowNs() - start;
}

void Team::member(int index, int processor) {
  const Pinned here(processor);
  int last = 0;
  ++arrived;
  while (true) {
    for (spin_wait wait; generation == last;)
      wait();
    ++last;
    if (ending)
      return;
    begin();
    (*task)(index);
    --working;
  }
}

} // namespace qdadvise
