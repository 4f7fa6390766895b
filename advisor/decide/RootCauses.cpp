// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/RootCauses.h"
#include "advisor/support/Format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace qdadvise {
namespace {

constexpr const char *primitives = "improper-primitives";
constexpr const char *granularity = "improper-granularity";
constexpr const char *synchronization = "over-synchronization";

using Evidence = SectionEvidence;

Verdict always(const Evidence &) { return Verdict::shown; }

/// The source tells of every path. A run tells that one location of up to eight bytes is accessed,
/// but not its type.
Verdict oneInteger(const Evidence &of) {
  if (of.oneInteger)
    return Verdict::shown;
  if (of.memory)
    return of.memory->oneLocation ? Verdict::fits : Verdict::excluded;
  return of.factsKnown ? Verdict::excluded : Verdict::open;
}

Verdict shortSections(const Evidence &of) {
  if (of.spins || of.waitsInside || of.sleeps || of.readersApart || !of.isShort.value_or(true))
    return Verdict::excluded;
  return of.isShort ? Verdict::fits : Verdict::open;
}

/// Short sections are not worth a readers-writer lock, which costs more than a mutex.
Verdict onlyReads(const Evidence &of) {
  if (of.readersApart || of.oneInteger || of.empty || !of.contended.value_or(true) ||
      of.isShort.value_or(false))
    return Verdict::excluded;
  if (of.memory)
    return of.memory->mostlyReads ? Verdict::shown : Verdict::excluded;
  return Verdict::open;
}

Verdict muchData(const Evidence &of) {
  if (of.oneInteger || of.empty)
    return Verdict::excluded;
  if (of.memory && !of.memory->apart.empty())
    return of.opaque ? Verdict::fits : Verdict::shown;
  if (of.memory && of.memory->muchData)
    return *of.memory->muchData ? Verdict::shown : Verdict::excluded;
  return Verdict::open;
}

Verdict sleepingSections(const Evidence &of) {
  return of.sleeps ? Verdict::fits : Verdict::excluded;
}

Verdict longSections(const Evidence &of) {
  // For sections of many instructions, largeSections knows more.
  if (of.sleeps || of.isShort.value_or(false) || (of.memory && of.memory->large))
    return Verdict::excluded;
  return of.isShort ? Verdict::fits : Verdict::open;
}

Verdict largeSections(const Evidence &of) {
  return of.memory && of.memory->mostlyUnshared ? Verdict::shown : Verdict::excluded;
}

Verdict manySections(const Evidence &of) {
  return of.inARow.empty() ? Verdict::excluded : Verdict::shown;
}

Verdict smallSections(const Evidence &of) {
  if (of.memory && (of.memory->small || of.memory->large))
    return of.memory->small ? Verdict::fits : Verdict::excluded;
  return of.isShort.value_or(false) ? Verdict::fits : Verdict::open;
}

Verdict alwaysInside(const Evidence &of) {
  return of.alwaysInside.empty() ? Verdict::excluded : Verdict::shown;
}

Verdict nothingShared(const Evidence &of) {
  if (of.empty)
    return Verdict::shown;
  if (of.oneInteger || of.waitsInside || !of.locksInside.empty())
    return Verdict::excluded;
  if (of.memory)
    return !of.memory->nothingShared() ? Verdict::excluded
           : of.opaque                 ? Verdict::fits
                                       : Verdict::shown;
  return Verdict::open;
}

Verdict atomicAlready(const Evidence &of) {
  if (!of.memory || !of.memory->mostlyAtomic || of.memory->nothingShared() || of.waitsInside)
    return Verdict::excluded;
  return of.memory->unsafeAccesses > 0 || of.opaque ? Verdict::fits : Verdict::shown;
}

/// Accesses inside the other locks' sections count as theirs.
Verdict locksInside(const Evidence &of) {
  if (of.locksInside.empty() || of.insideOverlaps)
    return Verdict::excluded;
  return of.memory && !of.memory->nothingShared() ? Verdict::fits : Verdict::shown;
}

// In a condition, {hold}, {outer}, {inner} and {function} are the evidence's; so are {unshared},
// {untouched}, {written}, {spread} and {unsafe}, of a memory trace.
constexpr RootCause rootCauses[] = {
    {"one-integer", primitives, acquiredOften | contendedOften | memoryTraced, oneInteger,
     "its sections only update one integer", "make that integer atomic and drop the lock"},
    {"short-section", primitives, acquiredOften, shortSections, "its sections are short{hold}",
     "take a lock that spins instead of sleeping (`qdadvise advise` says which one pays)"},
    {"read-only", primitives, acquiredOften | contendedOften | memoryTraced, onlyReads,
     "its sections mostly read{written}",
     "take a readers-writer lock, which lets readers in together"},
    {"sleeping-section", granularity, contendedRarely | contendedOften, sleepingSections,
     "its sections may sleep, or do input or output", "do that before or after them"},
    {"large-section", granularity, contendedRarely | contendedOften | memoryTraced, largeSections,
     "{unshared} instructions of its sections access what others access, too",
     "leave in them what touches the shared data, and do the rest before or after"},
    {"long-section", granularity, contendedRarely | contendedOften, longSections,
     "its sections are long{hold}",
     "leave in them what touches the shared data, and do the rest before or after"},
    {"much-data", granularity, contendedRarely | contendedOften | memoryTraced, muchData,
     "it protects data that has little to do with each other{spread}",
     "give each part a lock of its own"},
    {"sections-in-a-row", granularity, acquiredOften | memoryTraced, manySections,
     "{function} takes it several times in a row", "make one section of them"},
    {"small-sections", granularity, acquiredOften, smallSections, "its sections do little each",
     "do more in one of them, several items at a time"},
    {"always-inside", synchronization, acquiredOften | contendedOften | memoryTraced, alwaysInside,
     "it is only taken while '{outer}' is held, which keeps everybody else out",
     "remove it where that holds for all callers"},
    {"nothing-shared", synchronization, acquiredOften | contendedOften | memoryTraced,
     nothingShared, "its sections touch nothing that threads share{untouched}", "remove it"},
    {"already-atomic", synchronization, acquiredOften | contendedOften | memoryTraced,
     atomicAlready,
     "what its sections do to shared memory are atomic operations already, or reads of what none "
     "of them writes{unsafe}",
     "remove it, unless several of these belong together"},
    {"common-lock", synchronization, contendedOften | memoryTraced, locksInside,
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
  const std::string hold = of.isShort ? ", typically " + formatHold(of.holdNs) : "";
  std::string unshared, untouched, written, spread, unsafe;
  if (of.memory) {
    const MemoryEvidence &memory = *of.memory;
    unshared = fmt::format("{} of the {}", formatPercent(memory.sharedShare()),
                           formatCount(memory.instructions));
    untouched = fmt::format(", in {} traced executions", formatCount(memory.executions));
    written = fmt::format(" and write to {:.2g} cache lines on average", memory.writtenLines);
    spread =
        memory.apart.empty()
            ? fmt::format(" (about {} cache lines; one of two executions spoils the other in {})",
                          formatCount(memory.lines), formatPercent(memory.conflict))
            : fmt::format("; in {} traced executions, the sections at {} shared none",
                          formatCount(memory.executions),
                          fmt::join(memory.apart, ", and those at "));
    if (memory.unsafeAccesses > 0)
      unsafe = fmt::format(", but for {} of it", formatPercent(memory.unsafeShare()));
  }
  return fmt::format("{}{}: {}", verdict == Verdict::open ? "if " : "",
                     fmt::format(fmt::runtime(cause.condition), fmt::arg("hold", hold),
                                 fmt::arg("outer", of.alwaysInside),
                                 fmt::arg("inner", fmt::join(of.locksInside, ", ")),
                                 fmt::arg("function", of.inARow), fmt::arg("unshared", unshared),
                                 fmt::arg("untouched", untouched), fmt::arg("written", written),
                                 fmt::arg("spread", spread), fmt::arg("unsafe", unsafe)),
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
