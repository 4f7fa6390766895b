// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/verify/PatchedBuilds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using testing::ElementsAre;
using testing::Pair;

namespace {

constexpr const char *cache = R"(# This is the CMakeCache file.
//Build type
CMAKE_BUILD_TYPE:STRING=Release
SOME_PATH:PATH=/home/me/app/build/generated;/home/me/app/include;/home/me/apple
WITH:COLON:BOOL=ON
app_BINARY_DIR:STATIC=/home/me/app/build
CMAKE_GENERATOR:INTERNAL=Ninja
CMAKE_HOME_DIRECTORY:INTERNAL=/home/me/app
)";

} // namespace

TEST(PatchedBuildsTest, readsWhatTheUserMayHaveSet) {
  const BuildSettings settings = parseBuildSettings(cache, "/home/me/app/build").value();
  EXPECT_EQ(settings.source, "/home/me/app");
  EXPECT_EQ(settings.generator, "Ninja");
  EXPECT_THAT(settings.options,
              ElementsAre(Pair("CMAKE_BUILD_TYPE:STRING", "Release"),
                          Pair("SOME_PATH:PATH", testing::_), Pair("WITH:COLON:BOOL", "ON")));
  EXPECT_FALSE(parseBuildSettings("A:BOOL=ON\n", "/home/me/app/build"));
}

TEST(PatchedBuildsTest, pathsOfTheTreeBecomeThoseOfTheCopy) {
  const BuildSettings settings = parseBuildSettings(cache, "/home/me/app/build").value();
  EXPECT_THAT(
      configureCommand(settings, "/t/after", "/t/after-build"),
      ElementsAre("cmake", "-S", "/t/after", "-B", "/t/after-build", "-G", "Ninja",
                  "-DCMAKE_BUILD_TYPE:STRING=Release",
                  "-DSOME_PATH:PATH=/t/after-build/generated;/t/after/include;/home/me/apple",
                  "-DWITH:COLON:BOOL=ON"));
}
