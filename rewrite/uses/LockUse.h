// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a lock of the program and of its uses, apart from any translation unit: the
// value between the collector, which sees one unit after the other, and the plan.
#pragma once

#include "rewrite/uses/Gates.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace qdadvise {

/// A piece of a file as it is on disk.
struct TextRange {
  std::string file; ///< absolute
  unsigned offset = 0, length = 0;
  unsigned line = 0, column = 0; ///< of its beginning, for people

  unsigned end() const { return offset + length; }
  bool operator==(const TextRange &) const = default;
};

/// The families of lock types that can be rewritten. The types of one family are used alike.
enum class LockFamily {
  classes, ///< std::mutex, std::shared_mutex, our classes
  mutex,   ///< pthread_mutex_t
  rwlock,  ///< pthread_rwlock_t
  oursInC, ///< qdadvise_mcs and its like
  other,   ///< none
};

enum class LockVerb { lock, tryLock, unlock, initialise, destroy };

/// What a section does with integers that threads share, if that is one access to one of them and
/// nothing else.
struct SingleAccess {
  std::string integer;      ///< its key, as keyOf says
  std::optional<Gate> gate; ///< it is not
  TextRange place;          ///< of what is in the way
  std::string detail;
};

/// A section that may happen after its thread went on, as far as its own text tells.
struct UnawaitedSection {
  std::set<std::string> variables; ///< keys of those that last: nobody may see these elsewhere
  std::string obstacle;            ///< why its thread waits for it; "" where that may be needless
  TextRange place;                 ///< of that
  bool hasValues = false;          ///< it takes values with it
  bool isOfOneLock = false;        ///< the lock is a variable of static storage
  TextRange text;   ///< from where the lock is taken to where it is given up; file "": not known
  std::string body; ///< where the function begins that it is in

  /// In C++, how `lock` is given it.
  std::string openingFor(const std::string &lock) const {
    return lock + ".delegate_detached([" + (hasValues ? "=" : "") + "] {";
  }
};

/// A critical section from a guard to the end of its block, as an operation of a delegating lock.
struct GuardedRest {
  TextRange guard;                      ///< the statement that declares it, with its semicolon
  TextRange end;                        ///< of the block: the brace
  std::string lock;                     ///< as the guard is given it
  std::string indent;                   ///< of the guard
  std::optional<std::string> endIndent; ///< of the brace, if it begins its line
  std::string opening;                  ///< `return ` where the function ends with it
  std::string resultType;               ///< ` -> T`, or "" where the compiler finds it
  std::optional<Gate> gate;             ///< it cannot be one
  TextRange place;                      ///< of what is in the way
  std::string detail;
  SingleAccess access;
  UnawaitedSection unawaited;
};

/// A piece of text that changes where a section becomes an operation. In C the function is named
/// that delegates, between `replacement` and `after`.
struct SectionEdit {
  TextRange text;
  std::string replacement;
  bool callsDelegate = false;
  std::string after;
  std::optional<std::string> detached; ///< instead of `replacement`, where nobody waits for it
  /// The same, where errno has to be its thread's; and instead of `after`.
  std::optional<std::string> carrying;
  std::string carryingAfter;
};

/// A critical section between calls, from the one that takes the lock, as an operation.
struct CallSection {
  TextRange call; ///< that takes the lock
  std::vector<SectionEdit> edits;
  std::vector<TextRange> releases;   ///< the calls that end it
  std::vector<TextRange> statements; ///< that take the lock and give it up
  bool hasOperations = false;        ///< on other locks, in its text
  std::optional<Gate> gate;          ///< it cannot be one
  TextRange place;                   ///< of what is in the way
  std::string detail;
  SingleAccess access;
  UnawaitedSection unawaited;
};

/// One place that has to do with a lock. What it becomes depends on the target.
struct LockUse {
  enum class Kind {
    declaration,   ///< `text` is the name of its type
    initialiser,   ///< `text` is the macro; `whole` the `=` and the macro
    element,       ///< `text` is the macro, among the initialisers of a struct or an array
    guardArgument, ///< `text` is the lock's type among the arguments of a guard's template
    call,          ///< `text` is the call of a function of POSIX threads
    condition,     ///< `text` is the type of a condition variable that waits with it
    plain,         ///< nothing has to be changed there
    gated,         ///< it cannot be changed
  } kind = Kind::plain;
  TextRange text;

  TextRange whole;       ///< initialiser: with `=`; call, declaration: the whole statement
  TextRange callee;      ///< call: the function's name
  std::string lock;      ///< call: the lock itself, `cache->lock`; "" where there is a pointer only
  std::string pointer;   ///< call: the pointer that leads to it, `core->locks + i`
  TextRange pointerText; ///< where that is
  std::optional<TextRange> test; ///< call: the `if` whose only matter is that it fails
  LockVerb verb = LockVerb::lock;
  bool isShared = false;
  bool inBlock = false;               ///< call: a statement among others in braces
  bool isStatement = false;           ///< call: nobody looks at its value
  bool inConstructor = false;         ///< call: of a member of this object, in its constructor
  bool isAdaptive = false;            ///< of a mutex that is adaptive already
  bool isTruth = false;               ///< call: what counts is whether its value is 0
  bool isMacro = false;               ///< call: of a macro that is nothing else than the call
  bool commentInside = false;         ///< call: it cannot be taken apart
  Gate gate = Gate::unknownUse;       ///< gated
  std::string detail;                 ///< gated: what was seen, for people
  std::optional<GuardedRest> rest;    ///< of a guard, also of one that shares the lock
  std::optional<CallSection> section; ///< of what takes the lock by a call

  /// Uses in a header are seen once for each unit that includes it.
  auto key() const {
    return std::tie(text.file, text.offset, text.length, kind, gate, detail, verb);
  }
  bool operator<(const LockUse &other) const { return key() < other.key(); }
};

/// A use that cannot be changed.
inline LockUse gatedUse(Gate gate, TextRange place, std::string detail) {
  LockUse use;
  use.kind = LockUse::Kind::gated;
  use.text = std::move(place);
  use.gate = gate;
  use.detail = std::move(detail);
  return use;
}

/// A name for a pointer, and where it means that one: in a function, or anywhere.
struct PointerName {
  std::string name;
  TextRange scope; ///< file "": anywhere
  auto key() const { return std::tie(name, scope.file, scope.offset); }
  bool operator<(const PointerName &other) const { return key() < other.key(); }
};

struct ProgramLock {
  std::string name; ///< as in advice: `Journal::lock_`
  std::string type; ///< as in reports: `std::mutex`
  LockFamily family = LockFamily::other;
  TextRange place;                                   ///< of the name in its first declaration
  std::set<std::pair<std::string, unsigned>> places; ///< files and lines of all of them
  bool inC = false, inCxx = false;
  bool isBefore17 = false; ///< in C++ that does not know our classes
  std::string record;      ///< where the class or struct is declared that it is a member of; ""
  bool isStatic = false;   ///< of static storage
  bool isPointedTo = false, isMalloced = false; ///< it has no name: `names` are of pointers to it
  std::set<PointerName> names;                  ///< of pointers
  std::set<std::string> records;                ///< the classes of those that are members
  /// Where the destructor of its class can wait for helpers, and the text for that.
  std::optional<TextRange> destructor;
  std::string destructorText;
  std::vector<LockUse> uses; ///< in the order of files and places, each once
};

/// A name in text that was not compiled: another configuration may use the lock there.
struct Mention {
  std::string name;
  TextRange text;
  Gate gate = Gate::inactiveCode;
  bool isMember = false; ///< behind a dot or an arrow
  std::string object;    ///< the name before that; "" where there is none
  auto key() const { return std::tie(name, text.file, text.offset, gate); }
  bool operator<(const Mention &other) const { return key() < other.key(); }
};

} // namespace qdadvise
