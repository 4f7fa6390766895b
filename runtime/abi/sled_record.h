// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the plugin leaves of each hook of `hooks=patch`, in a section of its own: where its sled is,
// an instruction that does nothing, and where the jump leads that the runtime puts
// there.
#pragma once

#include <cstdint>

namespace qdadvise {

/// `__start_` and `__stop_` before it are the section's ends.
inline constexpr const char *sledSectionName = "qdadvise_sled_table";

/// The plugin writes it in assembler (SledCode.cpp, HookExpansion.cpp). Of two instants that are
/// possible that counts which is on more often.
struct SledRecord {
  /// From the field itself. The sled is within an aligned word: eight bytes of x86-64, four of
  /// AArch64.
  std::int32_t sled;
#if defined(__x86_64__)
  /// Where what calls the runtime is, from the sled on. Its negative if the hook is on whenever any
  /// is: then it is of Instant::attempt or Instant::fail.
  std::int32_t target;
#else
  std::int32_t target;   ///< what calls the runtime, from the field itself
  std::uint32_t instant; ///< Instant
#endif
};

struct SiteRecord;

} // namespace qdadvise

extern "C" {
/// Tells the runtime of the sleds of one executable or shared object, after its sites.
void __qdadvise_register_sled_table(const qdadvise::SledRecord *begin,
                                    const qdadvise::SledRecord *end);
/// Takes them back, before its sites.
void __qdadvise_unregister_sled_table(const qdadvise::SledRecord *begin,
                                      const qdadvise::SledRecord *end);
// The same by the names that objects have from when a sled's code named the registers that
// `__qdadvise_sled` did not keep. It kept no vectors then: a runtime from then must not turn later
// objects' hooks on.
void __qdadvise_register_sled_records(const qdadvise::SledRecord *begin,
                                      const qdadvise::SledRecord *end);
void __qdadvise_unregister_sled_records(const qdadvise::SledRecord *begin,
                                        const qdadvise::SledRecord *end);
/// The name from before that, when records had another form: these hooks stay off.
void __qdadvise_register_sleds(const void *begin, const void *end);

#if defined(__x86_64__)
/// The hook of `hooks=patch` on x86-64. Keeps all registers but the flags, whatever the stack's
/// alignment. What calls it has saved %rdi, %rsi and %rdx in this order, and has behind the call
/// three bytes to load them and five to jump back.
__attribute__((no_caller_saved_registers)) void
__qdadvise_sled(qdadvise::SiteRecord *site, std::uint32_t instant, const void *address);
#endif
}
