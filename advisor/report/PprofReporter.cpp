// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of Protocol Buffers this needs three kinds of fields, and writes them itself: varints, bytes and
// packed lists (protobuf.dev/programming-guides/encoding). Of gzip (RFC 1952) it needs the frame:
// reports are small, and deflate (RFC 1951) may store.

#include "advisor/report/PprofReporter.h"

#include "advisor/profile/Crc32.h"
#include "advisor/profile/Names.h"
#include "runtime/abi/profile_format.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

namespace qdadvise {
namespace {

class Message {
public:
  void number(unsigned field, std::uint64_t value) {
    varint(field << 3 | 0);
    varint(value);
  }
  void bytes(unsigned field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    encoded += value;
  }
  void message(unsigned field, const Message &value) { bytes(field, value.encoded); }
  void numbers(unsigned field, const std::vector<std::uint64_t> &values) {
    Message list;
    for (const std::uint64_t value : values)
      list.varint(value);
    message(field, list);
  }
  const std::string &text() const { return encoded; }

private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      encoded += static_cast<char>(value | 0x80);
    encoded += static_cast<char>(value);
  }

  std::string encoded;
};

/// Numbers of fields, as profile.proto has them.
namespace field {
enum Profile : unsigned {
  sampleType = 1,
  sample = 2,
  mapping = 3,
  location = 4,
  function = 5,
  stringTable = 6,
  timeNanos = 9,
  durationNanos = 10,
  periodType = 11,
  period = 12,
  defaultSampleType = 14
};
enum ValueType : unsigned { type = 1, unit = 2 };
enum Sample : unsigned { locationId = 1, value = 2, label = 3 };
enum Label : unsigned { key = 1, str = 2 };
enum Mapping : unsigned {
  mappingId = 1,
  filename = 5,
  hasFunctions = 7
}; // 8, 9: file names, lines
enum Location : unsigned { id = 1, ofMapping = 2, line = 4 };
enum Line : unsigned { functionId = 1, lineNumber = 2 };
enum Function : unsigned { ofFunction = 1, name = 2, systemName = 3, functionFile = 4 };
} // namespace field

class PprofWriter {
public:
  explicit PprofWriter(const Profile &run)
      : run(run), timed((run.flags & format::runCountersOnly) == 0) {
    string("");
    profile.message(field::sampleType, valueType("contentions", "count"));
    if (timed)
      profile.message(field::sampleType, valueType("delay", "nanoseconds"));
    Message mapping;
    mapping.number(field::mappingId, 1);
    mapping.number(field::filename, string(run.program));
    for (unsigned known = 0; known < 3; ++known)
      mapping.number(field::hasFunctions + known, 1);
    profile.message(field::mapping, mapping);
  }

  void add(const LockSummary &lock, const SiteSummary &site) {
    if (site.paths.empty())
      addSample(lock, site, site.measured, {});
    for (const PathSummary &path : site.paths)
      addSample(lock, site, path.measured, path.frames);
  }

  std::string finish() {
    profile.number(field::timeNanos, run.startUnixNs);
    profile.number(field::durationNanos, static_cast<std::uint64_t>(std::llround(run.durationNs)));
    profile.message(field::periodType, valueType("contentions", "count"));
    profile.number(field::period, 1);
    profile.number(field::defaultSampleType, string(timed ? "delay" : "contentions"));
    std::vector<std::string_view> table(strings.size());
    for (const auto &[text, index] : strings)
      table[index] = text;
    for (const std::string_view text : table)
      profile.bytes(field::stringTable, text);
    return profile.text();
  }

private:
  void addSample(const LockSummary &lock, const SiteSummary &site, const Measured &measured,
                 const std::vector<CallFrame> &callers) {
    if (measured.contended == 0)
      return;
    const ProfiledSite &leaf = run.sites[site.site];
    Message sample;
    std::vector<std::uint64_t> stack{
        locationOf(leaf.function.empty() ? leaf.expression : leaf.function, leaf.file, leaf.line)};
    for (const CallFrame &caller : callers)
      if (!caller.own)
        stack.push_back(locationOf(nameOfFrame(caller), caller.file, caller.line));
    sample.numbers(field::locationId, stack);
    std::vector<std::uint64_t> values{measured.contended};
    if (timed)
      values.push_back(static_cast<std::uint64_t>(std::llround(measured.waitContended.sum())));
    sample.numbers(field::value, values);
    sample.message(field::label, label("lock", lock.name));
    sample.message(field::label, label("kind", lock.kind));
    sample.message(field::label, label("mode", site.shared ? "shared" : "exclusive"));
    profile.message(field::sample, sample);
  }

  std::uint64_t string(const std::string &text) {
    return strings.try_emplace(text, strings.size()).first->second;
  }

  Message valueType(const char *type, const char *unit) {
    Message message;
    message.number(field::type, string(type));
    message.number(field::unit, string(unit));
    return message;
  }

  Message label(const char *key, const std::string &value) {
    Message message;
    message.number(field::key, string(key));
    message.number(field::str, string(value));
    return message;
  }

  std::uint64_t functionOf(const std::string &name, const std::string &file) {
    const auto [at, isNew] =
        functions.try_emplace({string(name), string(file)}, functions.size() + 1);
    if (isNew) {
      Message function;
      function.number(field::ofFunction, at->second);
      function.number(field::name, at->first.first);
      function.number(field::systemName, at->first.first);
      function.number(field::functionFile, at->first.second);
      profile.message(field::function, function);
    }
    return at->second;
  }

  std::uint64_t locationOf(const std::string &name, const std::string &file, std::uint32_t line) {
    const auto [at, isNew] =
        locations.try_emplace({functionOf(name, file), line}, locations.size() + 1);
    if (isNew) {
      Message lines;
      lines.number(field::functionId, at->first.first);
      lines.number(field::lineNumber, line);
      Message location;
      location.number(field::id, at->second);
      location.number(field::ofMapping, 1);
      location.message(field::line, lines);
      profile.message(field::location, location);
    }
    return at->second;
  }

  const Profile &run;
  const bool timed;
  Message profile;
  std::map<std::string, std::uint64_t> strings;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> functions; ///< name, file
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> locations; ///< function, line
};

std::string littleEndian(std::size_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i)
    text += static_cast<char>(value >> 8 * i);
  return text;
}

std::string gzipped(const std::string &text) {
  constexpr std::size_t most = 0xffff;
  std::string file("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10); // deflate; no name, no time
  for (std::size_t at = 0, size; at < text.size(); at += size) {
    size = std::min(most, text.size() - at);
    const bool last = at + size == text.size();
    file += static_cast<char>(last);
    file += littleEndian(size, 2) + littleEndian(~size, 2);
    file.append(text, at, size);
  }
  return file + littleEndian(crc32(text), 4) + littleEndian(text.size(), 4);
}

} // namespace

std::string profilePprof(const Profile &profile, const ProfileSummary &summary) {
  PprofWriter writer(profile);
  for (const LockSummary &lock : summary.locks)
    for (const SiteSummary &site : lock.sites)
      writer.add(lock, site);
  return gzipped(writer.finish());
}

} // namespace qdadvise
