// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/network/NetworkWriter.h"

#include "advisor/network/NetworkNames.h"
#include "advisor/support/SectionFactNames.h"
#include "advisor/support/Toml.h"

#include <fmt/format.h>

namespace qdadvise {

namespace {

std::string printDuration(const Duration &duration, double blockedNs = 0) {
  std::string text =
      fmt::format("{{ mean = {}, cv = {}", tomlText(duration.mean), tomlText(duration.cv));
  if (duration.skewness)
    text += fmt::format(", skewness = {}", tomlText(*duration.skewness));
  for (const auto &[name, value] : distributionNames)
    if (duration.dist == value)
      text += fmt::format(", dist = \"{}\"", name);
  if (blockedNs > 0)
    text += fmt::format(", blocked = {}", tomlText(blockedNs));
  if (duration.samples > 0)
    text += fmt::format(", samples = {}", duration.samples);
  if (duration.inefficiency != 1)
    text += fmt::format(", inefficiency = {}", tomlText(duration.inefficiency));
  return text + " }";
}

std::string printFootprint(const Footprint &footprint) {
  std::string text;
  for (const auto &[key, rows] :
       {std::pair("read", &footprint.read), std::pair("written", &footprint.written)}) {
    if (rows->empty())
      continue;
    text += fmt::format("{} {} = [", text.empty() ? "" : ",", key);
    for (const Footprint::Lines &row : *rows)
      text += fmt::format("{}[{}, {}]", &row == rows->data() ? "" : ", ", tomlText(row.readers),
                          tomlText(row.lines));
    text += "]";
  }
  if (footprint.chained > 0)
    text += fmt::format("{} chained = {}", text.empty() ? "" : ",", tomlText(footprint.chained));
  return "{" + text + " }";
}

std::string printSite(const SourceSite &site) {
  std::string text =
      fmt::format("{{ file = {}, line = {}", tomlText(site.file), tomlText(site.line));
  if (site.column)
    text += fmt::format(", column = {}", tomlText(site.column));
  if (!site.function.empty())
    text += fmt::format(", function = {}", tomlText(site.function));
  if (!site.expression.empty())
    text += fmt::format(", expression = {}", tomlText(site.expression));
  if (site.ordinal)
    text += fmt::format(", ordinal = {}", tomlText(site.ordinal));
  if (site.sectionHash)
    text += fmt::format(", section_hash = \"{:016x}\"", site.sectionHash);
  for (const auto &[name, value] : siteRoleNames)
    if (site.role == static_cast<std::uint32_t>(value) && value != SiteRole::acquire)
      text += fmt::format(", role = \"{}\"", name);
  if (site.flags) {
    std::string flags;
    for (const auto &[name, value] : siteFlagNames)
      if (site.flags & value)
        flags += fmt::format("{}\"{}\"", flags.empty() ? "" : ", ", name);
    text += fmt::format(", flags = [{}]", flags);
  }
  if (site.facts & factsKnown) {
    std::string facts;
    for (const std::string &name : namesOfFacts(site.facts))
      facts += fmt::format("{}\"{}\"", facts.empty() ? "" : ", ", name);
    text += fmt::format(", facts = [{}]", facts);
  }
  return text + " }";
}

std::string printCopies(const RunCopies &copies) {
  std::string rows;
  for (const RunCopies::Row &row : copies.rows)
    rows += fmt::format("{}[{}, {}, {}]", rows.empty() ? "" : ", ", row.copies,
                        tomlText(row.slowdown), tomlText(row.deviation));
  return fmt::format("{{ cpu = {}, processors = {}, slowdowns = [{}] }}", tomlText(copies.cpu),
                     copies.processors, rows);
}

std::string printShares(const char *key, const std::vector<double> &shares) {
  std::string text;
  for (const double share : shares)
    text += (text.empty() ? "" : ", ") + tomlText(share);
  return text.empty() ? "" : fmt::format("{} = [{}]\n", key, text);
}

/// Rows of two numbers.
template <typename Row>
std::string printPhases(const std::vector<Row> &rows, double Row::*first, double Row::*second) {
  std::string text;
  for (const Row &row : rows)
    text += fmt::format("{}[{}, {}]", text.empty() ? "" : ", ", tomlText(row.*first),
                        tomlText(row.*second));
  return text.empty() ? "" : fmt::format("phases = [{}]\n", text);
}

std::string printSites(const char *key, const std::vector<SourceSite> &sites) {
  std::string text;
  for (const SourceSite &site : sites)
    text += (text.empty() ? "" : ", ") + printSite(site);
  return text.empty() ? "" : fmt::format("{} = [{}]\n", key, text);
}

/// Nothing where the value is what a reader takes it for without.
std::string printUnless(double usual, const char *key, double value) {
  return value == usual ? "" : fmt::format("{} = {}\n", key, tomlText(value));
}

std::string printIf(bool value, const char *key) {
  return value ? fmt::format("{} = true\n", key) : "";
}

std::string printRun(const Run &run) {
  std::string text = fmt::format("\n[run]\nserial = {}\nparallel = {}\n", tomlText(run.serialNs),
                                 tomlText(run.parallelNs));
  if (run.threads != 1)
    text += fmt::format("threads = {}\n", run.threads);
  text += printUnless(0, "longest_stretch", run.longestStretch);
  text += printUnless(0, "barrier_stretch", run.barrierStretch);
  text += printUnless(0, "ends", run.ends);
  text += printUnless(0, "open_serial", run.openSerial);
  text += printUnless(0, "guessed_stages", run.guessedStages);
  text += printUnless(0, "barriers", run.barriers);
  if (run.fixedWork > 0)
    text +=
        fmt::format("fixed_work = {}\nwork = {}\n", tomlText(run.fixedWork), tomlText(run.work));
  text += printUnless(run.computingUnlessTold(), "computing", run.computing);
  text += printUnless(run.computing, "processors", run.processors);
  if (run.copies)
    text += fmt::format("copies = {}\n", printCopies(*run.copies));
  return text + fmt::format("what = {}\n", tomlText(run.serial));
}

std::string printLock(const Lock &lock) {
  std::string text = fmt::format("\n[[lock]]\nname = {}\nkind = {}\n", tomlText(lock.name),
                                 tomlText(lock.kind.name()));
  text += printIf(lock.assumed, "assumed");
  text += printIf(lock.perThread, "per_thread");
  text += printIf(lock.guessed, "guessed");
  text += printUnless(0, "own", lock.own);
  if (lock.instances != 1)
    text += fmt::format("instances = {}\n", lock.instances);
  return text + printShares("shares", lock.shares) + printSites("waits", lock.waits) +
         printSites("never_ran", lock.neverRan);
}

} // namespace

std::string printNetwork(const Network &network) {
  std::string text = "# A closed network of locks. Times in nanoseconds.\n";
  const auto nameOf = [&](std::size_t section) { return tomlText(network.sections[section].name); };
  text += printShares("phases", network.phases);
  if (network.run)
    text += printRun(*network.run);
  for (const Lock &lock : network.locks)
    text += printLock(lock);
  for (const Section &section : network.sections) {
    text += fmt::format("\n[[section]]\nname = {}\nlock = {}\nhold = {}\n", tomlText(section.name),
                        tomlText(network.locks[section.lock].name), printDuration(section.hold));
    if (section.shared)
      text += "mode = \"shared\"\n";
    text += printIf(section.untimed, "untimed");
    text += printIf(section.delayed, "delayed");
    if (section.inside)
      text += fmt::format("inside = {}\nvisits = {}\n", nameOf(*section.inside),
                          tomlText(section.visits));
    text += printPhases(section.phases, &SectionInPhase::hold, &SectionInPhase::visits);
    if (section.site)
      text += fmt::format("site = {}\n", printSite(*section.site));
    if (section.footprint)
      text += fmt::format("footprint = {}\n", printFootprint(*section.footprint));
  }
  for (const ThreadClass &threads : network.classes) {
    text += fmt::format("\n[[class]]\nname = {}\n", tomlText(threads.name));
    if (!threads.scales)
      text += fmt::format("threads = {}\n", static_cast<std::uint64_t>(threads.threads));
    else if (threads.weight != 1)
      text += fmt::format("weight = {}\n", tomlText(threads.weight));
  }
  for (const Transition &transition : network.transitions) {
    text +=
        fmt::format("\n[[transition]]\nclass = {}\nfrom = {}\nto = {}\nprobability = {}\n"
                    "local = {}\n",
                    tomlText(network.classes[transition.threadClass].name), nameOf(transition.from),
                    nameOf(transition.to), tomlText(transition.probability),
                    printDuration(transition.local, transition.blockedNs));
    if (transition.samples)
      text += fmt::format("samples = {}\n", transition.samples);
    text +=
        printPhases(transition.phases, &TransitionInPhase::probability, &TransitionInPhase::local);
  }
  return text;
}

} // namespace qdadvise
