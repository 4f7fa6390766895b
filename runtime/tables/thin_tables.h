// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has been recorded of all the time, as if one slice of time in 2^shift had been: of each
// count and each sum of times that part is left, and the time itself counts as so much shorter.
// Means and spreads stay, with as many samples as so few slices have.
#pragma once

#include "runtime/tables/distribution.h"
#include "runtime/tables/tables.h"

namespace qdadvise::runtime {

void thin(Tables &tables, unsigned shift);
void thin(LockTraffic &traffic, unsigned shift);
/// Puts the locks that were seen in so few slices into `into`; false when out of memory.
bool thin(const Distribution &closed, unsigned shift, Arena &arena, Distribution &into);

} // namespace qdadvise::runtime
