// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/api/ConfiguredNames.h"

#include "plugin/ast/NameLookup.h"

using namespace clang;

namespace qdadvise {

ConfiguredNames::ConfiguredNames(const std::vector<LockApiEntry> &entries, ASTContext &context) {
  for (const LockApiEntry &entry : entries) {
    for (const std::string &name : entry.ignored)
      ignore(context, name, entry);
    for (const ApiGuard &guard : entry.guards)
      for (const std::string &name : guard.types)
        addType(context, name, entry, &guard);
    for (const std::string &name : entry.types)
      addType(context, name, entry, nullptr);
    if (entry.types.empty())
      for (const ApiFunction &function : entry.functions)
        addFunction(context, function, entry);
  }
}

void ConfiguredNames::addFunction(ASTContext &context, const ApiFunction &function,
                                  const LockApiEntry &entry) {
  for (const NamedDecl *found : lookUp(context, function.name))
    if (const FunctionDecl *callee = functionIn(*found))
      functions.try_emplace(&patternOf(*callee), Function{&function, &entry});
}

void ConfiguredNames::addType(ASTContext &context, const std::string &name,
                              const LockApiEntry &entry, const ApiGuard *guard) {
  for (const NamedDecl *found : lookUp(context, name)) {
    const CXXRecordDecl *record = recordIn(*found);
    if (!record)
      continue;
    Type &type = types[&patternOf(*record)];
    if (type.entry) // `QMutex` may be an alias of `QBasicMutex`
      continue;
    type.entry = &entry;
    type.guard = guard;
    for (const ApiFunction &member : guard ? guard->members : entry.functions) {
      type.members[member.name] = &member;
      addInherited(*record, member, entry);
    }
  }
}

/// A member that the type has from a base or by `using` is the base's function.
void ConfiguredNames::addInherited(const CXXRecordDecl &record, const ApiFunction &function,
                                   const LockApiEntry &entry) {
  const CXXRecordDecl *definition = record.getDefinition();
  if (!definition)
    return;
  const auto found = definition->lookup(&record.getASTContext().Idents.get(function.name));
  for (const NamedDecl *member : found)
    if (const auto *shadow = dyn_cast<UsingShadowDecl>(member))
      if (const FunctionDecl *target = functionIn(*shadow->getTargetDecl()))
        functions.try_emplace(&patternOf(*target), Function{&function, &entry});
  if (!found.empty())
    return;
  for (const CXXBaseSpecifier &specifier : definition->bases())
    if (const CXXRecordDecl *base = specifier.getType()->getAsCXXRecordDecl()) {
      for (const NamedDecl *member :
           base->hasDefinition() ? base->lookup(&record.getASTContext().Idents.get(function.name))
                                 : DeclContext::lookup_result())
        if (const FunctionDecl *target = functionIn(*member))
          functions.try_emplace(&patternOf(*target), Function{&function, &entry});
      addInherited(*base, function, entry);
    }
}

void ConfiguredNames::ignore(ASTContext &context, const std::string &name,
                             const LockApiEntry &entry) {
  static const ApiFunction none{.name = "", .role = ApiRole::ignore, .argument = {}};
  for (const NamedDecl *found : lookUp(context, name)) {
    if (const FunctionDecl *callee = functionIn(*found)) {
      functions.try_emplace(&patternOf(*callee), Function{&none, &entry});
    } else if (const CXXRecordDecl *record = recordIn(*found)) {
      Type &type = types[&patternOf(*record)];
      type.entry = &entry;
      type.isIgnored = true;
    }
  }
}

const ConfiguredNames::Function *ConfiguredNames::function(const FunctionDecl &callee) const {
  const auto found = functions.find(&patternOf(callee));
  return found == functions.end() ? nullptr : &found->second;
}

const ConfiguredNames::Type *ConfiguredNames::type(const CXXRecordDecl &record) const {
  if (types.empty())
    return nullptr;
  const auto found = types.find(&patternOf(record));
  return found == types.end() ? nullptr : &found->second;
}

} // namespace qdadvise
