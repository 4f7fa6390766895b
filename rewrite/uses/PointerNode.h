// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers to locks, apart from any translation unit. A node is a variable, a member, a parameter
// or the result of a function, of a type `T *` where T is a lock's, or `void *`. Nodes that one
// pointer may go through are connected: whatever they lead to is one lock class, which changes as a
// whole.
#pragma once

#include "rewrite/uses/LockUse.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

struct PointerNode {
  enum class Kind { member, global, local, parameter, result } kind = Kind::local;
  std::string name; ///< for people: `RWLock::opq_`
  std::string type; ///< of the lock that it leads to; "" for `void *`
  LockFamily family = LockFamily::other;
  TextRange place;
  std::string record;      ///< the class that it is a member of: where that is declared; ""
  bool isDefined = false;  ///< parameters and results: the function is in sight
  bool isNewed = false;    ///< what it leads to is made by `new`
  bool isMalloced = false; ///< or by `malloc`
  bool inC = false, inCxx = false, isBefore17 = false;
  std::set<PointerName> names;
  std::set<LockUse> uses;
};

/// All nodes by key, and which are connected.
struct PointerFlow {
  std::map<std::string, PointerNode> nodes;
  std::set<std::pair<std::string, std::string>> edges;
  /// The places that use a lock by a pointer, by file and offset: the nodes' keys.
  std::map<std::pair<std::string, unsigned>, std::set<std::string>> sites;
  /// The functions that are called at a place, and the nodes by which a function uses locks: a
  /// function that returns with the lock is a site where it is called.
  std::map<std::pair<std::string, unsigned>, std::string> calls;
  std::map<std::string, std::set<std::string>> usedIn;
};

} // namespace qdadvise
