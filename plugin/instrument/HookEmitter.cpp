// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/instrument/HookEmitter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"
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

constexpr llvm::StringLiteral callHookName = "__qdadvise_hook";

/// Functions are inlined as if the hook were not there.
void makeWeightless(llvm::CallInst *call) {
  call->addFnAttr(llvm::Attribute::get(call->getContext(), "call-inline-cost", "0"));
}

} // namespace

void HookEmitter::emit(llvm::IRBuilder<> &builder, Site &site, Instant instant,
                       llvm::Value *address) {
  if (mode == HookMode::call) {
    makeWeightless(builder.CreateCall(
        callHook(), {site.record, builder.getInt32(static_cast<std::uint32_t>(instant)), address}));
    return;
  }
  llvm::Constant *&thunk = site.thunks[static_cast<unsigned>(instant)];
  if (!thunk)
    thunk = createThunk(site, instant);
  makeWeightless(builder.CreateCall(llvm::cast<llvm::Function>(thunk), {address}));
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

/// Returns the function that asks whether the hooks are on, as most of the time they are not, and
/// calls the runtime. It tells of Instant::spawn in any case, so that threads are known by name
/// when recording begins later. `__qdadvise_event` is weak and may not be there.
llvm::Function *HookEmitter::callHook() {
  if (hook)
    return hook;
  llvm::LLVMContext &context = module.getContext();
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {pointer, llvm::Type::getInt32Ty(context), pointer}, false);
  auto *event =
      llvm::cast<llvm::Function>(module.getOrInsertFunction("__qdadvise_event", type).getCallee());
  if (event->isDeclaration())
    event->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
  event->setDoesNotThrow();
  event->addFnAttr(llvm::Attribute::NonLazyBind);

  hook = createHiddenFunction(module, type, callHookName);
  hook->addFnAttr(llvm::Attribute::NoInline); // expandCallHooks inlines it
  auto *entry = llvm::BasicBlock::Create(context, "", hook);
  auto *test = llvm::BasicBlock::Create(context, "test", hook);
  auto *on = llvm::BasicBlock::Create(context, "on", hook);
  auto *call = llvm::BasicBlock::Create(context, "call", hook);
  auto *done = llvm::BasicBlock::Create(context, "done", hook);
  llvm::IRBuilder<> builder(entry);
  const auto spawn = static_cast<std::uint32_t>(Instant::spawn);
  builder.CreateCondBr(builder.CreateICmpEQ(hook->getArg(1), builder.getInt32(spawn)), on, test);
  builder.SetInsertPoint(test);
  llvm::LoadInst *state = builder.CreateAlignedLoad(builder.getInt32Ty(), records.hooksOn(),
                                                    llvm::Align(alignof(std::uint32_t)));
  // Unordered, so that it becomes an operand of the comparison.
  state->setAtomic(llvm::AtomicOrdering::Unordered);
  llvm::MDBuilder weights(context);
  // The instant is a constant once the hook is inlined: one of the two tests is left.
  const auto isA = [&](Instant instant) {
    return builder.CreateICmpEQ(hook->getArg(1),
                                builder.getInt32(static_cast<std::uint32_t>(instant)));
  };
  llvm::Value *calls = builder.CreateSelect(
      builder.CreateOr(isA(Instant::attempt), isA(Instant::fail)), builder.CreateIsNotNull(state),
      builder.CreateICmpEQ(state, builder.getInt32(allHooks)));
  builder.CreateCondBr(calls, on, done, weights.createUnlikelyBranchWeights());
  builder.SetInsertPoint(on);
  builder.CreateCondBr(builder.CreateIsNotNull(event), call, done);
  builder.SetInsertPoint(call);
  llvm::CallInst *told =
      builder.CreateCall(event, {hook->getArg(0), hook->getArg(1), hook->getArg(2)});
  told->setTailCallKind(llvm::CallInst::TCK_Tail);
  builder.CreateRetVoid();
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
  return hook;
}

bool qdadvise::expandCallHooks(llvm::Module &module) {
  llvm::Function *hook = module.getFunction(callHookName);
  if (!hook || hook->isDeclaration())
    return false;
  for (llvm::User *user : llvm::make_early_inc_range(hook->users()))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(user)) {
      llvm::InlineFunctionInfo info;
      llvm::InlineFunction(*call, info);
    }
  return true;
}
