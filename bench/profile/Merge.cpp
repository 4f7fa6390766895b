// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long merging takes, by the number of runs: with profiles in memory, and from the bytes of
// files to the bytes of a file, as `qdadvise merge` does it. The program has 60 sites, 30 lock
// classes with 90 locks, 100 critical sections, 300 transitions and 16 windows, about as many as a
// server.
#include "advisor/profile/merge/Merge.h"
#include "advisor/profile/format/Decode.h"
#include "advisor/profile/format/Encode.h"
#include "unittests/advisor/profile/RandomProfiles.h"

#include <benchmark/benchmark.h>

namespace {

using namespace qdadvise;

std::vector<Profile> runsOf(std::int64_t count) {
  testing::RandomProfiles profiles({60, 30, 4, 100, 300, 20, 16}, 1);
  std::vector<Profile> runs;
  for (std::int64_t i = 0; i < count; ++i)
    runs.push_back(profiles.next());
  return runs;
}

void merge(benchmark::State &state) {
  const std::vector<Profile> runs = runsOf(state.range(0));
  for (auto unused : state)
    benchmark::DoNotOptimize(mergeProfiles(runs));
}

void mergeFiles(benchmark::State &state) {
  std::vector<std::string> files;
  std::size_t bytes = 0;
  for (const Profile &run : runsOf(state.range(0))) {
    files.push_back(encodeProfile(run));
    bytes += files.back().size();
  }
  std::size_t merged = 0;
  for (auto unused : state) {
    ProfileMerger merger;
    for (const std::string &file : files)
      if (!merger.add(*decodeProfile(file, "run")))
        state.SkipWithError("not merged");
    merged = encodeProfile(*merger.finish()).size();
  }
  state.counters["read_bytes"] = static_cast<double>(bytes);
  state.counters["written_bytes"] = static_cast<double>(merged);
}

} // namespace

int main(int argc, char **argv) {
  for (const auto &[name, measured] :
       {std::pair("merge", &merge), std::pair("merge files", &mergeFiles)})
    benchmark::RegisterBenchmark(name, measured)
        ->ArgName("runs")
        ->Arg(10)
        ->Arg(100)
        ->Arg(1000)
        ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
}
