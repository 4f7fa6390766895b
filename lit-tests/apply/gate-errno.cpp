// RUN: %rewrite --refused --kind qd %s | FileCheck %s
// CHECK: errno: a section does input or output, which may set errno
// CHECK: second
// CHECK: errno: {{.*}}(the function looks at it)
// CHECK: 0 changed

#include <cerrno>
#include <cstdlib>
#include <mutex>

std::mutex lock;
int value;
#include <cstdio>
void take() {
  std::lock_guard<std::mutex> guard(lock);
  std::puts("");
}
std::mutex second;
bool read(const char *text) {
  {
    std::lock_guard<std::mutex> guard(second);
    value = static_cast<int>(std::strtol(text, nullptr, 10));
  }
  return errno == 0;
}
