// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions whose body is not in sight and whose name says that they take or give up
// a lock for their caller, or wait with it. A guess: the runtime sees whether it was right.
#pragma once

#include "clang/AST/Decl.h"
#include "llvm/ADT/StringRef.h"

namespace qdadvise {

enum class NameSays : unsigned char {
  nothing,
  takes,    ///< `item_lock`, `Db::lockShared`
  tries,    ///< `item_trylock`
  releases, ///< `item_unlock`, `Db::leave_critical`
  waits,    ///< `safe_cond_wait`, `CondVar::wait`: gives up, and takes again
};

/// What the name of a function says, split at underscores and at humps of camel case.
/// `inClass` is the name of its class, or empty.
NameSays nameSays(llvm::StringRef name, llvm::StringRef inClass = "");

/// Is it a class's name for a lock: `RWLock`, `SlottedMutex`?
bool isNamedAsLock(llvm::StringRef className);

/// The same for a function that is declared and not defined in this translation unit,
/// and by its parameters may be meant so: nothing for those of namespace std and of system
/// headers, and for those that are given no object to lock. A constructor `takes` where
/// its class is named as a guard (`ScopedLock`) and it is given an object.
NameSays nameSays(const clang::FunctionDecl &function);

} // namespace qdadvise
