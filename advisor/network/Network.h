// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A closed network of locks: what a profile boils down to (`network.toml`).
// Threads circulate; every lock is a station, local computation a delay.
// Times in nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

enum class Distribution { unspecified, exponential, deterministic, uniform, lognormal, gamma };

/// A time: mean and coefficient of variation (both >= 0, finite).
struct Duration {
  double mean = 0;
  double cv = 1;
  Distribution dist = Distribution::unspecified;
  /// Observations behind the mean; 0 for one that was not measured (then it has no sampling error).
  std::uint64_t samples = 0;
  /// Third standardised moment, where it is known apart from `dist`.
  std::optional<double> skewness = std::nullopt;
};

/// The third standardised moment: as given, else that of its distribution, which is what
/// `simulate` draws where none is given (lognormal but for a cv of 0 or 1).
double skewnessOf(const Duration &duration);
/// No time that is never negative has less.
double leastSkewness(double cv);

/// Where a section is in the source.
struct SourceSite {
  std::string file, function, expression;
  std::uint32_t line = 0, column = 0, ordinal = 0;
  std::uint64_t sectionHash = 0;
  std::uint32_t role = 0, flags = 0; ///< SiteRole, SiteFlags (runtime/abi/site_record.h)
  std::uint64_t facts = 0;           ///< SectionFact
};

struct Lock {
  std::string name;
  std::string kind; ///< what the program uses today: a key of the table of lock algorithms
  std::uint32_t instances = 1;
  std::vector<double> shares; ///< share of the traffic of the first instances; the rest alike
  /// Where a thread gives it up to wait for a condition, if that never happened: what did is a
  /// section.
  std::vector<SourceSite> waits = {};
  bool assumed = false; ///< no known lock was seen in its operations: `kind` stands in for it
  /// Each thread takes one of its own, which it waits for nobody at, however many threads there
  /// are. `instances` and `shares` are those of today.
  bool perThread = false;
};

/// The cache lines that an execution of a section touches and that executions write, by how many
/// executions have read one since it was last written, ascending.
struct Footprint {
  struct Lines {
    double readers = 0; ///< since the last write
    double lines = 0;   ///< mean number of such, per execution
  };
  std::vector<Lines> read;    ///< and not written
  std::vector<Lines> written; ///< read or not
  /// Share of these that come one after the other, as each says where the next one is.
  double chained = 0;
};

struct Section {
  std::string name;
  std::size_t lock = 0;
  Duration hold;
  bool shared = false;
  std::optional<std::size_t> inside; ///< the section it is nested in
  double visits = 0;                 ///< per execution of the outer one; > 0 iff nested
  std::optional<SourceSite> site;
  std::optional<Footprint> footprint; ///< none: what it touches is not known
};

struct ThreadClass {
  std::string name;
  bool scales = true;
  double weight = 1;
  double threads = 0; ///< where it does not scale
};

struct Transition {
  std::size_t threadClass = 0;
  std::size_t from = 0; ///< section
  std::size_t to = 0;
  double probability = 0;
  Duration local;
  double blockedNs = 0; ///< mean blocked time per transition
  std::uint64_t samples = 0;
};

/// How the recorded run's time divides between what more threads would share and what not.
struct Run {
  double serialNs = 0;   ///< does not scale, however many threads there are
  double parallelNs = 0; ///< threads that scale were at work; > 0
  int threads = 1;       ///< so many of them, on average
  std::string serial;    ///< what the serial part is, for people

  double serialShare() const { return serialNs / (serialNs + parallelNs); }
};

struct Network {
  std::vector<Lock> locks;
  std::vector<Section> sections;
  std::vector<ThreadClass> classes;
  std::vector<Transition> transitions;
  std::optional<Run> run; ///< none: what is serial in it is not known
};

} // namespace qdadvise
