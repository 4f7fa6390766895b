// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `qdadvise predict` and `qdadvise simulate` say: what each lock would cost with every
// algorithm.
#pragma once

#include "advisor/decide/KindPredictions.h"

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

struct PredictionReport {
  bool simulated = false;
  bool all = false;    ///< the text has every table, however long it gets; else a screen of them
  std::string source;  ///< what was predicted: file names
  std::string machine; ///< which machine, and whether measured
  int cores = 0;
  std::vector<std::string> lockNames;  ///< by lock of the network
  std::vector<std::string> classNames; ///< by thread class of the network
  std::vector<KindPredictions> kinds;  ///< all for the same numbers of threads
  std::optional<Run> run;              ///< the recorded run, where it is known
  std::vector<std::string> notes;
};

} // namespace qdadvise
