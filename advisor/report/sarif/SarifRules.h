// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/report/sarif/SarifLog.h"

#include <string_view>

namespace qdadvise {

/// The rule of advice to use another lock.
const SarifRule &lockAlgorithmRule();
/// The rule of a kind of finding; one for all others where it has no words of its own.
const SarifRule &findingRule(std::string_view id);

} // namespace qdadvise
