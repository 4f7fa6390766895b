// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/instrument/CallEdges.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace qdadvise;
using llvm::CallBase;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::StringRef;
using llvm::Value;

namespace {

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

/// The argument or variable that a path begins with; null where the call or the module has none.
Value *pathRoot(const CallBase &call, const AddressPath &path) {
  if (!path.global.empty())
    return const_cast<llvm::Module *>(call.getModule())->getNamedGlobal(path.global);
  // A class returned in memory comes before the arguments of the source.
  const unsigned index = path.argument + (call.hasStructRetAttr() ? 1 : 0);
  return index < call.arg_size() ? call.getArgOperand(index) : nullptr;
}

} // namespace

Value *qdadvise::lockAddress(IRBuilder<> &builder, const CallBase &call, const AddressPath &path) {
  Value *address = pathRoot(call, path);
  if (!address || !address->getType()->isPointerTy())
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

Value *qdadvise::ownsLock(IRBuilder<> &builder, const CallBase &call, std::uint64_t offset) {
  Value *guard = call.getArgOperand(call.hasStructRetAttr() ? 1 : 0);
  Value *field = builder.CreatePtrAdd(guard, builder.getInt64(offset));
  return builder.CreateIsNotNull(builder.CreateLoad(builder.getInt8Ty(), field));
}

Value *qdadvise::succeeded(IRBuilder<> &builder, CallBase &call, const LockOperation &operation) {
  if (operation.success == Success::ownsField)
    return ownsLock(builder, call, operation.ownsOffset);
  llvm::Type *type = call.getType();
  if (!type->isIntegerTy() && !type->isPointerTy())
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

Continuation qdadvise::continuationOf(CallBase *call, StringRef personality) {
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
