// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files that the processes of a recorded run write.
#pragma once

#include <filesystem>
#include <regex>
#include <set>
#include <utility>
#include <vector>

namespace qdadvise {

/// The files that a pattern of the runtime matches: `%p` stands for a number, `%h` and `%b` for
/// anything.
class ProfileFiles {
public:
  explicit ProfileFiles(const std::filesystem::path &pattern);

  /// Files that are new, or were written since this object was made.
  std::vector<std::filesystem::path> written() const;

private:
  using File = std::pair<std::filesystem::path, std::filesystem::file_time_type>;
  std::set<File> list() const;

  std::filesystem::path folder;
  std::regex names;
  std::set<File> before;
};

/// Where the processes of a run write what becomes one file: beside it; for root in a folder that
/// everybody may write to, as servers give up root's rights once they have their sockets.
class PartsFolder {
public:
  explicit PartsFolder(const std::filesystem::path &beside);
  PartsFolder(const PartsFolder &) = delete;
  PartsFolder &operator=(const PartsFolder &) = delete;
  /// Files that could not be gathered stay, and so does the folder.
  ~PartsFolder();
  const std::filesystem::path &path() const { return folder; }

private:
  std::filesystem::path folder;
  bool isOurs = false;
};

} // namespace qdadvise
