// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code that is called and whose body is not in sight. Where it has names, another unit of the
// program may show it.
#pragma once

#include "clang/AST/Decl.h"
#include "llvm/ADT/SetVector.h"

namespace qdadvise {

struct UnseenCalls {
  llvm::SmallSetVector<const clang::FunctionDecl *, 2> functions;
  bool isMore = false; ///< code without a name, too, or more than is looked at

  void add(const UnseenCalls &other) {
    functions.insert(other.functions.begin(), other.functions.end());
    isMore |= other.isMore;
  }
};

} // namespace qdadvise
