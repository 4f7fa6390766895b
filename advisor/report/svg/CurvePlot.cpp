// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/svg/CurvePlot.h"

#include "advisor/support/Format.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>

namespace qdadvise {
namespace {

// Pixels. The names of curves stand at the right.
constexpr double width = 720, height = 420, left = 62, right = 570, top = 58, bottom = 372;

/// Colours that the colour-blind can tell apart (Okabe and Ito); dashes tell curves apart in grey.
constexpr const char *colours[] = {"#d55e00", "#cc79a7", "#0072b2", "#e69f00", "#009e73",
                                   "#56b4e9", "#8c7a00", "#7a5fd0", "#6e7781"};
constexpr const char *dashes[] = {"", "7 4", "2 3", "10 3 2 3"};

std::string escaped(const std::string &text) {
  std::string result;
  for (const char letter : text)
    if (letter == '<')
      result += "&lt;";
    else if (letter == '&')
      result += "&amp;";
    else
      result += letter;
  return result;
}

/// 1, 2 or 5 times a power of ten, so that some five of them reach the greatest value.
double stepFor(double greatest) {
  const double power = std::pow(10, std::floor(std::log10(greatest / 4)));
  for (const double times : {1.0, 2.0, 5.0})
    if (greatest / (times * power) <= 5)
      return times * power;
  return 10 * power;
}

/// Where values are in the picture.
class Scale {
public:
  explicit Scale(const CurvePlot &plot) {
    for (const PlottedCurve &curve : plot.curves)
      for (const PlottedPoint &point : curve.points) {
        threads.push_back(point.threads);
        greatest = std::max({greatest, point.value, point.high});
      }
    std::sort(threads.begin(), threads.end());
    threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
    doubling = threads.size() > 2;
    for (std::size_t i = 1; i < threads.size(); ++i)
      doubling = doubling && threads[i] >= 1.4 * threads[i - 1];
    step = greatest > 0 ? stepFor(greatest) : 1;
    last = step * std::ceil(std::max(greatest, step) / step);
  }
  double x(double at) const {
    const double first = threads.front(), span = shown(threads.back()) - shown(first);
    return span > 0 ? left + (right - left) * (shown(at) - shown(first)) / span
                    : (left + right) / 2;
  }
  double y(double value) const { return bottom - (bottom - top) * value / last; }

  std::vector<double> threads; ///< that occur, ascending
  double step = 1, last = 1;   ///< of the values' axis

private:
  double shown(double at) const { return doubling ? std::log(at) : at; }
  double greatest = 0;
  bool doubling = false; ///< the numbers of threads grow by factors
};

std::string axes(const CurvePlot &plot, const Scale &scale) {
  std::string text;
  const auto lines = static_cast<int>(std::lround(scale.last / scale.step));
  for (int i = 0; i <= lines; ++i) {
    const double value = i * scale.step;
    text += fmt::format("<path class=\"grid\" d=\"M{0},{1:.1f}H{2}\"/>"
                        "<text class=\"faint\" x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}"
                        "</text>\n",
                        left, scale.y(value), right, left - 8, scale.y(value) + 4,
                        value > 0 ? prefixedRate(value) : "0");
  }
  // All that fit: 24 pixels apart.
  double before = -100;
  for (const double threads : scale.threads) {
    const double x = scale.x(threads);
    if (x - before < 24)
      continue;
    before = x;
    text += fmt::format("<text class=\"faint\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:g}"
                        "</text>\n",
                        x, bottom + 19, threads);
  }
  text += fmt::format("<text class=\"faint\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">threads"
                      "</text>\n",
                      (left + right) / 2, bottom + 38);
  text += fmt::format("<text class=\"faint\" transform=\"translate(14 {}) rotate(-90)\" "
                      "text-anchor=\"middle\">{}</text>\n",
                      (top + bottom) / 2, escaped(plot.unit));
  if (plot.cores < scale.threads.front() || plot.cores > scale.threads.back())
    return text;
  const double x = scale.x(plot.cores);
  return text + fmt::format("<path class=\"cores\" d=\"M{0:.1f},{1}V{2}\"/><text class=\"faint\" "
                            "x=\"{3:.1f}\" y=\"{4}\" text-anchor=\"end\">{5}</text>\n",
                            x, top, bottom, x - 5, top + 12,
                            plural(static_cast<std::uint64_t>(plot.cores), "core"));
}

/// The name at the curve's end, below those that are there already.
struct Label {
  double y = 0;
  std::string name;
  const char *colour = "";
};

std::string labels(std::vector<Label> all) {
  constexpr double apart = 16;
  std::sort(all.begin(), all.end(), [](const Label &a, const Label &b) { return a.y < b.y; });
  for (std::size_t i = 1; i < all.size(); ++i)
    all[i].y = std::max(all[i].y, all[i - 1].y + apart);
  std::string text;
  const double over = all.empty() ? 0 : std::max(0.0, all.back().y - (bottom + apart));
  for (const Label &one : all)
    text += fmt::format("<text x=\"{}\" y=\"{:.1f}\" style=\"fill: {}\">{}</text>\n", right + 8,
                        one.y - over + 4, one.colour, escaped(one.name));
  return text;
}

std::string curveSvg(const PlottedCurve &curve, std::size_t index, const Scale &scale) {
  const char *const colour = colours[index % std::size(colours)];
  std::string line, upper, lower, marks;
  for (const PlottedPoint &point : curve.points) {
    const double x = scale.x(point.threads);
    line += fmt::format("{}{:.1f},{:.1f}", line.empty() ? "M" : "L", x, scale.y(point.value));
    upper += fmt::format("{}{:.1f},{:.1f}", upper.empty() ? "M" : "L", x, scale.y(point.high));
    lower = fmt::format("L{:.1f},{:.1f}", x, scale.y(point.low)) + lower;
    marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>", x,
                         scale.y(point.value), colour);
  }
  return fmt::format("<g><title>{0}</title><path d=\"{1}{2}Z\" fill=\"{3}\" opacity=\"0.13\"/>"
                     "<path d=\"{4}\" fill=\"none\" stroke=\"{3}\" stroke-width=\"2\" "
                     "stroke-dasharray=\"{5}\"/>{6}</g>\n",
                     escaped(curve.name), upper, lower, colour, line,
                     dashes[index / 3 % std::size(dashes)], marks);
}

} // namespace

std::string plotSvg(const CurvePlot &plot) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" aria-labelledby=\"title\">\n"
      "<title id=\"title\">{2}</title>\n<style>text {{ font: 13px sans-serif; fill: #1b1f24; }} "
      ".title {{ font-size: 16px; font-weight: bold; }} .faint {{ fill: #59636e; }} "
      ".grid, .cores {{ fill: none; stroke: #d0d7de; }} "
      ".cores {{ stroke: #59636e; stroke-dasharray: 4 4; }} "
      "@media (prefers-color-scheme: dark) {{ text {{ fill: #e6edf3; }} "
      ".faint {{ fill: #9aa5b1; }} .grid {{ stroke: #353c45; }} .cores {{ stroke: #9aa5b1; }} }}"
      "</style>\n<text class=\"title\" x=\"{3}\" y=\"22\">{2}</text>\n"
      "<text class=\"faint\" x=\"{3}\" y=\"42\">{4}</text>\n",
      width, height, escaped(plot.title), left, escaped(plot.subtitle));
  const Scale scale(plot);
  if (scale.threads.empty())
    return svg + "</svg>\n";
  svg += axes(plot, scale);
  std::vector<Label> names;
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const PlottedCurve &curve = plot.curves[i];
    if (curve.points.empty())
      continue;
    svg += curveSvg(curve, i, scale);
    names.push_back(
        {scale.y(curve.points.back().value), curve.name, colours[i % std::size(colours)]});
  }
  return svg + labels(std::move(names)) + "</svg>\n";
}

} // namespace qdadvise
