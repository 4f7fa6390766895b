// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/Hooks.h"

#include "plugin/CallEdges.h"
#include "plugin/HookEmitter.h"
#include "plugin/LibraryOperations.h"
#include "plugin/SiteRecords.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/EscapeEnumerator.h"

#include <optional>
#include <set>

using namespace qdadvise;
using llvm::CallBase;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::StringRef;
using llvm::Value;

namespace {

constexpr llvm::StringLiteral doneMarker = "qdadvise.instrumented";

/// A call of a lock operation.
struct OperationCall {
  CallBase *call;
  const LockOperation *operation;
  StringRef callee; ///< as the table has it
};

/// The mangled name as the AST has it: a leading \1 keeps it from being mangled again.
StringRef mangledName(const llvm::GlobalValue &value) {
  StringRef name = value.getName();
  name.consume_front("\1");
  return name;
}

/// What stands for a lambda without linkage in mangled names, with a number that depends on
/// what else was mangled before.
constexpr llvm::StringLiteral lambdaMark = "$_";

std::string withoutLambdaNumbers(StringRef name) {
  std::string result;
  while (!name.empty()) {
    const std::size_t mark = name.find(lambdaMark);
    result += name.take_front(mark).rtrim("0123456789"); // its length stands before it
    if (mark == StringRef::npos)
      break;
    result += lambdaMark;
    name = name.drop_front(mark + lambdaMark.size()).ltrim("0123456789");
  }
  return result;
}

/// Where the file of a debug location lies, spelled in one way whatever folder
/// the compiler was started in.
std::string normalizedPath(const llvm::DIFile *file) {
  llvm::SmallString<256> path;
  if (!llvm::sys::path::is_absolute(file->getFilename()))
    path = file->getDirectory();
  llvm::sys::path::append(path, file->getFilename());
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

const llvm::DIFile *fileOf(const CallBase &call) {
  if (const llvm::DebugLoc &location = call.getDebugLoc())
    return location->getFile();
  if (const llvm::DISubprogram *function = call.getFunction()->getSubprogram())
    return function->getFile();
  return nullptr;
}

std::string fileName(const CallBase &call) {
  const llvm::DIFile *file = fileOf(call);
  return file ? file->getFilename().str() : call.getModule()->getSourceFileName();
}

/// What the AST says of a site.
SiteDescription described(const LockSite &known) {
  SiteDescription said;
  said.line = known.line;
  said.column = known.column;
  said.ordinal = known.ordinal;
  said.declLine = known.declLine;
  said.declColumn = known.declColumn;
  said.sectionHash = known.sectionHash;
  said.facts = known.facts;
  said.file = known.file;
  said.function = known.function;
  said.expression = known.expression;
  said.lockName = known.lockName;
  said.lockType = known.lockType;
  said.declFile = known.declFile;
  return said;
}

class Inserter {
public:
  Inserter(llvm::Module &owner, const LockTable &lockTable, const HookSettings &hookSettings)
      : module(owner), table(lockTable), settings(hookSettings), records(owner),
        hooks(owner, hookSettings.mode) {
    for (const LockSite &site : table.sites) {
      functionNames.try_emplace(site.inFunction, site.function);
      calleesIn[site.inFunction].insert(site.callee);
    }
    for (const auto &operation : table.operations)
      if (operation.first().contains(lambdaMark))
        lambdaOperations[withoutLambdaNumbers(operation.first())].push_back(&operation);
  }

  bool run();

private:
  bool mayHold(const llvm::Function &function) const;
  void findOperations(llvm::Function &function, llvm::SmallVectorImpl<OperationCall> &found) const;
  std::optional<OperationCall> operationOf(CallBase &call) const;
  std::optional<OperationCall> virtualOperationOf(CallBase &call) const;
  std::optional<OperationCall> lambdaOperationOf(CallBase &call, StringRef name) const;
  bool insert(const OperationCall &found);
  void nameStartRoutines();
  void markBody(llvm::Function &function, const CallerSite &body);

  Site &site(const OperationCall &found, unsigned lockIndex);
  SiteDescription describe(const OperationCall &found, unsigned lockIndex) const;

  void acquire(CallBase *call, const OperationCall &found, llvm::ArrayRef<Value *> locks);
  void bracket(CallBase *call, const OperationCall &found, Value *lock, Instant before,
               Instant after);
  void wrap(CallBase *call, const OperationCall &found, Value *lock);
  bool isSite(const CallBase &call, StringRef callee) const;
  void emitAt(Instruction *place, const llvm::DebugLoc &location, Site &where, Instant instant,
              Value *address);

  llvm::Module &module;
  const LockTable &table;
  const HookSettings &settings;
  SiteRecords records;
  HookEmitter hooks;
  llvm::StringMap<StringRef> functionNames;       ///< as people write them, by mangled name
  llvm::StringMap<std::set<StringRef>> calleesIn; ///< operations called, by mangled name
  /// By mangled name without the numbers of lambdas, which AST and IR count differently.
  llvm::StringMap<llvm::SmallVector<const llvm::StringMapEntry<LockOperation> *, 1>>
      lambdaOperations;
  llvm::DenseMap<const llvm::Function *, unsigned> unplaced; ///< sites without a line, so far
};

} // namespace

bool Inserter::run() {
  llvm::SmallVector<OperationCall, 32> found;
  for (llvm::Function &function : module)
    if (mayHold(function))
      findOperations(function, found);
  for (const OperationCall &operation : found)
    insert(operation);
  for (const CallerSite &body : table.callerSites)
    for (const std::string &name : body.names)
      if (llvm::Function *function = module.getFunction(name))
        markBody(*function, body);
  nameStartRoutines();
  hooks.finish();
  return records.finish();
}

/// Whether a function's calls are to be looked at. Windows' way of unwinding
/// wants every call to name its funclet; no target with sleds has it.
bool Inserter::mayHold(const llvm::Function &function) const {
  if (function.isDeclaration() || function.hasFnAttribute(llvm::Attribute::Naked))
    return false;
  if (function.hasPersonalityFn() &&
      llvm::isScopedEHPersonality(llvm::classifyEHPersonality(function.getPersonalityFn())))
    return false;
  return !table.isOpaque(mangledName(function));
}

void Inserter::findOperations(llvm::Function &function,
                              llvm::SmallVectorImpl<OperationCall> &found) const {
  for (Instruction &instruction : llvm::instructions(function))
    if (llvm::isa<llvm::CallInst, llvm::InvokeInst>(instruction))
      if (const auto operation = operationOf(llvm::cast<CallBase>(instruction)))
        found.push_back(*operation);
}

std::optional<OperationCall> Inserter::operationOf(CallBase &call) const {
  // A constructor's name may be an alias of another's; the table has the names of
  // the source, so each step on the way may be the known one.
  Value *callee = call.getCalledOperand()->stripPointerCasts();
  if (llvm::isa<llvm::LoadInst>(callee))
    return virtualOperationOf(call);
  while (auto *global = llvm::dyn_cast<llvm::GlobalValue>(callee)) {
    const StringRef name = mangledName(*global);
    if (name.contains(lambdaMark))
      if (const auto operation = lambdaOperationOf(call, name))
        return operation;
    const auto known = table.operations.find(name);
    if (known != table.operations.end())
      return OperationCall{&call, &known->second, known->first()};
    auto *alias = llvm::dyn_cast<llvm::GlobalAlias>(global);
    if (!alias)
      break;
    callee = alias->getAliasee()->stripPointerCasts();
  }
  return std::nullopt;
}

/// A function made for a lambda (`std::thread(lambda)`): of those whose names differ in the
/// lambda's number, the place tells which.
std::optional<OperationCall> Inserter::lambdaOperationOf(CallBase &call, StringRef name) const {
  const auto candidates = lambdaOperations.find(withoutLambdaNumbers(name));
  if (candidates != lambdaOperations.end())
    for (const auto *known : candidates->second)
      if (isSite(call, known->first()))
        return OperationCall{&call, &known->second, known->first()};
  return std::nullopt;
}

/// A virtual call has no callee in IR: the place tells which operation it is.
std::optional<OperationCall> Inserter::virtualOperationOf(CallBase &call) const {
  const llvm::DebugLoc &location = call.getDebugLoc();
  const StringRef function = mangledName(*call.getFunction());
  const auto callees = calleesIn.find(function);
  if (!location || callees == calleesIn.end())
    return std::nullopt;
  for (const StringRef callee : callees->second) {
    const auto known = table.operations.find(callee);
    if (callee.starts_with("_Z") && known != table.operations.end() && isSite(call, callee))
      return OperationCall{&call, &known->second, known->first()};
  }
  return std::nullopt;
}

/// Puts the hooks around one call. A call that leaves no room for them is left alone.
bool Inserter::insert(const OperationCall &found) {
  CallBase *call = found.call;
  const LockOperation &operation = *found.operation;
  const bool hasAfter = operation.role != SiteRole::release &&
                        operation.role != SiteRole::lifetime && operation.role != SiteRole::spawn;
  if (hasAfter && (call->isMustTailCall() || call->doesNotReturn()))
    return false;

  IRBuilder<> before(call);
  before.SetCurrentDebugLocation(call->getDebugLoc());
  // unique_lock: what its field points to says nothing unless it owns it.
  if (operation.role == SiteRole::release && operation.onlyIfOwned) {
    Instruction *owned = llvm::SplitBlockAndInsertIfThen(
        ownsLock(before, *call, operation.ownsOffset), call->getIterator(), /*Unreachable=*/false);
    owned->setDebugLoc(call->getDebugLoc());
    before.SetInsertPoint(owned);
    before.SetCurrentDebugLocation(call->getDebugLoc());
  }

  llvm::SmallVector<Value *, 2> locks;
  for (const AddressPath &path : operation.locks) {
    Value *address = lockAddress(before, *call, path);
    if (!address && operation.role == SiteRole::wrapper) // a number, or no argument in IR
      continue;
    if (!address)
      return false;
    locks.push_back(address);
  }
  if (locks.empty()) {
    if (operation.role != SiteRole::block && operation.role != SiteRole::wrapper &&
        operation.role != SiteRole::spawn)
      return false;
    locks.push_back(llvm::ConstantPointerNull::get(before.getPtrTy()));
  }

  switch (operation.role) {
  case SiteRole::acquire:
    acquire(call, found, locks);
    break;
  case SiteRole::release:
    for (unsigned index = 0; index < locks.size(); ++index)
      hooks.emit(before, site(found, index), Instant::release, locks[index]);
    break;
  case SiteRole::wait:
    bracket(call, found, locks.front(), Instant::wait, Instant::wake);
    break;
  case SiteRole::block:
    bracket(call, found, locks.front(), Instant::block, Instant::unblock);
    break;
  case SiteRole::wrapper:
    wrap(call, found, locks.front());
    break;
  case SiteRole::lifetime:
    hooks.emit(before, site(found, 0), Instant::retire, locks.front());
    break;
  case SiteRole::spawn:
    if (!isSite(*call, found.callee))
      return false;
    hooks.emit(before, site(found, 0), Instant::spawn, locks.front());
    break;
  case SiteRole::threadStart:
    return false;
  }
  return true;
}

void Inserter::emitAt(Instruction *place, const llvm::DebugLoc &location, Site &where,
                      Instant instant, Value *address) {
  IRBuilder<> builder(place);
  builder.SetCurrentDebugLocation(location);
  hooks.emit(builder, where, instant, address);
}

/// Attempt before; after it acquire, or fail. Of several locks taken by one call
/// the first has the waiting: the others are attempted when all are there.
void Inserter::acquire(CallBase *call, const OperationCall &found, llvm::ArrayRef<Value *> locks) {
  const llvm::DebugLoc location = call->getDebugLoc();
  llvm::SmallVector<Site *, 2> where;
  for (unsigned index = 0; index < locks.size(); ++index)
    where.push_back(&site(found, index));

  emitAt(call, location, *where.front(), Instant::attempt, locks.front());
  const Continuation after = continuationOf(call, settings.personality);
  if (after.unwound)
    emitAt(after.unwound, location, *where.front(), Instant::fail, locks.front());

  Instruction *taken = after.normal;
  IRBuilder<> builder(after.normal);
  builder.SetCurrentDebugLocation(location);
  if (Value *success = succeeded(builder, *after.call, *found.operation)) {
    Instruction *failed = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(success, after.normal->getIterator(), &taken, &failed);
    taken->setDebugLoc(location);
    failed->setDebugLoc(location);
    emitAt(failed, location, *where.front(), Instant::fail, locks.front());
  }
  emitAt(taken, location, *where.front(), Instant::acquire, locks.front());
  for (unsigned index = 1; index < locks.size(); ++index) {
    emitAt(taken, location, *where[index], Instant::attempt, locks[index]);
    emitAt(taken, location, *where[index], Instant::acquire, locks[index]);
  }
}

void Inserter::bracket(CallBase *call, const OperationCall &found, Value *lock, Instant before,
                       Instant after) {
  const llvm::DebugLoc location = call->getDebugLoc();
  Site &where = site(found, 0);
  emitAt(call, location, where, before, lock);
  const Continuation next = continuationOf(call, settings.personality);
  emitAt(next.normal, location, where, after, lock);
  if (next.unwound)
    emitAt(next.unwound, location, where, after, lock);
}

/// A wrapper says nothing of success: the runtime sees whether a lock is held.
void Inserter::wrap(CallBase *call, const OperationCall &found, Value *lock) {
  const llvm::DebugLoc location = call->getDebugLoc();
  Site &where = site(found, 0);
  emitAt(call, location, where, Instant::attempt, lock);
  const Continuation next = continuationOf(call, settings.personality);
  emitAt(next.normal, location, where, Instant::acquire, lock);
  if (next.unwound)
    emitAt(next.unwound, location, where, Instant::fail, lock);
}

bool Inserter::isSite(const CallBase &call, StringRef callee) const {
  const llvm::DebugLoc &location = call.getDebugLoc();
  return location && table.find(callee, mangledName(*call.getFunction()), location.getLine(),
                                location.getCol());
}

Site &Inserter::site(const OperationCall &found, unsigned lockIndex) {
  const CallBase &call = *found.call;
  const llvm::Function &function = *call.getFunction();
  unsigned line = 0, column = 0;
  if (const llvm::DebugLoc &location = call.getDebugLoc()) {
    line = location.getLine();
    column = location.getCol();
  }
  // Equal keys mean one site. Only a name that the language makes unique
  // identifies a function without its file.
  std::string key = settings.mode == HookMode::xray ? "xray" : "call";
  if (const llvm::DIFile *file = fileOf(call); file && !function.hasLinkOnceODRLinkage())
    key += "|" + normalizedPath(file);
  key += "|" + mangledName(function).str() + "|" + found.callee.str();
  key += "|" + llvm::utostr(line) + ":" + llvm::utostr(column) + "|" + llvm::utostr(lockIndex);
  if (line == 0)
    key += "|" + llvm::utostr(unplaced[&function]++);
  return records.site(key, [&] { return describe(found, lockIndex); });
}

SiteDescription Inserter::describe(const OperationCall &found, unsigned lockIndex) const {
  // What the standard library does for the user is the user's.
  const CallBase &call = callByUser(*found.call);
  const LockOperation &operation = *found.operation;
  unsigned line = 0, column = 0;
  if (const llvm::DebugLoc &location = call.getDebugLoc()) {
    line = location.getLine();
    column = location.getCol();
  }

  SiteDescription said;
  const StringRef function = mangledName(*call.getFunction());
  if (const LockSite *known = table.find(found.callee, function, line, column, lockIndex)) {
    said = described(*known);
  } else {
    said.line = line;
    said.column = column;
    said.file = fileName(call);
    const auto named = functionNames.find(function);
    said.function = named != functionNames.end() ? named->second.str() : llvm::demangle(function);
    said.lockType = operation.lockType;
  }
  said.role = operation.role;
  said.kind = operation.kind;
  said.flags = operation.flags;
  if (const auto around = table.operations.find(function); around != table.operations.end()) {
    const SiteRole outer = around->second.role;
    if (said.role == SiteRole::release
            ? outer == SiteRole::release
            : takesLock(said.role) && takesLock(outer) && function != "main")
      said.flags |= siteInner;
  }
  return said;
}

/// Hooks in the body of a wrapper, whose address is where it was called from. It must stay
/// a function for that.
void Inserter::markBody(llvm::Function &function, const CallerSite &body) {
  if (!mayHold(function) || !function.hasExternalLinkage() ||
      function.hasFnAttribute(llvm::Attribute::AlwaysInline) || function.isPresplitCoroutine())
    return;
  const std::string mode = settings.mode == HookMode::xray ? "xray" : "call";
  Site &where = records.site(mode + "|body|" + function.getName().str(), [&] {
    SiteDescription said = described(body.site);
    said.role = SiteRole::wrapper;
    said.flags = siteByCaller;
    return said;
  });
  function.addFnAttr(llvm::Attribute::NoInline);
  IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::DebugLoc location;
  if (llvm::DISubprogram *scope = function.getSubprogram())
    location = llvm::DILocation::get(function.getContext(), scope->getLine(), 0, scope);
  builder.SetCurrentDebugLocation(location);
  Value *caller =
      builder.CreateIntrinsic(llvm::Intrinsic::returnaddress, {}, {builder.getInt32(0)});
  hooks.emit(builder, where, Instant::attempt, caller);
  llvm::EscapeEnumerator escapes(function, "qdadvise.escape");
  while (IRBuilder<> *leaving = escapes.Next()) {
    const bool returns = llvm::isa<llvm::ReturnInst>(leaving->GetInsertBlock()->getTerminator());
    leaving->SetCurrentDebugLocation(location);
    hooks.emit(*leaving, where, returns ? Instant::acquire : Instant::fail, caller);
  }
}

/// A record for each function that starts a thread, so that a profile can name
/// the classes of threads.
void Inserter::nameStartRoutines() {
  for (const StartRoutine &routine : table.startRoutines) {
    llvm::Function *function = module.getFunction(routine.mangledName);
    if (!function || function->use_empty())
      continue;
    std::string key = "start|" + routine.mangledName;
    if (function->hasLocalLinkage())
      key += "|" + routine.file + "|" + module.getSourceFileName();
    Site &start = records.site(key, [&] {
      SiteDescription said;
      said.role = SiteRole::threadStart;
      said.line = routine.line;
      said.column = routine.column;
      said.file = routine.file;
      said.function = routine.function;
      return said;
    });
    start.thunks[0] = function;
  }
}

bool qdadvise::insertHooks(llvm::Module &module, const LockTable &table,
                           const HookSettings &settings) {
  if (module.getNamedMetadata(doneMarker))
    return false;
  module.getOrInsertNamedMetadata(doneMarker);
  Inserter(module, table, settings).run();
  if (settings.dropsLocations)
    llvm::StripDebugInfo(module);
  return true;
}

namespace {

struct HookPass : llvm::PassInfoMixin<HookPass> {
  std::shared_ptr<const LockTable> table;
  HookSettings settings;

  HookPass(std::shared_ptr<const LockTable> lockTable, HookSettings hookSettings)
      : table(std::move(lockTable)), settings(hookSettings) {}

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    return insertHooks(module, *table, settings) ? llvm::PreservedAnalyses::none()
                                                 : llvm::PreservedAnalyses::all();
  }

  /// At -O0 and in functions that want no optimisation too.
  static bool isRequired() { return true; }
};

} // namespace

void qdadvise::registerHookPass(llvm::PassBuilder &builder, std::shared_ptr<const LockTable> table,
                                HookSettings settings) {
  builder.registerPipelineStartEPCallback(
      [table, settings](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
        passes.addPass(HookPass(table, settings));
      });
}

void qdadvise::registerHooksWithoutPipeline(llvm::PassBuilder &builder,
                                            std::shared_ptr<const LockTable> table,
                                            HookSettings settings) {
  llvm::PassInstrumentationCallbacks *callbacks = builder.getPassInstrumentationCallbacks();
  if (!callbacks)
    return;
  callbacks->registerBeforeNonSkippedPassCallback([table, settings](StringRef, llvm::Any unit) {
    // A pass sees its module as constant here; the compiler owns it, and it is not.
    if (const auto *module = llvm::any_cast<const llvm::Module *>(&unit))
      insertHooks(const_cast<llvm::Module &>(**module), *table, settings);
  });
}
