// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads `network.toml`.
#pragma once

#include "advisor/network/Network.h"
#include "advisor/support/Error.h"

#include <string>

namespace qdadvise {

/// `name` is the path shown in errors (`file:line:column: error: …`).
Expected<Network> parseNetwork(const std::string &toml, const std::string &name);
Expected<Network> readNetwork(const std::string &path);

} // namespace qdadvise
