// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sites/ExternalFunctions.h"
#include "plugin/api/LockApi.h"
#include "unittests/plugin/Sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

namespace {

TEST(ExternalFunctions, AreThoseThatOtherUnitsCall) {
  std::vector<std::string> found;
  withContext(R"(
      void declared();
      static void ofThisUnit() {}
      inline void inHeaders() {}
      namespace { void unnamed() {} }
      template <typename T> void pattern() {}
      __attribute__((weak)) void replaced() {}
      namespace space { void inSpace() {} }
      struct Class { void method(); void inClass() {} };
      void Class::method() {}
      void plain() { ofThisUnit(); pattern<int>(); })",
              [&](clang::ASTContext &context) {
                forEachExternalFunction(context, [&](const clang::FunctionDecl &function) {
                  found.push_back(function.getNameAsString());
                });
              });
  EXPECT_THAT(found, ElementsAre("inSpace", "method", "plain"));
}

/// The facts of external functions of a C source.
std::map<std::string, FunctionFacts> functionsOf(const std::string &source) {
  std::map<std::string, FunctionFacts> functions;
  withContext(
      source,
      [&](clang::ASTContext &context) {
        functions = findLockSites(context, LockApi(context, {}), /*withFunctions=*/true).functions;
      },
      Language::c);
  return functions;
}

TEST(ExternalFunctions, HaveTheFactsOfWhatTheyReach) {
  const auto functions = functionsOf(R"(
      typedef union { long word[5]; } pthread_mutex_t;
      int pthread_mutex_lock(pthread_mutex_t *);
      int pthread_mutex_unlock(pthread_mutex_t *);
      int unseen(int);
      pthread_mutex_t lock;
      _Thread_local int number;
      static int inner(void) { return unseen(number); }
      int pure(int value) { return value + 1; }
      int reaches(void) { return inner(); }
      void takes(void) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
      void givesUp(void) { pthread_mutex_unlock(&lock); }
      int assembly(void) { __asm__("nop"); return unseen(1); })");
  EXPECT_EQ(functions.at("pure").facts, 0U);
  EXPECT_THAT(functions.at("pure").unseen.functions, IsEmpty());
  EXPECT_EQ(functions.at("reaches").facts, factCallsUnknown | factThreadLocal);
  EXPECT_THAT(functions.at("reaches").unseen.functions, ElementsAre(Pair("unseen", "unseen(int)")));
  EXPECT_FALSE(functions.at("reaches").unseen.isMore);
  EXPECT_TRUE(functions.at("takes").facts & factTakesLock);
  EXPECT_TRUE(functions.at("givesUp").facts & factTakesLock);
  EXPECT_TRUE(functions.at("assembly").unseen.isMore);
  EXPECT_THAT(tableOf("void plain() {}").functions, IsEmpty());
}

} // namespace
