// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/uses/PointerLocks.h"

#include <algorithm>
#include <tuple>

namespace qdadvise {
namespace {

using Members = std::vector<const std::pair<const std::string, PointerNode> *>;

/// Sets of connected nodes, each by one of them.
class Connections {
public:
  explicit Connections(const PointerFlow &flow) {
    for (const auto &[from, to] : flow.edges)
      above[rootOf(from)] = rootOf(to);
  }
  std::string rootOf(std::string key) {
    for (auto up = above.find(key); up != above.end() && up->second != key; up = above.find(key))
      key = up->second;
    return key;
  }

private:
  std::map<std::string, std::string> above;
};

void addMember(ProgramUses &program, const std::string &key, const PointerNode &node) {
  ProgramLock &lock = program.locks[key];
  lock.inC |= node.inC;
  lock.inCxx |= node.inCxx;
  lock.isBefore17 |= node.isBefore17;
  lock.names.insert(node.names.begin(), node.names.end());
  lock.isMalloced |= node.isMalloced;
  if (!node.record.empty())
    lock.records.insert(node.record);
  if (!node.type.empty() && node.type != lock.type)
    program.add(key, gatedUse(Gate::declaration, node.place, "it has two types"));
  const bool isOfFunction =
      node.kind == PointerNode::Kind::parameter || node.kind == PointerNode::Kind::result;
  if (isOfFunction && !node.isDefined)
    program.add(key,
                gatedUse(Gate::pointerEscapes, node.place, "'" + node.name + "' is not in sight"));
  for (const LockUse &use : node.uses)
    program.add(key, use);
}

/// What `new` makes is constructed already; what malloc makes is not.
void setConstructed(ProgramLock &lock, bool isConstructed) {
  for (LockUse &use : lock.uses)
    use.inConstructor |= isConstructed && !use.pointer.empty();
}

void addLock(ProgramUses &program, const std::string &key, const Members &members) {
  const auto &named = *std::ranges::min(members, {}, [](const auto *member) {
    const PointerNode &node = member->second;
    return std::tuple(node.type.empty() && node.kind != PointerNode::Kind::member, node.kind,
                      node.place.file, node.place.offset);
  });
  const auto typed = std::ranges::find_if(
      members, [](const auto *member) { return !member->second.type.empty(); });
  ProgramLock &lock = program.locks[key];
  lock.name = named.second.name;
  lock.type = (*typed)->second.type;
  lock.family = (*typed)->second.family;
  lock.place = named.second.place;
  lock.isPointedTo = true;
  for (const auto *member : members) {
    addMember(program, key, member->second);
    const std::size_t scope = member->second.name.rfind("::");
    if (member->second.kind == PointerNode::Kind::member && scope != std::string::npos)
      program.innerLocks[member->second.name.substr(0, scope)].insert(key);
  }
  setConstructed(lock, !lock.isMalloced);
}

/// The nodes by which a site uses a lock, itself or in the function that it calls.
std::set<std::string> nodesAt(const std::pair<std::string, unsigned> &place,
                              const PointerFlow &flow) {
  if (const auto site = flow.sites.find(place); site != flow.sites.end())
    return site->second;
  const auto call = flow.calls.find(place);
  const auto used = call == flow.calls.end() ? flow.usedIn.end() : flow.usedIn.find(call->second);
  return used == flow.usedIn.end() ? std::set<std::string>() : used->second;
}

} // namespace

void addPointerLocks(ProgramUses &program) {
  Connections connections(program.pointerFlow);
  std::map<std::string, Members> sets;
  for (const auto &node : program.pointerFlow.nodes)
    sets[connections.rootOf(node.first)].push_back(&node);
  std::map<std::string, std::string> keys; // of locks, by root
  for (const auto &[root, members] : sets) {
    const bool isLock = std::ranges::any_of(
        members, [](const auto *member) { return !member->second.type.empty(); });
    const bool isMade = std::ranges::any_of(members, [](const auto *member) {
      return member->second.isNewed || member->second.isMalloced;
    });
    if (!isLock || !isMade)
      continue;
    keys[root] = "pointer|" + root;
    addLock(program, keys[root], members);
  }
  for (auto &[key, other] : program.others) {
    std::set<std::string> reached;
    for (const auto &place : other.places)
      for (const std::string &node : nodesAt(place, program.pointerFlow))
        reached.insert(connections.rootOf(node));
    if (reached.size() == 1)
      if (const auto found = keys.find(*reached.begin()); found != keys.end())
        other.innerKey = found->second;
  }
}

} // namespace qdadvise
