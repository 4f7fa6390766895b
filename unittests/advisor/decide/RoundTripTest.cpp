// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A network that was printed and read again leads to the same decisions and the same
// advice as the profile it came from.

#include "advisor/decide/AdviceOf.h"
#include "advisor/decide/LockFacts.h"
#include "advisor/network/NetworkReader.h"
#include "advisor/network/NetworkWriter.h"
#include "advisor/network/construction/Construction.h"
#include "runtime/abi/site_record.h"
#include "unittests/advisor/model/Networks.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

/// Three busy locks: one that a condition variable waits with, a recursive one, and one that
/// is waited for with a limit and takes another inside.
Profile demandingProfile() {
  testing::ProfileBuilder b;
  const std::size_t worker = b.threads("serve()", 1);
  std::vector<std::size_t> sections;
  const auto add = [&](const char *name, std::uint32_t line, SiteRole role, std::uint32_t flags) {
    const std::size_t lock = b.lockClass(name, LockKind::pthreadMutex);
    b.lock(lock, 0x1000 * line, 1000, 3e5);
    const std::size_t site = b.site("serve()", line);
    b.profile.sites[site].role = static_cast<std::uint32_t>(role);
    b.profile.sites[site].flags = flags;
    sections.push_back(b.section(worker, site, lock, 1000, 300));
  };
  add("queue", 1, SiteRole::wait, siteTimed);
  add("tree", 2, SiteRole::acquire, siteRecursive);
  add("store", 3, SiteRole::acquire, siteTry | siteTimed);
  const std::size_t log = b.lockClass("log", LockKind::pthreadSpin);
  b.lock(log, 0x9000, 1000, 2e4);
  b.section(worker, b.site("log()", 4), log, 1000, 20, sections[2]);
  b.transition(worker, std::nullopt, sections[0], 1, 1000);
  b.transition(worker, sections[0], sections[1], 1000, 500, 20);
  b.transition(worker, sections[1], sections[2], 1000, 500);
  b.transition(worker, sections[2], sections[0], 999, 500);
  b.transition(worker, sections[2], std::nullopt, 1, 1000);
  return b.profile;
}

std::string adviceFor(const Network &network, const Machine &machine) {
  DecisionOptions options;
  options.threads = 16;
  const Expected<Decisions> decisions = decide(network, machine, options);
  if (!decisions) {
    ADD_FAILURE() << decisions.error().message;
    return "";
  }
  std::string text =
      printAdvice(adviceOf(*decisions, network, machine, {"program", "2026-11-20", 16, 16}));
  for (const std::string &note : decisions->notes)
    text += note + "\n";
  return text;
}

void expectSameAdvice(const Profile &profile) {
  const Machine machine = test::machineOf(16);
  const Expected<Construction> made = constructNetwork(profile, machine);
  ASSERT_TRUE(made) << made.error().message;
  const std::string printed = printNetwork(made->network);
  const Expected<Network> again = parseNetwork(printed, "network.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(printNetwork(*again), printed);
  EXPECT_EQ(adviceFor(*again, machine), adviceFor(made->network, machine));
}

TEST(PrintedNetwork, LeadsToTheAdviceOfItsProfile) {
  expectSameAdvice(testing::sampleProfile());
  expectSameAdvice(demandingProfile());
}

TEST(PrintedNetwork, KeepsWhatTheCodeAsksOfItsLocks) {
  const Expected<Construction> made = constructNetwork(demandingProfile(), test::machineOf(16));
  ASSERT_TRUE(made) << made.error().message;
  const Expected<Network> again = parseNetwork(printNetwork(made->network), "network.toml");
  ASSERT_TRUE(again) << again.error().message;
  using Kind = Hindrance::Kind;
  std::vector<std::vector<Kind>> asked;
  for (const LockFacts &facts : lockFacts(*again)) {
    asked.emplace_back();
    for (const Hindrance &hindrance : facts.hindrances)
      asked.back().push_back(hindrance.kind);
  }
  EXPECT_THAT(asked, ::testing::UnorderedElementsAre(
                         std::vector{Kind::conditionWait}, std::vector{Kind::recursive},
                         std::vector{Kind::timed, Kind::innerLock}, std::vector<Kind>{}));
}

} // namespace
} // namespace qdadvise
