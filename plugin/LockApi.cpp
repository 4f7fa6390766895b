// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/LockApi.h"

#include "plugin/GuardLayout.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using llvm::StringRef;

namespace qdadvise {
namespace {

// C.

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
};

struct ThreadStarter {
  StringRef name;
  unsigned routine;
};
constexpr ThreadStarter threadStarters[] = {{"pthread_create", 2}, {"thrd_create", 1}};

// C++ locks.

/// A lock class whose algorithm is known. Other types are LockKind::unknown.
struct LockClass {
  StringRef space, name;
  LockKind kind;
  std::uint32_t flags;
  StringRef word; ///< the type that must come first for the algorithm to be that; or empty
};
constexpr LockClass lockClasses[] = {
    {"std", "mutex", LockKind::pthreadMutex, 0, mutexType},
    {"std", "recursive_mutex", LockKind::pthreadMutex, siteRecursive, mutexType},
    {"std", "timed_mutex", LockKind::pthreadMutex, 0, mutexType},
    {"std", "recursive_timed_mutex", LockKind::pthreadMutex, siteRecursive, mutexType},
    {"std", "shared_mutex", LockKind::pthreadRwlock, 0, rwlockType},
    {"std", "shared_timed_mutex", LockKind::pthreadRwlock, 0, rwlockType},
    {"qdadvise", "spinlock", LockKind::spinlock, 0, ""},
    {"qdadvise", "qd_lock", LockKind::qd, 0, ""},
};

/// The members that make a type BasicLockable, Lockable, TimedLockable or SharedLockable.
struct LockMember {
  StringRef name;
  SiteRole role;
  std::uint32_t flags;
  unsigned parameters;
  bool returnsBool;
};
constexpr LockMember lockMembers[] = {
    {"lock", SiteRole::acquire, 0, 0, false},
    {"try_lock", SiteRole::acquire, siteTry, 0, true},
    {"try_lock_for", SiteRole::acquire, siteTimed, 1, true},
    {"try_lock_until", SiteRole::acquire, siteTimed, 1, true},
    {"unlock", SiteRole::release, 0, 0, false},
    {"lock_shared", SiteRole::acquire, siteShared, 0, false},
    {"try_lock_shared", SiteRole::acquire, siteTry | siteShared, 0, true},
    {"try_lock_shared_for", SiteRole::acquire, siteTimed | siteShared, 1, true},
    {"try_lock_shared_until", SiteRole::acquire, siteTimed | siteShared, 1, true},
    {"unlock_shared", SiteRole::release, siteShared, 0, false},
};

// C++ guards.

struct Guard {
  StringRef name;
  std::uint32_t flags; ///< of what it acquires
};
constexpr Guard guards[] = {
    {"lock_guard", 0}, {"unique_lock", 0}, {"scoped_lock", 0}, {"shared_lock", siteShared}};

/// What a parameter of a guard's constructor says about the lock.
struct GuardTag {
  StringRef name;
  bool acquires;
};
constexpr GuardTag guardTags[] = {
    {"defer_lock_t", false}, {"adopt_lock_t", false}, {"try_to_lock_t", true}};

// Other members of namespace std that wait.

struct BlockingMember {
  StringRef className, member; ///< an empty member: the destructor
  std::uint32_t flags;
};
constexpr BlockingMember blockingMembers[] = {
    {"thread", "join", 0},
    {"jthread", "join", 0},
    {"jthread", "", 0},
    {"latch", "wait", 0},
    {"latch", "arrive_and_wait", 0},
    {"barrier", "wait", 0},
    {"barrier", "arrive_and_wait", 0},
    {"counting_semaphore", "acquire", 0},
    {"counting_semaphore", "try_acquire_for", siteTimed},
    {"counting_semaphore", "try_acquire_until", siteTimed},
};

constexpr StringRef waitMembers[] = {"wait", "wait_for", "wait_until"};

StringRef nameOf(const NamedDecl &decl) {
  const IdentifierInfo *identifier = decl.getIdentifier();
  return identifier ? identifier->getName() : StringRef();
}

template <typename Row, std::size_t size>
const Row *rowNamed(const Row (&table)[size], StringRef name) {
  const Row *row = llvm::find_if(table, [&](const Row &r) { return r.name == name; });
  return row == std::end(table) ? nullptr : row;
}

bool isMemberOfNamespace(const Decl &decl, StringRef space) {
  const DeclContext *context = decl.getDeclContext()->getEnclosingNamespaceContext();
  while (const auto *current = dyn_cast<NamespaceDecl>(context)) {
    if (!current->isInline())
      return current->getParent()->getRedeclContext()->isTranslationUnit() &&
             nameOf(*current) == space && decl.getDeclContext()->isFileContext();
    context = current->getParent();
  }
  return false;
}

const LockClass *lockClassOf(const CXXRecordDecl &record) {
  const LockClass *row = rowNamed(lockClasses, nameOf(record));
  return row && isMemberOfNamespace(record, row->space) ? row : nullptr;
}

/// Does the POSIX lock of that name lie at the very beginning of the lock? Only then
/// is its word where the runtime's reader looks for it. A lock that is built on
/// another lock class is not that lock: it may be free while the other is taken.
bool beginsWith(const CXXRecordDecl &lock, StringRef name) {
  const CXXRecordDecl *record = lock.getDefinition();
  while (record) {
    if (const TypedefNameDecl *alias = record->getTypedefNameForAnonDecl())
      return nameOf(*alias) == name;
    if (record != lock.getDefinition() && lockClassOf(*record))
      return false;
    const CXXRecordDecl *first = nullptr;
    for (const CXXBaseSpecifier &specifier : record->bases()) {
      const CXXRecordDecl *base = specifier.getType()->getAsCXXRecordDecl();
      if (!first && base && base->hasDefinition() && !base->isEmpty())
        first = base->getDefinition();
    }
    if (!first && !record->field_empty())
      first = record->field_begin()->getType()->getAsCXXRecordDecl();
    record = first ? first->getDefinition() : nullptr;
  }
  return false;
}

struct LockTraits {
  LockKind kind = LockKind::unknown;
  std::uint32_t flags = 0;
  std::string name;
};

LockTraits traitsOf(const CXXRecordDecl &lock) {
  LockTraits traits;
  PrintingPolicy policy(lock.getASTContext().getLangOpts());
  policy.SuppressUnwrittenScope = true;
  llvm::raw_string_ostream stream(traits.name);
  lock.getNameForDiagnostic(stream, policy, /*Qualified=*/true);
  const LockClass *row = lockClassOf(lock);
  if (!row)
    return traits;
  traits.flags = row->flags;
  if (row->word.empty() || beginsWith(lock, row->word))
    traits.kind = row->kind;
  return traits;
}

/// Adds the traits of one more lock: where the locks differ, the algorithm is unknown.
void addTraits(LockOperation &operation, const CXXRecordDecl &lock) {
  const LockTraits traits = traitsOf(lock);
  const bool first = operation.lockType.empty();
  operation.kind = first || operation.kind == traits.kind ? traits.kind : LockKind::unknown;
  operation.flags |= traits.flags;
  if (first)
    operation.lockType = traits.name;
  else if (operation.lockType != traits.name)
    operation.lockType += ", " + traits.name;
}

// Guards.

const Guard *guardOf(const CXXRecordDecl &record) {
  const Guard *row = rowNamed(guards, nameOf(record));
  return row && isMemberOfNamespace(record, "std") ? row : nullptr;
}

using LockTypes = llvm::SmallVector<const CXXRecordDecl *, 2>;

/// The classes of the locks that a guard is for.
LockTypes lockTypesOf(const CXXRecordDecl &guard) {
  LockTypes types;
  const auto add = [&](const TemplateArgument &argument) {
    if (argument.getKind() == TemplateArgument::Type)
      if (const CXXRecordDecl *lock = argument.getAsType()->getAsCXXRecordDecl())
        types.push_back(lock);
  };
  const auto *specialization = dyn_cast<ClassTemplateSpecializationDecl>(&guard);
  if (!specialization)
    return types;
  for (const TemplateArgument &argument : specialization->getTemplateArgs().asArray()) {
    if (argument.getKind() == TemplateArgument::Pack)
      llvm::for_each(argument.pack_elements(), add);
    else
      add(argument);
  }
  return types;
}

/// The constructors acquire the locks they are given, unless a tag says otherwise.
std::optional<LockOperation> guardConstructor(const CXXConstructorDecl &constructor,
                                              const GuardLayout &layout, std::size_t lockCount,
                                              LockOperation operation) {
  if (constructor.isCopyOrMoveConstructor() || constructor.getNumParams() < lockCount ||
      lockCount == 0)
    return std::nullopt;
  for (unsigned i = 0; i < lockCount; ++i)
    if (!constructor.getParamDecl(i)->getType()->isLValueReferenceType())
      return std::nullopt; // scoped_lock(adopt_lock, locks...)
  for (unsigned i = 0; i < lockCount; ++i)
    operation.locks.push_back({i + 1, {}, 0}); // argument 0 is the guard
  if (constructor.getNumParams() == lockCount)
    return operation;
  const QualType last = constructor.getParamDecl(constructor.getNumParams() - 1)->getType();
  const CXXRecordDecl *record = last.getNonReferenceType()->getAsCXXRecordDecl();
  const GuardTag *tag = record ? rowNamed(guardTags, nameOf(*record)) : nullptr;
  if ((tag && !tag->acquires) || !layout.ownsOffset)
    return std::nullopt;
  operation.flags |= tag ? siteTry : siteTimed;
  operation.success = Success::ownsField;
  operation.ownsOffset = *layout.ownsOffset;
  return operation;
}

std::optional<LockOperation> guardOperation(const CXXMethodDecl &method,
                                            const CXXRecordDecl &record, const Guard &guard) {
  const LockTypes lockTypes = lockTypesOf(record);
  const std::optional<GuardLayout> layout = guardLayout(record, lockTypes);
  if (!layout || lockTypes.empty())
    return std::nullopt;
  LockOperation operation;
  for (const CXXRecordDecl *lock : lockTypes)
    addTraits(operation, *lock);
  operation.flags |= guard.flags;
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(&method))
    return guardConstructor(*constructor, *layout, lockTypes.size(), operation);

  for (const std::uint64_t offset : layout->lockOffsets)
    operation.locks.push_back({0, {offset}, 0});
  if (isa<CXXDestructorDecl>(method) || method.isMoveAssignmentOperator()) {
    operation.role = SiteRole::release;
    operation.onlyIfOwned = layout->ownsOffset.has_value();
    operation.ownsOffset = layout->ownsOffset.value_or(0);
    if (operation.onlyIfOwned)
      operation.flags |= siteConditional;
    return operation;
  }
  const LockMember *member = rowNamed(lockMembers, nameOf(method));
  if (!member || member->parameters != method.getNumParams())
    return std::nullopt;
  operation.role = member->role;
  operation.flags |= member->flags;
  operation.success = member->returnsBool ? Success::nonZero : Success::always;
  return operation;
}

// Types of the user's own.

const LockMember *lockMemberOf(const CXXMethodDecl &method) {
  const LockMember *row = rowNamed(lockMembers, nameOf(method));
  if (!row || method.isStatic() || method.getAccess() != AS_public ||
      method.getNumParams() != row->parameters || method.isDependentContext())
    return nullptr;
  const QualType result = method.getReturnType();
  return (row->returnsBool ? result->isBooleanType() : result->isVoidType()) ? row : nullptr;
}

bool hasLockMember(const CXXRecordDecl &record, StringRef name) {
  const CXXRecordDecl *definition = record.getDefinition();
  if (!definition)
    return false;
  for (const CXXMethodDecl *method : definition->methods())
    if (nameOf(*method) == name && lockMemberOf(*method))
      return true;
  return llvm::any_of(definition->bases(), [&](const CXXBaseSpecifier &base) {
    const CXXRecordDecl *b = base.getType()->getAsCXXRecordDecl();
    return b && base.getAccessSpecifier() == AS_public && hasLockMember(*b, name);
  });
}

std::optional<LockOperation> lockableOperation(const CXXMethodDecl &method,
                                               const CXXRecordDecl &record) {
  const LockMember *member = lockMemberOf(method);
  if (!member)
    return std::nullopt;
  const bool shared = member->flags & siteShared;
  if (!hasLockMember(record, shared ? "lock_shared" : "lock") ||
      !hasLockMember(record, shared ? "unlock_shared" : "unlock"))
    return std::nullopt;
  LockOperation operation;
  addTraits(operation, record);
  operation.role = member->role;
  operation.flags |= member->flags;
  operation.success = member->returnsBool ? Success::nonZero : Success::always;
  operation.locks.push_back({0, {}, 0});
  return operation;
}

// Where the lock is that an argument names: a lock or a guard.

void addLockArgument(LockOperation &operation, unsigned argument, QualType type) {
  const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record)
    return;
  const Guard *guard = guardOf(*record);
  if (!guard) {
    operation.locks.push_back({argument, {}, 0});
    addTraits(operation, *record);
    return;
  }
  const LockTypes lockTypes = lockTypesOf(*record);
  const std::optional<GuardLayout> layout = guardLayout(*record, lockTypes);
  if (!layout)
    return;
  operation.flags |= guard->flags;
  for (const std::uint64_t offset : layout->lockOffsets)
    operation.locks.push_back({argument, {offset}, 0});
  for (const CXXRecordDecl *lock : lockTypes)
    addTraits(operation, *lock);
}

bool isConditionVariable(const CXXRecordDecl &record) {
  const StringRef name = nameOf(record);
  return (name == "condition_variable" || name == "condition_variable_any") &&
         isMemberOfNamespace(record, "std");
}

bool isStopToken(QualType type) {
  const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && nameOf(*record) == "stop_token";
}

std::optional<LockOperation> waitOperation(const CXXMethodDecl &method) {
  if (!llvm::is_contained(waitMembers, nameOf(method)) || method.getNumParams() == 0 ||
      isPredicateWait(method))
    return std::nullopt;
  LockOperation operation;
  operation.role = SiteRole::wait;
  addLockArgument(operation, 1, method.getParamDecl(0)->getType());
  if (nameOf(method) != "wait")
    operation.flags |= siteTimed;
  return operation.locks.empty() ? std::nullopt : std::optional(operation);
}

std::optional<LockOperation> blockingOperation(const CXXMethodDecl &method,
                                               const CXXRecordDecl &record) {
  const StringRef className = nameOf(record);
  const bool isDestructor = isa<CXXDestructorDecl>(method);
  for (const BlockingMember &row : blockingMembers) {
    if (row.className != className ||
        (row.member.empty() ? !isDestructor : row.member != nameOf(method)))
      continue;
    LockOperation operation;
    operation.role = SiteRole::block;
    operation.flags = row.flags;
    return operation;
  }
  return std::nullopt;
}

std::optional<LockOperation> cOperation(const FunctionDecl &callee) {
  const CFunction *row = rowNamed(cFunctions, nameOf(callee));
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

/// std::lock and std::try_lock.
std::optional<LockOperation> standardFunction(const FunctionDecl &callee) {
  const bool isTry = nameOf(callee) == "try_lock";
  if ((!isTry && nameOf(callee) != "lock") || !isMemberOfNamespace(callee, "std") ||
      callee.isDependentContext())
    return std::nullopt;
  LockOperation operation;
  for (unsigned i = 0; i < callee.getNumParams(); ++i)
    addLockArgument(operation, i, callee.getParamDecl(i)->getType());
  if (isTry) {
    operation.flags |= siteTry;
    operation.success = Success::minusOne;
  }
  return operation.locks.empty() ? std::nullopt : std::optional(operation);
}

} // namespace

bool isStandardGuard(const CXXRecordDecl &record) { return guardOf(record) != nullptr; }

bool isPredicateWait(const FunctionDecl &callee) {
  const auto *method = dyn_cast<CXXMethodDecl>(&callee);
  if (!method || !llvm::is_contained(waitMembers, nameOf(*method)) ||
      !isConditionVariable(*method->getParent()))
    return false;
  const unsigned plain = nameOf(*method) == "wait" ? 1 : 2;
  // With a stop token the loop is the library's own, and the whole call is the wait.
  return method->getNumParams() == plain + 1 && !isStopToken(method->getParamDecl(1)->getType());
}

std::optional<unsigned> startRoutineArgument(const FunctionDecl &callee) {
  const ThreadStarter *row = rowNamed(threadStarters, nameOf(callee));
  if (!row || callee.isStatic() || !callee.isExternC())
    return std::nullopt;
  return row->routine;
}

llvm::ArrayRef<StringRef> standardLockClasses() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> all = {"condition_variable", "condition_variable_any"};
    for (const LockClass &row : lockClasses)
      if (row.space == "std")
        all.push_back(row.name);
    for (const Guard &row : guards)
      all.push_back(row.name);
    for (const BlockingMember &row : blockingMembers)
      if (!llvm::is_contained(all, row.className))
        all.push_back(row.className);
    return all;
  }();
  return names;
}

std::optional<LockOperation> LockApi::lockOperationOf(const FunctionDecl &callee) const {
  const auto *method = dyn_cast<CXXMethodDecl>(&callee);
  if (!method) {
    if (std::optional<LockOperation> operation = cOperation(callee))
      return operation;
    return standardFunction(callee);
  }
  const CXXRecordDecl &record = *method->getParent();
  if (record.isDependentContext() || method->isDependentContext() || method->isDeleted())
    return std::nullopt;
  if (!isMemberOfNamespace(record, "std"))
    return lockableOperation(*method, record);
  if (const Guard *guard = guardOf(record))
    return guardOperation(*method, record, *guard);
  if (isConditionVariable(record))
    return waitOperation(*method);
  if (lockClassOf(record))
    return lockableOperation(*method, record);
  return blockingOperation(*method, record);
}

} // namespace qdadvise
