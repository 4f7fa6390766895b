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

constexpr StringRef mutexType = "pthread_mutex_t", spinType = "pthread_spinlock_t",
                    rwlockType = "pthread_rwlock_t", c11Type = "mtx_t";

// Every acquisition returns 0 for success. The C11 mutex of the GNU library is its
// POSIX mutex under another name.
constexpr CFunction cFunctions[] = {
    {"pthread_mutex_lock", SiteRole::acquire, LockKind::pthreadMutex, 0, 0, mutexType},
    {"pthread_mutex_trylock", SiteRole::acquire, LockKind::pthreadMutex, siteTry, 0, mutexType},
    {"pthread_mutex_timedlock", SiteRole::acquire, LockKind::pthreadMutex, siteTimed, 0, mutexType},
    {"pthread_mutex_clocklock", SiteRole::acquire, LockKind::pthreadMutex, siteTimed, 0, mutexType},
    {"pthread_mutex_unlock", SiteRole::release, LockKind::pthreadMutex, 0, 0, mutexType},
    {"pthread_spin_lock", SiteRole::acquire, LockKind::pthreadSpin, 0, 0, spinType},
    {"pthread_spin_trylock", SiteRole::acquire, LockKind::pthreadSpin, siteTry, 0, spinType},
    {"pthread_spin_unlock", SiteRole::release, LockKind::pthreadSpin, 0, 0, spinType},
    {"pthread_rwlock_wrlock", SiteRole::acquire, LockKind::pthreadRwlock, 0, 0, rwlockType},
    {"pthread_rwlock_trywrlock", SiteRole::acquire, LockKind::pthreadRwlock, siteTry, 0,
     rwlockType},
    {"pthread_rwlock_timedwrlock", SiteRole::acquire, LockKind::pthreadRwlock, siteTimed, 0,
     rwlockType},
    {"pthread_rwlock_clockwrlock", SiteRole::acquire, LockKind::pthreadRwlock, siteTimed, 0,
     rwlockType},
    {"pthread_rwlock_rdlock", SiteRole::acquire, LockKind::pthreadRwlock, siteShared, 0,
     rwlockType},
    {"pthread_rwlock_tryrdlock", SiteRole::acquire, LockKind::pthreadRwlock, siteTry | siteShared,
     0, rwlockType},
    {"pthread_rwlock_timedrdlock", SiteRole::acquire, LockKind::pthreadRwlock,
     siteTimed | siteShared, 0, rwlockType},
    {"pthread_rwlock_clockrdlock", SiteRole::acquire, LockKind::pthreadRwlock,
     siteTimed | siteShared, 0, rwlockType},
    {"pthread_rwlock_unlock", SiteRole::release, LockKind::pthreadRwlock, 0, 0, rwlockType},
    {"pthread_cond_wait", SiteRole::wait, LockKind::pthreadMutex, 0, 1, mutexType},
    {"pthread_cond_timedwait", SiteRole::wait, LockKind::pthreadMutex, siteTimed, 1, mutexType},
    {"pthread_cond_clockwait", SiteRole::wait, LockKind::pthreadMutex, siteTimed, 1, mutexType},
    {"pthread_barrier_wait", SiteRole::block, LockKind::unknown, 0, 0, ""},
    {"pthread_join", SiteRole::block, LockKind::unknown, 0, 0, ""},
    {"pthread_tryjoin_np", SiteRole::block, LockKind::unknown, siteTry, 0, ""},
    {"pthread_timedjoin_np", SiteRole::block, LockKind::unknown, siteTimed, 0, ""},
    {"pthread_clockjoin_np", SiteRole::block, LockKind::unknown, siteTimed, 0, ""},
    {"sem_wait", SiteRole::block, LockKind::unknown, 0, 0, ""},
    {"sem_timedwait", SiteRole::block, LockKind::unknown, siteTimed, 0, ""},
    {"sem_clockwait", SiteRole::block, LockKind::unknown, siteTimed, 0, ""},
    {"mtx_lock", SiteRole::acquire, LockKind::pthreadMutex, 0, 0, c11Type},
    {"mtx_trylock", SiteRole::acquire, LockKind::pthreadMutex, siteTry, 0, c11Type},
    {"mtx_timedlock", SiteRole::acquire, LockKind::pthreadMutex, siteTimed, 0, c11Type},
    {"mtx_unlock", SiteRole::release, LockKind::pthreadMutex, 0, 0, c11Type},
    {"cnd_wait", SiteRole::wait, LockKind::pthreadMutex, 0, 1, c11Type},
    {"cnd_timedwait", SiteRole::wait, LockKind::pthreadMutex, siteTimed, 1, c11Type},
    {"thrd_join", SiteRole::block, LockKind::unknown, 0, 0, ""},
    {"pthread_mutex_init", SiteRole::lifetime, LockKind::pthreadMutex, 0, 0, mutexType},
    {"pthread_mutex_destroy", SiteRole::lifetime, LockKind::pthreadMutex, 0, 0, mutexType},
    {"pthread_spin_init", SiteRole::lifetime, LockKind::pthreadSpin, 0, 0, spinType},
    {"pthread_spin_destroy", SiteRole::lifetime, LockKind::pthreadSpin, 0, 0, spinType},
    {"pthread_rwlock_init", SiteRole::lifetime, LockKind::pthreadRwlock, 0, 0, rwlockType},
    {"pthread_rwlock_destroy", SiteRole::lifetime, LockKind::pthreadRwlock, 0, 0, rwlockType},
    {"mtx_init", SiteRole::lifetime, LockKind::pthreadMutex, 0, 0, c11Type},
    {"mtx_destroy", SiteRole::lifetime, LockKind::pthreadMutex, 0, 0, c11Type},
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
  LockOperation operation;
  if (isOutsideWait(name)) {
    const SourceManager &sources = callee.getASTContext().getSourceManager();
    if (callee.isStatic() || !callee.isExternC() || !sources.isInSystemHeader(callee.getLocation()))
      return std::nullopt;
    operation.role = SiteRole::block;
    return operation;
  }
  const CFunction *row = rowNamed(cFunctions, name);
  if (!row || callee.isStatic() || !callee.isExternC())
    return std::nullopt;
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
