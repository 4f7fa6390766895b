// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/NetworkInput.h"

#include "advisor/cli/Common.h"
#include "advisor/profile/CallPaths.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace qdadvise {

void addNetworkInput(CLI::App &command, NetworkArguments &arguments) {
  addProfilesArgument(command, arguments.profiles, false);
  command.add_option("--network", arguments.network, "A network instead of profiles")
      ->type_name("FILE");
  addScaleOption(command, arguments.scale);
}

Expected<NetworkInput> loadNetworkInput(const NetworkArguments &arguments, const Machine &machine) {
  if (!arguments.network.empty() && !arguments.profiles.empty())
    return makeError("give profiles or --network, not both");
  if (!arguments.network.empty()) {
    if (!arguments.scale.empty())
      return makeError("--scale is for profiles; a network says itself which classes scale");
    Expected<Network> network = readNetwork(arguments.network);
    if (!network)
      return Unexpected(network.error());
    return NetworkInput{std::move(*network), {}, std::nullopt, arguments.network};
  }
  if (arguments.profiles.empty())
    return makeError("give a profile, or a network with --network FILE");
  Expected<Profile> profile = loadProfiles(arguments.profiles);
  if (!profile)
    return Unexpected(profile.error());
  *profile = withoutPaths(*profile);
  Expected<Construction> construction =
      constructNetwork(*profile, machine, {.scale = arguments.scale});
  if (!construction)
    return arguments.profiles.size() == 1
               ? makeError(arguments.profiles.front() + ": " + construction.error().message)
               : Unexpected(construction.error());
  return NetworkInput{std::move(construction->network), std::move(construction->notes),
                      std::move(*profile), fmt::format("{}", fmt::join(arguments.profiles, ", ")),
                      std::move(construction->memory)};
}

Expected<std::vector<int>> threadListFor(const std::string &argument, const UserConfig &config,
                                         int cores) {
  if (!argument.empty())
    return parseThreads(argument);
  return std::vector<int>{config.threads > 0 ? config.threads : cores};
}

Expected<UserConfig> loadUserConfig() {
  const std::string path = findUserConfig("");
  if (path.empty())
    return UserConfig{};
  UserConfigResult result = readUserConfig(path);
  if (!result.error.empty())
    return makeError(result.error);
  for (const std::string &warning : result.config.warnings)
    note(warning);
  return std::move(result.config);
}

} // namespace qdadvise
