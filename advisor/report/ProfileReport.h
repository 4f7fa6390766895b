// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `qdadvise report` shows: what a run measured, and what is wrong with it.
#pragma once

#include "advisor/advice/FindingThresholds.h"
#include "advisor/decide/Findings.h"
#include "advisor/decide/Optimistic.h"
#include "advisor/profile/summary/Summary.h"

#include <optional>
#include <vector>

namespace qdadvise {

/// What of the summary is shown, and how.
struct ReportView {
  bool rate = false;         ///< text: acquisitions per second instead of the utilization
  bool percentiles = false;  ///< text: of times, instead of mean and maximum
  std::size_t instances = 0; ///< so many lock objects of each class, the busiest first
};

struct ProfileReport {
  Profile profile;        ///< without call paths
  ProfileSummary summary; ///< of the locks and sites that were asked for
  std::vector<Finding> findings;
  FindingThresholds thresholds; ///< of the findings and of quadrants
  std::optional<OptimisticProgram> optimistic;
  ReportView view;
};

} // namespace qdadvise
