// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/AdviceOf.h"

#include "advisor/decide/Reasons.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace qdadvise {
namespace {

Advice adviceFor(const LockDecision &decision, const Lock &lock) {
  Advice advice;
  advice.lock = lock.name;
  advice.today = decision.today.name();
  advice.advised = decision.advised.name();
  advice.label = decision.advised.label();
  advice.keep = decision.keep;
  advice.threads = decision.threads;
  advice.contentionRate = decision.alternatives.front().prediction.contentionRate;
  advice.speedup = decision.speedup;
  advice.low = decision.low;
  advice.high = decision.high;
  // What stands in for a lock without a model has no figures worth printing.
  if (decision.today.isKnown())
    for (const LockDecision::Alternative &alternative : decision.alternatives)
      advice.waitNs.emplace_back(algorithmOf(alternative.kind).label,
                                 alternative.prediction.waitNs);
  advice.reasons = decision.reasons;
  advice.obstacles = decision.obstacles;
  return advice;
}

void setSite(Advice &advice, const SourceSite &site) {
  advice.file = site.file;
  advice.function = site.function;
  advice.expression = site.expression;
  advice.line = site.line;
  advice.column = site.column;
  advice.ordinal = site.ordinal;
  advice.sectionHash = site.sectionHash;
}

} // namespace

AdviceFile adviceOf(const Decisions &decisions, const Network &network, const Machine &machine,
                    const AdviceOrigin &origin) {
  AdviceFile file;
  file.program = origin.program;
  file.date = origin.date;
  file.threads = origin.threads;
  file.cores = origin.cores;
  file.machine = machine.name;
  file.machineSource = machine.source;
  const GainInterval &together = decisions.together;
  if (together.known && std::ranges::any_of(decisions.locks, [](auto &lock) { return !lock.keep; }))
    file.together = AdvisedGain{together.ratio, together.low, together.high};
  // Several thread classes, or several outer sections, may run through one site.
  std::set<std::tuple<std::size_t, std::string, std::uint32_t, std::uint32_t, std::string,
                      std::uint32_t, std::string>>
      seen;
  for (const Section &section : network.sections) {
    if (!section.site)
      continue;
    const SourceSite &site = *section.site;
    if (!seen.emplace(section.lock, site.file, site.line, site.column, site.expression,
                      site.ordinal, site.function)
             .second)
      continue;
    Advice advice = adviceFor(decisions.locks[section.lock], network.locks[section.lock]);
    setSite(advice, site);
    file.advice.push_back(std::move(advice));
  }
  return file;
}

} // namespace qdadvise
