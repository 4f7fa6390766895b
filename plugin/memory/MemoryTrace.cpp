// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/memory/MemoryTrace.h"

#include "plugin/memory/MemoryAccesses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace qdadvise;
using llvm::BasicBlock;
using llvm::CallBase;
using llvm::Function;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

namespace {

constexpr llvm::StringLiteral doneMarker = "qdadvise.traced";
constexpr llvm::StringLiteral ownPrefix = "__qdadvise";

/// A part of a block between calls, which runs as a whole: whether the thread is traced
/// changes in calls only.
struct Segment {
  Instruction *end = nullptr; ///< the call or terminator that it ends before
  unsigned instructions = 0;  ///< `end` among them, if it is the program's
  llvm::SmallVector<Instruction *, 8> accessing;
};

class Tracer {
public:
  explicit Tracer(llvm::Module &owner);

  void run(Function &function);

private:
  llvm::GlobalVariable *traceVariable();
  llvm::FunctionCallee runtimeFunction(llvm::StringRef name,
                                       llvm::ArrayRef<llvm::Type *> parameters);
  void callRuntime(IRBuilder<> &builder, llvm::FunctionCallee callee,
                   llvm::ArrayRef<Value *> arguments);
  void instrument(const Segment &segment);

  llvm::Module &module;
  llvm::GlobalVariable *trace;
  llvm::FunctionCallee traceBlock, traceAccess;
};

Tracer::Tracer(llvm::Module &owner) : module(owner), trace(traceVariable()) {
  auto *word = llvm::Type::getInt32Ty(module.getContext());
  auto *wide = llvm::Type::getInt64Ty(module.getContext());
  traceBlock = runtimeFunction("__qdadvise_trace_block", {word, word});
  traceAccess = runtimeFunction("__qdadvise_trace_access", {trace->getType(), wide, word});
}

/// Zero in every object, and one variable in the process: the linker keeps one of each
/// executable or library, and the dynamic linker binds all to the first.
llvm::GlobalVariable *Tracer::traceVariable() {
  constexpr llvm::StringLiteral name = "__qdadvise_trace";
  auto *pointer = llvm::PointerType::getUnqual(module.getContext());
  auto *variable = new llvm::GlobalVariable(
      module, pointer, /*isConstant=*/false, llvm::GlobalValue::LinkOnceODRLinkage,
      llvm::ConstantPointerNull::get(pointer), name, /*InsertBefore=*/nullptr,
      llvm::GlobalValue::InitialExecTLSModel);
  variable->setComdat(module.getOrInsertComdat(name));
  // In an executable its own definition is the one that counts.
  variable->setDSOLocal(module.getPICLevel() == llvm::PICLevel::NotPIC ||
                        module.getPIELevel() != llvm::PIELevel::Default);
  return variable;
}

llvm::CallingConv::ID runtimeConvention(const llvm::Module &module) {
  // A reference would be to a temporary with LLVM 19, where the module has text.
  const llvm::Triple triple(module.getTargetTriple()); // NOLINT(performance-unnecessary-copy-*)
  const bool preserves = triple.getArch() == llvm::Triple::x86_64 || triple.isAArch64();
  return preserves ? llvm::CallingConv::PreserveMost : llvm::CallingConv::C;
}

llvm::FunctionCallee Tracer::runtimeFunction(llvm::StringRef name,
                                             llvm::ArrayRef<llvm::Type *> parameters) {
  auto *nothing = llvm::Type::getVoidTy(module.getContext());
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      name, llvm::FunctionType::get(nothing, parameters, /*isVarArg=*/false));
  auto *function = llvm::cast<Function>(callee.getCallee());
  if (function->isDeclaration())
    function->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
  function->setCallingConv(runtimeConvention(module));
  function->setDoesNotThrow();
  function->setOnlyAccessesInaccessibleMemory(); // with -flto it is optimised again at the link
  function->addFnAttr(llvm::Attribute::Cold);
  // The dynamic linker does not preserve what the function does.
  function->addFnAttr(llvm::Attribute::NonLazyBind);
  return callee;
}

/// Whether a function may be changed, and is the program's.
bool mayTrace(const Function &function) {
  if (function.isDeclaration() || function.hasAvailableExternallyLinkage() ||
      function.getName().starts_with(ownPrefix) || function.isPresplitCoroutine())
    return false;
  if (function.hasPersonalityFn() &&
      llvm::isScopedEHPersonality(llvm::classifyEHPersonality(function.getPersonalityFn())))
    return false;
  return !function.hasFnAttribute(llvm::Attribute::Naked) &&
         !function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation);
}

bool isHook(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->getName().starts_with(ownPrefix);
}

/// The segments of a block in which anything runs, in order.
llvm::SmallVector<Segment, 4> segmentsOf(BasicBlock &block) {
  llvm::SmallVector<Segment, 4> segments(1);
  for (Instruction &instruction : block) {
    const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    const auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (llvm::isa<llvm::PHINode, llvm::UnreachableInst>(instruction) ||
        (intrinsic && intrinsic->isAssumeLikeIntrinsic()) || (alloca && alloca->isStaticAlloca()))
      continue;
    const auto *call = llvm::dyn_cast<CallBase>(&instruction);
    if (!call || !isHook(*call))
      ++segments.back().instructions;
    if (accessesMemory(instruction))
      segments.back().accessing.push_back(&instruction);
    if (instruction.isTerminator() || (call && !intrinsic)) {
      segments.back().end = &instruction;
      segments.emplace_back();
    }
    if (call && call->isMustTailCall()) // nothing may stand between it and the return
      break;
  }
  llvm::erase_if(segments,
                 [](const Segment &segment) { return !segment.end || segment.instructions == 0; });
  return segments;
}

/// The address, computed again if that is cheap: else each address would take a register from
/// its access to the end of the segment.
Value *addressAgain(IRBuilder<> &builder, Value *address, const BasicBlock &block) {
  auto *element = llvm::dyn_cast<llvm::GetElementPtrInst>(address);
  if (!element || element->getParent() != &block)
    return address;
  Instruction *copy = element->clone();
  copy->setOperand(0, addressAgain(builder, element->getPointerOperand(), block));
  return builder.Insert(copy);
}

/// The location for code that stands before `instruction`. Calls of functions with
/// debug information must have one.
llvm::DebugLoc locationAt(const Instruction &instruction) {
  llvm::DISubprogram *scope = instruction.getFunction()->getSubprogram();
  if (instruction.getDebugLoc() || !scope)
    return instruction.getDebugLoc();
  return llvm::DILocation::get(instruction.getContext(), 0, 0, scope);
}

void Tracer::instrument(const Segment &segment) {
  const BasicBlock &block = *segment.end->getParent();
  IRBuilder<> builder(segment.end);
  builder.SetCurrentDebugLocation(locationAt(*segment.end));
  llvm::LoadInst *traced =
      builder.CreateLoad(builder.getPtrTy(), builder.CreateThreadLocalAddress(trace));
  traced->setNoSanitizeMetadata();
  Instruction *rejoin = llvm::SplitBlockAndInsertIfThen(
      builder.CreateIsNotNull(traced), segment.end->getIterator(), /*Unreachable=*/false,
      llvm::MDBuilder(module.getContext()).createUnlikelyBranchWeights());
  rejoin->setDebugLoc(builder.getCurrentDebugLocation());

  unsigned stackAccesses = 0;
  builder.SetInsertPoint(rejoin);
  for (Instruction *instruction : segment.accessing)
    for (const MemoryAccess &access : memoryAccesses(*instruction, builder)) {
      if (access.address->getType() != builder.getPtrTy())
        continue; // another address space
      if (llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(access.address))) {
        ++stackAccesses;
        continue;
      }
      callRuntime(builder, traceAccess,
                  {addressAgain(builder, access.address, block), access.bytes,
                   builder.getInt32(access.what)});
    }
  builder.SetInsertPoint(&rejoin->getParent()->front());
  callRuntime(builder, traceBlock,
              {builder.getInt32(segment.instructions), builder.getInt32(stackAccesses)});
}

void Tracer::callRuntime(IRBuilder<> &builder, llvm::FunctionCallee callee,
                         llvm::ArrayRef<Value *> arguments) {
  builder.CreateCall(callee, arguments)
      ->setCallingConv(llvm::cast<Function>(callee.getCallee())->getCallingConv());
}

void Tracer::run(Function &function) {
  // Static allocas stay in the entry block, which may be split before them.
  BasicBlock &entry = function.getEntryBlock();
  const auto first = entry.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction &instruction : llvm::make_early_inc_range(llvm::make_range(first, entry.end())))
    if (auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      if (alloca->isStaticAlloca())
        alloca->moveBefore(entry, first);

  llvm::SmallVector<Segment, 32> segments;
  for (BasicBlock &block : function)
    llvm::append_range(segments, segmentsOf(block));
  for (const Segment &segment : llvm::reverse(segments)) // what is split off is short
    instrument(segment);
}

} // namespace

bool qdadvise::traceMemory(llvm::Module &module) {
  if (module.getNamedMetadata(doneMarker))
    return false;
  module.getOrInsertNamedMetadata(doneMarker);
  llvm::SmallPtrSet<const Function *, 4> resolvers; // run before there are thread-locals
  for (const llvm::GlobalIFunc &ifunc : module.ifuncs())
    resolvers.insert(ifunc.getResolverFunction());
  llvm::SmallVector<Function *, 32> functions;
  for (Function &function : module)
    if (mayTrace(function) && !resolvers.contains(&function))
      functions.push_back(&function);
  if (functions.empty())
    return true;
  Tracer tracer(module);
  for (Function *function : functions)
    tracer.run(*function);
  return true;
}
