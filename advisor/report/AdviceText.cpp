// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/AdviceText.h"

#include "advisor/decide/Reasons.h"
#include "advisor/support/Format.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace qdadvise {
namespace {

constexpr std::size_t mostKept =
    10; ///< locks to keep that are shown; advice.toml and the JSON have all

std::string headline(const AdviceReport &report, const LockDecision &decision,
                     const TextStyle &style) {
  const std::string name = report.network.locks[decision.lock].name;
  if (decision.keep)
    return style.bold(name) + ": keep " +
           (report.network.locks[decision.lock].assumed ? "it as it is"
                                                        : "the " + decision.today.label()) +
           "\n";
  const std::string verdict = "make it " + withArticle(decision.advised.label());
  const std::string gain = gainText({decision.speedup, decision.low, decision.high});
  // Escape sequences have no width: the padding is computed on the plain text.
  const std::size_t used = name.size() + 2 + verdict.size() + gain.size();
  const std::string gap(used + 2 <= style.width ? style.width - used : 2, ' ');
  return style.bold(name) + ": " + style.good(verdict) + gap + gain + "\n";
}

std::string waits(const LockDecision &decision, const TextStyle &style) {
  std::string text;
  for (const LockDecision::Alternative &alternative : decision.alternatives)
    text += fmt::format("{}{} {}", text.empty() ? "  mean wait: " : ", ",
                        algorithmOf(alternative.kind).label,
                        formatDuration(alternative.prediction.waitNs));
  return style.wrapped(text, 4);
}

std::string places(const AdviceReport &report, const LockDecision &decision,
                   const TextStyle &style) {
  std::string text;
  std::set<std::string> seen;
  for (const Section &section : report.network.sections) {
    if (section.lock != decision.lock || !section.site)
      continue;
    const std::string place = fmt::format("{}:{}", section.site->file, section.site->line);
    if (seen.insert(place).second)
      text += (text.empty() ? "  at " : ", ") + place;
  }
  return text.empty() ? "" : style.wrapped(text, 5);
}

bool anyChange(const Decisions &decisions) {
  return std::any_of(decisions.locks.begin(), decisions.locks.end(),
                     [](const LockDecision &decision) { return !decision.keep; });
}

/// The gain over the program of today and, where changes are advised, over the program with them.
std::string gainsText(const WhatIf &one, bool changes) {
  const std::string advised = gainText(one.advised) + " over the program as advised";
  std::string text;
  if (one.today.known)
    text = gainText(one.today);
  // What helps the locks of today may be in the way of better ones.
  const bool instead = one.today.known && one.today.ratio > 1 && one.advised.ratio < 1;
  if (changes && one.advised.known)
    text += (text.empty() ? ""
             : instead    ? " instead of the advice; with it a loss, "
                          : ", and ") +
            advised;
  if (one.today.known && (!changes || one.advised.known))
    return text;
  if (!text.empty())
    text += one.today.known ? "; over the program as advised " : "; over that of today ";
  return text + "nothing can be said: threads that hold one lock of a class would wait for another "
                "of it, where the models have only a bound";
}

std::string block(const AdviceReport &report, const LockDecision &decision,
                  const TextStyle &style) {
  std::string text = headline(report, decision, style);
  if (decision.today.isKnown() && !report.decisions.today.worstCase)
    text += waits(decision, style);
  for (const std::string &reason : decision.reasons)
    text += style.wrapped("  - " + reason, 4);
  for (const std::string &obstacle : decision.obstacles)
    text += style.warn(style.wrapped("  ! " + obstacle, 4));
  text += whatIfText(report, decision.lock, style);
  return text + style.dim(places(report, decision, style)) + "\n";
}

/// Those of the locks to keep that cost next to nothing, and where nothing else would help.
std::vector<const LockDecision *> quietLocks(const AdviceReport &report,
                                             const std::vector<const LockDecision *> &among) {
  constexpr double nextToNothing = 0.001, nsPerS = 1e9;
  std::vector<const LockDecision *> quiet;
  for (const LockDecision *decision : among) {
    const LockPrediction &today = decision->alternatives.front().prediction;
    const double lost = today.waitNs * today.throughputPerS / (nsPerS * report.threads);
    if (decision->keep && lost < nextToNothing && decision->obstacles.empty() &&
        whatIfSentences(report, decision->lock).empty())
      quiet.push_back(decision);
  }
  return quiet;
}

/// Changes first, the largest gain first; then the locks to keep, the longest waits first.
std::vector<const LockDecision *> inOrder(const Decisions &decisions) {
  std::vector<const LockDecision *> order;
  for (const LockDecision &decision : decisions.locks)
    order.push_back(&decision);
  const auto lost = [](const LockDecision *decision) {
    const LockPrediction &today = decision->alternatives.front().prediction;
    return today.waitNs * today.throughputPerS;
  };
  std::sort(order.begin(), order.end(), [&](const LockDecision *a, const LockDecision *b) {
    if (a->keep != b->keep)
      return b->keep;
    const double x = a->keep ? lost(a) : a->speedup, y = b->keep ? lost(b) : b->speedup;
    return x != y ? x > y : a->lock < b->lock;
  });
  return order;
}

/// What keeps the whole run from going as fast as its sections, besides what is serial.
const char *limitText(RunLimit limit) {
  switch (limit) {
  case RunLimit::sections:
    break;
  case RunLimit::stretch:
    return ", and what limits the rest is one stretch between two sections, which threads cannot "
           "share";
  case RunLimit::pipeline:
    return ", and what limits the rest is a thread that does not scale, on whose work the others "
           "go";
  }
  return "";
}

/// Whether the program of today scales, and at which number of threads it is fastest.
std::string scalingText(const AdviceReport &report) {
  const auto slower = [](const AdviceReport::ScalingPoint &a, const AdviceReport::ScalingPoint &b) {
    return a.speedup < b.speedup;
  };
  if (report.scaling.size() < 2 || report.scaling.front().speedup <= 0)
    return "";
  if (const double blocked = report.decisions.today.blockedShare; blocked > Prediction::mostBlocked)
    return fmt::format(
        " How far the program scales is not known: its threads are blocked for {} of "
        "their time, in waits that locks do not explain.",
        formatPercent(blocked));
  const AdviceReport::ScalingPoint &last = report.scaling.back();
  const AdviceReport::ScalingPoint best =
      *std::max_element(report.scaling.begin(), report.scaling.end(), slower);
  const double atLast = last.speedup, atBest = best.speedup;
  constexpr double scalesWell = 0.7, hardly = 1.5, hardlyLess = 0.97;
  if (atLast >= atBest * hardlyLess)
    return fmt::format(" The program {}: {} threads do {} the work of one.",
                       atLast >= scalesWell * last.threads ? "scales"
                       : atLast >= hardly                  ? "scales in part"
                                                           : "hardly scales",
                       last.threads, formatFactor(atLast));
  if (best.threads == 1)
    return fmt::format(" The program does not scale: {} threads do {} the work of one.",
                       last.threads, formatFactor(atLast));
  return fmt::format(
      " The program does not scale that far: it is fastest at about {} threads, with "
      "{} the work of one, and {} threads do {}.",
      best.threads, formatFactor(atBest), last.threads, formatFactor(atLast));
}

/// The fix of one lock's sections that gains most over the program of today; null: none is known.
const WhatIf *bestFix(const AdviceReport &report) {
  const WhatIf *best = nullptr;
  for (const WhatIf &one : report.whatIfs)
    if (one.today.known && (!best || one.today.ratio > best->today.ratio))
      best = &one;
  return best;
}

std::string fixText(const AdviceReport &report, const WhatIf &fix) {
  return fmt::format("a change to the sections of {}: {} {}", report.network.locks[fix.lock].name,
                     gainText(fix.today), fix.condition);
}

/// The share of the threads' time that they wait for a lock.
double waitShare(const AdviceReport &report, const LockPrediction &lock) {
  constexpr double nsPerS = 1e9;
  return lock.waitNs * lock.throughputPerS / (nsPerS * report.threads);
}

/// What can be done where every lock is to be kept.
std::string remedyText(const AdviceReport &report) {
  const std::vector<LockPrediction> &locks = report.decisions.today.locks;
  double lost = 0;
  for (const LockPrediction &lock : locks)
    lost += waitShare(report, lock);
  // Of a lock whose holding time is not known no fix is looked for.
  constexpr double matters = 0.01;
  const Section *unknown = nullptr;
  for (const Section &section : report.network.sections)
    if (const double share = waitShare(report, locks[section.lock]);
        section.delayed && share > matters &&
        (!unknown || share > waitShare(report, locks[unknown->lock])))
      unknown = &section;
  std::string remedy = "no change to the sections of one lock is predicted to be worth its work";
  if (const WhatIf *const best = bestFix(report))
    remedy = "what would help most is " + fixText(report, *best);
  else if (unknown)
    remedy = "what would help is not known, as nobody can tell how long " +
             report.network.locks[unknown->lock].name + " is held";
  return fmt::format(" Threads wait for locks in {} of their time; {}.",
                     formatPercent(std::min(1.0, lost)), remedy);
}

std::string together(const AdviceReport &report, const TextStyle &style) {
  const Decisions &decisions = report.decisions;
  const auto changes = std::count_if(decisions.locks.begin(), decisions.locks.end(),
                                     [](const LockDecision &decision) { return !decision.keep; });
  // A lower bound tells neither who waits in the program nor how it scales.
  if (changes == 0 && decisions.today.worstCase)
    return style.wrapped(
        fmt::format("Keep every lock: no model tells what another one would gain, for threads that "
                    "hold one lock wait for another of its class, or for one that others take "
                    "first. {} critical sections per second are a lower bound.",
                    formatRate(decisions.today.throughputPerS)),
        2);
  if (changes == 0)
    return style.wrapped(
        fmt::format("Keep every lock; {} critical sections per second are predicted.",
                    formatRate(decisions.today.throughputPerS)) +
            scalingText(report) + remedyText(report),
        2);
  const GainInterval &gain = decisions.together;
  std::string text = fmt::format("{}: throughput {}, from {} to {} critical sections per second.",
                                 changes == 1 ? "With this change" : "With all changes",
                                 gainText(gain), formatRate(decisions.today.throughputPerS),
                                 formatRate(decisions.advised.throughputPerS));
  if (const auto &whole = report.whole)
    text += fmt::format(" The whole run is faster by {}: {} of its time is serial today, {}{}.",
                        gainText(whole->gain), formatPercent(whole->serialShare), whole->serial,
                        limitText(whole->limit));
  constexpr double clearlyMore = 1.1;
  if (const WhatIf *const best = bestFix(report);
      best && best->today.ratio > clearlyMore * gain.ratio)
    text += " More would be gained by " + fixText(report, *best) + ".";
  return style.wrapped(text, 2);
}

/// The names of these decisions' locks, each within so many columns.
std::vector<std::string> namesOf(const AdviceReport &report,
                                 const std::vector<const LockDecision *> &decisions,
                                 std::size_t room) {
  std::vector<std::string> names;
  for (const LockDecision *decision : decisions)
    names.push_back(report.network.locks[decision->lock].name);
  return lockNamesWithin(names, room);
}

/// A line for each lock: what it should be, what that gains, and how often it is waited for today.
std::string verdicts(const AdviceReport &report, const std::vector<const LockDecision *> &order,
                     const TextStyle &style) {
  constexpr std::size_t otherColumns = 53, narrowest = 12;
  const std::size_t nameWidth = std::max(style.width, otherColumns + narrowest) - otherColumns;
  std::string text = style.bold(fmt::format("{:<{}} {:<21} {:>6}  {}", "lock", nameWidth,
                                            "should be", "taken", "gain of the program")) +
                     "\n";
  const std::vector<std::string> names = namesOf(report, order, nameWidth);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const LockDecision *const decision = order[i];
    const Lock &lock = report.network.locks[decision->lock];
    const std::string verdict = !decision->keep ? decision->advised.label()
                                : lock.assumed  ? "kept as it is"
                                                : fmt::format("kept ({})", decision->today.label());
    const std::string taken =
        decision->today.isKnown() && !report.decisions.today.worstCase
            ? precisePercent(decision->alternatives.front().prediction.contentionRate)
            : "";
    std::string line = fmt::format("{:<{}} {:<21} {:>6}", names[i], nameWidth, verdict, taken);
    if (!decision->keep)
      line += "  " + gainText({decision->speedup, decision->low, decision->high});
    text += decision->keep ? line + "\n" : style.good(line) + "\n";
  }
  return text;
}

/// One sentence for the locks that stay.
std::string keptText(const AdviceReport &report, const std::vector<const LockDecision *> &kept,
                     const TextStyle &style) {
  if (kept.empty())
    return "";
  constexpr double nsPerS = 1e9;
  double waited = 0;
  // A bound, and what stands in for a lock without a model, have no figures worth printing.
  bool isKnown = !report.decisions.today.worstCase;
  for (const LockDecision *decision : kept) {
    const LockPrediction &today = decision->alternatives.front().prediction;
    isKnown = isKnown && decision->today.isKnown();
    waited += today.waitNs * today.throughputPerS;
  }
  constexpr std::size_t mostNames = 3;
  std::string text = fmt::format(
      "{} as {} ({})", kept.size() == 1 ? "One lock stays" : plural(kept.size(), "lock") + " stay",
      kept.size() == 1 ? "it is" : "they are", someOf(namesOf(report, kept, 40), mostNames));
  if (isKnown)
    text += fmt::format(": threads wait there in {} of their time",
                        formatPercent(std::min(1.0, waited / (nsPerS * report.threads))));
  return style.wrapped(text + ".", 2);
}

/// Which changes need more than another type, and where the reasons are.
std::string hints(const AdviceReport &report, const std::vector<const LockDecision *> &order,
                  const TextStyle &style) {
  std::vector<std::string> names;
  for (const LockDecision *decision : order)
    if (!decision->keep && !decision->obstacles.empty())
      names.push_back(report.network.locks[decision->lock].name);
  std::string text;
  if (!names.empty())
    text = "Work at the sections of " + someOf(names, 3) + " comes first. ";
  text += "Why, and what else would help: --explain LOCK, or --explain all.";
  return style.wrapped(text, 2);
}

std::size_t linesOf(const std::string &text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// The notes, if a screen has room for all of them; else the beginnings of as many as it has, a
/// line each, one at least.
std::string notesText(const AdviceReport &report, std::size_t room, const TextStyle &style) {
  std::string all;
  for (const std::string &note : report.notes)
    all += style.wrapped("note: " + note, 2);
  if (linesOf(all) <= room)
    return style.warn(all);
  const std::size_t shown = std::clamp<std::size_t>(room, 2, report.notes.size() + 1) - 1;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i)
    text += beginningOf("note: " + report.notes[i], style.width) + "\n";
  const std::size_t more = report.notes.size() - shown;
  return style.warn(text) + (more > 0 ? plural(more, "more note") + ", and these" : "Notes") +
         " in full: --explain all\n";
}

/// What to change, what it brings and how sure that is, without scrolling; then the derivation for
/// the locks that were asked about.
std::string screenText(const AdviceReport &report, const std::string &heading,
                       std::vector<const LockDecision *> order, const std::string &suppressed,
                       const TextStyle &style) {
  // The shell prompts in the last line, and advise says in three where it wrote the advice.
  constexpr std::size_t othersLines = 4;
  const std::size_t screenLines = style.height - std::min(style.height, othersLines);
  const std::vector<const LockDecision *> all = order;
  const auto firstKept = std::find_if(order.begin(), order.end(),
                                      [](const LockDecision *decision) { return decision->keep; });
  const std::vector<const LockDecision *> kept(firstKept, order.end());
  order.erase(firstKept, order.end());
  std::string text = heading;
  if (!order.empty())
    text += verdicts(report, order, style);
  text += keptText(report, kept, style) + "\n" + together(report, style) + suppressed + "\n";
  if (report.explained->empty()) {
    text += hints(report, all, style);
    const std::size_t used = linesOf(text);
    return text + notesText(report, used < screenLines ? screenLines - used : 0, style);
  }
  for (const LockDecision *decision : all)
    if (report.explained->contains(decision->lock))
      text += block(report, *decision, style);
  return text;
}

} // namespace

std::vector<std::string> whatIfSentences(const AdviceReport &report, std::size_t lock) {
  std::vector<std::string> sentences;
  for (const WhatIf &one : report.whatIfs)
    if (one.lock == lock)
      sentences.push_back(
          fmt::format("what {}: {}", one.condition, gainsText(one, anyChange(report.decisions))));
  return sentences;
}

std::string whatIfText(const AdviceReport &report, std::size_t lock, const TextStyle &style) {
  std::string text;
  for (const std::string &sentence : whatIfSentences(report, lock))
    text += style.wrapped("  ? " + sentence, 4);
  return text;
}

std::string adviceReportText(const AdviceReport &report, const TextStyle &style) {
  const std::string heading =
      style.wrapped(
          fmt::format("Advice for {} at {} on {} {}, predicted, not measured. Machine: {}.",
                      report.program, formatThreads(report.threads), report.cores,
                      report.cores == 1 ? "core" : "cores", report.machine),
          2) +
      "\n";
  std::string suppressed;
  if (!report.suppressedSites.empty())
    suppressed =
        style.wrapped(fmt::format("[[suppress]] in .qdadvise.toml: the compiler says nothing of "
                                  "this at {}.",
                                  plural(report.suppressedSites.size(), "site")),
                      2);
  std::vector<const LockDecision *> order = inOrder(report.decisions);
  if (report.explained)
    return screenText(report, heading, order, suppressed, style);
  std::string text = heading;
  const auto firstKept = std::find_if(order.begin(), order.end(),
                                      [](const LockDecision *decision) { return decision->keep; });
  const auto kept = static_cast<std::size_t>(order.end() - firstKept);
  if (kept > mostKept)
    order.resize(order.size() - (kept - mostKept));
  text += verdicts(report, order, style);
  if (kept > mostKept)
    text += fmt::format("Keep also {} {} that threads wait for even less.\n", kept - mostKept,
                        kept - mostKept == 1 ? "lock" : "locks");
  text += "\n" + together(report, style) + "\n";
  if (!suppressed.empty())
    text += suppressed + "\n";
  const std::vector<const LockDecision *> quiet = quietLocks(report, order);
  constexpr std::size_t mostQuietBlocks = 2;
  for (const LockDecision *decision : order)
    if (quiet.size() <= mostQuietBlocks ||
        std::find(quiet.begin(), quiet.end(), decision) == quiet.end())
      text += block(report, *decision, style);
  if (quiet.size() > mostQuietBlocks) {
    std::vector<std::string> names;
    for (const LockDecision *decision : quiet)
      names.push_back(report.network.locks[decision->lock].name);
    text += style.wrapped(
                fmt::format("Nothing more is to be said of {}, for which threads wait in less "
                            "than 0.1 % of their time.",
                            enumerated(names)),
                2) +
            "\n";
  }
  for (const std::string &note : report.notes)
    text += style.warn(style.wrapped("note: " + note, 2));
  return text;
}

} // namespace qdadvise
