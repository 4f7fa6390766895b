// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/PprofReporter.h"

#include "advisor/profile/Names.h"
#include "runtime/abi/profile_format.h"

#include <cmath>
#include <map>
#include <protozero/pbf_builder.hpp>
#include <string_view>
#include <vector>
#include <zlib.h>

namespace qdadvise {
namespace {

/// The numbers of the fields, as profile.proto has them.
namespace field {
enum class Profile : protozero::pbf_tag_type {
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
enum class ValueType : protozero::pbf_tag_type { type = 1, unit = 2 };
enum class Sample : protozero::pbf_tag_type { locationId = 1, value = 2, label = 3 };
enum class Label : protozero::pbf_tag_type { key = 1, str = 2 };
enum class Mapping : protozero::pbf_tag_type {
  id = 1,
  filename = 5,
  hasFunctions = 7,
  hasFilenames = 8,
  hasLineNumbers = 9
};
enum class Location : protozero::pbf_tag_type { id = 1, mappingId = 2, line = 4 };
enum class Line : protozero::pbf_tag_type { functionId = 1, line = 2 };
enum class Function : protozero::pbf_tag_type { id = 1, name = 2, systemName = 3, filename = 4 };
} // namespace field

template <typename Field> using Message = protozero::pbf_builder<Field>;

class PprofWriter {
public:
  explicit PprofWriter(const Profile &run)
      : run(run), timed((run.flags & format::runCountersOnly) == 0) {
    string("");
    addValueType(field::Profile::sampleType, "contentions", "count");
    if (timed)
      addValueType(field::Profile::sampleType, "delay", "nanoseconds");
    Message<field::Mapping> mapping(profile, field::Profile::mapping);
    mapping.add_uint64(field::Mapping::id, 1);
    mapping.add_uint64(field::Mapping::filename, string(run.program));
    mapping.add_bool(field::Mapping::hasFunctions, true);
    mapping.add_bool(field::Mapping::hasFilenames, true);
    mapping.add_bool(field::Mapping::hasLineNumbers, true);
  }

  void add(const LockSummary &lock, const SiteSummary &site) {
    if (site.paths.empty())
      addSample(lock, site, site.measured, {});
    for (const PathSummary &path : site.paths)
      addSample(lock, site, path.measured, path.frames);
  }

  std::string finish() {
    profile.add_uint64(field::Profile::timeNanos, run.startUnixNs);
    profile.add_uint64(field::Profile::durationNanos,
                       static_cast<std::uint64_t>(std::llround(run.durationNs)));
    addValueType(field::Profile::periodType, "contentions", "count");
    profile.add_uint64(field::Profile::period, 1);
    profile.add_uint64(field::Profile::defaultSampleType, string(timed ? "delay" : "contentions"));
    std::vector<std::string_view> table(strings.size());
    for (const auto &[text, index] : strings)
      table[index] = text;
    for (const std::string_view text : table)
      profile.add_bytes(field::Profile::stringTable, text.data(), text.size());
    return std::move(encoded);
  }

private:
  void addSample(const LockSummary &lock, const SiteSummary &site, const Measured &measured,
                 const std::vector<CallFrame> &callers) {
    if (measured.contended == 0)
      return;
    const ProfiledSite &leaf = run.sites[site.site];
    std::vector<std::uint64_t> stack{
        locationOf(leaf.function.empty() ? leaf.expression : leaf.function, leaf.file, leaf.line)};
    for (const CallFrame &caller : callers)
      if (!caller.own)
        stack.push_back(locationOf(nameOfFrame(caller), caller.file, caller.line));
    std::vector<std::uint64_t> values{measured.contended};
    if (timed)
      values.push_back(static_cast<std::uint64_t>(std::llround(measured.waitContended.sum())));
    Message<field::Sample> sample(profile, field::Profile::sample);
    sample.add_packed_uint64(field::Sample::locationId, stack.begin(), stack.end());
    sample.add_packed_uint64(field::Sample::value, values.begin(), values.end());
    addLabel(sample, "lock", lock.name);
    addLabel(sample, "kind", nameOf(lock.kind));
    addLabel(sample, "mode", site.shared ? "shared" : "exclusive");
  }

  std::uint64_t string(const std::string &text) {
    return strings.try_emplace(text, strings.size()).first->second;
  }

  void addValueType(field::Profile as, const char *type, const char *unit) {
    Message<field::ValueType> message(profile, as);
    message.add_uint64(field::ValueType::type, string(type));
    message.add_uint64(field::ValueType::unit, string(unit));
  }

  void addLabel(Message<field::Sample> &sample, const char *key, const std::string &value) {
    Message<field::Label> label(sample, field::Sample::label);
    label.add_uint64(field::Label::key, string(key));
    label.add_uint64(field::Label::str, string(value));
  }

  std::uint64_t functionOf(const std::string &name, const std::string &file) {
    const auto [at, isNew] =
        functions.try_emplace({string(name), string(file)}, functions.size() + 1);
    if (isNew) {
      Message<field::Function> function(profile, field::Profile::function);
      function.add_uint64(field::Function::id, at->second);
      function.add_uint64(field::Function::name, at->first.first);
      function.add_uint64(field::Function::systemName, at->first.first);
      function.add_uint64(field::Function::filename, at->first.second);
    }
    return at->second;
  }

  std::uint64_t locationOf(const std::string &name, const std::string &file, std::uint32_t line) {
    const auto [at, isNew] =
        locations.try_emplace({functionOf(name, file), line}, locations.size() + 1);
    if (isNew) {
      Message<field::Location> location(profile, field::Profile::location);
      location.add_uint64(field::Location::id, at->second);
      location.add_uint64(field::Location::mappingId, 1);
      Message<field::Line> place(location, field::Location::line);
      place.add_uint64(field::Line::functionId, at->first.first);
      place.add_uint64(field::Line::line, line);
    }
    return at->second;
  }

  const Profile &run;
  const bool timed;
  std::string encoded;
  Message<field::Profile> profile{encoded};
  std::map<std::string, std::uint64_t> strings;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> functions; ///< name, file
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> locations; ///< function, line
};

/// In gzip's frame, but not compressed: reports are small, and their bytes do not depend on zlib's
/// version.
std::string gzipped(const std::string &text) {
  z_stream stream = {};
  constexpr int gzipFrame = 16 + MAX_WBITS;
  constexpr int defaultMemory = 8;
  if (deflateInit2(&stream, Z_NO_COMPRESSION, Z_DEFLATED, gzipFrame, defaultMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc(); // the only way in which it can fail
  std::string file(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef *>(file.data());
  stream.avail_out = static_cast<uInt>(file.size());
  deflate(&stream, Z_FINISH);
  file.resize(stream.total_out);
  deflateEnd(&stream);
  return file;
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
