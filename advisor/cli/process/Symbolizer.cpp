// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/process/Symbolizer.h"

#include "advisor/cli/process/Process.h"
#include "advisor/profile/merge/Merge.h"
#include "advisor/support/Format.h"
#include "runtime/abi/profile_format.h"
#include "runtime/abi/site_record.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace qdadvise {
namespace {

namespace fs = std::filesystem;

/// The path of a program as a shell would find it, or "".
std::string findOnPath(const std::string &program) {
  if (program.find('/') != std::string::npos)
    return ::access(program.c_str(), X_OK) == 0 ? program : "";
  const char *const path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string candidate = std::string(rest.substr(0, end)) + "/" + program;
    if (::access(candidate.c_str(), X_OK) == 0)
      return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

/// QDADVISE_SYMBOLIZER, else one on the PATH, else one beside a clang that is there.
std::string findSymbolizer() {
  if (const char *const named = std::getenv("QDADVISE_SYMBOLIZER"))
    return findOnPath(named);
  for (const char *const name : {"llvm-symbolizer", "llvm-symbolizer-22", "llvm-symbolizer-19"})
    if (std::string found = findOnPath(name); !found.empty())
      return found;
  for (const char *const clang : {"clang", "clang++", "clang-22", "clang-19"}) {
    std::error_code failed;
    const fs::path real = fs::canonical(findOnPath(clang), failed);
    const fs::path beside = real.parent_path() / "llvm-symbolizer";
    if (!failed && ::access(beside.c_str(), X_OK) == 0)
      return beside;
  }
  return {};
}

bool isSystemFile(const std::string &file) {
  return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/");
}

/// One list of frames for each address, the innermost first. Empty where llvm-symbolizer could not
/// be run, or printed something else than such lists.
std::vector<std::vector<SourceFrame>> symbolize(const std::string &symbolizer,
                                                const std::string &module,
                                                const std::vector<std::uint64_t> &offsets) {
  std::vector<std::string> command{symbolizer, "--output-style=JSON", "--inlining",
                                   "--obj=" + module};
  for (const std::uint64_t offset : offsets)
    command.push_back(fmt::format("{:#x}", offset));
  const Expected<std::string> output = captureOutput(command);
  if (!output)
    return {};
  const auto json = nlohmann::json::parse(*output, nullptr, false);
  if (!json.is_array() || json.size() != offsets.size())
    return {};
  std::vector<std::vector<SourceFrame>> result;
  for (const auto &address : json) {
    std::vector<SourceFrame> &frames = result.emplace_back();
    if (!address.is_object() || !address.contains("Symbol") || !address["Symbol"].is_array())
      continue;
    for (const auto &symbol : address["Symbol"])
      if (symbol.is_object())
        frames.push_back({symbol.value("FunctionName", ""), symbol.value("FileName", ""),
                          symbol.value("Line", 0u), symbol.value("Column", 0u)});
  }
  return result;
}

bool isAddress(const CallFrame &frame) { return !frame.address.module.empty(); }

using Places = std::map<CodeAddress, std::vector<SourceFrame>>;

Places placesOf(const Profile &profile, const std::string &symbolizer) {
  std::map<std::string, std::vector<std::uint64_t>> wanted;
  for (const ProfiledSite &site : profile.sites) {
    if (site.caller)
      wanted[site.caller->module].push_back(site.caller->offset);
    for (const CallFrame &frame : site.path)
      if (isAddress(frame))
        wanted[frame.address.module].push_back(frame.address.offset);
  }
  Places places;
  for (auto &[module, offsets] : wanted) {
    std::error_code missing;
    if (symbolizer.empty() || !fs::exists(module, missing))
      continue;
    std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    // The call is the instruction before the one that it returns to.
    std::vector<std::uint64_t> calls;
    for (const std::uint64_t offset : offsets)
      calls.push_back(offset - 1);
    std::vector<std::vector<SourceFrame>> frames = symbolize(symbolizer, module, calls);
    for (std::size_t i = 0; i < frames.size(); ++i)
      places[{module, offsets[i]}] = std::move(frames[i]);
  }
  return places;
}

} // namespace

const SourceFrame *callingFrame(const std::vector<SourceFrame> &frames,
                                const std::string &calleeFile) {
  const SourceFrame *innermost = nullptr;
  for (const SourceFrame &frame : frames) {
    if (frame.line == 0 || frame.file.empty())
      continue;
    if (!innermost)
      innermost = &frame;
    // Only the names of files are compared: the compiler may have been given relative paths.
    const bool isCallee = !calleeFile.empty() && baseName(frame.file) == baseName(calleeFile);
    if (!isCallee && !isSystemFile(frame.file))
      return &frame;
  }
  return innermost;
}

namespace {

/// Gives a site with a caller the place of the call. Functions that the call was inlined into
/// become part of the path. Returns false where the place cannot be found.
bool resolveCaller(ProfiledSite &site, const Places &places, std::vector<CallFrame> &path) {
  const auto found = places.find(*site.caller);
  const SourceFrame *const frame =
      found == places.end() ? nullptr : callingFrame(found->second, site.file);
  if (!frame)
    return false;
  site.file = frame->file;
  site.line = frame->line;
  site.column = frame->column;
  site.function = frame->function;
  site.sectionHash = site.facts = 0; // they describe the wrapper's own text
  site.flags &= ~std::uint32_t{siteByCaller};
  site.caller.reset();
  for (const SourceFrame *outer = frame + 1; outer < found->second.data() + found->second.size();
       ++outer)
    path.push_back({{}, outer->function, outer->file, outer->line, false});
  return true;
}

/// Replaces an address by its frames, inlined functions first.
void resolveFrame(const CallFrame &frame, const Places &places, std::vector<CallFrame> &path) {
  const auto found = places.find(frame.address);
  if (found == places.end() || found->second.empty() || found->second.front().function.empty()) {
    path.push_back(frame);
    return;
  }
  bool own = frame.own;
  for (const SourceFrame &source : found->second)
    if (!std::exchange(own, false))
      path.push_back({{}, source.function, source.file, source.line, false});
}

} // namespace

void resolveCallers(Profile &profile, std::vector<std::string> &notes) {
  // The runtime's own frames, through which threads start, are no part of the program's paths.
  for (ProfiledSite &site : profile.sites)
    std::erase_if(site.path, [](const CallFrame &frame) {
      return baseName(frame.address.module).starts_with("libqdadvise_rt.so");
    });
  const auto hasAddresses = [](const ProfiledSite &site) {
    return site.caller || std::any_of(site.path.begin(), site.path.end(), isAddress);
  };
  if (std::none_of(profile.sites.begin(), profile.sites.end(), hasAddresses))
    return;
  const std::string symbolizer = findSymbolizer();
  const Places places = placesOf(profile, symbolizer);
  std::size_t unknownSites = 0;
  std::set<CodeAddress> unknownFrames;
  for (ProfiledSite &site : profile.sites) {
    std::vector<CallFrame> path;
    if (site.caller && !resolveCaller(site, places, path)) {
      ++unknownSites;
      const std::string from = fmt::format(" (called from {}+{:#x})", baseName(site.caller->module),
                                           site.caller->offset);
      if (!site.function.ends_with(from))
        site.function += from;
    }
    if (site.path.empty())
      continue;
    for (const CallFrame &frame : site.path)
      resolveFrame(frame, places, path);
    path.resize(std::min<std::size_t>(path.size(), format::longestPath));
    for (const CallFrame &frame : path)
      if (isAddress(frame))
        unknownFrames.insert(frame.address);
    site.path = std::move(path);
  }
  const auto tell = [&](std::size_t count, const char *one, const char *several) {
    if (count != 0)
      notes.push_back(fmt::format(
          "{} {} known by the address of the call only: {}", count, count == 1 ? one : several,
          symbolizer.empty()
              ? "install llvm-symbolizer, or name one with QDADVISE_SYMBOLIZER"
              : "compile the program with -gline-tables-only, and keep it in place"));
  };
  tell(unknownSites, "site is", "sites are");
  // Libraries rarely have line tables: the names of their functions suffice.
  if (symbolizer.empty())
    tell(unknownFrames.size(), "caller on call paths is", "callers on call paths are");
  // Calls of one place in the source, inlined into several functions, are one site.
  if (Expected<Profile> joined = mergeProfiles({profile}))
    profile = std::move(*joined);
}

} // namespace qdadvise
