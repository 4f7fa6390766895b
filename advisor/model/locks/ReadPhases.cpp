// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/locks/ReadPhases.h"

#include "advisor/model/locks/TakenShare.h"
#include "advisor/model/numeric/FollowedRoot.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace qdadvise {

namespace {

/// Writes per section to the word that a reader's release compares and exchanges (RW6).
constexpr double writesPerSection = 2;
/// The share of those who wait for the line that keep others waiting (RW7): copies are handed out
/// together. Fitted to the virtual multicore.
constexpr double keepWaiting = 0.75;
/// How often a waiting writer looks, if sections are short (RW13). Counted on the virtual
/// multicore.
constexpr double looksPerWrite = 2;
constexpr double mostClosed = 0.99; ///< largest share of the time in which readers are kept out
constexpr double mostLost = 0.999;  ///< largest share of the time that readers lose to writes
constexpr double leastProbability = 1e-12;
constexpr int activeRounds = 2; ///< of active threads and what a write costs them
/// Rounds of the fixpoint. What is left of its error goes into that of one thread more.
constexpr int stateRounds = 6;
/// A reader counts as inside for so much of what its accesses take: fitted to simulations of
/// readers alone (RW17).
constexpr double counted = 0.25;
/// How steeply writers queue where the lock can serve no more of them.
constexpr double fullQueue = 100;

/// 1 - e^-x for x >= 0. As exact as std::expm1, of which a prediction needs millions, and faster.
double comeBy(double x) {
  return x > 1e-3 ? 1 - std::exp(-x) : x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4)));
}

/// The events that each of several causes with that probability: how many, in the logarithm in
/// which they add up.
double eventsOf(double each) { return -std::log1p(-std::min(each, 1 - leastProbability)); }

/// Probability that any of so many does what each does with that probability.
double anyOf(double count, double each) { return comeBy(count * eventsOf(each)); }

/// Mean of the shorter of a time and an exponential one.
double meanOfFirst(double rate, double ns) {
  return rate * ns > 1e-9 ? comeBy(rate * ns) / rate : ns;
}

} // namespace

/// Independent threads that read for `inNs` and are away for `awayNs` in between.
struct ReadPhases::Visitors {
  double inNs, awayNs;

  double share() const { return inNs / (inNs + awayNs); } ///< of the threads that are inside
  double rate() const { return 1 / inNs + 1 / awayNs; }   ///< at which the state is forgotten

  /// Mean time until no thread is inside (RW8). `count` of them are inside with probability `in`,
  /// and `others` with `otherIn`. It is the integral over t of P(none at t | none at 0) - P(none at
  /// t), divided by P(none).
  double untilNoneNs(double count, double in, double others, double otherIn) const {
    // Gauss-Legendre quadrature over u = exp(-rate t). Boost.Math's points have more digits than
    // these, so that predictions would differ in their last ones.
    static constexpr std::array<std::pair<double, double>, 6> points{
        {{0.033765242898424, 0.085662246189585},
         {0.169395306766868, 0.180380786524069},
         {0.380690406958402, 0.233956967286346},
         {0.619309593041598, 0.233956967286346},
         {0.830604693233132, 0.180380786524069},
         {0.966234757101576, 0.085662246189585}}};
    const double k = inNs / awayNs;
    double sum = 0;
    for (const auto &[u, weight] : points) {
      // Powers of the same bases, and so by logarithms.
      const auto logFrom = [k, at = u](double probability) {
        return std::log(1 + (k - probability * (1 + k)) * at);
      };
      const double some = count > 0 ? count * logFrom(in) : 0;
      sum += weight / u *
             (std::exp((count + others) * std::log(1 + k * u)) -
              std::exp(some + others * logFrom(otherIn)));
    }
    return sum / rate();
  }
};

/// The lock's line, as readers see it (RW7).
struct ReadPhases::Line {
  double waitNs = 0; ///< of one access
  double accesses = 0;
};

ReadPhases::Line ReadPhases::lineAt(int threads, double readsPerNs, const State &state) const {
  const double others = 1 - 1.0 / threads, rate = readsPerNs * others / state.open;
  const auto triesAt = [rate](double ns) { return 1 + writesPerSection * rate * ns; };
  const double aloneNs = transfer.fromOther(threads), waiting = others * state.atLine;
  const double queueNs = aloneNs * (1 + keepWaiting * waiting);
  // A spinning writer fetches the line after each write.
  const double written = rate * (1 + triesAt(queueNs)) * queueNs;
  const double waitNs =
      queueNs + transfer.fromOther(threads) * state.spinners * written / (1 + written);
  const double tries = triesAt(waitNs), taken = rate * (1 + tries);
  const double elsewhere = comeBy(taken * (lock.readNs + waitNs));
  const double again = comeBy(taken * waitNs);
  return {waitNs,
          transfer.readAndWrite * transfer.elsewhere(threads) + elsewhere * (1 + again + tries)};
}

/// What a write does to threads that would read (RW9).
struct ReadPhases::KeptOut {
  /// A way in which writers come to have the lock: its share, and how often a thread comes to read
  /// meanwhile, as eventsOf.
  struct Way {
    double share = 0, readers = 0;
  };

  double met = 0;         ///< probability that a thread that is away comes while nobody may come in
  double asleep = 0;      ///< and falls asleep before that ends
  double closedNs = 0;    ///< how long nobody may come in
  double restNs = 0;      ///< how much of it a thread that is away meets
  WakeupCost wakeup = {}; ///< of the sleepers
  std::array<Way, 4> ways = {};

  /// Probability that any of so many threads comes to read meanwhile.
  double some(double active) const {
    double sum = 0;
    for (const Way &way : ways)
      if (way.share > 0)
        sum += way.share * comeBy(active * way.readers);
    return sum;
  }
};

/// The wake-up of a thread that has waited so long.
WakeupCost ReadPhases::wakeupAfter(double ns) const {
  return machine.wakeupAfter(lock.sleepNs + std::max(0.0, ns));
}

ReadPhases::KeptOut ReadPhases::keptOut(double awayNs, const State &state) const {
  const double held = lock.writeNs + lock.overheadNs;
  const double dozes = std::exp(-lock.sleepNs / lock.writeNs);
  KeptOut result;
  double direct = 1;
  std::size_t ways = 0;
  const auto add = [&](double share, double latencyNs) {
    const double closed = latencyNs + held;
    const double met = 1 - std::exp(-latencyNs / awayNs) * awayNs / (awayNs + held);
    result.met += share * met;
    result.asleep += share * met * (latencyNs + held * dozes) / closed;
    result.closedNs += share * closed;
    result.restNs += share * (closed - awayNs * met);
    result.ways[ways++] = {share, eventsOf(lock.reads * met)};
  };
  for (const Gap &gap : state.gaps) {
    add(gap.share, gap.latencyNs);
    direct -= gap.share;
  }
  add(direct, 0);
  result.wakeup = wakeupAfter(result.restNs / std::max(result.met, leastProbability));
  return result;
}

/// The threads that a writer meets: those that neither write nor wait for it, but for one.
struct ReadPhases::Others {
  double count = 0;
  double awayNs = 0, cycleNs = 0; ///< from section to section, if they need not wait
  Visitors visitors;
  const KeptOut &kept;
  double some = 0; ///< probability that a write keeps any thread out

  double asleep(double reads) const { return count * reads * kept.asleep; }
};

/// What a writer waits for, apart from other writers.
struct ReadPhases::Drain {
  double ns = 0;
  Gap gap = {};

  double withWakeupNs(double sleepNs) const {
    return ns + gap.share * (gap.latencyNs + sleepNs / 2);
  }
};

/// For a writer that finds each of the others inside with that probability.
ReadPhases::Drain ReadPhases::drain(const Others &others, double inside) const {
  const double ns = others.visitors.untilNoneNs(0, 0, others.count, inside);
  return {ns, {anyOf(others.count, inside), wakeupAfter(ns).latencyNs}};
}

/// The time from the end of a write that kept others out (RW11). These are woken one after the
/// other and have the lock. Then a writer is woken.
struct ReadPhases::AfterWrite {
  double ns = 0;       ///< until the next writer is awake
  double waitsNs = 0;  ///< the part of it in which it is certain who the next writer is
  double wakingNs = 0; ///< until all that were kept out are awake
  Gap gap = {};
};

ReadPhases::AfterWrite ReadPhases::afterWrite(const Others &others, const State &state) const {
  const KeptOut &kept = others.kept;
  const double together = std::clamp(others.asleep(lock.reads) / others.some,
                                     std::min(1.0, others.count), others.count);
  const double more = std::max(0.0, together - 1), wakingNs = kept.wakeup.wakerNs * more;
  // The last of several wake-ups, whose times are uniform.
  const double lastNs =
      wakingNs + kept.wakeup.latencyNs + kept.wakeup.latencyHalfNs * more / (together + 1);
  // The woken writer is next, unless one of the threads that are awake comes before it.
  const double wokenNs = kept.wakeup.wakerNs * together +
                         wakeupAfter(state.writeResidenceNs - kept.closedNs).latencyNs;
  const double comes = others.count * (1 - lock.reads) / others.cycleNs;
  const double later = std::max(0.0, wokenNs - lastNs), until = std::exp(-comes * lastNs);
  const double forgets = others.visitors.rate(), share = others.visitors.share();
  // The later of that and the last reader's wake-up. Then readers that were inside may have left.
  const double afterLastNs = until * meanOfFirst(comes, later);
  const double remembered = 1 - forgets * until * meanOfFirst(forgets + comes, later);
  const double early = wakingNs > 0 ? meanOfFirst(forgets, wakingNs) / wakingNs : 1;

  // A writer is next at once if it came while the last one waited, and the kernel sent it back
  // because the section was over.
  const double dozes = std::exp(-lock.sleepNs / lock.writeNs);
  const double atOnce = comeBy(state.awaiting * (1 - dozes));
  const double startNs = lastNs + (1 - atOnce) * afterLastNs;
  const auto insideIf = [&](double still) { return share + (1 - share) * early * still; };
  const auto cameBy = [&](double ns) { return share * comeBy(forgets * ns); };
  const double inside = insideIf(atOnce + (1 - atOnce) * remembered);
  const double endNs = startNs + others.visitors.untilNoneNs(
                                     together, inside, others.count - together, cameBy(startNs));
  const double noneNs = lastNs + afterLastNs;
  const double nobody = (1 - atOnce) * (1 - anyOf(together, insideIf(remembered))) *
                        (1 - anyOf(others.count - together, cameBy(noneNs)));
  const double waitsNs = std::max(0.0, endNs - (1 - atOnce) * meanOfFirst(comes, wokenNs));
  const Gap gap{1 - nobody, wakeupAfter(waitsNs).latencyNs};
  return {endNs + gap.share * (gap.latencyNs + lock.sleepNs / 2),
          waitsNs + gap.share * gap.latencyNs, lastNs, gap};
}

/// The state at a throughput.
struct ReadPhases::Round {
  double threads = 0; ///< so many threads have this throughput (RW4)
  State next = {};
};

ReadPhases::Round ReadPhases::roundAt(double perNs, int threads, double awayNs,
                                      const Writers &writers, const KeptOut &kept,
                                      const State &state) const {
  const double reads = lock.reads, writes = 1 - reads, writesPerNs = perNs * writes;
  const Line line = lineAt(threads, perNs * reads, state);
  const double inNs = lock.readNs + lock.overheadNs + line.accesses * line.waitNs;
  const double countedNs =
      lock.readNs + lock.overheadNs / 2 + counted * line.accesses * line.waitNs;
  Round round;
  round.next.atLine =
      std::min<double>(threads, perNs * reads * line.accesses * line.waitNs / state.open);
  const double cycleNs = awayNs + reads * inNs;
  if (writes <= 0) {
    round.threads = perNs * cycleNs;
    round.next.taken = anyOf(threads - 1, countedNs / cycleNs);
    return round;
  }

  // A write costs each thread that would read some time, and depends on how many these are (RW10).
  Others others{.awayNs = awayNs,
                .cycleNs = cycleNs,
                .visitors = {inNs, awayNs / std::max(reads, 1e-9)},
                .kept = kept};
  double active = perNs * cycleNs;
  for (int i = 0; i < activeRounds; ++i) {
    others.count = std::min<double>(threads, active) * (1 - 1.0 / threads);
    const double lostNs =
        kept.restNs +
        kept.asleep * (kept.wakeup.latencyNs + kept.wakeup.wakerNs * others.asleep(reads) / 2) +
        (kept.met - kept.asleep) * (lock.sleepNs + lock.sentBackNs);
    active = perNs * cycleNs / (1 - std::min(mostLost, writesPerNs * reads * lostNs));
  }
  others.some = kept.some(others.count);
  others.count = std::min<double>(threads, active) * (1 - 1.0 / threads);
  round.next.open = 1 - std::min(mostClosed, writesPerNs * kept.closedNs);

  // If nobody was kept out, writers follow as at a mutex, but readers may come in between (RW12).
  const double held = lock.writeNs + lock.overheadNs;
  const Drain first = drain(others, others.visitors.share());
  const double freeNs = std::max(0.0, writers.handoffNs - held);
  const Drain passed =
      drain(others, others.visitors.share() * comeBy(others.visitors.rate() * freeNs));
  const AfterWrite after =
      others.some > leastProbability ? afterWrite(others, state) : AfterWrite();
  const double nextNs =
      (1 - others.some) * (writers.handoffNs + passed.withWakeupNs(lock.sleepNs)) +
      others.some * (held + after.ns);

  // The writers' queue, as in SleepingModel (RW14).
  const double aloneNs = held + first.withWakeupNs(lock.sleepNs);
  const auto [wanted, taken] = TakenShare(writers.perNs, aloneNs, nextNs);
  round.next.gaps = {{{wanted * others.some * after.gap.share, after.gap.latencyNs},
                      {(1 - wanted) * first.gap.share, first.gap.latencyNs},
                      {wanted * (1 - others.some) * passed.gap.share, passed.gap.latencyNs}}};
  // Somebody has the lock, or is the next writer and waits for readers, or was kept out and wakes
  // up; or readers are inside (RW17).
  const double waitsNs = wanted * (others.some * after.waitsNs +
                                   (1 - others.some) * passed.withWakeupNs(lock.sleepNs)) +
                         (1 - wanted) * first.withWakeupNs(lock.sleepNs);
  const double wakingNs = others.some * std::min(after.wakingNs, after.ns - after.waitsNs);
  const double busy = std::min(1.0, writesPerNs * (held + waitsNs + std::max(0.0, wakingNs)));
  const double byOthers = busy * (1 - 1.0 / threads) / (1 - busy / threads);
  round.next.taken =
      1 -
      (1 - byOthers) * (1 - anyOf(others.count, countedNs / (countedNs + others.visitors.awayNs)));
  round.next.awaiting = looksPerWrite * writesPerNs * after.waitsNs;
  round.next.spinners =
      wanted * others.some * round.next.awaiting * after.waitsNs / (held + after.ns);
  double woken = others.asleep(reads);
  for (const Gap &gap : round.next.gaps)
    woken += gap.share;
  round.next.writeResidenceNs = (1 - taken) * (aloneNs + writers.transferNs) +
                                taken * (held + writers.failureNs + nextNs - writers.handoffNs) +
                                nextNs * std::max(0.0, writers.queued - taken) +
                                woken * kept.wakeup.wakerNs;
  // All other threads wait if the lock can serve no more writers (RW15).
  const double full = writesPerNs * nextNs * writers.meeting;
  const double waiting = full > 1 ? fullQueue * threads * (full - 1) : 0;
  round.next.writeResidenceNs += waiting / writesPerNs;
  round.threads = active + writesPerNs * round.next.writeResidenceNs;
  return round;
}

ReadPhases::State ReadPhases::solve(int threads, double awayNs, const Writers &writers,
                                    const State &before) const {
  State state = before;
  FollowedRoot logPerNs(std::log(threads / (awayNs + before.residenceNs)), before.slope);
  for (int i = 0; i < stateRounds; ++i) {
    const KeptOut kept = keptOut(awayNs, state);
    // The throughput at which all threads are accounted for in this state.
    Round round;
    const auto excess = [&](double tried) {
      round = roundAt(std::exp(tried), threads, awayNs, writers, kept, state);
      const double of = round.threads / threads;
      // It is not a number if all readers queue at the line.
      return of < 1e20 ? std::log(of) : 50;
    };
    const double perNs = std::exp(logPerNs.follow(excess));
    const State &next = round.next;
    const auto approach = [&](double State::*figure) {
      state.*figure += (next.*figure - state.*figure) / 2;
    };
    approach(&State::atLine);
    approach(&State::spinners);
    approach(&State::awaiting);
    approach(&State::open);
    for (std::size_t j = 0; j < state.gaps.size(); ++j) {
      state.gaps[j].share += (next.gaps[j].share - state.gaps[j].share) / 2;
      state.gaps[j].latencyNs += (next.gaps[j].latencyNs - state.gaps[j].latencyNs) / 2;
    }
    state.residenceNs = threads / perNs - awayNs;
    state.writeResidenceNs = next.writeResidenceNs;
    state.taken = next.taken;
  }
  state.slope = logPerNs.slope();
  return state;
}

} // namespace qdadvise
