// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/html/PageData.h"

#include "advisor/support/SourceLines.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <string>
#include <vector>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t linesAround = 3, mostLine = 160;
constexpr std::size_t mostExcerpts = 300; ///< so that the page stays below a megabyte

Json excerptAt(const std::vector<std::string> &lines, std::size_t line) {
  const std::size_t first = line > linesAround ? line - linesAround : 1;
  Json excerpt = {{"first", first}, {"lines", Json::array()}};
  for (std::size_t at = first; at <= std::min(line + linesAround, lines.size()); ++at)
    excerpt["lines"].push_back(lines[at - 1].substr(0, mostLine));
  return excerpt;
}

void keepOnly(Json &object, const std::set<std::string> &keys) {
  Json kept = Json::object();
  for (const auto &[key, value] : object.items())
    if (keys.contains(key))
      kept[key] = value;
  object = std::move(kept);
}

void keepCharted(Json &assignment) {
  keepOnly(assignment, {"throughput_per_s", "throughput_per_s_ci95", "locks"});
  for (Json &lock : assignment["locks"])
    keepOnly(lock, {"name", "wait_ns", "wait_ns_ci95"});
}

} // namespace

Json forCharts(Json predictions) {
  for (Json &assignment : predictions["kinds"])
    keepCharted(assignment);
  for (const char *name : {"today", "advised"})
    if (predictions.contains(name))
      keepCharted(predictions[name]);
  return predictions;
}

void keepBusyRoutes(Json &document) {
  constexpr double hardlyAny = 0.001; // of all sections that threads run
  if (!document.contains("graph"))
    return;
  Json busy = Json::array();
  for (Json &route : document["graph"]["routes"])
    if (route["share"] >= hardlyAny)
      busy.push_back(std::move(route));
  document["graph"]["routes"] = std::move(busy);
}

void roundNumbers(Json &json) {
  constexpr int digits = 5;
  if (json.is_structured()) {
    for (Json &part : json)
      roundNumbers(part);
  } else if (json.is_number_float()) {
    const double value = json.get<double>();
    if (std::isfinite(value))
      json = std::stod(fmt::format("{:.{}g}", value, digits));
  }
}

Json excerptsOf(const Json &document) {
  Json excerpts = Json::object();
  SourceLines source;
  if (!document.contains("locks"))
    return excerpts;
  for (const Json &lock : document["locks"])
    for (const Json &site : lock.value("sites", Json::array())) {
      const auto file = site.value("file", std::string());
      const auto line = site.value("line", std::size_t{0});
      const std::vector<std::string> &lines = source.of(file);
      if (line > 0 && line <= lines.size() && excerpts.size() < mostExcerpts)
        excerpts[fmt::format("{}:{}", file, line)] = excerptAt(lines, line);
    }
  return excerpts;
}

} // namespace qdadvise
