// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sites/LockSites.h"

#include "plugin/api/LockApi.h"
#include "plugin/api/StandardLibrary.h"
#include "plugin/ast/CallArguments.h"
#include "plugin/ast/Mangler.h"
#include "plugin/locksets/LockNames.h"
#include "plugin/locksets/WrapperOperations.h"
#include "plugin/locksets/Wrappers.h"
#include "plugin/sections/SectionBehaviour.h"
#include "plugin/sections/SectionExtent.h"
#include "plugin/sites/CallWalk.h"
#include "plugin/sites/LibraryOperations.h"
#include "plugin/sites/LockDescriber.h"
#include "plugin/sites/ThreadStarts.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <map>
#include <optional>

using namespace clang;

namespace qdadvise {
namespace {

/// A section whose facts are to be decided when all functions are known.
struct Section {
  std::size_t site;
  SectionStart start;
};

class Collector : public CallWalk {
public:
  Collector(ASTContext &astContext, const LockApi &lockApi, LockTable &lockTable)
      : context(astContext), sources(astContext.getSourceManager()), api(lockApi), table(lockTable),
        locks(astContext, lockApi), mangler(astContext),
        library(
            [this](const FunctionDecl &function) { return bool(api.lockOperationOf(function)); },
            isStandardGuard),
        makers([this](const FunctionDecl &function) { return takingConstructor(function); },
               [this](const CXXRecordDecl &record) {
                 return guards.contains(record.getCanonicalDecl());
               }),
        wrappers([this](const FunctionDecl &function) { return performedBy(function); }),
        effects(astContext,
                [this](const FunctionDecl &function) { return operationOf(function); }) {}

  void run() {
    walk(*context.getTranslationUnitDecl());
    wrappers.solve();
    if (!wrappers.found().empty() || !guards.empty())
      findCallsOfWrappers();
    numberSites();
  }

  /// After run(): which functions release a lock is known then.
  void decideFacts() {
    for (const Section &section : sections) {
      LockSite &site = table.sites[section.site];
      SectionFacts found =
          sectionFacts(section.start, effects, context, [&](const CallExpr &statement) {
            return isReleaseOf(statement, site.expression);
          });
      site.facts = found.bits;
      site.shownFacts = std::move(found.shown);
    }
  }

private:
  /// The operation that a function is, or null. Registers it.
  const Callee *calleeOf(const FunctionDecl &function) {
    const auto [known, isNew] = callees.try_emplace(function.getCanonicalDecl());
    if (!isNew)
      return known->second.get();
    std::optional<LockOperation> operation = api.lockOperationOf(function);
    if (!operation || operation->role == SiteRole::lifetime)
      if (std::optional<LockOperation> byName = wrapperByName(function))
        operation = std::move(byName);
    return operation ? &setCallee(function, std::move(*operation)) : nullptr;
  }

  const LockOperation *operationOf(const FunctionDecl &function) {
    const Callee *callee = calleeOf(function);
    return callee ? &callee->operation : nullptr;
  }

  /// The same, or the waits within one with a predicate, which are of the same lock.
  const LockOperation *performedBy(const FunctionDecl &function) {
    const LockOperation *operation = operationOf(function);
    if (operation || !isPredicateWait(function))
      return operation;
    const LibraryOperations::Callees &within = library.within(function);
    return within.empty() ? nullptr : operationOf(*within.front());
  }

  Callee &setCallee(const FunctionDecl &function, LockOperation operation) {
    const auto names = mangler.names(function);
    table.addOperation(names, operation);
    if (const auto *constructor = dyn_cast<CXXConstructorDecl>(&function);
        constructor && operation.role == SiteRole::wrapper)
      guards.insert(constructor->getParent()->getCanonicalDecl());
    auto callee = std::make_unique<Callee>(Callee{std::move(operation), names.front()});
    return *(callees[function.getCanonicalDecl()] = std::move(callee));
  }

  /// The constructor of a guard of the user's, or null.
  const Callee *takingConstructor(const FunctionDecl &function) const {
    if (!isa<CXXConstructorDecl>(function))
      return nullptr;
    const auto known = callees.find(function.getCanonicalDecl());
    const Callee *callee = known == callees.end() ? nullptr : known->second.get();
    return callee && callee->operation.role == SiteRole::wrapper ? callee : nullptr;
  }

  /// Registers a function of the library that makes a guard of the user's as a wrapper:
  /// `std::make_unique<Guard>(m)`, `std::optional<Guard>::emplace(m)`.
  bool setMaker(const FunctionDecl &function) {
    const LibraryOperations::Callees &made = makers.within(function);
    if (made.empty() || calleeOf(function))
      return !made.empty();
    const Callee &constructor = *takingConstructor(*made.front());
    LockOperation operation;
    operation.role = SiteRole::wrapper;
    operation.flags = constructor.operation.flags;
    std::optional<LockPath> taken = constructor.taken;
    if (!constructor.isFound && !constructor.operation.locks.empty()) { // by its name
      taken.emplace().base = LockPath::Base::parameter;
      taken->number = constructor.operation.locks.front().argument - 1; // after the object
    }
    Callee &maker = setCallee(function, std::move(operation));
    maker.isFound = true;
    maker.taken = std::move(taken);
    maker.makes = made.front();
    return true;
  }

  /// Registers the functions found to be wrappers, and looks for their calls.
  void findCallsOfWrappers() {
    for (const FunctionDecl *function : wrappers.found()) {
      const LockEffect *effect = wrappers.effectOf(*function);
      Callee &callee = setCallee(*function, wrapperOperation(*function, *effect, context));
      callee.isFound = true;
      if (effect->taken)
        callee.taken = effect->taken->asCallersKnowIt();
      addCallerSite(*function, *effect);
    }
    onlyWrappers = true;
    forgetWalked();
    const auto isFound = [this](const FunctionDecl &function) {
      const LockEffect *effect = wrappers.effectOf(function);
      return (effect && effect->takes) || (!guards.empty() && setMaker(function));
    };
    for (const Decl *caller : wrappers.callersOf(isFound))
      walk(*caller);
  }

  void addCallerSite(const FunctionDecl &function, const LockEffect &effect) {
    const FunctionDecl *definition = function.getDefinition();
    if (!definition || definition->isMain() ||
        context.GetGVALinkageForFunction(definition) != GVA_StrongExternal)
      return;
    CallerSite body;
    body.names = mangler.names(function);
    LockSite &site = body.site;
    site.callee = site.inFunction = body.names.front();
    site.role = SiteRole::wrapper;
    site.location = definition->getLocation();
    setPlace(site, placeOf(site.location, context));
    site.function = functionName(*definition);
    if (effect.taken)
      locks.setDeclaration(site, effect.taken->declaration());
    table.callerSites.push_back(std::move(body));
  }

  void atClass(const CXXRecordDecl &record) override {
    for (const CXXMethodDecl *method : record.methods())
      if (!method->isDependentContext())
        calleeOf(*method);
  }

  /// Guards are released by implicit calls, which the AST does not show.
  void atStandardNamespace(const NamespaceDecl &space) override {
    for (const llvm::StringRef name : standardLockClasses())
      for (const NamedDecl *found : space.lookup(&context.Idents.get(name))) {
        if (const auto *record = dyn_cast<CXXRecordDecl>(found); record && record->hasDefinition())
          atClass(*record->getDefinition());
        if (const auto *pattern = dyn_cast<ClassTemplateDecl>(found))
          for (const ClassTemplateSpecializationDecl *record : pattern->specializations())
            if (record->hasDefinition() && !record->isDependentContext())
              atClass(*record->getDefinition());
      }
  }

  /// A statement that is a release of the lock as written.
  bool isReleaseOf(const Stmt &statement, llvm::StringRef expression) {
    const auto *call = dyn_cast<CallExpr>(&statement);
    const FunctionDecl *function = call ? call->getDirectCallee() : nullptr;
    if (!function)
      return false;
    if (const Callee *callee = calleeOf(*function))
      return callee->operation.role == SiteRole::release &&
             locks.expressionOf({call, function, {}}, *callee, 0) == expression;
    if (const LockEffect *effect = wrappers.effectOf(*function))
      return llvm::any_of(effect->releases, [&](const LockPath &released) {
        return pathText(*call, *function, released.asCallersKnowIt(), context) == expression;
      });
    const Expr *given = argumentOf(*call, 0);
    return given && wrappers.releasesByName(*function) &&
           lockText(*given, isThroughArrow(*call), context) == expression;
  }

  void atCall(const Call &call) override {
    if (const auto *plain = dyn_cast<CallExpr>(call.expression); plain && !onlyWrappers)
      forEachStartRoutine(*plain, *call.callee,
                          [this](const FunctionDecl &routine) { addStartRoutine(routine); });
    const Callee *callee = calleeOf(*call.callee);
    if (onlyWrappers) {
      if (callee && callee->isFound)
        addSites(call, {callee});
      return;
    }
    if (const Decl *caller = current ? static_cast<const Decl *>(current) : initialised)
      wrappers.addCall({caller, call.callee->getCanonicalDecl(), call.isGuardVariable});
    if (const FunctionDecl *routine = spawnedRoutine(*call.expression, *call.callee))
      addSpawn(call, *routine);
    if (callee) {
      addSites(call, {callee});
      return;
    }
    llvm::SmallVector<const Callee *, 2> performed;
    for (const FunctionDecl *inner : library.within(*call.callee))
      if (const Callee *operation = calleeOf(*inner))
        performed.push_back(operation);
    if (!performed.empty())
      addSites(call, performed);
  }

  void addSites(const Call &call, llvm::ArrayRef<const Callee *> performed) {
    const auto [known, isNew] = seen.try_emplace({current, call.expression});
    if (!isNew) { // a default argument that is used once more
      for (std::size_t site = known->second.first; site < known->second.second; ++site)
        indexAt(site, call.debugLocation);
      return;
    }
    const std::size_t first = table.sites.size();
    for (const Callee *callee : performed)
      addSites(call, *callee);
    known->second = {first, table.sites.size()};
  }

  void addSites(const Call &call, const Callee &callee) {
    if (callee.operation.role == SiteRole::lifetime)
      return; // of interest to the hooks only
    const std::size_t count = std::max<std::size_t>(1, callee.operation.locks.size());
    for (unsigned lock = 0; lock < count; ++lock)
      addSite(call, callee, lock);
  }

  void addSite(const Call &call, const Callee &callee, unsigned lock) {
    const LockOperation &operation = callee.operation;
    LockSite site;
    site.callee = callee.name;
    site.lockIndex = lock;
    site.role = operation.role;
    describePlace(site, call);
    if (lock < operation.locks.size() || site.role == SiteRole::wrapper)
      locks.describe(site, call, callee, lock);
    if (takesLock(site.role)) {
      site.sectionHash = hashSection(call, site.expression);
      addSection(site, call, operation);
    }

    site.inFunction = current ? mangler.names(*current).front() : "";
    table.sites.push_back(std::move(site));
    indexAt(table.sites.size() - 1, call.debugLocation);
  }

  static void setPlace(LockSite &site, const Place &place) {
    site.file = place.file;
    site.line = place.line;
    site.column = place.column;
  }

  void describePlace(LockSite &site, const Call &call) {
    site.location = call.expression->getBeginLoc();
    if (call.isGuardVariable)
      for (const Stmt *statement : llvm::reverse(path))
        if (isa<DeclStmt>(statement)) {
          site.location = statement->getBeginLoc();
          break;
        }
    if (path.size() == 1 + (isa<ExprWithCleanups>(path.front()) ? 1U : 0U) && initialised &&
        isa<CXXConstructExpr>(call.expression))
      site.location = initialised->getBeginLoc();
    if (site.location.isInvalid())
      site.location = call.debugLocation;
    setPlace(site, placeOf(site.location, context));
    if (current)
      site.function = functionName(*current);
    else if (initialised)
      site.function = declarationName(*initialised);
  }

  /// For the site that is added next.
  void addSection(const LockSite &site, const Call &call, const LockOperation &operation) {
    SectionStart start;
    start.body = current ? current->getBody() : nullptr;
    if (!llvm::is_contained(path, start.body)) // a member's initialiser: held beyond this function
      return;
    start.acquire = call.expression;
    start.guard = call.isGuardVariable ? guardVariable() : localGuard(call);
    start.isTemporary = isa<CXXConstructExpr>(call.expression) && !start.guard && !isAllocated();
    start.isWrapper = site.role == SiteRole::wrapper;
    start.success = operation.success;
    sections.push_back({table.sites.size(), start});
  }

  /// The local guard that a call is made on or given, whose scope ends the section at last.
  const VarDecl *localGuard(const Call &call) const {
    for (unsigned i = 0; const Expr *argument = argumentOf(*call.expression, i); ++i) {
      const auto *named = dyn_cast<DeclRefExpr>(argument->IgnoreParenImpCasts());
      const auto *variable = named ? dyn_cast<VarDecl>(named->getDecl()) : nullptr;
      const CXXRecordDecl *record = variable ? variable->getType()->getAsCXXRecordDecl() : nullptr;
      if (record && isStandardGuard(*record) && variable->hasLocalStorage() &&
          !isa<ParmVarDecl>(variable))
        return variable;
    }
    return nullptr;
  }

  std::uint64_t hashSection(const Call &call, llvm::StringRef expression) {
    SectionEnd end = SectionEnd::unlock;
    if (call.isGuardVariable)
      end = SectionEnd::scope;
    else if (isa<CXXConstructExpr>(call.expression))
      end = SectionEnd::statement;
    const SourceRange range = criticalSection(
        path, end, [&](const Stmt &statement) { return isReleaseOf(statement, expression); });
    return tokenHash(range, sources, context.getLangOpts());
  }

  /// Debug locations in a macro's argument are those of the argument (LLVM 22) or of
  /// the macro's use (LLVM 19): a site is found at both.
  void indexAt(std::size_t site, SourceLocation debugLocation) {
    llvm::SmallVector<std::string, 3> inFunctions;
    if (current)
      inFunctions = mangler.names(*current);
    for (const SourceLocation location : {debugLocation, defaultArgumentUse()})
      for (const SourceLocation inFile :
           {sources.getFileLoc(location), sources.getExpansionLoc(location)}) {
        if (inFile.isInvalid())
          continue;
        const Place place = placeOf(inFile, context);
        table.index(site, inFunctions, place.line, place.column);
      }
  }

  /// Names a function that starts a thread; its address tells the runtime which.
  void addStartRoutine(const FunctionDecl &function) {
    const std::string name = mangler.names(function).front();
    if (!startRoutines.insert(name).second)
      return;
    const Place place = placeOfRoutine(function);
    table.startRoutines.push_back(
        {name, functionName(function), place.file, place.line, place.column});
  }

  /// A call whose thread begins in the library: the site names what it runs.
  void addSpawn(const Call &call, const FunctionDecl &routine) {
    if (api.lockOperationOf(*call.callee))
      return;
    const auto names = mangler.names(*call.callee);
    LockOperation operation;
    operation.role = SiteRole::spawn;
    table.addOperation(names, operation);
    LockSite site;
    site.callee = names.front();
    site.role = SiteRole::spawn;
    site.location = call.expression->getBeginLoc();
    setPlace(site, placeOfRoutine(routine));
    site.function = functionName(routine);
    site.inFunction = current ? mangler.names(*current).front() : "";
    table.sites.push_back(std::move(site));
    indexAt(table.sites.size() - 1, call.debugLocation);
  }

  Place placeOfRoutine(const FunctionDecl &function) const {
    const FunctionDecl *definition = function.getDefinition();
    return placeOf((definition ? definition : &function)->getLocation(), context);
  }

  /// Ordinals, in the order of the source.
  void numberSites() {
    std::map<std::pair<llvm::StringRef, llvm::StringRef>, std::vector<LockSite *>> groups;
    for (LockSite &site : table.sites)
      if (takesLock(site.role))
        groups[{site.function, site.expression}].push_back(&site);
    for (auto &[key, group] : groups) {
      std::sort(group.begin(), group.end(), [&](const LockSite *a, const LockSite *b) {
        return a->location == b->location
                   ? a < b
                   : sources.isBeforeInTranslationUnit(a->location, b->location);
      });
      // Instances of one generic lambda are one place.
      for (std::size_t i = 1; i < group.size(); ++i)
        group[i]->ordinal =
            group[i - 1]->ordinal + (group[i]->location != group[i - 1]->location ? 1 : 0);
    }
  }

  ASTContext &context;
  const SourceManager &sources;
  const LockApi &api;
  LockTable &table;
  LockDescriber locks;
  Mangler mangler;
  LibraryOperations library; ///< its operations by API
  LibraryOperations makers;  ///< its calls of constructors of the user's guards
  llvm::SmallPtrSet<const CXXRecordDecl *, 4> guards; ///< of the user's, that are wrappers
  Wrappers wrappers;
  bool onlyWrappers = false; ///< the second time: only calls of wrappers found are sites
  CallEffects effects;
  llvm::DenseMap<const FunctionDecl *, std::unique_ptr<Callee>> callees;
  /// The sites of a call, by number: from the first to one past the last.
  llvm::DenseMap<std::pair<const FunctionDecl *, const Expr *>, std::pair<std::size_t, std::size_t>>
      seen;
  std::vector<Section> sections;
  llvm::StringSet<> startRoutines;
};

} // namespace

LockTable findLockSites(ASTContext &context, const LockApi &api) {
  LockTable table;
  Collector collector(context, api, table);
  collector.run();
  collector.decideFacts();
  return table;
}

} // namespace qdadvise
