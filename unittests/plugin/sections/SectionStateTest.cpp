// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is kept of a critical section while its function is walked.
#include "plugin/sections/SectionState.h"

#include "unittests/plugin/Sources.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

SectionFactBits bitsOf(const std::function<void(SectionState &)> &walk) {
  SectionFactBits bits = 0;
  withContext("int nothing;", [&](clang::ASTContext &context) {
    SectionState section;
    walk(section);
    bits = section.conclude(context).bits;
  });
  return bits;
}

TEST(SectionState, KnowsNothingOfASectionWithoutAnEnd) {
  EXPECT_EQ(bitsOf([](SectionState &section) { section.begun = section.held = true; }), 0U);
}

TEST(SectionState, IsEmptyWithoutContents) {
  EXPECT_EQ(bitsOf([](SectionState &section) {
              section.begun = section.held = true;
              section.end();
            }),
            factsKnown | factEmpty);
}

TEST(SectionState, IsLeftWithinABranchThatReleased) {
  EXPECT_EQ(bitsOf([](SectionState &section) {
              section.begun = section.held = true;
              section.inBranch(/*enteredHeld=*/true, [&] {
                section.end();
                section.leave(factReturns, {}, "'return'");
              });
            }),
            factsKnown | factReturns);
}

TEST(SectionState, IsNotLeftBehindItsEnd) {
  EXPECT_EQ(bitsOf([](SectionState &section) {
              section.begun = section.held = true;
              section.end();
              section.leave(factReturns, {}, "'return'");
            }),
            factsKnown | factEmpty);
}

} // namespace
