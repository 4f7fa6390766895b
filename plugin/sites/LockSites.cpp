// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sites/LockSites.h"

#include "plugin/api/LockApi.h"
#include "plugin/api/StandardLibrary.h"
#include "plugin/ast/Mangler.h"
#include "plugin/locksets/LockNames.h"
#include "plugin/locksets/Wrappers.h"
#include "plugin/sections/SectionExtent.h"
#include "plugin/sites/Barriers.h"
#include "plugin/sites/CallWalk.h"
#include "plugin/sites/Callees.h"
#include "plugin/sites/ExternalFunctions.h"
#include "plugin/sites/LockDescriber.h"
#include "plugin/sites/SiteSections.h"
#include "plugin/sites/ThreadStarts.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

using namespace clang;

namespace qdadvise {
namespace {

/// Sets the ordinals of the sites that take a lock, in the order of the source.
void numberSites(LockTable &table, const SourceManager &sources) {
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

using LockKey = std::tuple<llvm::StringRef, std::uint32_t, std::uint32_t, llvm::StringRef>;

/// What tells a site's lock from others: its declaration, else its name as written.
LockKey lockOf(const LockSite &site) {
  const bool isDeclared = !site.declFile.empty();
  return {site.declFile, site.declLine, site.declColumn,
          isDeclared ? llvm::StringRef() : llvm::StringRef(site.expression)};
}

/// A flag that threads wait for with a condition variable has to be changed under the lock, though
/// it is one integer: an atomic operation between a waiter's look and its sleep would wake nobody.
/// It is such a flag where the lock is waited with, or the function wakes waiters.
void keepLocksOfFlags(LockTable &table, const llvm::StringSet<> &wakers) {
  std::set<LockKey> waited;
  for (const LockSite &site : table.sites)
    if (site.role == SiteRole::wait)
      waited.insert(lockOf(site));
  for (LockSite &site : table.sites) {
    if (!(site.facts & factOneIntegerUpdate) ||
        (!waited.contains(lockOf(site)) && !wakers.contains(site.inFunction)))
      continue;
    site.facts &= ~SectionFactBits{factOneIntegerUpdate};
    llvm::erase_if(site.shownFacts,
                   [](const ShownFact &shown) { return shown.fact == factOneIntegerUpdate; });
  }
}

/// Sections of barriers: each ends a condition wait of a barrier, or takes its lock in that
/// function.
void markBarriers(LockTable &table, const Barriers &barriers) {
  for (const std::size_t number : barriers.waits()) {
    const LockSite &wait = table.sites[number];
    for (LockSite &site : table.sites)
      if ((site.facts & factsKnown) && site.inFunction == wait.inFunction &&
          lockOf(site) == lockOf(wait))
        site.facts |= factBarrier;
  }
}

/// Whether a call of it wakes those who wait with a condition variable, of whatever library.
bool wakesWaiters(const FunctionDecl &function) {
  if (!function.getIdentifier())
    return false;
  const llvm::StringRef name = function.getName();
  return name == "notify_one" || name == "notify_all" || name == "pthread_cond_signal" ||
         name == "pthread_cond_broadcast" || name == "cnd_signal" || name == "cnd_broadcast";
}

/// Walks the calls of a translation unit and fills the table.
class Collector : public CallWalk {
public:
  Collector(ASTContext &astContext, const LockApi &lockApi, LockTable &lockTable)
      : context(astContext), sources(astContext.getSourceManager()), api(lockApi), table(lockTable),
        locks(astContext, lockApi), mangler(astContext), callees(lockApi, mangler, lockTable),
        wrappers([this](const FunctionDecl &function) {
          return callees.operationOrWaitWithin(function);
        }),
        sections(astContext, callees, wrappers, locks), barriers(astContext) {}

  void run(bool withFunctions) {
    walk(*context.getTranslationUnitDecl());
    wrappers.solve();
    if (!wrappers.found().empty() || callees.hasGuards())
      findCallsOfWrappers();
    numberSites(table, sources);
    sections.decideFacts(table, mangler);
    if (withFunctions)
      forEachExternalFunction(context, [&](const FunctionDecl &function) {
        const FunctionFacts facts = sections.factsOf(function, table, mangler);
        for (const std::string &name : mangler.names(function))
          table.functions[name] = facts;
      });
    keepLocksOfFlags(table, wakers);
    markBarriers(table, barriers);
  }

private:
  /// Registers the functions found to be wrappers, and looks for their calls.
  void findCallsOfWrappers() {
    for (const FunctionDecl *function : wrappers.found()) {
      const LockEffect *effect = wrappers.effectOf(*function);
      callees.addWrapper(*function, *effect, context);
      addCallerSite(*function, *effect);
    }
    onlyWrappers = true;
    forgetWalked();
    const auto isFound = [this](const FunctionDecl &function) {
      const LockEffect *effect = wrappers.effectOf(function);
      return (effect && effect->takes) || (callees.hasGuards() && callees.addMaker(function));
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
        callees.find(*method);
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

  void atCall(const Call &call) override {
    if (current && wakesWaiters(*call.callee))
      for (const std::string &name : mangler.names(*current))
        wakers.insert(name);
    barriers.noteWakeUp(call, path, current);
    if (const auto *plain = dyn_cast<CallExpr>(call.expression); plain && !onlyWrappers)
      forEachStartRoutine(*plain, *call.callee,
                          [this](const FunctionDecl &routine) { addStartRoutine(routine); });
    const Callee *callee = callees.find(*call.callee);
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
    if (const auto performed = callees.performedWithin(*call.callee); !performed.empty())
      addSites(call, performed);
  }

  void atAddress(const FunctionDecl &function) override {
    if (!onlyWrappers && looksLikeRoutine(function))
      addStartRoutine(function);
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
      return; // only the hooks want it
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
    const auto *plain = dyn_cast<CallExpr>(call.expression);
    site.isThroughPointer = plain && !plain->getDirectCallee();
    describePlace(site, call);
    if (lock < operation.locks.size() || site.role == SiteRole::wrapper)
      locks.describe(site, call, callee, lock);
    sections.note(table.sites.size(), call);
    if (site.role == SiteRole::wait || operation.waits)
      barriers.noteWait(table.sites.size(), call, path, current);
    if (takesLock(site.role)) {
      site.section = sections.extent(call, path, site.expression);
      site.sectionHash = tokenHash(site.section, sources, context.getLangOpts());
      // A lock that a member's initialiser takes is held beyond this function.
      if (llvm::is_contained(path, current ? current->getBody() : nullptr))
        sections.add(table.sites.size(), call, callee, current,
                     call.isGuardVariable ? guardVariable() : nullptr, isAllocated());
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
    table.startRoutines.push_back({name, functionName(function), place.file, place.line,
                                   place.column, routineInArgument(function)});
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

  ASTContext &context;
  const SourceManager &sources;
  const LockApi &api;
  LockTable &table;
  LockDescriber locks;
  Mangler mangler;
  Callees callees;
  Wrappers wrappers;
  llvm::StringSet<> wakers;  ///< mangled names of functions that wake waiters
  bool onlyWrappers = false; ///< the second time: only calls of wrappers found are sites
  SiteSections sections;
  Barriers barriers;
  /// The sites of a call, by number: from the first to one past the last.
  llvm::DenseMap<std::pair<const FunctionDecl *, const Expr *>, std::pair<std::size_t, std::size_t>>
      seen;
  llvm::StringSet<> startRoutines;
};

} // namespace

LockTable findLockSites(ASTContext &context, const LockApi &api, bool withFunctions) {
  LockTable table;
  Collector(context, api, table).run(withFunctions);
  return table;
}

} // namespace qdadvise
