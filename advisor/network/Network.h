// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A closed network of locks (`network.toml`), which is constructed from a profile. Threads
// circulate; every lock is a station, and local computation is a delay. Times in nanoseconds.
#pragma once

#include "advisor/network/GivenKind.h"

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
  /// The number of observations behind the mean. 0: it was not measured, and has no sampling error.
  std::uint64_t samples = 0;
  /// The third standardised moment, where it is known apart from `dist`.
  std::optional<double> skewness = std::nullopt;
  /// The statistical inefficiency of the observations: so many count as one, since successive ones
  /// are alike. At least 1.
  double inefficiency = 1;

  /// The number of independent observations that would give the mean as precisely.
  double independentSamples() const;
};

/// The third standardised moment as given, else that of the distribution. Where no distribution is
/// given either, it is the one that `simulate` draws from: lognormal, except for a cv of 0 or 1.
double skewnessOf(const Duration &duration);
/// The least third standardised moment of a time that is never negative.
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
  GivenKind kind; ///< what the program uses today
  std::uint32_t instances = 1;
  std::vector<double> shares; ///< of the first instances in the traffic; the rest are alike
  /// The places where the source gives the lock up to wait for a condition and no thread ever did.
  /// Where threads did, the place is a section.
  std::vector<SourceSite> waits = {};
  /// The places where the source takes the lock and no thread came to: nothing is known of them.
  std::vector<SourceSite> neverRan = {};
  bool assumed = false; ///< no known lock was seen in its operations: `kind` stands in for it
  /// Each thread has an instance of its own, and waits for no other thread there, however many
  /// threads there are. `instances` and `shares` are those of today.
  bool perThread = false;
  /// No run with several threads has told that `perThread` is so: all threads may share instances.
  bool guessed = false;
  /// Share of a thread's acquisitions that are of instances which other threads hardly take: their
  /// lines are where it left them. By the routing alone anybody may have taken any of them last.
  double own = 0;
};

/// The cache lines that an execution of a section touches, of those that any executions write. The
/// rows ascend by the number of executions that have read such a line since it was last written.
struct Footprint {
  struct Lines {
    double readers = 0; ///< since the last write
    double lines = 0;   ///< mean number of such lines, per execution
  };
  std::vector<Lines> read;    ///< not written
  std::vector<Lines> written; ///< read or not
  /// The share of the lines that are touched one after the other, because each says where the next
  /// one is.
  double chained = 0;
};

/// A section in a phase of the run. Its figures are relative to those of the whole run.
struct SectionInPhase {
  double hold = 1;   ///< the holding time's mean
  double visits = 1; ///< of a nested section
};

struct Section {
  std::string name;
  std::size_t lock = 0;
  Duration hold;
  bool shared = false;
  std::optional<std::size_t> inside; ///< the section it is nested in
  double visits = 0;                 ///< per execution of the outer one; > 0 iff nested
  std::optional<SourceSite> site;
  std::optional<Footprint> footprint; ///< absent where it is not known
  bool untimed = false; ///< it ran and was never timed: `hold` is that of other sections
  /// Its thread may have waited for a processor meanwhile, so that `hold` may be far too long.
  bool delayed = false;
  std::vector<SectionInPhase> phases = {}; ///< by phase of the network; empty: the same in all
};

struct ThreadClass {
  std::string name;
  bool scales = true;
  double weight = 1;
  double threads = 0; ///< their number, where the class does not scale
};

struct TransitionInPhase {
  double probability = 0;
  double local = 1; ///< mean local computation, over that of the whole run
};

struct Transition {
  std::size_t threadClass = 0;
  std::size_t from = 0; ///< section
  std::size_t to = 0;
  double probability = 0;
  Duration local;
  double blockedNs = 0; ///< mean blocked time per transition
  std::uint64_t samples = 0;
  std::vector<TransitionInPhase> phases = {}; ///< by phase of the network; empty: the same in all
};

/// How much more processor time the program took beside copies of itself, on one machine.
struct RunCopies {
  struct Row {
    int copies = 2;       ///< at once
    double slowdown = 1;  ///< processor time of one, over that alone; > 0
    double deviation = 0; ///< standard deviation of its logarithm from round to round
  };
  std::string cpu; ///< the processor's model
  int processors = 2;
  std::vector<Row> rows; ///< ascending in `copies`
};

/// How the time of the recorded run divides into a part that more threads would share, and the
/// rest.
struct Run {
  double serialNs = 0;   ///< the part that does not scale
  double parallelNs = 0; ///< the part in which threads that scale were at work; > 0
  int threads = 1;       ///< the mean number of threads in the parallel part
  std::string serial;    ///< what the serial part is, for people
  /// The longest stretch between two sections of a thread that scales, over the parallel part: what
  /// threads cannot share.
  double longestStretch = 0;
  /// The longest that begins or ends at a barrier instead: what threads have in common between two
  /// barriers they divide, or one of them does it while the others wait.
  double barrierStretch = 0;
  /// Nobody knows whether threads share this, over the parallel part: what each does only once.
  /// Where main scales and repeats nothing, what it does before its first section and after its
  /// last is part of it.
  double ends = 0;
  /// Nobody knows whether threads share this, over the serial part: where main scales, what it does
  /// before and after what it repeats.
  double openSerial = 0;
  /// Several classes scale that had one thread at a time. This is what all but the busiest of them
  /// compute, over the parallel part: there may be no more threads of these.
  double guessedStages = 0;
  /// How often each of these threads came to a barrier.
  double barriers = 0;
  /// Some threads do not scale and work on what the others do. This is what the busiest of them
  /// does, over the parallel part; 0 if there is none.
  double fixedWork = 0;
  double work = 0; ///< what it and all that scale do, over the parallel part; >= fixedWork
  /// The mean number of threads that computed in it, or could have. Reading a file is work, and
  /// hardly computes.
  double computing = 1;
  double processors = 1; ///< the mean number that computed: of processors that they had
  std::optional<RunCopies> copies = std::nullopt; ///< absent where none ran

  /// `computing`, where nothing tells.
  double computingUnlessTold() const { return std::max(1.0, work); }
  double serialShare() const { return serialNs / (serialNs + parallelNs); }
};

struct Network {
  std::vector<Lock> locks;
  std::vector<Section> sections;
  std::vector<ThreadClass> classes;
  std::vector<Transition> transitions;
  std::optional<Run> run; ///< absent where the serial part is not known
  /// The phases that a run goes through, all threads together: the share of each in the sections
  /// that threads run. Empty where the run was the same throughout (Phases.h).
  std::vector<double> phases = {};
};

} // namespace qdadvise
