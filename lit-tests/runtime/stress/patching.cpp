// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a program is changed while eight threads run it: recording is switched on and off ten
// thousand times, while a library comes and goes, the process forks, and signal handlers take
// locks. The program counts right, and so does the recording of its last part.
//
// RUN: %clangxx --config=%cfgdir/profile.cfg -O2 -fPIC -shared -DLIBRARY %s -o %t.so
// RUN: %clangxx --config=%cfgdir/profile.cfg -O2 -I%source/runtime/include \
// RUN:   -DSWITCHES=10000 %s -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:enabled=0 %t %t.so | FileCheck %s --check-prefix=SAYS
// RUN: %python %S/../Inputs/dump.py %t.qdprof | FileCheck %s
// RUN: %clangxx --config=%cfgdir/profile.cfg -O1 -fsanitize=thread -I%source/runtime/include \
// RUN:   -DSWITCHES=500 %s -o %t.tsan
// RUN: env QDADVISE_OPTIONS=profile=%t.other:enabled=0 %t.tsan | FileCheck %s --check-prefix=SAYS
// RUN: %python %S/../Inputs/dump.py %t.other | FileCheck %s
//
// SAYS: right
// CHECK: unmatched 0
// CHECK: lock counted acquisitions 8000
#ifdef LIBRARY
#include <pthread.h>

static pthread_mutex_t inside = PTHREAD_MUTEX_INITIALIZER;
static int calls;

extern "C" void take() {
  pthread_mutex_lock(&inside);
  ++calls;
  pthread_mutex_unlock(&inside);
}
#else
#include "qdadvise/profile.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

std::mutex lock, counted;
pthread_mutex_t ofHandlers = PTHREAD_MUTEX_INITIALIZER;
long sum = 0, sumOfCounted = 0;
std::atomic<bool> ends = false;
std::atomic<long> added = 0;

void onSignal(int) {
  if (pthread_mutex_trylock(&ofHandlers) == 0)
    pthread_mutex_unlock(&ofHandlers);
}

void addUntilEnd() {
  long mine = 0;
  while (!ends) {
    {
      const std::lock_guard guard(lock);
      ++sum;
    }
    ++mine;
    std::unique_lock guard(lock, std::try_to_lock);
    if (!guard)
      continue;
    ++sum;
    ++mine;
  }
  added += mine;
}

void addCounted() {
  for (int i = 0; i < 1000; ++i) {
    const std::lock_guard guard(counted);
    ++sumOfCounted;
  }
}

template <class Work>
void inEightThreads(Work work, void (*meanwhile)(const char *), const char *path) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back(work);
  meanwhile(path);
  for (std::thread &thread : threads)
    thread.join();
}

void forkOnce() {
  const pid_t child = fork();
  if (child == 0) {
    onSignal(0);
    _exit(0);
  }
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    std::abort();
}

void switchOften(const char *library) {
  for (int i = 0; i < SWITCHES; ++i) {
    qdadvise_start();
    if (library && i % 100 == 0) {
      void *const loaded = dlopen(library, RTLD_NOW);
      if (!loaded)
        std::abort();
      qdadvise_stop();
      reinterpret_cast<void (*)()>(dlsym(loaded, "take"))();
      qdadvise_start();
      dlclose(loaded);
    }
    if (library && i % 1000 == 500)
      forkOnce();
    qdadvise_stop();
  }
  ends = true;
}

} // namespace

int main(int count, char **arguments) {
  const char *const library = count == 2 ? arguments[1] : nullptr;
  std::signal(SIGALRM, onSignal);
  const itimerval everyMillisecond{{0, 1000}, {0, 1000}};
  if (library) // handlers of ThreadSanitizer's programs wait
    setitimer(ITIMER_REAL, &everyMillisecond, nullptr);
  inEightThreads(addUntilEnd, switchOften, library);
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  qdadvise_reset();
  qdadvise_start();
  inEightThreads(addCounted, [](const char *) {}, nullptr);
  qdadvise_stop();
  std::puts(sum == added && sumOfCounted == 8000 ? "right" : "wrong");
}
#endif
