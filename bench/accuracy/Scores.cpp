// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/accuracy/Scores.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace qdadvise::accuracy {

void Errors::add(double predicted, double simulated) {
  if (simulated > 0)
    values.push_back(predicted / simulated - 1);
}

double Errors::mean() const {
  double sum = 0;
  for (const double value : values)
    sum += std::abs(value);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

namespace {

double quantile(std::vector<double> values, double share) {
  if (values.empty())
    return 0;
  const auto rank =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())) - 1);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank),
                   values.end());
  return values[rank];
}

template <typename Is> bool anySection(const Scored &scored, Is is) {
  const auto &sections = scored.which->network.sections;
  return std::any_of(sections.begin(), sections.end(), is);
}

double load(const Simulated::Lock &lock) {
  return lock.waitNs.value / std::max(1e-9, lock.residenceNs - lock.waitNs.value);
}

/// The load of a case is that of its busiest lock.
double load(const Scored &scored, const Simulated::Lock *lock) {
  if (lock)
    return load(*lock);
  double most = 0;
  for (const Simulated::Lock &one : scored.simulated.locks)
    most = std::max(most, load(one));
  return most;
}

bool hasHeavyTails(const Scored &scored) {
  return anySection(scored, [](const Section &one) { return one.hold.cv > 1.5; });
}

bool isPlain(const Scored &scored) {
  const Network &network = scored.which->network;
  return network.classes.size() <= 1 &&
         !anySection(scored, [](const Section &one) { return one.inside || one.shared; }) &&
         std::all_of(network.locks.begin(), network.locks.end(),
                     [](const qdadvise::Lock &one) { return one.shares.empty(); });
}

/// One of the accuracy suite's usual random networks.
bool isUsual(const Scored &scored) { return !scored.which->metaMatrix && !scored.which->special; }

double shortestHoldNs(const Scored &scored) { return scored.which->network.sections[0].hold.mean; }

} // namespace

double Errors::percentile(double share) const {
  std::vector<double> sizes;
  for (const double value : values)
    sizes.push_back(std::abs(value));
  return quantile(std::move(sizes), share);
}

double Errors::bias() const { return quantile(values, 0.5); }

bool waitIsScored(const Simulated::Lock &lock) {
  return !lock.chance && lock.waitNs.value > 0 &&
         lock.waitNs.value >= scoredWaitShare * (lock.residenceNs - lock.waitNs.value);
}

const std::vector<Region> &regions() {
  using Lock = Simulated::Lock;
  static const std::vector<Region> table{
      {"everything", [](const Scored &, const Lock *) { return true; }},
      {"meta-benchmark",
       [](const Scored &scored, const Lock *) { return scored.which->metaMatrix.has_value(); }},
      {"- sections under 1 us",
       [](const Scored &scored, const Lock *) {
         return scored.which->metaMatrix && shortestHoldNs(scored) < 1000;
       }},
      {"- sections of 1 us and more",
       [](const Scored &scored, const Lock *) {
         return scored.which->metaMatrix && shortestHoldNs(scored) >= 1000;
       }},
      {"random networks", [](const Scored &scored, const Lock *) { return isUsual(scored); }},
      {"- one class of threads",
       [](const Scored &scored, const Lock *) {
         return isUsual(scored) && scored.which->network.classes.size() == 1;
       }},
      {"- several classes",
       [](const Scored &scored, const Lock *) { return scored.which->network.classes.size() > 1; }},
      {"- with nested sections",
       [](const Scored &scored, const Lock *) {
         return anySection(scored, [](const Section &one) { return one.inside.has_value(); });
       }},
      {"- with readers",
       [](const Scored &scored, const Lock *) {
         return anySection(scored, [](const Section &one) { return one.shared; });
       }},
      {"- with several instances",
       [](const Scored &scored, const Lock *) {
         const auto &locks = scored.which->network.locks;
         return std::any_of(locks.begin(), locks.end(),
                            [](const qdadvise::Lock &one) { return one.instances > 1; });
       }},
      {"- with a section of cv > 1.5",
       [](const Scored &scored, const Lock *) { return hasHeavyTails(scored); }},
      {"plain, cv up to 1.5",
       [](const Scored &scored, const Lock *) {
         return isPlain(scored) && !hasHeavyTails(scored);
       }},
      {"plain, a section of cv > 1.5",
       [](const Scored &scored, const Lock *) { return isPlain(scored) && hasHeavyTails(scored); }},
      {"not plain", [](const Scored &scored, const Lock *) { return !isPlain(scored); }},
      {"sticky routing",
       [](const Scored &scored, const Lock *) {
         return scored.which->special == workloads::Special::sticky;
       }},
      {"constant local time",
       [](const Scored &scored, const Lock *) {
         return scored.which->special == workloads::Special::constantLocal;
       }},
      {"a core for every thread",
       [](const Scored &scored, const Lock *) {
         return scored.which->allThreads() <= scored.cores;
       },
       false},
      {"more threads than cores",
       [](const Scored &scored, const Lock *) { return scored.which->allThreads() > scored.cores; },
       false},
      {"W under 0.2 of the holding time",
       [](const Scored &scored, const Lock *lock) { return load(scored, lock) < 0.2; }, false},
      {"W 0.2 to 2",
       [](const Scored &scored, const Lock *lock) {
         return load(scored, lock) >= 0.2 && load(scored, lock) < 2;
       },
       false},
      {"W 2 and more",
       [](const Scored &scored, const Lock *lock) { return load(scored, lock) >= 2; }, false},
  };
  return table;
}

std::string nameOf(const Region &region) {
  const std::string_view name = region.name, dash = "- ";
  return std::string(name.starts_with(dash) ? name.substr(dash.size()) : name);
}

bool isIn(const Region &region, const Case &one) {
  Scored scored;
  scored.which = &one;
  return region.has(scored, nullptr);
}

std::vector<Regret> regretsOf(const std::vector<Scored> &scored) {
  std::map<std::pair<std::string, std::string>, std::vector<const Scored *>> groups;
  for (const Scored &one : scored)
    if (one.kind != nameOf(LockKind::ideal) && one.model == scored.front().model)
      groups[{one.which->name, one.machine}].push_back(&one);
  std::vector<Regret> result;
  for (const auto &[at, choices] : groups) {
    if (choices.size() < 2)
      continue;
    const auto advised =
        *std::max_element(choices.begin(), choices.end(), [](const Scored *a, const Scored *b) {
          return a->predicted.throughputPerS < b->predicted.throughputPerS;
        });
    const auto best =
        *std::max_element(choices.begin(), choices.end(), [](const Scored *a, const Scored *b) {
          return a->simulated.throughputPerS.value < b->simulated.throughputPerS.value;
        });
    Regret regret{advised->which, advised->machine, advised->kind, best->kind, 0, {}};
    regret.lost =
        1 - advised->simulated.throughputPerS.value / best->simulated.throughputPerS.value;
    for (const Scored *one : choices)
      regret.simulatedPerS[one->kind] = one->simulated.throughputPerS.value;
    result.push_back(std::move(regret));
  }
  return result;
}

} // namespace qdadvise::accuracy
