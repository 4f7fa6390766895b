// A server that root starts gives up root's rights, and then cannot write where root can. `record`
// writes its profile all the same, and it is root's.
//
// REQUIRES: root
// RUN: rm -rf %t.d && mkdir %t.d && chmod 755 %t.d
// RUN: %clang --config=%cfgdir/profile.cfg -O1 -pthread %s -o %t
// RUN: %qdadvise record -o %t.d/server.qdprof -- %t 2>&1 | FileCheck %s
// RUN: ls -ln %t.d | FileCheck %s --check-prefix=FILES
//
// CHECK-NOT: error
// CHECK: qdadvise: recorded
// CHECK: profile: {{.*}}server.qdprof;
// FILES: {{^}}-{{.*}} 0 0 {{.*}} server.qdprof{{$}}
// FILES-NOT: qdprof

#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  enum { nobody = 65534 };
  if (setgid(nobody) != 0 || setuid(nobody) != 0)
    return 1;
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return 0;
}
