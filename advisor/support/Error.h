// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors as values. A message says what is wrong and what to do about it, in one
// line, lower case, without a full stop; the command prefixes `qdadvise: error: `.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace qdadvise {

struct Error {
  std::string message;
};

template <typename T> using Expected = tl::expected<T, Error>;
using Unexpected = tl::unexpected<Error>;

inline Unexpected makeError(std::string message) { return Unexpected(Error{std::move(message)}); }

} // namespace qdadvise
