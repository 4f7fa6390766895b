// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExtremeNetworks.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace qdadvise::test {

namespace {

/// What a family of random networks may have.
struct Limits {
  double leastNs, mostNs, rarest; ///< `rarest`: probability of a transition
  std::vector<double> cvs;
  std::vector<int> threads;
  double nested; ///< probability of a section inside another
  bool anyOrder; ///< of locks inside each other
};

class Generator {
public:
  Generator(const Limits &limits, std::uint64_t seed) : limits(limits), random(seed) {}

  RandomCase draw() {
    const std::size_t locks = 1 + below(6);
    for (std::size_t i = 0; i < locks; ++i)
      addLock();
    for (std::size_t i = 0; i < locks; ++i)
      addSection(i);
    for (std::size_t extra = below(4); extra > 0; --extra)
      addSection(below(locks));
    outermost = network.sections.size();
    for (std::size_t i = 0; i < network.sections.size() && network.sections.size() < 24; ++i)
      if (chance(limits.nested))
        addInside(i);
    const std::size_t classes = chance(0.7) ? 1 : 2 + below(2);
    for (std::size_t i = 0; i < classes; ++i)
      addClass(i);
    RandomCase result{std::move(network), {}, limits.threads[below(limits.threads.size())]};
    const LockKind everywhere = anyKind();
    const bool mixed = chance(0.3);
    for (std::size_t i = 0; i < locks; ++i)
      result.kinds.push_back(mixed ? anyKind() : everywhere);
    return result;
  }

private:
  double unit() { return static_cast<double>(random() >> 11) * 0x1p-53; }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random() % count); }
  bool chance(double probability) { return unit() < probability; }
  double logUniform(double low, double high) { return low * std::pow(high / low, unit()); }
  Duration time() {
    return {logUniform(limits.leastNs, limits.mostNs), limits.cvs[below(limits.cvs.size())]};
  }
  LockKind anyKind() {
    const auto &table = lockAlgorithms;
    return table[below(std::size(table))].kind;
  }

  void addLock() {
    Lock lock;
    lock.name = "lock" + std::to_string(network.locks.size());
    lock.kind = LockKind::pthreadMutex;
    if (chance(0.2))
      lock.instances = static_cast<std::uint32_t>(logUniform(2, 2000));
    if (lock.instances > 1 && chance(0.3))
      lock.shares = {unit()};
    lock.perThread = chance(0.05);
    network.locks.push_back(lock);
  }
  Section &addSection(std::size_t lock) {
    Section section;
    section.name = "section" + std::to_string(network.sections.size());
    section.lock = lock;
    section.hold = time();
    section.shared = chance(0.15);
    network.sections.push_back(section);
    return network.sections.back();
  }
  void addInside(std::size_t outer) {
    std::size_t lock = below(network.locks.size());
    if (!limits.anyOrder)
      lock = std::max(lock, network.sections[outer].lock);
    Section &section = addSection(lock);
    section.inside = outer;
    section.visits = chance(0.5) ? 1 : logUniform(0.01, 10);
  }
  void addClass(std::size_t index) {
    ThreadClass threads;
    threads.name = "class" + std::to_string(index);
    threads.scales = index == 0 || chance(0.6);
    threads.threads = threads.scales ? 0 : static_cast<double>(1 + below(8));
    threads.weight = threads.scales ? logUniform(0.1, 10) : 1;
    network.classes.push_back(threads);
    const bool sticky = chance(0.3);
    for (std::size_t from = 0; from < outermost; ++from) {
      std::vector<double> weights;
      double sum = 0;
      for (std::size_t to = 0; to < outermost; ++to) {
        weights.push_back(sticky && to == from ? 1 / limits.rarest : logUniform(limits.rarest, 1));
        sum += weights.back();
      }
      for (std::size_t to = 0; to < outermost; ++to) {
        Transition transition;
        transition.threadClass = index;
        transition.from = from;
        transition.to = to;
        transition.probability = weights[to] / sum;
        transition.local = time();
        transition.blockedNs = chance(0.05) ? time().mean : 0;
        network.transitions.push_back(transition);
      }
    }
  }

  const Limits &limits;
  std::mt19937_64 random;
  Network network;
  std::size_t outermost = 0;
};

} // namespace

RandomCase usualCase(std::uint64_t seed) {
  static const Limits limits{
      10, 1e6, 0.05, {0, 0.3, 0.7, 1, 1, 1.5, 3}, {1, 2, 3, 4, 6, 8, 16, 32, 64}, 0.2, false};
  return Generator(limits, seed).draw();
}

RandomCase extremeCase(std::uint64_t seed) {
  static const Limits limits{
      0.01, 1e9, 1e-6, {0, 0.01, 1, 3, 20, 100}, {1, 2, 3, 4, 5, 9, 17, 33, 64, 257, 1024, 4096},
      0.4,  true};
  return Generator(limits, seed).draw();
}

} // namespace qdadvise::test
