// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From decisions, one per lock, to advice, one per lock site.
#pragma once

#include "advisor/advice/AdviceFile.h"
#include "advisor/decide/Decision.h"

namespace qdadvise {

/// What an advice file says of its origin.
struct AdviceOrigin {
  std::string program, date;
  int threads = 0, cores = 0;
};

/// Sections without a site in the source are left out; they have nowhere to be printed.
AdviceFile adviceOf(const Decisions &decisions, const Network &network, const Machine &machine,
                    const AdviceOrigin &origin);

} // namespace qdadvise
