// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/mva/ClassMixture.h"

#include "advisor/model/mva/Capacity.h"
#include "advisor/model/mva/Linearizer.h"

#include <algorithm>

namespace qdadvise {

namespace {

/// The station with the factor for which the mean class waits as long as its method says (CL7).
ClassStation stationOf(const LockStation &lock, const NetworkState &state, double residenceNs,
                       double aloneNs) {
  const ClassVisits visits{lock.visits, lock.directVisits, heldNs(lock.kind, lock.load),
                           lock.load.cv2};
  ClassStation station{lock.count, aloneNs - visits.holdNs, 1};
  const double others = static_cast<double>(state.threads - 1) / state.threads;
  const double found = others * workNs(station, visits, state.threads, state.cyclesPerNs,
                                       residenceNs - visits.holdNs);
  if (found > 0)
    station.factor = (residenceNs - aloneNs) / found;
  else if (state.threads == 1) // parts of one thread, which do not meet
    station.factor = 0;
  return station;
}

/// Puts the mean over all classes in place of the mean class.
void average(NetworkState &state, const NetworkState &alone, const ClassNetwork &network,
             const std::vector<ClassState> &classes) {
  state.cyclesPerNs = 0;
  for (const ClassState &one : classes)
    state.cyclesPerNs += one.cyclesPerNs;
  for (std::size_t i = 0; i < state.stations.size(); ++i) {
    double rate = 0, residence = 0;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const ClassVisits &at = network.classes[c].at[i];
      rate += classes[c].cyclesPerNs * at.visits;
      residence += classes[c].cyclesPerNs * at.visits * (at.holdNs + classes[c].waitNs[i]);
    }
    // Threads find a lock taken as much more often as they wait longer.
    StationState &at = state.stations[i];
    const double before = at.residenceNs - alone.stations[i].residenceNs;
    at.residenceNs = residence / rate;
    const double now = at.residenceNs - alone.stations[i].residenceNs;
    if (before > 0)
      at.contention = std::clamp(at.contention * now / before, 0.0, 1.0);
  }
}

} // namespace

Expected<MixtureState> solveMixture(const ClosedNetwork &mean, int threads,
                                    const std::vector<ClassLoad> &classes, NetworkMethod method,
                                    ClassMethod classMethod) {
  const auto states =
      TRY(method(mean, threads > 1 ? std::vector<int>{1, threads} : std::vector<int>{1}));
  const NetworkState &alone = states.front();
  MixtureState result{states.back(), {}};
  ClassNetwork apart{{}, classes};
  for (std::size_t i = 0; i < mean.stations.size(); ++i) {
    apart.stations.push_back(stationOf(mean.stations[i], result.mean,
                                       result.mean.stations[i].residenceNs,
                                       alone.stations[i].residenceNs));
    if (classMethod)
      apart.stations.back().factor = 1;
  }
  result.classes = classMethod ? classMethod(apart) : solveSchweitzer(apart);
  boundByCapacity(mean, apart, result.classes);
  average(result.mean, alone, apart, result.classes);
  return result;
}

} // namespace qdadvise
