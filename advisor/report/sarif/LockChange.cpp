// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/sarif/LockChange.h"

#include <fmt/format.h>
#include <optional>
#include <set>
#include <utility>

namespace qdadvise {
namespace {

/// The shipped class of an algorithm that a std::mutex can become with no other change.
std::optional<std::string> classOf(LockKind advised) {
  if (algorithmOf(advised).delegates)
    return std::nullopt;
  switch (advised) {
#define SHIPPED_LOCK(kind, number, name, label, lock, ...)                                         \
  case LockKind::kind:                                                                             \
    return #lock;
#include "runtime/abi/LockAlgorithms.def"
  default:
    return std::nullopt;
  }
}

SarifReplacement replacement(const std::string &file, std::size_t line, std::size_t position,
                             std::size_t length, const std::string &text) {
  const auto column = static_cast<std::uint32_t>(position + 1);
  return {{file, "", static_cast<std::uint32_t>(line), column},
          column + static_cast<std::uint32_t>(length),
          text};
}

/// The line behind the last #include; 0 where there is none.
std::size_t behindIncludes(const std::vector<std::string> &lines) {
  for (std::size_t at = lines.size(); at > 0; --at)
    if (lines[at - 1].starts_with("#include"))
      return at + 1;
  return 0;
}

/// Whether a line can stay as it is: its guard finds the lock's type itself, or the lock is called.
bool namesNoType(const std::string &line) {
  for (const char *guard : {"std::lock_guard ", "std::unique_lock ", "std::scoped_lock "})
    if (line.find(guard) != std::string::npos)
      return true;
  return line.find("std::") == std::string::npos;
}

} // namespace

std::vector<SarifReplacement> lockChange(const std::string &type, LockKind advised,
                                         const SarifPlace &declaration,
                                         const std::vector<SarifPlace> &sites,
                                         SourceLines &source) {
  const std::string oldType = "std::mutex";
  const std::optional<std::string> lockClass = classOf(advised);
  if (type != oldType || !lockClass)
    return {};
  const std::string newType = "qdadvise::" + *lockClass;
  const std::string declared = source.at(declaration.file, declaration.line);
  const std::size_t at = declared.find(oldType + " ");
  const std::size_t include = behindIncludes(source.of(declaration.file));
  if (at == std::string::npos || include == 0)
    return {};
  std::vector<SarifReplacement> edits = {
      replacement(declaration.file, include, 0, 0,
                  fmt::format("#include <qdadvise/locks/{}.h>\n", *lockClass)),
      replacement(declaration.file, declaration.line, at, oldType.size(), newType)};
  std::set<std::pair<std::string, std::uint32_t>> seen;
  for (const SarifPlace &site : sites) {
    if (!seen.emplace(site.file, site.line).second)
      continue;
    const std::string line = source.at(site.file, site.line);
    const std::size_t named = line.find("<" + oldType + ">");
    if (line.empty() || (named == std::string::npos && !namesNoType(line)))
      return {};
    if (named != std::string::npos)
      edits.push_back(replacement(site.file, site.line, named + 1, oldType.size(), newType));
  }
  return edits;
}

} // namespace qdadvise
