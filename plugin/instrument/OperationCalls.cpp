// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/instrument/OperationCalls.h"

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <string>

using llvm::CallBase;
using llvm::Instruction;
using llvm::StringRef;
using llvm::Value;

namespace qdadvise {
namespace {

/// Mangled names have this for a lambda without linkage, followed by a number that depends on what
/// else was mangled before.
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

} // namespace

StringRef mangledName(const llvm::GlobalValue &value) {
  StringRef name = value.getName();
  name.consume_front("\1");
  return name;
}

OperationCalls::OperationCalls(const LockTable &lockTable) : table(lockTable) {
  for (const LockSite &site : table.sites)
    calleesIn[site.inFunction].insert(site.callee);
  for (const auto &operation : table.operations)
    if (operation.first().contains(lambdaMark))
      lambdaOperations[withoutLambdaNumbers(operation.first())].push_back(&operation);
}

bool OperationCalls::mayHold(const llvm::Function &function) const {
  if (function.isDeclaration() || function.hasFnAttribute(llvm::Attribute::Naked))
    return false;
  if (function.hasPersonalityFn() &&
      llvm::isScopedEHPersonality(llvm::classifyEHPersonality(function.getPersonalityFn())))
    return false;
  return !table.isOpaque(mangledName(function));
}

void OperationCalls::find(llvm::Function &function,
                          llvm::SmallVectorImpl<OperationCall> &found) const {
  for (Instruction &instruction : llvm::instructions(function))
    if (llvm::isa<llvm::CallInst, llvm::InvokeInst>(instruction))
      if (const auto operation = operationOf(llvm::cast<CallBase>(instruction)))
        found.push_back(*operation);
}

std::optional<OperationCall> OperationCalls::operationOf(CallBase &call) const {
  // A constructor's name may be an alias of another's; the table has the names of
  // the source, so each step on the way may be the known one.
  Value *callee = call.getCalledOperand()->stripPointerCasts();
  if (llvm::isa<llvm::LoadInst>(callee))
    return operationByPlace(call);
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

/// Finds the operation that a function made for a lambda is (`std::thread(lambda)`). Several names
/// may differ only in the lambda's number; the place of the call tells which is meant.
std::optional<OperationCall> OperationCalls::lambdaOperationOf(CallBase &call,
                                                               StringRef name) const {
  const auto candidates = lambdaOperations.find(withoutLambdaNumbers(name));
  if (candidates != lambdaOperations.end())
    for (const auto *known : candidates->second)
      if (isSite(call, known->first()))
        return OperationCall{&call, &known->second, known->first()};
  return std::nullopt;
}

/// A virtual call, or one through a pointer, has no callee in IR: the place tells which operation
/// it is. A C function that is called by its name may be at the same place, within one macro.
std::optional<OperationCall> OperationCalls::operationByPlace(CallBase &call) const {
  const llvm::DebugLoc &location = call.getDebugLoc();
  const StringRef function = mangledName(*call.getFunction());
  const auto callees = calleesIn.find(function);
  if (!location || callees == calleesIn.end())
    return std::nullopt;
  for (const StringRef callee : callees->second) {
    const auto known = table.operations.find(callee);
    const LockSite *site = known == table.operations.end() ? nullptr : siteOf(call, callee);
    if (site && (site->isThroughPointer || callee.starts_with("_Z")))
      return OperationCall{&call, &known->second, known->first()};
  }
  return std::nullopt;
}

bool OperationCalls::isSite(const CallBase &call, StringRef callee) const {
  return siteOf(call, callee) != nullptr;
}

const LockSite *OperationCalls::siteOf(const CallBase &call, StringRef callee) const {
  const llvm::DebugLoc &location = call.getDebugLoc();
  return location ? table.find(callee, mangledName(*call.getFunction()), location.getLine(),
                               location.getCol())
                  : nullptr;
}

} // namespace qdadvise
