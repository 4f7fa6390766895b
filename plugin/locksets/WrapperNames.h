// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions whose body is not in sight and whose name says that they take or give up
// a lock for their caller, or wait with it. This is a guess, and the runtime sees whether it was
// right.
#pragma once

#include "clang/AST/Decl.h"
#include "llvm/ADT/StringRef.h"

namespace qdadvise {

enum class NameMeaning : unsigned char {
  nothing,
  takes,    ///< `item_lock`, `Db::lockShared`
  tries,    ///< `item_trylock`
  releases, ///< `item_unlock`, `Db::leave_critical`
  waits,    ///< `safe_cond_wait`, `CondVar::wait`: gives up, and takes again
};

/// The meaning of a function's name, split at underscores and at humps of camel case.
/// `inClass` is the name of its class, or empty.
NameMeaning meaningOfName(llvm::StringRef name, llvm::StringRef inClass = "");

/// Is it a class's name for a lock: `RWLock`, `SlottedMutex`?
bool isNamedAsLock(llvm::StringRef className);

/// What the name of a function says that is declared and not defined in this translation unit. It
/// is `nothing` for functions of namespace std and of system headers, and for those that are given
/// no object to lock. A constructor `takes` where its class is named as a guard (`ScopedLock`) and
/// it is given an object.
NameMeaning meaningOfName(const clang::FunctionDecl &function);

} // namespace qdadvise
