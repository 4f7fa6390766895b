// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/network/construction/Steadiness.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace qdadvise {
namespace {

/// The number of times in a window, and their sum.
struct Block {
  double count = 0, ns = 0;
};

/// Fewer blocks say nothing of the variance. In one of twenty runs with sixteen blocks it is larger
/// than it should be by this factor, by chance.
constexpr std::size_t fewestBlocks = 8;
constexpr double byChance = 1.67;

double inefficiencyOf(const std::vector<Block> &blocks, double wholeMean, double variance,
                      double samples) {
  double count = 0, ns = 0;
  for (const Block &block : blocks) {
    count += block.count;
    ns += block.ns;
  }
  if (blocks.size() < fewestBlocks || variance <= 0 || count <= 0)
    return 1;
  // Windows still contain what was taken out of the moments: preemptions, beginnings and ends.
  if (std::abs(ns - wholeMean * samples) > 0.02 * ns)
    return 1;
  const double mean = ns / count;
  double squares = 0;
  for (const Block &block : blocks)
    squares += (block.ns - mean * block.count) * (block.ns - mean * block.count);
  const double n = static_cast<double>(blocks.size());
  const double excess = squares * n / (n - 1) / count / variance;
  return excess > byChance ? excess : 1;
}

} // namespace

double inefficiencyOfHolds(const Profile &profile, const std::vector<std::size_t> &sections,
                           double mean, double variance, double samples) {
  std::vector<Block> blocks;
  for (const ProfiledWindow &window : profile.windows) {
    Block block;
    for (const ProfiledWindow::Section &in : window.sections)
      if (std::find(sections.begin(), sections.end(), in.section) != sections.end()) {
        block.count += static_cast<double>(in.acquisitions);
        block.ns += in.holdNs;
      }
    if (block.count > 0)
      blocks.push_back(block);
  }
  return inefficiencyOf(blocks, mean, variance, samples);
}

double inefficiencyOfLocals(const Profile &profile, std::size_t threadClass, double mean,
                            double variance, double samples) {
  std::vector<Block> blocks;
  for (const ProfiledWindow &window : profile.windows) {
    Block block;
    for (const ProfiledWindow::Section &in : window.sections)
      if (const ProfiledSection &section = profile.sections[in.section];
          section.threadClass == threadClass && !section.inside)
        block.count += static_cast<double>(in.acquisitions);
    for (const ProfiledWindow::Threads &threads : window.threads)
      if (threads.threadClass == threadClass)
        block.ns += threads.localNs;
    if (block.count > 0)
      blocks.push_back(block);
  }
  return inefficiencyOf(blocks, mean, variance, samples);
}

double unsteadiness(const Profile &profile, const std::vector<bool> &classes) {
  // Windows with fewer acquisitions differ by chance.
  constexpr double fewest = 1000;
  using Shares = std::map<std::size_t, double>; // by section; local computation has the last index
  std::vector<std::pair<double, Shares>> windows;
  Shares whole;
  double wholeNs = 0;
  for (const ProfiledWindow &window : profile.windows) {
    Shares times;
    double acquisitions = 0, ns = 0;
    for (const ProfiledWindow::Section &in : window.sections)
      if (classes[profile.sections[in.section].threadClass]) {
        times[in.section] += in.holdNs;
        acquisitions += static_cast<double>(in.acquisitions);
      }
    for (const ProfiledWindow::Threads &threads : window.threads)
      if (classes[threads.threadClass])
        times[profile.sections.size()] += threads.localNs;
    if (acquisitions < fewest)
      continue;
    for (const auto &[section, time] : times) {
      ns += time;
      whole[section] += time;
    }
    wholeNs += ns;
    windows.emplace_back(ns, std::move(times));
  }
  if (windows.size() < 2 || wholeNs <= 0)
    return 0;
  double differently = 0;
  for (auto &[ns, times] : windows)
    for (const auto &[section, time] : whole)
      differently += std::max(0.0, times[section] - ns * time / wholeNs);
  return differently / wholeNs;
}

} // namespace qdadvise
