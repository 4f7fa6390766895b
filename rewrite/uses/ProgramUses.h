// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The locks of the whole program and what each unit says of them.
#pragma once

#include "rewrite/uses/Branches.h"
#include "rewrite/uses/LastingVariable.h"
#include "rewrite/uses/LockUse.h"
#include "rewrite/uses/PointerNode.h"
#include "rewrite/uses/SharedInteger.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace qdadvise {

/// A lock site whose lock is none of ProgramUses::locks: a class of the program's own, a pointer.
struct OtherLock {
  std::string name, type;
  TextRange place; ///< of its declaration, else of the first site
  Gate gate = Gate::lockType;
  bool waits = false; ///< it is a condition variable's class: a wait takes the lock anew
  std::set<std::pair<std::string, unsigned>> places; ///< files and offsets of its sites
  std::string innerKey;                              ///< the lock of these; "": none
};

/// The body of a member function.
struct MethodBody {
  unsigned end = 0;   ///< an offset
  std::string record; ///< the class, as ProgramLock::record
};

/// What code does that matters under a lock, and what it calls that its unit does not show.
struct CodeFacts {
  std::uint64_t bits = 0; ///< of SectionFact; of factCallsUnknown what is not in `unseen`
  std::map<std::string, std::string> unseen; ///< functions, by mangled name: for people
  std::set<std::string> takes;               ///< keys of the locks that are taken within
  bool isOpen = false; ///< takes and releases do not pair, or it is not known which lock it is

  void add(const CodeFacts &other) {
    bits |= other.bits;
    unseen.insert(other.unseen.begin(), other.unseen.end());
    takes.insert(other.takes.begin(), other.takes.end());
    isOpen |= other.isOpen;
  }
};

/// What is only looked for where some change may need it.
struct WantedUses {
  bool integers = false; ///< for atomics
  bool lasting = false;  ///< for operations that nobody waits for
};

struct ProgramUses {
  std::map<std::string, ProgramLock> locks;       ///< by key: one for all declarations of a lock
  std::map<std::string, OtherLock> others;        ///< by name and place
  std::map<std::string, SharedInteger> integers;  ///< by key, if they were asked for
  std::map<std::string, LastingVariable> lasting; ///< by key, if they were asked for
  /// The locks that are members of a class, by its name: one lock, in a class that wraps it.
  std::map<std::string, std::set<std::string>> innerLocks;
  /// The names of members and variables that lead to objects of a class elsewhere.
  std::set<std::string> pointers;
  /// What classes and structs the variables and members of a name are of, or point to: where these
  /// are declared.
  std::map<std::string, std::set<std::string>> recordsOf;
  PointerFlow pointerFlow;
  std::set<Mention> mentions;
  std::set<Branch> branches; ///< of `#if`
  /// Bodies of member functions, and the class, as in ProgramLock::record.
  std::map<std::pair<std::string, unsigned>, MethodBody> methods;
  /// Files and offsets of names in macros' bodies that were used, so that their uses are known.
  std::set<std::pair<std::string, unsigned>> resolved;
  /// Sites of advice: the key of its lock, or of `others`, for each entry that has one.
  std::map<std::size_t, std::set<std::string>> advised;
  /// The facts of the sections that begin at a file's offset; several units may see one.
  std::map<std::pair<std::string, unsigned>, CodeFacts> facts;
  /// The keys of the locks that are taken there.
  std::map<std::pair<std::string, unsigned>, std::set<std::string>> keysAt;
  /// Those of functions that another unit may call, by mangled name.
  std::map<std::string, CodeFacts> functions;
  /// Guards that are named again, by where they are declared; and where, for people.
  std::map<std::pair<std::string, unsigned>, TextRange> usedGuards;
  std::vector<std::string> broken; ///< what kept a unit from being understood
  std::map<std::string, std::map<std::string, int>> warnings; ///< by unit: how often each
  std::map<std::string, std::set<std::string>> unitsOf;       ///< by file: the units that read it

  /// The key of the lock that one changes with: the one that its pointers lead to, or the only one
  /// in its class. "": there is none.
  std::string innerOf(const OtherLock &lock) const;

  /// With all that the functions of the program do that are called from there. What is unseen then
  /// is in no unit.
  CodeFacts withFunctions(CodeFacts code) const;

  /// Is what has that key and place seen in the units of the one file that declares it only?
  bool isOfOneFile(const std::string &key, const TextRange &place) const;

  /// Does the text say that it is another one of the same name: a member of something else than
  /// `record`?
  bool isOfAnother(const Mention &mention, const std::string &record) const;

  /// Where text that was not compiled may mean what has that name, key and place.
  std::vector<Mention> mentionsOf(const std::string &name, const std::string &key,
                                  const TextRange &place, const std::string &record) const;

  /// Adds a use, unless it is there.
  void add(const std::string &key, const LockUse &use);
};

} // namespace qdadvise
