// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program may forbid itself system calls (seccomp). What the runtime would do for its own sake in
// one of the program's threads could then end the program, and there is no asking beforehand.
#pragma once

namespace qdadvise::runtime {

/// Whether the program has forbidden one of its threads system calls. What was forbidden before it
/// began does not count.
bool isSandboxed();
/// Notes that it has just done so.
void noteSandbox();

} // namespace qdadvise::runtime
