// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The workloads of X. Pan, J. Linden and B. Jonsson, "Predicting the Cost of Lock
// Contention in Parallel Applications on Multicores using Analytic Modeling", 2012.
#include "bench/workloads/Parts.h"
#include "bench/workloads/Workloads.h"

#include <fmt/format.h>
#include <utility>

namespace qdadvise::workloads {

std::vector<Workload> machineRepair() {
  constexpr double localNs = 5'000'000;
  constexpr double holdsNs[] = {250'000, 500'000, 1'000'000};
  const std::pair<const char *, Duration> times[] = {
      {"exponential", exponential(1)},    {"deterministic", deterministic(1)},
      {"uniform-cv10", uniform(1, 0.1)},  {"uniform-cv30", uniform(1, 0.3)},
      {"uniform-cv55", uniform(1, 0.55)},
  };
  std::vector<Workload> result;
  for (const auto &[name, time] : times)
    for (const double holdNs : holdsNs) {
      NetworkBuilder builder;
      Duration hold = time, local = time;
      hold.mean = holdNs;
      local.mean = localNs;
      const std::size_t machine = builder.addClass("worker");
      const std::size_t repair = builder.addSection("section", builder.addLock("lock"), hold);
      builder.addRow(machine, repair, {{repair, 1, local}});
      result.push_back({fmt::format("machine-repair.{}.h{:.0f}us", name, holdNs / 1000),
                        builder.take(),
                        {1, 2, 4, 8, 16, 32, 64}});
    }
  return result;
}

std::vector<Workload> bodytrack() {
  NetworkBuilder builder;
  const std::size_t lock1 = builder.addLock("lock-1"), lock2 = builder.addLock("lock-2"),
                    lock3 = builder.addLock("lock-3");
  const std::size_t mainThread = builder.addFixedClass("main", 1),
                    io = builder.addFixedClass("io", 1), pool = builder.addClass("pool");
  // This is 7000 cycles at 2 GHz.
  const std::size_t ticket = builder.addSection("pool.ticket", lock3, exponential(3500));
  const std::size_t post = builder.addSection("main.post", lock1, exponential(40'000));
  const std::size_t begin = builder.addSection("pool.begin", lock1, exponential(40'000));
  const std::size_t frame = builder.addSection("main.frame", lock2, exponential(20'000));
  const std::size_t load = builder.addSection("io.load", lock2, exponential(20'000));
  const std::size_t end = builder.addSection("pool.end", lock2, exponential(20'000));
  builder.addRow(mainThread, post, {{frame, 1, exponential(400'000)}});
  builder.addRow(mainThread, frame, {{post, 1, exponential(600'000)}});
  builder.addRow(io, load, {{load, 1, exponential(2'000'000)}});
  builder.addRow(pool, begin, {{ticket, 1, exponential(30'000)}});
  builder.addRow(pool, ticket,
                 {{ticket, 0.9, exponential(60'000)}, {end, 0.1, exponential(60'000)}});
  builder.addRow(pool, end, {{begin, 1, exponential(150'000)}});
  return {{"bodytrack", builder.take(), {1, 2, 4, 6, 8, 16, 32, 62}}};
}

namespace {

/// The stages of dedup's pipeline that have several threads, in the order in which they end.
enum Stage { findAllAnchors, chunkProcess, compress, stages };

/// A network in which the first `ended` stages have left.
Network pipeline(int ended) {
  NetworkBuilder builder;
  const Duration queue = exponential(300); // taking or putting one element
  const std::size_t unique = builder.addLock("unique"), send = builder.addLock("send"),
                    table = builder.addLock("hashtable", 53),
                    chunks = ended <= chunkProcess ? builder.addLock("chunks") : 0;
  if (ended <= findAllAnchors) {
    const std::size_t fragments = builder.addLock("fragments");
    const std::size_t finder = builder.addClass("find-all-anchors");
    const std::size_t pop = builder.addSection("fragments.pop", fragments, queue);
    const std::size_t push = builder.addSection("chunks.push", chunks, queue);
    builder.addRow(finder, pop, {{push, 1, exponential(25'000)}});
    builder.addRow(finder, push,
                   {{push, 0.99, exponential(25'000)}, {pop, 0.01, exponential(5000)}});
  }
  if (ended <= chunkProcess) {
    const std::size_t processor = builder.addClass("chunk-process");
    const std::size_t pop = builder.addSection("chunks.pop", chunks, queue);
    const std::size_t find = builder.addSection("hashtable.find", table, lognormal(3000, 1.5));
    const std::size_t push = builder.addSection("unique.push", unique, queue);
    const std::size_t known = builder.addSection("chunk-process.send", send, queue);
    builder.addRow(processor, pop, {{find, 1, lognormal(20'000, 0.5)}}); // the SHA1 key
    builder.addRow(processor, find,
                   {{push, 0.9, exponential(500)}, {known, 0.1, exponential(500)}});
    builder.addRow(processor, push, {{pop, 1, exponential(300)}});
    builder.addRow(processor, known, {{pop, 1, exponential(300)}});
  }
  const std::size_t compressor = builder.addClass("compress");
  const std::size_t pop = builder.addSection("unique.pop", unique, queue);
  const std::size_t store = builder.addSection("hashtable.store", table, lognormal(2000, 1.5));
  const std::size_t push = builder.addSection("compress.send", send, queue);
  builder.addRow(compressor, pop, {{store, 1, lognormal(120'000, 0.8)}});
  builder.addRow(compressor, store, {{push, 1, exponential(500)}});
  builder.addRow(compressor, push, {{pop, 1, exponential(300)}});
  return builder.take();
}

} // namespace

std::vector<Workload> dedupPhases() {
  std::vector<Workload> result;
  for (int ended = 0; ended < stages; ++ended) {
    Workload phase{fmt::format("dedup.phase{}", ended + 1), pipeline(ended), {}};
    for (int aStage = 2; aStage <= 8; ++aStage)
      phase.threads.push_back((stages - ended) * aStage);
    result.push_back(std::move(phase));
  }
  return result;
}

} // namespace qdadvise::workloads
