// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooks of `hooks=patch`: each is an instruction that does nothing, and a jump to the call of
// `__qdadvise_event` while it is on. Process::control guards all of it.
#pragma once

#include "runtime/abi/site_record.h"

namespace qdadvise::runtime {

/// Writes the code of all executables and shared objects whose sleds are known, while other threads
/// may run it.
void patchSleds(HooksOn hooks);

} // namespace qdadvise::runtime
