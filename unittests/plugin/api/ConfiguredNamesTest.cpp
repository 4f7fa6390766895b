// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of `[[lock_api]]`, looked up among the declarations of a source.
#include "plugin/api/ConfiguredNames.h"

#include "unittests/plugin/Sources.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using clang::CXXRecordDecl;
using clang::FunctionDecl;

namespace {

constexpr const char *source = R"(
namespace lib {
struct Base { void enter(); };
template <typename T> struct Lock : Base { void leave(); };
void take(void *);
void other(void *);
}
using Alias = lib::Lock<int>;
struct Ignored {};
void use(Alias &lock) { lock.enter(); lock.leave(); }
)";

LockApiEntry entryOfTypes() {
  LockApiEntry entry;
  entry.types = {"lib::Lock"};
  entry.ignored = {"Ignored"};
  entry.functions = {{.name = "enter", .role = ApiRole::acquire, .argument = {}},
                     {.name = "leave", .role = ApiRole::release, .argument = {}}};
  return entry;
}

TEST(ConfiguredNames, AreFoundInFunctions) {
  LockApiEntry entry;
  entry.functions = {{.name = "lib::take", .role = ApiRole::acquire, .argument = 0}};
  const std::vector<LockApiEntry> entries = {entry};
  withContext(source, [&](clang::ASTContext &context) {
    const ConfiguredNames names(entries, context);
    EXPECT_FALSE(names.empty());
    const ConfiguredNames::Function *take =
        names.function(*declared<FunctionDecl>(context, "lib::take"));
    ASSERT_TRUE(take);
    EXPECT_EQ(take->api->role, ApiRole::acquire);
    EXPECT_FALSE(names.function(*declared<FunctionDecl>(context, "lib::other")));
  });
}

TEST(ConfiguredNames, AreFoundInTemplatesAndTheirBases) {
  const std::vector<LockApiEntry> entries = {entryOfTypes()};
  withContext(source, [&](clang::ASTContext &context) {
    const ConfiguredNames names(entries, context);
    const auto *alias = declared<clang::TypedefNameDecl>(context, "Alias");
    ASSERT_TRUE(alias);
    const ConfiguredNames::Type *type =
        names.type(*alias->getUnderlyingType()->getAsCXXRecordDecl());
    ASSERT_TRUE(type);
    EXPECT_TRUE(type->members.contains("leave"));
    EXPECT_TRUE(names.function(*declared<clang::CXXMethodDecl>(context, "lib::Base::enter")));
  });
}

TEST(ConfiguredNames, SayWhichClassesAreIgnored) {
  const std::vector<LockApiEntry> entries = {entryOfTypes()};
  withContext(source, [&](clang::ASTContext &context) {
    const ConfiguredNames names(entries, context);
    const ConfiguredNames::Type *type = names.type(*declared<CXXRecordDecl>(context, "Ignored"));
    ASSERT_TRUE(type);
    EXPECT_TRUE(type->isIgnored);
  });
}

TEST(ConfiguredNames, AreNoneWithoutEntries) { EXPECT_TRUE(ConfiguredNames().empty()); }

} // namespace
