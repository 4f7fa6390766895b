// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures what a program loses to copies of itself: it runs alone and in several copies at once,
// and nothing is recorded meanwhile.
#pragma once

#include "advisor/cli/process/MeasuredRun.h"
#include "advisor/profile/Profile.h"
#include "advisor/support/Error.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// The numbers of copies that a list such as `2` or `2,4` names. Fails where one is not from 2 to
/// the number of processors that we may run on.
Expected<std::vector<int>> parseCopies(const std::string &list);

/// The words for copy `number`, from 1: it is put for {copy}.
std::vector<std::string> commandOfCopy(const std::vector<std::string> &command, int number);
/// The variable in the copy's environment that says its number.
std::string variableOfCopy(int number);

struct CopiesRequest {
  std::vector<int> numbers;         ///< of copies at once
  int rounds = 1;                   ///< in each of which each number of copies runs, and one alone
  std::vector<std::string> command; ///< with {copy}
  std::string input = "/dev/null";  ///< as in RunRequest
  off_t inputFrom = 0;
  int status = 0;       ///< how a copy has to end: as the recorded run did
  double recordedS = 0; ///< how long that took
  /// Is told the share that is done, from 0 to 1.
  std::function<void(double done)> progress = [](double) {};
};

struct CopiesResult {
  std::vector<ProfiledCopies> rounds; ///< none where there is a problem
  std::string problem;                ///< why nothing is known, for people; "": nothing is wrong
  int interruption = 0;               ///< the signal that ended the copies by way of us
};
Expected<CopiesResult> measureCopies(const CopiesRequest &request);

/// The processor time of a copy as if all had run all the time, in s: the mean of several that took
/// `aloneS` when alone. What a copy did after the first one had ended is taken to have gone as fast
/// as alone. Absent where that was more than two fifths of its time: then it says little.
std::optional<double> besideS(const std::vector<MeasuredRun> &copies, double aloneS);

} // namespace qdadvise
