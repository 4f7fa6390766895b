// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites told apart by the call paths that reach them, where the options ask for it
// (`path_sites`): each path is a site of its own, which its hooks put in
// the place of the site. What comes after the hooks knows nothing of paths. Sites that
// are not asked for never come here.
#pragma once

#include <cstdint>

namespace qdadvise::runtime {

/// Looks for the unwinder if the options ask for paths. Not async-signal-safe.
void prepareCallPaths();

/// The event `what` (packEvent) of a site whose paths are asked for, as one of the site that
/// stands for the path. `frame` is the calling function's; `between` frames lie between the hook,
/// whose stack pointer ends in `stack`, and the site's function.
std::uint32_t onCallPath(std::uint32_t what, std::uint64_t address, std::uint32_t stack,
                         const void *frame, unsigned between);

} // namespace qdadvise::runtime
