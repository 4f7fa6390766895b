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
inline constexpr const char *sledSectionName = "qdadvise_sleds";

/// Offsets are from the field itself. HookExpansion.cpp writes the same in assembler.
struct SledRecord {
  std::int32_t sled;     ///< within an aligned word: eight bytes of x86-64, four of AArch64
  std::int32_t target;   ///< calls the runtime
  std::uint32_t instant; ///< Instant; of two that are possible the one that is on more often
};
static_assert(sizeof(SledRecord) == 12);

struct SiteRecord;

} // namespace qdadvise

extern "C" {
/// Tells the runtime of the sleds of one executable or shared object, after its sites.
void __qdadvise_register_sleds(const qdadvise::SledRecord *begin, const qdadvise::SledRecord *end);
/// Takes them back, before its sites.
void __qdadvise_unregister_sleds(const qdadvise::SledRecord *begin,
                                 const qdadvise::SledRecord *end);

#if defined(__x86_64__)
/// The hook of `hooks=patch` on x86-64. Keeps all registers but those of vectors, whatever the
/// stack's alignment. What calls it has saved %rdi, %rsi and %rdx in this order, and has behind the
/// call three bytes to load them and five to jump back.
__attribute__((preserve_most)) void __qdadvise_sled(qdadvise::SiteRecord *site,
                                                    std::uint32_t instant, const void *address);
#endif
}
