// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/api/CFunctions.h"

#include "plugin/api/LockTraits.h"
#include "plugin/ast/DeclNames.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using llvm::StringRef;

namespace qdadvise {
namespace {

struct CFunction {
  StringRef name;
  SiteRole role;
  LockKind kind;
  std::uint32_t flags;
  unsigned argument; ///< which one is the lock; of no meaning where the role is block
  StringRef lockType;
};

using enum SiteRole;
using enum LockKind;

constexpr StringRef mutexType = "pthread_mutex_t", spinType = "pthread_spinlock_t",
                    rwlockType = "pthread_rwlock_t", c11Type = "mtx_t";

// Every acquisition returns 0 for success. The C11 mutex of the GNU library is its
// POSIX mutex under another name.
constexpr CFunction cFunctions[] = {
    {"pthread_mutex_lock", acquire, pthreadMutex, 0, 0, mutexType},
    {"pthread_mutex_trylock", acquire, pthreadMutex, siteTry, 0, mutexType},
    {"pthread_mutex_timedlock", acquire, pthreadMutex, siteTimed, 0, mutexType},
    {"pthread_mutex_clocklock", acquire, pthreadMutex, siteTimed, 0, mutexType},
    {"pthread_mutex_unlock", release, pthreadMutex, 0, 0, mutexType},
    {"pthread_spin_lock", acquire, pthreadSpin, 0, 0, spinType},
    {"pthread_spin_trylock", acquire, pthreadSpin, siteTry, 0, spinType},
    {"pthread_spin_unlock", release, pthreadSpin, 0, 0, spinType},
    {"pthread_rwlock_wrlock", acquire, pthreadRwlock, 0, 0, rwlockType},
    {"pthread_rwlock_trywrlock", acquire, pthreadRwlock, siteTry, 0, rwlockType},
    {"pthread_rwlock_timedwrlock", acquire, pthreadRwlock, siteTimed, 0, rwlockType},
    {"pthread_rwlock_clockwrlock", acquire, pthreadRwlock, siteTimed, 0, rwlockType},
    {"pthread_rwlock_rdlock", acquire, pthreadRwlock, siteShared, 0, rwlockType},
    {"pthread_rwlock_tryrdlock", acquire, pthreadRwlock, siteTry | siteShared, 0, rwlockType},
    {"pthread_rwlock_timedrdlock", acquire, pthreadRwlock, siteTimed | siteShared, 0, rwlockType},
    {"pthread_rwlock_clockrdlock", acquire, pthreadRwlock, siteTimed | siteShared, 0, rwlockType},
    {"pthread_rwlock_unlock", release, pthreadRwlock, 0, 0, rwlockType},
    {"pthread_cond_wait", wait, pthreadMutex, 0, 1, mutexType},
    {"pthread_cond_timedwait", wait, pthreadMutex, siteTimed, 1, mutexType},
    {"pthread_cond_clockwait", wait, pthreadMutex, siteTimed, 1, mutexType},
    {"pthread_barrier_wait", block, unknown, siteBarrier, 0, ""},
    {"pthread_join", block, unknown, 0, 0, ""},
    {"pthread_tryjoin_np", block, unknown, siteTry, 0, ""},
    {"pthread_timedjoin_np", block, unknown, siteTimed, 0, ""},
    {"pthread_clockjoin_np", block, unknown, siteTimed, 0, ""},
    {"sem_wait", block, unknown, 0, 0, ""},
    {"sem_timedwait", block, unknown, siteTimed, 0, ""},
    {"sem_clockwait", block, unknown, siteTimed, 0, ""},
    {"mtx_lock", acquire, pthreadMutex, 0, 0, c11Type},
    {"mtx_trylock", acquire, pthreadMutex, siteTry, 0, c11Type},
    {"mtx_timedlock", acquire, pthreadMutex, siteTimed, 0, c11Type},
    {"mtx_unlock", release, pthreadMutex, 0, 0, c11Type},
    {"cnd_wait", wait, pthreadMutex, 0, 1, c11Type},
    {"cnd_timedwait", wait, pthreadMutex, siteTimed, 1, c11Type},
    {"thrd_join", block, unknown, 0, 0, ""},
    {"pthread_mutex_init", lifetime, pthreadMutex, 0, 0, mutexType},
    {"pthread_mutex_destroy", lifetime, pthreadMutex, 0, 0, mutexType},
    {"pthread_spin_init", lifetime, pthreadSpin, 0, 0, spinType},
    {"pthread_spin_destroy", lifetime, pthreadSpin, 0, 0, spinType},
    {"pthread_rwlock_init", lifetime, pthreadRwlock, 0, 0, rwlockType},
    {"pthread_rwlock_destroy", lifetime, pthreadRwlock, 0, 0, rwlockType},
    {"mtx_init", lifetime, pthreadMutex, 0, 0, c11Type},
    {"mtx_destroy", lifetime, pthreadMutex, 0, 0, c11Type},
};

/// In these functions a thread sleeps, or waits for a process, a signal, a message or a descriptor.
/// A program may well have a function of such a name, so only the system's own count.
constexpr StringRef outsideWaits[] = {
    "sleep",      "usleep",  "nanosleep",   "clock_nanosleep", "thrd_sleep",   "pause",
    "sigsuspend", "sigwait", "sigwaitinfo", "sigtimedwait",    "poll",         "ppoll",
    "select",     "pselect", "epoll_wait",  "epoll_pwait",     "epoll_pwait2", "wait",
    "wait3",      "wait4",   "waitpid",     "waitid",          "io_getevents", "msgrcv",
    "mq_receive", "semop",   "semtimedop",
};

struct ThreadStarter {
  StringRef name;
  unsigned routine;
};
constexpr ThreadStarter threadStarters[] = {{"pthread_create", 2}, {"thrd_create", 1}};

} // namespace

bool isOutsideWait(StringRef name) { return llvm::is_contained(outsideWaits, name); }

std::optional<LockOperation> cOperation(const FunctionDecl &callee) {
  const StringRef name = nameOf(callee);
  if (isOutsideWait(name)) {
    const SourceManager &sources = callee.getASTContext().getSourceManager();
    if (callee.isStatic() || !callee.isExternC() || !sources.isInSystemHeader(callee.getLocation()))
      return std::nullopt;
    return LockOperation{.role = SiteRole::block};
  }
  const CFunction *row = rowNamed(cFunctions, name);
  if (!row || callee.isStatic() || !callee.isExternC())
    return std::nullopt;
  LockOperation operation;
  operation.role = row->role;
  operation.kind = row->kind;
  operation.flags = row->flags;
  operation.lockType = row->lockType.str();
  operation.success = row->role == SiteRole::acquire ? Success::zero : Success::always;
  if (row->role != SiteRole::block) {
    if (callee.getNumParams() <= row->argument)
      return std::nullopt;
    operation.locks.push_back({row->argument, {}, 0});
  }
  return operation;
}

std::optional<unsigned> startRoutineArgument(const FunctionDecl &callee) {
  const ThreadStarter *row = rowNamed(threadStarters, nameOf(callee));
  if (!row || callee.isStatic() || !callee.isExternC())
    return std::nullopt;
  return row->routine;
}

} // namespace qdadvise
