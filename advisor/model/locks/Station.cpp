// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/locks/Station.h"

#include "advisor/model/locks/FcfsGroup.h"
#include "advisor/model/locks/GroupOf.h"
#include "advisor/model/locks/HandoffStation.h"
#include "advisor/model/locks/MutexModel.h"
#include "advisor/model/locks/QdStation.h"
#include "advisor/model/locks/RwlockModel.h"
#include "advisor/model/locks/SleepingStation.h"

namespace qdadvise {

namespace {

SleepingStation sleepingStation(const LockAlgorithm &algorithm, const StationLoad &load,
                                double lockOverheadNs, const Machine &machine) {
  const double hold = load.holdNs * load.stretch, overhead = lockOverheadNs * load.stretch;
  const Variation variation{load.cv2, load.awayCv2};
  const LinePlace line(load, machine.lineTransfer());
  if (algorithm.station == LockStationType::mutex)
    return {hold, overhead, line,
            std::make_unique<MutexModel>(mutexOf(load, lockOverheadNs, machine))};
  const double coherenceMissNs = load.coherenceMissNs() * load.stretch;
  const Readers readers{load.readers.share,
                        (load.readers.holdNs + load.readerCoherenceMissNs) * load.stretch};
  return {
      hold + coherenceMissNs, overhead, line,
      std::make_unique<RwlockModel>(hold + coherenceMissNs, readers, overhead, machine, variation)};
}

} // namespace

Expected<std::unique_ptr<StationGroup>>
makeStations(LockKind kind, std::span<const LockStation> stations, const Machine &machine) {
  const LockAlgorithm &algorithm = algorithmOf(kind);
  if (algorithm.station == LockStationType::ideal)
    return std::make_unique<FcfsGroup>(stations);
  const auto overhead = TRY(machine.require(kind, "lock_overhead_ns"));
  switch (algorithm.station) {
  case LockStationType::mutex:
  case LockStationType::rwlock:
    if (const auto wakeup = machine.requireScheduler("wakeup_ns"); !wakeup)
      return Unexpected(wakeup.error());
    return groupOf(stations, [&](const StationLoad &load) {
      return sleepingStation(algorithm, load, overhead, machine);
    });
  case LockStationType::delegation: {
    if (const auto delegation = machine.require(kind, "delegation_overhead_ns"); !delegation)
      return Unexpected(delegation.error());
    const KindCosts &costs = machine.kinds.at(kind);
    return groupOf(stations, [&](const StationLoad &load) {
      return QdStation(load, algorithm.sharesReads ? load.readers : Readers(), overhead, costs,
                       machine);
    });
  }
  case LockStationType::handoff:
  case LockStationType::ideal:
    break;
  }
  const auto costs = TRY(machine.requireHandoff(kind));
  return groupOf(stations, [&](const StationLoad &load) {
    return HandoffStation(kind, load, costs, machine);
  });
}

std::optional<Error> missingFigure(LockKind kind, const Machine &machine) {
  const auto stations = makeStations(kind, {}, machine);
  return stations ? std::nullopt : std::optional(stations.error());
}

} // namespace qdadvise
