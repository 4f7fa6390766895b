// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/CoresInUse.h"

#include "advisor/model/solver/LockStations.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

CoreUse coreUseOf(const Approximation &now, const Solution &solution) {
  const LockedNetwork &given = now.given;
  const MergedTraffic &traffic = now.unknowns.traffic;
  CoreUse result{solution.cyclesPerNs, traffic.computeNs, traffic.blockedNs,
                 std::vector<LockUse>(given.locks.size())};
  for (std::size_t i = 0; i < given.network.sections.size(); ++i) {
    const Section &section = given.network.sections[i];
    result.locks[section.lock].ownNs += traffic.visits[i] * section.hold.mean;
  }
  for (std::size_t i = 0; i < given.locks.size(); ++i) {
    const double visits = now.demands.locks[i].visits;
    if (visits <= 0)
      continue;
    const LockSolution &found = solution.locks[i];
    LockUse &use = result.locks[i];
    use.visits = visits;
    use.among = 1 / given.nesting.sameInstance(i);
    use.spins = given.algorithm(i).spins;
    use.overheadNs = overheadNs(given, now.demands, i);
    if (use.spins && given.kinds[i] != LockKind::ideal && !given.isPerThread(i))
      use.overheadNs += given.machine.lineTransferNs(solution.population);
    use.occupiedNs = found.holdNs + use.overheadNs;
    use.waitNs = std::max(0.0, found.residenceNs - waitForCoreNs(now, i) -
                                   use.occupiedNs * now.unknowns.cores->at(i).stretch);
    use.contention = found.contention;
    use.between = given.locks[i].between;
  }
  return result;
}

void keepTogether(const Approximation &now, Solution &solution) {
  const CoreUse use = coreUseOf(now, solution);
  // Who meets a section that ends before it is asleep keeps its core.
  const double sleepNs = schedulingOf(now.given.machine).sleepNs;
  double aloneNs = use.computeNs, waitsNs = 0, sleepsNs = 0;
  for (const LockUse &lock : use.locks) {
    aloneNs += lock.ownNs + lock.visits * lock.overheadNs;
    waitsNs += lock.visits * lock.waitNs;
    if (!lock.spins && lock.visits > 0)
      sleepsNs += lock.visits * lock.waitNs * std::exp(-sleepNs / lock.occupiedNs);
  }
  const double onOneCore = std::min(1 / aloneNs, solution.population / (aloneNs + use.blockedNs));
  const double gain = onOneCore - solution.cyclesPerNs;
  if (sleepsNs <= 0 || gain <= 0)
    return;
  const double beyond = 1 - static_cast<double>(now.given.options.cores) / solution.population;
  const double faster = 1 + beyond * sleepsNs / waitsNs * gain / solution.cyclesPerNs;
  double waitNs = 0;
  for (std::size_t i = 0; i < solution.locks.size(); ++i)
    waitNs += now.demands.locks[i].directVisits *
              (solution.locks[i].residenceNs - solution.locks[i].holdNs);
  const double less = (1 - 1 / faster) * solution.population / solution.cyclesPerNs;
  for (LockSolution &lock : solution.locks)
    lock.residenceNs -= (lock.residenceNs - lock.holdNs) * std::min(1.0, less / waitNs);
  solution.cyclesPerNs *= faster;
  solution.blocked *= faster;
  for (ClassSolution &one : solution.classes) {
    one.waitNs -= std::min(one.waitNs, (1 - 1 / faster) * one.threads / one.cyclesPerNs);
    one.cyclesPerNs *= faster;
  }
}

void boundByCores(const Approximation &now, Solution &solution) {
  double neededNs = now.unknowns.traffic.computeNs;
  for (const LockUse &lock : coreUseOf(now, solution).locks)
    neededNs += lock.ownNs;
  const double most = now.given.options.cores / neededNs;
  if (!(solution.cyclesPerNs > most))
    return;
  const double slower = most / solution.cyclesPerNs;
  solution.cyclesPerNs = most;
  solution.blocked *= slower;
  for (ClassSolution &one : solution.classes)
    one.cyclesPerNs *= slower;
}

} // namespace qdadvise
