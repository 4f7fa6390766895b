// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The models predict a published lock with its own costs. The virtual multicore measures them.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/support/Error.h"
#include "bench/published/Locks.h"

namespace qdadvise::publication {

/// The machine with the costs of the lock in place of those of our lock of that algorithm, which a
/// description has. The mutex is the same one, and stays.
Expected<Machine> withCostsOf(const PublishedLock &lock, Machine machine);

} // namespace qdadvise::publication
