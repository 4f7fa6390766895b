// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <qdadvise/locks/clh_lock.h>
#include <qdadvise/locks/mcs_lock.h>
#include <qdadvise/locks/mrqd_lock.h>
#include <qdadvise/locks/qd_lock.h>
#include <qdadvise/locks/spinlock.h>
#include <qdadvise/locks/ticket_lock.h>

#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

/// Compiles, and can be locked together.
bool all() {
  qdadvise::spinlock spin;
  qdadvise::ticket_lock ticket;
  qdadvise::mcs_lock mcs;
  qdadvise::clh_lock clh;
  qdadvise::mrqd_lock mrqd;
  int executed = 0;
  mrqd.delegate_detached([&] { ++executed; });
  {
    const std::shared_lock reading(mrqd);
    if (executed != 1)
      return false;
  }
  const std::scoped_lock locks(spin, ticket, mcs, clh, mrqd);
  return clh.looks_taken();
}

} // namespace

int main() {
  qdadvise::qd_lock lock;
  int counter = 0;
  auto count = [&] {
    for (int i = 0; i < 10000; ++i)
      lock.delegate([&] { return ++counter; });
  };
  std::thread other(count);
  count();
  other.join();
  return counter == 20000 && all() ? 0 : 1;
}
