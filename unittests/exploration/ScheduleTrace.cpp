// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unittests/exploration/ScheduleTrace.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace qdadvise::sim {

namespace {

const char *nameOf(ActionKind kind) {
  static constexpr std::array<const char *, 9> names{
      "load",          "store",    "update",           "compare-exchange",
      "look again at", "sleep at", "wake up those at", "wake up for no reason at",
      "pause"};
  return names[static_cast<std::size_t>(kind)];
}

const char *nameOf(std::memory_order order) {
  switch (order) {
  case std::memory_order_relaxed:
    return "relaxed";
  case std::memory_order_consume:
    return "consume";
  case std::memory_order_acquire:
    return "acquire";
  case std::memory_order_release:
    return "release";
  case std::memory_order_acq_rel:
    return "acq_rel";
  case std::memory_order_seq_cst:
    break;
  }
  return "seq_cst";
}

bool isAccess(ActionKind kind) { return kind <= ActionKind::compareExchange; }

/// The number at an address; 0 where the size is not that of a number.
std::uint64_t numberAt(const void *address, std::uint32_t size) {
  std::uint64_t value = 0;
  if (size <= sizeof(value))
    std::memcpy(&value, address, size); // little-endian
  return value;
}

bool within(const void *address, const void *begin, std::size_t size) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  return at >= from && at - from < size;
}

} // namespace

void ScheduleTrace::begin(const std::vector<NamedMemory> *named,
                          std::vector<StackRange> threadStacks, bool on) {
  names = named;
  stacks = std::move(threadStacks);
  lines.clear();
  recording = on;
  unsettled = false;
}

void ScheduleTrace::step(std::uint32_t number, unsigned thread, const Action &next) {
  if (!recording)
    return;
  settle();
  if (next.kind == ActionKind::pause) {
    lines.push_back({number, thread, nameOf(next.kind)});
    return;
  }
  std::string what = fmt::format("{} {}", nameOf(next.kind), describe(next.address));
  if (isAccess(next.kind)) {
    what += fmt::format(", {}", nameOf(next.order));
    action = next;
    before = numberAt(next.address, next.size);
    unsettled = true;
  }
  lines.push_back({number, thread, std::move(what)});
}

void ScheduleTrace::settle() {
  if (!unsettled)
    return;
  unsettled = false;
  const std::uint64_t after = numberAt(action.address, action.size);
  std::string &what = lines.back().what;
  if (action.kind == ActionKind::load)
    what += fmt::format(": {}", valueOf(before, action.size));
  else
    what += fmt::format(": {} -> {}", valueOf(before, action.size), valueOf(after, action.size));
}

void ScheduleTrace::failed() {
  unsettled = false;
  lines.back().what += fmt::format(": {}, fails", valueOf(before, action.size));
}

void ScheduleTrace::note(std::uint32_t number, unsigned thread, const std::string &text) {
  if (!recording)
    return;
  settle();
  lines.push_back({number, thread, text});
}

std::string ScheduleTrace::describe(const void *address) const {
  for (const NamedMemory &name : *names)
    if (within(address, name.address, name.size)) {
      const auto offset =
          static_cast<const char *>(address) - static_cast<const char *>(name.address);
      return offset == 0 ? name.name : fmt::format("{}+{}", name.name, offset);
    }
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    const auto *const end = static_cast<const char *>(stacks[i].end);
    if (within(address, stacks[i].begin,
               static_cast<std::size_t>(end - static_cast<const char *>(stacks[i].begin))))
      return fmt::format("stack {} at {}", i, end - static_cast<const char *>(address));
  }
  return "unnamed memory";
}

std::string ScheduleTrace::valueOf(std::uint64_t value, std::uint32_t size) const {
  if (value < 1'000'000)
    return fmt::format("{}", value);
  if (size == sizeof(void *))
    if (std::string place = describe(reinterpret_cast<const void *>(value)); place[0] != 'u')
      return fmt::format("&({})", place);
  return fmt::format("{:#x}", value);
}

std::string ScheduleTrace::text() const {
  std::string all;
  for (const Line &line : lines)
    all += fmt::format("{:5}  thread {}  {}\n", line.number, line.thread, line.what);
  return all;
}

} // namespace qdadvise::sim
