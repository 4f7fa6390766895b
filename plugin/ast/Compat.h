// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What differs between the LLVM versions that the plugin is built for. No other file has an `#if`
// on a version.
#pragma once

#include "clang/AST/Attr.h"
#include "llvm/Config/llvm-config.h"

static_assert(LLVM_VERSION_MAJOR == 19 || LLVM_VERSION_MAJOR == 22,
              "QDAdvise is built for LLVM 22 or LLVM 19");

namespace qdadvise {

/// Calls `callback(attribute, isShared)` if the attribute is one of those for functions
/// that try to take a lock. The older spellings were classes of their own.
template <typename Callback>
void withTryAcquire(const clang::Attr &attribute, const Callback &callback) {
  if (const auto *attempt = llvm::dyn_cast<clang::TryAcquireCapabilityAttr>(&attribute))
    callback(*attempt, attempt->isShared());
#if LLVM_VERSION_MAJOR < 22
  if (const auto *attempt = llvm::dyn_cast<clang::ExclusiveTrylockFunctionAttr>(&attribute))
    callback(*attempt, false);
  if (const auto *attempt = llvm::dyn_cast<clang::SharedTrylockFunctionAttr>(&attribute))
    callback(*attempt, true);
#endif
}

} // namespace qdadvise
