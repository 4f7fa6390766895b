// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using testing::HasSubstr;

namespace {

/// Two sites, each with a finding: at 10, section to 30; at 50, section to 70.
FileFindings twoSites() {
  FileFindings file;
  for (const std::size_t begin : {10U, 50U}) {
    AdvisedSite site;
    site.advice.lock = begin == 10 ? "A::m" : "B::m";
    site.advice.keep = false;
    site.at = {begin, begin + 3};
    site.section = {begin, begin + 20};
    file.sites.push_back(site);
    Finding finding;
    finding.at = site.at;
    finding.text = "advice";
    finding.site = file.sites.size() - 1;
    file.findings.push_back(finding);
  }
  return file;
}

TEST(Findings, MoveWithEditsAbove) {
  FileFindings file = twoSites();
  file.follow({{0, 0}, 5});
  EXPECT_EQ(file.findings[0].at, (Span{15, 18}));
  EXPECT_EQ(file.findings[1].at, (Span{55, 58}));
  file.follow({{40, 42}, 0});
  EXPECT_EQ(file.findings[0].at, (Span{15, 18}));
  EXPECT_EQ(file.findings[1].at, (Span{53, 56}));
  EXPECT_FALSE(file.sites[0].stale || file.sites[1].stale);
}

TEST(Findings, AnEditInASectionMakesItStale) {
  FileFindings file = twoSites();
  file.follow({{20, 20}, 1});
  EXPECT_TRUE(file.sites[0].stale);
  EXPECT_FALSE(file.sites[1].stale);
  ASSERT_EQ(file.findings.size(), 2U);
  EXPECT_EQ(file.findings[0].text, "advice") << "of the other site";
  EXPECT_THAT(file.findings[1].text, HasSubstr("the advice for lock 'A::m' is stale"));
  EXPECT_EQ(file.findings[1].at, (Span{10, 13}));
  EXPECT_EQ(file.findings[1].severity, llvm::lsp::DiagnosticSeverity::Information);
  file.follow({{21, 21}, 1});
  EXPECT_EQ(file.findings.size(), 2U) << "stale is said once";
}

TEST(Findings, StaleIsNotSaidOfALockToKeep) {
  FileFindings file = twoSites();
  file.sites[0].advice.keep = true;
  file.findings.erase(file.findings.begin());
  file.follow({{20, 20}, 1});
  EXPECT_TRUE(file.sites[0].stale);
  EXPECT_EQ(file.findings.size(), 1U);
}

TEST(Findings, GoWithTheirCode) {
  FileFindings file = twoSites();
  file.follow({{5, 35}, 0});
  EXPECT_TRUE(file.sites[0].gone);
  ASSERT_EQ(file.findings.size(), 1U);
  EXPECT_EQ(*file.findings[0].site, 1U);
  EXPECT_EQ(file.findings[0].at, (Span{20, 23}));
  file.follow({{0, 0}, 5});
  EXPECT_EQ(file.findings[0].at, (Span{25, 28}));
}

TEST(Findings, ADeclarationIsFollowed) {
  FileFindings file = twoSites();
  file.sites[0].declaration = Span{80, 84};
  file.follow({{0, 0}, 2});
  EXPECT_EQ(*file.sites[0].declaration, (Span{82, 86}));
  file.follow({{82, 86}, 0});
  EXPECT_FALSE(file.sites[0].declaration);
  EXPECT_FALSE(file.sites[0].stale);
}

} // namespace
