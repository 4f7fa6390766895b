// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Plans.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace qdadvise {
namespace {

LockPlan planWithoutSite(const Request &request, const ProgramUses &uses) {
  LockPlan plan;
  plan.name = plan.requested = request.lock;
  plan.target = request.target;
  plan.refuse(Gate::noSite, {}, "");
  if (!uses.broken.empty())
    plan.refuse(Gate::doesNotParse, {}, uses.broken.front());
  return plan;
}

/// A lock of the class that is not to become the same as this one; "" where all are.
std::string differentOne(const std::string &innerKey, const Target &target,
                         const Requests &requests, const ProgramUses &uses) {
  for (const auto &[key, other] : uses.others) {
    const bool isObject = other.gate == Gate::lockType && other.innerKey.empty() &&
                          !uses.pointers.contains(other.name);
    if (!isObject || uses.innerOf(other) != innerKey)
      continue;
    const bool isAlike = std::ranges::any_of(requests.wanted, [&](const Request &request) {
      return request.key == key && request.target == &target;
    });
    if (!isAlike)
      return other.name;
  }
  return "";
}

LockPlan *findPlan(std::vector<LockPlan> &plans, const std::string &key) {
  const auto found = std::ranges::find(plans, key, &LockPlan::key);
  return found == plans.end() ? nullptr : &*found;
}

/// What is in the way of the lock in the class is named first: it is the reason.
void refuseWith(LockPlan &plan, const LockPlan &inner, Gate ownGate) {
  for (const Refusal &refusal : inner.refusals)
    plan.refuse(refusal.gate, refusal.place, refusal.detail);
  plan.refuse(ownGate, plan.place, "'" + plan.type + "'");
}

/// The plan of a lock whose class has one lock in it.
LockPlan planThrough(const Request &request, const std::string &innerKey, const Requests &requests,
                     const ProgramUses &uses, std::vector<LockPlan> &plans) {
  LockPlan plan = planLock(uses, request.key, *request.target, requests.options);
  plan.requested = request.lock;
  std::string different = differentOne(innerKey, *request.target, requests, uses);
  const LockPlan *inner = findPlan(plans, innerKey);
  if (!different.empty() && requests.options.accepted.contains(Gate::sharedClass)) {
    plan.accepted.insert(Gate::sharedClass);
    different.clear();
  }
  if (different.empty() && inner && inner->target != request.target)
    different = inner->name;
  if (!different.empty()) {
    plan.refusals.clear();
    plan.refuse(Gate::sharedClass, plan.place, "'" + plan.type + "', as '" + different + "' is");
    return plan;
  }
  if (!inner) {
    plans.push_back(planLock(uses, innerKey, *request.target, requests.options));
    inner = &plans.back();
  }
  const Gate ownGate = plan.refusals.front().gate;
  const bool isOfClass = ownGate == Gate::lockType || ownGate == Gate::behindPointer;
  if (inner->outcome == LockPlan::Outcome::refused) {
    if (isOfClass) {
      plan.refusals.clear();
      refuseWith(plan, *inner, ownGate);
    }
    return plan;
  }
  plan.refusals.clear();
  plan.outcome = inner->outcome;
  plan.innerKey = innerKey;
  plan.innerName = inner->name;
  plan.innerType = inner->type;
  return plan;
}

bool overlap(const Edit &one, const Edit &other) {
  return one != other && one.text.file == other.text.file && one.text.offset < other.text.end() &&
         other.text.offset < one.text.end();
}

bool changesTextOf(const LockPlan &plan, const LockPlan &other) {
  return &plan != &other && std::ranges::any_of(plan.edits, [&](const Edit &edit) {
    return std::ranges::any_of(other.edits, [&](const Edit &one) { return overlap(edit, one); });
  });
}

/// The sections of C that become functions hold other locks' operations as they are written.
void keepNested(std::vector<LockPlan> &plans, const Requests &requests, const ProgramUses &uses) {
  PlanOptions options = requests.options;
  options.keepsNested = true;
  for (LockPlan &plan : plans) {
    if (!plan.target->delegates || plan.outcome != LockPlan::Outcome::changed ||
        !uses.locks.contains(plan.key) || std::ranges::none_of(plans, [&](const LockPlan &other) {
          return changesTextOf(plan, other);
        }))
      continue;
    std::string requested = std::move(plan.requested);
    plan = planLock(uses, plan.key, *plan.target, options);
    plan.requested = std::move(requested);
  }
}

} // namespace

std::vector<LockPlan> plansFor(const Requests &requests, const ProgramUses &uses) {
  std::vector<LockPlan> plans;
  const auto innerOfRequest = [&](const Request &request) {
    const auto other = uses.others.find(request.key);
    return other == uses.others.end() ? "" : uses.innerOf(other->second);
  };
  for (const Request &request : requests.wanted) {
    if (!innerOfRequest(request).empty())
      continue;
    plans.push_back(request.key.empty()
                        ? planWithoutSite(request, uses)
                        : planLock(uses, request.key, *request.target, requests.options));
    plans.back().requested = request.lock;
  }
  for (const Request &request : requests.wanted)
    if (const std::string inner = innerOfRequest(request); !inner.empty())
      plans.push_back(planThrough(request, inner, requests, uses, plans));
  keepNested(plans, requests, uses);
  std::ranges::sort(plans, {}, [](const LockPlan &plan) {
    return std::tuple(plan.name, plan.place.file, plan.place.offset);
  });
  return plans;
}

void followInnerLocks(std::vector<LockPlan> &plans) {
  for (LockPlan &plan : plans)
    if (!plan.innerKey.empty() && plan.outcome == LockPlan::Outcome::changed)
      if (const LockPlan *inner = findPlan(plans, plan.innerKey);
          inner && inner->outcome == LockPlan::Outcome::refused)
        refuseWith(plan, *inner, plan.type.empty() ? Gate::behindPointer : Gate::lockType);
}

} // namespace qdadvise
