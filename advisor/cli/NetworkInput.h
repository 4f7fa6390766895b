// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What commands that predict have in common: a network, from profiles or from a file.
#pragma once

#include "advisor/advice/UserConfig.h"
#include "advisor/network/construction/Construction.h"
#include "advisor/profile/Profile.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

struct NetworkArguments {
  std::vector<std::string> profiles, scale;
  std::string network;
};

/// PROFILE…, --network and --scale.
void addNetworkInput(CLI::App &command, NetworkArguments &arguments);

struct NetworkInput {
  Network network;
  std::vector<std::string> notes;
  std::optional<Profile> profile; ///< none where a network was given
  std::string source;             ///< for people: the files it came from
  /// By section of the network, as in Construction. Empty where a network was given.
  std::vector<std::optional<SectionMemory>> memory = {};
  /// The network of each run, where the profiles are several runs of one command.
  std::vector<Network> runs = {};
};
/// `withoutLocks`: as in ConstructionOptions.
Expected<NetworkInput> loadNetworkInput(const NetworkArguments &arguments, const Machine &machine,
                                        bool withoutLocks = false);

} // namespace qdadvise
