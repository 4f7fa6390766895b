/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Preloaded beside a program, counts the lock acquisitions that the program's own
 * code makes, independently of the plugin and the runtime: calls that come from a
 * module (executable or shared library) in the folder that COUNT_IN names. At exit
 * "<operation> <number>" lines go to the file COUNT_TO, with the process's id after it.
 *
 * Counted are what design calls acquisitions: successful locks and tries, and
 * condition waits, which take their mutex again, whatever they return. Not counted:
 * failed tries, and an owner's re-entries into a recursive mutex; these have lines of
 * their own. The time that counting takes does not matter here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum Operation { mutexTaken, rwlockTaken, spinTaken, waited, reentered, failed, operationCount };
static const char *const operationNames[operationCount] = {"mutex", "rwlock",    "spin",
                                                           "wait",  "reentered", "failed"};
static atomic_ullong counts[operationCount];

enum { maxModules = 64 };
static struct {
  uintptr_t begin, end;
} modules[maxModules];
static unsigned moduleCount;

static int noteModule(struct dl_phdr_info *info, size_t size, void *folder) {
  (void)size;
  char path[4096];
  const char *name = info->dlpi_name;
  if (name[0] == '\0') { /* the executable, or the kernel's vdso, which has no code of ours */
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
  } else if (!realpath(name, path)) {
    return 0;
  }
  if (strncmp(path, folder, strlen(folder)) != 0)
    return 0;
  for (int i = 0; i < info->dlpi_phnum && moduleCount < maxModules; ++i) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
      continue;
    modules[moduleCount].begin = info->dlpi_addr + segment->p_vaddr;
    modules[moduleCount].end = modules[moduleCount].begin + segment->p_memsz;
    ++moduleCount;
  }
  return 0;
}

static int fromProgram(const void *caller) {
  for (unsigned i = 0; i < moduleCount; ++i)
    if ((uintptr_t)caller >= modules[i].begin && (uintptr_t)caller < modules[i].end)
      return 1;
  return 0;
}

static void count(enum Operation operation, const void *caller) {
  if (fromProgram(caller))
    atomic_fetch_add_explicit(&counts[operation], 1, memory_order_relaxed);
}

__attribute__((constructor)) static void start(void) {
  char *folder = getenv("COUNT_IN");
  if (folder)
    dl_iterate_phdr(noteModule, folder);
}

__attribute__((destructor)) static void finish(void) {
  const char *name = getenv("COUNT_TO");
  char path[4096];
  if (!name || snprintf(path, sizeof path, "%s.%d", name, (int)getpid()) >= (int)sizeof path)
    return;
  FILE *file = fopen(path, "w");
  if (!file)
    return;
  for (int i = 0; i < operationCount; ++i)
    fprintf(file, "%s %llu\n", operationNames[i], atomic_load(&counts[i]));
  fclose(file);
}

/* The function that this one stands before; looked up once. */
#define REAL(name)                                                                                 \
  static __typeof__(&name) real;                                                                   \
  if (!real)                                                                                       \
  real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int tookMutex(pthread_mutex_t *mutex, int result, const void *caller) {
  if (result != 0)
    count(failed, caller);
  else if ((mutex->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE && mutex->__data.__count > 1)
    count(reentered, caller);
  else
    count(mutexTaken, caller);
  return result;
}

static int took(enum Operation operation, int result, const void *caller) {
  count(result == 0 ? operation : failed, caller);
  return result;
}

#define MUTEX(name, parameters, arguments)                                                         \
  int name parameters {                                                                            \
    REAL(name);                                                                                    \
    return tookMutex(lock, real arguments, __builtin_return_address(0));                           \
  }
#define LOCK(name, operation, parameters, arguments)                                               \
  int name parameters {                                                                            \
    REAL(name);                                                                                    \
    return took(operation, real arguments, __builtin_return_address(0));                           \
  }
#define WAIT(name, parameters, arguments)                                                          \
  int name parameters {                                                                            \
    REAL(name);                                                                                    \
    const int result = real arguments;                                                             \
    count(waited, __builtin_return_address(0));                                                    \
    return result;                                                                                 \
  }

MUTEX(pthread_mutex_lock, (pthread_mutex_t * lock), (lock))
MUTEX(pthread_mutex_trylock, (pthread_mutex_t * lock), (lock))
MUTEX(pthread_mutex_timedlock, (pthread_mutex_t * lock, const struct timespec *until),
      (lock, until))
MUTEX(pthread_mutex_clocklock,
      (pthread_mutex_t * lock, clockid_t clock, const struct timespec *until), (lock, clock, until))

LOCK(pthread_rwlock_rdlock, rwlockTaken, (pthread_rwlock_t * lock), (lock))
LOCK(pthread_rwlock_wrlock, rwlockTaken, (pthread_rwlock_t * lock), (lock))
LOCK(pthread_rwlock_tryrdlock, rwlockTaken, (pthread_rwlock_t * lock), (lock))
LOCK(pthread_rwlock_trywrlock, rwlockTaken, (pthread_rwlock_t * lock), (lock))
LOCK(pthread_rwlock_timedrdlock, rwlockTaken,
     (pthread_rwlock_t * lock, const struct timespec *until), (lock, until))
LOCK(pthread_rwlock_timedwrlock, rwlockTaken,
     (pthread_rwlock_t * lock, const struct timespec *until), (lock, until))
LOCK(pthread_rwlock_clockrdlock, rwlockTaken,
     (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until), (lock, clock, until))
LOCK(pthread_rwlock_clockwrlock, rwlockTaken,
     (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until), (lock, clock, until))

LOCK(pthread_spin_lock, spinTaken, (pthread_spinlock_t * lock), (lock))
LOCK(pthread_spin_trylock, spinTaken, (pthread_spinlock_t * lock), (lock))

WAIT(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *lock), (condition, lock))
WAIT(pthread_cond_timedwait,
     (pthread_cond_t * condition, pthread_mutex_t *lock, const struct timespec *until),
     (condition, lock, until))
WAIT(pthread_cond_clockwait,
     (pthread_cond_t * condition, pthread_mutex_t *lock, clockid_t clock,
      const struct timespec *until),
     (condition, lock, clock, until))

/* std::condition_variable::wait(unique_lock<mutex> &) calls pthread_cond_wait from
 * libstdc++, so it is counted where the program calls it. */
void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *condition, void *lock) {
  REAL(_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE);
  real(condition, lock);
  count(waited, __builtin_return_address(0));
}
