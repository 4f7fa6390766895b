// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/SvgReporter.h"

#include "advisor/report/svg/CurvePlot.h"
#include "advisor/support/Format.h"
#include "runtime/abi/lock_algorithms.h"

namespace qdadvise {

std::string SvgReporter::writePrediction(const PredictionReport &report) const {
  CurvePlot plot;
  plot.title = "Throughput of " + baseName(report.source);
  plot.subtitle = std::string(report.simulated ? "simulated" : "predicted") +
                  ", bands are 95 % intervals; " + bothEndsOf(report.machine, 50);
  plot.unit = "critical sections per second";
  plot.cores = report.cores;
  for (const KindPredictions &kind : report.kinds) {
    PlottedCurve curve;
    curve.name = kind.kind.label();
    for (const PredictedPoint &at : kind.points)
      if (at.figures.impossible.empty())
        curve.points.push_back({at.figures.threads, at.figures.throughputPerS,
                                at.intervals.throughputPerS.low, at.intervals.throughputPerS.high});
    plot.curves.push_back(std::move(curve));
  }
  return plotSvg(plot);
}

} // namespace qdadvise
