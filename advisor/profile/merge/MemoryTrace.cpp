// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/merge/MemoryTrace.h"

#include "advisor/profile/Identity.h"

#include <fmt/format.h>

namespace qdadvise {
namespace {

/// How alike two sections of two profiles are. 0: they are at different places.
int likeness(const Profile &a, const ProfiledSection &inA, const Profile &b,
             const ProfiledSection &inB) {
  if (inA.other || inB.other || inA.shared != inB.shared ||
      identity(a.sites[inA.site]) != identity(b.sites[inB.site]))
    return 0;
  const bool sameLock =
      identity(a.lockClasses[inA.lockClass]) == identity(b.lockClasses[inB.lockClass]);
  const bool sameThreads =
      identity(a.threadClasses[inA.threadClass]) == identity(b.threadClasses[inB.threadClass]);
  return 1 + (sameThreads ? 1 : 0) + (sameLock ? 2 : 0);
}

/// The sum over the traced sections that are most alike.
std::optional<SectionMemory> memoryFor(const Profile &run, const ProfiledSection &section,
                                       const Profile &trace) {
  std::optional<SectionMemory> found;
  int best = 1;
  for (const ProfiledSection &traced : trace.sections) {
    const int alike = traced.memory ? likeness(run, section, trace, traced) : 0;
    if (alike < best)
      continue;
    if (alike > best || !found)
      found.emplace();
    best = alike;
    found->merge(*traced.memory);
  }
  return found;
}

} // namespace

bool isMemoryTrace(const Profile &profile) { return (profile.flags & format::runMemory) != 0; }

Expected<Profile> withMemoryTrace(Profile run, const Profile &trace) {
  bool any = false;
  for (ProfiledSection &section : run.sections) {
    section.memory = memoryFor(run, section, trace);
    any |= section.memory.has_value();
  }
  if (!any)
    return makeError(fmt::format("the diagnosis run of '{}' has traced no section that '{}' has: "
                                 "compile both from the same source at the same path (or with "
                                 "-ffile-prefix-map), and record the same work",
                                 trace.program, run.program));
  return run;
}

} // namespace qdadvise
