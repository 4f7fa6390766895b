// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Requests.h"

#include <algorithm>
#include <set>

namespace qdadvise {
namespace {

/// The keys of the locks of that name.
std::set<std::string> keysNamed(const std::string &name, const ProgramUses &program) {
  std::set<std::string> keys;
  for (const auto &[key, lock] : program.locks)
    if (lock.name == name)
      keys.insert(key);
  for (const auto &[key, lock] : program.others)
    if (lock.name == name)
      keys.insert(key);
  return keys;
}

/// The locks of that name that are the target already: operations are no sites, so that what was
/// delegated has none left.
std::set<std::string> alreadyNamed(const std::string &name, const ProgramUses &program,
                                   const Target &target) {
  std::set<std::string> keys;
  for (const std::string &key : keysNamed(name, program))
    if (const auto lock = program.locks.find(key);
        lock != program.locks.end() &&
        (lock->second.type == target.asClass.type || lock->second.type == target.inC.type))
      keys.insert(key);
  return keys;
}

void addAll(Requests &requests, const std::string &name, const std::set<std::string> &keys,
            const Target &target) {
  if (keys.empty())
    requests.wanted.push_back({name, "", &target});
  for (const std::string &key : keys)
    requests.wanted.push_back({name, key, &target});
}

std::set<Gate> acceptedBy(const ApplyOptions &options) {
  std::set<Gate> gates;
  for (const std::string &name : options.accepted)
    gates.insert(findQuestion(name)->gate);
  return gates;
}

Requests withoutAdvice(const ApplyOptions &options, const ProgramUses &program,
                       const Target &target) {
  Requests requests;
  requests.options = {acceptedBy(options), options.detached};
  for (const std::string &name : options.locks)
    addAll(requests, name, keysNamed(name, program), target);
  if (!options.locks.empty())
    return requests;
  for (const auto &[key, lock] : program.locks)
    requests.wanted.push_back({lock.name, key, &target});
  for (const auto &[key, lock] : program.others)
    if (!lock.waits || !program.innerOf(lock).empty())
      requests.wanted.push_back({lock.name, key, &target});
  return requests;
}

} // namespace

Expected<Requests> requestsFor(const ApplyOptions &options, const AdviceFile &advice,
                               const ProgramUses &program) {
  const Target *const kind = findTarget(options.kind);
  if (options.advice.empty())
    return withoutAdvice(options, program, *kind);
  for (const std::string &name : options.locks)
    if (std::ranges::none_of(advice.advice, [&](const Advice &a) { return a.lock == name; }))
      return makeError("--lock: " + options.advice + " has no advice for '" + name + "'");
  Requests requests;
  requests.options = {acceptedBy(options), options.detached};
  std::set<std::string> done;
  for (const Advice &one : advice.advice) {
    const bool isNamed = std::ranges::find(options.locks, one.lock) != options.locks.end();
    if ((!options.locks.empty() && !isNamed) || !done.insert(one.lock).second)
      continue;
    // A lock that is to be kept is changed where the user says so.
    if (one.keep && !(isNamed && kind)) {
      requests.kept.push_back(one.lock);
      continue;
    }
    const Target *const target = kind ? kind : findTarget(one.advised);
    if (!target)
      return makeError(options.advice + ": '" + one.advised + "' is no lock that apply knows");
    std::set<std::string> keys;
    for (const auto &[index, found] : program.advised)
      if (advice.advice[index].lock == one.lock)
        keys.insert(found.begin(), found.end());
    if (keys.empty())
      keys = alreadyNamed(one.lock, program, *target);
    addAll(requests, one.lock, keys, *target);
  }
  return requests;
}

} // namespace qdadvise
