// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/calibration/BusyTime.h"

#include <fstream>
#include <string>
#include <unistd.h>

namespace qdadvise {

BusyTime parseBusyTime(std::istream &stat, double ticksPerS) {
  BusyTime time;
  std::string cpu;
  if (!(stat >> cpu) || cpu != "cpu")
    return time;
  double ticks = 0;
  // user, nice, system, idle, waiting for I/O, interrupts (two), hypervisor
  for (int column = 0; column < 8 && stat >> ticks; ++column) {
    time.all += ticks / ticksPerS;
    time.busy += column == 3 || column == 4 ? 0 : ticks / ticksPerS;
  }
  return time;
}

BusyTime readBusyTime() {
  std::ifstream file("/proc/stat");
  return parseBusyTime(file, static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

} // namespace qdadvise
