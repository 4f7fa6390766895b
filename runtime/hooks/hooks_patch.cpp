// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hooks_patch.h. The plugin puts each sled within an aligned word, which is written at once, so
// that a processor that runs it meanwhile finds either instruction whole (AMD64 Architecture
// Programmer's Manual, volume 2, 7.6.1; Arm Architecture Reference Manual, B2.2.5: NOP and B).
#include "runtime/hooks/hooks_patch.h"

#include "runtime/base/spin.h"
#include "runtime/base/text.h"
#include "runtime/hooks/first_copy.h"
#include "runtime/hooks/hook_measurement.h"
#include "runtime/hooks/hooks_sled.h"
#include "runtime/hooks/recorder.h"
#include "runtime/hooks/registration.h"
#include "runtime/process/process.h"

#include <link.h>
#include <sys/mman.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

constexpr std::uintptr_t pageBytes = 4096;

/// What one executable or shared object has.
struct SledObject {
  const SledRecord *begin, *end;
  std::uintptr_t low, high; ///< the pages of its sleds
  bool isWritable;          ///< its code is, always
};

constexpr unsigned maxObjects = 1024;
SledObject objects[maxObjects];
unsigned objectCount = 0;
HooksOn hooksNow = noHooks;

std::uintptr_t addressOf(const std::int32_t &offset) {
  return reinterpret_cast<std::uintptr_t>(&offset) + static_cast<std::uintptr_t>(offset);
}

#if defined(__x86_64__)
std::uintptr_t targetOf(const SledRecord &record) {
  return addressOf(record.sled) +
         static_cast<std::uintptr_t>(record.target < 0 ? -record.target : record.target);
}
bool tries(const SledRecord &record) { return record.target < 0; }

using Word = std::uint64_t;
constexpr unsigned sledBytes = 5;
constexpr Word idle = 0x00'00'44'1f'0f; // nopl 0(%rax,%rax,1)
Word jump(std::uintptr_t from, std::uintptr_t to) {
  return Word{static_cast<std::uint32_t>(to - (from + sledBytes))} << 8 | 0xe9;
}
#else // AArch64
std::uintptr_t targetOf(const SledRecord &record) { return addressOf(record.target); }
bool tries(const SledRecord &record) {
  return record.instant == static_cast<std::uint32_t>(Instant::attempt) ||
         record.instant == static_cast<std::uint32_t>(Instant::fail);
}

using Word = std::uint32_t;
constexpr unsigned sledBytes = 4;
constexpr Word idle = 0xd5'03'20'1f; // nop
Word jump(std::uintptr_t from, std::uintptr_t to) {
  constexpr Word distanceBits = 0x03'ff'ff'ff;
  return 0x14'00'00'00 | (static_cast<Word>((to - from) / 4) & distanceBits);
}
#endif

bool isOnWith(const SledRecord &record, HooksOn hooks) {
  return tries(record) ? hooks != noHooks : hooks == allHooks;
}

/// Makes the instruction a jump, or lets it do nothing. False if something else is there, a
/// debugger's breakpoint for one.
bool write(const SledRecord &record, bool on) {
  constexpr Word mask = ~Word{0} >> (8 * (sizeof(Word) - sledBytes));
  const std::uintptr_t sled = addressOf(record.sled);
  const unsigned before = sled % sizeof(Word);
  if (before + sledBytes > sizeof(Word))
    return false;
  const Word jumps = jump(sled, targetOf(record));
  const Word wanted = on ? jumps : idle;
  auto *const word = reinterpret_cast<Word *>(sled - before);
  const Word bytes = __atomic_load_n(word, __ATOMIC_RELAXED);
  const Word there = bytes >> (8 * before) & mask;
  if (there == wanted)
    return true;
  if (there != (on ? idle : jumps))
    return false;
  const Word others = bytes & ~(mask << (8 * before));
  __atomic_store_n(word, others | wanted << (8 * before), __ATOMIC_RELEASE);
  auto *const code = reinterpret_cast<char *>(sled);
  __builtin___clear_cache(code, code + sledBytes);
  return true;
}

bool turn(SledObject &object, HooksOn hooks) {
  const std::size_t bytes = object.high - object.low;
  auto *const from = reinterpret_cast<void *>(object.low);
  // Other threads run this code meanwhile. NOLINTNEXTLINE(clang-analyzer-security.MmapWriteExec)
  if (!object.isWritable && mprotect(from, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return false;
  bool works = true;
  for (const SledRecord *record = object.begin; record != object.end; ++record)
    works &= write(*record, isOnWith(*record, hooks));
  // If this fails, the code stays writable, and works.
  if (!object.isWritable)
    mprotect(from, bytes, PROT_READ | PROT_EXEC);
  return works;
}

/// Says once that some hooks do not work.
void turnAndSay(SledObject &object, HooksOn hooks) {
  static bool said = false;
  if (turn(object, hooks) || said)
    return;
  said = true;
  warn("the program's code cannot be changed here, and hooks in it stay as they are; what they see "
       "is missing in the profile: compile with -fplugin-arg-qdadvise-hooks=call");
}

/// Whether the code at an address may be written as it was loaded.
bool isWritable(std::uintptr_t address) {
  struct Question {
    std::uintptr_t address;
    bool answer;
  } question{address, false};
  dl_iterate_phdr(
      [](dl_phdr_info *module, std::size_t, void *data) {
        auto &asked = *static_cast<Question *>(data);
        for (unsigned i = 0; i < module->dlpi_phnum; ++i) {
          const ElfW(Phdr) &segment = module->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD ||
              asked.address - (module->dlpi_addr + segment.p_vaddr) >= segment.p_memsz)
            continue;
          asked.answer = (segment.p_flags & PF_W) != 0;
          return 1;
        }
        return 0;
      },
      &question);
  return question.answer;
}

/// An object comes, with hooks as all others'.
void addSleds(const SledRecord *begin, const SledRecord *end) {
  if (begin == end)
    return;
  if (objectCount == maxObjects)
    return warn("too many shared objects have hooks; what those of the last ones see is missing in "
                "the profile");
  std::uintptr_t low = ~std::uintptr_t{0}, high = 0;
  for (const SledRecord *record = begin; record != end; ++record) {
    const std::uintptr_t sled = addressOf(record->sled);
    low = sled < low ? sled : low;
    high = sled > high ? sled : high;
  }
  SledObject &object = objects[objectCount++];
  object = {begin, end, low & -pageBytes, (high & -pageBytes) + pageBytes, isWritable(low)};
  if (hooksNow != noHooks)
    turnAndSay(object, hooksNow);
}

} // namespace

void runtime::patchSleds(HooksOn hooks) {
  hooksNow = hooks;
  for (unsigned i = 0; i < objectCount; ++i)
    turnAndSay(objects[i], hooks);
}

extern "C" __attribute__((visibility("default"))) void
__qdadvise_register_sled_table(const SledRecord *begin, const SledRecord *end) {
#if defined(__x86_64__)
  noteVectorRegisters();
#endif
  if (const RuntimeEntries *const first = firstCopy()) {
    if (first->registerSleds)
      first->registerSleds(begin, end);
    return;
  }
  const InsideRecorder inside;
  if (begin != end && (process().hookKinds & format::runHooksPatch) == 0) {
    noteHookKind(format::runHooksPatch);
    measureCallHooks();
  }
  const SpinGuard guard(process().control);
  addSleds(begin, end);
}

extern "C" __attribute__((visibility("default"))) void
__qdadvise_unregister_sled_table(const SledRecord *begin, const SledRecord *end) {
  if (const RuntimeEntries *const first = firstCopy()) {
    if (first->unregisterSleds)
      first->unregisterSleds(begin, end);
    return;
  }
  const InsideRecorder inside;
  const SpinGuard guard(process().control);
  for (unsigned i = objectCount; i-- > 0;)
    if (objects[i].begin >= begin && objects[i].end <= end)
      objects[i] = objects[--objectCount];
}

extern "C" __attribute__((visibility("default"))) void
__qdadvise_register_sled_records(const SledRecord *begin, const SledRecord *end) {
  __qdadvise_register_sled_table(begin, end);
}

extern "C" __attribute__((visibility("default"))) void
__qdadvise_unregister_sled_records(const SledRecord *begin, const SledRecord *end) {
  __qdadvise_unregister_sled_table(begin, end);
}

extern "C" __attribute__((visibility("default"))) void __qdadvise_register_sleds(const void *begin,
                                                                                 const void *end) {
  const InsideRecorder inside;
  if (begin != end)
    sayOtherVersion();
}
