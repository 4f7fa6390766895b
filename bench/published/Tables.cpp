// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/published/Tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace qdadvise::publication {
namespace {

constexpr const char *header =
    "table,machine,lock,threads,locks,choice,placement,hold_ns,local_ns,lines,published_ns";
constexpr std::size_t columns = 11;

std::vector<std::string> split(const std::string &line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');)
    fields.push_back(field);
  return fields;
}

Expected<Row> rowOf(const std::vector<std::string> &fields) {
  if (fields.size() != columns)
    return makeError(fmt::format("{} columns, not {}", fields.size(), columns));
  Row row;
  row.table = fields[0];
  row.machine = fields[1];
  row.lock = findLock(fields[2]);
  if (!row.lock)
    return makeError(fmt::format("no lock is called '{}'", fields[2]));
  row.ownLock = fields[5] == "own";
  const auto placement = placementNamed(fields[6]);
  if (!placement)
    return makeError(fmt::format("no placement is called '{}'", fields[6]));
  row.placement = *placement;
  try {
    row.threads = std::stoi(fields[3]);
    row.locks = std::stoi(fields[4]);
    row.holdNs = std::stod(fields[7]);
    row.localNs = std::stod(fields[8]);
    row.lines = std::stoi(fields[9]);
    row.publishedNs = std::stod(fields[10]);
  } catch (const std::exception &) {
    return makeError("not a number where one should be");
  }
  return row;
}

} // namespace

Expected<std::vector<Row>> readTables(const std::string &path) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line) || line != header)
    return makeError(fmt::format("{}: cannot be read, or does not begin with '{}'", path, header));
  std::vector<Row> rows;
  for (int number = 2; std::getline(in, line); ++number) {
    auto row = rowOf(split(line));
    if (!row)
      return makeError(fmt::format("{}:{}: {}", path, number, row.error().message));
    rows.push_back(*std::move(row));
  }
  return rows;
}

Network networkOf(const Row &row) {
  Network network;
  const auto add = [&](const std::string &name, std::uint32_t instances) {
    network.locks.push_back({name, row.lock->kind.kind, instances, {}});
    Section section;
    section.name = name;
    section.lock = network.locks.size() - 1;
    section.hold = {row.holdNs, 0, Distribution::deterministic};
    network.sections.push_back(section);
    Transition back;
    back.threadClass = network.classes.size();
    back.from = back.to = network.sections.size() - 1;
    back.probability = 1;
    // Hardware is never as regular as a constant.
    back.local = {std::max(1.0, row.localNs), 0.2, Distribution::uniform};
    network.transitions.push_back(back);
    network.classes.push_back({name});
  };
  if (!row.ownLock) {
    add("lock", static_cast<std::uint32_t>(row.locks));
    return network;
  }
  for (int i = 0; i < row.locks; ++i) {
    add(fmt::format("lock {}", i), 1);
    network.classes.back().scales = false;
    network.classes.back().threads =
        static_cast<std::uint32_t>((row.threads + row.locks - 1 - i) / row.locks);
  }
  return network;
}

} // namespace qdadvise::publication
