// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: does-not-compile: the changed program has an error or a warning that it has not today ({{.*}}for a file
// CHECK: 0 changed

#include <mutex>
#include <type_traits>

struct Held {
  std::mutex lock;
  void take() { std::lock_guard<std::mutex> guard(lock); }
};
static_assert(sizeof(Held) == sizeof(std::mutex), "for a file");
static_assert(sizeof(Held) == 40, "for a file");
