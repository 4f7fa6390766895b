// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function's body leaves behind for its caller.
#include "plugin/locksets/LockEffect.h"

#include "plugin/api/LockApi.h"
#include "unittests/plugin/Sources.h"

#include <gtest/gtest.h>

#include <map>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

/// Operations by API, and no other knowledge.
class OnlyOperations : public CallKnowledge {
public:
  explicit OnlyOperations(clang::ASTContext &context) : api(context, entries) {}

  const LockOperation *operationOf(const clang::FunctionDecl &function) override {
    std::optional<LockOperation> &known = operations[&function];
    known = api.lockOperationOf(function);
    return known ? &*known : nullptr;
  }
  const LockEffect *effectOf(const clang::FunctionDecl &) override { return nullptr; }
  bool releasesByName(const clang::FunctionDecl &) override { return false; }

private:
  const std::vector<LockApiEntry> entries;
  LockApi api;
  std::map<const clang::FunctionDecl *, std::optional<LockOperation>> operations;
};

/// The effect of function `f`.
LockEffect effectOf(const std::string &function) {
  LockEffect effect;
  withContext("#include <mutex>\n#include <pthread.h>\nextern pthread_mutex_t m, n;\n" + function,
              [&](clang::ASTContext &context) {
                OnlyOperations knowledge(context);
                const auto *f = declared<clang::FunctionDecl>(context, "f");
                ASSERT_TRUE(f);
                effect = effectOfBody(*f, knowledge);
              });
  return effect;
}

TEST(LockEffect, IsNoneWhereAllIsReleased) {
  EXPECT_TRUE(effectOf("void f() { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }").isNone());
  EXPECT_TRUE(effectOf("std::mutex s; void f() { std::lock_guard hold(s); }").isNone());
}

TEST(LockEffect, TakesWhatIsHeldAtTheEnd) {
  const LockEffect effect = effectOf("void f(bool b) { if (b) pthread_mutex_lock(&m); }");
  EXPECT_TRUE(effect.takes);
  ASSERT_TRUE(effect.taken);
  EXPECT_EQ(effect.taken->base, LockPath::Base::variable);
}

TEST(LockEffect, HasNoPathWhereItTakesOneOfTwo) {
  const LockEffect effect = effectOf("void f(bool b) { pthread_mutex_lock(b ? &m : &n); }");
  EXPECT_TRUE(effect.takes);
  EXPECT_FALSE(effectOf("void f(bool b) { if (b) pthread_mutex_lock(&m); "
                        "else pthread_mutex_lock(&n); }")
                   .taken);
}

TEST(LockEffect, ReleasesTheCallersLock) {
  const LockEffect effect = effectOf("void f() { pthread_mutex_unlock(&m); }");
  EXPECT_FALSE(effect.takes);
  EXPECT_EQ(effect.releases.size(), 1U);
}

TEST(LockEffect, TellsByItsResultWhetherItTook) {
  EXPECT_EQ(effectOf("bool f() { return pthread_mutex_trylock(&m) == 0; }").success,
            Success::nonZero);
  EXPECT_EQ(effectOf("int f() { return pthread_mutex_trylock(&m); }").success, Success::zero);
  EXPECT_EQ(effectOf("int f() { pthread_mutex_lock(&m); return 1; }").success, Success::always);
}

TEST(LockEffect, OfAWaitIsTheCallersLockTakenAgain) {
  const LockEffect effect = effectOf("void f(pthread_cond_t *c) { pthread_cond_wait(c, &m); }");
  EXPECT_TRUE(effect.takes);
  EXPECT_TRUE(effect.reacquired);
}

TEST(LockEffect, IsInAGuardThatIsReturned) {
  const LockEffect effect = effectOf(
      "std::mutex s; std::unique_lock<std::mutex> f() { return std::unique_lock<std::mutex>(s); }");
  EXPECT_TRUE(effect.takes);
  EXPECT_TRUE(effect.inResult);
}

} // namespace
