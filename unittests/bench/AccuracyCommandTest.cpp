// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench-accuracy from end to end, on a sample of one case.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using testing::HasSubstr;
using testing::Not;

struct Ended {
  int status = 0;
  std::string out, err;
};

class AccuracyCommand : public testing::Test {
protected:
  AccuracyCommand() { std::filesystem::create_directories(folder); }
  ~AccuracyCommand() override { std::filesystem::remove_all(folder); }

  Ended run(const std::string &more = "", const std::string &kinds = "ideal,spinlock") const {
    const std::string command = std::string(QDADVISE_BENCH_ACCURACY) + " --sample 1 --kind " +
                                kinds + " --precision 0.2 --steps 20000" + " --results " + results +
                                " " + more + " >" + folder + "/out 2>" + folder + "/err";
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), text(folder + "/out"), text(folder + "/err")};
  }
  static std::string text(const std::string &path) {
    std::ifstream in(path);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  }

  const std::string folder = testing::TempDir() + "accuracy-command-" + std::to_string(getpid());
  const std::string results = folder + "/results.tsv";
};

TEST_F(AccuracyCommand, SimulatesScoresAndWrites) {
  const Ended ended = run("--write " + folder + "/tables.md --worst 1");
  ASSERT_EQ(ended.status, 0) << ended.err;
  // The ideal lock knows no machine, the other one two.
  EXPECT_THAT(ended.err, HasSubstr("3 simulations, 3 of them to do"));
  EXPECT_THAT(ended.out, HasSubstr("1 of 2170 cases"));
  EXPECT_THAT(ended.out, HasSubstr("| `spinlock` | 1 |"));
  EXPECT_EQ(ended.out, text(folder + "/tables.md"));
}

TEST_F(AccuracyCommand, SimulatesOneRegionsCases) {
  const Ended ended = run("--region 'with readers'", "ideal");
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("part `develop`, region `with readers`"));
  EXPECT_THAT(ended.out, HasSubstr("| - with readers | 1 |"));
  EXPECT_THAT(ended.out, Not(HasSubstr("of 2050 cases")));
  EXPECT_EQ(run("--region elsewhere").status, 2);
}

TEST_F(AccuracyCommand, GoesOnWhereItWasInterrupted) {
  const Ended whole = run();
  ASSERT_EQ(whole.status, 0) << whole.err;
  const std::string lines = text(results);
  // In the middle of the second simulation's line.
  const std::size_t first = lines.find('\n', lines.find('\n') + 1) + 1;
  std::filesystem::resize_file(results, first + 20);
  const Ended again = run("--jobs 1");
  EXPECT_THAT(again.err, HasSubstr("3 simulations, 2 of them to do"));
  EXPECT_EQ(again.out, whole.out);
  EXPECT_THAT(run().err, HasSubstr("3 simulations, 0 of them to do"));
}

TEST_F(AccuracyCommand, ScoresWhatIsThereWithoutSimulating) {
  EXPECT_THAT(run("--score-only").err, HasSubstr("nothing to score"));
  EXPECT_FALSE(std::filesystem::exists(results));
  const Ended whole = run();
  const Ended scored = run("--score-only");
  EXPECT_EQ(scored.status, 0);
  EXPECT_EQ(scored.out, whole.out);
}

TEST_F(AccuracyCommand, ScoresFootprintsBesideNone) {
  const Ended ended = run("--lines 4", "spinlock");
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("Every section writes 4 cache lines of its lock's data."));
  EXPECT_THAT(ended.out, HasSubstr("| `spinlock`, `auto with footprints` | 1 |"));
  EXPECT_THAT(ended.out, HasSubstr("| `spinlock`, `auto` | 1 |"));
  EXPECT_EQ(run("--lines 4 --profiles 1", "spinlock").status, 2);
}

TEST_F(AccuracyCommand, SimulatesAnewWhatWasAskedForOtherwise) {
  ASSERT_EQ(run().status, 0);
  EXPECT_THAT(run("--seed 2").err, HasSubstr("3 simulations, 3 of them to do"));
}

TEST_F(AccuracyCommand, ReplicatesWithSeedsInARow) {
  const Ended one = run("", "spinlock");
  EXPECT_THAT(one.err, HasSubstr("2 simulations, 2 of them to do"));
  EXPECT_THAT(run("--score-only --replications 3", "spinlock").err, HasSubstr("nothing to score"));
  const Ended three = run("--replications 3", "spinlock");
  ASSERT_EQ(three.status, 0) << three.err;
  EXPECT_THAT(three.err, HasSubstr("6 simulations, 4 of them to do"));
  EXPECT_THAT(three.out, HasSubstr("6 simulations, "));
  EXPECT_THAT(three.out, HasSubstr("simulations from seed 1 to 3,"));
  EXPECT_THAT(run("--replications 2 --seed 2", "spinlock").err,
              HasSubstr("4 simulations, 0 of them to do"));
  EXPECT_EQ(run("", "spinlock").out, one.out);
}

TEST_F(AccuracyCommand, NamesWhatItCannotPredict) {
  // A simulation runs the MCS lock; a prediction needs its costs.
  const std::string machine = folder + "/machine.toml";
  std::ofstream(machine) << "[machine]\nname = 'bare'\ncores = 64\nsource = 'assumed'\n"
                            "[line]\ntransfer_same_socket_ns = 50\n";
  const Ended ended = run("--machine " + machine, "ideal,mcs");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("not predicted: mcs on bare: "));
  EXPECT_THAT(ended.out, HasSubstr("| `ideal` | 1 |"));
}

TEST_F(AccuracyCommand, ScoresIntervalsOfShortProfiles) {
  const std::string profiles = "--profiles 7 --visits 100";
  const Ended ended = run(profiles, "ideal");
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("95 % intervals from 7 short profiles of 100 visits"));
  EXPECT_THAT(ended.out, HasSubstr("| `ideal` | 7 |"));
  EXPECT_EQ(run(profiles, "ideal").out, ended.out);
}

TEST_F(AccuracyCommand, ComparesAdviceWithTheBestAssignment) {
  const Ended ended = run("--assignments 2 --worst 1", "pthread_mutex,qd");
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("## Assignments"));
  for (const char *rule : {"`advise`", "the highest prediction, likely or not",
                           "keep everything (`pthread_mutex`)", "`qd` everywhere"})
    EXPECT_THAT(ended.out, HasSubstr("| " + std::string(rule) + " | 2 | ")); // two machines
  EXPECT_THAT(ended.out, HasSubstr("| case | advised | best | throughput lost, % |"));
  EXPECT_THAT(run("--assignments 2", "ideal").err, HasSubstr("nothing to choose from"));
}

TEST_F(AccuracyCommand, RefusesAFileThatIsNotItsOwn) {
  std::ofstream(results) << "precious\n";
  const Ended ended = run();
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr(results + ":1:1: error: "));
  EXPECT_EQ(text(results), "precious\n");
}

} // namespace
