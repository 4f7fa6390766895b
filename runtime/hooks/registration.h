// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How instrumented objects make their sites known, before a hook runs or at its first run.
#pragma once

#include "runtime/abi/site_record.h"

#include <cstdint>

namespace qdadvise::runtime {

/// Whether the hooks of such a site act at once: they are no events of their thread.
constexpr bool actsAtOnce(SiteRole role) {
  return role == SiteRole::lifetime || role == SiteRole::spawn;
}
/// What they do.
void actAtOnce(const SiteRecord &record, const void *address);

/// There is code of another version of the plugin, whose hooks stay off.
void sayOtherVersion();

/// Gives a record its index when its hook runs before its constructor; 0 if that
/// cannot be.
std::uint32_t registerLate(SiteRecord &record);

} // namespace qdadvise::runtime
