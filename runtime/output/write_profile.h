// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The profile of the process, as it stands, to its file.
#pragma once

namespace qdadvise::runtime {

struct Process;

/// Async-signal-safe. False if it could not be written (and was said).
bool writeProfile();
/// Does the same where the process is about to end without destructors, if it may and there is
/// something to be written.
void writeBeforeEnd();
enum class EmptyProfile { written, dropped };
/// Does the same; Process::control must be taken. Without a single event there may be no file.
bool writeLocked(const Process &self, EmptyProfile empty = EmptyProfile::written);
/// What becomes of an empty profile at the end: a program that locks nothing, and was not asked for
/// one, is often one of those that configure scripts try.
EmptyProfile emptyAtEnd(const Process &self);

} // namespace qdadvise::runtime
