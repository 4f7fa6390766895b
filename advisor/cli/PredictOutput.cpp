// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/PredictOutput.h"

#include "advisor/advice/Advice.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace qdadvise {
namespace {

/// `1.23 M`: throughputs differ by orders of magnitude within a column.
std::string perSecond(double rate) {
  static constexpr std::pair<double, const char *> units[] = {
      {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
  for (const auto &[size, unit] : units)
    if (rate >= 0.9995 * size)
      return fmt::format("{:.3g}{}", rate / size, unit);
  return fmt::format("{:.3g}", rate);
}

std::string count(double value) {
  return value >= 99.95 ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

std::string shortened(const std::string &name, std::size_t width) {
  return name.size() <= width ? name : "..." + name.substr(name.size() - (width - 3));
}

/// Breaks a line at spaces, so that a page stays 80 columns wide.
std::string wrapped(const std::string &text, std::size_t indent) {
  std::string result;
  std::size_t column = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::size_t length = end - begin;
    if (column > 0 && column + 1 + length > 80) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > 0) {
      result += ' ';
      ++column;
    }
    result.append(text, begin, length);
    column += length;
    begin = end + 1;
  }
  return result;
}

const char *labelOf(const std::string &kind) {
  const LockAlgorithm *row = findLockAlgorithm(kind);
  return row ? row->label : "";
}

/// Notes of single predictions, each once, with the numbers of threads they are about.
std::vector<std::string> notesOf(const PredictOutput &output) {
  std::vector<std::string> notes = output.notes;
  for (const auto &sweep : output.predictions)
    for (const Prediction &at : sweep)
      for (const std::string &note : at.notes)
        if (std::find(notes.begin(), notes.end(), note) == notes.end())
          notes.push_back(note);
  return notes;
}

} // namespace

std::string predictText(const PredictOutput &output, const TextStyle &style) {
  std::string text = wrapped(fmt::format("Predicted for {}", output.source), 2) + "\n";
  text += wrapped(fmt::format("machine: {}; {} cores", output.machine, output.cores), 2) + "\n\n";

  text += style.bold(fmt::format("{:<14} {:>7} {:>16} {:>9}  {}", "all locks", "threads",
                                 "sections/s", "speed-up", "model")) +
          "\n";
  for (std::size_t kind = 0; kind < output.kinds.size(); ++kind)
    for (const Prediction &at : output.predictions[kind])
      text += fmt::format("{:<14} {:>7} {:>16} {:>9.2f}  {}\n", labelOf(output.kinds[kind]),
                          at.threads, perSecond(at.throughputPerS), at.speedup, at.model);

  for (std::size_t lock = 0; lock < output.lockNames.size(); ++lock) {
    text += "\n" + style.bold(fmt::format("lock {}", shortened(output.lockNames[lock], 74))) + "\n";
    text += style.bold(fmt::format("{:<14} {:>7} {:>11} {:>9} {:>8} {:>8} {:>16}", "", "threads",
                                   "wait", "queue", "held", "taken", "acquisitions/s")) +
            "\n";
    for (std::size_t kind = 0; kind < output.kinds.size(); ++kind)
      for (const Prediction &at : output.predictions[kind]) {
        const LockPrediction &figures = at.locks[lock];
        text += fmt::format("{:<14} {:>7} {:>11} {:>9} {:>7.1f}% {:>7.1f}% {:>16}\n",
                            labelOf(output.kinds[kind]), at.threads, formatDuration(figures.waitNs),
                            count(figures.queueLength), 100 * figures.utilization,
                            100 * figures.contentionRate, perSecond(figures.throughputPerS));
      }
  }
  text += "\n" +
          wrapped("wait: mean time at the lock per acquisition, less the holding time. queue: "
                  "threads at the lock, the holder included. taken: acquisitions that find it "
                  "taken. All figures are predicted, none is measured.",
                  0) +
          "\n";
  for (const std::string &note : notesOf(output))
    text += wrapped("note: " + note, 6) + "\n";
  return text;
}

std::string predictJson(const PredictOutput &output) {
  using Json = nlohmann::ordered_json;
  Json document;
  document["threads"] = Json::array();
  if (!output.predictions.empty())
    for (const Prediction &at : output.predictions.front())
      document["threads"].push_back(static_cast<int>(at.threads));
  document["kinds"] = Json::object();
  for (std::size_t kind = 0; kind < output.kinds.size(); ++kind) {
    const auto &sweep = output.predictions[kind];
    const auto column = [&](auto figure) {
      Json values = Json::array();
      for (const Prediction &at : sweep)
        values.push_back(figure(at));
      return values;
    };
    Json &out = document["kinds"][output.kinds[kind]];
    out["model"] = column([](const Prediction &at) { return at.model; });
    out["throughput_per_s"] = column([](const Prediction &at) { return at.throughputPerS; });
    out["speedup"] = column([](const Prediction &at) { return at.speedup; });
    out["locks"] = Json::array();
    for (std::size_t i = 0; i < output.lockNames.size(); ++i) {
      Json lock;
      lock["name"] = output.lockNames[i];
      lock["wait_ns"] = column([i](const Prediction &at) { return at.locks[i].waitNs; });
      lock["queue_length"] = column([i](const Prediction &at) { return at.locks[i].queueLength; });
      lock["utilization"] = column([i](const Prediction &at) { return at.locks[i].utilization; });
      lock["contention_rate"] =
          column([i](const Prediction &at) { return at.locks[i].contentionRate; });
      out["locks"].push_back(std::move(lock));
    }
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace qdadvise
