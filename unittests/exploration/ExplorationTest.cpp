// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The explorer itself, on programs so small that what there is to find can be counted.
#include "unittests/exploration/Exploration.h"
#include "advisor/sim/SimulatedMemory.h"
#include "unittests/exploration/Plain.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <stdexcept>

namespace qdadvise::sim {

namespace {

using testing::HasSubstr;

using Word = SimulatedMemory::atomic<std::uint32_t>;

/// What the threads of a test share, made anew for each schedule.
struct Shared {
  Word a{0}, b{0}, c{0};
  Plain<int> data, more;
};

using Body = std::function<void(Shared &)>;

ProgramFactory programOf(std::vector<Body> bodies, Body afterwards = {}) {
  return [=] {
    const auto shared = std::make_shared<Shared>();
    Program program;
    for (const Body &body : bodies)
      program.threads.emplace_back([=] { body(*shared); });
    if (afterwards)
      program.afterwards = [=] { afterwards(*shared); };
    program.names = {{&shared->a, sizeof(Word), "a"},
                     {&shared->b, sizeof(Word), "b"},
                     {&shared->c, sizeof(Word), "c"},
                     {&shared->data, sizeof(shared->data), "data"},
                     {&shared->more, sizeof(shared->more), "more"}};
    return program;
  };
}

/// The failure that all ways of exploring find, each of which must replay to the same.
void expectFound(const ProgramFactory &program, FailureKind kind, const char *words) {
  ExhaustiveOptions two;
  two.preemptions = 2;
  RandomOptions random;
  random.schedules = 10'000;
  for (const ExplorationResult &result :
       {exploreAll(program), exploreAll(program, two), exploreRandomly(program, random)}) {
    ASSERT_TRUE(result.failure);
    EXPECT_EQ(result.failure->kind, kind) << result.failure->text();
    EXPECT_THAT(result.failure->message, HasSubstr(words));
    const auto again = replay(program, result.failure->choices);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->kind, kind);
    EXPECT_EQ(again->message, result.failure->message);
    EXPECT_EQ(again->steps, result.failure->steps);
    if (result.failure->seed) {
      const auto seeded = exploreRandomly(program, {*result.failure->seed, 1, {}});
      ASSERT_TRUE(seeded.failure);
      EXPECT_EQ(seeded.failure->text(), result.failure->text());
    }
  }
}

void expectNothing(const ProgramFactory &program) {
  ExhaustiveOptions two;
  two.preemptions = 2;
  for (const ExplorationResult &result :
       {exploreAll(program), exploreAll(program, two), exploreRandomly(program)})
    EXPECT_FALSE(result.failure) << result.failure->text();
}

std::uint64_t schedules(const ProgramFactory &program,
                        std::optional<unsigned> preemptions = std::nullopt) {
  ExhaustiveOptions options;
  options.preemptions = preemptions;
  const ExplorationResult result = exploreAll(program, options);
  EXPECT_TRUE(result.complete);
  return result.schedules;
}

Body stores(int count) {
  return [count](Shared &shared) {
    for (int i = 0; i < count; ++i)
      shared.a.store(1, std::memory_order_relaxed);
  };
}

TEST(Exploration, RunsEveryOrderOfDependentStepsOnce) {
  EXPECT_EQ(schedules(programOf({stores(5)})), 1u);
  EXPECT_EQ(schedules(programOf({stores(1), stores(1)})), 2u);
  EXPECT_EQ(schedules(programOf({stores(2), stores(2)})), 6u);             // 4! / (2! 2!)
  EXPECT_EQ(schedules(programOf({stores(5), stores(5)})), 252u);           // 10! / (5! 5!)
  EXPECT_EQ(schedules(programOf({stores(2), stores(2), stores(2)})), 90u); // 6! / (2!)^3
}

TEST(Exploration, RunsOneOrderOfIndependentSteps) {
  const Body reads = [](Shared &shared) {
    for (int i = 0; i < 4; ++i)
      shared.a.load();
  };
  EXPECT_EQ(schedules(programOf({reads, reads, reads})), 1u);
  const Body other = [](Shared &shared) {
    for (int i = 0; i < 4; ++i)
      shared.b.store(1);
  };
  EXPECT_EQ(schedules(programOf({stores(4), other})), 1u);
  // Five places for one store to `a` among four; what is done to `b` does not matter.
  const Body both = [](Shared &shared) {
    shared.b.store(1);
    shared.a.store(2);
    shared.b.store(1);
  };
  EXPECT_EQ(schedules(programOf({stores(4), both})), 5u);
}

TEST(Exploration, BoundsInterruptions) {
  const auto program = programOf({stores(2), stores(2)});
  EXPECT_EQ(schedules(program, 0), 2u); // 0011 1100
  EXPECT_EQ(schedules(program, 1), 4u); // 0110 1001
  EXPECT_EQ(schedules(program, 2), 6u); // 0101 1010
  EXPECT_EQ(schedules(program, 3), 6u);
}

TEST(Exploration, SeesAllThatCanComeOutOfIt) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  std::pair<std::uint32_t, std::uint32_t> read;
  const auto program = programOf({[&](Shared &shared) {
                                    shared.a = 1;
                                    read.first = shared.b;
                                  },
                                  [&](Shared &shared) {
                                    shared.b = 1;
                                    read.second = shared.a;
                                  }},
                                 [&](Shared &) { seen.insert(read); });
  EXPECT_EQ(schedules(program), 4u - 1u);
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  // Not 0 and 0: accesses take effect in one order.
  EXPECT_EQ(seen, (std::set<Pair>{{0, 1}, {1, 0}, {1, 1}}));
}

TEST(Exploration, FindsALostUpdate) {
  const Body increment = [](Shared &shared) { shared.a.store(shared.a.load() + 1); };
  expectFound(programOf({increment, increment},
                        [](Shared &shared) { require(shared.a == 2, "an increment is lost"); }),
              FailureKind::requirement, "an increment is lost");
  const Body atomically = [](Shared &shared) { shared.a.fetch_add(1); };
  expectNothing(programOf({atomically, atomically},
                          [](Shared &shared) { require(shared.a == 2, "an increment is lost"); }));
}

TEST(Exploration, FindsRacesOnPlainData) {
  const Body writes = [](Shared &shared) { shared.data = 1; };
  const Body reads = [](Shared &shared) { static_cast<void>(shared.data.read()); };
  const Body writesMore = [](Shared &shared) { shared.more = 1; };
  expectFound(programOf({writes, writes}), FailureKind::dataRace, "writes data");
  expectFound(programOf({reads, writes}), FailureKind::dataRace, "data");
  expectFound(programOf({writes, reads}), FailureKind::dataRace, "data");
  expectNothing(programOf({reads, reads}));
  expectNothing(programOf({writes, writesMore}));
}

/// Thread 0 writes data and then says so in `a`; thread 1 looks there.
ProgramFactory messagePassing(std::memory_order release, std::memory_order acquire) {
  return programOf({[=](Shared &shared) {
                      shared.data = 1;
                      shared.a.store(1, release);
                    },
                    [=](Shared &shared) {
                      if (shared.a.load(acquire) == 1)
                        require(shared.data == 1, "the message is empty");
                    }});
}

TEST(Exploration, KnowsThatReleaseAndAcquireOrder) {
  for (const auto release : {std::memory_order_release, std::memory_order_seq_cst})
    for (const auto acquire : {std::memory_order_acquire, std::memory_order_seq_cst})
      expectNothing(messagePassing(release, acquire));
}

TEST(Exploration, KnowsThatRelaxedOrdersNothing) {
  const auto relaxed = std::memory_order_relaxed;
  expectFound(messagePassing(relaxed, std::memory_order_acquire), FailureKind::dataRace,
              "thread 1 reads data");
  expectFound(messagePassing(std::memory_order_release, relaxed), FailureKind::dataRace,
              "thread 1 reads data");
}

/// As message passing, with a third thread's step on the flag between.
ProgramFactory throughAThird(Body third) {
  return programOf({[](Shared &shared) {
                      shared.data = 1;
                      shared.a.store(1, std::memory_order_release);
                    },
                    std::move(third),
                    [](Shared &shared) {
                      if (shared.a.load(std::memory_order_acquire) == 2)
                        static_cast<void>(shared.data.read());
                    }});
}

TEST(Exploration, KnowsReleaseSequences) {
  // A read-modify-write continues one, whatever its order.
  expectNothing(throughAThird([](Shared &shared) {
    std::uint32_t one = 1;
    shared.a.compare_exchange_strong(one, 2, std::memory_order_relaxed);
  }));
  // A store ends it.
  expectFound(throughAThird([](Shared &shared) {
                if (shared.a.load(std::memory_order_relaxed) == 1)
                  shared.a.store(2, std::memory_order_relaxed);
              }),
              FailureKind::dataRace, "thread 2 reads data");
}

TEST(Exploration, TakesTheOrderOfAFailedCompareExchange) {
  const auto program = [](std::memory_order failure) {
    return programOf(
        {[](Shared &shared) {
           shared.data = 1;
           shared.a.store(1, std::memory_order_release);
         },
         [=](Shared &shared) {
           std::uint32_t seen = 0;
           if (!shared.a.compare_exchange_strong(seen, 0, std::memory_order_acquire, failure))
             static_cast<void>(shared.data.read());
         }});
  };
  expectNothing(program(std::memory_order_acquire));
  expectFound(program(std::memory_order_relaxed), FailureKind::dataRace, "thread 1 reads data");
}

TEST(Exploration, ForgetsWhatAnAtomicPublishedThatIsNoMore) {
  // Relaxed increments of an atomic made anew: nothing of the first one's release is left.
  expectFound(programOf({[](Shared &shared) {
                           shared.data = 1;
                           shared.a.store(1, std::memory_order_release);
                           new (&shared.a) Word(2);
                           shared.b.store(1, std::memory_order_relaxed);
                         },
                         [](Shared &shared) {
                           if (shared.b.load(std::memory_order_relaxed) == 1 &&
                               shared.a.load(std::memory_order_acquire) == 2)
                             static_cast<void>(shared.data.read());
                         }}),
              FailureKind::dataRace, "thread 1 reads data");
}

/// Waits until it can put the second value where it finds the first.
void await(Word &word, std::uint32_t from, std::uint32_t to) {
  SimulatedMemory::spin_wait wait;
  std::uint32_t seen = from;
  while (!word.compare_exchange_strong(seen, to, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
    wait(word, seen);
    seen = from;
  }
}

TEST(Exploration, FindsLocksTakenCrosswise) {
  const auto inOrder = [](Word Shared::*outer, Word Shared::*inner) {
    return [=](Shared &shared) {
      await(shared.*outer, 0, 1);
      await(shared.*inner, 0, 1);
      shared.data = shared.data + 1;
      (shared.*inner).store(0, std::memory_order_release);
      (shared.*outer).store(0, std::memory_order_release);
    };
  };
  expectNothing(programOf({inOrder(&Shared::a, &Shared::b), inOrder(&Shared::a, &Shared::b)}));
  const auto crosswise =
      programOf({inOrder(&Shared::a, &Shared::b), inOrder(&Shared::b, &Shared::a)});
  expectFound(crosswise, FailureKind::deadlock,
              "thread 0 for b to change, thread 1 for a to change");
}

TEST(Exploration, BlocksSpinnersUntilTheWordChanges) {
  // Three threads hand a word around; were spinning more than a wait, this would not end.
  const auto turn = [](std::uint32_t from) {
    return [from](Shared &shared) {
      for (std::uint32_t round = 0; round < 3; ++round)
        await(shared.a, 3 * round + from, 3 * round + from + 1);
    };
  };
  const auto program = programOf({turn(0), turn(1), turn(2)},
                                 [](Shared &shared) { require(shared.a == 9, "not handed on"); });
  const ExplorationResult result = exploreAll(program);
  EXPECT_TRUE(result.complete);
  EXPECT_FALSE(result.failure) << result.failure->text();
}

TEST(Exploration, BlocksSpinnersUntilEitherOfTwoWordsChanges) {
  const Body waits = [](Shared &shared) {
    SimulatedMemory::spin_wait wait;
    while (true) {
      const std::uint32_t a = shared.a.load(std::memory_order_acquire);
      const std::uint32_t b = shared.b.load(std::memory_order_acquire);
      if (a + b != 0)
        return static_cast<void>(shared.data.read());
      wait(shared.b, b, shared.a, a);
    }
  };
  const auto sets = [](Word Shared::*word) {
    return [word](Shared &shared) {
      shared.data = 1;
      (shared.*word).store(1, std::memory_order_release);
    };
  };
  expectNothing(programOf({waits, sets(&Shared::a)}));
  expectNothing(programOf({waits, sets(&Shared::b)}));
  expectFound(programOf({waits, sets(&Shared::c)}), FailureKind::deadlock,
              "thread 0 for b to change");
}

TEST(Exploration, WakesFutexWaitersOnlyByAWake) {
  const Body sleeps = [](Shared &shared) {
    while (shared.a.load(std::memory_order_acquire) == 0)
      SimulatedMemory::futex_wait(shared.a, 0);
    static_cast<void>(shared.data.read());
  };
  const auto wakes = [](int count) {
    return [count](Shared &shared) {
      shared.data = 1;
      shared.a.store(1, std::memory_order_release);
      if (count > 0)
        SimulatedMemory::futex_wake(shared.a, count);
    };
  };
  expectNothing(programOf({sleeps, sleeps, wakes(2)}));
  expectFound(programOf({sleeps, sleeps, wakes(1)}), FailureKind::deadlock, "asleep at a");
  expectFound(programOf({sleeps, wakes(0)}), FailureKind::deadlock, "thread 0 asleep at a");
}

TEST(Exploration, WakesAnyOfThoseAsleep) {
  std::set<unsigned> wokenFirst;
  const auto sleeps = [&](unsigned number) {
    return [&, number](Shared &shared) {
      SimulatedMemory::futex_wait(shared.a, 0);
      if (shared.b.fetch_add(1) == 0)
        wokenFirst.insert(number);
    };
  };
  const auto program = programOf({sleeps(0), sleeps(1), [](Shared &shared) {
                                    SimulatedMemory::futex_wake(shared.a, 1);
                                    SimulatedMemory::futex_wake(shared.a, 1);
                                    shared.a = 1;
                                    SimulatedMemory::futex_wake(shared.a);
                                  }});
  ExhaustiveOptions options;
  options.limits.spuriousWakeUps = 0;
  EXPECT_TRUE(exploreAll(program, options).complete);
  EXPECT_EQ(wokenFirst, (std::set<unsigned>{0, 1}));
}

TEST(Exploration, EndsFutexWaitsForNoReason) {
  const auto program = programOf({[](Shared &shared) {
                                    SimulatedMemory::futex_wait(shared.a, 0);
                                    require(shared.a == 1, "awake, and nothing has changed");
                                  },
                                  [](Shared &shared) {
                                    shared.a = 1;
                                    SimulatedMemory::futex_wake(shared.a, 1);
                                  }});
  expectFound(program, FailureKind::requirement, "nothing has changed");
  ExhaustiveOptions options;
  options.limits.spuriousWakeUps = 0;
  EXPECT_FALSE(exploreAll(program, options).failure);
}

TEST(Exploration, LetsTimePass) {
  bool passed = false, stood = false;
  const auto program = programOf({[&](Shared &) {
    const std::uint64_t since = SimulatedMemory::now();
    (SimulatedMemory::now() > since ? passed : stood) = true;
  }});
  EXPECT_EQ(schedules(program), 2u);
  EXPECT_TRUE(passed && stood);
}

TEST(Exploration, EndsLoopsThatYield) {
  expectNothing(programOf({[](Shared &shared) {
                             while (shared.a.load() == 0)
                               SimulatedMemory::yield();
                           },
                           stores(1)}));
}

TEST(Exploration, FindsLoopsWithoutAnEnd) {
  expectFound(programOf({[](Shared &shared) {
                           while (shared.a.load() == 0)
                             SimulatedMemory::yield();
                         },
                         [](Shared &shared) { shared.b = 1; }}),
              FailureKind::livelock, "20000 steps");
}

TEST(Exploration, ReportsExceptionsOfThreads) {
  expectFound(programOf({[](Shared &shared) {
                           if (shared.a.load() == 1)
                             throw std::runtime_error("saw it");
                         },
                         stores(1)}),
              FailureKind::exception, "thread 0 threw: saw it");
}

TEST(Exploration, WaitsForNobodyAfterwards) {
  expectFound(programOf({stores(1)}, [](Shared &shared) { await(shared.a, 0, 2); }),
              FailureKind::deadlock, "a is waited for for ever");
}

TEST(Exploration, TellsWhatHappened) {
  const auto program =
      programOf({[](Shared &shared) {
                   shared.data = 1;
                   shared.a.store(7, std::memory_order_release);
                 },
                 [](Shared &shared) {
                   std::uint32_t seen = 0;
                   shared.a.compare_exchange_strong(seen, 8, std::memory_order_acquire,
                                                    std::memory_order_relaxed);
                   static_cast<void>(shared.data.read());
                 }});
  const auto failure = replay(program, "01");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->text(),
            "data race: thread 1 reads data after step 2, and nothing orders that after thread 0, "
            "which wrote it after step 0\n"
            "choices: 0\n"
            "    0  thread 0  writes data\n"
            "    1  thread 0  store a, release: 0 -> 7\n"
            "    2  thread 1  compare-exchange a, acquire: 7, fails\n"
            "    2  thread 1  reads data\n");
}

TEST(Exploration, RefusesChoicesOfAnotherProgram) {
  const auto program = programOf({stores(2), stores(2)});
  for (const char *choices : {"7", "0?", "z"}) {
    const auto failure = replay(program, choices);
    ASSERT_TRUE(failure) << choices;
    EXPECT_EQ(failure->kind, FailureKind::wrongChoices) << choices;
  }
  EXPECT_FALSE(replay(program, "0101"));
}

TEST(Exploration, SaysWhenAProgramDoesNotRepeatItself) {
  int runs = 0;
  const auto program = programOf({[&](Shared &) { require(++runs != 3, "the third time"); }});
  RandomOptions options;
  const auto result = exploreRandomly(program, options);
  ASSERT_TRUE(result.failure);
  EXPECT_THAT(result.failure->message, HasSubstr("does not do the same every time"));
}

TEST(Exploration, RefusesProgramsWithoutThreads) {
  EXPECT_THROW(exploreAll([] { return Program{}; }), std::invalid_argument);
}

} // namespace

} // namespace qdadvise::sim
