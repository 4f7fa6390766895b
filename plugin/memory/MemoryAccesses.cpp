// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/memory/MemoryAccesses.h"

#include "plugin/memory/MemoryChains.h"
#include "plugin/memory/MemoryFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace qdadvise;
using llvm::CallBase;
using llvm::IRBuilder;
using llvm::Value;

namespace {

/// Bytes that a value of that type takes; the least where the compiler does not know the length of
/// a vector.
std::uint64_t storeSize(const llvm::Module &module, llvm::Type *type) {
  return module.getDataLayout().getTypeStoreSize(type).getKnownMinValue();
}

/// The table's row for a call of one of libc's functions; a function that the program
/// defines here is traced itself.
llvm::ArrayRef<FunctionAccess> libraryAccesses(const CallBase &call) {
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return {};
  return accessesOfFunction(callee->getName());
}

bool isMaskedAccess(const CallBase &call) {
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::masked_load:
  case llvm::Intrinsic::masked_gather:
  case llvm::Intrinsic::masked_store:
  case llvm::Intrinsic::masked_scatter:
    return true;
  default:
    return false;
  }
}

/// Finds the accesses of one instruction.
class Finder {
public:
  Finder(llvm::Module &owner, IRBuilder<> &where) : module(owner), builder(where) {}

  void addInstruction(llvm::Instruction &instruction);
  MemoryAccesses found;

private:
  void add(Value *address, Value *bytes, std::uint32_t what) {
    found.push_back({address, builder.CreateZExtOrTrunc(bytes, builder.getInt64Ty()), what});
  }
  void addTyped(Value *address, llvm::Type *type, std::uint32_t what, bool isAtomic) {
    add(address, builder.getInt64(storeSize(module, type)),
        what | (isAtomic ? accessAtomic : 0u) | (isChained(address) ? accessChained : 0u));
  }
  void addMemoryIntrinsic(llvm::AnyMemIntrinsic &call);
  void addMaskedIntrinsic(CallBase &call);
  void addLibraryCall(CallBase &call);

  Value *bytesOf(const AccessLength &length, CallBase &call);
  Value *callLibrary(llvm::StringRef name, llvm::Type *result, llvm::ArrayRef<Value *> arguments);
  Value *lengthOf(Value *string);

  llvm::Module &module;
  IRBuilder<> &builder;
};

void Finder::addInstruction(llvm::Instruction &instruction) {
  constexpr std::uint32_t both = accessRead | accessWrite;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    addTyped(load->getPointerOperand(), load->getType(), accessRead, load->isAtomic());
  else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    addTyped(store->getPointerOperand(), store->getValueOperand()->getType(), accessWrite,
             store->isAtomic());
  else if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    addTyped(update->getPointerOperand(), update->getType(), both, true);
  else if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    addTyped(exchange->getPointerOperand(), exchange->getNewValOperand()->getType(), both, true);
  else if (auto *memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&instruction))
    addMemoryIntrinsic(*memory);
  else if (auto *call = llvm::dyn_cast<CallBase>(&instruction)) {
    if (isMaskedAccess(*call))
      addMaskedIntrinsic(*call);
    else
      addLibraryCall(*call);
  }
}

void Finder::addMemoryIntrinsic(llvm::AnyMemIntrinsic &call) {
  add(call.getRawDest(), call.getLength(), accessWrite);
  if (auto *transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(&call))
    add(transfer->getRawSource(), call.getLength(), accessRead);
}

/// Adds one access for each lane, of no bytes where the mask is off.
void Finder::addMaskedIntrinsic(CallBase &call) {
  const bool isWrite = call.getType()->isVoidTy();
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(isWrite ? call.getArgOperand(0)->getType()
                                                             : call.getType());
  if (!type) // the number of lanes depends on the machine
    return;
  Value *place = call.getArgOperand(isWrite ? 1 : 0);
  Value *mask = *llvm::find_if(call.args(), [](const llvm::Use &argument) {
    return argument->getType()->isIntOrIntVectorTy(1);
  });
  Value *size = builder.getInt64(storeSize(module, type->getElementType()));
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Value *address = place->getType()->isVectorTy()
                         ? builder.CreateExtractElement(place, lane)
                         : builder.CreateConstInBoundsGEP1_64(type->getElementType(), place, lane);
    Value *isOn = builder.CreateExtractElement(mask, lane);
    add(address, builder.CreateSelect(isOn, size, builder.getInt64(0)),
        isWrite ? accessWrite : accessRead);
  }
}

void Finder::addLibraryCall(CallBase &call) {
  for (const FunctionAccess &access : libraryAccesses(call)) {
    Value *address = call.getArgOperand(access.pointer);
    Value *bytes = bytesOf(access.length, call);
    if (access.pastString)
      address = builder.CreatePtrAdd(address, lengthOf(address));
    add(address, bytes, access.what);
  }
}

Value *Finder::bytesOf(const AccessLength &length, CallBase &call) {
  llvm::Type *wide = builder.getInt64Ty();
  const auto argument = [&](unsigned index) { return call.getArgOperand(index); };
  Value *one = builder.getInt64(1);
  switch (length.kind) {
  case AccessLength::number:
    return argument(length.argument);
  case AccessLength::string:
    return builder.CreateAdd(lengthOf(argument(length.argument)), one);
  case AccessLength::boundedString: {
    Value *bound = argument(length.bound);
    Value *shown = callLibrary("strnlen", wide, {argument(length.argument), bound});
    // The zero is read too, if it lies before the bound.
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, builder.CreateAdd(shown, one),
                                         bound);
  }
  case AccessLength::untilFound: {
    Value *start = argument(length.argument);
    Value *bound = argument(length.bound);
    Value *place = callLibrary("memchr", builder.getPtrTy(), {start, argument(1), bound});
    Value *distance =
        builder.CreateSub(builder.CreatePtrToInt(place, wide), builder.CreatePtrToInt(start, wide));
    return builder.CreateSelect(builder.CreateIsNull(place), bound,
                                builder.CreateAdd(distance, one));
  }
  }
  llvm_unreachable("all kinds are handled");
}

Value *Finder::lengthOf(Value *string) {
  return callLibrary("strlen", builder.getInt64Ty(), {string});
}

Value *Finder::callLibrary(llvm::StringRef name, llvm::Type *result,
                           llvm::ArrayRef<Value *> arguments) {
  llvm::SmallVector<llvm::Type *, 3> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  auto *type = llvm::FunctionType::get(result, types, /*isVarArg=*/false);
  return builder.CreateCall(module.getOrInsertFunction(name, type), arguments);
}

} // namespace

bool qdadvise::accessesMemory(const llvm::Instruction &instruction) {
  if (llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst,
                llvm::AnyMemIntrinsic>(instruction))
    return true;
  const auto *call = llvm::dyn_cast<CallBase>(&instruction);
  return call && (isMaskedAccess(*call) || !libraryAccesses(*call).empty());
}

MemoryAccesses qdadvise::memoryAccesses(llvm::Instruction &instruction, IRBuilder<> &builder) {
  Finder finder(*instruction.getModule(), builder);
  finder.addInstruction(instruction);
  return std::move(finder.found);
}
