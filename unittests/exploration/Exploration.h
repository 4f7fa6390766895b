// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exploration: runs a concurrent program in many interleavings of its accesses to shared memory,
// and reports one that goes wrong. No time passes; only the order of threads matters.
// docs/developing/exploration.md says what is checked and what is not modelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qdadvise::sim {

/// Threads are numbered from 0; an explored program has at most this many.
inline constexpr unsigned maxExploredThreads = 8;

/// What a piece of memory is called where a schedule is printed.
struct NamedMemory {
  const void *address = nullptr;
  std::size_t size = 0;
  const char *name = "";
};

/// One run of a program. It must do the same again whenever it is run in the same order: no
/// clock but SimulatedMemory::now, no random numbers, no input.
///
/// What threads share is either SimulatedMemory's atomics or Plain: the order in which other
/// memory is touched is not explored. A thread may be left in the middle when a schedule is
/// given up: then nothing on its stack is destroyed, so it should own nothing.
struct Program {
  std::vector<std::function<void()>> threads;
  /// Runs when all threads have ended.
  std::function<void()> afterwards;
  std::vector<NamedMemory> names;
};

/// Makes the program anew, for another schedule.
using ProgramFactory = std::function<Program()>;

/// For programs that are explored: unless it holds, the schedule has failed, and ends.
void require(bool condition, const char *message);

enum class FailureKind : std::uint8_t {
  dataRace,     ///< two accesses to Plain, one of them writing, that nothing orders
  deadlock,     ///< all threads that are left wait for each other
  livelock,     ///< more than Limits::steps steps
  requirement,  ///< require(false, ...)
  exception,    ///< left a thread's function
  wrongChoices, ///< of a replay: they are not this program's
};
std::string_view nameOf(FailureKind kind);

/// Of one schedule.
struct Limits {
  std::uint32_t steps = 20'000;
  /// How often a futex wait may end for no reason.
  unsigned spuriousWakeUps = 1;
  /// How often a thread may find that a second has passed since it last looked at the clock.
  unsigned secondsPassed = 1;
};

struct Failure {
  FailureKind kind = FailureKind::requirement;
  std::string message;
  /// Who was next, wherever more than one thing was possible: for `replay`.
  std::string choices;
  /// Where it was found at random: exploring one schedule from this seed finds it again.
  std::optional<std::uint64_t> seed;
  /// Every step of the schedule, a line each.
  std::string steps;

  /// All of it, to be read.
  std::string text() const;
};

struct ExplorationResult {
  std::uint64_t schedules = 0; ///< run to their end, or to the failure
  std::uint64_t cut = 0;       ///< given up: only what other schedules showed could follow
  std::uint64_t steps = 0;     ///< in all of them
  bool complete = false;       ///< every schedule within the bounds has been run
  std::optional<Failure> failure;
};

struct ExhaustiveOptions {
  /// How often a thread that could go on may be interrupted in a schedule. Without a
  /// bound all schedules are explored, of those that differ only in the order of
  /// independent steps one.
  std::optional<unsigned> preemptions;
  std::uint64_t maxSchedules = UINT64_MAX;
  Limits limits;
};

/// Depth first, until the first failure.
ExplorationResult exploreAll(const ProgramFactory &program, const ExhaustiveOptions &options = {});

struct RandomOptions {
  std::uint64_t seed = 1; ///< of the first schedule; the next has the next
  std::uint64_t schedules = 1000;
  Limits limits;
};

/// Until the first failure. By turns random walks, which change threads more or less often,
/// and schedules by random priorities with a few changes at random steps (S. Burckhardt et
/// al., "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010).
ExplorationResult exploreRandomly(const ProgramFactory &program, const RandomOptions &options = {});

/// Runs one schedule, by a failure's choices and under the limits it was found with. Where the
/// choices end, threads go on as long as they can.
std::optional<Failure> replay(const ProgramFactory &program, std::string_view choices,
                              const Limits &limits = {});

} // namespace qdadvise::sim
