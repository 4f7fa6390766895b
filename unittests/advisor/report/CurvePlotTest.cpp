// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/svg/CurvePlot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CurvePlot plotOf(const std::vector<PlottedCurve> &curves) {
  CurvePlot plot;
  plot.title = "a < b & c";
  plot.unit = "per second";
  plot.curves = curves;
  plot.cores = 2;
  return plot;
}

TEST(CurvePlot, DrawsCurvesFromZeroWithTheirBands) {
  const std::string svg = plotSvg(plotOf({{"one", {{1, 50, 40, 60}, {2, 100, 90, 100}}}}));
  // From x 62 to 570; 0 is at y 372, 100 at y 58.
  EXPECT_THAT(svg, HasSubstr("d=\"M62.0,215.0L570.0,58.0\" fill=\"none\""));
  EXPECT_THAT(svg, HasSubstr("d=\"M62.0,183.6L570.0,58.0L570.0,89.4L62.0,246.4Z\""));
  EXPECT_THAT(svg, HasSubstr(">one</text>"));
  EXPECT_THAT(svg, HasSubstr(">2 cores</text>"));
  EXPECT_THAT(svg, HasSubstr("<title id=\"title\">a &lt; b &amp; c</title>"));
}

TEST(CurvePlot, SpacesDoublingNumbersOfThreadsEvenly) {
  const std::string svg = plotSvg(plotOf({{"one", {{1, 1, 1, 1}, {2, 1, 1, 1}, {4, 1, 1, 1}}}}));
  EXPECT_THAT(svg, HasSubstr("cx=\"316.0\""));
  const std::string even = plotSvg(
      plotOf({{"one", {{1, 1, 1, 1}, {2, 1, 1, 1}, {3, 1, 1, 1}, {4, 1, 1, 1}, {5, 1, 1, 1}}}}));
  EXPECT_THAT(even, HasSubstr("cx=\"189.0\""));
}

TEST(CurvePlot, KeepsNamesApart) {
  const std::string svg = plotSvg(plotOf(
      {{"{one}", {{1, 1, 1, 1}, {4, 10, 10, 10}}}, {"other", {{1, 1, 1, 1}, {4, 10, 10, 10}}}}));
  EXPECT_THAT(svg, HasSubstr("y=\"62.0\" style=\"fill: #d55e00\">{one}<"));
  EXPECT_THAT(svg, HasSubstr("y=\"78.0\" style=\"fill: #cc79a7\">other<"));
}

TEST(CurvePlot, IsAPictureWithoutCurvesToo) {
  EXPECT_THAT(plotSvg(plotOf({})), HasSubstr("</svg>"));
  const std::string one = plotSvg(plotOf({{"one", {{8, 0, 0, 0}}}}));
  EXPECT_THAT(one, HasSubstr("cx=\"316.0\" cy=\"372.0\""));
  EXPECT_THAT(one, Not(HasSubstr("nan")));
}

} // namespace
} // namespace qdadvise
