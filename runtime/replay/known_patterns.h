// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The short cut through rows of events that a thread has learnt (tables/event_patterns.h).
#pragma once

#include "runtime/replay/operations.h"

#include <cstddef>
#include <cstdint>

namespace qdadvise::runtime {

/// Flags that tell one event from another, but do not make another pattern of it.
inline constexpr std::uint32_t patternIgnores = eventXray;

/// The event with that address, plus one; 0: there is none.
inline std::uint8_t eventWith(std::uint64_t address, const Event *events, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (events[i].address == address)
      return static_cast<std::uint8_t>(i + 1);
  return 0;
}

/// An event's whatAndStack, the stack from that of the first event.
constexpr std::uint64_t relativeTo(const Event &first, const Event &event) {
  return whatAndStack(event) - (std::uint64_t{first.stack} << 32);
}
/// The bits of that which tell. What the runtime's own instant has there is something else.
constexpr std::uint64_t stepMask(bool tellsReaders) {
  constexpr std::uint64_t what = ~std::uint32_t{patternIgnores} & 0xffff'ffffu;
  return what | (tellsReaders ? 0 : std::uint64_t{0xffff'ffff} << 32);
}

/// Whether these events are that pattern, as far as counting it at once goes: it must end before
/// the stamp `bound`.
bool matches(const EventPattern &pattern, const Event *events, std::size_t count,
             std::uint64_t bound);

/// Counts a pattern that begins here. Returns how many events it is; 0: none that is known.
std::size_t countKnownPattern(Operations &operations, const Event *events, std::size_t count,
                              std::uint64_t bound);

} // namespace qdadvise::runtime
