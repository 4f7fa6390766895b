// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with a network, and where. The reader turns the place into a line and a column of
// the file that it read.
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

/// The first violation of the rules that `validate` states, if there is one.
std::optional<NetworkViolation> findViolation(const Network &network);

/// Checks what every network must meet: unique names, indices in range, rows of routing
/// probabilities that sum to one within 1e-9, finite times >= 0, no cycle in which all times are
/// zero, nesting without loops, and a run with a part that threads share. Returns the first
/// violation, if there is one.
std::optional<Error> validate(const Network &network);

} // namespace qdadvise
