// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/api/StandardLibrary.h"

#include "plugin/api/LockTraits.h"
#include "plugin/api/NamedRequirements.h"
#include "plugin/ast/DeclNames.h"
#include "plugin/ast/GuardLayout.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace clang;
using llvm::StringRef;

namespace qdadvise {
namespace {

struct Guard {
  StringRef name;
  std::uint32_t flags; ///< SiteFlags of the acquisition
};
constexpr Guard guards[] = {
    {"lock_guard", 0}, {"unique_lock", 0}, {"scoped_lock", 0}, {"shared_lock", siteShared}};

/// A parameter of a guard's constructor that says how the lock is taken.
struct GuardTag {
  StringRef name;
  bool acquires;
};
constexpr GuardTag guardTags[] = {
    {"defer_lock_t", false}, {"adopt_lock_t", false}, {"try_to_lock_t", true}};

/// A member of another class of namespace std that waits.
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
    {"barrier", "wait", siteBarrier},
    {"barrier", "arrive_and_wait", siteBarrier},
    {"future", "get", 0},
    {"future", "wait", 0},
    {"future", "wait_for", siteTimed},
    {"future", "wait_until", siteTimed},
    {"shared_future", "get", 0},
    {"shared_future", "wait", 0},
    {"shared_future", "wait_for", siteTimed},
    {"shared_future", "wait_until", siteTimed},
    {"__basic_future", "wait", 0}, // in libstdc++
    {"__basic_future", "wait_for", siteTimed},
    {"__basic_future", "wait_until", siteTimed},
    {"atomic", "wait", 0},
    {"atomic_flag", "wait", 0},
    {"atomic_ref", "wait", 0},
    {"__atomic_base", "wait", 0}, // in libstdc++ and libc++
    {"__atomic_float", "wait", 0},
    {"__atomic_ref", "wait", 0},
    {"counting_semaphore", "acquire", 0},
    {"counting_semaphore", "try_acquire_for", siteTimed},
    {"counting_semaphore", "try_acquire_until", siteTimed},
};

struct BlockingFunction {
  StringRef space, name;
};
constexpr BlockingFunction blockingFunctions[] = {
    {"std::this_thread", "sleep_for"},
    {"std::this_thread", "sleep_until"},
    {"std", "atomic_wait"},
    {"std", "atomic_wait_explicit"},
    {"std", "atomic_flag_wait"},
    {"std", "atomic_flag_wait_explicit"},
};

constexpr StringRef waitMembers[] = {"wait", "wait_for", "wait_until"};

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

/// Adds the locks of an argument, which is a lock or a guard.
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
  if (nameOf(*method.getParent()) == "condition_variable_any")
    operation.flags |= siteAnyLock;
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
    return LockOperation{.role = SiteRole::block, .flags = row.flags};
  }
  return std::nullopt;
}

/// std::lock, std::try_lock, std::this_thread::sleep_for and the like.
std::optional<LockOperation> standardFunction(const FunctionDecl &callee) {
  const BlockingFunction *blocking = rowNamed(blockingFunctions, nameOf(callee));
  if (blocking && isMemberOfNamespace(callee, blocking->space))
    return LockOperation{.role = SiteRole::block};
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

llvm::SmallVector<StringRef, 4> standardGuards() {
  return llvm::map_to_vector<4>(guards, [](const Guard &row) { return row.name; });
}

bool isPredicateWait(const FunctionDecl &callee) {
  const auto *method = dyn_cast<CXXMethodDecl>(&callee);
  if (!method || !llvm::is_contained(waitMembers, nameOf(*method)) ||
      !isConditionVariable(*method->getParent()))
    return false;
  const unsigned plain = nameOf(*method) == "wait" ? 1 : 2;
  // With a stop token the loop is the library's own, and the whole call is the wait.
  return method->getNumParams() == plain + 1 && !isStopToken(method->getParamDecl(1)->getType());
}

llvm::ArrayRef<StringRef> standardLockClasses() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> all = {"condition_variable", "condition_variable_any"};
    llvm::append_range(all, knownStandardLocks());
    llvm::append_range(all, standardGuards());
    for (const BlockingMember &row : blockingMembers)
      if (!llvm::is_contained(all, row.className))
        all.push_back(row.className);
    return all;
  }();
  return names;
}

std::optional<LockOperation> standardOperation(const FunctionDecl &callee) {
  const auto *method = dyn_cast<CXXMethodDecl>(&callee);
  if (!method)
    return standardFunction(callee);
  const CXXRecordDecl &record = *method->getParent();
  if (!isMemberOfNamespace(record, "std"))
    return std::nullopt;
  if (const Guard *guard = guardOf(record))
    return guardOperation(*method, record, *guard);
  if (isConditionVariable(record))
    return waitOperation(*method);
  if (isKnownLockClass(record))
    return lockableOperation(*method);
  return blockingOperation(*method, record);
}

} // namespace qdadvise
