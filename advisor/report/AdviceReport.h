// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was decided: text for people, JSON for programs.
#pragma once

#include "advisor/decide/Decision.h"
#include "advisor/decide/WhatIf.h"
#include "advisor/support/TextStyle.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// Decisions and what they were made for.
struct AdviceReport {
  Decisions decisions;
  std::vector<WhatIf> whatIfs; ///< by lock
  Network network;
  std::string program, machine; ///< as they are shown
  int threads = 0, cores = 0;
  std::vector<std::string> notes; ///< on the network and the figures
  /// All changes at once, in the time of the whole run. None: what else it does is not known.
  struct Whole {
    GainInterval gain;
    double serialShare = 0; ///< of its time today, with these threads
    std::string serial;     ///< what that is
  };
  std::optional<Whole> whole;
};

std::string adviceReportText(const AdviceReport &report, const TextStyle &style);

/// Adds an `advice` object to the document and to each of its locks; a document without
/// `locks` (there is no profile) gets those of the network. Locks are found by name; one
/// that the network leaves out is to be kept, which its reason explains.
void addAdviceJson(nlohmann::ordered_json &document, const AdviceReport &report);

/// What fixes at a lock would gain, a paragraph each; "" where there are none.
std::string whatIfText(const AdviceReport &report, std::size_t lock);
/// The same: an array.
nlohmann::ordered_json whatIfJson(const AdviceReport &report, std::size_t lock);

} // namespace qdadvise
