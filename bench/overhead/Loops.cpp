// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `memory` costs code outside critical sections. Work of several kinds is compiled once
// without and once with the plugin; the two versions take turns in one program:
//
//   bench-overhead-loops --benchmark_enable_random_interleaving --benchmark_repetitions=15
//
// registers  a computation in registers, one block of three instructions
// array      the sum of an array that fits the first cache, vectorised
// chase      a linked list in an order of its own, 64 MiB
// sort       std::sort of 4096 numbers
// tree       look-ups in a std::map of 65536 numbers
// calls      a function that calls itself twice and does nothing else
// words      counts the words of a text, character by character
//
// All types are local to the file, since the linker would keep one copy of their functions
// otherwise.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

struct Number {
  std::uint32_t value;
  bool operator<(const Number &other) const { return value < other.value; }
};

std::vector<Number> numbers(std::size_t count) {
  std::mt19937 random(1);
  std::vector<Number> result(count);
  for (Number &number : result)
    number.value = static_cast<std::uint32_t>(random());
  return result;
}

void registers(benchmark::State &state) {
  std::uint64_t value = 1;
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i)
      value = (value ^ (value >> 29)) * 0x9e3779b97f4a7c15u;
    benchmark::DoNotOptimize(value);
  }
}

void array(benchmark::State &state) {
  const std::vector<Number> all = numbers(4096);
  for (auto _ : state) {
    std::uint32_t sum = 0;
    for (const Number &number : all)
      sum += number.value;
    benchmark::DoNotOptimize(sum);
  }
}

void chase(benchmark::State &state) {
  struct alignas(64) Node {
    Node *next;
  };
  std::vector<Node> nodes(1u << 20);
  std::vector<std::uint32_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  for (std::size_t i = 0; i < order.size(); ++i)
    nodes[order[i]].next = &nodes[order[(i + 1) % order.size()]];
  const Node *place = nodes.data();
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i)
      place = place->next;
    benchmark::DoNotOptimize(place);
  }
}

void sort(benchmark::State &state) {
  const std::vector<Number> all = numbers(4096);
  for (auto _ : state) {
    std::vector<Number> copy = all;
    std::sort(copy.begin(), copy.end());
    benchmark::DoNotOptimize(copy.data());
  }
}

void tree(benchmark::State &state) {
  const std::vector<Number> all = numbers(65536);
  std::map<Number, std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i)
    places[all[i]] = i;
  for (auto _ : state) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < all.size(); i += 64)
      sum += places.find(all[i])->second;
    benchmark::DoNotOptimize(sum);
  }
}

__attribute__((noinline)) std::uint64_t fibonacci(int n) {
  return n < 2 ? 1 : fibonacci(n - 1) + fibonacci(n - 2);
}

void calls(benchmark::State &state) {
  for (auto _ : state) {
    int n = 20;
    benchmark::DoNotOptimize(n);
    benchmark::DoNotOptimize(fibonacci(n));
  }
}

void words(benchmark::State &state) {
  std::string text;
  for (const Number &number : numbers(4096))
    text += static_cast<char>(number.value % 7 == 0 ? ' ' : 'a' + number.value % 26);
  for (auto _ : state) {
    int count = 0;
    bool inside = false;
    for (const char character : text) {
      switch (character) {
      case ' ':
      case '\n':
        inside = false;
        break;
      case '.':
        ++count;
        break;
      default:
        count += inside ? 0 : 1;
        inside = true;
      }
    }
    benchmark::DoNotOptimize(count);
  }
}

BENCHMARK(registers)->Name("registers " QDADVISE_VARIANT);
BENCHMARK(array)->Name("array " QDADVISE_VARIANT);
BENCHMARK(chase)->Name("chase " QDADVISE_VARIANT);
BENCHMARK(sort)->Name("sort " QDADVISE_VARIANT);
BENCHMARK(tree)->Name("tree " QDADVISE_VARIANT);
BENCHMARK(calls)->Name("calls " QDADVISE_VARIANT);
BENCHMARK(words)->Name("words " QDADVISE_VARIANT);

} // namespace
