// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an operation that the standard library performs for its caller to the line that calls it:
// the counterpart in IR of sites/LibraryOperations.h.
#pragma once

namespace llvm {
class CallBase;
}

namespace qdadvise {

/// The call in the user's code that leads to a call within the library; the call
/// itself if it is in the user's code already. Where several calls lead there, it is the
/// first of the module, as one function of the library serves all of them. A function that is
/// given a lambda expression has only one caller.
const llvm::CallBase &callByUser(const llvm::CallBase &call);

} // namespace qdadvise
