// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with a network and where: the parser turns the place into a line
// and column of the file it read.
#pragma once

#include "advisor/network/Network.h"

#include <optional>
#include <string>

namespace qdadvise {

struct NetworkViolation {
  enum class Part { network, run, lock, section, threadClass, transition };
  Part part = Part::network;
  std::size_t index = 0; ///< within that part
  std::string message;
};

/// The first violation of the rules that `validate` states, or nothing.
std::optional<NetworkViolation> findViolation(const Network &network);

} // namespace qdadvise
