// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/api/LockApi.h"

#include "plugin/api/BundledLockApis.h"
#include "plugin/api/CFunctions.h"
#include "plugin/api/NamedRequirements.h"
#include "plugin/api/StandardLibrary.h"
#include "plugin/api/ThreadSafety.h"
#include "plugin/ast/DeclNames.h"

using namespace clang;

namespace qdadvise {
namespace {

using Answer = std::optional<LockAnswer>;

/// A source that knows only what is an operation says nothing of the other functions.
Answer answerIfOperation(std::optional<LockOperation> operation) {
  return operation ? Answer(LockAnswer{std::move(operation)}) : std::nullopt;
}

Answer askC(const FunctionDecl &callee) {
  return isa<CXXMethodDecl>(callee) ? std::nullopt : answerIfOperation(cOperation(callee));
}

Answer askStandardLibrary(const FunctionDecl &callee) {
  return isInStandardLibrary(callee) ? Answer(LockAnswer{standardOperation(callee)}) : std::nullopt;
}

Answer askAttributes(const FunctionDecl &callee) {
  if (Answer answer = answerIfOperation(attributeOperation(callee)))
    return answer;
  const auto *method = dyn_cast<CXXMethodDecl>(&callee);
  return method && isScopedCapability(*method->getParent()) ? Answer(LockAnswer()) : std::nullopt;
}

Answer askNamedRequirements(const FunctionDecl &callee) {
  const auto *method = dyn_cast<CXXMethodDecl>(&callee);
  return method ? answerIfOperation(lockableOperation(*method)) : std::nullopt;
}

} // namespace

LockApi::LockApi(ASTContext &context, const std::vector<LockApiEntry> &users)
    : user(users, context), bundled(bundledLockApis(), context) {}

std::optional<LockOperation> LockApi::lockOperationOf(const FunctionDecl &callee) const {
  if (callee.isDependentContext() || callee.isDeleted())
    return std::nullopt;
  // The sources in the order in which they count: the first one that answers decides.
  using Source = Answer (*)(const LockApi &, const FunctionDecl &);
  static constexpr Source sources[] = {
      [](const LockApi &api, const FunctionDecl &of) { return api.user.answerTo(of); },
      [](const LockApi &, const FunctionDecl &of) { return askC(of); },
      [](const LockApi &, const FunctionDecl &of) { return askStandardLibrary(of); },
      [](const LockApi &, const FunctionDecl &of) { return askAttributes(of); },
      [](const LockApi &api, const FunctionDecl &of) { return api.bundled.answerTo(of); },
      [](const LockApi &, const FunctionDecl &of) { return askNamedRequirements(of); },
  };
  for (const Source &ask : sources)
    if (Answer answer = ask(*this, callee))
      return std::move(answer->operation);
  return std::nullopt;
}

bool LockApi::isGuard(const CXXRecordDecl &record) const {
  return isStandardGuard(record) || isScopedCapability(record) || user.isGuard(record) ||
         bundled.isGuard(record);
}

} // namespace qdadvise
