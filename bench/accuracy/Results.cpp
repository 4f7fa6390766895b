// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/accuracy/Results.h"

#include <charconv>
#include <cmath>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sys/file.h>
#include <unistd.h>

namespace qdadvise::accuracy {

namespace {

constexpr const char *heading = "# qdadvise accuracy results, version 1\n";

std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool parse(const std::string &text, double &value) {
  const char *end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end && std::isfinite(value);
}

} // namespace

std::string printLine(std::uint64_t key, const std::string &name, const Simulated &simulated) {
  std::string line = fmt::format("{:016x}\t{}\t{:.9g}\t{:.4g}\t", key, name,
                                 simulated.throughputPerS.value, simulated.throughputPerS.half);
  for (std::size_t i = 0; i < simulated.locks.size(); ++i) {
    const Simulated::Lock &lock = simulated.locks[i];
    line += fmt::format("{}{:.9g} {:.4g} {:.9g}", i == 0 ? "" : ";", lock.waitNs.value,
                        lock.waitNs.half, lock.residenceNs);
  }
  return line;
}

bool parseLine(const std::string &line, std::uint64_t &key, Simulated &simulated) {
  const auto fields = split(line, '\t');
  if (fields.size() != 5 || fields[0].size() != 16)
    return false;
  const char *keyEnd = fields[0].data() + fields[0].size();
  const auto keyResult = std::from_chars(fields[0].data(), keyEnd, key, 16);
  if (keyResult.ec != std::errc() || keyResult.ptr != keyEnd)
    return false;
  simulated = {};
  if (!parse(fields[2], simulated.throughputPerS.value) ||
      !parse(fields[3], simulated.throughputPerS.half))
    return false;
  for (const std::string &part : split(fields[4], ';')) {
    const auto figures = split(part, ' ');
    Simulated::Lock lock;
    if (figures.size() != 3 || !parse(figures[0], lock.waitNs.value) ||
        !parse(figures[1], lock.waitNs.half) || !parse(figures[2], lock.residenceNs))
      return false;
    simulated.locks.push_back(lock);
  }
  return true;
}

Results::~Results() {
  if (file >= 0)
    ::close(file);
}

Expected<bool> Results::open(const std::string &path, bool append) {
  if (append) {
    file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0)
      return makeError(fmt::format("cannot write '{}'; is its folder there and writable?", path));
    if (::flock(file, LOCK_EX | LOCK_NB) != 0)
      return makeError(fmt::format("'{}' is in use; wait for that run or name another file", path));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in && !append)
    return true; // nothing is known yet
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (append && whole < text.size() && ::ftruncate(file, static_cast<off_t>(whole)) != 0)
    return makeError(fmt::format("cannot write '{}'", path));
  if (whole == 0) {
    if (append && ::write(file, heading, std::char_traits<char>::length(heading)) < 0)
      return makeError(fmt::format("cannot write '{}'", path));
    return true;
  }
  if (text.rfind(heading, 0) != 0)
    return makeError(
        fmt::format("{}:1:1: error: these are no accuracy results; name another file", path));
  std::size_t number = 1;
  for (std::size_t begin = text.find('\n') + 1; begin < whole;) {
    const std::size_t end = text.find('\n', begin);
    ++number;
    std::uint64_t key = 0;
    Simulated simulated;
    if (!parseLine(text.substr(begin, end - begin), key, simulated))
      return makeError(
          fmt::format("{}:{}:1: error: this line is damaged; remove it", path, number));
    known[key] = std::move(simulated);
    begin = end + 1;
  }
  return true;
}

const Simulated *Results::find(std::uint64_t key) const {
  const std::lock_guard lock(mutex);
  const auto found = known.find(key);
  return found == known.end() ? nullptr : &found->second;
}

bool Results::add(std::uint64_t key, const std::string &name, const Simulated &simulated) {
  std::string line = printLine(key, name, simulated);
  // Figures keep all digits, so that they are scored like figures that have just been simulated.
  Simulated written;
  parseLine(line, key, written);
  line += '\n';
  const std::lock_guard lock(mutex);
  known[key] = std::move(written);
  return file >= 0 && ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

} // namespace qdadvise::accuracy
