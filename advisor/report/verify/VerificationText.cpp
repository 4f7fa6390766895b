// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/report/verify/VerificationText.h"

#include "advisor/support/Format.h"

#include <fmt/format.h>

namespace qdadvise {
namespace {

std::string intervalText(double middle, double low, double high) {
  return fmt::format("{} ({} to {})", formatFactor(middle), formatFactor(low, middle),
                     formatFactor(high, middle));
}

/// A median of seconds, or of whatever the program counts in.
std::string figureText(const std::vector<double> &values, bool isOwn) {
  const double median = medianInterval(values).median;
  return fmt::format("{:.{}g}{}", median, median < 1000 ? 3 : 6, isOwn ? "" : " s");
}

std::string threadsText(const VerifiedThreads &threads) {
  return fmt::format("{}{}", threads.threads, threads.isPinned ? " pinned" : "");
}

std::string sentenceOn(const VerifiedThreads &threads, const MedianInterval &gain,
                       const TextStyle &style) {
  std::string text =
      fmt::format("With {}{}", formatThreads(threads.threads), threads.isPinned ? ", pinned," : "");
  if (isLoss(gain))
    text += " the change is a " + style.bad("loss");
  else if (gain.low > 1)
    text += " the change is a " + style.good("gain");
  else
    text += " no difference is seen";
  if (!threads.predicted)
    return text + ".";
  switch (fitOf(gain, *threads.predicted)) {
  case Fit::agrees:
    return text + ", in agreement with the prediction.";
  case Fit::measuredMore:
    return text + "; more was measured than predicted.";
  case Fit::measuredLess:
    return text + "; less was measured than predicted.";
  }
  return text;
}

} // namespace

std::string verificationText(const Verification &verification, const TextStyle &style) {
  const std::string what = !verification.isOwnFigure ? "the time of the whole run"
                           : verification.isRate     ? "the program's own rate"
                                                     : "the program's own time";
  std::string text = style.wrapped(
      fmt::format("Measured on {} ({}): {}. Medians of {} each, which alternated; 95 % intervals.",
                  verification.host,
                  plural(static_cast<std::uint64_t>(verification.processors), "processor"), what,
                  plural(verification.measured.front().before.size(), "run")),
      2);
  text += "\n" +
          style.bold(fmt::format("{:<9} {:>8} {:>8}  {:<22}  {}", "threads", "before", "after",
                                 "gain, measured", "gain, predicted")) +
          "\n";
  std::string sentences;
  for (const VerifiedThreads &threads : verification.measured) {
    const MedianInterval gain = gainOf(threads, verification.isRate);
    const auto &predicted = threads.predicted;
    text += fmt::format("{:<9} {:>8} {:>8}  {:<22}  {}\n", threadsText(threads),
                        figureText(threads.before, verification.isOwnFigure),
                        figureText(threads.after, verification.isOwnFigure),
                        intervalText(gain.median, gain.low, gain.high),
                        predicted ? intervalText(predicted->ratio, predicted->low, predicted->high)
                                  : "-");
    sentences += style.wrapped(sentenceOn(threads, gain, style), 2);
  }
  text += "\n" + sentences;
  if (!verification.beyond.empty()) {
    std::vector<std::string> numbers;
    for (const int threads : verification.beyond)
      numbers.push_back(std::to_string(threads));
    text += style.wrapped(
        fmt::format("Nothing was measured with {} threads: there are only {} here.",
                    enumerated(numbers),
                    plural(static_cast<std::uint64_t>(verification.processors), "processor")),
        2);
  }
  for (const std::string &note : verification.notes)
    text += style.wrapped("note: " + note, 2);
  return text;
}

} // namespace qdadvise
