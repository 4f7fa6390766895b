// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Summary.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace qdadvise {
namespace {

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string count(std::size_t number, const std::string &noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string outcomeOf(const LockPlan &plan) {
  if (plan.outcome == LockPlan::Outcome::refused)
    return "refused";
  if (plan.outcome == LockPlan::Outcome::already)
    return "is one already";
  std::string accepted;
  for (const Gate gate : plan.accepted)
    accepted.append(accepted.empty() ? "; accepted: " : ", ").append(infoOf(gate).name);
  if (!plan.innerKey.empty())
    return "changed: with '" + plan.innerName + "', " +
           (plan.type.empty() || plan.type == plan.innerType ? "which it is" : "which is in it") +
           accepted;
  std::set<std::string> files;
  for (const Edit &edit : plan.edits)
    files.insert(edit.text.file);
  const std::string where =
      files.size() == 1 ? shownPath(*files.begin()) : count(files.size(), "file");
  std::string text = "changed: " + count(plan.edits.size(), "place") + " in " + where;
  if (!plan.locked.empty())
    text += "; " + std::to_string(plan.operations) + " of " +
            count(plan.operations + plan.locked.size(), "section") + " delegated";
  if (plan.detached)
    text += "; " + std::to_string(*plan.detached) + " of " + count(plan.operations, "operation") +
            " detached";
  std::string separator = "; atomic: ";
  for (const std::string &integer : plan.atomics)
    text += std::exchange(separator, ", ") + integer;
  return text + accepted;
}

/// What is in the way of a lock, or of some of its sections: each gate once, at the first place
/// where it was met.
std::string refusalsOf(const std::vector<Refusal> &refusals) {
  std::map<Gate, std::pair<const Refusal *, std::size_t>> gates;
  for (const Refusal &refusal : refusals) {
    auto &[first, met] = gates[refusal.gate];
    first = first ? first : &refusal;
    ++met;
  }
  std::string text;
  for (const auto &[gate, found] : gates) {
    const auto &[first, met] = found;
    text += "  ";
    if (!first->place.file.empty())
      text += shownPath(first->place.file) + ":" + std::to_string(first->place.line) + ":" +
              std::to_string(first->place.column) + ": ";
    text.append(infoOf(gate).name).append(": ").append(infoOf(gate).message);
    if (!first->detail.empty())
      text += " (" + first->detail + ")";
    if (met > 1)
      text += ", and in " + count(met - 1, "other place");
    text += "\n";
  }
  return text;
}

std::string countsOf(const std::vector<LockPlan> &plans, const std::vector<std::string> &kept) {
  std::size_t changed = 0, already = 0, refused = 0;
  std::map<std::string_view, std::size_t> gates;
  for (const LockPlan &plan : plans) {
    changed += plan.outcome == LockPlan::Outcome::changed;
    already += plan.outcome == LockPlan::Outcome::already;
    refused += plan.outcome == LockPlan::Outcome::refused;
    std::set<Gate> ofThis;
    for (const Refusal &refusal : plan.refusals)
      ofThis.insert(refusal.gate);
    for (const Gate gate : ofThis)
      ++gates[infoOf(gate).name];
  }
  std::string text = std::to_string(changed) + " changed, " + std::to_string(refused) + " refused";
  std::string separator = " (";
  for (const auto &[gate, number] : gates) {
    text.append(separator).append(gate).append(" ").append(std::to_string(number));
    separator = ", ";
  }
  text += gates.empty() ? "" : ")";
  if (already > 0)
    text += ", " + std::to_string(already) + " as asked already";
  if (!kept.empty())
    text += ", " + std::to_string(kept.size()) + " to be kept";
  return text + "\n";
}

bool isChangedTo(const LockPlan &plan, bool LockPlan::*ours) {
  return plan.outcome == LockPlan::Outcome::changed && plan.*ours;
}

/// What the program has to be built with now.
std::string buildOf(const std::vector<LockPlan> &plans, const LinkingTargets &targets) {
  if (!needsLocks(plans))
    return "";
  std::string text;
  std::string separator = "CMake links the locks to ";
  for (const std::string &target : targets.linked)
    text += std::exchange(separator, ", ") + target;
  if (!targets.linked.empty())
    text += "; it finds them with -DCMAKE_PREFIX_PATH=PREFIX, where PREFIX is QDAdvise's\n";
  if (!targets.linked.empty() && targets.toLink.empty())
    return text;
  const bool inC = std::ranges::any_of(
      plans, [](const LockPlan &plan) { return isChangedTo(plan, &LockPlan::isOursInC); });
  text += "To build it, by hand: ";
  text += inC ? "-I PREFIX/include, and link with -L PREFIX/lib -lqdadvise_locks"
              : "-I PREFIX/include (the locks are headers; nothing has to be linked)";
  text += ", where PREFIX is QDAdvise's\n";
  if (targets.toLink.empty())
    return text;
  text += "With CMake:\n  find_package(QDAdvise REQUIRED COMPONENTS locks)\n";
  for (const std::string &target : targets.toLink)
    text += "  target_link_libraries(" + target + " PRIVATE QDAdvise::locks)\n";
  return text;
}

} // namespace

std::string shownPath(const std::string &path) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  return path.starts_with(here) ? path.substr(here.size()) : path;
}

bool needsLocks(const std::vector<LockPlan> &plans) {
  return std::ranges::any_of(plans, [](const LockPlan &plan) {
    return isChangedTo(plan, &LockPlan::isOursInC) || isChangedTo(plan, &LockPlan::isOursInCxx);
  });
}

std::string summaryOf(const std::vector<LockPlan> &plans, const std::vector<std::string> &kept,
                      const LinkingTargets &targets, const std::vector<std::string> &broken) {
  std::size_t nameWidth = 4, typeWidth = 5, targetWidth = 7;
  for (const LockPlan &plan : plans) {
    nameWidth = std::max(nameWidth, plan.name.size());
    typeWidth = std::max(typeWidth, plan.type.size());
    targetWidth = std::max(targetWidth, plan.target->label.size());
  }
  std::string text = padded("lock", nameWidth) + "  " + padded("today", typeWidth) + "  " +
                     padded("becomes", targetWidth) + "\n";
  for (const LockPlan &plan : plans)
    text += padded(plan.name, nameWidth) + "  " + padded(plan.type, typeWidth) + "  " +
            padded(std::string(plan.target->label), targetWidth) + "  " + outcomeOf(plan) + "\n" +
            (plan.outcome == LockPlan::Outcome::changed
                 ? refusalsOf(plan.locked) + refusalsOf(plan.awaited)
                 : refusalsOf(plan.refusals));
  for (const std::string &error : broken)
    text += "not understood, for it does not compile: " + error + "\n";
  return text + countsOf(plans, kept) + buildOf(plans, targets);
}

} // namespace qdadvise
