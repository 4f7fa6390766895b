// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/api/NameChecks.h"

#include "plugin/ast/NameLookup.h"
#include "plugin/options/UserFiles.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using llvm::StringRef;

namespace qdadvise {
namespace {

/// Those that differ by more are other names.
constexpr unsigned mostEdits = 2;
/// Short names differ by so much without being meant for each other.
constexpr std::size_t shortestName = 5;

class NameChecker {
public:
  NameChecker(const std::vector<LockApiEntry> &entries, ASTContext &context)
      : entries(entries), context(context) {
    for (const LockApiEntry &entry : entries) {
      for (const ApiFunction &function : entry.functions)
        configured.insert(function.name);
      for (const std::string &type : entry.types)
        configured.insert(type);
      for (const ApiGuard &guard : entry.guards)
        for (const std::string &type : guard.types)
          configured.insert(type);
    }
  }

  std::vector<NameProblem> run() {
    for (const LockApiEntry &entry : entries) {
      checkTypes(entry.types, entry.functions);
      for (const ApiGuard &guard : entry.guards)
        checkTypes(guard.types, guard.members);
      if (entry.types.empty())
        for (const ApiFunction &function : entry.functions)
          checkFunction(function);
    }
    return std::move(problems);
  }

private:
  /// The name in a scope that `name` is most likely meant to be, or "". None that is configured.
  StringRef nearest(const DeclContext &scope, StringRef name, bool wantsType) const {
    StringRef best;
    unsigned least = mostEdits + 1;
    for (const Decl *decl : scope.decls()) {
      const auto *named = dyn_cast<NamedDecl>(decl);
      if (!named || !named->getIdentifier() ||
          (wantsType ? !recordIn(*named) : !functionIn(*named)))
        continue;
      const StringRef other = named->getName();
      if (other == name || configured.contains(other) ||
          context.getSourceManager().isInSystemHeader(named->getLocation()))
        continue;
      const unsigned edits = name.edit_distance(other, /*AllowReplacements=*/true, least);
      if (edits < least) {
        least = edits;
        best = other;
      }
    }
    return best;
  }

  void noteMissing(StringRef name, bool wantsType) {
    const auto [scope, last] = name.rsplit("::");
    const bool isQualified = !last.empty();
    const StringRef own = isQualified ? last : name;
    if (own.size() < shortestName)
      return;
    llvm::SmallVector<const DeclContext *, 2> scopes;
    if (!isQualified)
      scopes.push_back(context.getTranslationUnitDecl());
    else
      for (const NamedDecl *found : lookUp(context, scope))
        if (const auto *space = dyn_cast<NamespaceDecl>(found))
          for (const NamespaceDecl *part : space->redecls())
            scopes.push_back(part);
    for (const DeclContext *in : scopes)
      if (const StringRef near = nearest(*in, own, wantsType); !near.empty())
        return add("'" + name.str() + "' is nothing here; did you mean '" +
                       (isQualified ? scope.str() + "::" : "") + near.str() + "'?",
                   false);
  }

  /// Not every type need have every member, but one of them has.
  void checkTypes(const std::vector<std::string> &names, const std::vector<ApiFunction> &members) {
    std::vector<const CXXRecordDecl *> definitions;
    for (const std::string &name : names) {
      const CXXRecordDecl *record = nullptr;
      for (const NamedDecl *decl : lookUp(context, name))
        if (const CXXRecordDecl *one = recordIn(*decl))
          record = one;
      if (!record)
        noteMissing(name, true);
      const CXXRecordDecl *const definition = record ? record->getDefinition() : nullptr;
      // A base that depends on an argument may have anything.
      if (definition && !definition->hasAnyDependentBases())
        definitions.push_back(definition);
    }
    if (!names.empty() && definitions.size() == names.size())
      for (const ApiFunction &member : members)
        checkMember(names.front(), definitions, member);
  }

  bool hasMember(const CXXRecordDecl &type, StringRef name) const {
    if (!type.lookup(&context.Idents.get(name)).empty())
      return true;
    return llvm::any_of(type.bases(), [&](const CXXBaseSpecifier &base) {
      const CXXRecordDecl *record = base.getType()->getAsCXXRecordDecl();
      return record && record->hasDefinition() && hasMember(*record->getDefinition(), name);
    });
  }

  void checkMember(StringRef type, const std::vector<const CXXRecordDecl *> &definitions,
                   const ApiFunction &member) {
    const auto owner = llvm::find_if(definitions, [&](const CXXRecordDecl *definition) {
      return hasMember(*definition, member.name);
    });
    if (owner == definitions.end()) {
      const StringRef near = nearest(*definitions.front(), member.name, false);
      return add("'" + type.str() + "' has no member '" + member.name + "'" +
                     (near.empty() ? "" : "; did you mean '" + near.str() + "'?"),
                 true);
    }
    for (const NamedDecl *found : (*owner)->lookup(&context.Idents.get(member.name)))
      if (const FunctionDecl *function = functionIn(*found))
        return checkArgument(type.str() + "::" + member.name, *function, member);
  }

  void checkFunction(const ApiFunction &function) {
    bool any = false;
    for (const NamedDecl *found : lookUp(context, function.name))
      if (const FunctionDecl *callee = functionIn(*found)) {
        any = true;
        checkArgument(function.name, *callee, function);
      }
    if (!any)
      noteMissing(function.name, false);
  }

  void checkArgument(const std::string &name, const FunctionDecl &callee,
                     const ApiFunction &function) {
    const unsigned parameters = callee.getNumParams();
    if (!function.argument || *function.argument < parameters || callee.isVariadic() ||
        !callee.hasPrototype())
      return;
    add("'" + name + "' has " + std::to_string(parameters) +
            (parameters == 1 ? " parameter" : " parameters") + ", so that argument = " +
            std::to_string(*function.argument) + " cannot be its lock; they count from 0",
        true);
  }

  void add(std::string message, bool isCertain) {
    if (llvm::none_of(problems, [&](const NameProblem &one) { return one.message == message; }))
      problems.push_back({std::move(message), isCertain});
  }

  const std::vector<LockApiEntry> &entries;
  ASTContext &context;
  llvm::StringSet<> configured;
  std::vector<NameProblem> problems;
};

} // namespace

std::vector<NameProblem> problemsOf(const std::vector<LockApiEntry> &entries, ASTContext &context) {
  return entries.empty() ? std::vector<NameProblem>() : NameChecker(entries, context).run();
}

bool reportProblems(const UserConfig &config, ASTContext &context) {
  bool good = true;
  for (const NameProblem &problem : problemsOf(config.lockApis, context)) {
    good &= !problem.isCertain;
    if (problem.isCertain || !context.getDiagnostics().getIgnoreAllWarnings())
      reportWithoutPlace(context.getDiagnostics(),
                         problem.isCertain ? DiagnosticsEngine::Error : DiagnosticsEngine::Warning,
                         config.path + ": [[lock_api]]: " + problem.message);
  }
  return good;
}

} // namespace qdadvise
