// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/compare/ComparisonJson.h"

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;

/// A figure in both runs, and its change; null where there is none in one of them.
Json figureJson(const LockComparison &lock, double before, double after, const char *name,
                const std::optional<ChangeInterval> &change) {
  Json json = {{"before", lock.isNew ? Json(nullptr) : Json(before)},
               {"after", lock.isGone ? Json(nullptr) : Json(after)},
               {name, nullptr},
               {"interval", nullptr}};
  if (change && !lock.isNew && !lock.isGone) {
    json[name] = change->value;
    json["interval"] = {change->low, change->high};
  }
  return json;
}

Json adviceJson(const std::optional<LockDecision> &decision) {
  if (!decision)
    return nullptr;
  return {{"kind", decision->advised.name()},
          {"today", decision->today.name()},
          {"keep", decision->keep},
          {"speedup", decision->speedup},
          {"interval", {decision->low, decision->high}}};
}

Json lockJson(const LockComparison &lock) {
  Json because = Json::array();
  if (lock.isLonger)
    because.push_back("held_longer");
  if (lock.isContended)
    because.push_back("more_contended");
  if (lock.needsChange)
    because.push_back("needs_change");
  return {{"name", lock.name},
          {"worse", lock.isWorse()},
          {"because", std::move(because)},
          {"new", lock.isNew},
          {"gone", lock.isGone},
          {"held_share", lock.share},
          {"hold_ns", figureJson(lock, lock.holdBefore, lock.holdAfter, "ratio", lock.longer)},
          {"contention_rate",
           figureJson(lock, lock.takenBefore, lock.takenAfter, "difference", lock.taken)},
          {"advice", {{"before", adviceJson(lock.before)}, {"after", adviceJson(lock.after)}}},
          {"verdict_changed", lock.verdictChanged()}};
}

} // namespace

Json comparisonJson(const ComparisonReport &report) {
  Json document = {{"worse", report.anyWorse()}, {"locks", Json::array()}, {"notes", report.notes}};
  for (const LockComparison &lock : report.locks)
    document["locks"].push_back(lockJson(lock));
  return document;
}

} // namespace qdadvise
