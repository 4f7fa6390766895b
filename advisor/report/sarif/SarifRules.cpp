// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/sarif/SarifRules.h"

#include <algorithm>
#include <iterator>

namespace qdadvise {
namespace {

constexpr SarifRule lockAlgorithm = {
    "lock-algorithm", "LockAlgorithm", "Another lock algorithm is predicted to be faster here.",
    "The gain is that of the whole program with this change, on top of the advice for its other "
    "locks, with a 95 % interval. It is predicted from a profile, not measured. Change the type of "
    "the lock as the message says, record again, and compare. `// qdadvise: keep (reason)` at the "
    "lock, or `[[suppress]]` in `.qdadvise.toml`, settles it."};

// A kind of finding that is missing here gets the last row.
constexpr SarifRule findings[] = {
    {"high-contention", "HighContention", "Threads often find this lock taken.",
     "Shorten the sections, split the lock, or use a lock that suits them; the message names the "
     "likely causes. `qdadvise advise` predicts what each algorithm would bring."},
    {"extensive-acquisitions", "ExtensiveAcquisitions",
     "This lock is acquired very often, though hardly contended.",
     "Each acquisition costs time even if nobody waits. Join sections, use an atomic, or keep the "
     "data of each thread apart."},
    {"asymmetric-contention", "AsymmetricContention",
     "Some locks of this class are contended, others are not.",
     "The work is not spread evenly over the locks. Take a better hash, make the parts smaller, or "
     "divide the busiest one again."},
    {"try-lock-failures", "TryLockFailures", "Many tries to take this lock fail.",
     "Who polls burns a core. A mutex with a condition variable lets the thread sleep."},
    {"load-imbalance", "LoadImbalance", "Some threads wait while others have too much to do.",
     "Give each kind of work threads in proportion to its computation."},
    {"memory-diagnosis", "MemoryDiagnosis",
     "A memory trace tells what the sections of this lock do with data.",
     "Sections that share nothing, only read, or update one integer need a lighter lock, or none."},
    {"lock-use", "LockUse", "The way this lock is used costs time.",
     "The message says what was measured, and what helps."},
};

} // namespace

const SarifRule &lockAlgorithmRule() { return lockAlgorithm; }

const SarifRule &findingRule(std::string_view id) {
  const SarifRule *const found = std::find_if(std::begin(findings), std::end(findings),
                                              [&](const SarifRule &rule) { return rule.id == id; });
  return found == std::end(findings) ? *std::prev(found) : *found;
}

} // namespace qdadvise
