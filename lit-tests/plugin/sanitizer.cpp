// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XRay's runtime does not link with a sanitizer's: asking for XRay is an error. Other hooks work.

// RUN: %clangxx %plugin_flag %plugin_arg-instrument -fsanitize=thread -O1 -c %s -o %t.o
// RUN: %clangxx -c %trace -o %t.trace.o
// RUN: %clangxx -fsanitize=thread %t.o %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clangxx %plugin_flag %plugin_arg-instrument -fsanitize=address,undefined -O1 -c %s -o %t.o
// RUN: %clangxx -fsanitize=address,undefined %t.o %t.trace.o -o %t && %t | FileCheck %s
// RUN: not %clangxx %plugin_flag %plugin_arg-instrument %plugin_arg-hooks=xray -fsanitize=thread -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: qdadvise: hooks=xray cannot work here: the runtimes of XRay and of -fsanitize= do not link together; use hooks=call

// The configuration file for XRay is refused in one line, with the one to take instead; that one
// links and records.
// RUN: not %clangxx --config=%cfgdir/profile-xray.cfg -fsanitize=thread %s -o %t 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not="multiple definition"
// RUN: not %clangxx --config=%cfgdir/memory-xray.cfg -fsanitize=undefined %s -o %t 2>&1 | FileCheck %s --check-prefix=MEMORY
// REFUSED: error: qdadvise: this configuration file is for XRay, but the runtimes of XRay and of -fsanitize= do not link together; compile and link with --config=/{{.*}}/profile.cfg
// REFUSED-NEXT: 1 error generated
// MEMORY: compile and link with --config=/{{.*}}/memory.cfg
// RUN: %clangxx --config=%cfgdir/profile.cfg -O1 -fsanitize=thread %s -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t && ls %t.qdprof
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -O1 -fsanitize=thread %s -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t && ls %t.qdprof
// RUN: %clangxx --config=%cfgdir/profile-xray.cfg -fsanitize=undefined -fsanitize-trap=undefined %s -o %t

// CHECK: attempt [[#LINE:]] lock #1
// CHECK-NEXT: acquire [[#LINE]] lock #1
// CHECK-NEXT: release

#include <mutex>

std::mutex lock;

int main() {
  std::lock_guard<std::mutex> guard(lock);
  return 0;
}
