// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/support/Error.h"

#include <gtest/gtest.h>
#include <memory>
#include <optional>

namespace qdadvise {
namespace {

Expected<std::unique_ptr<int>> half(int number) {
  if (number % 2 != 0)
    return makeError("odd");
  return std::make_unique<int>(number / 2);
}

Expected<void> checkEven(int number) {
  TRY(half(number));
  return {};
}

std::optional<Error> faultOf(int number) {
  return number < 0 ? std::optional(Error{"negative"}) : std::nullopt;
}

Expected<int> quarter(int number) {
  TRY(faultOf(number));
  TRY(checkEven(number));
  const std::unique_ptr<int> once = TRY(half(number));
  return *TRY(half(*once));
}

TEST(Try, GivesTheValue) { EXPECT_EQ(quarter(12).value(), 3); }

TEST(Try, EndsTheFunctionWithTheError) {
  EXPECT_EQ(quarter(3).error().message, "odd");
  EXPECT_EQ(quarter(-4).error().message, "negative");
  EXPECT_EQ(quarter(6).error().message, "odd");
  EXPECT_TRUE(checkEven(2).has_value());
}

} // namespace
} // namespace qdadvise
