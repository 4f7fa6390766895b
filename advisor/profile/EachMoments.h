// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/profile/Profile.h"
#include "runtime/abi/profile_format.h"

namespace qdadvise {

/// Calls `visit(which, index, moments)` for all moments of a profile, const or not.
template <typename SomeProfile, typename Visit>
void forEachMoments(SomeProfile &profile, Visit visit) {
  using format::MomentsOf;
  for (std::size_t i = 0; i < profile.sections.size(); ++i) {
    visit(MomentsOf::hold, i, profile.sections[i].hold);
    visit(MomentsOf::wait, i, profile.sections[i].wait);
    visit(MomentsOf::waitContended, i, profile.sections[i].waitContended);
    visit(MomentsOf::waitByWriter, i, profile.sections[i].waitByWriter);
  }
  for (std::size_t i = 0; i < profile.transitions.size(); ++i) {
    visit(MomentsOf::local, i, profile.transitions[i].local);
    visit(MomentsOf::blocked, i, profile.transitions[i].blocked);
  }
  for (std::size_t i = 0; i < profile.lockClasses.size(); ++i)
    visit(MomentsOf::busy, i, profile.lockClasses[i].readers.busy);
}

} // namespace qdadvise
