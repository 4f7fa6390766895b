// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors are values. What can fail returns Expected<T>: a T, or an Error with a message. The
// message says what is wrong and what to do about it, in one line, lower case, without a full stop;
// the command prefixes `qdadvise: error: `. There is one way to do each thing:
//
//   return makeError("…");                        // to fail
//   const Machine machine = TRY(readMachine(path));  // to pass the error of a call on
//   if (!machine) return makeError(… + machine.error().message);  // to say more about it
//
// A check returns std::optional<Error>, the fault that it found; TRY passes that on, too.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace qdadvise {

struct Error {
  std::string message;
};

template <typename T> using Expected = tl::expected<T, Error>;
using Unexpected = tl::unexpected<Error>;

inline Unexpected makeError(std::string message) { return Unexpected(Error{std::move(message)}); }

// What TRY asks of a result.
template <typename T> const Error *errorOf(const Expected<T> &result) {
  return result ? nullptr : &result.error();
}
inline const Error *errorOf(const std::optional<Error> &fault) { return fault ? &*fault : nullptr; }
template <typename T> T takeValue(Expected<T> &&result) {
  if constexpr (!std::is_void_v<T>)
    return *std::move(result);
}
inline void takeValue(std::optional<Error> &&) {}

} // namespace qdadvise

/// The value of an Expected. Where it has none, the enclosing function returns its error. (C++ has
/// no operator for this; GNU C's statement expressions make it one word.)
#define TRY(...)                                                                                   \
  __extension__({                                                                                  \
    auto tried = (__VA_ARGS__);                                                                    \
    if (const ::qdadvise::Error *const triedError = ::qdadvise::errorOf(tried))                    \
      return ::qdadvise::Unexpected(*triedError);                                                  \
    ::qdadvise::takeValue(std::move(tried));                                                       \
  })
