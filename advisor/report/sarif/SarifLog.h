// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SARIF 2.1.0 (OASIS), which code review reads: results at places in the source, with the limits of
// GitHub's code scanning.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

/// A kind of result, as it is explained to the reader.
struct SarifRule {
  const char *id;   ///< stable
  const char *name; ///< UpperCamelCase
  const char *summary;
  const char *help; ///< what to do about it
};

struct SarifPlace {
  std::string file, function;
  std::uint32_t line = 0, column = 0; ///< 0: not known
};

/// Text instead of that from one column to another, the latter not included; an insertion where
/// both are the same.
struct SarifReplacement {
  SarifPlace begin;
  std::uint32_t endColumn = 0;
  std::string text;
};

struct SarifResult {
  const SarifRule *rule = nullptr;
  std::string message;
  SarifPlace place;
  std::vector<std::pair<SarifPlace, std::string>> related;
  /// What stays the same when the code around it is edited: names, and no line.
  std::string identity;
  nlohmann::ordered_json properties; ///< its numbers
  std::vector<SarifReplacement> fix; ///< none: nothing that a program could do
  std::string fixText;
  bool suppressed = false; ///< by `[[suppress]]`
};

struct SarifLog {
  std::string category; ///< results of one category replace those of an earlier log: `advise/app`
  std::vector<SarifResult> results; ///< what matters most comes first
  nlohmann::ordered_json properties;
};

nlohmann::ordered_json sarifJson(const SarifLog &log);

} // namespace qdadvise
