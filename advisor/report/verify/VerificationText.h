// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `qdadvise verify` says, for people.
#pragma once

#include "advisor/support/TextStyle.h"
#include "advisor/verify/Verification.h"

#include <string>

namespace qdadvise {

std::string verificationText(const Verification &verification, const TextStyle &style);

} // namespace qdadvise
