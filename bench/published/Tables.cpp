// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/published/Tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string_view>

namespace qdadvise::publication {
namespace {

constexpr const char *header =
    "table,machine,lock,threads,locks,choice,placement,hold_ns,local_ns,lines,published_ns";
constexpr std::size_t columns = 11;
/// In the order of LockChoice.
constexpr std::string_view choices[] = {"random", "own", "ring"};

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
  const auto choice = std::find(std::begin(choices), std::end(choices), fields[5]);
  if (choice == std::end(choices))
    return makeError(fmt::format("nobody chooses a lock by '{}'", fields[5]));
  row.choice = static_cast<LockChoice>(choice - std::begin(choices));
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
  const auto addSection = [&](const std::string &name, std::uint32_t instances) {
    network.locks.push_back({name, row.lock->kind.kind, instances, {}});
    Section section;
    section.name = name;
    section.lock = network.locks.size() - 1;
    section.hold = {row.holdNs, 0, Distribution::deterministic};
    network.sections.push_back(section);
  };
  const auto addTransition = [&](std::size_t from, std::size_t to) {
    Transition next;
    next.threadClass = network.classes.size() - 1;
    next.from = from;
    next.to = to;
    next.probability = 1;
    // Hardware is never as regular as a constant.
    next.local = {std::max(1.0, row.localNs), 0.2, Distribution::uniform};
    network.transitions.push_back(next);
  };
  const auto locks = static_cast<std::size_t>(row.locks);
  if (row.choice == LockChoice::random) {
    network.classes.push_back({"threads"});
    addSection("lock", static_cast<std::uint32_t>(locks));
    addTransition(0, 0);
    return network;
  }
  for (std::size_t i = 0; i < locks; ++i)
    addSection(fmt::format("lock {}", i), 1);
  if (row.choice == LockChoice::ring) {
    network.classes.push_back({"threads"});
    for (std::size_t i = 0; i < locks; ++i)
      addTransition(i, (i + 1) % locks);
    return network;
  }
  for (std::size_t i = 0; i < locks; ++i) {
    network.classes.push_back({fmt::format("threads of lock {}", i)});
    network.classes.back().scales = false;
    network.classes.back().threads =
        static_cast<std::uint32_t>((static_cast<std::size_t>(row.threads) + locks - 1 - i) / locks);
    addTransition(i, i);
  }
  return network;
}

} // namespace qdadvise::publication
