// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/workload/ClassNetwork.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

/// Erlang's loss formula for a number of servers that need not be whole. The last 128 steps of its
/// recursion are enough: before, 1/B is 1/(1 - servers/offered), or about sqrt(pi offered/2).
double lossOf(double servers, double offered) {
  constexpr double mostSteps = 128;
  double at = servers - std::min(std::floor(servers), mostSteps);
  double inverse = at < 1 ? std::pow(1 + 1 / offered, at)
                          : 1 / std::max(1 - at / offered, 1 / std::sqrt(1.6 * offered));
  while (at < servers - 0.5)
    inverse = 1 + (at += 1) / offered * inverse;
  return 1 / inverse;
}

/// The probability that none of so many threads is at a station where so many of them are on the
/// mean (CL13).
double nobodyThere(double threads, double present) {
  if (present <= 0)
    return 1;
  if (threads <= 1)
    return std::max(0.0, 1 - present);
  const double elsewhere = threads - present;
  if (elsewhere <= 0)
    return 0;
  return lossOf(threads, elsewhere * (1 + present - present / threads) / present);
}

/// Time per cycle at one station, by itself.
double directNs(const ClassVisits &at, double waitNs) {
  return at.directVisits * (at.holdNs + at.directExtraNs + waitNs);
}

double cycleNs(const ClassNetwork &network, const ClassLoad &load,
               const std::vector<double> &waitNs) {
  double ns = load.delayNs + load.computeNs;
  for (std::size_t i = 0; i < waitNs.size(); ++i)
    ns += network.stations[i].count * directNs(load.at[i], waitNs[i]);
  return ns;
}

} // namespace

double cyclesPerNs(const ClassNetwork &network, const ClassLoad &load, double threads,
                   const std::vector<double> &waitNs) {
  return threads / cycleNs(network, load, waitNs);
}

double awayNs(const ClassNetwork &network, const ClassLoad &load, std::size_t station,
              const std::vector<double> &waitNs) {
  const ClassVisits &at = load.at[station];
  return (cycleNs(network, load, waitNs) - directNs(at, waitNs[station])) / at.visits;
}

ClassWork workOf(const ClassStation &station, const ClassVisits &visits, double threads,
                 double cyclesPerNs, double waitNs) {
  const double each = visits.holdNs + station.overheadNs;
  if (each <= 0)
    return {};
  const double rate = cyclesPerNs * visits.visits;
  const double present = std::min(threads, rate * (visits.holdNs + waitNs));
  const double served = std::min({1.0, present, rate * each});
  const double rest = (each + visits.cv2 * visits.holdNs * visits.holdNs / each) / 2;
  return {each * present - served * (each - rest), present, served, each, rest};
}

void OthersThere::add(const OthersThere &more, double weight) {
  threads += weight * more.threads;
  present += weight * more.present;
  workNs += weight * more.workNs;
  waitNs += weight * more.waitNs;
}

double OthersThere::met(double sinceNs, double eachNs) const {
  const double freeNs = std::max(0.0, sinceNs - waitNs), nobody = nobodyThere(threads, present);
  const double somebody = (1 - nobody) * freeNs;
  const double without = nobody * workNs * eachNs / (eachNs + freeNs);
  return somebody > 0 ? somebody / (somebody + without) : 1;
}

namespace {

/// A thread of class `of` meets this of all others at a lock that it keeps.
class Others {
public:
  Others(const std::vector<AlikeThreads> &classes, std::size_t of) : classes(classes), of(of) {
    for (std::size_t k = 0; k < classes.size(); ++k)
      present += count(k) * classes[k].perThread(classes[k].present);
  }
  double waiters() const { return present; }

  /// Visits, but for those of the thread that was woken. It is any of those that are there.
  double perNs() const {
    double sum = 0;
    for (std::size_t k = 0; k < classes.size(); ++k)
      sum += count(k) * notWoken(k) * classes[k].perThread(classes[k].perNs);
    return sum;
  }

  /// The probability that one waits there when the thread releases the lock for the first time.
  double leaveWaiter() const {
    double nobody = 1;
    for (std::size_t k = 0; k < classes.size(); ++k) {
      const AlikeThreads &one = classes[k];
      if (count(k) <= 0 || one.perNs <= 0)
        continue;
      const double isAway = 1 - one.present / one.threads * notWoken(k);
      nobody *= std::pow(std::max(0.0, isAway) * one.awayNs / (classes[of].eachNs + one.awayNs),
                         count(k));
    }
    return 1 - nobody;
  }

private:
  double count(std::size_t k) const {
    return std::max(0.0, classes[k].threads - (k == of ? 1 : 0));
  }
  double notWoken(std::size_t k) const {
    return present > 0 ? std::max(0.0, 1 - classes[k].perThread(classes[k].present) / present) : 0;
  }

  const std::vector<AlikeThreads> &classes;
  std::size_t of;
  double present = 0;
};

} // namespace

std::vector<Keeping> keepingOf(const std::vector<KeepsLock> &keeps,
                               const std::vector<AlikeThreads> &classes) {
  std::vector<Keeping> result(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const AlikeThreads &own = classes[c];
    const Others others(classes, c);
    if (own.perNs <= 0 || own.eachNs <= 0 || others.waiters() <= 0)
      continue;
    const KeptLock kept = keeps[c]({own.awayNs, others.waiters(), others.perNs()});
    result[c] = {kept.ns, 1 / (1 + others.leaveWaiter() * kept.sections)};
  }
  return result;
}

} // namespace qdadvise
