// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine descriptions as text: what is read, what is refused where, what is printed.
#include "advisor/machine/MachineToml.h"
#include "advisor/machine/Machine.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

const std::string head = "[machine]\nname = \"m\"\ncores = 4\nsource = \"measured\"\n";

std::string errorOf(const std::string &text) {
  const auto machine = parseMachine(text, "m.toml");
  return machine ? "accepted" : machine.error().message;
}

TEST(MachineToml, ReadsEveryPart) {
  const auto machine = parseMachine(R"(
[machine]
name = "this host"
cpu = "AMD EPYC"
cores = 32
sockets = 2
source = "published"
reference = "a paper"
date = 2026-11-20
[timer]
read_ns = 9.6
read_ns_spread = 0.2
[line]
transfer_cross_socket_ns = 120
transfer_cross_socket_ns_source = "assumed"
moved_ns = [[1, 60], [256, 5200.5]]
moved_ns_spread = [3, 100]
moved_ns_source = "measured"
chained_ns = [[1, 70], [256, 20000]]
[scheduler]
wake_ns = 170.0
wakeup_ns = [[250, 3100, 1500], [5000, 14700, 6300]]
wakeup_ns_spread = [[100, 50], [5000, 10]]
wakeup_ns_source = "measured"
[kind.spinlock]
lock_overhead_ns = 5.7
[kind.qd]
lock_overhead_ns = 12.4
delegation_overhead_ns = [[1, 50.0], [8, 190.0]]
delegation_overhead_ns_spread = [2, 3.5]
delegation_overhead_ns_source = "assumed"
)",
                                    "m.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->name, "this host");
  EXPECT_EQ(machine->cpu, "AMD EPYC");
  EXPECT_EQ(machine->cores, 32);
  EXPECT_EQ(machine->sockets, 2);
  EXPECT_EQ(machine->source, published);
  EXPECT_EQ(machine->reference, "a paper");
  EXPECT_EQ(machine->date, "2026-11-20");
  EXPECT_EQ(machine->timer.at("read_ns").value, 9.6);
  EXPECT_EQ(machine->timer.at("read_ns").spread, 0.2);
  EXPECT_EQ(machine->timer.size(), 1u);
  EXPECT_EQ(machine->line.at("transfer_cross_socket_ns").value, 120);
  EXPECT_EQ(machine->line.at("transfer_cross_socket_ns").source, assumed);
  EXPECT_EQ(machine->line.size(), 1u);
  EXPECT_THAT(machine->movedLines.rows, ElementsAre(Pair(1, 60), Pair(256, 5200.5)));
  EXPECT_THAT(machine->movedLines.spread, ElementsAre(3, 100));
  EXPECT_EQ(machine->movedLines.source, measured);
  EXPECT_THAT(machine->chainedLines.rows, ElementsAre(Pair(1, 70), Pair(256, 20000)));
  ASSERT_EQ(machine->wakeup.size(), 2u);
  EXPECT_EQ(machine->wakeup[1].sleptNs, 5000);
  EXPECT_EQ(machine->wakeup[1].latencyNs, 14700);
  EXPECT_EQ(machine->wakeup[1].wakerNs, 6300);
  EXPECT_THAT(machine->wakeupSpread, ElementsAre(Pair(100, 50), Pair(5000, 10)));
  EXPECT_EQ(machine->wakeupSource, measured);
  EXPECT_EQ(machine->require(LockKind::spinlock, "lock_overhead_ns"), 5.7);
  const KindCosts &qd = machine->kinds.at(LockKind::qd);
  EXPECT_THAT(qd.curves.at("delegation_overhead_ns").rows, ElementsAre(Pair(1, 50), Pair(8, 190)));
  EXPECT_THAT(qd.curves.at("delegation_overhead_ns").spread, ElementsAre(2, 3.5));
  EXPECT_EQ(qd.curves.at("delegation_overhead_ns").source, assumed);

  // What is printed reads back as the same, to the last digit.
  const std::string text = printMachine(*machine);
  const auto again = parseMachine(text, "printed.toml");
  ASSERT_TRUE(again) << again.error().message << "\n" << text;
  EXPECT_EQ(printMachine(*again), text);
  EXPECT_EQ(again->date, machine->date);
  EXPECT_EQ(again->kinds.at(LockKind::qd).curves.at("delegation_overhead_ns").spread,
            qd.curves.at("delegation_overhead_ns").spread);
  EXPECT_EQ(again->wakeupSpread, machine->wakeupSpread);
  EXPECT_EQ(again->movedLines.rows, machine->movedLines.rows);
  EXPECT_EQ(again->chainedLines.rows, machine->chainedLines.rows);
  EXPECT_EQ(again->line.at("transfer_cross_socket_ns").source, assumed);
}

TEST(MachineToml, RoundTripKeepsOddNumbersAndTexts) {
  Machine machine;
  machine.name = "quote \" backslash \\ umlaut \xc3\xa4 newline \n";
  machine.cores = 1;
  machine.source = assumed;
  machine.timer["read_ns"].value = 0.1 + 0.2;
  machine.timer["tiny_ns"].value = 5e-324;
  machine.timer["huge_ns"].value = 1.7976931348623157e308;
  const auto again = parseMachine(printMachine(machine), "m.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->name, machine.name);
  for (const auto &[key, figure] : machine.timer)
    EXPECT_EQ(again->timer.at(key).value, figure.value) << key;
}

TEST(MachineToml, NeedsOnlyNameCoresAndSource) {
  const auto machine = parseMachine(head, "m.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->sockets, 1);
  EXPECT_TRUE(machine->kinds.empty());
}

TEST(MachineToml, KeepsUnknownFiguresAndIgnoresOtherTables) {
  const auto machine = parseMachine(head + "owner = \"me\"\n[timer]\nnew_ns = 3\n"
                                           "[kind.mcs]\nhandover_ns = 60\n[notes]\ntext = \"x\"\n",
                                    "m.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->timer.at("new_ns").value, 3);
  EXPECT_EQ(machine->require(LockKind::mcs, "handover_ns"), 60);
  EXPECT_THAT(printMachine(*machine), HasSubstr("new_ns = 3.0"));
  EXPECT_THAT(printMachine(*machine), testing::Not(HasSubstr("notes")));
}

struct Refusal {
  const char *text, *message;
};

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithPlaceAndReason) {
  EXPECT_THAT(errorOf(GetParam().text), StartsWith(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    MachineToml, Refused,
    testing::Values(
        Refusal{"", "m.toml:1:1: error: the required key 'machine' is missing"},
        Refusal{"machine = 3", "m.toml:1:11: error: 'machine' must be a table"},
        Refusal{"\n[machine]\ncores = 2\nsource = \"measured\"",
                "m.toml:2:1: error: the required key 'name' is missing"},
        Refusal{"[machine]\nname = \"m\"\nsource = \"measured\"",
                "m.toml:1:1: error: the required key 'cores' is missing"},
        Refusal{"[machine]\nname = \"m\"\ncores = 2",
                "m.toml:1:1: error: the required key 'source' is missing"},
        Refusal{"[machine]\nname = 7", "m.toml:2:8: error: 'name' must be a string"},
        Refusal{"[machine]\nname = \"m\"\nsource = \"measured\"\ncores = 0",
                "m.toml:4:9: error: 'cores' must be at least 1"},
        Refusal{"[machine]\nname = \"m\"\nsource = \"measured\"\ncores = 2.5",
                "m.toml:4:9: error: 'cores' must be a whole number"},
        Refusal{"[machine]\nname = \"m\"\nsource = \"measured\"\ncores = 2\nsockets = 4",
                "m.toml:5:11: error: 'sockets' must be at most 'cores'"},
        Refusal{"[machine]\nname = \"m\"\ncores = 2\nsource = \"guessed\"",
                "m.toml:4:10: error: 'source' must be \"measured\""},
        Refusal{"[machine]\nname = \"m\"\ncores = 2\nsource = \"published\"",
                "m.toml:4:10: error: published figures need the key 'reference'"},
        Refusal{"[machine]\nname = \"m\"\ncores = 2\nsource = \"assumed\"\ndate = \"today\"",
                "m.toml:5:8: error: 'date' must be a date"},
        Refusal{"[machine\n", "m.toml:1:9: error: "}));

std::string inKind(const std::string &text) { return errorOf(head + "[kind.qd]\n" + text); }

TEST(MachineToml, RefusesFiguresThatAreNone) {
  EXPECT_EQ(inKind("lock_overhead_ns = -1.5"),
            "m.toml:6:20: error: 'lock_overhead_ns' must not be negative");
  EXPECT_EQ(inKind("lock_overhead_ns = nan"),
            "m.toml:6:20: error: 'lock_overhead_ns' must be a finite number");
  EXPECT_EQ(inKind("lock_overhead_ns = inf"),
            "m.toml:6:20: error: 'lock_overhead_ns' must be a finite number");
  EXPECT_EQ(inKind("lock_overhead_ns = \"12\""),
            "m.toml:6:20: error: 'lock_overhead_ns' must be a number");
  EXPECT_EQ(inKind("lock_overhead_ns = 1\nlock_overhead_ns_spread = -1"),
            "m.toml:7:27: error: 'lock_overhead_ns_spread' must not be negative");
  EXPECT_EQ(inKind("lock_overhead_ns = 1\nlock_overhead_ns_source = 1"),
            "m.toml:7:27: error: 'lock_overhead_ns_source' must be a string");
  EXPECT_THAT(inKind("lock_overhead_ns_spread = 1"),
              StartsWith("m.toml:6:27: error: 'lock_overhead_ns_spread' is about"));
  EXPECT_EQ(errorOf(head + "[kind]\nqd = 3"), "m.toml:6:6: error: 'qd' must be a table");
  EXPECT_EQ(errorOf(head + "[timer]\nread_ns = true"),
            "m.toml:6:11: error: 'read_ns' must be a number");
}

TEST(MachineToml, RefusesTablesOutOfShape) {
  EXPECT_EQ(inKind("delegation_overhead_ns = 5"),
            "m.toml:6:26: error: 'delegation_overhead_ns' must be an array");
  EXPECT_THAT(inKind("lock_overhead_ns = [[1, 5]]"), HasSubstr("must be a number"));
  EXPECT_EQ(inKind("handover_ns = 5"), "accepted");
  EXPECT_EQ(inKind("handover_ns = [[2, 5]]"), "accepted");
  EXPECT_EQ(inKind("handover_short_ns = [[2, 5]]"), "accepted");
  EXPECT_THAT(inKind("handover_short_ns = 5"), HasSubstr("handover_short_ns"));
  EXPECT_THAT(inKind("handover_ns = \"5\""), HasSubstr("must be a number"));
  EXPECT_EQ(inKind("delegation_overhead_ns = [[1, 5], [1, 6]]"),
            "m.toml:6:36: error: the rows of 'delegation_overhead_ns' must ascend in their first "
            "number, from above 0");
  EXPECT_THAT(inKind("delegation_overhead_ns = [[0, 5]]"), HasSubstr("from above 0"));
  EXPECT_THAT(inKind("delegation_overhead_ns = [[1, -5]]"), HasSubstr("must not be negative"));
  EXPECT_THAT(inKind("delegation_overhead_ns = [[1, 5, 6]]"), HasSubstr("array of 2 numbers"));
  EXPECT_THAT(inKind("delegation_overhead_ns = [[1, 5]]\ndelegation_overhead_ns_spread = [1, 2]"),
              HasSubstr("must have as many rows"));
  const auto wakeups = [](const std::string &text) {
    return errorOf(head + "[scheduler]\nwakeup_ns = " + text);
  };
  EXPECT_THAT(wakeups("[[1, 2]]"), HasSubstr("array of 3 numbers"));
  EXPECT_THAT(wakeups("[[5, 1, 1], [4, 1, 1]]"), HasSubstr("must ascend"));
  EXPECT_THAT(wakeups("[[5, 1, nan]]"), HasSubstr("must be a finite number"));
  EXPECT_THAT(wakeups("[[5, 1, 1]]\nwakeup_ns_spread = [[1]]"), HasSubstr("array of 2 numbers"));
}

TEST(MachineToml, SaysWhyAFileCannotBeRead) {
  const auto missing = readMachine("/nonexistent/machine.toml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "cannot read '/nonexistent/machine.toml': no such file");
  const auto folder = readMachine(testing::TempDir());
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr("it is a folder"));
}

TEST(MachineToml, NamesTheFileInErrors) {
  const std::string path = testing::TempDir() + "machine-toml-test.toml";
  std::ofstream(path) << head << "[timer]\nread_ns = -1\n";
  const auto machine = readMachine(path);
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().message, path + ":6:11: error: 'read_ns' must not be negative");
}

} // namespace
TEST(MachineToml, SaysHowCoresAreSharedAndWhereThreadsRun) {
  const auto parse = [](const std::string &keys) {
    return parseMachine("[machine]\nname = \"m\"\ncores = 8\nsource = \"assumed\"\n" + keys,
                        "m.toml");
  };
  const auto plain = parse("");
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->threadsPerCore, 1);
  EXPECT_EQ(plain->placement, ThreadPlacement::spread);
  const auto shared = parse("threads_per_core = 2\nplacement = \"compact\"\n");
  ASSERT_TRUE(shared) << shared.error().message;
  EXPECT_EQ(shared->threadsPerCore, 2);
  EXPECT_EQ(shared->placement, ThreadPlacement::compact);
  const auto again = parseMachine(printMachine(*shared), "printed.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(printMachine(*again), printMachine(*shared));
  EXPECT_EQ(parse("threads_per_core = 3\n").error().message,
            "m.toml:5:20: error: 'cores' counts hardware threads, so it must be a multiple of "
            "'threads_per_core'");
  EXPECT_EQ(parse("placement = \"here\"\n").error().message,
            "m.toml:5:13: error: 'placement' is one of spread, sockets and compact");
}

} // namespace qdadvise
