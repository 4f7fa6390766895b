// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes `network.toml`.
#pragma once

#include "advisor/network/Network.h"

#include <string>

namespace qdadvise {

std::string printNetwork(const Network &network);

} // namespace qdadvise
