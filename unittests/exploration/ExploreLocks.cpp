// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explores the shipped locks at length, or replays one schedule of one of them:
//
//     explore-locks                         each lock: 2 threads, 2 operations, exhaustively;
//                                           4 threads, 4 operations, a million random schedules
//     explore-locks NAME...                 only these locks
//     explore-locks --replay NAME MIX CHOICES
#include "unittests/exploration/ExploredLocks.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

using namespace qdadvise::sim;

template <typename Explore>
bool report(const ExploredLock &lock, const char *what, Explore &&explore) {
  const auto begin = std::chrono::steady_clock::now();
  const MixesResult result = explore();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf(
      "%-15s %-13s %5llu mixes %9llu schedules %9llu cut %10llu steps %7.1f s %8.0f/s  %s\n",
      std::string(lock.name).c_str(), what, static_cast<unsigned long long>(result.mixes),
      static_cast<unsigned long long>(result.schedules),
      static_cast<unsigned long long>(result.cut), static_cast<unsigned long long>(result.steps),
      seconds, static_cast<double>(result.schedules + result.cut) / seconds,
      result.failed ? "FAILED" : "ok");
  if (result.failed)
    std::printf("explore-locks --replay %s '%s' %s\n%s", std::string(lock.name).c_str(),
                result.failed->mix.c_str(), result.failed->failure.choices.c_str(),
                result.failed->failure.text().c_str());
  std::fflush(stdout);
  return !result.failed;
}

int replayOne(const char *name, const char *mix, const char *choices) {
  const ExploredLock *lock = lockOfName(name);
  if (!lock) {
    std::fprintf(stderr, "explore-locks: error: no lock '%s'\n", name);
    return 2;
  }
  const auto failure = replay(lock->program(mix), choices);
  std::fputs(failure ? failure->text().c_str() : "nothing goes wrong\n", stdout);
  return failure ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 5 && std::strcmp(argv[1], "--replay") == 0)
    return replayOne(argv[2], argv[3], argv[4]);
  for (int i = 1; i < argc; ++i)
    if (!lockOfName(argv[i])) {
      std::fprintf(stderr, "explore-locks: error: no lock '%s'\n", argv[i]);
      return 2;
    }
  bool fine = true;
  for (const ExploredLock &lock : exploredLocks()) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i)
      wanted |= lock.name == argv[i];
    if (!wanted)
      continue;
    fine &= report(lock, "2 x 2, all", [&] { return exploreEveryMix(lock, 2, 2); });
    fine &=
        report(lock, "4 x 4, random", [&] { return exploreRandomMixes(lock, 4, 4, 1, 1'000'000); });
  }
  return fine ? 0 : 1;
}
