// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/uses/Completion.h"

#include <algorithm>

namespace qdadvise {
namespace {

/// Is that place in a section of the lock, and not in a function of its own in there?
bool isUnder(const ProgramLock &lock, const LastingUse &use, const ProgramUses &program) {
  return std::ranges::any_of(lock.uses, [&](const LockUse &site) {
    if (!site.rest && !site.section)
      return false;
    const UnawaitedSection &section = site.rest ? site.rest->unawaited : site.section->unawaited;
    const bool isGivenUp =
        site.rest && program.usedGuards.contains({site.rest->guard.file, site.rest->guard.offset});
    return !isGivenUp && !section.text.file.empty() && section.text.file == use.text.file &&
           section.text.offset <= use.text.offset && use.text.offset < section.text.end() &&
           section.body == use.body;
  });
}

std::optional<WaitReason> reasonOf(const std::string &key, const ProgramLock &lock,
                                   const ProgramUses &program) {
  const auto variable = program.lasting.find(key);
  if (variable == program.lasting.end())
    return WaitReason{"one of its variables is not known", lock.place};
  const auto &[name, place, uses] = variable->second;
  const std::string quoted = "'" + name + "'";
  for (const LastingUse &use : uses) {
    if (use.escapes)
      return WaitReason{quoted + " is not only read and written", use.text};
    if (!isUnder(lock, use, program))
      return WaitReason{quoted + " is used without the lock", use.text};
  }
  for (const Mention &mention : program.mentionsOf(name, key, place, ""))
    return WaitReason{quoted + " is named in code that was not compiled", mention.text};
  return std::nullopt;
}

} // namespace

std::optional<WaitReason> reasonToWait(const UnawaitedSection &section, const ProgramLock &lock,
                                       const ProgramUses &program) {
  if (!section.obstacle.empty())
    return WaitReason{section.obstacle, section.place};
  if (!lock.isStatic || !section.isOfOneLock)
    return WaitReason{"the lock is no variable of static storage by itself", section.text};
  for (const std::string &key : section.variables)
    if (std::optional<WaitReason> reason = reasonOf(key, lock, program))
      return reason;
  return std::nullopt;
}

} // namespace qdadvise
