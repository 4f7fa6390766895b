// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/Recursion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qdadvise {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Local computation on a bounded number of cores: a load-dependent station with
/// S(j) = Z / min(j, C). Its marginal probabilities follow Reiser's stable form
/// p(0|n) = p(0|n-1) X(n) / X'(n), X' being the throughput of the network without this
/// station: the usual 1 - sum of the others loses all digits once the cores are busy.
class Cores {
public:
  Cores(double computeNs, int servers) : computeNs(computeNs), servers(servers) {
    if (servers > 0) {
      idle.assign(static_cast<std::size_t>(servers), 0);
      idle[0] = 1;
    }
  }
  double residenceNs() const {
    if (servers == 0 || computeNs == 0)
      return computeNs;
    double free = 0;
    for (int j = 0; j + 1 < servers; ++j)
      free += (servers - 1 - j) * idle[static_cast<std::size_t>(j)];
    return computeNs / servers * (1 + queue + free);
  }
  void update(double rate, double complementRate, double residence) {
    queue = rate * residence;
    if (servers == 0)
      return;
    for (std::size_t j = idle.size(); j-- > 1;)
      idle[j] = computeNs / static_cast<double>(j) * rate * idle[j - 1];
    idle[0] *= complementRate == infinity ? 0 : rate / complementRate;
  }

private:
  double computeNs;
  int servers;
  double queue = 0;
  std::vector<double> idle; ///< p(j), fewer than `servers` computing
};

/// Residence times at all stations, in mutual agreement: some depend on the time
/// spent elsewhere. Two or three rounds do.
double settle(const std::vector<RecursionStation> &stations, double delayNs,
              std::vector<double> &residence, std::vector<double> &away) {
  double cycle = delayNs;
  for (std::size_t i = 0; i < stations.size(); ++i)
    cycle += stations[i].count * stations[i].directVisits * residence[i];
  for (int round = 0; round < 30; ++round) {
    double next = delayNs, change = 0;
    for (std::size_t i = 0; i < stations.size(); ++i) {
      const RecursionStation &at = stations[i];
      away[i] = std::max(0.0, cycle / at.visits - residence[i]);
      const double now = at.station->residenceNs(away[i]);
      change = std::max(change, std::abs(now - residence[i]) - 1e-12 * now);
      residence[i] = now;
      next += at.count * at.directVisits * now;
    }
    cycle = next;
    if (change <= 0)
      break;
  }
  return cycle;
}

} // namespace

std::vector<NetworkState> solveRecursion(RecursionInput &input, const std::vector<int> &threads) {
  std::vector<NetworkState> result;
  const std::size_t count = input.stations.size();
  std::vector<double> residence(count, 0), away(count, 0), complementR(count, 0),
      complementAway(count, 0);
  Cores cores(input.computeNs, input.servers);
  auto next = threads.begin();
  for (int n = 1; next != threads.end(); ++n) {
    double complementRate = infinity;
    if (input.servers > 0) {
      const double cycle = settle(input.complement, input.delayNs, complementR, complementAway);
      complementRate = cycle > 0 ? n / cycle : infinity;
      for (std::size_t i = 0; i < count; ++i) {
        const RecursionStation &at = input.complement[i];
        // A network of nothing but zeros has no throughput to speak of and no queues.
        const double rate = cycle > 0 ? at.visits * complementRate : 0;
        at.station->update(rate, complementR[i], complementAway[i]);
      }
    }
    const double computing = cores.residenceNs();
    const double cycle = settle(input.stations, input.delayNs + computing, residence, away);
    const double rate = n / cycle;
    NetworkState state;
    const bool wanted = *next == n;
    if (wanted)
      state = {n, rate, std::vector<StationState>(count)};
    for (std::size_t i = 0; i < count; ++i) {
      const RecursionStation &at = input.stations[i];
      if (wanted)
        state.stations[i] = {residence[i], at.station->contention()};
      at.station->update(rate * at.visits, residence[i], away[i]);
    }
    cores.update(rate, complementRate, computing);
    if (wanted) {
      result.push_back(std::move(state));
      ++next;
    }
  }
  return result;
}

} // namespace qdadvise
