// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench-throughput: one lock. Sections and the computation between them are loops of drawn lengths
// that touch no memory. README.md says what it is for. Times in nanoseconds.
#include "bench/meta/Measure.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <numeric>
#include <qdadvise/locks/clh_lock.h>
#include <qdadvise/locks/mcs_lock.h>
#include <qdadvise/locks/mrqd_lock.h>
#include <qdadvise/locks/ticket_lock.h>
#include <string>

namespace {

using namespace qdadvise;
using meta::compute;
using meta::nowNs;

struct Configuration {
  double sectionNs = 1000, localNs = 3000;
  double readers = 0; ///< the share of sections that read only
  int threads = 1;
  std::uint64_t seed = 1;
  double seconds = 0.1, warmUpSeconds = 0.02;
};

/// Lengths of mean 1. They are the quantiles of a distribution, so that the mean is exact.
using Lengths = std::vector<double>;
constexpr std::size_t rounds = 4096; // of 8 bytes: they stay in the first-level cache

double quantileOfTheNormal(double p) { // by bisection: this is done beforehand
  double low = -9, high = 9;
  while (high - low > 1e-12) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2)) / 2 < p ? low : high) = middle;
  }
  return low;
}

struct Times {
  const char *name;
  double (*quantile)(double p);
};
constexpr Times allTimes[] = {
    {"exponential", [](double p) { return -std::log(1 - p); }},
    {"deterministic", [](double) { return 1.0; }},
    // A lognormal distribution with a coefficient of variation of 2.
    {"heavy-tailed",
     [](double p) { return std::exp(std::sqrt(std::log(5.0)) * quantileOfTheNormal(p)); }},
};

Lengths lengthsOf(const Times &times) {
  Lengths lengths(rounds);
  for (std::size_t i = 0; i < rounds; ++i)
    lengths[i] = times.quantile((static_cast<double>(i) + 0.5) / rounds);
  const double mean = std::accumulate(lengths.begin(), lengths.end(), 0.0) / rounds;
  for (double &length : lengths)
    length /= mean;
  return lengths;
}

double cvOf(const Lengths &lengths) {
  double variance = 0;
  for (const double length : lengths)
    variance += (length - 1) * (length - 1) / rounds;
  return std::sqrt(variance);
}

/// Numbers of turns of `compute`.
struct Round {
  std::uint32_t section : 31, reads : 1;
  std::uint32_t local;
};

std::vector<Round> roundsOf(const Lengths &lengths, double sectionTurns, double localTurns,
                            double readers, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Lengths shuffled = lengths;
  std::vector<Round> result(rounds);
  const auto draw = [&](double mean, auto set) {
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    for (std::size_t i = 0; i < rounds; ++i)
      set(result[i], static_cast<std::uint32_t>(std::lround(std::max(0.0, mean) * shuffled[i])));
  };
  draw(sectionTurns,
       [](Round &round, std::uint32_t turns) { round.section = turns & ~(1u << 31); });
  draw(localTurns, [](Round &round, std::uint32_t turns) { round.local = turns; });
  for (Round &round : result)
    round.reads = std::bernoulli_distribution(readers)(random);
  return result;
}

/// The way in which a lock runs a section.
struct Nothing {
  template <typename Section> auto run(bool, Section &&section) { return section(); }
};

struct PthreadMutex {
  static constexpr const char *name = "pthread_mutex";
  template <typename Section> auto run(bool, Section &&section) {
    pthread_mutex_lock(&mutex);
    const auto result = section();
    pthread_mutex_unlock(&mutex);
    return result;
  }
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

struct PthreadRwlock {
  static constexpr const char *name = "pthread_rwlock";
  template <typename Section> auto run(bool reads, Section &&section) {
    if (reads)
      pthread_rwlock_rdlock(&lock);
    else
      pthread_rwlock_wrlock(&lock);
    const auto result = section();
    pthread_rwlock_unlock(&lock);
    return result;
  }
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
};

template <typename Lock> struct Held {
  template <typename Section> auto run(bool, Section &&section) {
    lock.lock();
    const auto result = section();
    lock.unlock();
    return result;
  }
  Lock lock;
};
struct Spinlock : Held<spinlock> {
  static constexpr const char *name = "spinlock";
};
struct Ticket : Held<ticket_lock> {
  static constexpr const char *name = "ticket";
};
struct Mcs : Held<mcs_lock> {
  static constexpr const char *name = "mcs";
};
struct Clh : Held<clh_lock> {
  static constexpr const char *name = "clh";
};

struct Qd {
  static constexpr const char *name = "qd";
  template <typename Section> auto run(bool, Section &&section) { return lock.delegate(section); }
  qd_lock lock;
};

struct Mrqd {
  static constexpr const char *name = "mrqd";
  template <typename Section> auto run(bool reads, Section &&section) {
    if (!reads)
      return lock.delegate(section);
    lock.lock_shared();
    const auto result = section();
    lock.unlock_shared();
    return result;
  }
  mrqd_lock lock;
};

/// Runs a thread until `enough`. A section needs the result of the computation before it and the
/// other way round, so that a processor cannot overlap the two.
template <typename Lock, typename Enough>
void work(Lock &lock, const std::vector<Round> &list, std::atomic<std::uint64_t> &completed,
          Enough &&enough) {
  std::uint64_t value = 1;
  for (std::uint64_t count = 0; !enough(count); ++count) {
    const Round round = list[count % rounds];
    value = compute(value, round.local);
    value = lock.run(round.reads, [&] { return compute(value, round.section); });
    completed.store(count + 1, std::memory_order_relaxed);
  }
}

/// The mean time of a round on this thread, without a lock. It contains interruptions, as the times
/// of a profile and the measurements below do, but not the turns of other programs.
double roundNs(double sectionTurns, double localTurns) {
  constexpr std::uint64_t tried = 50'000;
  const auto list = roundsOf(Lengths(rounds, 1), sectionTurns, localTurns, 0, 1);
  Nothing lock;
  std::atomic<std::uint64_t> completed{0};
  const double waited = meta::waitedForCoreNs();
  const std::uint64_t begin = nowNs();
  work(lock, list, completed, [](std::uint64_t count) { return count == tried; });
  return (static_cast<double>(nowNs() - begin) - (meta::waitedForCoreNs() - waited)) / tried;
}

struct Measured {
  double perSecond = 0, waitedForCore = 0;
};

template <typename Lock>
Measured measure(const Configuration &configuration, const std::vector<std::vector<Round>> &lists) {
  const auto count = lists.size();
  struct alignas(128) Own {
    std::atomic<std::uint64_t> completed{0};
    double waitedShare = 0;
  };
  struct alignas(128) Shared {
    Lock lock;
  } shared;
  alignas(128) std::atomic<bool> stop{false};
  std::vector<Own> own(count);
  std::atomic<std::size_t> ready{0};
  const std::vector<int> available = meta::processors();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      if (count <= available.size())
        meta::pinTo(available[i]);
      ready.fetch_add(1);
      while (ready.load() < count)
        sched_yield();
      const double waited = meta::waitedForCoreNs();
      const std::uint64_t begin = nowNs();
      work(shared.lock, lists[i], own[i].completed,
           [&](std::uint64_t) { return stop.load(std::memory_order_relaxed); });
      own[i].waitedShare = (meta::waitedForCoreNs() - waited) /
                           static_cast<double>(std::max<std::uint64_t>(1, nowNs() - begin));
    });
  const auto sum = [&] {
    std::uint64_t all = 0;
    for (const Own &one : own)
      all += one.completed.load();
    return all;
  };
  const auto sleep = [](double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  };
  while (ready.load() < count)
    sched_yield();
  sleep(configuration.warmUpSeconds);
  const std::uint64_t before = sum(), begin = nowNs();
  sleep(configuration.seconds);
  const std::uint64_t after = sum(), end = nowNs();
  stop.store(true);
  for (std::thread &thread : threads)
    thread.join();
  Measured measured;
  measured.perSecond = static_cast<double>(after - before) * 1e9 / static_cast<double>(end - begin);
  for (const Own &one : own)
    measured.waitedForCore += one.waitedShare / static_cast<double>(count);
  return measured;
}

struct Version {
  const char *name;
  Measured (*measure)(const Configuration &, const std::vector<std::vector<Round>> &);
};
template <typename Lock> constexpr Version versionOf() { return {Lock::name, measure<Lock>}; }
constexpr Version versions[] = {versionOf<PthreadMutex>(), versionOf<PthreadRwlock>(),
                                versionOf<Spinlock>(),     versionOf<Ticket>(),
                                versionOf<Mcs>(),          versionOf<Clh>(),
                                versionOf<Qd>(),           versionOf<Mrqd>()};

template <typename Row, std::size_t Count>
const Row &rowOf(const Row (&table)[Count], const std::string &name) {
  return *std::find_if(table, table + Count, [&](const Row &row) { return name == row.name; });
}
template <typename Row, std::size_t Count>
std::vector<std::string> namesOf(const Row (&table)[Count]) {
  std::vector<std::string> names;
  for (const Row &row : table)
    names.emplace_back(row.name);
  return names;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"One lock: throughput on this machine, as a line of JSON"};
  Configuration configuration;
  std::string lock = versions[0].name, times = allTimes[0].name;
  const CLI::Range time(0.0, 1e9);
  app.add_option("--lock", lock)->check(CLI::IsMember(namesOf(versions)));
  app.add_option("--section", configuration.sectionNs, "Mean section length, ns")->check(time);
  app.add_option("--local", configuration.localNs, "Mean local computation, ns")->check(time);
  app.add_option("--times", times, "Distribution of both")->check(CLI::IsMember(namesOf(allTimes)));
  app.add_option("--readers", configuration.readers, "Share of sections that only read")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--threads", configuration.threads)->check(CLI::Range(1, 1024));
  app.add_option("--seed", configuration.seed);
  app.add_option("--seconds", configuration.seconds, "Measured time")
      ->check(CLI::Range(0.001, 3600.0));
  app.add_option("--warm-up", configuration.warmUpSeconds, "Time before it, seconds")
      ->check(CLI::Range(0.0, 3600.0));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  constexpr double few = 16, many = 272;
  const double base = roundNs(few, few);
  const double turn = (roundNs(many, few) - base) / (many - few);
  // The time of a round beside its turns counts half as section, half as local computation.
  const double besides = std::max(0.0, base - 2 * few * turn) / 2;
  const Lengths lengths = lengthsOf(rowOf(allTimes, times));
  std::vector<std::vector<Round>> lists;
  for (int i = 0; i < configuration.threads; ++i)
    lists.push_back(roundsOf(lengths, (configuration.sectionNs - besides) / turn,
                             (configuration.localNs - besides) / turn, configuration.readers,
                             configuration.seed * 1'000'003 + static_cast<std::uint64_t>(i)));
  const Measured measured = rowOf(versions, lock).measure(configuration, lists);
  std::printf("{\"lock\":\"%s\",\"threads\":%d,\"section_ns\":%.17g,\"local_ns\":%.17g,"
              "\"times\":\"%s\",\"cv\":%.4f,\"readers\":%.17g,\"throughput_per_s\":%.1f,"
              "\"waited_for_core\":%.4f,\"turn_ns\":%.4f,\"round_ns\":%.2f}\n",
              lock.c_str(), configuration.threads, std::max(besides, configuration.sectionNs),
              std::max(besides, configuration.localNs), times.c_str(), cvOf(lengths),
              configuration.readers, measured.perSecond, measured.waitedForCore, turn, 2 * besides);
  return 0;
}
