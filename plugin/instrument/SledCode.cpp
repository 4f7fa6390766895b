// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/instrument/SledCode.h"

#include "plugin/instrument/SledSections.h"
#include "runtime/abi/site_record.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

#include <optional>

using namespace qdadvise;
using llvm::Value;

namespace {

/// What the assembler is given, numbered as it names them.
struct Operands {
  llvm::SmallVector<Value *, 4> values;
  std::string constraints;
  llvm::SmallVector<unsigned, 4> places; ///< those that are places in memory

  std::string add(Value *value, const char *constraint) {
    constraints += (values.empty() ? "" : ",") + std::string(constraint);
    values.push_back(value);
    return std::to_string(values.size() - 1);
  }
};

bool isNearGlobal(const Value *value) {
  const auto *global = llvm::dyn_cast<llvm::GlobalValue>(value);
  return global && global->isDSOLocal() && !global->isThreadLocal();
}

/// Code that puts the lock's address into %rdx. The compiler need not compute it: a register that
/// it has anyhow is enough.
std::string addressCode(llvm::IRBuilder<> &builder, Value *address, Operands &operands) {
  if (llvm::isa<llvm::ConstantPointerNull>(address))
    return "xorl %edx, %edx";
  llvm::Module &module = *builder.GetInsertBlock()->getModule();
  if (const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(address);
      call && call->getIntrinsicID() == llvm::Intrinsic::returnaddress) {
    operands.places.push_back(static_cast<unsigned>(operands.values.size()));
    Value *place =
        builder.CreateIntrinsic(llvm::Intrinsic::addressofreturnaddress, {builder.getPtrTy()}, {});
    return "movq $" + operands.add(place, "*m") + ", %rdx";
  }
  llvm::APInt offset(module.getDataLayout().getIndexTypeSizeInBits(address->getType()), 0);
  Value *base = address->stripAndAccumulateConstantOffsets(module.getDataLayout(), offset,
                                                           /*AllowNonInbounds=*/true);
  if (offset.isSignedIntN(31) && isNearGlobal(base)) {
    const std::string symbol = "${" + operands.add(base, "i") + ":c}";
    return "leaq " + symbol + "+" + std::to_string(offset.getSExtValue()) + "(%rip), %rdx";
  }
  if (!offset.isSignedIntN(32) || llvm::isa<llvm::AllocaInst>(base)) {
    base = address;
    offset = 0;
  }
  return "leaq " + std::to_string(offset.getSExtValue()) + "($" + operands.add(base, "r") +
         "), %rdx";
}

/// Code that puts into %esi which of two instants it is, from a result in %eax that the program has
/// anyhow.
std::string instantCode(llvm::IRBuilder<> &builder, Value *instant, Operands &operands) {
  using namespace llvm::PatternMatch;
  if (const auto *known = llvm::dyn_cast<llvm::ConstantInt>(instant))
    return known->isZero() ? "xorl %esi, %esi"
                           : "movl $$" + std::to_string(known->getZExtValue()) + ", %esi";
  constexpr auto acquire = static_cast<std::uint64_t>(Instant::acquire);
  constexpr auto fail = static_cast<std::uint64_t>(Instant::fail);
  static_assert(fail == acquire + 2);
  Value *condition = nullptr, *result = nullptr;
  bool acquiresIf =
      match(instant, m_Select(m_Value(condition), m_SpecificInt(acquire), m_SpecificInt(fail)));
  if (!acquiresIf &&
      !match(instant, m_Select(m_Value(condition), m_SpecificInt(fail), m_SpecificInt(acquire)))) {
    operands.add(instant, "{ax}");
    return "movl %eax, %esi";
  }
  const auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (comparison && comparison->isEquality() && match(comparison->getOperand(1), m_Zero()))
    result = comparison->getOperand(0);
  if (result && (result->getType()->isIntegerTy(32) || result->getType()->isIntegerTy(64) ||
                 result->getType()->isPointerTy()))
    acquiresIf ^= comparison->getPredicate() == llvm::CmpInst::ICMP_EQ;
  else
    result = builder.CreateZExt(condition, builder.getInt32Ty());
  operands.add(result, "{ax}");
  const bool isWide = !result->getType()->isIntegerTy(32);
  return std::string(isWide ? "testq %rax, %rax" : "testl %eax, %eax") + "\n" +
         (acquiresIf ? "sete" : "setne") + " %sil\nmovzbl %sil, %esi\nleal " +
         std::to_string(acquire) + "(,%rsi,2), %esi";
}

/// All that the code behind a sled changes: `__qdadvise_sled` keeps the rest. The compiler looks
/// for the name of a register among all that there are, twice for each sled.
constexpr const char *changedRegisters = ",~{flags}";

/// The bytes before a sled that lie in another word are prefixes of the same instruction, before
/// and after: to change it, and to run it, is one step.
constexpr const char *sledText = ".p2align 3, 0x2e, 4\n"
                                 ".Lqdadvise_sled${:uid}:\n"
                                 ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
                                 ".Lqdadvise_back${:uid}:\n";

bool isOfOneSite(const llvm::CallInst &hook) {
  return llvm::isa<llvm::GlobalValue>(hook.getArgOperand(0));
}

/// Of what the compiler knows to be one.
std::optional<Instant> knownInstant(const llvm::CallInst &hook) {
  const auto *known = llvm::dyn_cast<llvm::ConstantInt>(hook.getArgOperand(1));
  return known ? std::optional(static_cast<Instant>(known->getZExtValue())) : std::nullopt;
}

/// Whether a hook may as well stand behind an instruction as before it. What is read before a lock
/// is taken or given back is where the lock is, as a rule; what is read once it is taken is the
/// section's.
bool isNothing(const llvm::Instruction &instruction, bool mayRead) {
  const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  const bool reads = instruction.mayReadFromMemory() && !(mayRead && load && load->isSimple());
  return !instruction.mayHaveSideEffects() && !reads && !instruction.isTerminator() &&
         !llvm::isa<llvm::AllocaInst>(instruction);
}

/// Code that calls the runtime as a hook does, with the registers saved that have its arguments.
/// The return address tells the runtime which code this belongs to: what lies 4 bytes behind it is
/// how far the end of the sled is from there (hooks/hooks_sled.cpp), of a jump or of an instruction
/// that does nothing.
std::string callCode(llvm::IRBuilder<> &builder, llvm::CallInst &hook, bool isLast,
                     Operands &operands) {
  const std::size_t places = operands.places.size();
  // Two hooks that the compiler has made one have their records in a register.
  const std::string record = operands.add(hook.getArgOperand(0), isOfOneSite(hook) ? "i" : "{di}");
  // Whatever the registers of the operands are, each is read before it is written.
  const std::string arguments = addressCode(builder, hook.getArgOperand(2), operands) + "\n" +
                                instantCode(builder, hook.getArgOperand(1), operands) + "\n" +
                                (isOfOneSite(hook) ? "leaq ${" + record + ":c}(%rip), %rdi\n" : "");
  // An operand may be a place above the stack pointer: then that is moved behind it. A signal
  // leaves alone what lies below the stack pointer so near.
  const bool isInPlace = operands.places.size() != places;
  return (isInPlace ? "movq %rdi, -8(%rsp)\nmovq %rsi, -16(%rsp)\nmovq %rdx, -24(%rsp)\n" +
                          arguments + "leaq -24(%rsp), %rsp\n"
                    : "pushq %rdi\npushq %rsi\npushq %rdx\n" + arguments) +
         "callq *__qdadvise_sled@GOTPCREL(%rip)\n"
         "popq %rdx\npopq %rsi\npopq %rdi\n"
         ".byte " +
         (isLast ? "0xe9" : "0xa9") + // jmp; testl with %eax
         "\n.long .Lqdadvise_back${:uid} - . - 4\n";
}

/// The hook that a block begins with; null if it does something else before.
const llvm::CallInst *firstHook(const llvm::BasicBlock &block, const Value *function) {
  for (const llvm::Instruction &instruction : block) {
    const auto *hook = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (hook && hook->getCalledOperand() == function)
      return hook;
    if (!isNothing(instruction, false))
      return nullptr;
  }
  return nullptr;
}

} // namespace

void qdadvise::eraseHook(llvm::CallInst &hook) {
  const llvm::SmallVector<llvm::WeakTrackingVH, 4> arguments(hook.arg_begin(), hook.arg_end());
  hook.eraseFromParent();
  for (const llvm::WeakTrackingVH &argument : arguments)
    if (argument)
      llvm::RecursivelyDeleteTriviallyDeadInstructions(argument);
}

llvm::SmallVector<llvm::CallInst *, 4> qdadvise::hooksOfOneSled(llvm::CallInst &first) {
  constexpr std::size_t most = 4;
  llvm::SmallVector<llvm::CallInst *, 4> hooks = {&first};
  const std::optional<Instant> instant = knownInstant(first);
  if (!isOfOneSite(first))
    return hooks;
  const bool mayRead = instant == Instant::attempt || instant == Instant::release;
  for (llvm::Instruction *next = first.getNextNode(); next && hooks.size() < most;
       next = next->getNextNode()) {
    auto *hook = llvm::dyn_cast<llvm::CallInst>(next);
    if (hook && hook->getCalledOperand() == first.getCalledOperand()) {
      // What is not known is whether a lock was acquired.
      if (!isOfOneSite(*hook) || knownInstant(*hook) != instant.value_or(Instant::acquire))
        break;
      hooks.push_back(hook);
    } else if (!isNothing(*next, mayRead)) {
      break;
    }
  }
  return hooks;
}

bool qdadvise::splitByOutcome(llvm::CallInst &hook) {
  auto *outcome = llvm::dyn_cast<llvm::SelectInst>(hook.getArgOperand(1));
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(hook.getParent()->getTerminator());
  if (!outcome || !branch || !branch->isConditional() || !isOfOneSite(hook))
    return false;
  const std::optional<bool> same = llvm::isImpliedCondition(
      branch->getCondition(), outcome->getCondition(), hook.getDataLayout());
  const std::optional<bool> other = llvm::isImpliedCondition(
      branch->getCondition(), outcome->getCondition(), hook.getDataLayout(), false);
  if (!same || !other || *same == *other)
    return false;
  for (const llvm::Instruction *next = hook.getNextNode(); next != branch;
       next = next->getNextNode())
    if (!isNothing(*next, false))
      return false;
  llvm::Value *const instants[] = {*same ? outcome->getTrueValue() : outcome->getFalseValue(),
                                   *same ? outcome->getFalseValue() : outcome->getTrueValue()};
  bool isFollowed = false;
  for (unsigned i = 0; i < 2; ++i) {
    llvm::BasicBlock *behind = branch->getSuccessor(i);
    if (!behind->getSinglePredecessor() || !llvm::isa<llvm::ConstantInt>(instants[i]))
      return false;
    const llvm::CallInst *next = firstHook(*behind, hook.getCalledOperand());
    isFollowed |= next && next->getArgOperand(1) == instants[i] && isOfOneSite(*next);
  }
  if (!isFollowed)
    return false;
  for (unsigned i = 0; i < 2; ++i) {
    auto *copy = llvm::cast<llvm::CallInst>(hook.clone());
    copy->setArgOperand(1, instants[i]);
    llvm::BasicBlock *behind = branch->getSuccessor(i);
    copy->insertInto(behind, behind->getFirstInsertionPt());
  }
  eraseHook(hook);
  return true;
}

void qdadvise::becomeSled(llvm::ArrayRef<llvm::CallInst *> hooks, SledSections &sections) {
  llvm::IRBuilder<> builder(hooks.back());
  llvm::Function &function = *hooks.front()->getFunction();
  // What leads aside uses the stack below the function's own.
  function.addFnAttr(llvm::Attribute::NoRedZone);
  Operands operands;
  std::string calls;
  for (llvm::CallInst *hook : hooks)
    calls += callCode(builder, *hook, hook == hooks.back(), operands);
  // Which of two instants it is only the running program knows.
  const Instant instant = knownInstant(*hooks.front()).value_or(Instant::fail);
  const bool tries = instant == Instant::attempt || instant == Instant::fail;
  const std::string code =
      sledText +
      sections.recordCode(function, tries
                                        ? ".long .Lqdadvise_sled${:uid} - .Lqdadvise_on${:uid}\n"
                                        : ".long .Lqdadvise_on${:uid} - .Lqdadvise_sled${:uid}\n") +
      ".subsection 1\n"
      ".Lqdadvise_on${:uid}:\n"
      ".weak __qdadvise_sled\n" +
      calls + ".subsection 0";
  llvm::SmallVector<llvm::Type *, 8> types;
  for (Value *value : operands.values)
    types.push_back(value->getType());
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), types, false);
  auto *assembler = llvm::InlineAsm::get(type, code, operands.constraints + changedRegisters,
                                         /*hasSideEffects=*/true);
  llvm::CallInst *sled = builder.CreateCall(assembler, operands.values);
  for (const unsigned place : operands.places)
    sled->addParamAttr(place,
                       llvm::Attribute::get(builder.getContext(), llvm::Attribute::ElementType,
                                            builder.getPtrTy()));
  sled->setDoesNotThrow();
  for (llvm::CallInst *hook : hooks)
    eraseHook(*hook);
}
