// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/instrument/HookExpansion.h"

#include "plugin/instrument/SiteRecords.h"
#include "plugin/instrument/SledCode.h"
#include "plugin/instrument/SledSections.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace qdadvise;
using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Instruction;
using llvm::Value;

namespace {

llvm::ConstantInt *numberOf(llvm::IRBuilderBase &builder, Instant instant) {
  return builder.getInt32(static_cast<std::uint32_t>(instant));
}

Value *instantOf(const CallInst &event) { return event.getArgOperand(1); }

bool isSpawn(const CallInst &event) {
  const auto *instant = llvm::dyn_cast<llvm::ConstantInt>(instantOf(event));
  return instant && instant->equalsInt(static_cast<std::uint64_t>(Instant::spawn));
}

/// An instant that only the running program knows is Instant::acquire or Instant::fail.
bool isOnWithAttempts(const CallInst &event) {
  const auto *known = llvm::dyn_cast<llvm::ConstantInt>(instantOf(event));
  return !known || known->equalsInt(static_cast<std::uint64_t>(Instant::attempt)) ||
         known->equalsInt(static_cast<std::uint64_t>(Instant::fail));
}

/// Whether the runtime wants to know, by the word of the executable or shared object.
Value *isOn(llvm::IRBuilder<> &builder, const CallInst &event) {
  llvm::Module &module = *builder.GetInsertBlock()->getModule();
  llvm::LoadInst *state = builder.CreateAlignedLoad(builder.getInt32Ty(), hooksOn(module),
                                                    llvm::Align(alignof(std::uint32_t)));
  // Unordered, so that it becomes an operand of the comparison.
  state->setAtomic(llvm::AtomicOrdering::Unordered);
  const auto some = [&] { return builder.CreateIsNotNull(state); };
  const auto all = [&] { return builder.CreateICmpEQ(state, builder.getInt32(allHooks)); };
  if (!llvm::isa<llvm::Argument>(instantOf(event)))
    return isOnWithAttempts(event) ? some() : all();
  const auto isA = [&](Instant instant) {
    return builder.CreateICmpEQ(instantOf(event), numberOf(builder, instant));
  };
  Value *tries = builder.CreateOr(isA(Instant::attempt), isA(Instant::fail));
  return builder.CreateOr(isA(Instant::spawn), builder.CreateSelect(tries, some(), all()));
}

/// The call gets a block of its own, to which nothing leads yet. Returns the end of the block
/// before it.
Instruction *cutOut(CallInst &event) {
  BasicBlock *before = event.getParent();
  BasicBlock *alone = before->splitBasicBlock(event.getIterator(), "qdadvise.on");
  alone->splitBasicBlock(std::next(event.getIterator()), "qdadvise.off");
  return before->getTerminator();
}

/// What only the call wants to know is computed beside it.
void sink(Value *operand, Instruction *place, const BasicBlock *from) {
  auto *computed = llvm::dyn_cast<Instruction>(operand);
  if (!computed || !computed->hasOneUse() || computed->getParent() != from ||
      computed->mayHaveSideEffects() || computed->mayReadFromMemory() ||
      llvm::isa<llvm::PHINode, llvm::AllocaInst>(computed) || computed->isEHPad())
    return;
  computed->moveBefore(*place->getParent(), place->getIterator());
  for (Value *next : computed->operands())
    sink(next, computed, from);
}

/// The sled of AArch64, which jumps to the call while the hook is on.
void guardBySled(CallInst &event, SledSections &sections) {
  Instruction *end = cutOut(event);
  BasicBlock *on = event.getParent();
  llvm::IRBuilder<> builder(end);
  builder.SetCurrentDebugLocation(event.getDebugLoc());
  Value *instant = llvm::isa<llvm::ConstantInt>(instantOf(event))
                       ? instantOf(event)
                       : numberOf(builder, Instant::fail);
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {builder.getInt32Ty()}, false);
  const std::string text =
      ".Lqdadvise_sled${:uid}:\nnop\n" +
      sections.recordCode(*event.getFunction(), ".long ${1:l} - .\n.long ${0:c}\n");
  auto *code = llvm::InlineAsm::get(type, text, "i,!i", /*hasSideEffects=*/true);
  builder.CreateCallBr(type, code, on->getSingleSuccessor(), {on}, {instant});
  end->eraseFromParent();
}

/// Takes away hooks that tell of a function's caller where the function was inlined: what is left
/// of it there has the caller's, and a return address that is not its own.
void eraseInlined(llvm::Function &hook) {
  for (llvm::User *user : llvm::make_early_inc_range(hook.users()))
    if (auto *call = llvm::dyn_cast<CallInst>(user); call && call->hasFnAttr(bodyAttribute))
      if (call->getFnAttr(bodyAttribute).getValueAsString() != call->getFunction()->getName())
        eraseHook(*call);
}

/// The calls of a function that are hooks of locks, in the order of the block.
std::vector<CallInst *> hooksIn(BasicBlock &block, const llvm::Function &hook) {
  std::vector<CallInst *> calls;
  for (Instruction &instruction : block)
    if (auto *call = llvm::dyn_cast<CallInst>(&instruction);
        call && call->getCalledOperand() == &hook && !isSpawn(*call))
      calls.push_back(call);
  return calls;
}

/// Turns all hooks but those of threads' starts into sleds, on x86-64.
void makeSleds(llvm::Function &hook, SledSections &sections) {
  for (llvm::User *user : llvm::make_early_inc_range(hook.users()))
    if (auto *call = llvm::dyn_cast<CallInst>(user))
      splitByOutcome(*call);
  llvm::SetVector<BasicBlock *> blocks;
  for (llvm::User *user : hook.users())
    if (auto *call = llvm::dyn_cast<CallInst>(user))
      blocks.insert(call->getParent());
  for (BasicBlock *block : blocks) {
    const std::vector<CallInst *> calls = hooksIn(*block, hook);
    for (std::size_t i = 0; i < calls.size();) {
      const auto hooks = hooksOfOneSled(*calls[i]);
      i += hooks.size();
      becomeSled(hooks, sections);
    }
  }
}

} // namespace

llvm::FunctionCallee qdadvise::eventFunction(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {pointer, llvm::Type::getInt32Ty(context), pointer}, false);
  llvm::FunctionCallee callee = module.getOrInsertFunction("__qdadvise_event", type);
  auto *event = llvm::cast<llvm::Function>(callee.getCallee());
  if (event->isDeclaration())
    event->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
  event->setDoesNotThrow();
  event->addFnAttr(llvm::Attribute::NonLazyBind);
  event->addFnAttr(llvm::Attribute::Cold);
  return callee;
}

void qdadvise::guardByTest(CallInst &event) {
  Instruction *end = cutOut(event);
  BasicBlock *on = event.getParent(), *off = on->getSingleSuccessor();
  llvm::IRBuilder<> builder(end);
  builder.SetCurrentDebugLocation(event.getDebugLoc());
  llvm::MDNode *unlikely = llvm::MDBuilder(builder.getContext()).createUnlikelyBranchWeights();
  if (!isSpawn(event)) {
    BasicBlock *isThere = BasicBlock::Create(builder.getContext(), "", on->getParent(), on);
    builder.CreateCondBr(isOn(builder, event), isThere, off, unlikely);
    builder.SetInsertPoint(isThere);
  }
  builder.CreateCondBr(builder.CreateIsNotNull(event.getCalledOperand()), on, off);
  end->eraseFromParent();
}

bool qdadvise::expandHooks(llvm::Module &module, const HookSettings &settings) {
  llvm::Function *hook = module.getFunction(hookFunctionName);
  if (!hook || hook->isDeclaration())
    return false;
  eraseInlined(*hook);
  const bool patches = settings.mode == HookMode::patch;
  SledSections sections(module, settings);
  if (patches && llvm::Triple(module.getTargetTriple()).isX86())
    makeSleds(*hook, sections);
  for (llvm::User *user : llvm::make_early_inc_range(hook->users()))
    if (auto *call = llvm::dyn_cast<CallInst>(user)) {
      llvm::IRBuilder<> builder(call);
      CallInst *event =
          builder.CreateCall(eventFunction(module), llvm::to_vector_of<Value *>(call->args()));
      call->eraseFromParent();
      const BasicBlock *before = event->getParent();
      if (patches && !isSpawn(*event))
        guardBySled(*event, sections);
      else
        guardByTest(*event);
      for (Value *argument : event->args())
        sink(argument, event, before);
    }
  return true;
}
