// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables to the bytes of a file: the profile of profile_format.h. Async-signal-safe.
#pragma once

#include "runtime/output/output_file.h"
#include "runtime/tables/tables.h"
#include "runtime/unseen/counted_modules.h"

#include <cstddef>
#include <cstdint>

namespace qdadvise::runtime {

/// What of the run is in no table.
struct RunFacts {
  format::RunRecord record{}; ///< its strings, counters and windows are filled in by encode
  const char *program = "";
  const char *host = "";
  const char *command = "";
  double nsPerTick = 1;
  const CountedModules *unseen = nullptr; ///< locks that no hook told of; null: not counted
};

/// The whole file. Names sites, lock classes and thread classes as the process knows
/// them. Empty on running out of memory.
void encodeProfile(const Tables &tables, const RunFacts &facts, ByteBuffer &file);

} // namespace qdadvise::runtime
