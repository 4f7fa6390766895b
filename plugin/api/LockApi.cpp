// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/api/LockApi.h"

#include "plugin/api/LockKnowledge.h"

using namespace clang;

namespace qdadvise {

LockApi::LockApi(ASTContext &context, const std::vector<LockApiEntry> &users)
    : user(users, context), bundled(bundledLockApis(), context) {}

std::optional<LockOperation> LockApi::lockOperationOf(const FunctionDecl &callee) const {
  if (callee.isDependentContext() || callee.isDeleted())
    return std::nullopt;
  if (std::optional<LockConfig::Answer> answer = user.answerTo(callee))
    return answer->operation;
  const auto *method = dyn_cast<CXXMethodDecl>(&callee);
  if (!method)
    if (std::optional<LockOperation> operation = cOperation(callee))
      return operation;
  if (isInStandardLibrary(callee))
    return standardOperation(callee);
  if (std::optional<LockOperation> operation = attributeOperation(callee))
    return operation;
  if (method && isScopedCapability(*method->getParent()))
    return std::nullopt;
  if (std::optional<LockConfig::Answer> answer = bundled.answerTo(callee))
    return answer->operation;
  return method ? lockableOperation(*method) : std::nullopt;
}

bool LockApi::isGuard(const CXXRecordDecl &record) const {
  return isStandardGuard(record) || isScopedCapability(record) || user.isGuard(record) ||
         bundled.isGuard(record);
}

} // namespace qdadvise
