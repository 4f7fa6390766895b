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

} // namespace

std::string whatIfText(const AdviceReport &report, std::size_t lock) {
  std::string text;
  for (const WhatIf &one : report.whatIfs) {
    if (one.lock != lock)
      continue;
    std::string line = fmt::format("  ? what {}: {}", one.condition, gainText(one.today));
    if (anyChange(report.decisions))
      line += fmt::format(", and {} over the program as advised", gainText(one.advised));
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
    entry["speedup"] = one.today.ratio;
    entry["interval"] = {one.today.low, one.today.high};
    entry["over_advised"] = one.advised.ratio;
    entry["over_advised_interval"] = {one.advised.low, one.advised.high};
    result.push_back(std::move(entry));
  }
  return result;
}

} // namespace qdadvise
