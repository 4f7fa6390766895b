// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulation.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <random>

namespace qdadvise::test {

namespace {

class Simulator {
public:
  Simulator(const std::vector<SimulatedLock> &locks, double localNs, int threads,
            const Machine &machine, std::uint64_t seed)
      : random(seed), machine(machine), localNs(localNs), locks(locks.size()),
        threads(static_cast<std::size_t>(threads)) {
    std::vector<double> weights;
    for (std::size_t i = 0; i < locks.size(); ++i) {
      this->locks[i].given = locks[i];
      const auto costs = machine.kinds.find(locks[i].kind);
      if (costs != machine.kinds.end()) {
        this->locks[i].costs = costs->second;
        this->locks[i].overhead = costs->second.figures.at("lock_overhead_ns").value;
      }
      weights.push_back(locks[i].probability);
    }
    choice = std::discrete_distribution<std::size_t>(weights.begin(), weights.end());
  }

  Simulated run(std::uint64_t visits) {
    for (std::size_t thread = 0; thread < threads.size(); ++thread)
      compute(thread, 0);
    const auto finish = [&](std::uint64_t until) {
      while (done < until && !events.empty()) {
        Event event = events.top();
        events.pop();
        now = event.at;
        event.action();
      }
    };
    finish(visits / 10);
    const double begin = now;
    const std::uint64_t before = done;
    for (LockState &lock : locks) {
      enter(lock, 0);
      lock.threadTime = lock.count = 0;
    }
    finish(visits / 10 + visits);
    Simulated result;
    result.throughputPerNs = static_cast<double>(done - before) / (now - begin);
    for (LockState &lock : locks) {
      enter(lock, 0);
      result.waitNs.push_back(lock.count > 0 ? lock.threadTime / lock.count - lock.given.holdNs
                                             : 0);
    }
    return result;
  }

private:
  struct Event {
    double at;
    std::uint64_t order; ///< events at one time happen in the order they were made
    std::function<void()> action;
    bool operator<(const Event &other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  struct Sleeper {
    std::size_t thread;
    double since;
  };
  struct LockState {
    SimulatedLock given;
    KindCosts costs;
    double overhead = 0;
    bool held = false;
    std::deque<std::size_t> queue; ///< who waits (ideal), who has delegated (qd)
    std::size_t helper = 0;
    std::size_t last = 0; ///< who held the mutex
    int word = 0;         ///< of the mutex: 0 free, 1 taken, 2 taken and perhaps waited for
    std::deque<Sleeper> sleepers;
    // Little's law instead of single waiting times: a helper may be detained for longer
    // than the simulation lasts.
    double threadTime = 0, present = 0, changed = 0, count = 0;
  };
  struct ThreadState {
    std::size_t lock = 0;
    double hold = 0;
  };

  void after(double delay, std::function<void()> action) {
    events.push({now + delay, order++, std::move(action)});
  }
  double time(double mean, double cv) {
    if (mean <= 0 || cv <= 0)
      return mean;
    if (cv == 1)
      return std::exponential_distribution<double>(1 / mean)(random);
    const double shape = 1 / (cv * cv);
    return std::gamma_distribution<double>(shape, mean / shape)(random);
  }

  /// Local computation, then the next attempt; `extra` delays it.
  void compute(std::size_t thread, double extra) {
    after(extra + time(localNs, 1), [this, thread] { attempt(thread); });
  }
  void attempt(std::size_t thread) {
    ThreadState &self = threads[thread];
    self.lock = choice(random);
    LockState &lock = locks[self.lock];
    enter(lock, 1);
    self.hold = time(lock.given.holdNs, lock.given.cv);
    if (lock.given.kind == LockKind::pthreadMutex)
      after(lock.overhead, [this, thread] { takeMutex(thread, 1); });
    else if (lock.held)
      lock.queue.push_back(thread);
    else
      serve(thread);
  }
  /// `change` more threads are at the lock from now on.
  void enter(LockState &lock, double change) {
    lock.threadTime += lock.present * (now - lock.changed);
    lock.changed = now;
    lock.present += change;
  }
  void complete(std::size_t thread, double extra) {
    LockState &lock = locks[threads[thread].lock];
    enter(lock, -1);
    lock.count += 1;
    ++done;
    compute(thread, extra);
  }

  // First come, first served, and the QD lock, whose holder helps then.
  void serve(std::size_t thread) {
    LockState &lock = locks[threads[thread].lock];
    lock.held = true;
    lock.helper = thread;
    if (lock.given.kind == LockKind::qd)
      after(threads[thread].hold + lock.overhead, [this, &lock] { help(lock); });
    else
      after(threads[thread].hold, [this, &lock, thread] {
        complete(thread, 0);
        lock.held = false;
        if (lock.queue.empty())
          return;
        const std::size_t next = lock.queue.front();
        lock.queue.pop_front();
        serve(next);
      });
  }
  void help(LockState &lock) {
    if (lock.queue.empty()) {
      lock.held = false;
      complete(lock.helper, 0);
      return;
    }
    const std::size_t thread = lock.queue.front();
    const auto waiting = static_cast<double>(lock.queue.size());
    after(threads[thread].hold + lock.costs.delegationOverhead(waiting) / waiting,
          [this, &lock, thread] {
            lock.queue.pop_front();
            complete(thread, 0);
            help(lock);
          });
  }

  double within(double middle, double half) {
    return half > 0 ? std::uniform_real_distribution<double>(middle - half, middle + half)(random)
                    : middle;
  }

  // glibc's mutex. `mark` is what the thread writes where it finds the word 0.
  void takeMutex(std::size_t thread, int mark) {
    LockState &lock = locks[threads[thread].lock];
    if (lock.word == 0) {
      lock.word = mark;
      const double missNs = lock.last == thread ? 0 : lock.given.coherenceMissNs;
      lock.last = thread;
      after(threads[thread].hold + missNs, [this, thread] { releaseMutex(thread); });
      return;
    }
    lock.word = 2;
    after(250, [this, &lock, thread] {
      if (lock.word == 2)
        lock.sleepers.push_back({thread, now - 250});
      else
        after(80, [this, thread] { takeMutex(thread, 2); });
    });
  }
  void releaseMutex(std::size_t thread) {
    LockState &lock = locks[threads[thread].lock];
    double call = 0;
    if (lock.word == 2) {
      call = 170;
      if (!lock.sleepers.empty()) {
        const Sleeper woken = lock.sleepers.front();
        lock.sleepers.pop_front();
        const WakeupCost cost = machine.wakeupAfter(now - woken.since);
        call = within(cost.wakerNs, cost.wakerHalfNs);
        after(within(cost.latencyNs, cost.latencyHalfNs),
              [this, woken] { takeMutex(woken.thread, 2); });
      }
    }
    lock.word = 0;
    complete(thread, call);
  }

  std::mt19937_64 random;
  const Machine &machine;
  double localNs;
  std::vector<LockState> locks;
  std::vector<ThreadState> threads;
  std::discrete_distribution<std::size_t> choice;
  std::priority_queue<Event> events;
  double now = 0;
  std::uint64_t order = 0, done = 0;
};

} // namespace

Simulated simulate(const std::vector<SimulatedLock> &locks, double localNs, int threads,
                   const Machine &machine, std::uint64_t visits, std::uint64_t seed) {
  return Simulator(locks, localNs, threads, machine, seed).run(visits);
}

} // namespace qdadvise::test
