// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resident memory of a run after as many events as the first argument says:
//
//   bench-memory 1e6; bench-memory 1e9
//
// The sites are written by hand; the events are those of `hooks=call`.
#include "runtime/abi/site_record.h"

#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

using namespace qdadvise;

namespace {

SiteRecord siteOf(SiteRole role, std::uint32_t line) {
  SiteRecord record{};
  record.version = siteRecordVersion;
  record.role = role;
  record.kind = LockKind::pthreadMutex;
  record.line = line;
  record.file = record.declFile = "Memory.cpp";
  record.function = "main";
  record.expression = record.lockName = "locks";
  record.lockType = "pthread_mutex_t";
  record.declLine = 1;
  return record;
}

void event(SiteRecord &site, Instant instant, const void *address) {
  __qdadvise_event(&site, static_cast<std::uint32_t>(instant), address);
}

/// Returns the number of resident bytes.
long resident() {
  long size = 0;
  long pages = 0;
  std::FILE *const file = std::fopen("/proc/self/statm", "r");
  if (!file || std::fscanf(file, "%ld %ld", &size, &pages) != 2)
    return -1;
  std::fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

pthread_mutex_t locks[64];

} // namespace

int main(int count, char **arguments) {
  const double events = count > 1 ? std::atof(arguments[1]) : 1e6;
  SiteRecord sites[] = {siteOf(SiteRole::acquire, 10), siteOf(SiteRole::release, 11)};
  __qdadvise_register(sites, sites + 2);
  const auto sections = static_cast<long>(events / 3);
  for (long i = 0; i < sections; ++i) {
    pthread_mutex_t &lock = locks[i % 64];
    event(sites[0], Instant::attempt, &lock);
    pthread_mutex_lock(&lock);
    event(sites[0], Instant::acquire, &lock);
    event(sites[1], Instant::release, &lock);
    pthread_mutex_unlock(&lock);
  }
  std::printf("%.0f events, resident %.3f MiB\n", static_cast<double>(sections) * 3,
              static_cast<double>(resident()) / (1 << 20));
  __qdadvise_unregister(sites, sites + 2);
  return 0;
}
