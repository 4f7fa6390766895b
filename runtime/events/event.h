// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One event as a hook stores it: 24 bytes, all that the hot path knows.
#pragma once

#include "runtime/abi/site_record.h"

namespace qdadvise::runtime {

struct Event {
  std::uint64_t stamp; ///< time-stamp counter; nothing in a wrapper's (SiteRole), which costs less
  std::uint64_t address;
  std::uint32_t what;  ///< site, instant and flags: packEvent
  std::uint32_t stack; ///< low half of the stack pointer
};
static_assert(sizeof(Event) == 24);

enum EventFlags : std::uint32_t {
  eventTaken = 1u << 4,    ///< an attempt that found the lock's word taken by somebody else
  eventMine = 1u << 5,     ///< an attempt that found it taken by this very thread
  eventXray = 1u << 6,     ///< came through XRay
  eventByWriter = 1u << 7, ///< an attempt that found it taken by a writer
  eventLast = eventTaken,  ///< of readersInstant: no reader is left
};
inline constexpr unsigned eventSiteShift = 8;
inline constexpr std::uint32_t eventInstantMask = 15;
inline constexpr std::uint32_t maxSites = 1u << 20;

/// The runtime's own instant. Follows a reader's release where the reader was the last of
/// a busy period or had company: `stamp` is the period's beginning, `stack` how many
/// readers there were when this one came in.
inline constexpr Instant readersInstant = static_cast<Instant>(instantCount);
/// Another one of the runtime's own: the recorder itself took as long as `address` says, in ticks,
/// before the next event.
inline constexpr Instant pauseInstant = static_cast<Instant>(instantCount + 1);
static_assert(instantCount + 1 <= eventInstantMask);

/// A flag in SiteRecord::index, beside the site's number: the site's hooks do something else than
/// store an event, or something before. Events have no room for it.
inline constexpr std::uint32_t siteDetour = 1u << 31;
static_assert(std::uint32_t{siteDetour << eventSiteShift} == 0);

constexpr std::uint32_t packEvent(std::uint32_t site, Instant instant, std::uint32_t flags = 0) {
  return (site << eventSiteShift) + flags + static_cast<std::uint32_t>(instant);
}
constexpr std::uint32_t siteOf(const Event &event) { return event.what >> eventSiteShift; }
/// Both in one word, as one load has them.
constexpr std::uint64_t whatAndStack(const Event &event) {
  return std::uint64_t{event.stack} << 32 | event.what;
}
constexpr Instant instantOf(const Event &event) {
  return static_cast<Instant>(event.what & eventInstantMask);
}

/// Whether a time ends with the events of such a site, and another begins.
constexpr bool isStamped(SiteRole role) { return role != SiteRole::wrapper; }

/// Whether it begins to take a lock: calls of wrappers and waits do not.
constexpr bool takesLock(Instant instant, SiteRole role) {
  return instant == Instant::attempt && role == SiteRole::acquire;
}

/// How much an event adds to what is open, calls of wrappers aside: more by one that
/// begins an operation, less by one that ends it without a lock, or ends the lock's section.
constexpr std::uint32_t opens(Instant instant) {
  const auto value = static_cast<std::uint32_t>(instant);
  static_assert(static_cast<std::uint32_t>(Instant::attempt) == 0 &&
                static_cast<std::uint32_t>(Instant::release) / 2 == 1 &&
                static_cast<std::uint32_t>(Instant::fail) / 2 == 1);
  return (value == 0 ? 1u : 0u) - (value / 2 == 1 ? 1u : 0u);
}

/// What the replay of events needs to know of a site.
struct SiteTraits {
  SiteRole role;
  LockKind kind;
  std::uint32_t flags;     ///< SiteFlags
  std::uint32_t lockClass; ///< all sites on locks declared at one place share it; none: a
                           ///< wrapper's that does not say
};

} // namespace qdadvise::runtime
