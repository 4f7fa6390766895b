// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/uses/ProgramUses.h"

#include <algorithm>

namespace qdadvise {

std::string ProgramUses::innerOf(const OtherLock &lock) const {
  const auto found = innerLocks.find(lock.type);
  if (!lock.innerKey.empty() || found == innerLocks.end() || found->second.size() != 1)
    return lock.innerKey;
  return *found->second.begin();
}

CodeFacts ProgramUses::withFunctions(CodeFacts code) const {
  std::map<std::string, std::string> open = std::move(code.unseen);
  code.unseen.clear();
  std::set<std::string> done;
  while (!open.empty()) {
    const auto next = open.extract(open.begin());
    if (!done.insert(next.key()).second)
      continue;
    const auto function = functions.find(next.key());
    if (function == functions.end()) {
      code.unseen.emplace(next.key(), next.mapped());
      continue;
    }
    code.bits |= function->second.bits;
    code.takes.insert(function->second.takes.begin(), function->second.takes.end());
    code.isOpen |= function->second.isOpen;
    open.insert(function->second.unseen.begin(), function->second.unseen.end());
  }
  return code;
}

bool ProgramUses::isOfOneFile(const std::string &key, const TextRange &place) const {
  const auto units = unitsOf.find(place.file);
  return key.starts_with('/') && units != unitsOf.end() &&
         units->second == std::set<std::string>{place.file};
}

bool ProgramUses::isOfAnother(const Mention &mention, const std::string &record) const {
  if (!mention.isMember || mention.gate != Gate::inactiveCode)
    return false;
  const auto records = recordsOf.find(mention.object);
  return record.empty() || (records != recordsOf.end() && !records->second.contains(record));
}

std::vector<Mention> ProgramUses::mentionsOf(const std::string &whole, const std::string &key,
                                             const TextRange &place,
                                             const std::string &record) const {
  const std::size_t scope = whole.rfind("::");
  const std::string name = scope == std::string::npos ? whole : whole.substr(scope + 2);
  Mention first;
  first.name = name;
  first.gate = Gate{};
  const bool isLocal = isOfOneFile(key, place);
  std::vector<Mention> found;
  for (auto mention = mentions.lower_bound(first);
       mention != mentions.end() && mention->name == name; ++mention)
    if (!isOfAnother(*mention, record) &&
        !resolved.contains({mention->text.file, mention->text.offset}) &&
        !(isLocal && mention->text.file != place.file))
      found.push_back(*mention);
  return found;
}

void ProgramUses::add(const std::string &key, const LockUse &use) {
  std::vector<LockUse> &uses = locks[key].uses;
  const auto at = std::lower_bound(uses.begin(), uses.end(), use);
  if (at == uses.end() || use < *at)
    uses.insert(at, use);
}

} // namespace qdadvise
