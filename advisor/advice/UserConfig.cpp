// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/advice/UserConfig.h"
#include "advisor/advice/LockApiReader.h"

#include <algorithm>
#include <span>

namespace qdadvise {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view knownKeys[] = {"advice",   "cores",    "findings", "group",
                                          "lock_api", "severity", "suppress", "threads"};

/// Adds a warning for each key of the table that is not known.
void warnOfUnknown(UserConfig &config, const toml::table &in,
                   std::span<const std::string_view> known) {
  for (const auto &[key, value] : in) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end())
      continue;
    const toml::source_position at = key.source().begin;
    std::string text = config.path + ":" + std::to_string(at.line) + ":" +
                       std::to_string(at.column) + ": unknown key '" + std::string(key.str()) +
                       "' has no effect; known are ";
    const char *separator = "";
    for (const std::string_view name : known) {
      text += separator + std::string(name);
      separator = ", ";
    }
    config.warnings.push_back(std::move(text));
  }
}

void readSuppressions(TomlReader &reader, const toml::table &root, UserConfig &config) {
  static constexpr std::string_view keys[] = {"file", "function", "lock", "reason"};
  const toml::node *const node = root.get("suppress");
  if (!node)
    return;
  const toml::array *const array = node->as_array();
  if (!array || !array->is_homogeneous<toml::table>())
    return reader.fail(*node, "'suppress' must be tables: write [[suppress]]");
  for (const toml::node &element : *array) {
    const toml::table &table = *element.as_table();
    const auto text = [&](std::string_view key) { return reader.text(table, key).value_or(""); };
    Suppression one{text("lock"), text("file"), text("function"), text("reason")};
    if (one.lock.empty() && one.file.empty() && one.function.empty())
      reader.fail(table, "[[suppress]] needs a 'lock', a 'file' or a 'function'; severity = "
                         "\"off\" suppresses all");
    config.suppressions.push_back(std::move(one));
    warnOfUnknown(config, table, keys);
  }
}

void readThresholds(TomlReader &reader, const toml::table &root, UserConfig &config) {
  const toml::table *const table = reader.table(root, "findings");
  if (!table)
    return;
  std::vector<std::string_view> names;
  for (const auto &[name, value, least, most] : findingThresholds) {
    names.emplace_back(name);
    config.findings.*value =
        reader.number(*table, name, least, most).value_or(config.findings.*value);
  }
  warnOfUnknown(config, *table, names);
}

} // namespace

std::optional<Severity> parseSeverity(std::string_view text) {
  if (text == "off")
    return Severity::off;
  if (text == "remark")
    return Severity::remark;
  if (text == "warning")
    return Severity::warning;
  if (text == "error")
    return Severity::error;
  return std::nullopt;
}

Expected<UserConfig> parseUserConfig(const std::string &toml, const std::string &path) {
  TomlReader reader(path);
  const toml::table root = reader.parse(toml);
  UserConfig config;
  config.path = path;
  if (const std::optional<std::string> advice = reader.text(root, "advice")) {
    if (advice->empty())
      reader.fail(*root.get("advice"), "'advice' must name a file");
    config.advice = (fs::path(path).parent_path() / *advice).lexically_normal().string();
  }
  if (const std::optional<std::string> severity = reader.text(root, "severity")) {
    config.severity = parseSeverity(*severity);
    if (!config.severity)
      reader.fail(*root.get("severity"), "'severity' must be off, remark, warning or error");
  }
  if (const std::optional<std::string> group = reader.text(root, "group")) {
    if (*group != "site" && *group != "lock")
      reader.fail(*root.get("group"), "'group' must be site or lock");
    config.group = *group == "lock" ? Grouping::lock : Grouping::site;
  }
  config.threads = static_cast<int>(reader.integer(root, "threads", 1, 65536).value_or(0));
  config.cores = static_cast<int>(reader.integer(root, "cores", 1, 65536).value_or(0));
  config.lockApis = readLockApis(reader, root);
  readSuppressions(reader, root, config);
  readThresholds(reader, root, config);
  warnOfUnknown(config, root, knownKeys);
  if (!reader.ok())
    return makeError(reader.error());
  return config;
}

Expected<UserConfig> readUserConfig(const std::string &path) {
  return parseUserConfig(TRY(readTextFile(path)), path);
}

std::string findUserConfig(const std::string &folder) {
  std::error_code code;
  fs::path at = fs::absolute(folder.empty() ? "." : folder, code).lexically_normal();
  if (code)
    return "";
  if (!at.has_filename()) // "folder/" is the folder
    at = at.parent_path();
  while (true) {
    const fs::path candidate = at / ".qdadvise.toml";
    if (fs::is_regular_file(candidate, code))
      return candidate.string();
    const fs::path above = at.parent_path();
    if (above == at)
      return "";
    at = above;
  }
}

} // namespace qdadvise
