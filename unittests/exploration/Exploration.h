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

/// The name of a piece of memory in a printed schedule.
struct NamedMemory {
  const void *address = nullptr;
  std::size_t size = 0;
  const char *name = "";
};

/// One run of a program. It must do the same whenever it is run in the same order: it has no clock
/// but SimulatedMemory::now, no random numbers and no input.
///
/// Threads share only SimulatedMemory's atomics and Plain, since the order of accesses to other
/// memory is not explored. A thread may stop in the middle when a schedule is given up. Then
/// nothing on its stack is destroyed, so it should own nothing.
struct Program {
  std::vector<std::function<void()>> threads;
  /// Is called when all threads have ended.
  std::function<void()> afterwards;
  std::vector<NamedMemory> names;
};

/// Makes the program for another schedule.
using ProgramFactory = std::function<Program()>;

/// For explored programs: fails and ends the schedule unless the condition holds.
void require(bool condition, const char *message);

enum class FailureKind : std::uint8_t {
  dataRace,     ///< two accesses to Plain, one of them a write, that nothing orders
  deadlock,     ///< all remaining threads wait for each other
  livelock,     ///< more than Limits::steps steps
  requirement,  ///< require(false, ...)
  exception,    ///< an exception left a thread's function
  wrongChoices, ///< the choices of a replay are not this program's
};
std::string_view nameOf(FailureKind kind);

/// The limits of one schedule.
struct Limits {
  std::uint32_t steps = 20'000;
  /// How often a futex wait may end for no reason.
  unsigned spuriousWakeUps = 1;
  /// How often a thread may find that a second has passed since it last read the clock.
  unsigned secondsPassed = 1;
};

struct Failure {
  FailureKind kind = FailureKind::requirement;
  std::string message;
  /// The choices wherever more than one thing was possible, for `replay`.
  std::string choices;
  /// For a failure that was found at random: exploring one schedule from this seed finds it again.
  std::optional<std::uint64_t> seed;
  /// The steps of the schedule, a line each.
  std::string steps;

  /// The whole failure for people.
  std::string text() const;
};

struct ExplorationResult {
  std::uint64_t schedules = 0; ///< schedules run to their end, or to the failure
  std::uint64_t cut = 0;       ///< schedules given up, since others showed all that could follow
  std::uint64_t steps = 0;     ///< in all of them
  bool complete = false;       ///< whether every schedule within the bounds has been run
  std::optional<Failure> failure;
};

struct ExhaustiveOptions {
  /// How often threads that could go on may be interrupted in a schedule. Without a bound all
  /// schedules are explored: one of those that differ only in the order of independent steps.
  std::optional<unsigned> preemptions;
  std::uint64_t maxSchedules = UINT64_MAX;
  Limits limits;
};

/// Explores depth first, until the first failure.
ExplorationResult exploreAll(const ProgramFactory &program, const ExhaustiveOptions &options = {});

struct RandomOptions {
  std::uint64_t seed = 1; ///< the seed of the first schedule; the next schedule has the next seed
  std::uint64_t schedules = 1000;
  Limits limits;
};

/// Explores until the first failure. Schedules are random walks, which change threads more or less
/// often, or follow random priorities with a few changes at random steps (S. Burckhardt et al., "A
/// Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010).
ExplorationResult exploreRandomly(const ProgramFactory &program, const RandomOptions &options = {});

/// Runs one schedule by the choices of a failure, under the limits with which it was found. Where
/// the choices end, threads go on as long as they can.
std::optional<Failure> replay(const ProgramFactory &program, std::string_view choices,
                              const Limits &limits = {});

} // namespace qdadvise::sim
