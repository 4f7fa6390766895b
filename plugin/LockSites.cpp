// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/LockSites.h"

#include "plugin/CallArguments.h"
#include "plugin/LibraryOperations.h"
#include "plugin/LockApi.h"
#include "plugin/LockNames.h"
#include "plugin/Mangler.h"
#include "plugin/SectionBehaviour.h"
#include "plugin/SectionFacts.h"
#include "plugin/ThreadStarts.h"
#include "plugin/WrapperOperations.h"
#include "plugin/Wrappers.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <map>
#include <optional>

using namespace clang;

namespace qdadvise {
namespace {

/// A callee that is an operation.
struct Callee {
  LockOperation operation;
  std::string name;
  const LockEffect *effect = nullptr; ///< of a wrapper whose body is in sight
};

/// A call on the way to an operation: what the user wrote, as IR and as people see it.
struct Call {
  const Expr *expression;
  const FunctionDecl *callee;
  SourceLocation debugLocation;
  bool isGuardVariable = false;
};

class Collector : public RecursiveASTVisitor<Collector> {
  using Base = RecursiveASTVisitor<Collector>;

public:
  Collector(ASTContext &astContext, const LockApi &lockApi, LockTable &lockTable)
      : context(astContext), sources(astContext.getSourceManager()), api(lockApi), table(lockTable),
        mangler(astContext), library(lockApi),
        wrappers([this](const FunctionDecl &function) { return operationOf(function); }),
        effects(astContext,
                [this](const FunctionDecl &function) { return operationOf(function); }) {}

  void run() {
    TraverseDecl(context.getTranslationUnitDecl());
    wrappers.solve();
    if (!wrappers.found().empty())
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

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }

  // Nothing in these is a call that runs where it stands.
  bool TraverseTypeLoc(TypeLoc, bool = true) { return true; }
  bool TraverseType(QualType, bool = true) { return true; }
  bool TraverseNestedNameSpecifierLoc(NestedNameSpecifierLoc) { return true; }
  bool TraverseParmVarDecl(ParmVarDecl *) { return true; }
  bool TraverseFieldDecl(FieldDecl *) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) { return true; }
  bool TraverseCXXNoexceptExpr(CXXNoexceptExpr *) { return true; }
  bool TraverseRequiresExpr(RequiresExpr *) { return true; }

  bool TraverseDecl(Decl *decl) {
    if (!decl)
      return true;
    if (const auto *space = dyn_cast<NamespaceDecl>(decl); space && isStandard(*space)) {
      registerStandardClasses(*space);
      return true;
    }
    if (const auto *record = dyn_cast<CXXRecordDecl>(decl)) {
      if (record->isDependentContext())
        return true;
      if (record->isThisDeclarationADefinition())
        registerClass(*record);
    }
    if (const auto *function = dyn_cast<FunctionDecl>(decl))
      return traverseFunction(*function);
    return Base::TraverseDecl(decl);
  }

  bool TraverseVarDecl(VarDecl *variable) {
    const VarDecl *outer = initialised;
    initialised = variable;
    const bool goOn = Base::TraverseVarDecl(variable);
    initialised = outer;
    return goOn;
  }

  bool TraverseStmt(Stmt *statement) {
    if (!statement)
      return true;
    path.push_back(statement);
    const bool goOn = Base::TraverseStmt(statement);
    path.pop_back();
    return goOn;
  }

  bool VisitCallExpr(CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee || call->isTypeDependent() || call->isValueDependent())
      return true;
    if (!onlyWrappers)
      forEachStartRoutine(*call, *callee,
                          [this](const FunctionDecl &routine) { addStartRoutine(routine); });
    visit({call, callee, call->getExprLoc(),
           call->getType()->isRecordType() && guardVariable() != nullptr});
    return true;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *construct) {
    visit({construct, construct->getConstructor(), construct->getLocation(),
           guardVariable() != nullptr});
    return true;
  }

private:
  static bool isStandard(const NamespaceDecl &space) {
    return space.isStdNamespace() ||
           (space.getDeclContext()->isTranslationUnit() && space.getName() == "__gnu_cxx");
  }

  bool traverseFunction(const FunctionDecl &function) {
    const bool isWrapper = function.getIdentifier() && function.getName().starts_with("__gthr");
    if (!function.doesThisDeclarationHaveABody() || function.isDependentContext() || isWrapper ||
        !traversed.insert(&function).second)
      return true;
    const FunctionDecl *outer = current;
    current = &function;
    const bool goOn = Base::TraverseDecl(const_cast<FunctionDecl *>(&function));
    current = outer;
    return goOn;
  }

  /// The operation that a function is, or null. Registers it.
  const Callee *calleeOf(const FunctionDecl &function) {
    const auto [known, isNew] = callees.try_emplace(function.getCanonicalDecl());
    if (!isNew)
      return known->second.get();
    std::optional<LockOperation> operation = api.lockOperationOf(function);
    if (!operation || operation->role == SiteRole::lifetime)
      if (std::optional<LockOperation> byName = wrapperByName(function))
        operation = std::move(byName);
    return operation ? setCallee(function, std::move(*operation)) : nullptr;
  }

  const LockOperation *operationOf(const FunctionDecl &function) {
    const Callee *callee = calleeOf(function);
    return callee ? &callee->operation : nullptr;
  }

  const Callee *setCallee(const FunctionDecl &function, LockOperation operation,
                          const LockEffect *effect = nullptr) {
    const auto names = mangler.names(function);
    table.addOperation(names, operation);
    auto callee = std::make_unique<Callee>(Callee{std::move(operation), names.front(), effect});
    return (callees[function.getCanonicalDecl()] = std::move(callee)).get();
  }

  /// Registers the functions found to be wrappers, and looks for their calls.
  void findCallsOfWrappers() {
    for (const FunctionDecl *function : wrappers.found()) {
      const LockEffect *effect = wrappers.effectOf(*function);
      setCallee(*function, wrapperOperation(*function, *effect, context), effect);
      addCallerSite(*function, *effect);
    }
    onlyWrappers = true;
    traversed.clear();
    const auto isFound = [this](const FunctionDecl &function) {
      const LockEffect *effect = wrappers.effectOf(function);
      return effect && effect->takes;
    };
    for (const Decl *caller : wrappers.callersOf(isFound))
      TraverseDecl(const_cast<Decl *>(caller));
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
    const Place place = placeOf(site.location, sources);
    site.file = place.file;
    site.line = place.line;
    site.column = place.column;
    site.function = functionName(*definition);
    if (effect.taken)
      setDeclaration(site, effect.taken->declaration());
    table.callerSites.push_back(std::move(body));
  }

  void registerClass(const CXXRecordDecl &record) {
    for (const CXXMethodDecl *method : record.methods())
      if (!method->isDependentContext())
        calleeOf(*method);
  }

  /// Guards are released by implicit calls, which the AST does not show.
  void registerStandardClasses(const NamespaceDecl &space) {
    for (const llvm::StringRef name : standardLockClasses())
      for (const NamedDecl *found : space.lookup(&context.Idents.get(name))) {
        if (const auto *record = dyn_cast<CXXRecordDecl>(found); record && record->hasDefinition())
          registerClass(*record->getDefinition());
        if (const auto *pattern = dyn_cast<ClassTemplateDecl>(found))
          for (const ClassTemplateSpecializationDecl *record : pattern->specializations())
            if (record->hasDefinition() && !record->isDependentContext())
              registerClass(*record->getDefinition());
      }
  }

  /// The variable that the construction at the end of the path initialises, or null.
  const VarDecl *guardVariable() const {
    for (const Stmt *statement : llvm::drop_begin(llvm::reverse(path))) {
      if (const auto *declaration = dyn_cast<DeclStmt>(statement))
        return declaration->isSingleDecl() ? dyn_cast<VarDecl>(declaration->getSingleDecl())
                                           : nullptr;
      if (!isa<CXXConstructExpr, ExprWithCleanups, CXXBindTemporaryExpr, MaterializeTemporaryExpr,
               CXXFunctionalCastExpr, InitListExpr, ImplicitCastExpr>(statement))
        return nullptr;
    }
    return nullptr;
  }

  /// A statement that is a release of the lock as written.
  bool isReleaseOf(const Stmt &statement, llvm::StringRef expression) {
    const auto *call = dyn_cast<CallExpr>(&statement);
    const FunctionDecl *function = call ? call->getDirectCallee() : nullptr;
    if (!function)
      return false;
    if (const Callee *callee = calleeOf(*function))
      return callee->operation.role == SiteRole::release &&
             expressionOf({call, function, {}}, *callee, 0) == expression;
    if (const LockEffect *effect = wrappers.effectOf(*function))
      return llvm::any_of(effect->releases, [&](const LockPath &released) {
        return pathText(*call, *function, released.asCallersKnowIt(), context) == expression;
      });
    const Expr *given = argumentOf(*call, 0);
    return given && wrappers.releasesByName(*function) &&
           lockText(*given, isThroughArrow(*call), context) == expression;
  }

  /// The argument of a call of the library that is the lock of an operation within:
  /// the first that is a guard or has the lock's type.
  const Expr *lockWithin(const Call &call, const LockOperation &operation) const {
    for (unsigned i = 0; const Expr *argument = argumentOf(*call.expression, i); ++i) {
      const CXXRecordDecl *record = argument->getType()->getAsCXXRecordDecl();
      if (!record)
        continue;
      if (isStandardGuard(*record))
        return &throughGuard(*argument, 0);
      if (lockTypeName(*argument, context) == operation.lockType)
        return argument;
    }
    return nullptr;
  }

  const Expr *lockOf(const Call &call, const Callee &callee, unsigned lock) const {
    const LockOperation &operation = callee.operation;
    if (operation.role == SiteRole::wrapper)
      return operation.locks.empty() ? nullptr
                                     : argumentOf(*call.expression, operation.locks[0].argument);
    if (!api.lockOperationOf(*call.callee))
      return lockWithin(call, operation);
    const AddressPath &address = operation.locks[lock];
    const Expr *argument = argumentOf(*call.expression, address.argument);
    if (!argument || address.loads.empty())
      return argument;
    unsigned inGuard = 0; // the how manieth lock of this guard
    for (unsigned i = 0; i < lock; ++i)
      inGuard += operation.locks[i].argument == address.argument;
    const CXXRecordDecl *record = argument->getType()->getAsCXXRecordDecl();
    return &throughGuard(*argument, inGuard, record && api.isGuard(*record));
  }

  std::string expressionOf(const Call &call, const Callee &callee, unsigned lock) const {
    if (callee.effect && callee.effect->taken)
      return pathText(*call.expression, *call.callee, callee.effect->taken->asCallersKnowIt(),
                      context);
    const Expr *expression = lockOf(call, callee, lock);
    if (!expression || !mayBeLock(expression->getType())) // `item_lock(hash)`
      return callee.operation.role == SiteRole::wrapper ? lockExpression(*call.expression, context)
                                                        : "";
    return lockText(
        *expression,
        isThroughArrow(*call.expression) && expression == argumentOf(*call.expression, 0), context);
  }

  void visit(const Call &call) {
    const Callee *callee = calleeOf(*call.callee);
    if (onlyWrappers) {
      if (callee && callee->effect)
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
      describeLock(site, call, callee, lock);
    if (takesLock(site.role)) {
      site.sectionHash = hashSection(call, site.expression);
      addSection(site, call, operation);
    }

    site.inFunction = current ? mangler.names(*current).front() : "";
    table.sites.push_back(std::move(site));
    indexAt(table.sites.size() - 1, call.debugLocation);
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
    const Place place = placeOf(site.location, sources);
    site.file = place.file;
    site.line = place.line;
    site.column = place.column;
    if (current)
      site.function = functionName(*current);
    else if (initialised)
      site.function = declarationName(*initialised);
  }

  void describeLock(LockSite &site, const Call &call, const Callee &callee, unsigned lock) {
    site.lockType = callee.operation.lockType;
    site.expression = expressionOf(call, callee, lock);
    if (callee.effect && callee.effect->taken)
      if (const ValueDecl *declaration = callee.effect->taken->asCallersKnowIt().declaration()) {
        setDeclaration(site, declaration);
        return;
      }
    const Expr *expression = lockOf(call, callee, lock);
    const CXXRecordDecl *record =
        expression ? expression->getType()->getAsCXXRecordDecl() : nullptr;
    // A guard, ours to name or not, is not its lock.
    const auto &locks = callee.operation.locks;
    const bool isGuard = lock < locks.size() && !locks[lock].loads.empty() &&
                         expression == argumentOf(*call.expression, locks[lock].argument);
    if (!expression || isGuard || !mayBeLock(expression->getType()) ||
        (record && isStandardGuard(*record)))
      return;
    site.lockType = lockTypeName(*expression, context);
    setDeclaration(site, lockDeclaration(*expression), /*andType=*/false);
  }

  /// What a wrapper is given to lock: an integer chooses one of many, and is none.
  static bool mayBeLock(QualType type) { return !type->isIntegralOrEnumerationType(); }

  void setDeclaration(LockSite &site, const ValueDecl *declaration, bool andType = true) const {
    if (!declaration)
      return;
    if (andType)
      site.lockType = lockTypeName(declaration->getType(), context);
    site.lockName = declarationName(*declaration);
    const Place place = placeOf(declaration->getLocation(), sources);
    site.declFile = place.file;
    site.declLine = place.line;
    site.declColumn = place.column;
  }

  /// A section whose facts are to be decided when all functions are known.
  struct Section {
    std::size_t site;
    SectionStart start;
  };
  std::vector<Section> sections;

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

  /// Is the object at the end of the path made by `new`?
  bool isAllocated() const { return path.size() > 1 && isa<CXXNewExpr>(path[path.size() - 2]); }

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

  /// The debug location of a default argument is the call that it is for.
  SourceLocation defaultArgumentUse() const {
    const auto argument = std::find_if(path.rbegin(), path.rend(),
                                       [](const Stmt *s) { return isa<CXXDefaultArgExpr>(s); });
    if (argument == path.rend() || std::next(argument) == path.rend())
      return {};
    const Stmt *call = *std::next(argument);
    if (const auto *construct = dyn_cast<CXXConstructExpr>(call))
      return construct->getLocation();
    return cast<Expr>(call)->getExprLoc();
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
        const Place place = placeOf(inFile, sources);
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
    const Place place = placeOfRoutine(routine);
    site.file = place.file;
    site.line = place.line;
    site.column = place.column;
    site.function = functionName(routine);
    site.inFunction = current ? mangler.names(*current).front() : "";
    table.sites.push_back(std::move(site));
    indexAt(table.sites.size() - 1, call.debugLocation);
  }

  Place placeOfRoutine(const FunctionDecl &function) const {
    const FunctionDecl *definition = function.getDefinition();
    return placeOf((definition ? definition : &function)->getLocation(), sources);
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
  Mangler mangler;
  const FunctionDecl *current = nullptr;
  const VarDecl *initialised = nullptr;
  LibraryOperations library;
  Wrappers wrappers;
  bool onlyWrappers = false; ///< the second time: only calls of wrappers found are sites
  CallEffects effects;
  std::vector<const Stmt *> path; ///< from the outermost statement to this one
  llvm::DenseMap<const FunctionDecl *, std::unique_ptr<Callee>> callees;
  llvm::DenseSet<const FunctionDecl *> traversed;
  /// The sites of a call, by number: from the first to one past the last.
  llvm::DenseMap<std::pair<const FunctionDecl *, const Expr *>, std::pair<std::size_t, std::size_t>>
      seen;
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
