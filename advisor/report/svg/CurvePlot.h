// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Curves against the number of threads, with bands, as a picture that can stand in a document.
#pragma once

#include <string>
#include <vector>

namespace qdadvise {

struct PlottedPoint {
  double threads = 0;
  double value = 0, low = 0, high = 0; ///< low and high: the interval
};

struct PlottedCurve {
  std::string name;
  std::vector<PlottedPoint> points; ///< ascending by threads
};

struct CurvePlot {
  std::string title, subtitle;
  std::string unit; ///< of the values, which begin at 0
  std::vector<PlottedCurve> curves;
  int cores = 0; ///< marked, if it is within the numbers of threads
};

/// SVG for light and dark backgrounds; it loads nothing.
std::string plotSvg(const CurvePlot &plot);

} // namespace qdadvise
