// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a page carries of the JSON of a report, so that it stays small with hundreds of locks.
#pragma once

#include <nlohmann/json.hpp>

namespace qdadvise {

/// The JSON of predictions with what the page's charts show: throughput and waiting times.
nlohmann::ordered_json forCharts(nlohmann::ordered_json predictions);

/// Leaves out of a report's JSON the ways between sections that hardly any thread takes.
void keepBusyRoutes(nlohmann::ordered_json &document);

/// Numbers with as many digits as a page can show.
void roundNumbers(nlohmann::ordered_json &json);

/// Lines of the source around each site of a report's JSON, by `file:line`; without those whose
/// file is not there to be read.
nlohmann::ordered_json excerptsOf(const nlohmann::ordered_json &document);

} // namespace qdadvise
