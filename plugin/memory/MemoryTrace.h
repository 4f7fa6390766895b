// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that tells the runtime which memory it accesses while the runtime wants to know:
// between the hooks of a critical section. Elsewhere it costs one test of a thread-local
// pointer for each run of instructions without a call.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace qdadvise {

/// Instruments every function of `module`, after all optimisation: what is told are the
/// accesses that are left. A module that was instrumented already is left alone. Returns
/// whether the module changed.
bool traceMemory(llvm::Module &module);

} // namespace qdadvise
