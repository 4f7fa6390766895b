// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks that are handed from thread to thread (docs/theory/handoff.md).
#pragma once

#include "advisor/model/locks/LinePlace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace qdadvise {

/// One lock that is handed from thread to thread. With j threads present, S(j) = s + h(j) passes
/// from one section to the next (HO1), and what its data take to come over. h depends on the
/// algorithm and the machine (KindCosts::handover), and is at least LO and the transfer of the
/// lock's line (HO7). Load-dependent mean value analysis over the marginal probabilities p(j)
/// (HO12, HO13) is exact for c2 = 1 if the transfer does not depend on the number of threads and
/// releases keep nobody. Sums whose order does not matter are vectorised.
class HandoffStation {
public:
  static constexpr bool sleeps = false, hasHistory = true;
  HandoffStation(LockKind kind, const StationLoad &load, const KindCosts &costs,
                 const Machine &machine)
      : load(load), handoffNs(kind, costs, machine), line(load, machine.lineTransfer()) {
    prepareFree();
    prepare();
  }
  double residenceNs() const {
    // For c2 = 1, found = 1 + queue, and this is the sum of j S(j) p(j - 1).
    const double each = work / found;
    const double atMost = each * threads; // as in FcfsGroup
    return std::min(each * (1 + queue) - std::min(contention(0), queue) * each * (1 - load.cv2) / 2,
                    atMost) +
           releasing();
  }
  double occupancyNs() const { return occupancy; }
  double contention(double) const { return std::max(0.0, 1 - present[0]); }
  double elsewhere() const { return line.elsewhere(); }
  bool forgets() const { return false; }
  bool canPassOver() const { return alike == std::numeric_limits<int>::max(); }
  /// (HO16): each p(j) moves from j to j by (HO12), as if at once, in logarithms. p(0) is what
  /// contention leaves, and all others sum to the rest.
  void passOver(const LeftOutAtLock &over) {
    const auto count = static_cast<int>(over.rate.size());
    std::vector<double> logRate{0}; // of the first ones together
    for (const double rate : over.rate)
      logRate.push_back(logRate.back() + std::log(rate * over.visits));
    threads += count;
    prepareNear();
    sumLogService();
    const std::vector<double> before = std::exchange(present, {});
    present.resize(before.size() + over.rate.size());
    double *const p = present.data();
    const double *const logs = logService.data(), *const rates = logRate.data();
    double sum = 0;
    const auto add = [&](int j, double from, double log) {
      const double probability = from * std::exp(log + rates[count]);
      if (probability > negligible)
        sum += p[j] = probability;
    };
    // Threads that come to the free lock meanwhile, and those that were there.
    for (int j = 1; j <= count; ++j) {
      const int at = count - j;
      const double free =
          at > 0 ? 1 - over.contention[static_cast<std::size_t>(at - 1)] : before[0];
      add(j, freeNs * free, logs[j] - rates[at]);
    }
    for (int j = 1; j < static_cast<int>(before.size()); ++j)
      if (before[static_cast<std::size_t>(j)] > 0)
        add(j + count, before[static_cast<std::size_t>(j)], logs[j + count] - logs[j]);
    p[0] = std::max(0.0, 1 - over.contention.back());
    for (std::size_t j = 1; sum > 0 && j < present.size(); ++j)
      p[j] *= (1 - p[0]) / sum;
    for (most = static_cast<int>(present.size()) - 1; most > 1 && p[most] == 0;)
      --most;
    findLikely();
  }
  void update(const PopulationAtLock &before) {
#pragma clang fp reassociate(on)
    line.update(threads + 1, before.rate, before.residenceNs, before.cycleNs, before.nearby);
    queue = before.rate * (before.residenceNs - releasing());
    ++threads;
    if (threads <= alike)
      present.push_back(0);
    // The next thread finds the lock as so many threads leave it to each other. A single thread
    // always has it.
    prepareFree();
    comeTo(before.rate);
    prepare();
  }

private:
  /// Smaller numbers become 0: processors take a hundred times as long for denormal ones.
  static constexpr double negligible = 1e-280;
  /// So many j in a row are passed over where all of their p(j) are 0. Threads crowd at one of
  /// several locks: at each of them few are likely, or nearly all.
  static constexpr int block = 64, lookAfter = 16;

  bool isLikely(int at) const { return at == 0 || likely[static_cast<std::size_t>(at)]; }
  /// The last blocks in a row that are likely, below `end`: from a j to before another one.
  std::pair<int, int> runBelow(int end) const {
    while (end > 0 && !isLikely((end - 1) / block))
      end = (end - 1) / block * block;
    int first = end;
    while (first > 0 && isLikely((first - 1) / block))
      first = (first - 1) / block * block;
    return {first, end};
  }
  /// The next ones from `first` on, to before `end`.
  std::pair<int, int> runFrom(int first, int end) const {
    while (first < end && !isLikely(first / block))
      first = (first / block + 1) * block;
    int last = std::min(first, end);
    while (last < end && isLikely(last / block))
      last = std::min(end, (last / block + 1) * block);
    return {std::min(first, end), last};
  }
  void findLikely() {
    likely.assign(present.size() / block + 1, 0);
    for (std::size_t j = 2; j < present.size(); ++j)
      if (present[j] > 0)
        likely[j / block] = 1;
  }

  /// p(j) with a thread more (HO12).
  void comeTo(double rate) {
#pragma clang fp reassociate(on)
    double *const p = present.data();
    const double *const handoff = nearNs.data();
    const auto normal = [](double probability) {
      return probability > negligible ? probability : 0;
    };
    double sum = 0;
    if (threads > alike) {
      const double each = serviceNs(handoff[alike]) * rate;
      beyond = {normal(each * (p[alike - 1] + beyond.threads)),
                normal(each * (beyond.more + beyond.threads))};
      sum += beyond.threads;
    }
    const int last = std::min(most + 1, static_cast<int>(present.size()) - 1);
    likely.resize(present.size() / block + 1);
    for (int at = last / block; at > 0; --at)
      if (p[at * block - 1] != 0)
        likely[static_cast<std::size_t>(at)] = 1;
    for (auto [first, end] = runBelow(last + 1); end > 2; std::tie(first, end) = runBelow(first))
      for (int j = end - 1; j >= std::max(2, first); --j) {
        p[j] = normal(serviceNs(handoff[j]) * rate * p[j - 1]);
        sum += p[j];
      }
    p[1] = freeNs * rate * p[0];
    sum += p[1];
    for (most = std::max(1, last); most > 1 && p[most] == 0;)
      --most;
    if (threads % lookAfter == 0)
      findLikely();
    // Service times do not fall with j, so that a lost digit of p(0) is not amplified.
    p[0] = std::max(0.0, 1 - sum);
    if (sum > 1) {
      for (double &one : present)
        one /= sum;
      beyond = {beyond.threads / sum, beyond.more / sum};
    }
  }

  /// Mean time that a release keeps its thread, behind the service (HO9).
  double releasing() const { return contention(0) * releaseNs; }

  /// The time of a free lock (HO6).
  void prepareFree() {
    aloneNs = load.holdNs + handoffNs.alone(threads, line.elsewhere());
    freeNs = (aloneNs + load.coherenceMiss.free) * load.stretch;
  }

  void prepareNear() {
    for (int j = static_cast<int>(nearNs.size()); j <= std::min(threads, alike); ++j) {
      const double queueLength = load.onCores(j);
      double near = handoffNs.near(queueLength, load.holdNs + handedNs, load.reacquisitions);
      if (j == 2)
        near += handoffNs.lateNs(load.holdNs + handoffNs.least(j), j);
      nearNs.push_back(
          std::max(load.reacquisitions.share > 0 ? nearNs.back() : 0, near * load.stretch));
    }
  }

  /// The sums of ln S(j).
  void sumLogService() {
    const std::array now{spread, spreadNs, leastNs};
    if (std::exchange(loggedWith, now) != now)
      logService = {0, 0};
    for (auto j = logService.size(); j < nearNs.size(); ++j)
      logService.push_back(logService.back() + std::log(serviceNs(nearNs[j])));
  }

  /// Sums over what one thread more finds when it arrives.
  void prepare() {
#pragma clang fp reassociate(on)
    prepareNear();
    spread = handoffNs.spread(threads);
    spreadNs = handoffNs.spreadNs(threads) * load.stretch;
    releaseNs = (handoffNs.releaseNs(threads) + handoffNs.lateNs(aloneNs, threads)) * load.stretch;
    leastNs = (load.holdNs + handoffNs.least(threads)) * load.stretch + load.absenceNs;
    const double *const p = present.data();
    const double *const handoff = nearNs.data();
    double mean = p[0] * freeNs, weighted = mean, atLock = p[0];
    const int last = std::min({threads, most + 1, alike - 1});
    for (auto [first, end] = runFrom(1, last); first < end;
         std::tie(first, end) = runFrom(end, last))
      for (int j = first + 1; j <= end; ++j) {
        const double service = p[j - 1] * serviceNs(handoff[j]);
        mean += service;
        weighted += service * j;
        atLock += p[j - 1] * j;
      }
    if (threads >= alike) {
      const double there = p[alike - 1] + beyond.threads;
      const double after = alike * there + beyond.threads + beyond.more;
      const double service = serviceNs(handoff[alike]);
      mean += service * there;
      weighted += service * after;
      atLock += after;
    }
    occupancy = mean;
    work = weighted;
    found = atLock;
  }
  /// S(j) for j > 1, by h(j) on one socket.
  double serviceNs(double near) const {
    return std::max(leastNs, holdNs + spreadNs + spread * near) + coherenceMissNs;
  }
  /// From so many threads on S(j) is the same: no more of them have a core.
  static int allAlike(const StationLoad &load) {
    return load.spinners > 0 && load.spinners < mostSpinners
               ? std::max(3, static_cast<int>(std::ceil(1 + load.spinners)))
               : std::numeric_limits<int>::max();
  }
  static constexpr double mostSpinners = 1e6;

  StationLoad load;
  HandoffTime handoffNs;
  LinePlace line;
  int alike = allAlike(load);
  int threads = 1; ///< with the one that arrives next
  double holdNs = load.holdNs * load.stretch + load.absenceNs;
  double queue = 0;
  std::vector<double> present{1}; ///< p(j) of the population so far, from j = 0, for j < alike
  /// The sums of p(j) and of (j - alike) p(j) over all other j (HO15).
  struct {
    double threads = 0, more = 0;
  } beyond;
  int most = 0;                       ///< p(j) is 0 for larger j
  std::vector<char> likely;           ///< by block: whether some p(j) may be not 0
  std::vector<double> nearNs{0, 0};   ///< h(j) for j > 1, on one socket
  std::vector<double> logService;     ///< sums of ln S(j), from j = 2
  std::array<double, 3> loggedWith{}; ///< spread, spreadNs and leastNs in these
  double spread = 1, spreadNs = 0; ///< h(j) among all threads: so many times h(j), and so much more
  double handedNs = handoffNs.handedNs(load.coherenceMiss, load.reacquisitions);
  double coherenceMissNs = handedNs * load.stretch;
  double aloneNs = 0; ///< S(1), without coherence misses and shared cores
  double freeNs = 0;  ///< S(1), with them
  double leastNs = 0; ///< the least S(j) for j > 1, without coherence misses
  double releaseNs = 0;
  // What an arrival finds: the sums of S(j) p(j - 1), of j S(j) p(j - 1), and of j p(j - 1).
  double occupancy = 0, work = 0, found = 0;
};

} // namespace qdadvise
