// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions of a source are lock operations, and where that is known from.
#include "plugin/sites/Callees.h"

#include "unittests/plugin/Sources.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using clang::FunctionDecl;

namespace {

/// Runs `use(callees, context, table)` for a source.
void withCallees(
    const std::string &source,
    const std::function<void(Callees &, clang::ASTContext &, const LockTable &)> &use) {
  withContext(source, [&](clang::ASTContext &context) {
    const std::vector<LockApiEntry> none;
    const LockApi api(context, none);
    Mangler mangler(context);
    LockTable table;
    Callees callees(api, mangler, table);
    use(callees, context, table);
  });
}

TEST(Callees, AreFoundByApiAndByName) {
  withCallees("#include <pthread.h>\nvoid item_lock(int); void other(int);",
              [](Callees &callees, clang::ASTContext &context, const LockTable &table) {
                const auto find = [&](const char *name) {
                  return callees.find(*declared<FunctionDecl>(context, name));
                };
                const Callee *mutex = find("pthread_mutex_lock");
                ASSERT_TRUE(mutex);
                EXPECT_EQ(mutex->operation.role, SiteRole::acquire);
                const Callee *item = find("item_lock");
                ASSERT_TRUE(item);
                EXPECT_EQ(item->operation.role, SiteRole::wrapper);
                EXPECT_FALSE(item->isFound) << "its body is not in sight";
                EXPECT_FALSE(find("other"));
                EXPECT_EQ(table.operations.size(), 2U);
              });
}

TEST(Callees, BecomeWrappersByTheirBodies) {
  withCallees("void enter(void *lock) {}",
              [](Callees &callees, clang::ASTContext &context, const LockTable &) {
                const FunctionDecl &function = *declared<FunctionDecl>(context, "enter");
                EXPECT_FALSE(callees.find(function));
                LockEffect effect;
                effect.takes = true;
                effect.taken.emplace().base = LockPath::Base::parameter;
                callees.addWrapper(function, effect, context);
                const Callee *found = callees.find(function);
                ASSERT_TRUE(found);
                EXPECT_TRUE(found->isFound);
                EXPECT_EQ(found->operation.locks.size(), 1U);
              });
}

TEST(Callees, ArePerformedWithinTheLibrary) {
  withCallees(R"(
#include <memory>
#include <mutex>
std::mutex m;
auto f() { return std::make_unique<std::lock_guard<std::mutex>>(m); }
)",
              [](Callees &callees, clang::ASTContext &context, const LockTable &) {
                const auto *made =
                    declared<clang::FunctionTemplateDecl>(context, "std::make_unique");
                std::size_t performed = 0;
                for (const clang::NamedDecl *found : lookUp(context, "std::make_unique"))
                  if (const auto *pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(found))
                    for (const FunctionDecl *instance : pattern->specializations())
                      performed += callees.performedWithin(*instance).size();
                EXPECT_TRUE(made);
                EXPECT_EQ(performed, 1U);
                EXPECT_FALSE(callees.hasGuards()) << "lock_guard is the library's";
              });
}

} // namespace
