// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unittests/exploration/Exploration.h"

#include "unittests/exploration/ExhaustiveChoices.h"
#include "unittests/exploration/ExploringMachine.h"
#include "unittests/exploration/RandomChoices.h"

#include <array>
#include <fmt/format.h>
#include <stdexcept>

namespace qdadvise::sim {

namespace {

/// The choices of a failure, for a replay.
class GivenChoices : public Choices {
public:
  explicit GivenChoices(std::string_view given) : rest(given) {}

  unsigned thread(const Crossroads &at) override {
    const ThreadSet options = at.ready | at.asleep;
    if (std::has_single_bit(options))
      return first(options);
    if (rest.empty())
      return holds(at.ready, at.last) ? at.last : first(at.ready);
    return next();
  }
  unsigned pick(unsigned) override { return rest.empty() ? 0 : next(); }

private:
  unsigned next() {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c >= '0' && c <= '9')
      return static_cast<unsigned>(c - '0');
    // Any other character stands for no existing choice.
    return c >= 'a' && c <= 'z' ? static_cast<unsigned>(c - 'a') + 10
                                : maxExploredThreads - 1 + 100;
  }
  std::string_view rest;
};

Program make(const ProgramFactory &factory) {
  Program program = factory();
  if (program.threads.empty() || program.threads.size() > maxExploredThreads)
    throw std::invalid_argument(
        fmt::format("a program to explore has 1 to {} threads", maxExploredThreads));
  return program;
}

/// Runs the schedule of a failure again, and records its steps in words.
Failure inWords(const ProgramFactory &factory, const Failure &failure, const Limits &limits) {
  std::optional<Failure> again = replay(factory, failure.choices, limits);
  if (again && again->kind == failure.kind) {
    again->seed = failure.seed;
    return *again;
  }
  Failure result = failure;
  result.message += " (and not so when it was run again: the program does not do the same every "
                    "time)";
  return result;
}

/// Adds the outcome of a schedule. Returns whether it failed.
bool count(ExplorationResult &result, ExploringMachine::Outcome &outcome) {
  result.steps += outcome.steps;
  if (outcome.cut)
    ++result.cut;
  else
    ++result.schedules;
  result.failure = std::move(outcome.failure);
  return result.failure.has_value();
}

} // namespace

void require(bool condition, const char *message) {
  if (!condition)
    ExploringMachine::fail(FailureKind::requirement, message);
}

std::string_view nameOf(FailureKind kind) {
  static constexpr std::array<std::string_view, 6> names{
      "data race", "deadlock", "livelock", "requirement", "exception", "wrong choices"};
  return names[static_cast<std::size_t>(kind)];
}

std::string Failure::text() const {
  std::string all = fmt::format("{}: {}\n", nameOf(kind), message);
  if (seed)
    all += fmt::format("seed: {}\n", *seed);
  all += fmt::format("choices: {}\n{}", choices, steps);
  return all;
}

ExplorationResult exploreAll(const ProgramFactory &program, const ExhaustiveOptions &options) {
  ExploringMachine machine;
  ExhaustiveChoices choices(options.preemptions);
  ExplorationResult result;
  do {
    if (result.schedules == options.maxSchedules)
      return result;
    ExploringMachine::Outcome outcome = machine.run(make(program), choices, options.limits);
    if (count(result, outcome)) {
      result.failure = inWords(program, *result.failure, options.limits);
      return result;
    }
  } while (choices.advance());
  result.complete = true;
  return result;
}

ExplorationResult exploreRandomly(const ProgramFactory &program, const RandomOptions &options) {
  ExploringMachine machine;
  // A schedule without interruptions, which is the same for every seed, tells the usual length.
  GivenChoices straight("");
  const std::uint32_t length = machine.run(make(program), straight, options.limits).steps;
  ExplorationResult result;
  for (std::uint64_t i = 0; i < options.schedules; ++i) {
    RandomChoices choices(options.seed + i, length);
    ExploringMachine::Outcome outcome = machine.run(make(program), choices, options.limits);
    if (count(result, outcome)) {
      result.failure->seed = options.seed + i;
      result.failure = inWords(program, *result.failure, options.limits);
      break;
    }
  }
  return result;
}

std::optional<Failure> replay(const ProgramFactory &program, std::string_view choices,
                              const Limits &limits) {
  ExploringMachine machine;
  GivenChoices given(choices);
  return machine.run(make(program), given, limits, true).failure;
}

} // namespace qdadvise::sim
