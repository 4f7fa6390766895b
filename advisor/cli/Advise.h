// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `advise` finds, for commands that show it otherwise.
#pragma once

#include "advisor/cli/NetworkInput.h"
#include "advisor/report/Reporter.h"

namespace qdadvise {

/// The advice as `advise` gives it with these options, with what the format shows.
Expected<AdviceReport> adviceFor(const NetworkArguments &network, const std::string &machine,
                                 const std::string &threads, const ReportFormat &format);

} // namespace qdadvise
