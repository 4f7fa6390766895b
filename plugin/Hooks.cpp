// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/Hooks.h"

#include "plugin/HookEmitter.h"
#include "plugin/SiteRecords.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

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

class Inserter {
public:
  Inserter(llvm::Module &owner, const LockTable &lockTable, const HookSettings &hookSettings)
      : module(owner), table(lockTable), settings(hookSettings), records(owner),
        hooks(owner, hookSettings.mode) {
    for (const LockSite &site : table.sites)
      functionNames.try_emplace(site.inFunction, site.function);
  }

  bool run();

private:
  bool mayHold(const llvm::Function &function) const;
  void findOperations(llvm::Function &function, llvm::SmallVectorImpl<OperationCall> &found) const;
  bool insert(const OperationCall &found);
  void nameStartRoutines();

  Site &site(const OperationCall &found, unsigned lockIndex);
  SiteDescription describe(const OperationCall &found, unsigned lockIndex) const;

  void acquire(CallBase *call, const OperationCall &found, llvm::ArrayRef<Value *> locks);
  void bracket(CallBase *call, const OperationCall &found, Value *lock, Instant before,
               Instant after);
  void emitAt(Instruction *place, const llvm::DebugLoc &location, Site &where, Instant instant,
              Value *address);

  llvm::Module &module;
  const LockTable &table;
  const HookSettings &settings;
  SiteRecords records;
  HookEmitter hooks;
  llvm::StringMap<StringRef> functionNames; ///< as people write them, by mangled name
  llvm::DenseMap<const llvm::Function *, unsigned> unplaced; ///< sites without a line, so far
};

/// The lock that `path` leads to, loaded in front of the call; null if the call
/// has no such pointer.
Value *lockAddress(IRBuilder<> &builder, const CallBase &call, const AddressPath &path) {
  // A class returned in memory comes before the arguments of the source.
  const unsigned shift = call.hasStructRetAttr() ? 1 : 0;
  const unsigned index = path.argument + shift;
  if (index >= call.arg_size())
    return nullptr;
  Value *address = call.getArgOperand(index);
  if (!address->getType()->isPointerTy())
    return nullptr;
  for (const std::uint64_t offset : path.loads) {
    if (offset)
      address = builder.CreatePtrAdd(address, builder.getInt64(offset));
    address = builder.CreateLoad(builder.getPtrTy(), address);
  }
  if (path.plus)
    address = builder.CreatePtrAdd(address, builder.getInt64(path.plus));
  return address;
}

/// Whether the guard that is argument 0 owns its lock.
Value *ownsLock(IRBuilder<> &builder, const CallBase &call, std::uint64_t offset) {
  Value *guard = call.getArgOperand(call.hasStructRetAttr() ? 1 : 0);
  Value *field = builder.CreatePtrAdd(guard, builder.getInt64(offset));
  return builder.CreateIsNotNull(builder.CreateLoad(builder.getInt8Ty(), field));
}

/// Whether the call, which has returned, took the lock; null if it always did.
Value *succeeded(IRBuilder<> &builder, CallBase &call, const LockOperation &operation) {
  if (operation.success == Success::ownsField)
    return ownsLock(builder, call, operation.ownsOffset);
  llvm::Type *type = call.getType();
  if (!type->isIntegerTy())
    return nullptr;
  switch (operation.success) {
  case Success::zero:
    return builder.CreateIsNull(&call);
  case Success::nonZero:
    return builder.CreateIsNotNull(&call);
  case Success::minusOne:
    return builder.CreateICmpEQ(&call, llvm::Constant::getAllOnesValue(type));
  case Success::always:
  case Success::ownsField:
    break;
  }
  return nullptr;
}

/// A block that runs when `call` unwinds and nothing in its function catches.
llvm::BasicBlock *createCleanup(llvm::Function &function) {
  llvm::LLVMContext &context = function.getContext();
  auto *block = llvm::BasicBlock::Create(context, "qdadvise.unwind", &function);
  IRBuilder<> builder(block);
  auto *type = llvm::StructType::get(builder.getPtrTy(), builder.getInt32Ty());
  llvm::LandingPadInst *pad = builder.CreateLandingPad(type, 0);
  pad->setCleanup(true);
  builder.CreateResume(pad);
  return block;
}

/// Where to go on after a call.
struct Continuation {
  CallBase *call;       ///< an invoke now, where it was a call that may unwind
  Instruction *normal;  ///< first of what runs only when the call has returned
  Instruction *unwound; ///< first of what runs only when it has unwound; null: it does not
};

Continuation continuationOf(CallBase *call, StringRef personality) {
  llvm::Function &function = *call->getFunction();
  auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(call);
  if (!invoke) {
    if (call->doesNotThrow() || function.doesNotThrow())
      return {call, call->getNextNode(), nullptr};
    if (!function.hasPersonalityFn()) {
      auto *type = llvm::FunctionType::get(llvm::Type::getInt32Ty(function.getContext()), true);
      function.setPersonalityFn(llvm::cast<llvm::Constant>(
          function.getParent()->getOrInsertFunction(personality, type).getCallee()));
    }
    llvm::BasicBlock *before = call->getParent();
    llvm::changeToInvokeAndSplitBasicBlock(llvm::cast<llvm::CallInst>(call),
                                           createCleanup(function));
    invoke = llvm::cast<llvm::InvokeInst>(before->getTerminator());
  }

  llvm::BasicBlock *block = invoke->getParent();
  llvm::BasicBlock *target = invoke->getNormalDest();
  auto *edge =
      llvm::BasicBlock::Create(function.getContext(), "qdadvise.returned", &function, target);
  Instruction *normal = llvm::BranchInst::Create(target, edge);
  target->replacePhiUsesWith(block, edge);
  invoke->setNormalDest(edge);

  llvm::BasicBlock *pad = invoke->getUnwindDest();
  if (!pad->getUniquePredecessor()) {
    llvm::SmallVector<llvm::BasicBlock *, 2> split;
    llvm::SplitLandingPadPredecessors(pad, {block}, ".qdadvise", ".other", split);
    pad = invoke->getUnwindDest();
  }
  return {invoke, normal, &*pad->getFirstInsertionPt()};
}

} // namespace

bool Inserter::run() {
  llvm::SmallVector<OperationCall, 32> found;
  for (llvm::Function &function : module)
    if (mayHold(function))
      findOperations(function, found);
  for (const OperationCall &operation : found)
    insert(operation);
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
  for (Instruction &instruction : llvm::instructions(function)) {
    if (!llvm::isa<llvm::CallInst, llvm::InvokeInst>(instruction))
      continue;
    auto &call = llvm::cast<CallBase>(instruction);
    // A constructor's name may be an alias of another's; the table has the names
    // of the source, so each step on the way may be the known one.
    Value *callee = call.getCalledOperand()->stripPointerCasts();
    while (auto *global = llvm::dyn_cast<llvm::GlobalValue>(callee)) {
      const auto known = table.operations.find(mangledName(*global));
      if (known != table.operations.end()) {
        found.push_back({&call, &known->second, known->first()});
        break;
      }
      auto *alias = llvm::dyn_cast<llvm::GlobalAlias>(global);
      if (!alias)
        break;
      callee = alias->getAliasee()->stripPointerCasts();
    }
  }
}

/// Puts the hooks around one call. A call that leaves no room for them is left alone.
bool Inserter::insert(const OperationCall &found) {
  CallBase *call = found.call;
  const LockOperation &operation = *found.operation;
  const bool hasAfter = operation.role != SiteRole::release;
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
    if (!address)
      return false;
    locks.push_back(address);
  }
  if (locks.empty() && operation.role != SiteRole::block)
    return false;

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
    bracket(call, found,
            locks.empty() ? llvm::ConstantPointerNull::get(before.getPtrTy()) : locks.front(),
            Instant::block, Instant::unblock);
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
  const CallBase &call = *found.call;
  const LockOperation &operation = *found.operation;
  unsigned line = 0, column = 0;
  if (const llvm::DebugLoc &location = call.getDebugLoc()) {
    line = location.getLine();
    column = location.getCol();
  }

  SiteDescription said;
  said.role = operation.role;
  said.kind = operation.kind;
  said.flags = operation.flags;
  const StringRef function = mangledName(*call.getFunction());
  if (const LockSite *known = table.find(found.callee, function, line, column, lockIndex)) {
    said.line = known->line;
    said.column = known->column;
    said.ordinal = known->ordinal;
    said.declLine = known->declLine;
    said.declColumn = known->declColumn;
    said.sectionHash = known->sectionHash;
    said.facts = known->facts;
    said.file = known->file;
    said.function = known->function;
    said.expression = known->expression;
    said.lockName = known->lockName;
    said.lockType = known->lockType;
    said.declFile = known->declFile;
    return said;
  }
  said.line = line;
  said.column = column;
  said.file = fileName(call);
  const auto named = functionNames.find(function);
  said.function = named != functionNames.end() ? named->second.str() : llvm::demangle(function);
  said.lockType = operation.lockType;
  return said;
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
