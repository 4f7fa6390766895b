// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/MemoryJson.h"

#include "advisor/profile/Names.h"

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;

Json sectionsJson(const OptimisticSections &of, const std::vector<std::string> &names) {
  Json json = {{"waits", of.waits},
               {"conflict_probability", of.conflict},
               {"line_conflict_probability", of.lineConflict}};
  json["threads"] = Json::array();
  for (const OptimisticThreads &one : of.threads)
    json["threads"].push_back({{"class", names[one.threadClass]},
                               {"wait_share", one.waitShare},
                               {"section_share", one.sectionShare},
                               {"speedup", one.gain.speedup},
                               {"benefit", one.gain.benefit}});
  return json;
}

} // namespace

Json memoryJson(const SectionMemory &memory) {
  Json json = {{"executions", memory.executions},
               {"instructions", memory.mean(memory.instructions)},
               {"reads", memory.mean(memory.reads)},
               {"writes", memory.mean(memory.writes)},
               {"atomics", memory.mean(memory.atomics)},
               {"stack_accesses", memory.mean(memory.stackAccesses)},
               {"locations", memory.mean(memory.locationsRead + memory.locationsWritten)},
               {"locations_written", memory.mean(memory.locationsWritten)},
               {"cache_lines", memory.mean(memory.linesRead + memory.linesWritten)},
               {"cache_lines_written", memory.mean(memory.linesWritten)},
               {"distinct_cache_lines", memory.distinctLines()},
               {"shared_share", memory.sharedShare()}};
  const std::optional<Conflicts> conflicts = conflictsOf(memory);
  const auto known = [&](double Conflicts::*figure) {
    return conflicts ? Json((*conflicts).*figure) : Json(nullptr);
  };
  json["conflict_probability"] = known(&Conflicts::probability);
  json["false_conflict_probability"] =
      conflicts ? Json(conflicts->falseProbability()) : Json(nullptr);
  json["conflict_locations"] = known(&Conflicts::locations);
  json["conflict_cache_lines"] = known(&Conflicts::lines);
  json["pairs"] = !conflicts                ? Json(nullptr)
                  : conflicts->otherThreads ? Json("other_threads")
                                            : Json("own_executions");
  json["pairs_compared"] = conflicts ? conflicts->pairs : 0;
  return json;
}

void addOptimisticJson(Json &document, const std::optional<OptimisticProgram> &optimistic,
                       const Profile &profile, const ProfileSummary &summary) {
  document["optimistic"] = nullptr;
  if (!optimistic)
    return;
  document["optimistic"] = {{"efficiency", optimistic->efficiency},
                            {"speedup", optimistic->speedup}};
  const std::vector<std::string> names = threadClassNames(profile);
  for (std::size_t i = 0; i < summary.locks.size(); ++i) {
    const LockSummary &lock = summary.locks[i];
    const OptimisticLock *const found = optimistic->find(lock.lockClass);
    if (!found)
      continue;
    Json &json = document["locks"][i];
    json["optimistic"] = sectionsJson(*found, names);
    for (std::size_t j = 0; j < lock.sites.size(); ++j)
      if (const auto *const site = found->find(lock.sites[j].site, lock.sites[j].shared))
        json["sites"][j]["optimistic"] = sectionsJson(*site, names);
  }
}

} // namespace qdadvise
