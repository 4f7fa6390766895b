// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench-meta: the meta-benchmark on hardware; README.md says what it does.
#include "bench/meta/Measure.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

namespace {

using namespace qdadvise::meta;

struct Version {
  const char *name;
  Measured (*measure)(const Configuration &, const Amounts &);
};
template <typename Lock> constexpr Version versionOf() { return {Lock::name, measure<Lock>}; }
constexpr Version versions[] = {versionOf<Mutex>(), versionOf<Spinlock>(), versionOf<Delegation>(),
                                versionOf<Nothing>()};

constexpr const char *names[] = {"fifo", "heap"};

void printJson(const char *lock, const Configuration &configuration, const Calibration &calibration,
               const Measured &measured) {
  std::printf("{\"lock\":\"%s\",\"threads\":%d,\"section_ns\":%.17g,\"local_ns\":%.17g,"
              "\"fifo_after_fifo\":%.17g,\"fifo_after_heap\":%.17g,\"times\":\"%s\","
              "\"seed\":%llu,\"seconds\":%.6f,\"throughput_per_s\":%.1f,\"least_share\":%.4f,"
              "\"waited_for_core\":%.4f",
              lock, configuration.threads, configuration.sectionNs, configuration.localNs,
              configuration.fifoAfterFifo, configuration.fifoAfterHeap,
              configuration.exponential ? "exponential" : "deterministic",
              static_cast<unsigned long long>(configuration.seed), measured.seconds,
              measured.throughputPerS(),
              static_cast<double>(measured.leastOfAThread) * configuration.threads /
                  (measured.throughputPerS() * measured.seconds),
              measured.waitedForCore);
  for (const Structure which : {fifo, heap}) {
    std::printf(",\"%s\":{\"per_s\":%.1f", names[which],
                static_cast<double>(measured.sections[which]) / measured.seconds);
    if (configuration.timed)
      std::printf(",\"at_lock_ns\":%.1f", measured.atLockNs[which]);
    std::printf(",\"operation_ns\":%.3f,\"round_ns\":%.2f}", calibration.operationNs[which],
                calibration.roundNs[which]);
  }
  std::printf(",\"turn_ns\":%.4f}\n", calibration.turnNs);
}

void printText(const char *lock, const Configuration &configuration, const Calibration &calibration,
               const Measured &measured) {
  std::printf("%s, %d threads: %.0f sections/s\n", lock, configuration.threads,
              measured.throughputPerS());
  for (const Structure which : {fifo, heap}) {
    std::printf("  %s: %.0f sections/s", names[which],
                static_cast<double>(measured.sections[which]) / measured.seconds);
    if (configuration.timed)
      std::printf(", %.1f ns at the lock", measured.atLockNs[which]);
    std::printf("; an operation takes %.2f ns, a round besides %.1f ns\n",
                calibration.operationNs[which], calibration.roundNs[which]);
  }
  std::printf("  a turn of local computation takes %.3f ns\n", calibration.turnNs);
  std::printf("  threads waited for a core %.1f %% of the time\n", 100 * measured.waitedForCore);
}

int fail(const std::string &message) {
  std::fprintf(stderr, "bench-meta: error: %s\n", message.c_str());
  return 2;
}

int run(const Version &version, const Configuration &configuration, bool json) {
  const Calibration calibration = calibrate(configuration);
  const Amounts amounts = amountsOf(configuration, calibration);
  if (amounts.operations[fifo] < 1 || amounts.operations[heap] < 1 || amounts.turns < 1)
    return fail("here this program's own instructions take longer than the --section or --local "
                "asked for; ask for longer ones");
  const Measured measured = version.measure(configuration, amounts);
  (json ? printJson : printText)(version.name, configuration, calibration, measured);
  if (!measured.intact) {
    std::fprintf(stderr, "bench-meta: error: the data structures were damaged: this lock does not "
                         "exclude\n");
    return 1;
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Two locks, a FIFO queue and a pairing heap: throughput on this machine"};
  Configuration configuration;
  const Version *version = versions;
  std::string lock = version->name, times = "exponential", format = "text";
  std::vector<std::string> known;
  for (const Version &one : versions)
    known.push_back(one.name);
  const CLI::Range share(0.0, 1.0), time(1.0, 1e9);
  app.add_option("--lock", lock, "Which version")->check(CLI::IsMember(known));
  app.add_option("--section", configuration.sectionNs, "Mean section length, ns")->check(time);
  app.add_option("--local", configuration.localNs, "Mean local computation, ns")->check(time);
  app.add_option("--fifo-after-fifo", configuration.fifoAfterFifo, "Probability")->check(share);
  app.add_option("--fifo-after-heap", configuration.fifoAfterHeap, "Probability")->check(share);
  app.add_option("--times", times, "Distribution of both")
      ->check(CLI::IsMember({"exponential", "deterministic"}));
  app.add_option("--threads", configuration.threads)->check(CLI::Range(1, 1024));
  app.add_option("--seed", configuration.seed);
  app.add_option("--seconds", configuration.seconds, "Measured time")
      ->check(CLI::Range(0.001, 3600.0));
  app.add_option("--warm-up", configuration.warmUpSeconds, "Time before it, seconds")
      ->check(CLI::Range(0.0, 3600.0));
  app.add_flag("--time-at-lock", configuration.timed, "Also the mean time at each lock");
  app.add_flag("!--no-pin", configuration.pin, "Leave the threads to the scheduler");
  app.add_option("--format", format)->check(CLI::IsMember({"text", "json"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  configuration.exponential = times == "exponential";
  for (const Version &one : versions)
    if (lock == one.name)
      version = &one;
  return run(*version, configuration, format == "json");
}
