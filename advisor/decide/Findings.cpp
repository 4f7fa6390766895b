// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/Findings.h"

#include "advisor/advice/Advice.h"
#include "advisor/decide/Evidence.h"
#include "advisor/decide/FindingSearch.h"
#include "advisor/decide/LoadBalance.h"
#include "advisor/decide/LockFindings.h"
#include "advisor/decide/ThreadFindings.h"
#include "advisor/profile/Names.h"
#include "advisor/profile/summary/ClosedLocks.h"
#include "runtime/abi/profile_format.h"
#include "runtime/abi/site_record.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace qdadvise {
namespace {

/// A kind of finding: by which symptoms it is told, and what finds it.
struct FindingKind {
  const char *id;    ///< stable
  unsigned symptoms; ///< of Symptom
  void (*find)(FindingSearch &search);
};
/// In the order in which they are looked for: what explains a lock's contention comes before what
/// only says that there is some.
constexpr FindingKind findingKinds[] = {
    {"asymmetric-contention", unevenContention, findAsymmetry},
    {"high-contention", contendedRarely | contendedOften, findByQuadrant},
    {"extensive-acquisitions", acquiredOften, nullptr}, // findByQuadrant finds them, too
    {"memory-diagnosis", memoryTraced, findTraced},
    {"try-lock-failures", triesFail, findFailingTries},
    {"load-imbalance", unevenLoad, findImbalance},
};

} // namespace

Quadrant quadrantOf(std::uint64_t acquisitions, std::uint64_t contended, double durationNs,
                    const FindingThresholds &thresholds, double recordedShare) {
  const auto count = static_cast<double>(acquisitions);
  const bool isContended = count >= thresholds.leastAcquisitions &&
                           static_cast<double>(contended) > thresholds.contentionRate * count;
  const bool often = count / seconds(durationNs, recordedShare) > thresholds.acquisitionsPerS;
  return isContended ? (often ? Quadrant::q2 : Quadrant::q1)
                     : (often ? Quadrant::q4 : Quadrant::q3);
}

std::vector<Finding> findingsOf(const Profile &profile, const ProfileSummary &summary,
                                const FindingThresholds &thresholds) {
  FindingSearch search(profile, summary, thresholds);
  for (const FindingKind &kind : findingKinds)
    if (kind.find)
      kind.find(search);
  for (Finding &finding : search.found)
    for (const FindingKind &kind : findingKinds)
      if (kind.symptoms & finding.symptom)
        finding.id = kind.id;
  std::vector<std::size_t> order(search.found.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double lostByA = search.found[a].lost, lostByB = search.found[b].lost;
    return lostByA != lostByB ? lostByA > lostByB : a < b;
  });
  std::vector<Finding> sorted;
  for (const std::size_t index : order)
    sorted.push_back(std::move(search.found[index]));
  return sorted;
}

} // namespace qdadvise
