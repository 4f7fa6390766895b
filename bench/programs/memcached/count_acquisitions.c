/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Preloaded beside a program, counts the mutex acquisitions that the program's own
 * code makes (calls from its executable, not from libraries): successful locks and
 * tries, and condition waits, which take their mutex again. At exit the number goes
 * to the file that ACQUISITIONS_FILE names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static atomic_ullong acquisitions;
static uintptr_t programBegin, programEnd;

/* The first object that the loader lists is the executable. */
static int findProgram(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
      continue;
    programBegin = info->dlpi_addr + segment->p_vaddr;
    programEnd = programBegin + segment->p_memsz;
  }
  return 1;
}

static int (*realLock)(pthread_mutex_t *);
static int (*realTryLock)(pthread_mutex_t *);
static int (*realWait)(pthread_cond_t *, pthread_mutex_t *);
static int (*realTimedWait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

/* Before main, or earlier still where another library's constructor takes a lock. */
__attribute__((constructor)) static void start(void) {
  if (realLock)
    return;
  dl_iterate_phdr(findProgram, NULL);
  realTryLock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_trylock");
  realWait = (int (*)(pthread_cond_t *, pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_cond_wait");
  realTimedWait = (int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))dlsym(
      RTLD_NEXT, "pthread_cond_timedwait");
  realLock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
}

__attribute__((destructor)) static void finish(void) {
  const char *name = getenv("ACQUISITIONS_FILE");
  FILE *file = name ? fopen(name, "w") : NULL;
  if (!file)
    return;
  fprintf(file, "%llu\n", atomic_load(&acquisitions));
  fclose(file);
}

static int counted(int result, void *caller) {
  if (result == 0 && (uintptr_t)caller - programBegin < programEnd - programBegin)
    atomic_fetch_add_explicit(&acquisitions, 1, memory_order_relaxed);
  return result;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  start();
  return counted(realLock(mutex), __builtin_return_address(0));
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  start();
  return counted(realTryLock(mutex), __builtin_return_address(0));
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  start();
  return counted(realWait(condition, mutex), __builtin_return_address(0));
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *until) {
  start();
  const int result = realTimedWait(condition, mutex, until);
  counted(0, __builtin_return_address(0)); /* the mutex is taken again after a timeout too */
  return result;
}
