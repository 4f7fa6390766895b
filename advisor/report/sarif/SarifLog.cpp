// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/sarif/SarifLog.h"

#include "advisor/support/SourceLines.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// Of GitHub: code scanning shows no more results of a log, and refuses more places of a result.
constexpr std::size_t mostResults = 5000, mostRelated = 100;

/// FNV-1a: the same on every machine, unlike std::hash.
std::uint64_t hashOf(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

/// A path as a URI: what is below the current folder is relative to it, as code review wants it.
Json artifactOf(const std::string &file) {
  fs::path path = fs::path(file).lexically_normal();
  if (path.is_absolute()) {
    std::error_code none;
    const fs::path relative = path.lexically_relative(fs::current_path(none));
    if (!relative.empty() && *relative.begin() != "..")
      path = relative;
  }
  std::string uri = path.is_absolute() ? "file://" : "";
  constexpr std::string_view plain = "-._~/+";
  for (const char letter : path.generic_string())
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0 || plain.find(letter) != plain.npos)
      uri += letter;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  Json artifact = {{"uri", uri}};
  if (!path.is_absolute())
    artifact["uriBaseId"] = "%SRCROOT%";
  return artifact;
}

/// From a place to the end of its line, which is known where the source is there.
Json regionOf(const SarifPlace &place, SourceLines &source) {
  Json region = {{"startLine", std::max(1U, place.line)}};
  if (place.column == 0)
    return region;
  region["startColumn"] = place.column;
  const std::string line = source.at(place.file, place.line);
  const std::size_t last = line.find_last_not_of(" \t\r");
  if (last != std::string::npos && last + 1 > place.column)
    region["endColumn"] = last + 2;
  return region;
}

Json locationOf(const SarifPlace &place, SourceLines &source) {
  Json location;
  location["physicalLocation"] = {{"artifactLocation", artifactOf(place.file)},
                                  {"region", regionOf(place, source)}};
  if (!place.function.empty())
    location["logicalLocations"] =
        Json::array({{{"fullyQualifiedName", place.function}, {"kind", "function"}}});
  return location;
}

/// The lines around a place, for viewers that do not have the sources.
void addSnippets(Json &physical, const SarifPlace &place, SourceLines &source) {
  constexpr std::size_t around = 2;
  const std::vector<std::string> &lines = source.of(place.file);
  if (place.line < 1 || place.line > lines.size())
    return;
  const std::size_t first = place.line - std::min<std::size_t>(around, place.line - 1);
  const std::size_t last = std::min<std::size_t>(place.line + around, lines.size());
  std::string text;
  for (std::size_t line = first; line <= last; ++line)
    text += lines[line - 1] + "\n";
  Json &region = physical["region"];
  if (region.contains("endColumn"))
    region["snippet"]["text"] = lines[place.line - 1].substr(
        place.column - 1, region["endColumn"].get<std::size_t>() - place.column);
  physical["contextRegion"] = {{"startLine", first}, {"endLine", last}};
  physical["contextRegion"]["snippet"]["text"] = text;
}

Json fixOf(const SarifResult &result) {
  std::map<std::string, Json> changes;
  for (const SarifReplacement &one : result.fix) {
    Json &change = changes[one.begin.file];
    change["artifactLocation"] = artifactOf(one.begin.file);
    Json replacement;
    replacement["deletedRegion"] = {{"startLine", one.begin.line},
                                    {"startColumn", one.begin.column},
                                    {"endLine", one.begin.line},
                                    {"endColumn", one.endColumn}};
    replacement["insertedContent"]["text"] = one.text;
    change["replacements"].push_back(std::move(replacement));
  }
  Json fix;
  fix["description"]["text"] = result.fixText;
  for (auto &[file, change] : changes)
    fix["artifactChanges"].push_back(std::move(change));
  return fix;
}

Json resultOf(const SarifResult &result, std::size_t ruleIndex, SourceLines &source) {
  Json json = {{"ruleId", result.rule->id}, {"ruleIndex", ruleIndex}, {"level", "warning"}};
  json["message"]["text"] = result.message;
  json["locations"] = Json::array({locationOf(result.place, source)});
  addSnippets(json["locations"][0]["physicalLocation"], result.place, source);
  for (std::size_t i = 0; i < std::min(mostRelated, result.related.size()); ++i) {
    Json related = locationOf(result.related[i].first, source);
    related["id"] = i + 1;
    related["message"]["text"] = result.related[i].second;
    json["relatedLocations"].push_back(std::move(related));
  }
  // Code scanning knows a result again by the first of these names.
  const std::string hash = fmt::format("{:016x}", hashOf(result.identity));
  json["partialFingerprints"] = {{"primaryLocationLineHash", hash + ":1"},
                                 {"qdadviseIdentity/v1", hash}};
  if (!result.fix.empty())
    json["fixes"] = Json::array({fixOf(result)});
  if (result.suppressed)
    json["suppressions"] =
        Json::array({{{"kind", "external"}, {"justification", "[[suppress]] in .qdadvise.toml"}}});
  if (!result.properties.empty())
    json["properties"] = result.properties;
  return json;
}

Json ruleOf(const SarifRule &rule) {
  Json json = {{"id", rule.id}, {"name", rule.name}};
  json["shortDescription"]["text"] = json["fullDescription"]["text"] = rule.summary;
  json["help"] = {{"text", rule.help}, {"markdown", rule.help}};
  json["defaultConfiguration"]["level"] = "warning";
  json["properties"]["tags"] = {"performance", "concurrency"};
  return json;
}

} // namespace

Json sarifJson(const SarifLog &log) {
  SourceLines source;
  Json rules = Json::array(), results = Json::array();
  std::map<std::string, std::size_t> indices;
  for (std::size_t i = 0; i < std::min(mostResults, log.results.size()); ++i) {
    const SarifResult &result = log.results[i];
    const auto [rule, isNew] = indices.try_emplace(result.rule->id, rules.size());
    if (isNew)
      rules.push_back(ruleOf(*result.rule));
    results.push_back(resultOf(result, rule->second, source));
  }
  Json run;
  run["tool"]["driver"] = {
      {"name", "QDAdvise"}, {"semanticVersion", QDADVISE_VERSION}, {"rules", std::move(rules)}};
  run["automationDetails"]["id"] = log.category + "/";
  run["columnKind"] = "unicodeCodePoints";
  run["results"] = std::move(results);
  Json properties = log.properties;
  if (log.results.size() > mostResults)
    properties["leftOut"] = log.results.size() - mostResults;
  if (!properties.empty())
    run["properties"] = std::move(properties);
  Json document = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"}};
  document["runs"] = Json::array({std::move(run)});
  return document;
}

} // namespace qdadvise
