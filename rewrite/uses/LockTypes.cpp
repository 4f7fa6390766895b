// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/uses/LockTypes.h"

#include "plugin/ast/DeclNames.h"
#include "rewrite/uses/Locations.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Index/USRGeneration.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"

using namespace clang;

namespace qdadvise {
namespace {

struct StandardLock {
  llvm::StringRef name;
  std::optional<Gate> gate;
};
constexpr StandardLock standardLocks[] = {
    {"mutex", std::nullopt},
    {"shared_mutex", std::nullopt},
    {"recursive_mutex", Gate::recursion},
    {"recursive_timed_mutex", Gate::recursion},
    {"timed_mutex", Gate::timedOperation},
    {"shared_timed_mutex", Gate::timedOperation},
};

LockType lockClass(const CXXRecordDecl &record) {
  const llvm::StringRef name = nameOf(record);
  if (isInStandardLibrary(record)) {
    const auto row =
        llvm::find_if(standardLocks, [&](const StandardLock &lock) { return lock.name == name; });
    if (row != std::end(standardLocks))
      return {LockFamily::classes, "std::" + name.str(), row->gate};
  }
  llvm::StringRef ours = name;
  if (isMemberOfNamespace(record, "qdadvise") && ours.consume_front("basic_") &&
      isa<ClassTemplateSpecializationDecl>(record) &&
      (ours.ends_with("_lock") || ours == "spinlock"))
    return {LockFamily::classes, "qdadvise::" + ours.str(), std::nullopt};
  return {};
}

LockType lockByName(llvm::StringRef name) {
  if (name == "pthread_mutex_t")
    return {LockFamily::mutex, name.str(), std::nullopt};
  if (name == "pthread_rwlock_t")
    return {LockFamily::rwlock, name.str(), std::nullopt};
  for (const llvm::StringRef ours : {"spinlock", "ticket", "mcs", "clh", "qd", "mrqd"})
    if (name == ("qdadvise_" + ours).str())
      return {LockFamily::oursInC, name.str(), std::nullopt};
  return {};
}

} // namespace

LockType lockTypeOf(QualType type, const ASTContext &context) {
  while (const ArrayType *array = context.getAsArrayType(type))
    type = array->getElementType();
  QualType named = type;
  while (const auto *alias = named->getAs<TypedefType>()) {
    if (LockType found = lockByName(nameOf(*alias->getDecl())); found.family != LockFamily::other)
      return found;
    named = alias->desugar();
  }
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record ? lockClass(*record) : LockType();
}

std::string keyOf(const ValueDecl &lock) {
  const Decl &first = *lock.getCanonicalDecl();
  const ASTContext &context = lock.getASTContext();
  bool isVisible = lock.isExternallyVisible();
  // A C struct has no linkage, and is the same in each unit that has it.
  if (const auto *field = dyn_cast<FieldDecl>(&lock))
    isVisible = !context.getLangOpts().CPlusPlus || field->getParent()->isExternallyVisible();
  llvm::SmallString<128> usr;
  if (isVisible && !index::generateUSRForDecl(&first, usr))
    return usr.str().str();
  const TextRange place = placeOfUse(first.getLocation(), context);
  return place.file + ":" + std::to_string(place.offset);
}

} // namespace qdadvise
