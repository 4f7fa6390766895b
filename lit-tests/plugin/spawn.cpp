// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that the library starts begins in the library: a hook before the call says
// what it really runs, by a site whose place and function are that routine's.
//
// RUN: %xray_cxx -pthread -O0 %s -o %t
// RUN: %t | FileCheck %s
// RUN: env TRACE_SITES=1 %t | FileCheck --check-prefix=SITES %s
// RUN: %xray_cxx -pthread -O2 %s -o %t
// RUN: %t | FileCheck %s
// RUN: %call_cxx -pthread -O0 %s -o %t
// RUN: %t | FileCheck %s
// RUN: %call_cxx -pthread -O2 %s -o %t
// RUN: %t | FileCheck %s
// RUN: %patch_cxx -pthread -O2 %s -o %t
// RUN: %t | FileCheck %s

#include <future>
#include <thread>

void work(int) {}            // CHECK: spawn [[#@LINE]]
struct Server {
  void serve() {}            // CHECK: spawn [[#@LINE]]
  void operator()() const {} // CHECK: spawn [[#@LINE]]
};

int main() {
  std::thread function(work, 1);
  function.join();
  Server server;
  std::thread member(&Server::serve, &server);
  member.join();
  std::thread object(server);
  object.join();
  std::thread lambda([] {});                   // CHECK: spawn [[#@LINE]]
  lambda.join();
  std::async(std::launch::async, [] {}).get(); // CHECK: spawn [[#@LINE]]
  std::thread nothing;                         // CHECK-NOT: spawn
}
// SITES-DAG: site spawn spawn.cpp:22:6 work(int) |
// SITES-DAG: site spawn spawn.cpp:24:8 Server::serve() |
// SITES-DAG: site spawn spawn.cpp:25:8 Server::operator()() |
// SITES-DAG: site spawn spawn.cpp:36:22 main()::(lambda) |
