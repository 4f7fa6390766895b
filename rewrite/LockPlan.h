// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it takes to make one lock of the program another: all edits, or the gates that are in the
// way.
#pragma once

#include "rewrite/Targets.h"
#include "rewrite/uses/ProgramUses.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

struct Edit {
  TextRange text;
  std::string replacement;
  bool takesSemicolon = false; ///< the one that follows goes, too; and a line that is left empty
  bool operator==(const Edit &) const = default;
};

struct Refusal {
  Gate gate = Gate::unknownUse;
  TextRange place; ///< file "": there is none
  std::string detail;
};

struct LockPlan {
  enum class Outcome { changed, already, refused } outcome = Outcome::refused;
  std::string key, name, type; ///< of the lock; the key is "" if the program has no such lock
  /// The lock in its class that it changes with; "": none.
  std::string innerKey, innerName, innerType;
  std::string requested; ///< the name that was asked for
  const Target *target = nullptr;
  TextRange place;
  std::vector<Edit> edits;
  std::set<std::pair<std::string, std::string>> includes; ///< file and header
  std::vector<Refusal> refusals;
  std::set<Gate> accepted;     ///< that would have been in the way
  std::size_t operations = 0;  ///< sections that are delegated
  std::vector<Refusal> locked; ///< of a delegating lock: why a section takes it as before
  /// Where operations may be detached: those that are, and why others are waited for.
  std::optional<std::size_t> detached;
  std::vector<Refusal> awaited;
  bool isOursInCxx = false, isOursInC = false; ///< what the program has to be built with

  std::set<std::string> atomics; ///< the integers that it was around, and that are atomics now

  void refuse(Gate gate, const TextRange &where, const std::string &detail);
  /// Adds an edit, unless it is there.
  void add(Edit edit);
  /// It is changed, unless something is in the way.
  void decide();
};

/// Takes a call away, or what its value is tested for only.
Edit withoutCall(const LockUse &use);

/// What the user says of all locks.
struct PlanOptions {
  std::set<Gate> accepted; ///< gates that the user has answered; see GateInfo::isAQuestion
  bool detaches = false;   ///< nobody waits for operations of which it is proven needless
  /// Sections with operations on other locks in their text take the lock as before: these change.
  bool keepsNested = false;
};

LockPlan planLock(const ProgramUses &program, const std::string &key, const Target &target,
                  const PlanOptions &options);

} // namespace qdadvise
