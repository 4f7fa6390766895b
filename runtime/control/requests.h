// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the signal of the options asks for, by the value that was queued with it.
#pragma once

namespace qdadvise::runtime {

/// Waits for that signal from here on, if the options name one.
void prepareRequests();
/// What was asked and is not done yet will not be.
void forgetRequests();

} // namespace qdadvise::runtime
