// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands in the way of delegating a section, and what an atomic would do, is said
// where the source shows it, beside the advice for its lock.
//
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %clangxx -std=c++20 %plugin_flag %plugin_arg-advice=advice.toml -Xclang -verify \
// RUN:   -fsyntax-only input.cpp
// RUN: sed 's/"qd"/"spinlock"/' advice.toml > spin.toml
// RUN: %clangxx -std=c++20 %plugin_flag %plugin_arg-advice=spin.toml -Xclang -verify=spin \
// RUN:   -fsyntax-only input.cpp

//--- input.cpp
#include <condition_variable>
#include <mutex>

std::mutex m, n;
std::condition_variable ready;
thread_local int mine;
int shared, other;
void act();

int get(bool quick) {
  std::unique_lock guard(m); // expected-warning {{lock 'm'}} spin-warning {{lock 'm'}}
  if (quick)
    return 0; // expected-note {{this section cannot be delegated as it stands: 'return' leaves it}}
  act();
  return shared;
}

void loop(int times) {
  for (int i = 0; i < times; ++i) {
    m.lock(); // expected-warning {{lock 'm'}} spin-warning {{lock 'm'}}
    if (i == shared) {
      m.unlock();
      break; // expected-note {{cannot be delegated as it stands: 'break' leaves it}}
    }
    other = mine;              // expected-note {{cannot be delegated as it stands: this is thread-local}}
    std::lock_guard inner(n);  // expected-note {{cannot be delegated as it stands: it takes another lock here}}
    m.unlock();
  }
}

void sleep() {
  std::unique_lock guard(m); // expected-warning {{lock 'm'}} spin-warning {{lock 'm'}}
  act();
  ready.wait(guard); // expected-note {{cannot be delegated as it stands: it waits here}}
}

void count() {
  std::lock_guard guard(m); // expected-warning {{lock 'm'}} spin-warning {{lock 'm'}}
  ++shared; // expected-note {{this section is one integer update: an atomic would do}} spin-note {{this section is one integer update: an atomic would do}}
}

void plain() {
  std::lock_guard guard(m); // expected-warning {{lock 'm'}} spin-warning {{lock 'm'}}
  act();
}
//--- advice.toml
threads = 16
[[advice]]
lock = "m"
today = "pthread_mutex"
advised = "qd"
label = "other lock"
speedup = 2.0
site = { file = "input.cpp", function = "get(bool)", expression = "m" }
[[advice]]
lock = "m"
today = "pthread_mutex"
advised = "qd"
label = "other lock"
speedup = 2.0
site = { file = "input.cpp", function = "loop(int)", expression = "m" }
[[advice]]
lock = "m"
today = "pthread_mutex"
advised = "qd"
label = "other lock"
speedup = 2.0
site = { file = "input.cpp", function = "sleep()", expression = "m" }
[[advice]]
lock = "m"
today = "pthread_mutex"
advised = "qd"
label = "other lock"
speedup = 2.0
site = { file = "input.cpp", function = "count()", expression = "m" }
[[advice]]
lock = "m"
today = "pthread_mutex"
advised = "qd"
label = "other lock"
speedup = 2.0
site = { file = "input.cpp", function = "plain()", expression = "m" }
