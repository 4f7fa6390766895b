// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooks of `hooks=xray`. All of this does nothing in a program without XRay.
#pragma once

#include "runtime/abi/site_record.h"
#include "runtime/events/recording_mode.h"

namespace qdadvise::runtime {

/// Joins the records' thunks to XRay's function ids. Returns how many were found.
unsigned connectXray(SiteRecord *begin, SiteRecord *end);
/// Switches every connected thunk: these are on from here on.
void patchXray(HooksOn hooks);
/// The code of these records is about to be unmapped.
void forgetSleds(const SiteRecord *begin, const SiteRecord *end);
/// Ticks of one hook; 0 while no thunk is on.
double measureXrayHook();
/// Held across fork.
void lockHookEntries();
void unlockHookEntries();

} // namespace qdadvise::runtime
