// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/report/AdviceReport.h"

#include <nlohmann/json.hpp>

namespace qdadvise {

/// Adds an `advice` object to the document and to each of its locks; a document without
/// `locks` (there is no profile) gets those of the network. Locks are found by name; one
/// that the network leaves out is to be kept, which its reason explains.
void addAdviceJson(nlohmann::ordered_json &document, const AdviceReport &report);
/// Adds `graph`: the sections of the network with their shares of the traffic, and which follows
/// which.
void addGraphJson(nlohmann::ordered_json &document, const AdviceReport &report);

} // namespace qdadvise
