// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/Output.h"

#include "advisor/support/Format.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <regex>
#include <sstream>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qdadvise {
namespace {

bool namesItsPlace(const std::string &message) {
  static const std::regex place("^[^\n]+:[0-9]+:[0-9]+: error: ");
  return std::regex_search(message, place);
}

bool isStandardOutput(const std::string &path) { return path.empty() || path == "-"; }

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

/// A device or a pipe cannot be replaced by renaming a file: it is written in place.
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

bool environmentHas(const char *name) {
  const char *value = std::getenv(name);
  return value && *value;
}

/// Columns or lines: what a variable says, else the terminal, else what is usual.
std::size_t screenSize(const char *variable, std::size_t ofTerminal, std::size_t usual,
                       std::size_t least, std::size_t most) {
  const char *value = std::getenv(variable);
  const std::string_view text = value ? value : "";
  std::size_t said = 0;
  std::from_chars(text.data(), text.data() + text.size(), said);
  const std::size_t size = said > 0 ? said : ofTerminal;
  return size == 0 ? usual : std::clamp(size, least, most);
}

} // namespace

int fail(const std::string &message) {
  fmt::print(stderr, "{}{}\n", namesItsPlace(message) ? "" : "qdadvise: error: ", message);
  return exitUsage;
}

int exitCodeOf(const Expected<int> &result) {
  return result ? *result : fail(result.error().message);
}

void note(const std::string &message) { fmt::print(stderr, "qdadvise: note: {}\n", message); }

int writeOutput(const std::string &path, const std::string &text) {
  if (isStandardOutput(path))
    return writeAll(STDOUT_FILENO, text) ? exitSuccess : failToWrite("to standard output");
  return isReplaceable(path) ? replaceFile(path, text) : writeInPlace(path, text);
}

std::string helpWithin(std::size_t width, const std::string &help) {
  std::string result;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    // Descriptions begin after a gap, or are a line by themselves.
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = line.find("  ", begin);
    const std::size_t column =
        gap == std::string::npos ? begin : std::min(line.find_first_not_of(' ', gap), line.size());
    while (line.size() > width && column < width / 2) {
      const std::size_t space = line.rfind(' ', width);
      if (space == std::string::npos || space <= column)
        break;
      result += line.substr(0, space) + "\n";
      line = std::string(column, ' ') + line.substr(space + 1);
    }
    result += line + "\n";
  }
  return result;
}

Expected<void> checkWritable(const std::string &path, bool createFolder) {
  if (isStandardOutput(path))
    return {};
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return makeError(fmt::format("cannot write {}: it is a folder; give a file with -o", path));
  if (exists && !S_ISREG(status.st_mode)) // a device or a pipe
    return {};
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty())
    folder = ".";
  std::error_code error;
  if (createFolder)
    std::filesystem::create_directories(folder, error);
  if (error)
    return makeError(fmt::format("cannot create {}: {}; give another file with -o", folder.string(),
                                 error.message()));
  std::string probe = (folder / ".qdadvise.XXXXXX").string();
  const int file = ::mkstemp(probe.data());
  if (file < 0)
    return makeError(
        fmt::format("cannot write {}: {}; give another file with -o", path, std::strerror(errno)));
  ::close(file);
  ::unlink(probe.c_str());
  return {};
}

TextStyle outputStyle(const std::string &outputPath) {
  TextStyle style;
  if (!isStandardOutput(outputPath))
    return style;
  const bool isTerminal = ::isatty(STDOUT_FILENO) == 1;
  const char *terminal = std::getenv("TERM");
  const bool isDumb = terminal && std::strcmp(terminal, "dumb") == 0;
  style.colour =
      !environmentHas("NO_COLOR") && (environmentHas("CLICOLOR_FORCE") || (isTerminal && !isDumb));
  winsize size = {};
  if (isTerminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
    size = {};
  // Tables need so much; longer lines are hard to read.
  style.width = screenSize("COLUMNS", size.ws_col, style.width, 60, 160);
  style.height = screenSize("LINES", size.ws_row, style.height, 10, 200);
  return style;
}

} // namespace qdadvise
