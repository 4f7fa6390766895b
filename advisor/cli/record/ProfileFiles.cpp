// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/cli/record/ProfileFiles.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <unistd.h>

namespace qdadvise {

namespace fs = std::filesystem;

ProfileFiles::ProfileFiles(const fs::path &pattern) : folder(pattern.parent_path()) {
  std::string expression;
  const std::string name = pattern.filename().string();
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool placeholder = name[i] == '%' && i + 1 < name.size();
    if (placeholder) {
      expression += name[++i] == 'p' ? "[0-9]+" : ".*";
    } else {
      if (!std::isalnum(static_cast<unsigned char>(name[i])))
        expression += '\\';
      expression += name[i];
    }
  }
  names = std::regex(expression);
  before = list();
}

std::vector<fs::path> ProfileFiles::written() const {
  std::vector<fs::path> result;
  for (const auto &[path, time] : list())
    if (!before.contains({path, time}))
      result.push_back(path);
  return result;
}

std::set<ProfileFiles::File> ProfileFiles::list() const {
  std::set<File> found;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error))
    if (std::regex_match(entry.path().filename().string(), names))
      found.emplace(entry.path(), entry.last_write_time(error));
  return found;
}

PartsFolder::PartsFolder(const fs::path &beside) : folder(beside) {
  // Not in TMPDIR, which may be root's own.
  std::string pattern = P_tmpdir "/qdadvise-XXXXXX";
  if (::geteuid() != 0 || !::mkdtemp(pattern.data()))
    return;
  folder = pattern;
  isOurs = true;
  std::error_code error;
  fs::permissions(folder, fs::perms::all | fs::perms::sticky_bit, error);
}

PartsFolder::~PartsFolder() {
  std::error_code error;
  if (isOurs)
    fs::remove(folder, error);
}

} // namespace qdadvise
