// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/report/verify/VerificationJson.h"

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;

Json figuresJson(const std::vector<double> &values) {
  return {{"median", medianInterval(values).median}, {"values", values}};
}

const char *nameOf(Fit fit) {
  switch (fit) {
  case Fit::agrees:
    return "agrees";
  case Fit::measuredMore:
    return "measured_more";
  case Fit::measuredLess:
    return "measured_less";
  }
  return "";
}

} // namespace

Json verificationJson(const Verification &verification) {
  Json document = {{"host", verification.host},
                   {"processors", verification.processors},
                   {"figure", verification.isOwnFigure ? "own" : "run_s"},
                   {"more_is_better", verification.isRate},
                   {"measured", Json::array()},
                   {"not_measured", verification.beyond},
                   {"loss", isLoss(verification)},
                   {"notes", verification.notes}};
  for (const VerifiedThreads &threads : verification.measured) {
    const MedianInterval gain = gainOf(threads, verification.isRate);
    Json one = {{"threads", threads.threads},
                {"pinned", threads.isPinned},
                {"before", figuresJson(threads.before)},
                {"after", figuresJson(threads.after)},
                {"gain", gain.median},
                {"interval", {gain.low, gain.high}},
                {"loss", isLoss(gain)},
                {"predicted", nullptr}};
    if (const auto &predicted = threads.predicted)
      one["predicted"] = {{"speedup", predicted->ratio},
                          {"interval", {predicted->low, predicted->high}},
                          {"fit", nameOf(fitOf(gain, *predicted))}};
    document["measured"].push_back(std::move(one));
  }
  return document;
}

} // namespace qdadvise
