// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Networks.h"
#include "advisor/model/Predict.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <sstream>
#include <unistd.h>

namespace qdadvise {

namespace {

using test::machineOf;
using test::networkOf;
using test::TestLock;

/// Example 3.1 of the 2012 paper: 3 ms of local computation, locks of 1 and 2 ms
/// taken with probabilities 0.4 and 0.6. Waiting times in ms by exact MVA.
TEST(Exact, ReproducesExample31OfTheMutexPaper) {
  const Network network = networkOf({{0.4, 1e6}, {0.6, 2e6}}, 3e6);
  const double expected[][2] = {{0, 0},
                                {0.0869565217391304, 0.521739130434783},
                                {0.261073170731707, 2.14712195121951},
                                {0.468710454830305, 8.18319869386811},
                                {0.499970683153564, 24.0000929521565},
                                {0.499999999998038, 56.0000000000047},
                                {0.5, 120}};
  // An ideal lock has no overhead: this is the paper's own model.
  for (const char *model : {"exact", "mcc2012"}) {
    const auto sweep = predictSweep(network, LockKind::ideal, machineOf(2),
                                    {1, 2, 4, 8, 16, 32, 64}, {.cores = 0, .model = model});
    ASSERT_TRUE(sweep) << sweep.error().message;
    for (std::size_t i = 0; i < sweep->size(); ++i) {
      const Prediction &at = (*sweep)[i];
      EXPECT_EQ(at.model, model);
      for (std::size_t lock = 0; lock < 2; ++lock)
        EXPECT_NEAR(at.locks[lock].waitNs, 1e6 * expected[i][lock], 1e-9 * 1e6 * expected[i][lock])
            << at.threads << " threads, lock " << lock;
    }
  }
}

/// The input of mean value analysis: visit ratios, service times and the time between visits.
struct Demands {
  std::vector<long double> visits, serviceNs;
  long double thinkNs = 0;
};

/// A network with random routing between all its locks, and its demands, the visit ratios by
/// Gaussian elimination. Lock times span `ratio`.
struct RandomNetwork {
  RandomNetwork(std::mt19937_64 &random, std::size_t count, double ratio) {
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<TestLock> locks(count);
    for (TestLock &lock : locks) {
      lock.probability = 1.0 / static_cast<double>(count);
      lock.holdNs = 20 * std::pow(ratio, uniform(random));
    }
    network = networkOf(locks, 0);
    std::vector<std::vector<long double>> routing(count, std::vector<long double>(count));
    for (auto &row : routing) {
      double sum = 0;
      for (long double &p : row) {
        p = std::pow(uniform(random), 3);
        sum += static_cast<double>(p);
      }
      for (long double &p : row)
        p /= sum;
    }
    for (Transition &transition : network.transitions) {
      transition.probability = static_cast<double>(routing[transition.from][transition.to]);
      transition.local.mean = 1e5 * std::pow(uniform(random), 4);
    }
    // Columns of P - I, with the last equation replaced by the sum of all.
    std::vector<std::vector<long double>> equations(count, std::vector<long double>(count + 1));
    for (std::size_t to = 0; to < count; ++to) {
      for (std::size_t from = 0; from < count; ++from)
        equations[to][from] = to + 1 == count ? 1 : routing[from][to] - (from == to ? 1.0L : 0.0L);
      equations[to][count] = to + 1 == count ? 1 : 0;
    }
    for (std::size_t pivot = 0; pivot < count; ++pivot) {
      std::size_t best = pivot;
      for (std::size_t row = pivot; row < count; ++row)
        if (std::abs(equations[row][pivot]) > std::abs(equations[best][pivot]))
          best = row;
      std::swap(equations[pivot], equations[best]);
      for (std::size_t row = 0; row < count; ++row) {
        const long double factor = equations[row][pivot] / equations[pivot][pivot];
        for (std::size_t i = pivot; row != pivot && i <= count; ++i)
          equations[row][i] -= factor * equations[pivot][i];
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      demands.visits.push_back(equations[i][count] / equations[i][i]);
      demands.serviceNs.push_back(locks[i].holdNs);
    }
    for (const Transition &transition : network.transitions)
      demands.thinkNs += demands.visits[transition.from] *
                         static_cast<long double>(transition.probability) *
                         static_cast<long double>(transition.local.mean);
  }
  Network network;
  Demands demands;
};

/// The recursion of the textbook: R(n) = s (1 + Q(n - 1)), X(n) = n / (Z + sum v R), Q(n) = X v R.
struct MeanValues {
  MeanValues(const Demands &demands, int threads)
      : residenceNs(demands.visits.size()), queue(demands.visits.size()) {
    for (int n = 1; n <= threads; ++n) {
      long double cycle = demands.thinkNs;
      for (std::size_t i = 0; i < queue.size(); ++i) {
        residenceNs[i] = demands.serviceNs[i] * (1 + queue[i]);
        cycle += demands.visits[i] * residenceNs[i];
      }
      perNs = n / cycle;
      for (std::size_t i = 0; i < queue.size(); ++i)
        queue[i] = perNs * demands.visits[i] * residenceNs[i];
    }
  }
  std::vector<long double> residenceNs, queue;
  long double perNs = 0;
};

void expectMeanValues(const RandomNetwork &one, int threads, double tolerance) {
  const auto predicted =
      predict(one.network, std::vector<LockKind>(one.network.locks.size(), LockKind::ideal),
              machineOf(2), threads);
  ASSERT_TRUE(predicted) << predicted.error().message;
  EXPECT_EQ(predicted->model, "exact");
  const MeanValues expected(one.demands, threads);
  const std::string what = fmt::format("{} locks, {} threads", one.network.locks.size(), threads);
  EXPECT_NEAR(static_cast<double>(predicted->throughputPerS / (1e9L * expected.perNs)), 1,
              tolerance)
      << what;
  for (std::size_t i = 0; i < one.network.locks.size(); ++i) {
    const LockPrediction &lock = predicted->locks[i];
    EXPECT_NEAR(static_cast<double>(lock.residenceNs / expected.residenceNs[i]), 1, tolerance)
        << what;
    EXPECT_NEAR(static_cast<double>(lock.queueLength / std::max(expected.queue[i], 1e-300L)), 1,
                tolerance)
        << what;
    // W = R - s loses the digits that R has in common with s.
    EXPECT_NEAR(lock.waitNs,
                static_cast<double>(expected.residenceNs[i] - one.demands.serviceNs[i]),
                tolerance * static_cast<double>(expected.residenceNs[i]))
        << what;
  }
}

TEST(Exact, IsMeanValueAnalysisOfRandomNetworks) {
  std::mt19937_64 random(20261121);
  for (int trial = 0; trial < 200; ++trial) {
    const auto locks = std::uniform_int_distribution<std::size_t>(1, 50)(random);
    const int threads = std::uniform_int_distribution<int>(1, 256)(random);
    expectMeanValues(RandomNetwork(random, locks, 1000), threads, 1e-9);
  }
}

TEST(Exact, IsMeanValueAnalysisAt4096ThreadsAndServiceRatiosOfAMillion) {
  std::mt19937_64 random(4096);
  for (const std::size_t locks : {1u, 2u, 7u, 50u})
    expectMeanValues(RandomNetwork(random, locks, 1e6), 4096, 1e-6);
}

TEST(Exact, ThousandStationsAreNotTooMany) {
  // A ring: a row of all-to-all routing would be a million transitions.
  Network network;
  Demands demands;
  std::mt19937_64 random(1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::string number = std::to_string(i);
    network.locks.push_back({"lock" + number, LockKind::pthreadMutex, 1, {}});
    Section section;
    section.name = "section" + number;
    section.lock = i;
    section.hold.mean = std::pow(1e6, std::uniform_real_distribution<double>(0, 1)(random));
    network.sections.push_back(section);
    Transition next;
    next.from = i;
    next.to = (i + 1) % 1000;
    next.probability = 1;
    next.local.mean = 1000;
    network.transitions.push_back(next);
    demands.visits.push_back(1e-3L);
    demands.serviceNs.push_back(section.hold.mean);
  }
  network.classes.push_back({"worker"});
  demands.thinkNs = 1000;
  for (const int threads : {64, 4096}) {
    const auto predicted =
        predict(network, std::vector<LockKind>(1000, LockKind::ideal), machineOf(2), threads);
    ASSERT_TRUE(predicted) << predicted.error().message;
    EXPECT_NEAR(static_cast<double>(predicted->throughputPerS /
                                    (1e9L * MeanValues(demands, threads).perNs)),
                1, 1e-9);
  }
  for (const LockAlgorithm &algorithm : lockAlgorithms) {
    const auto predicted =
        predict(network, std::vector<LockKind>(1000, algorithm.kind), machineOf(64), 64);
    ASSERT_TRUE(predicted) << predicted.error().message;
    double threads = predicted->throughputPerS * 1e-9 * 1000;
    for (const LockPrediction &lock : predicted->locks)
      threads += lock.queueLength;
    EXPECT_NEAR(threads, 64, 64e-6) << algorithm.name;
  }
}

/// Standard output of a shell command; none if it fails.
std::optional<std::string> outputOf(const std::string &command) {
  std::FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return std::nullopt;
  std::string text;
  char buffer[4096];
  for (std::size_t size; (size = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    text.append(buffer, size);
  return pclose(pipe) == 0 ? std::optional(text) : std::nullopt;
}

TEST(Exact, IsWhatOctavesQueueingPackageComputes) {
  const std::string octave = "octave-cli --quiet --no-gui --eval ";
  if (!outputOf(octave + "'pkg load queueing' 2>/dev/null"))
    GTEST_SKIP() << "GNU Octave with its queueing package is not installed";
  std::mt19937_64 random(64);
  std::vector<std::pair<RandomNetwork, int>> cases;
  std::string script = "pkg load queueing\n";
  const auto list = [](const std::vector<long double> &values) {
    std::string text;
    for (const long double value : values)
      text += fmt::format("{:.17g} ", static_cast<double>(value));
    return text;
  };
  for (int trial = 0; trial < 40; ++trial) {
    const auto locks = std::uniform_int_distribution<std::size_t>(1, 20)(random);
    const int threads = std::uniform_int_distribution<int>(1, 128)(random);
    const auto &[one, count] = cases.emplace_back(RandomNetwork(random, locks, 1000), threads);
    script += fmt::format("[U R Q X] = qncsmva({}, [{}], [{}], ones(1, {}), {:.17g});\n"
                          "printf('%.17g ', R);\n",
                          count, list(one.demands.serviceNs), list(one.demands.visits), locks,
                          static_cast<double>(one.demands.thinkNs));
  }
  const std::string path = testing::TempDir() + "mva-" + std::to_string(getpid()) + ".m";
  std::ofstream(path) << script;
  const auto output = outputOf("octave-cli --quiet --no-gui " + path);
  std::remove(path.c_str());
  ASSERT_TRUE(output);
  std::istringstream in(*output);
  for (const auto &[one, threads] : cases) {
    const std::vector<LockKind> kinds(one.network.locks.size(), LockKind::ideal);
    const auto predicted = predict(one.network, kinds, machineOf(2), threads);
    ASSERT_TRUE(predicted) << predicted.error().message;
    for (const LockPrediction &lock : predicted->locks) {
      double residenceNs = 0;
      ASSERT_TRUE(in >> residenceNs) << *output;
      EXPECT_NEAR(lock.residenceNs / residenceNs, 1, 1e-9);
    }
  }
}

} // namespace

} // namespace qdadvise
