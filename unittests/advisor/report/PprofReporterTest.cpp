// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is written is read again by a decoder that knows nothing of the writer.

#include "advisor/report/PprofReporter.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <zlib.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

std::uint64_t littleEndian(const std::string &bytes, std::size_t at, unsigned size) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes.at(at + i))} << 8 * i;
  return value;
}

/// Of a gzip file whose deflate blocks are all stored.
std::string unzipped(const std::string &file) {
  EXPECT_EQ(file.substr(0, 4), std::string("\x1f\x8b\x08\0", 4));
  std::string text;
  std::size_t at = 10;
  for (bool last = false; !last;) {
    last = file.at(at) == 1;
    const std::uint64_t size = littleEndian(file, at + 1, 2);
    EXPECT_EQ(size ^ littleEndian(file, at + 3, 2), 0xffffu);
    text.append(file, at + 5, size);
    at += 5 + size;
  }
  EXPECT_EQ(littleEndian(file, at, 4),
            crc32(0, reinterpret_cast<const Bytef *>(text.data()), static_cast<uInt>(text.size())));
  EXPECT_EQ(littleEndian(file, at + 4, 4), text.size());
  EXPECT_EQ(file.size(), at + 8);
  return text;
}

struct Message {
  std::multimap<unsigned, std::uint64_t> numbers;
  std::multimap<unsigned, std::string> bytes;

  std::uint64_t number(unsigned field) const {
    const auto at = numbers.find(field);
    return at == numbers.end() ? 0 : at->second;
  }
  std::vector<Message> messages(unsigned field) const;
  Message message(unsigned field) const { return messages(field).at(0); }
  std::vector<std::uint64_t> list(unsigned field) const;
};

std::uint64_t varint(const std::string &text, std::size_t &at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(text.at(at++));
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80)
      return value;
  }
}

Message decoded(const std::string &text) {
  Message message;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint64_t tag = varint(text, at);
    const auto field = static_cast<unsigned>(tag >> 3);
    if ((tag & 7) == 0) {
      message.numbers.emplace(field, varint(text, at));
      continue;
    }
    EXPECT_EQ(tag & 7, 2u);
    const std::uint64_t size = varint(text, at);
    EXPECT_LE(at + size, text.size());
    message.bytes.emplace(field, text.substr(at, size));
    at += size;
  }
  return message;
}

std::vector<Message> Message::messages(unsigned field) const {
  std::vector<Message> result;
  for (auto [at, end] = bytes.equal_range(field); at != end; ++at)
    result.push_back(decoded(at->second));
  return result;
}

std::vector<std::uint64_t> Message::list(unsigned field) const {
  std::vector<std::uint64_t> result;
  const std::string &text = bytes.find(field)->second;
  for (std::size_t at = 0; at < text.size();)
    result.push_back(varint(text, at));
  return result;
}

/// A profile.proto, by the numbers of its fields.
class Pprof {
public:
  explicit Pprof(const Profile &profile) : Pprof(profile, summarize(profile)) {}
  Pprof(const Profile &profile, const ProfileSummary &summary)
      : root(decoded(unzipped(profilePprof(profile, summary)))) {
    for (auto [at, end] = root.bytes.equal_range(6); at != end; ++at)
      strings.push_back(at->second);
  }

  std::string text(std::uint64_t index) const { return strings.at(index); }

  std::vector<std::string> sampleTypes() const {
    std::vector<std::string> types;
    for (const Message &type : root.messages(1))
      types.push_back(text(type.number(1)) + "/" + text(type.number(2)));
    return types;
  }

  /// `file:line function` of each of a sample's places, the innermost first.
  std::vector<std::string> stackOf(const Message &sample) const {
    std::vector<std::string> stack;
    for (const std::uint64_t location : sample.list(1))
      stack.push_back(placeOf(location));
    return stack;
  }
  /// Of the innermost.
  std::string placeOf(const Message &sample) const { return placeOf(sample.list(1).at(0)); }

  std::string placeOf(std::uint64_t wanted) const {
    for (const Message &location : root.messages(4))
      if (location.number(1) == wanted) {
        const Message line = location.message(4);
        for (const Message &function : root.messages(5))
          if (function.number(1) == line.number(1))
            return text(function.number(4)) + ":" + std::to_string(line.number(2)) + " " +
                   text(function.number(2));
      }
    return "nowhere";
  }

  std::map<std::string, std::string> labelsOf(const Message &sample) const {
    std::map<std::string, std::string> labels;
    for (const Message &label : sample.messages(3))
      labels[text(label.number(1))] = text(label.number(2));
    return labels;
  }

  Message root;
  std::vector<std::string> strings;
};

Profile contended() {
  Profile profile = sampleProfile();
  profile.sections[1].contended = 90; // Db::get
  profile.sections[1].waitContended = constant(90, 2000.25);
  profile.sections[3].contended = 3; // Log::add
  profile.sections[3].waitContended = constant(3, 7e9);
  return profile;
}

} // namespace

TEST(Pprof, HasTheSampleTypesOfGosMutexProfile) {
  const Pprof pprof(contended());
  EXPECT_EQ(pprof.strings.at(0), "");
  EXPECT_THAT(pprof.sampleTypes(), ElementsAre("contentions/count", "delay/nanoseconds"));
  EXPECT_EQ(pprof.text(pprof.root.number(14)), "delay");
  EXPECT_EQ(pprof.root.number(9), 1'790'000'000'000'000'000u);
  EXPECT_EQ(pprof.root.number(10), 1'000'000'000u);
  EXPECT_EQ(pprof.text(pprof.root.message(3).number(5)), "kvtest");
}

TEST(Pprof, HasASampleForEachSiteWhereAnybodyWaited) {
  const Pprof pprof(contended());
  const std::vector<Message> samples = pprof.root.messages(2);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(pprof.placeOf(samples[0]), "src/db.cc:42 Db::get(int) const");
  EXPECT_THAT(samples[0].list(2), ElementsAre(90u, 180023u));
  const std::map<std::string, std::string> labels{
      {"lock", "Db::m"}, {"kind", "pthread_mutex"}, {"mode", "exclusive"}};
  EXPECT_EQ(pprof.labelsOf(samples[0]), labels);
  EXPECT_EQ(pprof.placeOf(samples[1]), "src/log.cc:12 Log::add(const char *)");
  EXPECT_THAT(samples[1].list(2), ElementsAre(3u, 21'000'000'000u));
  EXPECT_THAT(Pprof(sampleProfile()).root.messages(2), IsEmpty());
}

TEST(Pprof, SharesAFunctionBetweenItsSites) {
  Profile profile = contended();
  profile.sites[1] = profile.sites[0];
  profile.sites[1].line = 43;
  profile.sections[2].contended = 1;
  const Pprof pprof(profile);
  EXPECT_EQ(pprof.root.messages(2).size(), 3u);
  EXPECT_EQ(pprof.root.messages(5).size(), 2u);
}

TEST(Pprof, HasASampleForEachCallPath) {
  const Profile profile = contended();
  ProfileSummary summary = summarize(profile);
  PathSummary known, others;
  known.frames = {{{"/bin/kvtest", 0x1000}, "", "", 0, true},
                  {{}, "answer(int)", "src/server.cc", 12, false},
                  {{"/bin/kvtest", 0x1234}, "", "", 0, false}};
  known.measured.contended = 80;
  known.measured.waitContended = constant(80, 2000);
  others.measured.contended = 10;
  others.measured.waitContended = constant(10, 3000);
  summary.locks[0].sites[0].paths = {known, others};
  const Pprof pprof(profile, summary);
  const std::vector<Message> samples = pprof.root.messages(2);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_THAT(pprof.stackOf(samples[0]),
              ElementsAre("src/db.cc:42 Db::get(int) const", "src/server.cc:12 answer(int)",
                          ":0 kvtest+0x1234"));
  EXPECT_THAT(samples[0].list(2), ElementsAre(80u, 160'000u));
  EXPECT_THAT(pprof.stackOf(samples[1]), ElementsAre("src/db.cc:42 Db::get(int) const"));
  EXPECT_THAT(samples[1].list(2), ElementsAre(10u, 30'000u));
  EXPECT_EQ(pprof.labelsOf(samples[0]), pprof.labelsOf(samples[1]));
}

TEST(Pprof, CountsWhereNoTimesWereTaken) {
  Profile profile = contended();
  profile.flags |= format::runCountersOnly;
  const Pprof pprof(profile);
  EXPECT_THAT(pprof.sampleTypes(), ElementsAre("contentions/count"));
  EXPECT_EQ(pprof.text(pprof.root.number(14)), "contentions");
  EXPECT_THAT(pprof.root.messages(2).at(0).list(2), ElementsAre(90u));
}

TEST(Pprof, IsStoredInAsManyBlocksAsItNeeds) {
  Profile profile = contended();
  profile.sites[0].function = std::string(200'000, 'f');
  const Pprof pprof(profile);
  EXPECT_EQ(pprof.placeOf(pprof.root.messages(2).at(0)).size(), 200'000 + sizeof("src/db.cc:42"));
}
