// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/SolverOptions.h"

#include <string>
#include <utility>

namespace qdadvise {

std::optional<Error> SolverOptions::validate() const {
  if (!method)
    return Error{"solver options: there is no method"};
  // A comparison with what is not a number is false.
  const std::pair<const char *, bool> rules[] = {
      {"cores must be at least 1", cores >= 1},
      {"restTolerance must be greater than 0", restTolerance > 0},
      {"restToleranceFromStart must be greater than 0", restToleranceFromStart > 0},
      {"convergedTolerance must be at least restTolerance", convergedTolerance >= restTolerance},
      {"maxRounds must be at least 1", maxRounds >= 1},
      {"stagnationRounds must be at least 1", stagnationRounds >= 1},
      {"nearTolerance must be greater than 0", nearTolerance > 0},
      {"stagnationRoundsNear must be at least 1", stagnationRoundsNear >= 1},
      {"calmStep must lie between 0 and 1", calmStep > 0 && calmStep <= 1},
      {"visitorsTolerance must be at least 0", visitorsTolerance >= 0},
      {"innerDelayTolerance must be greater than 0", innerDelayTolerance > 0},
      {"maxInnerDelaySteps must be at least 1", maxInnerDelaySteps >= 1},
      {"plentyInstances must be at least 2", plentyInstances >= 2},
      {"tightBound must lie between 0 and 1", tightBound >= 0 && tightBound <= 1},
  };
  for (const auto &[rule, holds] : rules)
    if (!holds)
      return Error{std::string("solver options: ") + rule};
  return std::nullopt;
}

} // namespace qdadvise
