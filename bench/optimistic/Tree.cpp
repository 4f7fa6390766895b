// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A red-black tree under one mutex, to be recorded. One thread looks up, inserts and erases keys,
// and computes in between.
//
//   bench-optimistic-tree KEYS UPDATES TOGETHER COUNTS TURNS OPERATIONS
//
// The first four are those of Mix. TURNS is the mean number of turns of a loop between two
// operations.
#include "bench/optimistic/Tree.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace {

using namespace qdadvise::optimistic;

/// Accesses that the compiler does not change.
struct Plain {
  Word read(const volatile Word &place) { return place; }
  void write(volatile Word &place, Word value) { place = value; }
};

class LockedTree {
public:
  explicit LockedTree(const Mix &mix) : tree(mix.keys, mix.counts, memory) { fill(tree, mix); }

  unsigned lookUp(const Operation &operation) {
    const std::lock_guard<std::mutex> guard(mutex);
    return apply(tree, operation);
  }
  unsigned insert(const Operation &operation) {
    const std::lock_guard<std::mutex> guard(mutex);
    return apply(tree, operation);
  }
  unsigned erase(const Operation &operation) {
    const std::lock_guard<std::mutex> guard(mutex);
    return apply(tree, operation);
  }

private:
  std::mutex mutex;
  Plain memory;
  Tree<Plain> tree;
};

/// A chain of multiplications that the compiler cannot shorten.
void compute(double turns) {
  std::uint64_t value = 1;
  for (auto left = static_cast<std::uint64_t>(turns); left > 0; --left) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(value));
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 7) {
    std::fprintf(stderr, "usage: %s KEYS UPDATES TOGETHER COUNTS TURNS OPERATIONS\n", argv[0]);
    return 2;
  }
  const Mix mix = mixOf(argv + 1);
  const double turns = std::atof(argv[5]);
  const int count = std::atoi(argv[6]);
  const auto tree = std::make_unique<LockedTree>(mix); // what is on the stack is not traced
  Operations operations(mix, 1);
  unsigned long long done = 0;
  for (int i = 0; i < count; ++i) {
    compute(-std::log(1 - operations.share()) * turns);
    const Operation &operation = operations.next();
    switch (operation.kind) {
    case insert:
      done += tree->insert(operation);
      break;
    case erase:
      done += tree->erase(operation);
      break;
    default:
      done += tree->lookUp(operation);
    }
  }
  std::printf("%llu keys found, inserted and erased\n", done);
}
