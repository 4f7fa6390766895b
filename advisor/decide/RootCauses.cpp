// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/RootCauses.h"

#include "advisor/advice/Advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace qdadvise {
namespace {

constexpr const char *primitives = "improper-primitives";
constexpr const char *granularity = "improper-granularity";
constexpr const char *synchronization = "over-synchronization";

using Evidence = SectionEvidence;

Verdict always(const Evidence &) { return Verdict::shown; }

Verdict oneInteger(const Evidence &of) {
  return of.oneInteger ? Verdict::shown : of.factsKnown ? Verdict::excluded : Verdict::open;
}

Verdict shortSections(const Evidence &of) {
  if (of.spins || of.waitsInside || of.sleeps || of.readersApart || !of.isShort.value_or(true))
    return Verdict::excluded;
  return of.isShort ? Verdict::fits : Verdict::open;
}

/// Short sections are not worth a readers-writer lock, which costs more than a mutex.
Verdict onlyReads(const Evidence &of) {
  return of.readersApart || of.oneInteger || of.empty || !of.contended || of.isShort.value_or(false)
             ? Verdict::excluded
             : Verdict::open;
}

Verdict muchData(const Evidence &of) {
  return of.oneInteger || of.empty ? Verdict::excluded : Verdict::open;
}

Verdict sleepingSections(const Evidence &of) {
  return of.sleeps ? Verdict::fits : Verdict::excluded;
}

Verdict longSections(const Evidence &of) {
  if (of.sleeps || of.isShort.value_or(false))
    return Verdict::excluded;
  return of.isShort ? Verdict::fits : Verdict::open;
}

Verdict manySections(const Evidence &of) {
  return of.inARow.empty() ? Verdict::excluded : Verdict::shown;
}

Verdict smallSections(const Evidence &of) {
  return of.isShort.value_or(false) ? Verdict::fits : Verdict::open;
}

Verdict alwaysInside(const Evidence &of) {
  return of.alwaysInside.empty() ? Verdict::excluded : Verdict::shown;
}

Verdict nothingShared(const Evidence &of) {
  return of.empty                          ? Verdict::shown
         : of.oneInteger || of.waitsInside ? Verdict::excluded
                                           : Verdict::open;
}

Verdict locksInside(const Evidence &of) {
  return of.locksInside.empty() ? Verdict::excluded : Verdict::shown;
}

// In a condition, {hold}, {outer}, {inner} and {function} are the evidence's.
constexpr RootCause rootCauses[] = {
    {"one-integer", primitives, acquiredOften | contendedOften, oneInteger,
     "its sections only update one integer", "make that integer atomic and drop the lock"},
    {"short-section", primitives, acquiredOften, shortSections, "its sections are short{hold}",
     "take a lock that spins instead of sleeping (`qdadvise advise` says which one pays)"},
    {"read-only", primitives, acquiredOften | contendedOften, onlyReads, "its sections mostly read",
     "take a readers-writer lock, which lets readers in together"},
    {"sleeping-section", granularity, contendedRarely | contendedOften, sleepingSections,
     "its sections may sleep, or do input or output", "do that before or after them"},
    {"long-section", granularity, contendedRarely | contendedOften, longSections,
     "its sections are long{hold}",
     "leave in them what touches the shared data, and do the rest before or after"},
    {"much-data", granularity, contendedRarely | contendedOften, muchData,
     "it protects data that has little to do with each other", "give each part a lock of its own"},
    {"sections-in-a-row", granularity, acquiredOften, manySections,
     "{function} takes it several times in a row", "make one section of them"},
    {"small-sections", granularity, acquiredOften, smallSections, "its sections do little each",
     "do more in one of them, several items at a time"},
    {"always-inside", synchronization, acquiredOften | contendedOften, alwaysInside,
     "it is only taken while '{outer}' is held, which keeps everybody else out",
     "remove it where that holds for all callers"},
    {"nothing-shared", synchronization, acquiredOften | contendedOften, nothingShared,
     "its sections touch nothing that threads share", "remove it"},
    {"common-lock", synchronization, contendedOften, locksInside,
     "locks taken inside it, {inner}, protect what they need themselves",
     "remove it, or keep it for what no other lock protects"},
    {"polling", primitives, triesFail, always, "threads try it over and over while another has it",
     "let them sleep until it is their turn, with a condition variable"},
    {"uneven-use", "asymmetric-contention", unevenContention, always,
     "the work is not spread evenly over these locks",
     "take a better hash, make the parts smaller, or divide the busiest one again"},
    {"uneven-work", "load-imbalance", unevenLoad, always,
     "some threads wait while others have too much to do",
     "give each kind of work threads in proportion to its computation"},
};

std::string words(const RootCause &cause, Verdict verdict, const Evidence &of) {
  const std::string hold = of.isShort ? ", typically " + formatDuration(of.holdNs) : "";
  return fmt::format("{}{}: {}", verdict == Verdict::open ? "if " : "",
                     fmt::format(fmt::runtime(cause.condition), fmt::arg("hold", hold),
                                 fmt::arg("outer", of.alwaysInside),
                                 fmt::arg("inner", fmt::join(of.locksInside, ", ")),
                                 fmt::arg("function", of.inARow)),
                     cause.remedy);
}

} // namespace

std::vector<CauseFound> causesOf(Symptom symptom, const SectionEvidence &evidence) {
  std::vector<CauseFound> found;
  for (const Verdict verdict : {Verdict::shown, Verdict::fits, Verdict::open}) {
    for (const RootCause &cause : rootCauses)
      if ((cause.symptoms & symptom) && cause.judge(evidence) == verdict)
        found.push_back({&cause, verdict, words(cause, verdict, evidence)});
    if (verdict == Verdict::shown && !found.empty())
      break;
  }
  return found;
}

} // namespace qdadvise
