// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/support/Installation.h"

#include <charconv>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace qdadvise {

namespace fs = std::filesystem;

namespace {

bool isOnPath(const std::string &program) {
  const char *const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0)
      return true;
  return false;
}

} // namespace

fs::path pluginFolder() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  return executable.parent_path().parent_path() / "lib" / "qdadvise";
}

fs::path unseenLibrary() { return pluginFolder().parent_path() / "libqdadvise_unseen.so"; }

std::map<int, fs::path> installedPlugins() {
  std::map<int, fs::path> versions;
  constexpr std::string_view prefix = "llvm-";
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(pluginFolder(), error)) {
    const std::string name = entry.path().filename().string();
    int version = 0;
    const char *const end = name.data() + name.size();
    if (!name.starts_with(prefix))
      continue;
    const auto [at, code] = std::from_chars(name.data() + prefix.size(), end, version);
    if (code == std::errc() && at == end && fs::exists(entry.path() / "qdadvise.so", error))
      versions.emplace(version, entry.path());
  }
  return versions;
}

std::string compileCommand(const std::string &purpose) {
  const std::map<int, fs::path> installed = installedPlugins();
  if (installed.empty())
    return "clang++ --config=$(qdadvise config " + purpose + ")";
  const auto &[version, folder] = *installed.rbegin();
  const std::string versioned = "clang++-" + std::to_string(version);
  return (isOnPath(versioned) ? versioned : "clang++") +
         " --config=" + (folder / (purpose + ".cfg")).string();
}

} // namespace qdadvise
