// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/instrument/HookInserter.h"

#include "plugin/instrument/CallEdges.h"
#include "plugin/instrument/HookEmitter.h"
#include "plugin/instrument/OperationCalls.h"
#include "plugin/instrument/SiteDescriber.h"
#include "plugin/instrument/SiteRecords.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/EscapeEnumerator.h"

using namespace qdadvise;
using llvm::CallBase;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

namespace {

constexpr llvm::StringLiteral doneMarker = "qdadvise.instrumented";

/// The instants before a call, after it, and where it unwinds.
struct CallInstants {
  Instant before, after, unwound;
};

/// The beginning of all keys of sites. A site that is compiled in another way has its own record.
std::string prefixOf(const HookSettings &settings) {
  return hookModeNames[static_cast<unsigned>(settings.mode)].str() + "|" +
         (settings.tracesMemory ? "memory|" : "");
}

class Inserter {
public:
  Inserter(llvm::Module &owner, const LockTable &lockTable, const HookSettings &hookSettings)
      : module(owner), table(lockTable), settings(hookSettings), calls(lockTable),
        describer(lockTable), records(owner, hookSettings.tracesMemory ? siteTraced : 0u),
        hooks(owner, hookSettings.mode), keyPrefix(prefixOf(hookSettings)) {}

  bool run();

private:
  bool insert(const OperationCall &found);
  void nameStartRoutines();
  void markBody(llvm::Function &function, const CallerSite &body);

  Site &site(const OperationCall &found, unsigned lockIndex);

  void acquire(CallBase *call, const OperationCall &found, llvm::ArrayRef<Value *> locks);
  void bracket(CallBase *call, const OperationCall &found, Value *lock,
               const CallInstants &instants);
  void emitAt(Instruction *place, const llvm::DebugLoc &location, Site &where, Instant instant,
              Value *address);

  llvm::Module &module;
  const LockTable &table;
  const HookSettings &settings;
  OperationCalls calls;
  SiteDescriber describer;
  SiteRecords records;
  HookEmitter hooks;
  const std::string keyPrefix;
};

} // namespace

bool Inserter::run() {
  llvm::SmallVector<OperationCall, 32> found;
  for (llvm::Function &function : module)
    if (calls.mayHold(function))
      calls.find(function, found);
  for (const OperationCall &operation : found)
    insert(operation);
  for (const CallerSite &body : table.callerSites)
    for (const std::string &name : body.names)
      if (llvm::Function *function = module.getFunction(name))
        markBody(*function, body);
  nameStartRoutines();
  hooks.finish();
  return records.finish(settings.mode == HookMode::patch);
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
    bracket(call, found, locks.front(), {Instant::wait, Instant::wake, Instant::wake});
    break;
  case SiteRole::block:
    bracket(call, found, locks.front(), {Instant::block, Instant::unblock, Instant::unblock});
    break;
  case SiteRole::wrapper: // says nothing of success: the runtime sees whether a lock is held
    bracket(call, found, locks.front(), {Instant::attempt, Instant::acquire, Instant::fail});
    break;
  case SiteRole::lifetime:
    hooks.emit(before, site(found, 0), Instant::retire, locks.front());
    break;
  case SiteRole::spawn:
    if (!calls.isSite(*call, found.callee))
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

/// Inserts attempt before the call, and acquire or fail after it. Where one call takes several
/// locks, the waiting counts for the first: the others are attempted when all are taken.
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
  Value *success = succeeded(builder, *after.call, *found.operation);
  if (success && locks.size() == 1 &&
      hooks.emitEither(builder, *where.front(), success, locks.front()))
    return;
  if (success) {
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

void Inserter::bracket(CallBase *call, const OperationCall &found, Value *lock,
                       const CallInstants &instants) {
  const llvm::DebugLoc location = call->getDebugLoc();
  Site &where = site(found, 0);
  emitAt(call, location, where, instants.before, lock);
  const Continuation next = continuationOf(call, settings.personality);
  emitAt(next.normal, location, where, instants.after, lock);
  if (next.unwound)
    emitAt(next.unwound, location, where, instants.unwound, lock);
}

Site &Inserter::site(const OperationCall &found, unsigned lockIndex) {
  return records.site(keyPrefix + describer.keyOf(found, lockIndex),
                      [&] { return describer.describe(found, lockIndex); });
}

/// Inserts hooks into the body of a wrapper. Their address is where it was called from, so that it
/// must not be inlined where nobody looks at its hooks afterwards.
void Inserter::markBody(llvm::Function &function, const CallerSite &body) {
  if (!calls.mayHold(function) || !function.hasExternalLinkage() ||
      function.hasFnAttribute(llvm::Attribute::AlwaysInline) || function.isPresplitCoroutine())
    return;
  Site &where = records.site(keyPrefix + "body|" + function.getName().str(), [&] {
    SiteDescription description = descriptionOf(body.site);
    description.role = SiteRole::wrapper;
    description.flags = siteByCaller;
    return description;
  });
  if (!settings.expandsLater)
    function.addFnAttr(llvm::Attribute::NoInline);
  IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::DebugLoc location;
  if (llvm::DISubprogram *scope = function.getSubprogram())
    location = llvm::DILocation::get(function.getContext(), scope->getLine(), 0, scope);
  builder.SetCurrentDebugLocation(location);
  Value *caller =
      builder.CreateIntrinsic(llvm::Intrinsic::returnaddress, {}, {builder.getInt32(0)});
  hooks.emitForCaller(builder, where, Instant::attempt, caller);
  llvm::EscapeEnumerator escapes(function, "qdadvise.escape");
  while (IRBuilder<> *leaving = escapes.Next()) {
    const bool returns = llvm::isa<llvm::ReturnInst>(leaving->GetInsertBlock()->getTerminator());
    leaving->SetCurrentDebugLocation(location);
    hooks.emitForCaller(*leaving, where, returns ? Instant::acquire : Instant::fail, caller);
  }
}

/// Adds a record for each function that starts a thread, so that a profile can name
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
      SiteDescription description;
      description.role = SiteRole::threadStart;
      description.line = routine.line;
      description.column = routine.column;
      description.file = routine.file;
      description.function = routine.function;
      description.ordinal = routine.inner ? *routine.inner + 1 : 0;
      return description;
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
