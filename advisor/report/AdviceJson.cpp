// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/AdviceJson.h"

#include "advisor/model/workload/Workload.h"

#include <map>
#include <utility>
#include <vector>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;

/// Without the figures of predictions that are only bounds (`isBound`).
Json adviceJson(const LockDecision &decision, bool isBound) {
  const auto figure = [isBound](double value) { return isBound ? Json() : Json(value); };
  Json alternatives = Json::object();
  for (const LockDecision::Alternative &alternative : decision.alternatives)
    alternatives[nameOf(alternative.kind)] = {
        {"wait_ns", figure(alternative.prediction.waitNs)},
        {"utilization", figure(alternative.prediction.utilization)},
        {"contention_rate", figure(alternative.prediction.contentionRate)},
        {"speedup", alternative.speedup}};
  return {{"kind", decision.advised.name()},
          {"today", decision.today.name()},
          {"keep", decision.keep},
          {"threads", decision.threads},
          {"speedup", decision.speedup},
          {"interval", {decision.low, decision.high}},
          {"contention_rate", figure(decision.alternatives.front().prediction.contentionRate)},
          {"alternatives", std::move(alternatives)},
          {"reasons", decision.reasons},
          {"obstacles", decision.obstacles}};
}

/// Advice to keep a lock that the network does not have. A program that reads the JSON finds advice
/// at every lock.
Json adviceForLeftOut(const Json &lock, int threads) {
  const bool acquired = lock.contains("acquisitions") && lock["acquisitions"] > 0;
  const char *reason = acquired ? "not modelled: all of its critical sections are beyond "
                                  "max_sections, or inside such ones; record with a larger one"
                                : "not modelled: it was not acquired while recording";
  return {{"kind", lock["kind"]},
          {"today", lock["kind"]},
          {"keep", true},
          {"threads", threads},
          {"speedup", 1.0},
          {"interval", Json::array({1.0, 1.0})},
          {"contention_rate", nullptr},
          {"alternatives", Json::object()},
          {"reasons", Json::array({reason})},
          {"obstacles", Json::array()}};
}

Json locksOf(const Network &network) {
  Json locks = Json::array();
  for (const Lock &lock : network.locks)
    locks.push_back(
        {{"name", lock.name}, {"kind", lock.kind.name()}, {"instances", lock.instances}});
  return locks;
}

Json intervalOf(const GainInterval &gain) {
  return gain.known ? Json{gain.low, gain.high} : Json(nullptr);
}

Json ratioOf(const GainInterval &gain) { return gain.known ? Json(gain.ratio) : Json(nullptr); }

/// What fixes at a lock would gain.
Json whatIfJson(const AdviceReport &report, std::size_t lock) {
  Json result = Json::array();
  for (const WhatIf &one : report.whatIfs) {
    if (one.lock != lock)
      continue;
    Json entry = {{"fix", one.request.fix}};
    if (one.request.amount > 0)
      entry["amount"] = one.request.amount;
    if (one.section)
      entry["section"] = report.network.sections[*one.section].name;
    if (one.kind != LockKind::unknown)
      entry["kind"] = nameOf(one.kind);
    entry["condition"] = one.condition;
    entry["speedup"] = ratioOf(one.today);
    entry["interval"] = intervalOf(one.today);
    entry["over_advised"] = ratioOf(one.advised);
    entry["over_advised_interval"] = intervalOf(one.advised);
    result.push_back(std::move(entry));
  }
  return result;
}

} // namespace

void addAdviceJson(Json &document, const AdviceReport &report) {
  const Decisions &decisions = report.decisions;
  document["advice"] = {
      {"threads", report.threads},
      {"cores", report.cores},
      {"machine", report.machine},
      {"throughput_per_s",
       {{"today", decisions.today.throughputPerS}, {"advised", decisions.advised.throughputPerS}}},
      {"speedup", decisions.together.ratio},
      {"interval", {decisions.together.low, decisions.together.high}},
      {"lower_bound", decisions.today.worstCase},
      {"notes", report.notes}};
  if (report.whole)
    document["advice"]["run"] = {{"speedup", report.whole->gain.ratio},
                                 {"interval", {report.whole->gain.low, report.whole->gain.high}},
                                 {"serial_share", report.whole->serialShare},
                                 {"serial", report.whole->serial}};
  if (!document.contains("locks"))
    document["locks"] = locksOf(report.network);
  for (Json &lock : document["locks"]) {
    for (const LockDecision &decision : decisions.locks)
      if (report.network.locks[decision.lock].name == lock["name"].get<std::string>()) {
        lock["advice"] = adviceJson(decision, decisions.today.worstCase);
        lock["what_if"] = whatIfJson(report, decision.lock);
      }
    if (lock.contains("advice"))
      continue;
    lock["advice"] = adviceForLeftOut(lock, report.threads);
    lock["what_if"] = Json::array();
  }
}

void addGraphJson(Json &document, const AdviceReport &report) {
  const Network &network = report.network;
  const std::vector<Traffic> traffic = trafficOf(network);
  const std::vector<double> rates = ratesAlone(network, traffic, report.threads);
  std::vector<double> sections(network.sections.size()), routes(network.transitions.size());
  double all = 0;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    const double weight = traffic[i].threads(report.threads) * rates[i];
    for (std::size_t section = 0; section < sections.size(); ++section) {
      sections[section] += weight * traffic[i].visits[section];
      all += weight * traffic[i].visits[section];
    }
    for (std::size_t route = 0; route < routes.size(); ++route)
      routes[route] += weight * traffic[i].flows[route];
  }
  const auto shareOf = [all](double part) { return all > 0 ? part / all : 0; };
  Json &graph = document["graph"] = {{"sections", Json::array()}, {"routes", Json::array()}};
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section &section = network.sections[i];
    graph["sections"].push_back({{"name", section.name},
                                 {"lock", network.locks[section.lock].name},
                                 {"shared", section.shared},
                                 {"inside", section.inside ? Json(*section.inside) : Json(nullptr)},
                                 {"share", shareOf(sections[i])}});
  }
  // Threads of several classes may take one way.
  std::map<std::pair<std::size_t, std::size_t>, double> ways;
  for (std::size_t i = 0; i < routes.size(); ++i)
    ways[{network.transitions[i].from, network.transitions[i].to}] += routes[i];
  for (const auto &[way, rate] : ways)
    graph["routes"].push_back({{"from", way.first}, {"to", way.second}, {"share", shareOf(rate)}});
}

} // namespace qdadvise
