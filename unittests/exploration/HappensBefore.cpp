// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unittests/exploration/HappensBefore.h"

namespace qdadvise::sim {

namespace {

bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}

bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

} // namespace

void HappensBefore::begin() {
  clocks.fill({});
  for (unsigned thread = 0; thread < maxExploredThreads; ++thread)
    clocks[thread][thread] = 1;
  published.clear();
  plain.clear();
}

void HappensBefore::load(unsigned thread, const void *address, std::memory_order order) {
  if (!acquires(order))
    return;
  if (const VectorClock *message = published.find(address))
    clocks[thread].join(*message);
}

void HappensBefore::store(unsigned thread, const void *address, std::memory_order order) {
  if (releases(order)) {
    published[address] = clocks[thread];
    ++clocks[thread][thread];
  } else {
    create(address); // ends the release sequence
  }
}

void HappensBefore::update(unsigned thread, const void *address, std::memory_order order) {
  load(thread, address, order);
  // A read-modify-write continues the release sequence, and may head one of its own.
  if (releases(order)) {
    published[address].join(clocks[thread]);
    ++clocks[thread][thread];
  }
}

void HappensBefore::create(const void *address) {
  if (VectorClock *message = published.find(address))
    *message = {};
}

std::optional<HappensBefore::Race> HappensBefore::unorderedWrite(const PlainHistory &history,
                                                                 unsigned thread) const {
  if (history.written.epoch > clocks[thread][history.writer])
    return Race{history.writer, history.written.step, true};
  return std::nullopt;
}

std::optional<HappensBefore::Race> HappensBefore::read(unsigned thread, const void *address,
                                                       std::uint32_t step) {
  PlainHistory &history = plain[address];
  history.read[thread] = {clocks[thread][thread], step};
  return unorderedWrite(history, thread);
}

std::optional<HappensBefore::Race> HappensBefore::write(unsigned thread, const void *address,
                                                        std::uint32_t step) {
  PlainHistory &history = plain[address];
  if (const auto race = unorderedWrite(history, thread))
    return race;
  for (unsigned other = 0; other < maxExploredThreads; ++other)
    if (history.read[other].epoch > clocks[thread][other])
      return Race{other, history.read[other].step, false};
  history.writer = thread;
  history.written = {clocks[thread][thread], step};
  return std::nullopt;
}

} // namespace qdadvise::sim
