// A program that forks leaves a profile per process; `record -o` makes one of them.
//
// RUN: %clang --config=%cfgdir/profile.cfg -O1 -pthread %s -o %t
// RUN: rm -f %t.qdprof*
// RUN: %qdadvise record -o %t.qdprof -- %t 2> %t.err
// RUN: FileCheck %s --check-prefix=RECORD < %t.err
// RUN: ls %t.qdprof* | FileCheck %s --check-prefix=FILES
// RUN: %qdadvise report --format json %t.qdprof | FileCheck %s --check-prefix=JSON
//
// RECORD: qdadvise: note: 2 processes were recorded and merged
// FILES: record-processes.c.tmp.qdprof{{$}}
// FILES-NOT: qdprof
// JSON: "name": "lock"
// JSON: "acquisitions": 30

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter;

static void run(int times) {
  for (int i = 0; i < times; ++i) {
    pthread_mutex_lock(&lock);
    counter = counter + 1;
    pthread_mutex_unlock(&lock);
  }
}

int main(void) {
  run(10);
  const pid_t child = fork();
  if (child == 0) {
    run(20);
    return 0;
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}
