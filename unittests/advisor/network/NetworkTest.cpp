// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/network/Network.h"
#include "advisor/network/NetworkReader.h"
#include "advisor/network/NetworkWriter.h"
#include "advisor/network/Validation.h"
#include "runtime/abi/site_record.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>

namespace qdadvise {

namespace {

/// The excerpt of the file format's documentation, completed.
constexpr const char *example = R"(
[[lock]]
name = "fifo"
kind = "pthread_mutex"
instances = 4
shares = [0.7]

[[lock]]
name = "log"
kind = "spinlock"

[[section]]
name = "fifo.push"
lock = "fifo"
hold = { mean = 1000.0, cv = 0.5, samples = 12, inefficiency = 1.5 }
site = { file = "queue.cc", line = 42, column = 5, function = "Queue::push", section_hash = "00000000000000ff", role = "wait", flags = ["timed", "recursive"], facts = ["returns", "waits"] }

[[section]]
name = "log.write"
lock = "log"
hold = { mean = 10.0, cv = 1.5, skewness = 6.5 }
inside = "fifo.push"
visits = 0.25

[[class]]
name = "worker"
weight = 2.0

[[class]]
name = "main"
threads = 1

[[transition]]
class = "worker"
from = "fifo.push"
to = "fifo.push"
probability = 1
local = { mean = 3000.0, dist = "deterministic", blocked = 7.5 }
samples = 11

[[transition]]
class = "main"
from = "fifo.push"
to = "fifo.push"
probability = 1.0
local = { mean = 0 }

[run]
serial = 2.5e8
parallel = 7.5e8
threads = 3
what = "what main does while there is no worker"
longest_stretch = 0.25
barrier_stretch = 0.125
barriers = 12
fixed_work = 0.5
work = 1.25
computing = 0.75
processors = 0.5
copies = { cpu = "a processor", processors = 4, slowdowns = [[2, 1.25, 0.02], [4, 1.5, 0]] }
ends = 0.0625
open_serial = 0.6875
guessed_stages = 0.375
)";

TEST(NetworkToml, ReadsEveryKey) {
  const auto network = parseNetwork(example, "net.toml");
  ASSERT_TRUE(network) << network.error().message;
  ASSERT_TRUE(network->run);
  EXPECT_EQ(network->run->serialNs, 2.5e8);
  EXPECT_EQ(network->run->parallelNs, 7.5e8);
  EXPECT_EQ(network->run->threads, 3);
  EXPECT_EQ(network->run->serial, "what main does while there is no worker");
  EXPECT_EQ(network->run->longestStretch, 0.25);
  EXPECT_EQ(network->run->guessedStages, 0.375);
  EXPECT_EQ(network->run->barrierStretch, 0.125);
  EXPECT_EQ(network->run->barriers, 12);
  EXPECT_EQ(network->run->ends, 0.0625);
  EXPECT_EQ(network->run->openSerial, 0.6875);
  EXPECT_EQ(network->run->fixedWork, 0.5);
  EXPECT_EQ(network->run->work, 1.25);
  EXPECT_EQ(network->run->computing, 0.75);
  EXPECT_EQ(network->run->processors, 0.5);
  ASSERT_TRUE(network->run->copies);
  EXPECT_EQ(network->run->copies->cpu, "a processor");
  EXPECT_EQ(network->run->copies->processors, 4);
  ASSERT_EQ(network->run->copies->rows.size(), 2u);
  EXPECT_EQ(network->run->copies->rows[0].copies, 2);
  EXPECT_EQ(network->run->copies->rows[0].slowdown, 1.25);
  EXPECT_EQ(network->run->copies->rows[0].deviation, 0.02);
  EXPECT_EQ(network->run->copies->rows[1].copies, 4);
  ASSERT_EQ(network->locks.size(), 2u);
  EXPECT_EQ(network->locks[0].instances, 4u);
  EXPECT_EQ(network->locks[0].shares, std::vector<double>{0.7});
  EXPECT_FALSE(network->locks[0].perThread);
  EXPECT_EQ(network->locks[1].kind, LockKind::spinlock);
  ASSERT_EQ(network->sections.size(), 2u);
  EXPECT_EQ(network->sections[0].hold.cv, 0.5);
  EXPECT_EQ(network->sections[0].hold.samples, 12u);
  EXPECT_EQ(network->sections[0].hold.inefficiency, 1.5);
  ASSERT_TRUE(network->sections[0].site);
  EXPECT_EQ(network->sections[0].site->function, "Queue::push");
  EXPECT_EQ(network->sections[0].site->sectionHash, 0xffu);
  EXPECT_EQ(network->sections[0].site->role, static_cast<std::uint32_t>(SiteRole::wait));
  EXPECT_EQ(network->sections[0].site->flags, siteTimed | siteRecursive);
  EXPECT_EQ(network->sections[0].site->facts, factsKnown | factReturns | factWaits);
  EXPECT_EQ(network->sections[1].inside, std::size_t{0});
  EXPECT_EQ(network->sections[1].visits, 0.25);
  EXPECT_FALSE(network->sections[0].hold.skewness);
  EXPECT_EQ(network->sections[1].hold.cv, 1.5);
  EXPECT_EQ(network->sections[1].hold.skewness, 6.5);
  EXPECT_TRUE(network->classes[0].scales);
  EXPECT_EQ(network->classes[0].weight, 2);
  EXPECT_FALSE(network->classes[1].scales);
  EXPECT_EQ(network->classes[1].threads, 1);
  EXPECT_EQ(network->transitions[0].local.dist, Distribution::deterministic);
  EXPECT_EQ(network->transitions[0].local.cv, 0);
  EXPECT_EQ(network->transitions[0].blockedNs, 7.5);
  EXPECT_EQ(network->transitions[0].samples, 11u);
}

TEST(NetworkToml, TakesAllWorkOfARunForComputingUnlessTold) {
  std::string text = example;
  for (const char *told : {"computing = 0.75\n", "processors = 0.5\n"})
    text.erase(text.find(told), std::strlen(told));
  const auto network = parseNetwork(text, "net.toml");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->run->computing, 1.25);
  EXPECT_EQ(network->run->processors, 1.25);
  EXPECT_EQ(printNetwork(*network).find("computing"), std::string::npos);
}

TEST(Network, KnowsTheSkewnessOfEveryDistribution) {
  const auto skewness = [](double cv, Distribution dist) { return skewnessOf({100, cv, dist}); };
  EXPECT_EQ(skewness(1, Distribution::exponential), 2);
  EXPECT_EQ(skewness(0, Distribution::deterministic), 0);
  EXPECT_EQ(skewness(0.5, Distribution::uniform), 0);
  EXPECT_EQ(skewness(1.5, Distribution::gamma), 3);
  EXPECT_EQ(skewness(2, Distribution::lognormal), 14);
  // As it is simulated.
  EXPECT_EQ(skewness(1, Distribution::unspecified), 2);
  EXPECT_EQ(skewness(2, Distribution::unspecified), 14);
  EXPECT_EQ(skewnessOf({100, 2, Distribution::unspecified, 0, 5.0}), 5);
}

TEST(NetworkToml, PrintsWhatReadsBackTheSame) {
  const auto network = parseNetwork(example, "net.toml");
  ASSERT_TRUE(network) << network.error().message;
  const std::string printed = printNetwork(*network);
  const auto again = parseNetwork(printed, "printed.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(printNetwork(*again), printed);
  EXPECT_EQ(again->run->parallelNs, 7.5e8);
  EXPECT_EQ(again->run->threads, 3);
  EXPECT_EQ(again->run->computing, 0.75);
  EXPECT_EQ(again->run->processors, 0.5);
  EXPECT_EQ(again->run->copies->rows[1].slowdown, 1.5);
  EXPECT_EQ(again->transitions[0].blockedNs, 7.5);
  EXPECT_EQ(again->sections[0].hold.samples, 12u);
  EXPECT_EQ(again->sections[0].hold.inefficiency, 1.5);
  EXPECT_EQ(again->sections[0].site->line, 42u);
  EXPECT_EQ(again->sections[0].site->sectionHash, 0xffu);
  EXPECT_EQ(again->sections[0].site->role, static_cast<std::uint32_t>(SiteRole::wait));
  EXPECT_EQ(again->sections[0].site->flags, siteTimed | siteRecursive);
  EXPECT_EQ(again->sections[0].site->facts, factsKnown | factReturns | factWaits);
}

TEST(NetworkToml, ReadsAndPrintsTheShareOfOwnLocks) {
  std::string text = example;
  const std::string before = "kind = \"spinlock\"\n";
  text.insert(text.find(before) + before.size(), "own = 0.75\n");
  const auto network = parseNetwork(text, "net.toml");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->locks[0].own, 0);
  EXPECT_EQ(network->locks[1].own, 0.75);
  EXPECT_EQ(printNetwork(*parseNetwork(printNetwork(*network), "again")), printNetwork(*network));
}

TEST(NetworkToml, ReadsAndPrintsWhatNothingIsKnownOf) {
  auto network = parseNetwork(example, "net.toml");
  ASSERT_TRUE(network) << network.error().message;
  ASSERT_TRUE(network->sections[0].site);
  network->locks[1].neverRan = {*network->sections[0].site};
  network->sections[0].untimed = true;
  network->sections[1].delayed = true;
  const auto again = parseNetwork(printNetwork(*network), "again");
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->locks[1].neverRan.size(), 1u);
  EXPECT_EQ(again->locks[1].neverRan[0].line, network->sections[0].site->line);
  EXPECT_TRUE(again->sections[0].untimed);
  EXPECT_TRUE(again->sections[1].delayed);
  EXPECT_FALSE(again->sections[0].delayed);
  EXPECT_EQ(printNetwork(*again), printNetwork(*network));
}

TEST(NetworkToml, ReadsAndPrintsWhatEachThreadHasForItself) {
  std::string text = example;
  const std::string before = "kind = \"spinlock\"\n";
  text.insert(text.find(before) + before.size(), "per_thread = true\nguessed = true\n");
  const auto network = parseNetwork(text, "net.toml");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_FALSE(network->locks[0].perThread);
  EXPECT_FALSE(network->locks[0].guessed);
  EXPECT_TRUE(network->locks[1].perThread);
  EXPECT_TRUE(network->locks[1].guessed);
  EXPECT_THAT(printNetwork(*network), testing::HasSubstr("\nper_thread = true\nguessed = true\n"));
  EXPECT_EQ(printNetwork(*parseNetwork(printNetwork(*network), "again")), printNetwork(*network));
}

/// The example with a footprint at its last section.
std::string withFootprint(const std::string &footprint) {
  std::string text = example;
  const std::string before = "visits = 0.25\n";
  return text.insert(text.find(before) + before.size(), "footprint = " + footprint + "\n");
}

TEST(NetworkToml, ReadsAndPrintsFootprints) {
  const std::string footprint =
      "{ read = [[0.0, 2.5], [5.5, 0.25]], written = [[0.0, 4.0], [1.0, 0.0]], chained = 0.25 }";
  const auto network = parseNetwork(withFootprint(footprint), "net.toml");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_FALSE(network->sections[0].footprint) << "nothing is known of it";
  ASSERT_TRUE(network->sections[1].footprint);
  const Footprint &known = *network->sections[1].footprint;
  ASSERT_EQ(known.read.size(), 2u);
  EXPECT_EQ(known.read[1].readers, 5.5);
  EXPECT_EQ(known.read[1].lines, 0.25);
  ASSERT_EQ(known.written.size(), 2u);
  EXPECT_EQ(known.written[0].lines, 4);
  EXPECT_EQ(known.chained, 0.25);
  EXPECT_THAT(printNetwork(*network), testing::HasSubstr("\nfootprint = " + footprint + "\n"));

  EXPECT_FALSE(parseNetwork(withFootprint("{ chained = 1.5 }"), "net.toml"));

  const auto nothing = parseNetwork(withFootprint("{ }"), "net.toml");
  ASSERT_TRUE(nothing) << nothing.error().message;
  EXPECT_TRUE(nothing->sections[1].footprint) << "known to share nothing";
  EXPECT_THAT(printNetwork(*nothing), testing::HasSubstr("\nfootprint = { }\n"));
}

/// The example with one piece of text replaced, and what that is refused with.
struct Refused {
  const char *from, *to, *message;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for this name.
void PrintTo(const Refused &refused, std::ostream *out) {
  *out << '\'' << refused.from << "' replaced by '" << refused.to << '\'';
}

class NetworkRefusal : public testing::TestWithParam<Refused> {};

TEST_P(NetworkRefusal, NamesThePlaceAndTheFault) {
  std::string text = example;
  const auto at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos) << GetParam().from;
  text.replace(at, std::string(GetParam().from).size(), GetParam().to);
  const auto network = parseNetwork(text, "net.toml");
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, NetworkRefusal,
    testing::Values(
        Refused{"probability = 1\n", "probability = 0.9\n",
                "net.toml:33:1: error: the probabilities from 'fifo.push' in class 'worker' sum to "
                "0.9 instead of 1"},
        Refused{"probability = 1\n", "probability = 0.99999999\n",
                "net.toml:33:1: error: the probabilities from 'fifo.push' in class 'worker' sum to "
                "0.99999999 instead of 1"},
        Refused{"probability = 1\n", "probability = -1\n",
                "net.toml:37:15: error: 'probability' must not be negative"},
        Refused{"to = \"fifo.push\"", "to = \"nobody\"",
                "net.toml:36:6: error: there is no section named 'nobody'"},
        Refused{"lock = \"log\"", "lock = \"lag\"",
                "net.toml:20:8: error: there is no lock named 'lag'"},
        Refused{"class = \"main\"", "class = \"mine\"",
                "net.toml:42:9: error: there is no class named 'mine'"},
        Refused{"name = \"log\"", "name = \"fifo\"",
                "net.toml:8:1: error: lock 'fifo': this name is used twice"},
        Refused{"mean = 1000.0", "mean = -1000.0",
                "net.toml:15:17: error: 'mean' must not be negative"},
        Refused{"mean = 1000.0", "mean = inf",
                "net.toml:15:17: error: 'mean' must be a finite number"},
        Refused{"mean = 1000.0", "mean = nan",
                "net.toml:15:17: error: 'mean' must be a finite number"},
        Refused{"mean = 1000.0", "men = 1000.0",
                "net.toml:15:16: error: unknown key 'men' in a time"},
        Refused{"inside = \"fifo.push\"", "inside = \"log.write\"",
                "net.toml:18:1: error: section 'log.write' is nested inside itself, through "
                "'inside'"},
        Refused{"visits = 0.25", "visits = 0",
                "net.toml:18:1: error: section 'log.write': a nested section needs 'visits' per "
                "execution of the outer one, more than 0"},
        Refused{"shares = [0.7]", "shares = [0.7, 0.4]",
                "net.toml:2:1: error: lock 'fifo': the shares sum to 1.1, which is more than 1"},
        Refused{"instances = 4", "per_thread = 4",
                "net.toml:5:14: error: 'per_thread' must be true or false"},
        Refused{"instances = 4", "instances = 0",
                "net.toml:5:13: error: 'instances' must be at least 1"},
        Refused{"dist = \"deterministic\"", "dist = \"normal\"",
                "net.toml:38:33: error: unknown distribution 'normal': known are exponential, "
                "deterministic, uniform, lognormal, gamma"},
        Refused{"skewness = 6.5", "skewness = 0.8",
                "net.toml:18:1: error: section 'log.write': with a cv of 1.5 'hold' has a skewness "
                "of at least 0.833333: a smaller one needs negative times"},
        Refused{"skewness = 6.5", "skewness = 6.5, dist = \"gamma\"",
                "net.toml:21:44: error: the skewness follows from 'dist': give one of them"},
        Refused{"dist = \"deterministic\"", "dist = \"deterministic\", cv = 1",
                "net.toml:38:55: error: this distribution has a cv of 0"},
        Refused{"threads = 1", "threads = 0.5",
                "net.toml:29:1: error: class 'main': 'threads' must be a whole number of at least "
                "1"},
        Refused{"threads = 1", "threads = 1\nscales = true",
                "net.toml:31:11: error: a class that scales has no 'threads' of its own"},
        Refused{"threads = 1", "scales = false",
                "net.toml:29:1: error: a class that does not scale needs 'threads'"},
        Refused{"kind = \"spinlock\"", "",
                "net.toml:8:1: error: the required key 'kind' is missing"},
        Refused{"role = \"wait\"", "role = \"rest\"",
                "net.toml:16:120: error: 'role' must be \"acquire\", \"wait\" or \"wrapper\""},
        Refused{
            "\"timed\"", "\"slow\"",
            "net.toml:16:137: error: 'flags' may hold \"try\", \"timed\", \"shared\", "
            "\"recursive\", \"conditional\", \"by-caller\", \"inner\", \"any-lock\", \"waits\""},
        Refused{"\"waits\"", "\"wait\"",
                "net.toml:16:180: error: 'facts' may hold \"returns\", \"throws\", \"jumps\", "
                "\"calls_pointer\", \"calls_unknown\", \"waits\", \"does_io\", \"takes_lock\", "
                "\"thread_local\", \"one_integer_update\", \"empty\", \"barrier\""},
        Refused{"\"00000000000000ff\"", "\"0x1\"",
                "net.toml:16:93: error: 'section_hash' must be hexadecimal digits"},
        Refused{"visits = 0.25", "footprint = { red = [] }",
                "net.toml:23:21: error: unknown key 'red' in a footprint"},
        Refused{"visits = 0.25", "footprint = { read = [[1, 2, 3]] }",
                "net.toml:23:23: error: a row of 'read' must be two numbers: executions that have "
                "read a line since it was written, and lines"},
        Refused{"visits = 0.25", "footprint = { read = [[0, 1], [0, 2]] }",
                "net.toml:18:1: error: section 'log.write': the rows of 'read' must ascend in "
                "their first number"},
        Refused{"visits = 0.25", "footprint = { written = [[0, -1]] }",
                "net.toml:23:30: error: 'written' must not be negative"},
        Refused{"visits = 0.25", "footprint = { written = [[inf, 1]] }",
                "net.toml:23:27: error: 'written' must be a finite number"},
        Refused{"[[class]]", "[class]",
                "net.toml:29:1: error: Error while parsing table header: cannot redefine existing "
                "table 'class' as array-of-tables"},
        Refused{"inefficiency = 1.5", "inefficiency = 0.5",
                "net.toml:15:64: error: 'inefficiency' must be at least 1.0"},
        Refused{"serial = 2.5e8", "serial = -1",
                "net.toml:49:10: error: 'serial' must not be negative"},
        Refused{"parallel = 7.5e8", "",
                "net.toml:48:1: error: the required key 'parallel' is missing"},
        Refused{"parallel = 7.5e8", "parallel = 0",
                "net.toml:48:1: error: a run needs a 'parallel' time, more than 0"},
        Refused{"longest_stretch = 0.25", "longest_stretch = 1.5",
                "net.toml:48:1: error: the 'longest_stretch' of a run is a share of its parallel "
                "part, from 0 to 1"},
        Refused{"barrier_stretch = 0.125", "barrier_stretch = 1.5",
                "net.toml:48:1: error: the 'barrier_stretch' of a run is a share of its parallel "
                "part, from 0 to 1"},
        Refused{
            "ends = 0.0625", "ends = 1.0625",
            "net.toml:48:1: error: the 'ends' of a run are a share of its parallel part, from 0 "
            "to 1"},
        Refused{"open_serial = 0.6875", "open_serial = -0.5",
                "net.toml:62:15: error: 'open_serial' must not be negative"},
        Refused{"open_serial = 0.6875", "open_serial = 1.5",
                "net.toml:48:1: error: the 'open_serial' of a run is a share of its serial part, "
                "from 0 to 1"},
        Refused{"guessed_stages = 0.375", "guessed_stages = 1.5",
                "net.toml:48:1: error: the 'guessed_stages' of a run are a share of its parallel "
                "part, from 0 to 1"},
        Refused{"barriers = 12", "barriers = -1",
                "net.toml:55:12: error: 'barriers' must not be negative"},
        Refused{"fixed_work = 0.5", "fixed_work = 1.5",
                "net.toml:48:1: error: the 'fixed_work' of a run is a share of its parallel part, "
                "from 0 to 1"},
        Refused{"work = 1.25", "work = 0.25",
                "net.toml:48:1: error: the 'work' of a run has its 'fixed_work' in it"},
        Refused{"threads = 3", "threads = 0",
                "net.toml:51:11: error: 'threads' must be at least 1"},
        Refused{"computing = 0.75", "computing = -1",
                "net.toml:58:13: error: 'computing' must not be negative"},
        Refused{"processors = 0.5", "processors = 1",
                "net.toml:48:1: error: the 'processors' of a run are no more than its 'computing' "
                "threads"},
        Refused{"[2, 1.25, 0.02]", "[2, 1.25]",
                "net.toml:60:62: error: a row of 'slowdowns' must be three numbers: copies at "
                "once, how many times the processor time one of them takes, and the deviation"},
        Refused{"[2, 1.25, 0.02]", "[1, 1.25, 0.02]",
                "net.toml:60:63: error: 'slowdowns' must be at least 2.0"},
        Refused{"[2, 1.25, 0.02]", "[2.5, 1.25, 0.02]",
                "net.toml:60:63: error: a row of 'slowdowns' begins with a whole number of copies"},
        Refused{"[2, 1.25, 0.02]", "[2, 0, 0.02]",
                "net.toml:48:1: error: in a row of 'slowdowns', how many times the processor time "
                "a copy takes is above 0"},
        Refused{"[2, 1.25, 0.02]", "[2, nan, 0.02]",
                "net.toml:60:66: error: 'slowdowns' must be a finite number"},
        Refused{"[2, 1.25, 0.02]", "[2, 1.25, 50]",
                "net.toml:48:1: error: the deviation in a row of 'slowdowns' is from 0 to 10"},
        Refused{"[2, 1.25, 0.02]", "[4, 1.25, 0.02]",
                "net.toml:48:1: error: the 'slowdowns' of a run are of 2 copies or more, "
                "ascending, up to its 'processors'"},
        Refused{"processors = 4", "processors = 3",
                "net.toml:48:1: error: the 'slowdowns' of a run are of 2 copies or more, "
                "ascending, up to its 'processors'"},
        Refused{"[[2, 1.25, 0.02], [4, 1.5, 0]]", "[]",
                "net.toml:48:1: error: the 'copies' of a run need 'slowdowns', one row at least"},
        Refused{"processors = 4, ", "",
                "net.toml:60:10: error: the required key 'processors' is missing"},
        Refused{"cpu = ", "gpu = ", "net.toml:60:18: error: unknown key 'gpu' in copies"},
        Refused{"what = ", "why = ", "net.toml:52:7: error: unknown key 'why' in a run"}));

/// A ring of sections none of which takes time, in a class of its own.
Network withoutTime() {
  Network network;
  network.locks.push_back({"lock", LockKind::spinlock, 1, {}});
  network.classes.push_back({"worker"});
  for (const char *name : {"a", "b"}) {
    Section section;
    section.name = name;
    network.sections.push_back(section);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    Transition transition;
    transition.from = i;
    transition.to = 1 - i;
    transition.probability = 1;
    network.transitions.push_back(transition);
  }
  return network;
}

TEST(NetworkValidation, RefusesACycleInWhichNothingTakesTime) {
  const auto fault = validate(withoutTime());
  ASSERT_TRUE(fault);
  EXPECT_THAT(fault->message, testing::HasSubstr("class 'worker' can go round through section 'a' "
                                                 "in no time"));
}

TEST(NetworkValidation, AcceptsZeroTimesWhereTheCycleTakesSome) {
  Network computing = withoutTime(), holding = computing, blocked = computing;
  computing.transitions[1].local.mean = 1;
  holding.sections[1].hold.mean = 1;
  blocked.transitions[0].blockedNs = 1;
  for (const Network &network : {computing, holding, blocked}) {
    const auto fault = validate(network);
    EXPECT_FALSE(fault) << fault->message;
  }
}

TEST(NetworkValidation, ANestedSectionsTimeCounts) {
  Network network = withoutTime();
  Section inner;
  inner.name = "inner";
  inner.inside = 0;
  inner.visits = 1;
  inner.hold.mean = 5;
  network.sections.push_back(inner);
  EXPECT_FALSE(validate(network));
}

TEST(NetworkValidation, RefusesASectionThatNothingLeaves) {
  Network network = withoutTime();
  network.transitions[0].local.mean = 1;
  network.transitions.pop_back();
  const auto fault = validate(network);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message, "section 'b' has no transition of class 'worker' that leaves it");
}

TEST(NetworkValidation, RefusesTransitionsOfNestedSections) {
  Network network = withoutTime();
  network.sections[1].inside = 0;
  network.sections[1].visits = 1;
  const auto fault = validate(network);
  ASSERT_TRUE(fault);
  EXPECT_THAT(fault->message, testing::HasSubstr("section 'b' is nested"));
}

TEST(NetworkValidation, RefusesALoopOfNesting) {
  Network network = withoutTime();
  for (std::size_t i = 0; i < 2; ++i) {
    network.sections[i].inside = 1 - i;
    network.sections[i].visits = 1;
  }
  const auto fault = validate(network);
  ASSERT_TRUE(fault);
  EXPECT_THAT(fault->message, testing::HasSubstr("nested inside itself"));
}

TEST(NetworkValidation, RefusesIndicesOutOfRange) {
  Network network = withoutTime();
  network.sections[1].lock = 7;
  EXPECT_TRUE(validate(network));
  network = withoutTime();
  network.transitions[0].to = 7;
  EXPECT_TRUE(validate(network));
  network = withoutTime();
  network.transitions[0].threadClass = 7;
  EXPECT_TRUE(validate(network));
}

TEST(NetworkValidation, RefusesAFootprintThatCannotBe) {
  auto network = parseNetwork(example, "net.toml");
  ASSERT_TRUE(network) << network.error().message;
  ASSERT_FALSE(validate(*network));
  constexpr Footprint::Lines impossible[] = {{-1, 1}, {0, -1}, {0, NAN}, {INFINITY, 1}};
  for (const Footprint::Lines &row : impossible) {
    network->sections[0].footprint = Footprint{{}, {row}};
    ASSERT_TRUE(validate(*network));
    EXPECT_EQ(validate(*network)->message, "section 'fifo.push': the numbers of 'written' must be "
                                           "finite and not negative");
  }
}

TEST(NetworkValidation, RefusesARunThatNeverWas) {
  Network network = withoutTime();
  network.transitions[0].local.mean = 1;
  network.run = {0, 1, 1, "nothing"};
  EXPECT_FALSE(validate(network));
  for (const auto &run : std::vector<qdadvise::Run>{{-1, 1, 1, ""}, {0, 0, 1, ""}, {0, 1, 0, ""}}) {
    network.run = run;
    EXPECT_TRUE(validate(network));
  }
}

TEST(NetworkValidation, RefusesAnEmptyNetwork) {
  EXPECT_TRUE(validate(Network()));
  const auto network = parseNetwork("", "empty.toml");
  ASSERT_FALSE(network);
  EXPECT_THAT(network.error().message, testing::HasSubstr("the network has no section"));
}

TEST(NetworkToml, SaysThatAFileIsMissing) {
  const auto network = readNetwork("no/such/network.toml");
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().message, "cannot read 'no/such/network.toml': no such file");
}

} // namespace

} // namespace qdadvise
