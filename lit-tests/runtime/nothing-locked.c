// Programs that lock nothing and were not asked for a profile leave none: configure scripts try
// hundreds of them.
//
// REQUIRES: llvm-free-tests
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env -u QDADVISE_OPTIONS %t && ls -A %t.d | count 0
// RUN: env -u QDADVISE_OPTIONS not %t at-once && ls -A %t.d | count 0
// RUN: env QDADVISE_OPTIONS=profile=asked.qdprof %t && ls asked.qdprof
// RUN: rm asked.qdprof && env -u QDADVISE_OPTIONS %t lock && ls qdadvise.*.qdprof
#include "sites.h"
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)

int main(int count, char **arguments) {
  if (count > 1 && arguments[1][0] == 'a')
    _exit(5);
  if (count > 1) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
  }
  return 0;
}
