// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Networks of sample profiles, for tests of how they are made.
#pragma once

#include "advisor/network/construction/Construction.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <optional>

namespace qdadvise::testing {

inline Machine machine() {
  Machine machine;
  machine.name = "test";
  machine.cores = 4;
  machine.kinds[LockKind::pthreadMutex].figures["lock_overhead_ns"].value = 20;
  machine.kinds[LockKind::spinlock].figures["lock_overhead_ns"].value = 8;
  return machine;
}

/// The network, or a failure of the test.
inline Construction construct(const Profile &profile, const ConstructionOptions &options = {}) {
  Expected<Construction> construction = constructNetwork(profile, machine(), options);
  if (!construction) {
    ADD_FAILURE() << construction.error().message;
    return {};
  }
  return *construction;
}

/// A worker that runs one section `count` times.
inline ProfileBuilder loop(std::uint64_t count, double holdNs, double localNs) {
  ProfileBuilder b;
  const std::size_t worker = b.threads("worker", 1);
  const std::size_t lock = b.lockClass("L::m", LockKind::pthreadMutex);
  b.lock(lock, 0x10, count);
  const std::size_t run = b.section(worker, b.site("run()", 5), lock, count, holdNs);
  b.transition(worker, std::nullopt, run, 1, localNs);
  b.transition(worker, run, run, count - 1, localNs);
  b.transition(worker, run, std::nullopt, 1, 0);
  return b;
}

} // namespace qdadvise::testing
