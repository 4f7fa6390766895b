// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes or destroys a lock says so: what is at its address then is another lock.

// RUN: %xray_cxx -O0 %s -pthread -o %t && %t | FileCheck %s
// RUN: %call_cxx -O0 %s -pthread -o %t && %t | FileCheck %s
// RUN: %call_c -O0 -x c %s -pthread -o %t && %t | FileCheck --check-prefix=C %s

#include <pthread.h>

#ifdef __cplusplus
#include <mutex>
int main() {
  for (int i = 0; i < 2; ++i) {
    std::mutex m; // CHECK: retire [[#@LINE]] {{.*}}#[[#M:]]
    m.lock();     // CHECK: acquire [[#@LINE]] m #[[#M]]
    m.unlock();
  } // CHECK: release 18 m #[[#M]]
    // CHECK-NEXT: retire 16 {{.*}}#[[#M]]
}
#else
int main(void) {
  pthread_mutex_t m;
  pthread_rwlock_t rw;
  pthread_mutex_init(&m, 0);   // C: retire [[#@LINE]] {{.*}}#[[#M:]]
  pthread_rwlock_init(&rw, 0); // C-NEXT: retire [[#@LINE]] {{.*}}#[[#R:]]
  pthread_mutex_lock(&m);      // C: acquire [[#@LINE]] m #[[#M]]
  pthread_mutex_unlock(&m);    // C-NEXT: release
  pthread_mutex_destroy(&m);   // C-NEXT: retire [[#@LINE]] {{.*}}#[[#M]]
  pthread_rwlock_destroy(&rw); // C-NEXT: retire [[#@LINE]] {{.*}}#[[#R]]
  return 0;
}
#endif
