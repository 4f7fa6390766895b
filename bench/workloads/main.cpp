// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bench-workloads list [FAMILY]       families, or a family's networks with their threads
//   bench-workloads show NAME           one as network.toml
//   bench-workloads write FAMILY DIR    all of a family as DIR/NAME.toml
//
// so that `qdadvise predict` and `simulate` can be given any of them with --network.
#include "advisor/network/NetworkWriter.h"
#include "bench/workloads/Workloads.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace {

using namespace qdadvise;
using namespace qdadvise::workloads;

int fail(const std::string &message) {
  fmt::print(stderr, "bench-workloads: error: {}\n", message);
  return 2;
}

const Family *findFamily(const std::string &name) {
  for (const Family &family : families())
    if (name == family.name)
      return &family;
  return nullptr;
}

std::string noFamily(const std::string &name) {
  std::string known;
  for (const Family &family : families())
    known += std::string(known.empty() ? "" : ", ") + family.name;
  return fmt::format("no family '{}'; known: {}", name, known);
}

int list(const std::string &name) {
  if (name.empty()) {
    for (const Family &family : families())
      fmt::print("{:<15} {:>4} networks: {}\n", family.name, family.make().size(), family.summary);
    return 0;
  }
  const Family *family = findFamily(name);
  if (!family)
    return fail(noFamily(name));
  for (const Workload &workload : family->make()) {
    std::string threads;
    for (const int count : workload.threads)
      threads += (threads.empty() ? "" : ",") + std::to_string(count);
    fmt::print("{}\t{}\n", workload.name, threads);
  }
  return 0;
}

int show(const std::string &name) {
  for (const Family &family : families()) {
    if (name.rfind(family.name, 0) != 0)
      continue;
    for (const Workload &workload : family.make())
      if (workload.name == name) {
        fmt::print("{}", printNetwork(workload.network));
        return 0;
      }
  }
  return fail(fmt::format("no network '{}'; `bench-workloads list FAMILY` names them", name));
}

int write(const std::string &name, const std::filesystem::path &folder) {
  const Family *family = findFamily(name);
  if (!family)
    return fail(noFamily(name));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const Workload &workload : family->make()) {
    const std::filesystem::path path = folder / (workload.name + ".toml");
    std::ofstream file(path);
    file << printNetwork(workload.network);
    file.close();
    if (!file)
      return fail(fmt::format("cannot write '{}'; is its folder writable?", path.string()));
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Networks of locks to predict, simulate and compare"};
  app.require_subcommand(1);
  std::string name, folder;
  int code = 0;
  CLI::App *listing = app.add_subcommand("list", "Families, or the networks of one");
  listing->add_option("family", name);
  listing->callback([&] { code = list(name); });
  CLI::App *showing = app.add_subcommand("show", "Prints one as network.toml");
  showing->add_option("name", name)->required();
  showing->callback([&] { code = show(name); });
  CLI::App *writing = app.add_subcommand("write", "Writes a family, a file each");
  writing->add_option("family", name)->required();
  writing->add_option("folder", folder)->required();
  writing->callback([&] { code = write(name, folder); });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return code;
}
