// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where threads waited for locks, in the format of pprof and the back ends that collect its
// profiles.
#pragma once

#include "advisor/report/Reporter.h"

#include <string>

namespace qdadvise {

/// A profile.proto (github.com/google/pprof/proto), in gzip's frame. Sample types are those of Go's
/// mutex profile: contentions/count and, where times were taken, delay/nanoseconds. A sample is
/// a site of the summary in one mode, if anybody waited there; its labels are the lock's name and
/// algorithm and the mode.
std::string profilePprof(const Profile &profile, const ProfileSummary &summary);

class PprofReporter : public Reporter {
public:
  std::string writeProfile(const ProfileReport &report) const override {
    return profilePprof(report.profile, report.summary);
  }
};

} // namespace qdadvise
