// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See sandbox.h. Stands before the two functions of libc by which filters are set; libseccomp calls
// the second. Both do what libc's do.
#include "runtime/hooks/sandbox.h"

#include "runtime/hooks/first_copy.h"

#include <cerrno>
#include <cstdarg>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace qdadvise::runtime {

namespace {
bool sandboxed = false;
} // namespace

bool isSandboxed() { return __atomic_load_n(&sandboxed, __ATOMIC_RELAXED); }

void noteSandbox() {
  if (const RuntimeEntries *const first = firstCopy()) {
    if (first->noteSandbox)
      first->noteSandbox();
    return;
  }
  __atomic_store_n(&sandboxed, true, __ATOMIC_RELAXED);
}

namespace {

struct Call {
  long number, arguments[6];
};

/// What a system call returns, its error as a negative number.
long ask(const Call &call) {
#if defined(__x86_64__)
  long result = call.number;
  register long fourth __asm__("r10") = call.arguments[3];
  register long fifth __asm__("r8") = call.arguments[4];
  register long sixth __asm__("r9") = call.arguments[5];
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(call.arguments[0]), "S"(call.arguments[1]), "d"(call.arguments[2]),
                     "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
#else // AArch64
  register long number __asm__("x8") = call.number;
  register long first __asm__("x0") = call.arguments[0];
  register long second __asm__("x1") = call.arguments[1];
  register long third __asm__("x2") = call.arguments[2];
  register long fourth __asm__("x3") = call.arguments[3];
  register long fifth __asm__("x4") = call.arguments[4];
  register long sixth __asm__("x5") = call.arguments[5];
  __asm__ volatile("svc 0"
                   : "+r"(first)
                   : "r"(number), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "memory");
  return first;
#endif
}

bool forbids(const Call &call) {
  const long what = call.arguments[0];
  return (call.number == SYS_prctl && what == PR_SET_SECCOMP) ||
         (call.number == SYS_seccomp &&
          (what == SECCOMP_SET_MODE_STRICT || what == SECCOMP_SET_MODE_FILTER));
}

/// As a function of libc returns it.
long answer(const Call &call) {
  constexpr long mostErrors = 4095;
  const long result = ask(call);
  if (result < 0 && result >= -mostErrors) {
    errno = static_cast<int>(-result);
    return -1;
  }
  if (forbids(call))
    noteSandbox();
  return result;
}

} // namespace

} // namespace qdadvise::runtime

using namespace qdadvise::runtime;

// Arguments that the caller has not given are read, and mean nothing.

extern "C" __attribute__((visibility("default"))) int prctl(int option, ...) noexcept {
  Call call{SYS_prctl, {option}};
  va_list more;
  va_start(more, option);
  for (int i = 1; i < 5; ++i)
    call.arguments[i] = va_arg(more, long);
  va_end(more);
  return static_cast<int>(answer(call));
}

extern "C" __attribute__((visibility("default"))) long syscall(long number, ...) noexcept {
  Call call{number, {}};
  va_list more;
  va_start(more, number);
  for (long &argument : call.arguments)
    argument = va_arg(more, long);
  va_end(more);
  return answer(call);
}
