// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is installed beside this executable. It is found relative to that, so that an installation
// can be moved.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace qdadvise {

/// `lib/qdadvise` beside the `bin` of this executable.
std::filesystem::path pluginFolder();
/// LLVM versions for which there is a plugin, and their folders.
std::map<int, std::filesystem::path> installedPlugins();
/// The library that counts what no hook tells of, for LD_PRELOAD.
std::filesystem::path unseenLibrary();
/// The beginning of a command that compiles for `profile`, `memory` or `advise`, to be copied from
/// a message: as complete as can be known.
std::string compileCommand(const std::string &purpose);

} // namespace qdadvise
