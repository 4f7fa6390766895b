// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `qdadvise verify` says, for programs.
#pragma once

#include "advisor/verify/Verification.h"

#include <nlohmann/json.hpp>

namespace qdadvise {

nlohmann::ordered_json verificationJson(const Verification &verification);

} // namespace qdadvise
