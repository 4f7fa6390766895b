// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/uses/LockOrder.h"

#include "runtime/abi/section_facts.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace qdadvise {
namespace {

/// The locks that have no name, together. None of those with a name that nobody has the address of.
constexpr const char *nameless = "";

/// What is done under a lock, in all of its sections.
struct Node {
  std::set<std::string> takes;
  bool isUnknown = false, waits = false;
};
using Nodes = std::map<std::string, Node>;

/// One for all objects of a class with a lock in it.
std::string nodeOf(const std::string &key, const ProgramUses &program) {
  const auto other = program.others.find(key);
  if (other == program.others.end())
    return key;
  const std::string inner = program.innerOf(other->second);
  return !inner.empty() || other->second.gate == Gate::behindPointer ? inner : key;
}

Nodes nodesOf(const ProgramUses &program) {
  Nodes nodes;
  for (const auto &[place, keys] : program.keysAt) {
    const CodeFacts facts = program.withFunctions(program.facts.at(place));
    for (const std::string &key : keys) {
      Node &node = nodes[nodeOf(key, program)];
      for (const std::string &taken : facts.takes)
        node.takes.insert(nodeOf(taken, program));
      for (const std::string &with : keys) // at once: in any order
        if (with != key)
          node.takes.insert(nodeOf(with, program));
      node.isUnknown |= facts.isOpen || !facts.unseen.empty() ||
                        (facts.bits & (factCallsUnknown | factCallsPointer)) != 0;
      node.waits |= (facts.bits & factWaits) != 0;
    }
  }
  return nodes;
}

/// Is the lock taken only where it is named, or by pointers that are followed?
bool isKnown(const std::string &key, const ProgramUses &program) {
  constexpr Gate elsewhere[] = {Gate::addressTaken,   Gate::handedOn,     Gate::unknownUse,
                                Gate::guardUsed,      Gate::nativeHandle, Gate::bytesCopied,
                                Gate::pointerEscapes, Gate::pointerOrigin};
  const auto lock = program.locks.find(key);
  return lock != program.locks.end() &&
         std::ranges::none_of(lock->second.uses, [&](const LockUse &use) {
           return use.kind == LockUse::Kind::gated &&
                  std::ranges::find(elsewhere, use.gate) != std::end(elsewhere);
         });
}

std::string nameOf(const std::string &key, const ProgramUses &program) {
  const auto lock = program.locks.find(key);
  const auto other = program.others.find(key);
  return "'" +
         (lock != program.locks.end()     ? lock->second.name
          : other != program.others.end() ? other->second.name
                                          : key) +
         "'";
}

/// What is wrong with one of the locks that are taken; "" if nothing is.
std::string obstacleAt(const std::string &key, const Node &node, const ProgramUses &program) {
  if (key != nameless && !isKnown(key, program))
    return nameOf(key, program) + " may be taken elsewhere, too";
  const std::string name = key == nameless ? "a lock without a name" : nameOf(key, program);
  if (node.isUnknown)
    return "not all is in sight that is done under " + name;
  return node.waits ? "a thread may wait under " + name : "";
}

} // namespace

std::string orderObstacle(const std::string &lock, const CodeFacts &section,
                          const ProgramUses &program) {
  if (section.isOpen || section.takes.empty())
    return "it is not seen that it gives up what it takes";
  Nodes nodes = nodesOf(program);
  std::set<std::string> done;
  std::vector<std::string> open;
  for (const std::string &taken : section.takes)
    open.push_back(nodeOf(taken, program));
  while (!open.empty()) {
    const std::string key = std::move(open.back());
    open.pop_back();
    if (!done.insert(key).second)
      continue;
    if (key == lock)
      return nameOf(key, program) + " may be taken under what it takes";
    const Node &node = nodes[key];
    if (std::string obstacle = obstacleAt(key, node, program); !obstacle.empty())
      return obstacle;
    open.insert(open.end(), node.takes.begin(), node.takes.end());
  }
  return "";
}

} // namespace qdadvise
