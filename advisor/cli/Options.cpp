// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/Options.h"

#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>
#include <string_view>

namespace qdadvise {
namespace {

/// More than any machine has. Without it a typing error would ask for endless work.
constexpr int mostThreads = 65536;

std::optional<int> parseCount(std::string_view text) {
  int value = 0;
  const char *const begin = text.data();
  const char *const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end || value < 1 || value > mostThreads)
    return std::nullopt;
  return value;
}

} // namespace

std::string notEmpty(const std::string &value) { return value.empty() ? "a value is missing" : ""; }

void addMachineOption(CLI::App &command, std::string &path) {
  command
      .add_option("--machine", path,
                  "Machine description, a file or one that `machines` lists (default: the one "
                  "`calibrate` wrote, else a generic one)")
      ->check(notEmpty)
      ->type_name("FILE|NAME");
}

void addPlacementOption(CLI::App &command, std::string &placement) {
  command
      .add_option(
          "--placement", placement,
          "Where threads run: spread, as Linux does; sockets or compact, if they are pinned "
          "(default: the machine's, else spread)")
      ->check(notEmpty)
      ->type_name("NAME");
}

void addThreadsOption(CLI::App &command, std::string &threads) {
  command.add_option("--threads", threads, "Numbers of threads: 8, 1,2,4 or 1..64")
      ->check(notEmpty)
      ->type_name("LIST");
}

void addCoresOption(CLI::App &command, int &cores) {
  command.add_option("--cores", cores, "Cores to predict for (default: the machine's)")
      ->check(CLI::Range(1, mostThreads))
      ->type_name("N");
}

void addKindOption(CLI::App &command, std::string &kinds) {
  command
      .add_option("--kind", kinds,
                  "Lock algorithms, separated by commas; recorded: today's; all (default)")
      ->type_name("NAME[,NAME]");
}

void addModelOption(CLI::App &command, std::string &model) {
  command.add_option("--model", model, "Model to predict with (default: auto)")->type_name("NAME");
}

void addOutputOption(CLI::App &command, std::string &path) {
  command.add_option("-o,--output", path, "Write here instead of to standard output")
      ->check(notEmpty)
      ->type_name("FILE");
}

void addScaleOption(CLI::App &command, std::vector<std::string> &classes) {
  command
      .add_option("--scale", classes,
                  "Thread class that takes the threads of --threads; may be repeated")
      ->type_name("CLASS")
      ->allow_extra_args(false);
}

void addFormatOption(CLI::App &command, std::string &format, ReportKind report) {
  std::vector<std::string> names;
  for (const ReportFormat *known : formatsOf(report))
    names.emplace_back(known->name);
  format = names.front();
  command
      .add_option("--format", format,
                  fmt::format("Form of the output: {} (default: {})", fmt::join(names, ", "),
                              names.front()))
      ->check(CLI::IsMember(names))
      ->type_name("NAME");
}

void addProfilesArgument(CLI::App &command, std::vector<std::string> &paths, bool required) {
  command.add_option("PROFILE", paths, "Profiles (*.qdprof); several are merged")
      ->required(required)
      ->type_name("");
}

Expected<std::vector<int>> parseNumbers(const std::string &option, const std::string &text,
                                        int least) {
  const auto refuse = [&] {
    return makeError(fmt::format("{} {}: give numbers from {} to {}, such as 8, {},{},{} or {}..64",
                                 option, text, least, mostThreads, least, 2 * least, 4 * least,
                                 least));
  };
  std::set<int> numbers;
  std::string_view rest = text;
  for (;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t dots = item.find("..");
    const std::optional<int> first = parseCount(item.substr(0, dots));
    const std::optional<int> last =
        dots == std::string_view::npos ? first : parseCount(item.substr(dots + 2));
    if (!first || !last || *first < least || *first > *last)
      return refuse();
    for (int number = *first; number <= *last; ++number)
      numbers.insert(number);
    if (comma == std::string_view::npos)
      return std::vector<int>(numbers.begin(), numbers.end());
    rest.remove_prefix(comma + 1);
  }
}

} // namespace qdadvise
