// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/mva/Reiser.h"

#include "advisor/model/mva/Linearizer.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

std::size_t reiserPopulations(const std::vector<double> &threads) {
  double populations = 1;
  for (const double each : threads) {
    if (each != std::floor(each))
      return 0;
    populations *= each + 1;
  }
  constexpr double most = 1e6;
  return populations <= most ? static_cast<std::size_t>(populations) : 0;
}

std::vector<ClassState> solveReiser(const ClassNetwork &network) {
  const std::size_t classes = network.classes.size(), stations = network.stations.size();
  std::vector<double> most;
  for (const ClassLoad &load : network.classes)
    most.push_back(load.threads);
  const std::size_t populations = reiserPopulations(most);
  if (populations == 0)
    return solveLinearizer(network);
  // Populations are counted like the digits of a number, the last class first. The population with
  // a thread of class c less is strides[c] before.
  std::vector<std::size_t> strides(classes, 1);
  for (std::size_t c = classes; c-- > 1;)
    strides[c - 1] = strides[c] * (static_cast<std::size_t>(most[c]) + 1);
  std::vector<ClassState> states(classes);
  // The work at each station, for as many populations as the recursion looks back.
  std::vector<std::vector<double>> work(strides.front() + 1, std::vector<double>(stations, 0));
  std::vector<std::size_t> threads(classes, 0);
  for (std::size_t at = 1; at < populations; ++at) {
    for (std::size_t c = classes; c-- > 0;) {
      if (++threads[c] <= static_cast<std::size_t>(most[c]))
        break;
      threads[c] = 0;
    }
    std::vector<double> &sum = work[at % work.size()];
    std::fill(sum.begin(), sum.end(), 0);
    for (std::size_t c = 0; c < classes; ++c) {
      ClassState &state = states[c];
      state = {0, std::vector<double>(stations, 0)};
      if (threads[c] == 0)
        continue;
      const std::vector<double> &found = work[(at - strides[c]) % work.size()];
      for (std::size_t i = 0; i < stations; ++i)
        state.waitNs[i] = network.stations[i].overheadNs + network.stations[i].factor * found[i];
      const ClassLoad &load = network.classes[c];
      state.cyclesPerNs = cyclesPerNs(network, load, static_cast<double>(threads[c]), state.waitNs);
      for (std::size_t i = 0; i < stations; ++i)
        sum[i] += workOf(network.stations[i], load.at[i], static_cast<double>(threads[c]),
                         state.cyclesPerNs, state.waitNs[i])
                      .ns;
    }
  }
  return states;
}

} // namespace qdadvise
