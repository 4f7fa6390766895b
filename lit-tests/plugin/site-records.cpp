// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a record says: the operation's place, its function, the lock as written and where
// it is declared. A site that does not run has a record, too.

// RUN: %xray_cxx -O0 %s -o %t && env TRACE_SITES=1 %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && env TRACE_SITES=1 %t | FileCheck %s
// RUN: %call_cxx -O2 -g %s -o %t && env TRACE_SITES=1 %t | FileCheck %s
// RUN: %patch_cxx -O2 -g %s -o %t && env TRACE_SITES=1 %t | FileCheck %s

#include <mutex>

namespace store {
class Cache {
public:
  void add(int n) {
    std::lock_guard<std::mutex> guard(this->lock_);
    sum += n;
  }
  // CHECK-DAG: site acquire site-records.cpp:[[#@LINE-3]]:5 store::Cache::add(int) | this->lock_ | store::Cache::lock_ | std::mutex | site-records.cpp:[[#DECL:]]:14 | kind 1 flags 0 ordinal 0
  // CHECK-DAG: site release site-records.cpp:[[#@LINE-2]]:3 store::Cache::add(int) |  |  | std::mutex | :0:0 | kind 1 flags 0 ordinal 0
  void neverRun() { lock_.lock(); }
  // CHECK-DAG: site acquire site-records.cpp:[[#@LINE-1]]:21 store::Cache::neverRun() | {{.*}}lock_ | store::Cache::lock_ | std::mutex | site-records.cpp:[[#DECL]]:14 | kind 1

private:
  std::mutex lock_;
  int sum = 0;
};
} // namespace store

void (store::Cache::*kept)() = &store::Cache::neverRun;

int main() {
  store::Cache cache;
  cache.add(1);
}
