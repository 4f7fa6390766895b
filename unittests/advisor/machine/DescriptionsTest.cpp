// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bundled descriptions are complete, and say where their figures come from.
#include "advisor/machine/BundledMachines.h"
#include "advisor/machine/Machine.h"
#include "advisor/machine/MachineToml.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

std::vector<std::string> descriptions() {
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(QDADVISE_DESCRIPTIONS))
    paths.push_back(entry.path().string());
  return paths;
}

class Description : public testing::TestWithParam<std::string> {};

TEST_P(Description, HasWhatTheModelsNeed) {
  const auto machine = readMachine(GetParam());
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_TRUE(machine->require(LockKind::pthreadMutex, "lock_overhead_ns"));
  for (const LockKind kind : {LockKind::spinlock, LockKind::ticket, LockKind::mcs, LockKind::clh})
    EXPECT_TRUE(machine->requireHandoff(kind)) << nameOf(kind);
  EXPECT_TRUE(machine->require(LockKind::qd, "lock_overhead_ns"));
  EXPECT_TRUE(machine->require(LockKind::qd, "delegation_overhead_ns"));
  EXPECT_TRUE(machine->requireScheduler("timeslice_ns"));
  EXPECT_TRUE(machine->requireScheduler("wake_ns"));
  EXPECT_TRUE(machine->requireScheduler("wakeup_ns"));
  EXPECT_TRUE(machine->line.contains("transfer_same_socket_ns"));
  EXPECT_EQ(machine->line.contains("transfer_cross_socket_ns"), machine->sockets > 1);
}

TEST_P(Description, PrintsAndReadsBack) {
  const auto machine = readMachine(GetParam());
  ASSERT_TRUE(machine) << machine.error().message;
  const std::string text = printMachine(*machine);
  const auto again = parseMachine(text, "printed.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(printMachine(*again), text);
}

/// No further thread that waits makes a release cheaper in total.
TEST_P(Description, DelegationOverheadDoesNotFall) {
  const auto machine = readMachine(GetParam());
  ASSERT_TRUE(machine) << machine.error().message;
  const KindCosts &qd = machine->kinds.at(LockKind::qd);
  for (int k = 1; k < 128; ++k)
    EXPECT_LE(qd.delegationOverhead(k), qd.delegationOverhead(k + 1)) << k;
}

INSTANTIATE_TEST_SUITE_P(Bundled, Description, testing::ValuesIn(descriptions()),
                         [](const auto &info) {
                           std::string name = std::filesystem::path(info.param).stem().string();
                           for (char &c : name)
                             c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(GenericMachine, IsTheBundledDescription) {
  const auto file = readMachine(QDADVISE_DESCRIPTIONS "/generic.toml");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(printMachine(genericMachine()), printMachine(*file));
  EXPECT_EQ(genericMachine().source, assumed);
  EXPECT_EQ(genericMachine().cores, 16);
}

TEST(SandyBridge, HasThePublishedLockOverhead) {
  const auto machine = readMachine(QDADVISE_DESCRIPTIONS "/sandy-bridge-4x8-core.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->cores, 32);
  EXPECT_EQ(machine->sockets, 4);
  const Figure &overhead = machine->kinds.at(LockKind::qd).figures.at("lock_overhead_ns");
  EXPECT_EQ(overhead.value, 172);
  EXPECT_THAT(overhead.source, testing::StartsWith(published));
}

} // namespace
} // namespace qdadvise
