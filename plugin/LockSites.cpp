// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/LockSites.h"

#include "plugin/LibraryOperations.h"
#include "plugin/LockApi.h"
#include "plugin/LockNames.h"
#include "plugin/SectionFacts.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <map>
#include <optional>

using namespace clang;

namespace qdadvise {
namespace {

/// Mangled names as IR has them.
class Mangler {
public:
  explicit Mangler(ASTContext &context) : mangle(context.createMangleContext()) {}

  /// All names of a function. The first stands for it: the base variant (C2, D2) of a
  /// constructor or destructor, which is the one IR calls.
  llvm::SmallVector<std::string, 3> names(const FunctionDecl &function) {
    if (const auto *constructor = dyn_cast<CXXConstructorDecl>(&function))
      return {name(GlobalDecl(constructor, Ctor_Base)),
              name(GlobalDecl(constructor, Ctor_Complete))};
    if (const auto *destructor = dyn_cast<CXXDestructorDecl>(&function))
      return {name(GlobalDecl(destructor, Dtor_Base)), name(GlobalDecl(destructor, Dtor_Complete)),
              name(GlobalDecl(destructor, Dtor_Deleting))};
    return {name(GlobalDecl(&function))};
  }

private:
  std::string name(GlobalDecl decl) {
    const auto &named = cast<NamedDecl>(*decl.getDecl());
    std::string result;
    llvm::raw_string_ostream stream(result);
    if (mangle->shouldMangleDeclName(&named))
      mangle->mangleName(decl, stream);
    else
      stream << named.getName();
    return result;
  }

  std::unique_ptr<MangleContext> mangle;
};

/// A callee that is an operation.
struct Callee {
  LockOperation operation;
  std::string name;
};

/// A call on the way to an operation: what the user wrote, as IR and as people see it.
struct Call {
  const Expr *expression;
  const FunctionDecl *callee;
  SourceLocation debugLocation;
  bool isGuardVariable = false;
};

/// The AST's expression for an argument as IR counts them.
const Expr *argumentOf(const Call &call, unsigned argument) {
  if (const auto *construct = dyn_cast<CXXConstructExpr>(call.expression))
    return argument > 0 && argument <= construct->getNumArgs() ? construct->getArg(argument - 1)
                                                               : nullptr;
  if (const auto *member = dyn_cast<CXXMemberCallExpr>(call.expression)) {
    if (argument == 0)
      return member->getImplicitObjectArgument();
    --argument;
  }
  const auto *plain = cast<CallExpr>(call.expression);
  return argument < plain->getNumArgs() ? plain->getArg(argument) : nullptr;
}

/// Names a pointer by what it points to, where the call says so (`p->lock()`).
bool isThroughArrow(const Call &call) {
  const auto *member = dyn_cast<CXXMemberCallExpr>(call.expression);
  const auto *access = member ? dyn_cast<MemberExpr>(member->getCallee()->IgnoreParens()) : nullptr;
  return access && access->isArrow() && !access->isImplicitAccess();
}

class Collector : public RecursiveASTVisitor<Collector> {
  using Base = RecursiveASTVisitor<Collector>;

public:
  Collector(ASTContext &astContext, const LockApi &lockApi, LockTable &lockTable)
      : context(astContext), sources(astContext.getSourceManager()), api(lockApi), table(lockTable),
        mangler(astContext), library(lockApi) {}

  void run() {
    TraverseDecl(context.getTranslationUnitDecl());
    numberSites();
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
    if (const std::optional<unsigned> argument = startRoutineArgument(*callee))
      addStartRoutine(*call, *argument, /*isRoutine=*/true);
    // A wrapper that starts threads is handed the routine: what looks like one is named.
    for (unsigned index = 0; index < call->getNumArgs(); ++index)
      addStartRoutine(*call, index, /*isRoutine=*/false);
    visit({call, callee, call->getExprLoc()});
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
    const FunctionDecl *key = function.getCanonicalDecl();
    const auto known = callees.find(key);
    if (known != callees.end())
      return known->second ? &*known->second : nullptr;
    std::optional<Callee> &callee = callees[key];
    if (std::optional<LockOperation> operation = api.lockOperationOf(function)) {
      const auto names = mangler.names(function);
      table.addOperation(names, *operation);
      callee = Callee{std::move(*operation), names.front()};
    }
    return callee ? &*callee : nullptr;
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
    for (const Stmt *statement : llvm::reverse(path)) {
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
    const Callee *callee = function ? calleeOf(*function) : nullptr;
    return callee && callee->operation.role == SiteRole::release &&
           expressionOf({call, function, {}}, callee->operation, 0) == expression;
  }

  /// The argument of a call of the library that is the lock of an operation within:
  /// the first that is a guard or has the lock's type.
  const Expr *lockWithin(const Call &call, const LockOperation &operation) const {
    for (unsigned i = 0; const Expr *argument = argumentOf(call, i); ++i) {
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

  const Expr *lockOf(const Call &call, const LockOperation &operation, unsigned lock) const {
    if (!api.lockOperationOf(*call.callee))
      return lockWithin(call, operation);
    const AddressPath &address = operation.locks[lock];
    const Expr *argument = argumentOf(call, address.argument);
    if (!argument || address.loads.empty())
      return argument;
    unsigned inGuard = 0; // the how manieth lock of this guard
    for (unsigned i = 0; i < lock; ++i)
      inGuard += operation.locks[i].argument == address.argument;
    return &throughGuard(*argument, inGuard);
  }

  std::string expressionOf(const Call &call, const LockOperation &operation, unsigned lock) const {
    const Expr *expression = lockOf(call, operation, lock);
    if (!expression)
      return "";
    return isThroughArrow(call) && expression == argumentOf(call, 0)
               ? pointeeExpression(*expression, context)
               : lockExpression(*expression, context);
  }

  void visit(const Call &call) {
    llvm::SmallVector<const Callee *, 2> performed;
    if (const Callee *callee = calleeOf(*call.callee))
      performed.push_back(callee);
    else
      for (const FunctionDecl *inner : library.within(*call.callee))
        if (const Callee *operation = calleeOf(*inner))
          performed.push_back(operation);
    if (performed.empty())
      return;
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
    if (lock < operation.locks.size())
      describeLock(site, call, operation, lock);
    if (site.role == SiteRole::acquire || site.role == SiteRole::wait)
      site.sectionHash = hashSection(call, site.expression);

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

  void describeLock(LockSite &site, const Call &call, const LockOperation &operation,
                    unsigned lock) {
    site.lockType = operation.lockType;
    site.expression = expressionOf(call, operation, lock);
    const Expr *expression = lockOf(call, operation, lock);
    const CXXRecordDecl *record =
        expression ? expression->getType()->getAsCXXRecordDecl() : nullptr;
    if (!expression || (record && isStandardGuard(*record)))
      return;
    site.lockType = lockTypeName(*expression, context);
    const ValueDecl *declaration = lockDeclaration(*expression);
    if (!declaration)
      return;
    site.lockName = declarationName(*declaration);
    const Place place = placeOf(declaration->getLocation(), sources);
    site.declFile = place.file;
    site.declLine = place.line;
    site.declColumn = place.column;
  }

  std::uint64_t hashSection(const Call &call, llvm::StringRef expression) {
    SectionEnd end = SectionEnd::unlock;
    if (isa<CXXConstructExpr>(call.expression))
      end = call.isGuardVariable ? SectionEnd::scope : SectionEnd::statement;
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

  /// Is it a function as pthread_create wants it, `void *(void *)`?
  static bool looksLikeRoutine(const FunctionDecl &function) {
    return function.getReturnType()->isVoidPointerType() && function.getNumParams() == 1 &&
           !function.isVariadic() && function.getParamDecl(0)->getType()->isVoidPointerType();
  }

  void addStartRoutine(const CallExpr &call, unsigned index, bool isRoutine) {
    if (index >= call.getNumArgs())
      return;
    const Expr *routine = call.getArg(index)->IgnoreParenCasts();
    if (const auto *address = dyn_cast<UnaryOperator>(routine);
        address && address->getOpcode() == UO_AddrOf)
      routine = address->getSubExpr()->IgnoreParenCasts();
    const auto *reference = dyn_cast<DeclRefExpr>(routine);
    const auto *function = reference ? dyn_cast<FunctionDecl>(reference->getDecl()) : nullptr;
    if (!function || !(isRoutine || looksLikeRoutine(*function)))
      return;
    const std::string name = mangler.names(*function).front();
    if (!startRoutines.insert(name).second)
      return;
    const FunctionDecl *definition = function->getDefinition();
    const Place place = placeOf((definition ? definition : function)->getLocation(), sources);
    table.startRoutines.push_back(
        {name, functionName(*function), place.file, place.line, place.column});
  }

  /// Ordinals, in the order of the source.
  void numberSites() {
    std::map<std::pair<llvm::StringRef, llvm::StringRef>, std::vector<LockSite *>> groups;
    for (LockSite &site : table.sites)
      if (site.role == SiteRole::acquire || site.role == SiteRole::wait)
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
  std::vector<const Stmt *> path; ///< from the outermost statement to this one
  std::map<const FunctionDecl *, std::optional<Callee>> callees;
  llvm::DenseSet<const FunctionDecl *> traversed;
  /// The sites of a call, by number: from the first to one past the last.
  llvm::DenseMap<std::pair<const FunctionDecl *, const Expr *>, std::pair<std::size_t, std::size_t>>
      seen;
  llvm::StringSet<> startRoutines;
};

std::string siteKey(llvm::StringRef callee, unsigned line, unsigned column, unsigned lockIndex) {
  return (callee + ":" + llvm::Twine(line) + ":" + llvm::Twine(column) + ":" +
          llvm::Twine(lockIndex) + ":")
      .str();
}

/// Is it condition_variable(_any)::wait, wait_for or wait_until, as a template?
bool isWaitTemplateName(llvm::StringRef name) {
  return name.contains("4waitI") || name.contains("8wait_forI") || name.contains("10wait_untilI");
}

/// Is it a template that is given a guard, and neither a member of the guard nor a part
/// of std::lock and std::try_lock?
bool holdsGuard(llvm::StringRef name) {
  for (const llvm::StringRef part : {"lock_impl", "__try_to_lock", "_Unlock", "__unlock"})
    if (name.contains(part))
      return false;
  for (const llvm::StringRef guard :
       {"11unique_lockI", "10lock_guardI", "11scoped_lockI", "11shared_lockI"}) {
    const std::size_t at = name.find(guard);
    if (at != llvm::StringRef::npos && name.take_front(at).contains('I'))
      return true;
  }
  return false;
}

} // namespace

void LockTable::addOperation(llvm::ArrayRef<std::string> names, const LockOperation &operation) {
  for (const std::string &name : names) {
    operations[name] = operation;
    if (name != names.front())
      baseVariants[name] = names.front();
  }
}

bool LockTable::isLibraryName(llvm::StringRef name) {
  if (!name.consume_front("_Z"))
    return false;
  while (name.consume_front("Z")) // within another function
    continue;
  if (name.consume_front("N"))
    name = name.ltrim("rVKROH");
  if (name.consume_front("L")) { // internal linkage: the wrappers of libstdc++ around pthreads
    name = name.ltrim("0123456789");
    return name.starts_with("__gthr");
  }
  return name.starts_with("9__gnu_cxx") ||
         (name.size() > 1 && name[0] == 'S' && llvm::StringRef("tabsiod").contains(name[1]));
}

bool LockTable::isOpaque(llvm::StringRef mangledFunction) const {
  if (opaqueFunctions.contains(mangledFunction))
    return true;
  if (!isLibraryName(mangledFunction))
    return false;
  if (mangledFunction.contains("condition_variable"))
    return !isWaitTemplateName(mangledFunction) || operations.contains(mangledFunction);
  return !holdsGuard(mangledFunction) || operations.contains(mangledFunction);
}

const LockSite *LockTable::find(llvm::StringRef callee, llvm::StringRef inFunction, unsigned line,
                                unsigned column, unsigned lockIndex) const {
  const auto variant = baseVariants.find(callee);
  const llvm::StringRef base = variant == baseVariants.end() ? callee : variant->second;
  const std::string key = siteKey(base, line, column, lockIndex);
  auto found = siteAt.find(key + inFunction.str());
  if (found == siteAt.end())
    found = siteAt.find(key);
  return found == siteAt.end() ? nullptr : &sites[found->second];
}

void LockTable::index(std::size_t site, llvm::ArrayRef<std::string> inFunctions, unsigned line,
                      unsigned column) {
  const std::string key = siteKey(sites[site].callee, line, column, sites[site].lockIndex);
  siteAt.try_emplace(key, site); // in any function: where lambdas are numbered otherwise
  for (const std::string &function : inFunctions)
    siteAt.try_emplace(key + function, site);
}

LockTable findLockSites(ASTContext &context, const LockApi &api) {
  LockTable table;
  Collector(context, api, table).run();
  return table;
}

} // namespace qdadvise
