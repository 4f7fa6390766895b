// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/advice/DiagnosticText.h"

#include "advisor/support/Format.h"

namespace qdadvise {

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

std::string applyNote(const Advice &advice) {
  if (advice.keep || advice.apply.empty())
    return "";
  return advice.apply == "yes" ? "`qdadvise apply` can make this change"
                               : "`qdadvise apply` cannot make this change: " + advice.apply;
}

std::string staleMessage(const Advice &advice) {
  return "the advice for lock '" + advice.lock +
         "' is stale: this critical section has changed since it was profiled; record and "
         "advise again";
}

} // namespace qdadvise
