// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which calls in IR are lock operations of the AST's table.
#pragma once

#include "plugin/sites/LockTable.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

#include <optional>
#include <set>

namespace qdadvise {

/// A call of a lock operation.
struct OperationCall {
  llvm::CallBase *call;
  const LockOperation *operation;
  llvm::StringRef callee; ///< its name in the table
};

/// The mangled name as the AST has it: a leading \1 keeps it from being mangled again.
llvm::StringRef mangledName(const llvm::GlobalValue &value);

class OperationCalls {
public:
  /// `lockTable` must outlive it.
  explicit OperationCalls(const LockTable &lockTable);

  /// Whether a function's calls are to be looked at. Those with Windows' way of unwinding are not:
  /// it wants every call to name its funclet, and no target with sleds has it.
  bool mayHold(const llvm::Function &function) const;

  /// Adds the calls of operations in a function.
  void find(llvm::Function &function, llvm::SmallVectorImpl<OperationCall> &found) const;

  /// Has the AST a site of `callee` at the place of this call?
  bool isSite(const llvm::CallBase &call, llvm::StringRef callee) const;

private:
  const LockSite *siteOf(const llvm::CallBase &call, llvm::StringRef callee) const;
  std::optional<OperationCall> operationOf(llvm::CallBase &call) const;
  std::optional<OperationCall> operationByPlace(llvm::CallBase &call) const;
  std::optional<OperationCall> lambdaOperationOf(llvm::CallBase &call, llvm::StringRef name) const;

  const LockTable &table;
  llvm::StringMap<std::set<llvm::StringRef>> calleesIn; ///< operations called, by mangled name
  /// The key is the mangled name without the numbers of lambdas, which AST and IR count
  /// differently.
  llvm::StringMap<llvm::SmallVector<const llvm::StringMapEntry<LockOperation> *, 1>>
      lambdaOperations;
};

} // namespace qdadvise
