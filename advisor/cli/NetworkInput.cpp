// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/NetworkInput.h"

#include "advisor/cli/Inputs.h"
#include "advisor/cli/Options.h"
#include "advisor/network/NetworkReader.h"
#include "advisor/profile/format/Container.h"
#include "advisor/profile/summary/CallPaths.h"
#include "runtime/abi/profile_format.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

namespace qdadvise {
namespace {

bool isProfileFile(const std::string &path) {
  std::array<char, sizeof format::magic> begin{};
  std::ifstream file(path, std::ios::binary);
  return file.read(begin.data(), begin.size()) &&
         hasProfileMagic(std::string_view(begin.data(), begin.size()));
}

} // namespace

void addNetworkInput(CLI::App &command, NetworkArguments &arguments) {
  addProfilesArgument(command, arguments.profiles, false);
  command.add_option("--network", arguments.network, "A network instead of profiles")
      ->check(notEmpty)
      ->type_name("FILE");
  addScaleOption(command, arguments.scale);
}

Expected<NetworkInput> loadNetworkInput(const NetworkArguments &arguments, const Machine &machine,
                                        bool withoutLocks) {
  if (!arguments.network.empty() && !arguments.profiles.empty())
    return makeError("give profiles or --network, not both");
  if (!arguments.network.empty()) {
    if (!arguments.scale.empty())
      return makeError("--scale is for profiles; a network says itself which classes scale");
    if (isProfileFile(arguments.network))
      return makeError(fmt::format("{} is a profile, not a network: give it without --network",
                                   arguments.network));
    return NetworkInput{TRY(readNetwork(arguments.network)), {}, std::nullopt, arguments.network};
  }
  if (arguments.profiles.empty())
    return makeError("give a profile, or a network with --network FILE");
  std::vector<Profile> repeated;
  Profile profile = withoutPaths(TRY(loadProfiles(arguments.profiles, &repeated)));
  Expected<Construction> construction =
      constructNetwork(profile, machine, {arguments.scale, withoutLocks});
  if (!construction && arguments.profiles.size() == 1)
    return makeError(arguments.profiles.front() + ": " + construction.error().message);
  if (!construction)
    return Unexpected(construction.error());
  NetworkInput input{std::move(construction->network), std::move(construction->notes),
                     std::move(profile), fmt::format("{}", fmt::join(arguments.profiles, ", ")),
                     std::move(construction->memory)};
  for (const Profile &run : repeated)
    if (auto alone = constructNetwork(withoutPaths(run), machine, {.scale = arguments.scale}))
      input.runs.push_back(std::move(alone->network));
  return input;
}

} // namespace qdadvise
