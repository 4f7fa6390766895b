// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/advice/Advice.h"

#include <cmath>
#include <cstdio>

namespace qdadvise {
namespace {

std::string fixedPoint(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

} // namespace

std::string formatDuration(double ns) {
  if (!std::isfinite(ns))
    return "unlimited";
  if (ns < 0.005)
    return "0 ns";
  struct Unit {
    double ns;
    const char *name;
  };
  static constexpr Unit units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
  const Unit *unit = units;
  // 999.5 ns would be printed as 1000 ns: the next unit says it shorter.
  while (unit + 1 != std::end(units) && ns / unit->ns >= 999.5)
    ++unit;
  const double value = ns / unit->ns;
  const int digits = value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2;
  return fixedPoint(value, digits) + " " + unit->name;
}

std::string formatPercent(double share) {
  const double percent = share * 100;
  if (percent <= 0)
    return "0%";
  if (percent < 0.1)
    return "less than 0.1%";
  return fixedPoint(percent, percent < 9.95 ? 1 : 0) + "%";
}

std::string formatFactor(double factor, double like) {
  const int digits = like >= 99.5 ? 0 : like >= 1.95 ? 1 : 2;
  return fixedPoint(factor, digits) + "x";
}

std::string formatThreads(int threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

std::string withArticle(const std::string &label) {
  // Capitals are spelled: "an MCS lock".
  const bool vowel =
      !label.empty() && std::string("aeiouAEFHILMNORSX").find(label[0]) != std::string::npos;
  return (vowel ? "an " : "a ") + label;
}

std::string adviceMessage(const Advice &advice) {
  const std::string lock = "lock '" + advice.lock + "'";
  const std::string contention = "predicted to be waited for in " +
                                 formatPercent(advice.contentionRate) + " of acquisitions at " +
                                 formatThreads(advice.threads);
  if (advice.keep)
    return lock + " is " + contention + "; keep it as it is" +
           (advice.label.empty() ? "" : " (" + advice.label + ")");
  return lock + " is " + contention + "; " + withArticle(advice.label) + " raises throughput " +
         formatFactor(advice.speedup) + " (" + formatFactor(advice.low, advice.speedup) + " to " +
         formatFactor(advice.high, advice.speedup) + ")";
}

std::string waitNote(const Advice &advice) {
  if (advice.waitNs.empty())
    return "";
  std::string note = "mean waiting time at " + formatThreads(advice.threads) + ": ";
  const char *separator = "";
  for (const auto &[label, ns] : advice.waitNs) {
    note += separator + label + " " + formatDuration(ns);
    separator = ", ";
  }
  return note;
}

} // namespace qdadvise
