// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/uncertainty/SamplingError.h"

#include "advisor/model/workload/Routing.h"
#include "advisor/support/ForEachIndex.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace qdadvise {

namespace {

using Vector = std::vector<double>;

/// Relative steps of the central differences.
constexpr double step = 1e-3;

/// Variance of a mean; 0 where nothing was sampled.
double meanVariance(const Duration &duration) {
  if (duration.samples == 0)
    return 0;
  const double deviation = duration.cv * duration.mean;
  return deviation * deviation / duration.independentSamples();
}

double timeOf(const Duration &duration) {
  return duration.mean * static_cast<double>(duration.samples);
}

std::size_t outermostOf(const Network &network, std::size_t section) {
  while (network.sections[section].inside)
    section = *network.sections[section].inside;
  return section;
}

/// A number that figures depend on.
struct Parameter {
  double share; ///< of the recorded run that it accounts for
  double error; ///< approximate relative standard error
  bool always;  ///< what others are worth depends on its gradient
  std::function<void(Network &, std::vector<Traffic> &, double factor)> scale;
  /// Takes the gradient: relative changes of the figures per relative change of the parameter.
  std::function<void(const Vector &gradient)> use;
};

/// One recurrent part of a class's routing. Its visits are a stationary vector v. If row i of the
/// routing moves by d, whose sum is 0, then v moves by v_i d F with F = (I - P + 1v)^-1 (Meyer
/// 1975, without a term that d cancels) (UNC3).
class RoutedTraffic {
public:
  RoutedTraffic(const Network &source, const Traffic &traffic) : network(source) {
    std::vector<std::size_t> state(network.sections.size(), none);
    for (std::size_t i = 0; i < network.sections.size(); ++i)
      if (!network.sections[i].inside && traffic.visits[i] > 0) {
        state[i] = sections.size();
        sections.push_back(i);
        visits.push_back(traffic.visits[i]);
      }
    rows.resize(sections.size());
    for (const Transition &transition : network.transitions)
      if (transition.threadClass == traffic.threadClass && transition.probability > 0 &&
          state[transition.from] != none) {
        Row &row = rows[state[transition.from]];
        row.targets.push_back({state[transition.to], &transition});
        row.samples += static_cast<double>(transition.samples);
        row.localNs += transition.probability * transition.local.mean;
        row.blockedNs += transition.probability * transition.blockedNs;
      }
    gradients.resize(sections.size());
    invert();
  }

  const std::vector<std::size_t> &outermost() const { return sections; }
  /// Whether anything is left to chance. Where each section has one successor, visits have no
  /// error.
  bool branches() const {
    return std::any_of(rows.begin(), rows.end(),
                       [](const Row &row) { return row.targets.size() > 1; });
  }
  double samplesOf(std::size_t state) const { return rows[state].samples; }
  double localNsOf(std::size_t state) const { return rows[state].localNs; }

  /// Of all figures, by state: derivative with respect to its visits; by nanosecond of local
  /// computation and of blocked time per visit.
  std::vector<Vector> gradients;
  Vector byCompute, byBlocked;

  /// The variance of the mean local computation between two outermost sections, in ns^2.
  double computeVariance() const {
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const Target &target : rows[i].targets) {
        const double flow = visits[i] * target.transition->probability;
        sum += flow * flow * meanVariance(target.transition->local);
      }
    return sum;
  }

  void addVariances(Vector &variances) const {
    for (std::size_t figure = 0; figure < variances.size(); ++figure)
      variances[figure] += variance(figure);
  }

private:
  static constexpr auto none = static_cast<std::size_t>(-1);
  struct Target {
    std::size_t state;
    const Transition *transition;
  };
  struct Row {
    std::vector<Target> targets;
    double samples = 0, localNs = 0, blockedNs = 0;
  };

  /// F, by elimination with the rows in order: I - P + 1v is far from singular.
  void invert() {
    const std::size_t n = sections.size();
    std::vector<Vector> matrix(n, Vector(2 * n, 0));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        matrix[i][j] = visits[j] + (i == j ? 1 : 0);
      matrix[i][n + i] = 1;
      for (const Target &target : rows[i].targets)
        matrix[i][target.state] -= target.transition->probability;
    }
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k + 1; i < n; ++i)
        if (std::abs(matrix[i][k]) > std::abs(matrix[pivot][k]))
          pivot = i;
      std::swap(matrix[k], matrix[pivot]);
      const double diagonal = matrix[k][k];
      for (std::size_t j = k; j < 2 * n; ++j)
        matrix[k][j] /= diagonal;
      for (std::size_t i = 0; i < n; ++i) {
        const double factor = matrix[i][k];
        if (i != k && factor != 0)
          for (std::size_t j = k; j < 2 * n; ++j)
            matrix[i][j] -= factor * matrix[k][j];
      }
    }
    inverse.assign(n, Vector(n));
    for (std::size_t i = 0; i < n; ++i)
      std::copy(matrix[i].begin() + static_cast<std::ptrdiff_t>(n), matrix[i].end(),
                inverse[i].begin());
  }

  double variance(std::size_t figure) const {
    const std::size_t n = sections.size();
    const double compute = byCompute[figure], blocked = byBlocked[figure];
    // What one more visit to each state is worth, there and in all states that follow.
    Vector direct(n), worth(n, 0);
    for (std::size_t i = 0; i < n; ++i)
      direct[i] = (gradients[i].empty() ? 0 : gradients[i][figure]) + compute * rows[i].localNs +
                  blocked * rows[i].blockedNs;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        worth[i] += inverse[i][j] * direct[j];
    double sum = compute * compute * computeVariance();
    for (std::size_t i = 0; i < n; ++i) {
      double first = 0, second = 0;
      for (const Target &target : rows[i].targets) {
        const Transition &transition = *target.transition;
        const double p = transition.probability;
        const double each =
            worth[target.state] + compute * transition.local.mean + blocked * transition.blockedNs;
        first += p * each;
        second += p * each * each;
      }
      if (rows[i].samples > 0)
        sum += visits[i] * visits[i] * std::max(0.0, second - first * first) / rows[i].samples;
    }
    return sum;
  }

  const Network &network;
  std::vector<std::size_t> sections;
  Vector visits;
  std::vector<Row> rows;
  std::vector<Vector> inverse;
};

class DeltaMethod {
public:
  DeltaMethod(const Network &network, const Figures &figures, const SamplingOptions &options)
      : network(network), figures(figures), options(options), traffic(trafficOf(network)),
        costs(network.sections.size(), 0) {
    for (const Section &section : network.sections)
      total += timeOf(section.hold);
    for (const Transition &transition : network.transitions)
      total += timeOf(transition.local);
    double visits = 1;
    for (std::size_t i = 0; i < network.sections.size(); ++i) {
      const std::size_t outermost = outermostOf(network, i);
      for (auto at = std::optional(i); at; at = network.sections[*at].inside)
        visits *= network.sections[*at].inside ? network.sections[*at].visits : 1;
      costs[outermost] += std::exchange(visits, 1) * network.sections[i].hold.mean;
    }
  }

  Expected<Vector> variances() {
    auto found = TRY(figures(network, traffic));
    center = std::move(found.values);
    settled = found.settled;
    result.assign(center.size(), 0);
    routed.reserve(traffic.size());
    for (std::size_t part = 0; part < traffic.size(); ++part)
      addTraffic(part);
    for (std::size_t i = 0; i < network.sections.size(); ++i)
      addHold(i);
    TRY(vary());
    for (const RoutedTraffic &part : routed)
      part.addVariances(result);
    return result;
  }

private:
  /// The largest gradient of a throughput (UNC5): twice the time that all threads could stand
  /// still, because locks get slower if threads wait more.
  static double steepest(const Parameter &parameter, double speedup) {
    return 2 * speedup * parameter.share;
  }
  /// How far the parameter's error could move a throughput.
  double boundOf(const Parameter &parameter) const {
    const auto largest = std::max_element(options.speedups.begin(), options.speedups.end());
    return std::min(1.0, steepest(parameter, largest == options.speedups.end() ? 1 : *largest)) *
           parameter.error;
  }
  double shareOf(double timeNs) const { return total > 0 ? timeNs / total : 1; }

  void addHold(std::size_t section) {
    const Duration &hold = network.sections[section].hold;
    const double variance = meanVariance(hold);
    if (variance <= 0)
      return;
    const double relative = std::sqrt(variance) / hold.mean;
    parameters.push_back({shareOf(timeOf(hold)), relative, false,
                          [section](Network &changed, std::vector<Traffic> &, double factor) {
                            changed.sections[section].hold.mean *= factor;
                          },
                          [this, relative](const Vector &gradient) {
                            for (std::size_t figure = 0; figure < result.size(); ++figure)
                              result[figure] +=
                                  gradient[figure] * gradient[figure] * relative * relative;
                          }});
  }

  void addTraffic(std::size_t number) {
    const bool sampled =
        std::any_of(network.transitions.begin(), network.transitions.end(), [&](const auto &at) {
          return at.threadClass == traffic[number].threadClass &&
                 (at.samples > 0 || at.local.samples > 0);
        });
    if (!sampled)
      return;
    RoutedTraffic &part = routed.emplace_back(network, traffic[number]);
    part.byCompute.assign(center.size(), 0);
    part.byBlocked.assign(center.size(), 0);
    addTime(number, &Traffic::computeNs, std::sqrt(part.computeVariance()), part.byCompute);
    addTime(number, &Traffic::blockedNs, 0, part.byBlocked);
    if (part.outermost().size() < 2 || !part.branches())
      return;
    for (std::size_t state = 0; state < part.outermost().size(); ++state) {
      const std::size_t section = part.outermost()[state];
      const double visits = traffic[number].visits[section];
      const double samples = part.samplesOf(state);
      // More visits here are fewer visits elsewhere, and so less time in the other sections.
      parameters.push_back({shareOf(samples * (costs[section] + part.localNsOf(state))) + visits,
                            samples > 0 ? 1 / std::sqrt(samples) : 0, false,
                            [this, number, section,
                             visits](Network &, std::vector<Traffic> &changed, double factor) {
                              const double sum = 1 + (factor - 1) * visits;
                              for (std::size_t i = 0; i < network.sections.size(); ++i)
                                changed[number].visits[i] *=
                                    (outermostOf(network, i) == section ? factor : 1) / sum;
                            },
                            [&part, state, visits](const Vector &gradient) {
                              part.gradients[state] = gradient;
                              for (double &value : part.gradients[state])
                                value /= visits;
                            }});
    }
  }

  /// Adds all local or blocked times of a class, with their standard error in nanoseconds.
  void addTime(std::size_t number, double Traffic::*time, double errorNs, Vector &derivative) {
    const double value = traffic[number].*time;
    if (value <= 0)
      return;
    parameters.push_back({1, errorNs / value, true,
                          [number, time](Network &, std::vector<Traffic> &changed, double factor) {
                            changed[number].*time *= factor;
                          },
                          [&derivative, value](const Vector &gradient) {
                            derivative = gradient;
                            for (double &each : derivative)
                              each /= value;
                          }});
  }

  /// Varies the parameters, beginning with those that could matter most.
  std::optional<Error> vary() {
    std::sort(parameters.begin(), parameters.end(), [&](const Parameter &a, const Parameter &b) {
      return std::pair(a.always, boundOf(a)) > std::pair(b.always, boundOf(b));
    });
    double rest = 0;
    for (const Parameter &parameter : parameters)
      rest += boundOf(parameter) * boundOf(parameter);
    std::size_t count = 0;
    for (; count < parameters.size(); ++count) {
      if (!settled || (options.negligible > 0 && !parameters[count].always &&
                       rest <= options.negligible * options.negligible)) {
        for (double &variance : result)
          variance += std::max(0.0, rest);
        break;
      }
      rest -= boundOf(parameters[count]) * boundOf(parameters[count]);
    }
    std::vector<Expected<Vector>> gradients(count);
    forEachIndex(count, [&](std::size_t i) { gradients[i] = gradientOf(parameters[i]); });
    for (std::size_t i = 0; i < count; ++i) {
      if (!gradients[i])
        return gradients[i].error();
      parameters[i].use(*gradients[i]);
    }
    return std::nullopt;
  }

  Expected<Vector> gradientOf(const Parameter &parameter) const {
    const auto up = changed(parameter, 1 + step), down = changed(parameter, 1 - step);
    if (!up || !down)
      return Unexpected(up ? down.error() : up.error());
    Vector gradient(center.size(), 0);
    for (std::size_t figure = 0; figure < center.size(); ++figure)
      if (center[figure] != 0)
        gradient[figure] =
            (up->values[figure] - down->values[figure]) / (2 * step * center[figure]);
    for (std::size_t figure = 0; figure < options.speedups.size(); ++figure)
      if (options.speedups[figure] > 0) {
        const double most = steepest(parameter, options.speedups[figure]);
        gradient[figure] = std::clamp(gradient[figure], -most, most);
      }
    return gradient;
  }

  Expected<NetworkFigures> changed(const Parameter &parameter, double factor) const {
    Network otherNetwork = network;
    std::vector<Traffic> otherTraffic = traffic;
    parameter.scale(otherNetwork, otherTraffic, factor);
    return figures(otherNetwork, otherTraffic);
  }

  const Network &network;
  const Figures &figures;
  const SamplingOptions &options;
  const std::vector<Traffic> traffic;
  Vector costs; ///< by outermost section: its time, with nested sections
  double total = 0;
  Vector center, result;
  bool settled = true;
  std::vector<RoutedTraffic> routed;
  std::vector<Parameter> parameters;
};

} // namespace

bool isSampled(const Network &network) {
  return std::any_of(network.sections.begin(), network.sections.end(),
                     [](const Section &section) { return section.hold.samples > 0; }) ||
         std::any_of(network.transitions.begin(), network.transitions.end(),
                     [](const Transition &at) { return at.samples > 0 || at.local.samples > 0; });
}

Expected<std::vector<double>> samplingVariances(const Network &network, const Figures &figures,
                                                const SamplingOptions &options) {
  return DeltaMethod(network, figures, options).variances();
}

} // namespace qdadvise
