// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the processors of this machine have been at work, for whomever.
#pragma once

#include <istream>

namespace qdadvise {

/// Seconds of all processors together since the system began.
struct BusyTime {
  double busy = 0; ///< for programs, the kernel, and other guests of the hypervisor
  double all = 0;
};

/// `stat` is the text of `/proc/stat`, whose times are in ticks. All 0 of another text.
BusyTime parseBusyTime(std::istream &stat, double ticksPerS);
BusyTime readBusyTime();

} // namespace qdadvise
