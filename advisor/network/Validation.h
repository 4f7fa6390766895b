// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with a network and where: the parser turns the place into a line
// and column of the file it read.
#pragma once

#include "advisor/network/Network.h"
#include "advisor/support/Error.h"

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

/// Everything a network must meet: names unique, indices in range, rows of routing
/// probabilities that sum to one within 1e-9, times finite and >= 0, no cycle in
/// which everything is zero, nesting without loops, a run with a part that threads share.
/// The first violation, or nothing.
std::optional<Error> validate(const Network &network);

} // namespace qdadvise
