// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/AdviceText.h"

#include "advisor/advice/DiagnosticText.h"
#include "advisor/support/Format.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>

namespace qdadvise {
namespace {

std::string labelOf(const std::string &algorithm) {
  const LockAlgorithm *known = findLockAlgorithm(algorithmNamed(algorithm));
  return known ? known->label : algorithm;
}

std::string gainOf(const Advice &advice) {
  return formatFactor(advice.speedup) + " (" + formatFactor(advice.low, advice.speedup) + " to " +
         formatFactor(advice.high, advice.speedup) + ")";
}

/// Text in a cell of a Markdown table, or on a line of its own.
std::string escaped(const std::string &text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|").find(c) != std::string_view::npos)
      result += '\\';
    result += c;
  }
  return result;
}

std::string scalingTable(const Advice &advice) {
  if (advice.scaling.empty())
    return "";
  const std::string today = labelOf(advice.today);
  std::vector<double> before, after;
  std::string table = "\n| threads | " + escaped(today) + " (today) | " + escaped(advice.label) +
                      " (advised) |\n| ---: | ---: | ---: |\n";
  for (const Advice::Scaling &point : advice.scaling) {
    before.push_back(point.today);
    after.push_back(point.advised);
    table += "| " + std::to_string(point.threads) + " | " + formatRate(point.today) + " | " +
             formatRate(point.advised) + " |\n";
  }
  // Both on one scale: the greater of their greatest values is the highest column.
  std::vector<double> both = before;
  both.insert(both.end(), after.begin(), after.end());
  const std::string line = sparkline(both);
  const std::size_t middle = before.size() * std::string_view("▁").size();
  return table + "\nSections per second, predicted: `" + line.substr(0, middle) + "` today, `" +
         line.substr(middle) + "` advised\n";
}

std::string waitTable(const Advice &advice) {
  if (advice.waitNs.empty())
    return "";
  std::string table =
      "\n| algorithm | mean wait at " + formatThreads(advice.threads) + " |\n| --- | ---: |\n";
  for (const auto &[label, ns] : advice.waitNs) {
    const bool isAdvised = !advice.keep && label == advice.label;
    table += "| " + escaped(label) + (isAdvised ? " (advised)" : "") + " | " + formatDuration(ns) +
             " |\n";
  }
  return table;
}

} // namespace

std::string sparkline(const std::vector<double> &values) {
  static constexpr std::string_view columns[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr int highest = std::size(columns) - 1;
  const double most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  std::string line;
  for (const double value : values) {
    const double height = most > 0 ? value / most * highest + 0.5 : 0;
    line += columns[std::clamp(static_cast<int>(height), 0, highest)];
  }
  return line;
}

std::string verdictLine(const Advice &advice, bool stale) {
  if (stale)
    return "stale advice: this section has changed since it was profiled; record and advise again";
  const std::string waits = "waited for in " + formatPercent(advice.contentionRate) + " at " +
                            formatThreads(advice.threads);
  if (advice.keep)
    return "keep the " + labelOf(advice.today) + ": " + waits;
  return labelOf(advice.today) + " → " + advice.label + ": " + gainOf(advice) + "; " + waits;
}

std::string hoverText(const Advice &advice, bool stale) {
  std::string text =
      "**" + escaped(advice.lock) +
      "**: " + escaped(advice.keep ? "keep it as it is" : "make it " + withArticle(advice.label)) +
      (advice.keep ? "" : ", " + gainOf(advice)) + "\n";
  if (stale)
    text += "\n*Stale:* " + escaped(staleMessage(advice)) + "\n";
  text += "\n" +
          escaped("waited for in " + formatPercent(advice.contentionRate) + " of acquisitions at " +
                  formatThreads(advice.threads) + " (predicted)") +
          "\n" + scalingTable(advice) + waitTable(advice);
  for (const auto *list : {&advice.reasons, &advice.obstacles, &advice.whatIfs}) {
    if (!list->empty())
      text += "\n";
    for (const std::string &item : *list)
      text += "- " + escaped(item) + "\n";
  }
  return text;
}

std::string explanation(const Advice &advice, bool stale) {
  std::string text = (stale ? staleMessage(advice) : adviceMessage(advice)) + "\n";
  if (const std::string waits = waitNote(advice); !waits.empty())
    text += waits + "\n";
  // The marks are those of `advise --explain`.
  const std::pair<const char *, const std::vector<std::string> *> lists[] = {
      {"- ", &advice.reasons}, {"! ", &advice.obstacles}, {"? ", &advice.whatIfs}};
  for (const auto &[mark, items] : lists)
    for (const std::string &item : *items)
      text += mark + item + "\n";
  return text;
}

} // namespace qdadvise
