// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small profiles for tests, built as a run would have left them.
#pragma once

#include "advisor/profile/Profile.h"
#include "runtime/abi/profile_format.h"
#include "runtime/abi/site_record.h"

#include <string>
#include <vector>

namespace qdadvise::testing {

/// The moments and the histogram of these values.
Moments momentsOf(const std::vector<double> &values);
/// `count` times the same value.
Moments constant(std::uint64_t count, double value);
void addToHistogram(Histogram &histogram, double value, std::uint64_t count);

/// Adds members and returns their indices.
class ProfileBuilder {
public:
  ProfileBuilder();

  std::size_t threads(const std::string &name, std::uint32_t count, bool isMain = false);
  std::size_t lockClass(const std::string &name, LockKind kind);
  void lock(std::size_t lockClass, std::uint64_t address, std::uint64_t acquisitions,
            double heldNs = 0);
  std::size_t site(const std::string &function, std::uint32_t line,
                   const std::string &file = "src/db.cc");
  /// A section that always takes `holdNs`, and its histogram.
  std::size_t section(std::size_t threads, std::size_t site, std::size_t lockClass,
                      std::uint64_t acquisitions, double holdNs,
                      std::optional<std::size_t> inside = std::nullopt);
  void transition(std::size_t threads, std::optional<std::size_t> from,
                  std::optional<std::size_t> to, std::uint64_t count, double localNs,
                  double blockedNs = 0);

  Profile profile;
};

/// One worker class that goes round `Db::get` and `Db::put` on `Db::m`, with `Log::add`
/// on `Log::m` nested in the latter, and a main thread that takes `Db::m` once.
Profile sampleProfile();

} // namespace qdadvise::testing
