// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/AtomicPlan.h"

#include <algorithm>

namespace qdadvise {
namespace {

/// A statement goes with its semicolon, which is in the text already.
Edit withoutStatement(TextRange statement) {
  --statement.length;
  return {statement, "", /*takesSemicolon=*/true};
}

/// Writes the edits of one lock.
class AtomicPlanner {
public:
  AtomicPlanner(const ProgramUses &lockProgram, const std::string &key, const Target &target)
      : program(lockProgram), lock(lockProgram.locks.at(key)) {
    plan.key = key;
    plan.name = lock.name;
    plan.type = lock.type;
    plan.target = &target;
    plan.place = lock.place;
  }

  LockPlan run() {
    if (lock.isPointedTo)
      plan.refuse(Gate::behindPointer, lock.place, "");
    if (!program.broken.empty())
      plan.refuse(Gate::doesNotParse, {}, program.broken.front());
    for (const LockUse &use : lock.uses)
      takeSection(use);
    for (const LockUse &use : lock.uses)
      takeUse(use);
    if (sections == 0 && plan.refusals.empty())
      plan.refuse(Gate::sectionShape, lock.place, "it has no section");
    checkMentions(lock.name, plan.key, lock.place, lock.record);
    for (const std::string &key : integers)
      takeInteger(key);
    if (plan.refusals.empty())
      plan.decide();
    return plan;
  }

private:
  /// Each section has to be one access. What takes the lock and gives it up goes.
  void takeSection(const LockUse &use) {
    if (!use.rest && !use.section)
      return;
    ++sections;
    const SingleAccess &access = use.rest ? use.rest->access : use.section->access;
    if (use.section)
      for (const TextRange &release : use.section->releases)
        releases.emplace(release.file, release.offset);
    if (access.gate) {
      plan.refuse(*access.gate, access.place, access.detail);
      return;
    }
    integers.insert(access.integer);
    if (use.section) {
      for (const TextRange &statement : use.section->statements)
        plan.add(withoutStatement(statement));
      return;
    }
    const auto used = program.usedGuards.find({use.rest->guard.file, use.rest->guard.offset});
    if (used != program.usedGuards.end())
      plan.refuse(Gate::sectionShape, used->second, "the guard is named again");
    plan.add(withoutStatement(use.rest->guard));
  }

  void takeUse(const LockUse &use) {
    switch (use.kind) {
    case LockUse::Kind::declaration:
      if (use.whole.length == 0)
        plan.refuse(Gate::macro, use.text, "its declaration");
      plan.add({use.whole, "", /*takesSemicolon=*/true});
      break;
    case LockUse::Kind::initialiser: // goes with the declaration
      break;
    case LockUse::Kind::element:
      plan.refuse(Gate::initialiser, use.text, "among others");
      break;
    case LockUse::Kind::condition:
      plan.refuse(Gate::conditionVariable, use.text, use.detail);
      break;
    case LockUse::Kind::gated:
      plan.refuse(use.gate, use.text, use.detail);
      break;
    case LockUse::Kind::call:
    case LockUse::Kind::plain:
    case LockUse::Kind::guardArgument:
      takeOperation(use);
      break;
    }
  }

  /// Everything that is done with it has to be in a section, or about its own life.
  void takeOperation(const LockUse &use) {
    const bool isOfLife = use.kind == LockUse::Kind::call &&
                          (use.verb == LockVerb::initialise || use.verb == LockVerb::destroy);
    if (isOfLife && !use.isStatement && !use.test)
      plan.refuse(Gate::resultUsed, use.text, "");
    else if (isOfLife)
      plan.add(withoutCall(use));
    else if (!use.rest && !use.section && !releases.contains({use.text.file, use.text.offset}))
      plan.refuse(Gate::sectionShape, use.text, "it is of no section that is known");
  }

  void takeInteger(const std::string &key) {
    const auto found = program.integers.find(key);
    if (found == program.integers.end()) { // a section has seen it, so this is a unit's failure
      plan.refuse(Gate::integerUse, lock.place, "");
      return;
    }
    const SharedInteger &integer = found->second;
    plan.atomics.insert(integer.name);
    if (integer.inC && integer.inCxx)
      plan.refuse(Gate::mixedLanguages, integer.place, "'" + integer.name + "'");
    for (const IntegerUse &use : integer.uses)
      takeIntegerUse(integer, use);
    checkMentions(integer.name, key, integer.place, integer.record);
  }

  void takeIntegerUse(const SharedInteger &integer, const IntegerUse &use) {
    TextRange end = use.text;
    switch (use.kind) {
    case IntegerUse::Kind::declaration:
      plan.add({use.text, integer.inC ? "_Atomic " + use.value : "std::atomic<" + use.value + ">"});
      if (integer.inCxx)
        plan.includes.emplace(use.text.file, "<atomic>");
      break;
    case IntegerUse::Kind::initialiser:
      plan.add({use.text, "{" + use.value + "}"});
      break;
    case IntegerUse::Kind::argument:
      end.offset = use.text.end();
      end.length = 0;
      plan.add({end, ".load()"});
      break;
    case IntegerUse::Kind::gated:
      plan.refuse(use.gate, use.text,
                  "'" + integer.name + "'" + (use.detail.empty() ? "" : ": " + use.detail));
      break;
    }
  }

  /// Its name in code that was not compiled may be used in any way there.
  void checkMentions(const std::string &name, const std::string &key, const TextRange &place,
                     const std::string &record) {
    for (const Mention &mention : program.mentionsOf(name, key, place, record))
      plan.refuse(mention.gate, mention.text, "'" + mention.name + "'");
  }

  const ProgramUses &program;
  const ProgramLock &lock;
  std::size_t sections = 0;
  std::set<std::string> integers;                      ///< keys
  std::set<std::pair<std::string, unsigned>> releases; ///< calls that end a section
  LockPlan plan;
};

} // namespace

LockPlan planAtomic(const ProgramUses &program, const std::string &key, const Target &target) {
  return AtomicPlanner(program, key, target).run();
}

} // namespace qdadvise
