// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/advice/Placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Advice adviceAt(const std::string &file, const std::string &function, const std::string &expression,
                std::uint32_t ordinal = 0, std::uint64_t hash = 7) {
  Advice advice;
  advice.file = file;
  advice.function = function;
  advice.expression = expression;
  advice.ordinal = ordinal;
  advice.sectionHash = hash;
  return advice;
}

AdviceFile fileOf(std::vector<Advice> advice) {
  AdviceFile file;
  file.advice = std::move(advice);
  return file;
}

std::vector<std::size_t> advicePlaced(const Placements &placements) {
  std::vector<std::size_t> indices;
  for (const Placement &placement : placements.placed)
    indices.push_back(placement.advice);
  return indices;
}

TEST(SameFile, OneIsTheEndOfTheOther) {
  EXPECT_TRUE(sameFile("db.cc", "db.cc"));
  EXPECT_TRUE(sameFile("../src/db.cc", "src/db.cc"));
  EXPECT_TRUE(sameFile("./db.cc", "/home/someone/src/db.cc"));
  EXPECT_TRUE(sameFile("src/lib/../db.cc", "src/db.cc"));
  EXPECT_TRUE(sameFile("src//db.cc", "src/./db.cc"));
  EXPECT_FALSE(sameFile("a/db.cc", "b/db.cc"));
  EXPECT_FALSE(sameFile("xdb.cc", "db.cc"));
  EXPECT_FALSE(sameFile("", "db.cc"));
  EXPECT_FALSE(sameFile("", ""));
}

TEST(PlaceAdvice, FindsTheSiteByFunctionExpressionAndOrdinal) {
  const AdviceFile file = fileOf({adviceAt("a.c", "f", "&m", 0), adviceAt("a.c", "f", "&m", 1),
                                  adviceAt("a.c", "g", "&m", 0)});
  const std::vector<SiteIdentity> sites = {
      {"a.c", "f", "&m", 1, 7}, {"a.c", "f", "&n", 0, 7}, {"a.c", "g", "&m", 0, 7}};
  const Placements result = placeAdvice(file, sites, "a.c", {});
  EXPECT_THAT(advicePlaced(result), ElementsAre(1, 2));
  EXPECT_EQ(result.placed[0].site, 0u);
  EXPECT_EQ(result.placed[1].site, 2u);
  EXPECT_THAT(result.gone, ElementsAre(0));
}

TEST(PlaceAdvice, AChangedSectionIsStale) {
  const AdviceFile file = fileOf({adviceAt("a.c", "f", "&m", 0, 7)});
  const auto staleWith = [&](std::uint64_t hash) {
    return placeAdvice(file, {{"a.c", "f", "&m", 0, hash}}, "a.c", {}).placed.at(0).stale;
  };
  EXPECT_FALSE(staleWith(7));
  EXPECT_TRUE(staleWith(8));
  EXPECT_FALSE(staleWith(0)) << "an unknown hash proves nothing";
}

TEST(PlaceAdvice, TheNearerOfTwoFilesOfOneNameIsMeant) {
  const AdviceFile file =
      fileOf({adviceAt("x/util.c", "f", "&m"), adviceAt("y/util.c", "f", "&m")});
  const std::vector<SiteIdentity> sites = {{"/src/y/util.c", "f", "&m", 0, 7}};
  const Placements result = placeAdvice(file, sites, "/src/y/util.c", {});
  EXPECT_THAT(advicePlaced(result), ElementsAre(1));
  EXPECT_THAT(result.gone, IsEmpty()) << "the other file's advice is no business of this one";
}

TEST(PlaceAdvice, AnotherFilesFunctionOfTheSameNameGetsNothing) {
  const AdviceFile file = fileOf({adviceAt("a.c", "worker", "&m")});
  const Placements result = placeAdvice(file, {{"b.c", "worker", "&m", 0, 7}}, "b.c", {});
  EXPECT_THAT(result.placed, IsEmpty());
  EXPECT_THAT(result.gone, IsEmpty());
}

TEST(PlaceAdvice, AMovedSourceKeepsItsAdviceWhileTheSectionIsTheSame) {
  const AdviceFile file = fileOf({adviceAt("/one/src/a.c", "f", "&m", 0, 7)});
  EXPECT_THAT(
      advicePlaced(placeAdvice(file, {{"/two/src/a.c", "f", "&m", 0, 7}}, "/two/src/a.c", {})),
      ElementsAre(0));
  EXPECT_THAT(placeAdvice(file, {{"/two/src/a.c", "f", "&m", 0, 8}}, "/two/src/a.c", {}).placed,
              IsEmpty());
}

TEST(PlaceAdvice, OneSiteMayHaveAdviceForSeveralLocks) {
  AdviceFile file = fileOf({adviceAt("a.c", "f", "m"), adviceAt("a.c", "f", "m")});
  file.advice[0].lock = "first";
  file.advice[1].lock = "second";
  EXPECT_THAT(advicePlaced(placeAdvice(file, {{"a.c", "f", "m", 0, 7}}, "a.c", {})),
              ElementsAre(0, 1));
}

TEST(PlaceAdvice, InAHeaderOnlyAFunctionThatStillLocksHasLostAdvice) {
  const AdviceFile file =
      fileOf({adviceAt("q.h", "Queue<int>::push(int)", "m", 1), adviceAt("q.h", "unused()", "m")});
  const Placements result =
      placeAdvice(file, {{"./q.h", "Queue<int>::push(int)", "m", 0, 7}}, "main.cpp", {"./q.h"});
  EXPECT_THAT(result.placed, IsEmpty());
  EXPECT_THAT(result.gone, ElementsAre(0));
  EXPECT_THAT(placeAdvice(file, {}, "main.cpp", {}).gone, IsEmpty());
}

TEST(PlaceAdvice, WhatIsKnownByItsPlaceIsNotGone) {
  AdviceFile file = fileOf({adviceAt("a.c", "work", ""), adviceAt("other.c", "work", "")});
  for (Advice &advice : file.advice) {
    advice.sectionHash = 0;
    advice.line = 7;
  }
  const Placements result = placeAdvice(file, {}, "src/a.c", {});
  EXPECT_THAT(result.byPlace, ElementsAre(0)) << "the other file is not compiled here";
  EXPECT_THAT(result.gone, IsEmpty());
  EXPECT_THAT(placeAdvice(file, {}, "b.c", {"other.c"}).byPlace, ElementsAre(1));
}

} // namespace
} // namespace qdadvise
