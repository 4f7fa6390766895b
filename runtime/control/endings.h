// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends of the process at which no destructor runs: _exit, quick_exit, and death by signal. The
// profile is written there, too, and the process ends as it would have.
#pragma once

#include <csignal>

namespace qdadvise::runtime {

using SignalHandler = void (*)(int);

/// Writes the profile at quick_exit and before the default action of signals from here on.
void prepareEndings();
/// Ends the process by the signal that came while the recorder was at work, if one did.
void catchUpWithEnding();

/// Where the program asks for a signal's default action, this is what it gets: the default action
/// after the profile was written. False if that signal's default stays.
bool isWrittenBefore(int signal);
struct sigaction writingAction();
/// What the program is told of it: the default action.
void hideWritingAction(struct sigaction &action);
SignalHandler asProgramSees(SignalHandler handler);

} // namespace qdadvise::runtime
