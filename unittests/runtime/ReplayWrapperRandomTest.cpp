// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs full of wrappers, replayed, against an oracle that looks at each
// program as a whole: it knows where every call ends and every lock is released.
#include "unittests/runtime/Describe.h"
#include "unittests/runtime/Stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

constexpr std::size_t never = ~std::size_t{0};
constexpr std::size_t nobody = never;

/// Dynamic sites follow the body's own in the order of addresses.
constexpr std::uint64_t firstReturn = 0x4000;
std::uint32_t callerSite(std::uint32_t site, std::uint64_t address) {
  return site + 1 + static_cast<std::uint32_t>(address - firstReturn);
}

struct Taken {
  std::uint32_t site;
  std::uint32_t lockClass;
  std::uint64_t address;
  std::size_t from;            ///< number of the event that took it
  std::size_t until = never;   ///< and of the one that gave it back
  std::size_t inside;          ///< the newest held then, or nobody
  bool alone;                  ///< nothing else was held
  std::size_t before = nobody; ///< what a wait gave up and took again as this
  double wait = 0, hold = 0, local = 0;
};

struct CallSpan {
  std::uint32_t site;
  std::uint64_t address;
  std::size_t from;
  std::size_t until = never;
  bool returned = false;
};

/// A program that writes down what it does.
class Program {
public:
  explicit Program(unsigned seed) : random(seed) {
    s.context.callerSite = callerSite;
    for (std::uint32_t i = 0; i < lockCount; ++i) {
      locks[i] = s.site(LockKind::pthreadMutex, i);
      waits[i] = s.site(LockKind::pthreadMutex, i, 0, SiteRole::wait);
      guards[i] = s.site(LockKind::unknown, i);
    }
    for (std::uint32_t &wrapper : wrappers)
      wrapper = s.site(LockKind::unknown, pick(2) == 0 ? Stream::noSection : 10 + pick(3), 0,
                       SiteRole::wrapper);
    body = s.site(LockKind::unknown, Stream::noSection, siteByCaller, SiteRole::wrapper);
    for (int i = 0; i < 3; ++i)
      s.site(LockKind::unknown, Stream::noSection, siteByCaller, SiteRole::wrapper);
    for (int i = 0; i < 60; ++i)
      block(0, 1);
    // The same again and again, as most programs do.
    while (!held.empty())
      giveBack(0, 1);
    for (std::uint32_t i = 0; i < 200; ++i)
      simple(i % 3);
    s.replay.end(s.now);
  }

  Stream s;
  std::vector<Taken> taken;
  std::vector<CallSpan> calls;
  std::uint32_t body;

private:
  static constexpr std::uint32_t lockCount = 5;

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); }
  std::size_t next() const { return s.events.size(); }

  void compute() {
    const std::uint64_t ticks = pick(50);
    s.after(ticks);
    (held.empty() ? local : taken[held.back()].hold) += static_cast<double>(ticks);
  }

  static std::uint64_t mutexOf(std::uint32_t lock) { return 0x1000 + 64 * lock; }

  void noteTaken(std::uint32_t site, std::uint32_t lock, double wait) {
    Taken one{site,        lock,  mutexOf(lock),
              next() - 1,  never, held.empty() ? nobody : held.back(),
              held.empty()};
    one.wait = wait;
    if (held.empty())
      one.local = local, local = 0;
    held.push_back(taken.size());
    taken.push_back(one);
  }

  bool isFree(std::uint32_t lock) const {
    for (const std::size_t one : held)
      if (taken[one].address == mutexOf(lock))
        return false;
    return true;
  }

  void take(std::uint32_t lock, unsigned frame) {
    if (!isFree(lock))
      return;
    const std::uint32_t ticks = pick(20);
    const bool guarded = pick(3) == 0;
    if (guarded)
      s.inFrame(frame).attempt(guards[lock], 0x500 + lock).inFrame(frame + 1);
    s.attempt(locks[lock], mutexOf(lock)).after(ticks).acquire(locks[lock], mutexOf(lock));
    if (guarded)
      s.inFrame(frame).acquire(guards[lock], 0x500 + lock);
    noteTaken(guarded ? guards[lock] : locks[lock], lock, ticks);
  }

  void giveBack(std::size_t which, unsigned frame) {
    Taken &one = taken[held[which]];
    one.until = next();
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
    s.inFrame(frame).release(locks[one.lockClass], one.address);
  }

  void waitWith(std::size_t which, unsigned frame) {
    const std::size_t before = held[which];
    const std::uint32_t lock = taken[before].lockClass;
    taken[before].until = next();
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
    s.inFrame(frame).event(Instant::wait, waits[lock], mutexOf(lock));
    s.after(pick(500)).event(Instant::wake, waits[lock], mutexOf(lock));
    noteTaken(waits[lock], lock, 0);
    taken.back().before = before;
  }

  void call(unsigned depth, unsigned frame) {
    const bool isBody = pick(4) == 0;
    const std::uint32_t site = isBody ? body : wrappers[pick(4)];
    const std::uint64_t address = isBody ? firstReturn + pick(3) : 0x9000 + 8 * pick(3);
    const std::size_t index = calls.size();
    calls.push_back({site, address, next()});
    s.inFrame(frame).attempt(site, address);
    compute();
    block(depth + 1, frame + 1);
    const std::uint32_t ending = pick(8);
    if (ending == 0)
      return; // by longjmp
    compute();
    calls[index].until = next();
    calls[index].returned = ending != 1;
    s.inFrame(frame).event(ending == 1 ? Instant::fail : Instant::acquire, site, address);
  }

  void block(unsigned depth, unsigned frame) {
    for (std::uint32_t steps = 1 + pick(4); steps-- > 0;) {
      compute();
      const auto which = held.empty() ? 0 : pick(static_cast<std::uint32_t>(held.size()));
      switch (pick(5)) {
      case 0:
      case 1:
        take(pick(lockCount), frame);
        break;
      case 2:
        if (!held.empty())
          giveBack(which, frame);
        break;
      case 3:
        if (depth < 4)
          call(depth, frame);
        break;
      default:
        if (!held.empty() && pick(4) == 0)
          waitWith(which, frame);
      }
    }
    // Whatever a jump left behind is seen to be gone.
    if (depth == 0 && isFree(0)) {
      take(0, 0);
      compute();
      giveBack(held.size() - 1, 0);
    }
  }

  void simple(std::uint32_t lock) {
    std::vector<std::size_t> open;
    for (std::uint32_t i = 0; i < lock; ++i) {
      compute();
      open.push_back(calls.size());
      calls.push_back({wrappers[i], 0x9000, next()});
      s.inFrame(i + 1).attempt(wrappers[i], 0x9000);
    }
    compute();
    s.inFrame(lock + 1);
    s.attempt(locks[lock], mutexOf(lock)).after(7).acquire(locks[lock], mutexOf(lock));
    noteTaken(locks[lock], lock, 7);
    for (; !open.empty(); open.pop_back()) {
      compute();
      calls[open.back()].until = next();
      calls[open.back()].returned = true;
      s.inFrame(static_cast<unsigned>(open.size())).acquire(calls[open.back()].site, 0x9000);
    }
    compute();
    giveBack(0, 5);
  }

  std::mt19937_64 random;
  std::uint32_t locks[lockCount], waits[lockCount], guards[lockCount], wrappers[4];
  std::vector<std::size_t> held;
  double local = 0;
};

/// What a section is, in words: its site and class, in which other.
using SectionName = std::string;

struct Expected {
  std::uint64_t acquisitions = 0;
  double wait = 0, hold = 0, local = 0;
};

class Oracle {
public:
  explicit Oracle(const Program &of) : program(of), name(of.taken.size()) {
    for (std::size_t i = 0; i < program.taken.size(); ++i) {
      const Taken &one = program.taken[i];
      Expected &section = sections[nameOf(i)];
      ++section.acquisitions;
      section.wait += one.wait;
      section.hold += one.until == never ? 0 : one.hold;
      section.local += one.local;
      ++executed[siteOf(i)];
    }
  }

  std::map<SectionName, Expected> sections;
  std::map<std::uint32_t, std::uint64_t> executed;

private:
  /// From this event on it is what it is: given back, or something taken later, in
  /// its section, was.
  std::size_t settled(std::size_t i) const {
    std::size_t first = program.taken[i].until;
    for (std::size_t j = i + 1; j < program.taken.size(); ++j)
      if (program.taken[j].from < program.taken[i].until)
        first = std::min(first, program.taken[j].until);
    return first;
  }
  /// The last call to return with it.
  const CallSpan *callOf(std::size_t i) const {
    const CallSpan *last = nullptr;
    for (const CallSpan &call : program.calls)
      if (call.returned && call.from < program.taken[i].from &&
          program.taken[i].from < call.until && call.until < settled(i) &&
          (!last || call.until > last->until))
        last = &call;
    return last;
  }
  bool isAlone(const CallSpan &call, std::size_t i) const {
    for (std::size_t j = 0; j < program.taken.size(); ++j)
      if (j != i && call.from < program.taken[j].from && program.taken[j].from < call.until &&
          call.until < settled(j))
        return false;
    return true;
  }
  std::uint32_t siteOf(std::size_t i) const {
    const CallSpan *const call = callOf(i);
    if (!call)
      return program.taken[i].site;
    return call->site == program.body ? callerSite(call->site, call->address) : call->site;
  }
  std::uint32_t classOf(std::size_t i) const {
    const Taken &one = program.taken[i];
    if (one.before != nobody)
      return classOf(one.before);
    const CallSpan *const call = callOf(i);
    if (call && isAlone(*call, i) && program.s.traits[call->site].lockClass != Stream::noSection)
      return program.s.traits[call->site].lockClass;
    return one.lockClass;
  }
  std::string ownNameOf(std::size_t i) const {
    return std::to_string(siteOf(i)) + ":" + std::to_string(classOf(i));
  }
  /// Outer ones first. A section inside itself, however far out, is that one again.
  SectionName nameOf(std::size_t i) {
    if (!name[i].empty())
      return name[i];
    const std::string own = ownNameOf(i);
    const std::size_t around = program.taken[i].inside;
    SectionName outer = around == nobody ? "" : nameOf(around);
    for (SectionName at = outer; !at.empty();) {
      const std::size_t cut = at.rfind('/', at.size() - 2);
      const bool isInside = cut != std::string::npos;
      const std::string last = at.substr(isInside ? cut + 1 : 0);
      if (last == own + "/" && isInside)
        return name[i] = at;
      at = isInside ? at.substr(0, cut + 1) : "";
    }
    return name[i] = outer + own + "/";
  }

  const Program &program;
  std::vector<SectionName> name;
};

SectionName nameOf(const Tables &tables, std::uint32_t index) {
  const SectionKey &key = tables.sections[index].key;
  return (key.inside == format::none ? "" : nameOf(tables, key.inside)) + std::to_string(key.site) +
         ":" + std::to_string(key.lockClass) + "/";
}

double sumOf(const Sample &sample) {
  return sample.origin * static_cast<double>(sample.count) + sample.sum;
}

TEST(ReplayWrapperRandom, EverySectionIsWhatTheOracleSays) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Program program(seed);
    const Tables &tables = program.s.tables;
    const Oracle oracle(program);
    EXPECT_EQ(tables.unmatched, 0u);
    EXPECT_EQ(tables.dropped, 0u);
    std::map<SectionName, Expected> got;
    double toSections = 0;
    for (std::uint32_t i = 0; i < tables.sections.size(); ++i) {
      const Section &section = tables.sections[i];
      Expected &one = got[nameOf(tables, i)];
      one.acquisitions += section.acquisitions;
      one.wait += sumOf(section.wait);
      one.hold += sumOf(section.hold);
      std::uint64_t inWindows = 0;
      for (const SectionWindow &window : section.windows)
        inWindows += window.acquisitions;
      EXPECT_EQ(inWindows, section.acquisitions);
    }
    for (std::uint32_t i = 0; i < tables.transitions.size(); ++i)
      if (tables.transitions[i].key.to != format::none) {
        got[nameOf(tables, tables.transitions[i].key.to)].local +=
            sumOf(tables.transitions[i].local);
        toSections += static_cast<double>(tables.transitions[i].local.count);
      }
    EXPECT_EQ(toSections,
              static_cast<double>(std::count_if(program.taken.begin(), program.taken.end(),
                                                [](const Taken &one) { return one.alone; })));
    ASSERT_EQ(got.size(), oracle.sections.size()) << "seed " << seed;
    for (const auto &[name, want] : oracle.sections) {
      ASSERT_TRUE(got.contains(name)) << name << " seed " << seed;
      EXPECT_EQ(got[name].acquisitions, want.acquisitions) << name << " seed " << seed;
      EXPECT_NEAR(got[name].wait, want.wait, 1e-6) << name << " seed " << seed;
      EXPECT_NEAR(got[name].hold, want.hold, 1e-6) << name << " seed " << seed;
      EXPECT_NEAR(got[name].local, want.local, 1e-6) << name << " seed " << seed;
    }
    for (std::uint32_t site = 0; site < tables.sites.size(); ++site) {
      const auto want = oracle.executed.find(site);
      EXPECT_EQ(tables.sites[site].executed, want == oracle.executed.end() ? 0 : want->second)
          << "site " << site << " seed " << seed;
    }
  }
}

TEST(ReplayWrapperRandom, WholeBuffersGiveWhatSingleEventsGive) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Program program(seed);
    Stream single, buffered;
    const std::vector<Event> &events = program.s.events;
    std::mt19937_64 random(seed);
    for (Stream *const stream : {&single, &buffered}) {
      stream->traits = program.s.traits;
      stream->context = program.s.context;
      stream->context.sites = stream->traits.data();
      stream->context.callHookTicks = seed % 3;
      stream->context.countersOnly = seed % 4 == 3;
      stream->context.stampTicks = seed % 2;
      for (std::size_t at = 0; at < events.size();) {
        const std::size_t most = stream == &single ? 1 : 1 + random() % 200;
        const std::size_t count = std::min(most, events.size() - at);
        stream->replay.run(events.data() + at, count);
        at += count;
      }
      stream->replay.end(program.s.now);
    }
    ASSERT_EQ(describe(buffered.tables), describe(single.tables)) << "seed " << seed;
  }
}

TEST(ReplayWrapperRandom, CallsNeedNoStamp) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Program program(seed);
    Stream bare;
    bare.traits = program.s.traits;
    bare.context = program.s.context;
    bare.context.sites = bare.traits.data();
    std::vector<Event> events = program.s.events;
    for (Event &event : events)
      if (bare.traits[siteOf(event)].role == SiteRole::wrapper)
        event.stamp = 0;
    bare.replay.run(events.data(), events.size());
    bare.replay.end(program.s.now);
    ASSERT_EQ(describe(bare.tables), describe(program.s.tables)) << "seed " << seed;
  }
}

/// Tries are left out of the oracle; this is what must hold of them whatever happens.
TEST(ReplayWrapperRandom, NoTryIsLost) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    Stream s;
    const auto pick = [&](std::uint64_t below) { return random() % below; };
    std::uint32_t tries[3], wrappers[2];
    for (std::uint32_t i = 0; i < 3; ++i)
      tries[i] = s.site(LockKind::pthreadMutex, i, siteTry);
    for (std::uint32_t &wrapper : wrappers)
      wrapper = s.site(LockKind::unknown, Stream::noSection, 0, SiteRole::wrapper);
    double computed = 0;
    std::uint64_t attempts = 0, acquired = 0;
    const auto compute = [&] {
      const std::uint64_t ticks = pick(9);
      s.after(ticks);
      computed += static_cast<double>(ticks);
    };
    for (int round = 0; round < 100; ++round) {
      std::vector<std::uint32_t> held;
      const auto depth = static_cast<unsigned>(pick(3));
      for (unsigned i = 0; i < depth; ++i)
        s.inFrame(i).attempt(wrappers[i], 0x9000);
      s.inFrame(4);
      for (std::uint64_t steps = pick(6); steps-- > 0;) {
        compute();
        const auto lock = static_cast<std::uint32_t>(pick(3));
        const std::uint64_t address = 0x1000 + 64 * lock;
        const auto at = std::find(held.begin(), held.end(), lock);
        if (at != held.end()) {
          held.erase(at);
          s.release(tries[lock], address);
          continue;
        }
        s.attempt(tries[lock], address);
        compute();
        ++attempts;
        if (pick(2) == 0) {
          s.event(Instant::fail, tries[lock], address);
          continue;
        }
        s.acquire(tries[lock], address);
        ++acquired;
        held.push_back(lock);
      }
      for (unsigned i = depth; i-- > 0;)
        s.inFrame(i).acquire(wrappers[i], 0x9000);
      compute();
      for (const std::uint32_t lock : held)
        s.inFrame(4).release(tries[lock], 0x1000 + 64 * lock);
    }
    s.take(tries[0], 0x1000).release(tries[0], 0x1000);
    ++acquired, ++attempts;
    std::uint64_t acquisitions = 0, failures = 0, ended = 0;
    double spent = 0;
    for (std::uint32_t i = 0; i < s.tables.sections.size(); ++i) {
      acquisitions += s.section(i).acquisitions;
      failures += s.section(i).tryFailures;
      spent += sumOf(s.section(i).hold) + sumOf(s.section(i).wait);
    }
    for (std::uint32_t i = 0; i < s.tables.transitions.size(); ++i)
      spent += sumOf(s.tables.transitions[i].local);
    for (const std::uint32_t site : tries)
      ended += s.tables.site(site)->executed + s.tables.site(site)->inside;
    EXPECT_EQ(acquisitions, acquired) << "seed " << seed;
    EXPECT_EQ(ended, attempts) << "seed " << seed;
    EXPECT_LE(failures, attempts - acquired) << "seed " << seed;
    EXPECT_NEAR(spent, computed, 1e-6) << "seed " << seed;
    EXPECT_EQ(s.tables.unmatched, 0u);
  }
}

} // namespace
