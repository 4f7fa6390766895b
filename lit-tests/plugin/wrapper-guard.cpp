// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards of the user's own and functions that hand one out: the line that makes the guard,
// or has the library make it, is the site, and the lock is the one it was given.

// RUN: %xray_cxx -O0 %s -o %t
// RUN: %t | FileCheck %s
// RUN: env TRACE_SITES=1 %t | FileCheck --check-prefix=SITES %s
// RUN: %xray_cxx -O2 %s -o %t
// RUN: %t | FileCheck %s
// RUN: %call_cxx -O0 %s -o %t
// RUN: %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t
// RUN: %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t
// RUN: %t | FileCheck %s

#include <memory>
#include <mutex>
#include <optional>

class Flagged {
public:
  Flagged(std::mutex *given, bool wanted) : mutex(nullptr) {
    if (wanted) {
      mutex = given;
      mutex->lock();
    }
  }
  ~Flagged() {
    if (mutex)
      mutex->unlock();
  }

private:
  std::mutex *mutex;
};
template <class M> class Locker {
public:
  explicit Locker(M &given) : mutex(given) { mutex.lock(); }
  ~Locker() { mutex.unlock(); }

private:
  M &mutex;
};
class Holder {
public:
  explicit Holder(std::mutex &given) : guard(given) {}

private:
  std::lock_guard<std::mutex> guard;
};
struct Scoped {
  explicit Scoped(std::mutex &given) { std::lock_guard<std::mutex> guard(given); }
};
#define GUARDED(m) Locker<std::mutex> macroGuard(m)

struct Db {
  std::mutex m;
  std::unique_lock<std::mutex> kept;
  std::unique_lock<std::mutex> guard() { return std::unique_lock<std::mutex>(m); }
  std::unique_lock<std::mutex> named() {
    std::unique_lock<std::mutex> own(m);
    return own;
  }
  void keep() {
    std::unique_lock<std::mutex> own(m);
    kept = std::move(own);
  }
  void scoped() { std::unique_lock<std::mutex> own(m); }
};

int main() {
  Db db;
  { Flagged guard(&db.m, true); }         // CHECK: attempt [[#@LINE]] db.m #[[#M:]]
                                          // CHECK: acquire [[#@LINE-1]] db.m #[[#M]]
  { Locker<std::mutex> guard(db.m); }     // CHECK: attempt [[#@LINE]] db.m #[[#M]]
                                          // CHECK: acquire [[#@LINE-1]] db.m #[[#M]]
  { Holder guard(db.m); }                 // CHECK: attempt [[#@LINE]] db.m #[[#M]]
                                          // CHECK: acquire [[#@LINE-1]] db.m #[[#M]]
  { GUARDED(db.m); }                      // CHECK: attempt [[#@LINE]] db.m #[[#M]]
                                          // CHECK: acquire [[#@LINE-1]] db.m #[[#M]]
  delete new Locker<std::mutex>(db.m);    // CHECK: attempt [[#@LINE]] db.m #[[#M]]
                                          // CHECK: acquire [[#@LINE-1]] db.m #[[#M]]
  { auto guard = db.guard(); }            // CHECK: attempt [[#@LINE]] db.m #[[#M]]
                                          // CHECK: acquire [[#@LINE-1]] db.m #[[#M]]
  { auto guard = db.named(); }            // CHECK: attempt [[#@LINE]] db.m #[[#M]]
                                          // CHECK: acquire [[#@LINE-1]] db.m #[[#M]]
  db.keep();                              // CHECK: attempt [[#@LINE]] db.m #[[#M]]
  db.kept.unlock();                       // CHECK: acquire [[#@LINE-1]] db.m #[[#M]]
  db.scoped();                            // CHECK-NOT: attempt [[#@LINE]]
  // The library has the lock's address in arguments of its own.
  std::optional<Locker<std::mutex>> kept;
  kept.emplace(db.m);                     // CHECK: attempt [[#@LINE]]{{$}}
  kept.reset();                           // CHECK: acquire [[#@LINE-1]]{{$}}
  kept.emplace(db.m);                     // CHECK: attempt [[#@LINE]]{{$}}
  kept.reset();                           // CHECK: acquire [[#@LINE-1]]{{$}}
  using Kept = std::optional<Locker<std::mutex>>;
  { Kept inPlace(std::in_place, db.m); }  // CHECK: attempt [[#@LINE]]{{$}}
                                          // CHECK: acquire [[#@LINE-1]]{{$}}
  std::make_unique<Holder>(db.m);         // CHECK: attempt [[#@LINE]]{{$}}
                                          // CHECK: acquire [[#@LINE-1]]{{$}}
  std::make_shared<Flagged>(&db.m, true); // CHECK: attempt [[#@LINE]]{{$}}
                                          // CHECK: acquire [[#@LINE-1]]{{$}}
  std::make_unique<Scoped>(db.m);         // CHECK-NOT: attempt [[#@LINE]]
}
// SITES-DAG: main() | db.m | Db::m | std::mutex | wrapper-guard.cpp:60:14 | kind 0 flags 0 ordinal 0
// SITES-DAG: main() | db.m | Db::m | std::mutex | wrapper-guard.cpp:60:14 | kind 0 flags 0 ordinal 7
// SITES-DAG: cpp:95:3 main() | db.m | Db::m | std::mutex | wrapper-guard.cpp:60:14 | kind 0 flags 0 ordinal 8
// SITES-DAG: cpp:97:3 main() | db.m | Db::m | std::mutex | wrapper-guard.cpp:60:14 | kind 0 flags 0 ordinal 9
// SITES-DAG: cpp:100:5 main() | db.m | Db::m | std::mutex | wrapper-guard.cpp:60:14 | kind 0 flags 0 ordinal 10
// SITES-DAG: cpp:102:3 main() | db.m | Db::m | std::mutex | wrapper-guard.cpp:60:14 | kind 0 flags 0 ordinal 11
// SITES-DAG: cpp:104:3 main() | db.m | Db::m | std::mutex | wrapper-guard.cpp:60:14 | kind 0 flags 0 ordinal 12
