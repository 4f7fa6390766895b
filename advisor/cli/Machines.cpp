// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise machines: the bundled machine descriptions.
#include "advisor/cli/Commands.h"
#include "advisor/cli/Output.h"
#include "advisor/machine/BundledMachines.h"

#include <algorithm>
#include <fmt/format.h>

namespace qdadvise {
namespace {

std::string shapeOf(const Machine &machine) {
  const int cores = machine.cores / machine.threadsPerCore / machine.sockets;
  return fmt::format("{} x {} x {}", machine.sockets, cores, machine.threadsPerCore);
}

std::string list() {
  std::size_t nameWidth = 0, shapeWidth = 0, sourceWidth = 0;
  for (const BundledMachine &one : bundledMachines()) {
    nameWidth = std::max(nameWidth, one.name.size());
    shapeWidth = std::max(shapeWidth, shapeOf(one.machine).size());
    sourceWidth = std::max(sourceWidth, one.machine.source.size());
  }
  std::string text = "Bundled machine descriptions, for --machine NAME. Sockets x cores x hardware "
                     "threads of a core:\n\n";
  for (const BundledMachine &one : bundledMachines())
    text += fmt::format("{:{}}  {:{}}  {:{}}  {}\n", one.name, nameWidth, shapeOf(one.machine),
                        shapeWidth, one.machine.source, sourceWidth,
                        one.machine.cpu.empty() ? one.machine.name : one.machine.cpu);
  return text;
}

} // namespace

void addMachines(CLI::App &app, int &exitCode) {
  CLI::App *command = app.add_subcommand("machines", "List the bundled machine descriptions");
  command->callback([&exitCode] { exitCode = writeOutput("", list()); });
}

} // namespace qdadvise
