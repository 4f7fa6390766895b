// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/Common.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex>
#include <set>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace qdadvise {
namespace {

constexpr int mostThreads =
    65536; // beyond any machine; bounds the work that a typing error asks for

bool namesItsPlace(const std::string &message) {
  static const std::regex place("^[^\n]+:[0-9]+:[0-9]+: error: ");
  return std::regex_search(message, place);
}

std::optional<int> parseCount(std::string_view text) {
  int value = 0;
  const char *const begin = text.data();
  const char *const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end || value < 1 || value > mostThreads)
    return std::nullopt;
  return value;
}

bool writeAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return false;
    if (written > 0)
      text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// A path that cannot be written is bad usage; a full disk, say, is not.
int failToWrite(const std::string &path) {
  const int code = errno;
  for (const int wrongPath : {ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, EROFS, ENAMETOOLONG, ELOOP})
    if (code == wrongPath)
      return fail(
          fmt::format("cannot write {}: {}; give another file with -o", path, std::strerror(code)));
  fail(fmt::format("cannot write {}: {}", path, std::strerror(code)));
  return exitFailure;
}

/// A device or a pipe has no name to be swapped under: it is written in place.
bool isReplaceable(const std::string &path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

int writeInPlace(const std::string &path, const std::string &text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return failToWrite(path);
  const bool written = writeAll(file, text);
  return ::close(file) == 0 && written ? exitSuccess : failToWrite(path);
}

int replaceFile(const std::string &path, const std::string &text) {
  std::string temporary = path + ".XXXXXX";
  const int file = ::mkstemp(temporary.data());
  if (file < 0)
    return failToWrite(path);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool written = writeAll(file, text) && ::fchmod(file, 0666 & ~mask) == 0;
  if (::close(file) != 0 || !written || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int code = failToWrite(path);
    ::unlink(temporary.c_str());
    return code;
  }
  return exitSuccess;
}

} // namespace

std::string notEmpty(const std::string &value) { return value.empty() ? "a value is missing" : ""; }

int fail(const std::string &message) {
  fmt::print(stderr, "{}{}\n", namesItsPlace(message) ? "" : "qdadvise: error: ", message);
  return exitUsage;
}

int fail(const Error &error) { return fail(error.message); }

void note(const std::string &message) { fmt::print(stderr, "qdadvise: note: {}\n", message); }

void addMachineOption(CLI::App &command, std::string &path) {
  command
      .add_option("--machine", path,
                  "Machine description (default: the one `calibrate` wrote, else a generic one)")
      ->type_name("FILE");
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
  command.add_option("--kind", kinds, "Lock algorithms, separated by commas, or all")
      ->type_name("NAME[,NAME]");
}

void addModelOption(CLI::App &command, std::string &model) {
  command.add_option("--model", model, "Model to predict with (default: auto)")->type_name("NAME");
}

void addOutputOption(CLI::App &command, std::string &path) {
  command.add_option("-o,--output", path, "Write here instead of to standard output")
      ->type_name("FILE");
}

void addScaleOption(CLI::App &command, std::vector<std::string> &classes) {
  command
      .add_option("--scale", classes,
                  "Thread class that takes the threads of --threads; may be repeated")
      ->type_name("CLASS")
      ->allow_extra_args(false);
}

void addFormatOption(CLI::App &command, std::string &format,
                     const std::vector<std::string> &formats) {
  format = formats.front();
  command
      .add_option("--format", format,
                  fmt::format("Form of the output: {} (default: {})", fmt::join(formats, ", "),
                              formats.front()))
      ->check(CLI::IsMember(formats))
      ->type_name("NAME");
}

void addProfilesArgument(CLI::App &command, std::vector<std::string> &paths, bool required) {
  command.add_option("PROFILE", paths, "Profiles (*.qdprof); several are merged")
      ->required(required)
      ->type_name("");
}

Expected<std::vector<int>> parseThreads(const std::string &text) {
  const auto refuse = [&] {
    return makeError(fmt::format(
        "--threads {}: give numbers from 1 to {}, such as 8, 1,2,4 or 1..64", text, mostThreads));
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
    if (!first || !last || *first > *last)
      return refuse();
    for (int number = *first; number <= *last; ++number)
      numbers.insert(number);
    if (comma == std::string_view::npos)
      return std::vector<int>(numbers.begin(), numbers.end());
    rest.remove_prefix(comma + 1);
  }
}

int writeOutput(const std::string &path, const std::string &text) {
  if (path.empty() || path == "-")
    return writeAll(STDOUT_FILENO, text) ? exitSuccess : failToWrite("to standard output");
  return isReplaceable(path) ? replaceFile(path, text) : writeInPlace(path, text);
}

std::string whyNotWritable(const std::string &path, bool createFolder) {
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return fmt::format("cannot write {}: it is a folder; give a file with -o", path);
  if (exists && !S_ISREG(status.st_mode))
    return ""; // a device or a pipe
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty())
    folder = ".";
  std::error_code error;
  if (createFolder)
    std::filesystem::create_directories(folder, error);
  if (error)
    return fmt::format("cannot create {}: {}; give another file with -o", folder.string(),
                       error.message());
  std::string probe = (folder / ".qdadvise.XXXXXX").string();
  const int file = ::mkstemp(probe.data());
  if (file < 0)
    return fmt::format("cannot write {}: {}; give another file with -o", path,
                       std::strerror(errno));
  ::close(file);
  ::unlink(probe.c_str());
  return "";
}

TextStyle outputStyle(const std::string &outputPath) {
  const char *noColor = std::getenv("NO_COLOR");
  const bool refused = noColor && *noColor;
  const char *terminal = std::getenv("TERM");
  const bool dumb = terminal && std::strcmp(terminal, "dumb") == 0;
  const bool toOutput = outputPath.empty() || outputPath == "-";
  return TextStyle{.colour = toOutput && !refused && !dumb && ::isatty(STDOUT_FILENO) == 1};
}

} // namespace qdadvise
