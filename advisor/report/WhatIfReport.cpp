// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/Reasons.h"
#include "advisor/report/AdviceReport.h"
#include "advisor/report/Wrapped.h"

#include <algorithm>
#include <fmt/format.h>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;

bool anyChange(const Decisions &decisions) {
  return std::any_of(decisions.locks.begin(), decisions.locks.end(),
                     [](const LockDecision &decision) { return !decision.keep; });
}

/// Over the program of today and, where that is another one, as advised.
std::string gainsText(const WhatIf &one, bool changes) {
  const std::string advised = gainText(one.advised) + " over the program as advised";
  std::string text;
  if (one.today.known)
    text = gainText(one.today);
  if (changes && one.advised.known)
    text += (text.empty() ? "" : ", and ") + advised;
  if (one.today.known && (!changes || one.advised.known))
    return text;
  if (!text.empty())
    text += one.today.known ? "; over the program as advised " : "; over that of today ";
  return text + "nothing can be said: threads that hold one lock of a class would wait for another "
                "of it, where the models have only a bound";
}

Json numbers(const GainInterval &gain) {
  return gain.known ? Json{gain.low, gain.high} : Json(nullptr);
}

Json ratio(const GainInterval &gain) { return gain.known ? Json(gain.ratio) : Json(nullptr); }

} // namespace

std::string whatIfText(const AdviceReport &report, std::size_t lock) {
  std::string text;
  for (const WhatIf &one : report.whatIfs) {
    if (one.lock != lock)
      continue;
    const std::string line =
        fmt::format("  ? what {}: {}", one.condition, gainsText(one, anyChange(report.decisions)));
    text += wrapped(line, 4);
  }
  return text;
}

Json whatIfJson(const AdviceReport &report, std::size_t lock) {
  Json result = Json::array();
  for (const WhatIf &one : report.whatIfs) {
    if (one.lock != lock)
      continue;
    Json entry = {{"fix", one.request.fix}};
    if (one.request.amount > 0)
      entry["amount"] = one.request.amount;
    if (one.section)
      entry["section"] = report.network.sections[*one.section].name;
    if (!one.kind.empty())
      entry["kind"] = one.kind;
    entry["condition"] = one.condition;
    entry["speedup"] = ratio(one.today);
    entry["interval"] = numbers(one.today);
    entry["over_advised"] = ratio(one.advised);
    entry["over_advised_interval"] = numbers(one.advised);
    result.push_back(std::move(entry));
  }
  return result;
}

} // namespace qdadvise
