// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/instrument/HookEmitter.h"

#include "plugin/instrument/HookExpansion.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace qdadvise;

namespace {

/// Names the instants have in the symbols of thunks; indexed by Instant.
constexpr llvm::StringLiteral instantNames[instantCount] = {
    "attempt", "acquire", "release", "fail", "wait", "wake", "block", "unblock", "retire", "spawn"};

/// Instructions that do nothing and hold the hash in their bytes, so that no
/// linker folds two thunks into one. They change neither registers nor flags.
std::string idleInstructions(const llvm::Triple &triple, std::uint64_t hash) {
  const std::string low = "0x" + llvm::utohexstr(hash & 0x7fffffff);
  const std::string high = "0x" + llvm::utohexstr((hash >> 32) & 0x7fffffff);
  if (triple.getArch() == llvm::Triple::x86_64)
    return "nopl " + low + "($0)\n\tnopl " + high + "($0)";
  return "b 1f\n\t.word " + low + "\n\t.word " + high + "\n1:";
}

llvm::Function *createHiddenFunction(llvm::Module &module, llvm::FunctionType *type,
                                     llvm::StringRef name) {
  auto *function = llvm::Function::createWithDefaultAttr(
      type, llvm::GlobalValue::LinkOnceODRLinkage, module.getDataLayout().getProgramAddressSpace(),
      name, &module);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  function->setComdat(module.getOrInsertComdat(name));
  function->setDoesNotThrow();
  return function;
}

llvm::Value *numberOf(llvm::IRBuilderBase &builder, Instant instant) {
  return builder.getInt32(static_cast<std::uint32_t>(instant));
}

/// Functions are inlined as if the hook were not there.
void makeWeightless(llvm::CallInst *call) {
  call->addFnAttr(llvm::Attribute::get(call->getContext(), "call-inline-cost", "0"));
}

} // namespace

void HookEmitter::emit(llvm::IRBuilder<> &builder, Site &site, Instant instant,
                       llvm::Value *address) {
  if (mode != HookMode::xray) {
    emitCall(builder, site, numberOf(builder, instant), address);
    return;
  }
  llvm::Constant *&thunk = site.thunks[static_cast<unsigned>(instant)];
  if (!thunk)
    thunk = createThunk(site, instant);
  makeWeightless(builder.CreateCall(llvm::cast<llvm::Function>(thunk), {address}));
}

bool HookEmitter::emitEither(llvm::IRBuilder<> &builder, Site &site, llvm::Value *success,
                             llvm::Value *address) {
  if (mode == HookMode::xray)
    return false;
  emitCall(builder, site,
           builder.CreateSelect(success, numberOf(builder, Instant::acquire),
                                numberOf(builder, Instant::fail)),
           address);
  return true;
}

void HookEmitter::emitForCaller(llvm::IRBuilder<> &builder, Site &site, Instant instant,
                                llvm::Value *caller) {
  if (mode == HookMode::xray)
    return emit(builder, site, instant, caller);
  const llvm::StringRef body = builder.GetInsertBlock()->getParent()->getName();
  emitCall(builder, site, numberOf(builder, instant), caller)
      ->addFnAttr(llvm::Attribute::get(module.getContext(), bodyAttribute, body));
}

llvm::CallInst *HookEmitter::emitCall(llvm::IRBuilder<> &builder, const Site &site,
                                      llvm::Value *instant, llvm::Value *address) {
  llvm::CallInst *call = builder.CreateCall(callHook(), {site.record, instant, address});
  makeWeightless(call);
  return call;
}

void HookEmitter::finish() {
  // Dead-argument elimination would take the address away.
  if (!thunks.empty())
    llvm::appendToCompilerUsed(module, thunks);
}

llvm::Function *HookEmitter::createThunk(const Site &site, Instant instant) {
  llvm::LLVMContext &context = module.getContext();
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer},
                                       /*isVarArg=*/false);
  const unsigned number = static_cast<unsigned>(instant);
  const std::string name =
      ("__qdadvise_" + instantNames[number] + "_" + llvm::utohexstr(site.hash, /*LowerCase=*/true))
          .str();
  llvm::Function *thunk = createHiddenFunction(module, type, name);
  thunk->addFnAttr(llvm::Attribute::NoInline);
  thunk->addFnAttr("function-instrument", "xray-always");
  thunk->addFnAttr("xray-skip-exit");
  thunk->addFnAttr("xray-log-args", "1");
  thunks.push_back(thunk);

  // The hash of a site and its instant: the instants of one site differ, too.
  const std::uint64_t hash = site.hash + number * 0x9e3779b97f4a7c15U;
  auto *body =
      llvm::InlineAsm::get(type, idleInstructions(llvm::Triple(module.getTargetTriple()), hash),
                           "r,~{memory}", /*hasSideEffects=*/true);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", thunk));
  builder.CreateCall(type, body, {thunk->getArg(0)});
  builder.CreateRetVoid();
  return thunk;
}

/// The hook as one function, as it stays where nothing is optimised.
llvm::Function *HookEmitter::callHook() {
  if (hook)
    return hook;
  llvm::FunctionCallee event = eventFunction(module);
  hook = createHiddenFunction(module, event.getFunctionType(), hookFunctionName);
  hook->addFnAttr(llvm::Attribute::NoInline); // expandHooks puts the event in its place
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", hook));
  llvm::CallInst *told =
      builder.CreateCall(event, {hook->getArg(0), hook->getArg(1), hook->getArg(2)});
  told->setTailCallKind(llvm::CallInst::TCK_Tail);
  builder.CreateRetVoid();
  guardByTest(*told);
  return hook;
}
