// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The profile (`*.qdprof`), field by field. The runtime writes it, the advisor
// reads it; `docs/reference/formats.md` says the same in words.
//
// Little-endian. A FileHeader, `tableCount` TableEntry, then the tables, each
// 8-byte aligned, in any order. Every table is an array of fixed-size records;
// a reader takes `recordSize` from the entry, so records may grow at their end.
// Strings are offsets into the table of strings (zero-terminated UTF-8, offset 0
// is ""). All times are nanoseconds with the hooks' cost already taken out.
#pragma once

#include <cstdint>

namespace qdadvise::format {

inline constexpr char magic[8] = {'Q', 'D', 'P', 'R', 'O', 'F', '\0', '\0'};
inline constexpr std::uint32_t version = 1;
inline constexpr std::uint32_t none = 0xffffffffu; ///< "no such index"

struct FileHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t crc; ///< CRC-32 (IEEE 802.3, as zlib's) of all bytes after this header
  std::uint64_t fileSize;
  std::uint32_t tableCount;
  std::uint32_t reserved;
};
static_assert(sizeof(FileHeader) == 32);

enum class Table : std::uint32_t {
  strings = 1,
  run = 2, ///< exactly one record
  sites = 3,
  lockClasses = 4,
  locks = 5,
  threadClasses = 6,
  sections = 7,
  transitions = 8,
  buckets = 9,
  windows = 10,
  windowSections = 11,
  windowThreads = 12,
  callers = 13,
  instances = 14,
  exactSums = 15,
  memory = 16,
  takers = 17,
  unseen = 18,
  copies = 19,
};

struct TableEntry {
  Table table;
  std::uint32_t recordSize; ///< bytes; 1 for strings
  std::uint64_t offset;     ///< from the start of the file
  std::uint64_t count;      ///< records
};
static_assert(sizeof(TableEntry) == 24);

/// Count, mean and variance of a time; m2 is the sum of squared deviations.
struct Moments {
  std::uint64_t count;
  double mean;
  double m2;
  double min; ///< 0 where count is 0
  double max;
};
static_assert(sizeof(Moments) == 40);

enum RunFlags : std::uint32_t {
  runHooksXray = 1u << 0,
  runHooksCall = 1u << 1,
  runThreaded = 1u << 2,     ///< a second thread had existed when recording began
  runCountersOnly = 1u << 3, ///< no times: only `local` of transitions counts; of memory traces,
                             ///< and of counters_only=1 before that was dropped
  runMemory = 1u << 4,       ///< a memory trace: counts, and what sections do to memory
  runSitesOnly = 1u << 6,    ///< was counters_only=sites; such profiles are refused
  runHooksInPlace = 1u << 5, ///< what a hook costs was measured in the program itself
  runCountsUnseen = 1u << 7, ///< locks that no hook told of were counted
  runHooksPatch = 1u << 8,   ///< besides runHooksCall: some or all are patched in
  runLacksSlices = 1u << 9,  ///< all was recorded, as no thread could be started for slices
  runLacksCode = 1u << 10,   ///< some was instrumented by another version of the plugin
};

struct RunRecord {
  std::uint32_t program; ///< string: basename of the executable
  std::uint32_t host;    ///< string
  std::uint32_t command; ///< string: arguments joined by spaces, cut at 4 KiB
  std::uint32_t flags;   ///< RunFlags
  std::uint64_t pid;
  std::uint64_t startUnixNs;
  double durationNs; ///< recording switched on, wall clock
  double ticksPerNs; ///< of the time-stamp counter
  double timerNs;    ///< median cost of one read
  double hookNs;     ///< median cost of one hook, taken out of every time
  std::uint64_t events;
  std::uint64_t dropped;       ///< events lost: out of memory, too deep, a full buffer in a signal
  std::uint64_t unmatched;     ///< releases of something unheld
  std::uint64_t otherSections; ///< events that fell into the `other` bucket: max_sections
  std::uint64_t otherLocks;    ///< acquisitions of locks beyond max_locks
  std::uint32_t maxThreads;    ///< threads recorded alive at once
  std::uint32_t threadsTotal;
  /// Wall clock, of what was recorded in slices: from when to when it was asked for, of which
  /// `durationNs` was recorded. 0: all of it was.
  double slicedNs;
  /// That were merged into this one. 0: it is one run, or was merged before this was told.
  std::uint64_t runs;
  /// Of the recorded threads, as the kernel counts it: on a processor, and ready to run while
  /// others had the processors. Both 0 where the kernel does not tell.
  double onProcessorNs, runDelayNs;
};

/// One executed or not executed acquire, wait or block operation (releases are not listed).
struct SiteEntry {
  std::uint32_t file, function, expression, lockName, lockType, declFile; ///< strings
  std::uint32_t line, column, ordinal, declLine, declColumn;
  std::uint32_t role, kind, flags; ///< SiteRole, LockKind, SiteFlags of site_record.h
  std::uint64_t sectionHash;
  std::uint64_t facts;
  std::uint64_t executed; ///< times as the outermost operation
  std::uint64_t inside;   ///< times inside another operation
  std::uint64_t tryFailures;
  std::uint32_t caller; ///< index: the code that the lock was taken for, where `file` and
                        ///< `line` are those of a wrapper that it called; or none
  /// Index plus one of the innermost frame of the call path that led here, where those were asked
  /// for; 0: they were not, or this is the site as reached by any other path.
  std::uint32_t path;
};

enum CallerFlags : std::uint32_t {
  /// The site's own function: no caller, but what that was inlined into may be.
  callerOwn = 1u << 0,
};

/// A place in the program's code: an address, for a symbolizer, or what one made of it.
struct CallerEntry {
  std::uint32_t module; ///< string: path of the executable or shared object; "": no address
  std::uint32_t next;   ///< in a call path: index plus one of the next frame outwards, which comes
                        ///< later in the table; 0: the last one
  std::uint64_t offset; ///< of the return address, as the module's file has it
  std::uint32_t function, file; ///< strings; "" where nobody looked yet
  std::uint32_t line;
  std::uint32_t flags; ///< CallerFlags
};
inline constexpr unsigned longestPath = 256; ///< frames, inlined ones among them

/// All locks declared at one place.
struct LockClassEntry {
  std::uint32_t name, type, declFile; ///< strings
  std::uint32_t declLine, declColumn;
  std::uint32_t kind; ///< LockKind of the innermost primitive seen
  // How readers share them; all zero where there were none.
  std::uint32_t maxReaders; ///< at once, in one of the locks
  /// The runs of a merged profile in which some of the locks had come and gone; else 0.
  std::uint32_t closedRuns;
  double readHeldNs; ///< summed over readers; part of the locks' heldNs
  Moments readBusy;  ///< periods from the first reader of a lock in to the last one out
};

/// One lock object. Beyond max_locks, one record a class with address 0 holds the rest.
struct LockEntry {
  std::uint32_t lockClass;
  std::uint32_t reserved;
  std::uint64_t address;
  std::uint64_t acquisitions;
  std::uint64_t contended;
  double heldNs;
  double waitNs;
};

/// Locks of a class that have come and gone, or found no room in the table of locks, by
/// their traffic: those with 2^bucket to 2^(bucket + 1) - 1 acquisitions.
struct InstancesEntry {
  std::uint32_t lockClass;
  std::uint32_t bucket;
  std::uint64_t instances;
  std::uint64_t acquisitions;
  std::uint64_t contended;
  double heldNs;
  double waitNs;
};

/// Threads of a class that take locks of a class, of runs in which two or more of some class did,
/// or one took locks that it had made. Threads that are never there at once may count as one. A
/// lock that one thread took at least ownedOf times, and others no more than once in ownedOf, is
/// that thread's own; of those that have come and gone, if it ended them and no other took them.
struct TakersEntry {
  std::uint32_t lockClass;
  std::uint32_t threadClass; ///< none: threads that followed one another, of several classes
  std::uint64_t threads;     ///< of each run
  std::uint64_t owners;      ///< of these, that have locks of their own
  std::uint64_t acquisitions;
  std::uint64_t ofOwned; ///< of these, of locks that are any thread's own
  double heldNs;         ///< as in LockEntry
  double ofOwnedHeldNs;  ///< of this, of locks that are any thread's own
  std::uint64_t runs;    ///< that are summed here; 0 in profiles from before this was told: all
};
static_assert(sizeof(TakersEntry) == 64);
inline constexpr std::uint64_t ownedOf = 20;

struct ThreadClassEntry {
  std::uint32_t name; ///< string: the start routine's name; "main" for the main thread
  std::uint32_t file; ///< string: where it is defined; "" unknown
  std::uint32_t line;
  std::uint32_t count; ///< threads that ran it
  std::uint32_t maxAlive;
  std::uint32_t isMain;
  double aliveNs;   ///< summed over its threads
  double blockedNs; ///< summed over its threads
};

enum SectionFlags : std::uint32_t {
  sectionShared = 1u << 0,
  sectionOther = 1u << 1, ///< the bucket beyond max_sections
};

/// A critical section: one acquiring site, in one thread class, on one lock class, within `inside`.
struct SectionEntry {
  std::uint32_t threadClass;
  std::uint32_t site;
  std::uint32_t lockClass;
  std::uint32_t inside; ///< index of the enclosing section; none for an outermost one
  std::uint32_t flags;  ///< SectionFlags
  std::uint32_t reserved;
  std::uint64_t acquisitions;
  std::uint64_t contended;
  std::uint64_t tryFailures;
  Moments hold;          ///< nested sections and blocked time left out
  Moments wait;          ///< attempt to acquire, all acquisitions
  Moments waitContended; ///< the contended ones
  // The contended acquisitions that found a writer inside, in locks for readers and writers.
  std::uint64_t contendedByWriter;
  Moments waitByWriter;
};

/// Local computation between a release and the next attempt of the same thread.
/// `from` is none for a thread's first section; `to` is none for its end.
struct TransitionEntry {
  std::uint32_t threadClass;
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t reserved;
  Moments local;   ///< blocked time left out
  Moments blocked; ///< blocked time in between, over all transitions
  /// Barriers that threads came to in between, of those that block without a lock (siteBarrier).
  std::uint64_t barriers;
};

inline constexpr unsigned bucketSubBits = 5;
enum class BucketOf : std::uint32_t { hold = 0, wait = 1, local = 2 };

/// A non-empty bucket of a log-scale histogram. Bucket b < 32 holds [b, b+1) ns; above,
/// every power of two 2^e (e >= 5) is split into 32 equal parts: bucket 32 (e - 4) + f
/// holds [2^e (1 + f/32), 2^e (1 + (f+1)/32)) ns, at most 3.2 % wide. Of local times the runtime
/// has one bucket of every four.
struct BucketEntry {
  std::uint32_t of;    ///< BucketOf
  std::uint32_t index; ///< of the section (hold, wait) or transition (local)
  std::uint32_t bucket;
  std::uint32_t reserved;
  std::uint64_t count;
};

/// Which Moments of a section, a transition (local, blocked) or a lock class (busy).
enum class MomentsOf : std::uint32_t {
  hold = 0,
  wait = 1,
  waitContended = 2,
  waitByWriter = 3,
  local = 4,
  blocked = 5,
  busy = 6,
};

/// The sums that the Moments of a merged profile follow from, so that it can be merged again
/// without rounding: of the values in 2^-10 ns (two's complement), and of their squares in
/// 2^-20 ns^2 modulo 2^128. The lower half comes first.
struct ExactSumsEntry {
  std::uint32_t of;    ///< MomentsOf
  std::uint32_t index; ///< of the section, transition or lock class
  std::uint64_t values[2];
  std::uint64_t squares[2];
};
static_assert(sizeof(ExactSumsEntry) == 40);

/// Executions of critical sections of the same lock, two at a time, neighbours in time: what the
/// later one, A, would have seen of the earlier one, B, had both run at once without the lock (Roy,
/// Hand and Harris 2009, section 2.3). A is of this section, B of any section of the lock.
struct ConflictPairs {
  std::uint64_t pairs;
  std::uint64_t conflicts;     ///< B wrote what A read or wrote
  std::uint64_t lineConflicts; ///< B wrote to a cache line that A read or wrote, these among them
  std::uint64_t locations;     ///< in common, summed over conflicts
  std::uint64_t lines;         ///< the same of cache lines, summed over lineConflicts
};

/// Executions that have read a cache line since one last wrote it: 0, 1, 2, 3, then 4 to 7,
/// 8 to 15 and so on; the last bucket has no end.
inline constexpr unsigned readersBuckets = 12;
/// The registers of a sketch (Flajolet et al. 2007, HyperLogLog): standard error 6.5 %.
inline constexpr unsigned sketchRegisters = 256;
inline constexpr unsigned cacheLineBytes = 64;

/// Executions of a section that used what an execution of another site had used, where one of the
/// two wrote it; in parts of four bytes.
struct SiteOverlap {
  std::uint32_t site; ///< MemoryEntry::site of that one; 0: none
  std::uint32_t reserved;
  std::uint64_t executions;
};
inline constexpr unsigned overlapSlots = 12;

/// The ConflictPairs whose A wrote something.
struct WriterPairs {
  std::uint64_t pairs;
  std::uint64_t conflicts;
};

/// What the executions of a section do to memory; of a memory trace, for sections that were
/// traced. An access in a section within a section is one of the inner section. The thread's own
/// stack is left out but for its count. Locations are first bytes of accesses, 8 bytes apart in
/// longer ones.
struct MemoryEntry {
  std::uint32_t section;
  /// The acquiring site's number among these records, the same in every run; 0 in profiles from
  /// before overlaps were told, and in sums over several sites.
  std::uint32_t site;
  std::uint64_t executions;    ///< traced ones; what follows are sums over them
  std::uint64_t instructions;  ///< the compiler's (LLVM IR), in instrumented code
  std::uint64_t stackAccesses; ///< to the thread's own stack
  std::uint64_t reads;         ///< an atomic update is a read and a write
  std::uint64_t writes;
  std::uint64_t atomics; ///< atomic operations, among reads and writes
  /// Reads and writes of what another thread has accessed in a section before; of what another
  /// execution has, where threads did not take the lock in turns.
  std::uint64_t sharedAccesses;
  std::uint64_t locationsRead; ///< distinct in an execution, only read
  std::uint64_t locationsWritten;
  std::uint64_t linesRead; ///< the same, of cache lines
  std::uint64_t linesWritten;
  /// Lines among those that no other thread has accessed in a section; 0 where threads did not take
  /// the lock in turns.
  std::uint64_t privateLines;
  ConflictPairs others; ///< with executions of other threads
  ConflictPairs own;    ///< of one thread, where threads did not take the lock in turns
  /// Lines, not private, by readersBuckets at the first access of an execution; only read in it, or
  /// written. Not those that no execution has touched before, nor what is only read ever.
  std::uint64_t readAfter[readersBuckets];
  std::uint64_t writtenAfter[readersBuckets];
  std::uint8_t lines[sketchRegisters]; ///< distinct over all executions
  /// The sharedAccesses that would need no lock if they came alone: atomic ones, and those of
  /// what no execution has written. Profiles from before these were told apart have none.
  std::uint64_t safeAccesses;
  SiteOverlap overlaps[overlapSlots]; ///< by ascending site; the rest is zero
  std::uint64_t otherOverlaps;        ///< with any further sites
  /// The lines in readAfter and writtenAfter that came one after the other: by an address
  /// that was read from where the one before it pointed to.
  std::uint64_t chainedLines;
  /// Executions that wrote something, of which some of the others may have seen; the rest spoil
  /// nobody's work. Profiles from before these were told apart have none.
  std::uint64_t writers;
  WriterPairs othersOfWriters, ownOfWriters; ///< of `others` and `own`
};
static_assert(sizeof(ConflictPairs) == 40);
static_assert(sizeof(MemoryEntry) == 8 + 12 * 8 + 2 * 40 + 2 * readersBuckets * 8 +
                                         sketchRegisters + 8 + overlapSlots * 16 + 16 + 8 +
                                         2 * sizeof(WriterPairs));

/// Locks taken in a module where no hook told of it. A module may have several records.
struct UnseenEntry {
  std::uint32_t module; ///< string: path of a shared library; the program's name
  std::uint32_t reserved;
  std::uint64_t acquisitions;
};
static_assert(sizeof(UnseenEntry) == 16);

/// A round in which the program ran alone and in several copies at once, dormant (nothing was
/// recorded). Times are processor time, user and system, of one copy.
struct CopiesEntry {
  std::uint32_t cpu;        ///< string: the processor's model
  std::uint32_t processors; ///< that the copies could run on
  std::uint32_t copies;     ///< at once; 2 or more
  std::uint32_t reserved;
  double aloneNs;  ///< above 0
  double besideNs; ///< the mean of the copies, as if all of them had run all the time; above 0
};
static_assert(sizeof(CopiesEntry) == 32);

/// Windows of equal length, at most 16, from the start of recording.
struct WindowEntry {
  double startNs;
  double durationNs;
};
struct WindowSectionEntry {
  std::uint32_t window;
  std::uint32_t section;
  std::uint64_t acquisitions;
  double holdNs; ///< sums
  double waitNs;
};
struct WindowThreadEntry {
  std::uint32_t window;
  std::uint32_t threadClass;
  std::uint32_t active; ///< threads with an event in it
  std::uint32_t reserved;
  double localNs; ///< sums
  double blockedNs;
};

} // namespace qdadvise::format
