// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles with one thing wrong in them, and what is said of each.
#include "advisor/profile/format/Encode.h"
#include "runtime/abi/site_record.h"
#include "unittests/advisor/profile/ProfileBytes.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::HasSubstr;

namespace {

struct Damage {
  const char *message;
  std::function<void(std::string &)> make;
};

class MalformedProfile : public ::testing::TestWithParam<Damage> {};

const Damage damages[] = {
    {"a directory of 4294967295 tables",
     [](std::string &b) {
       reinterpret_cast<format::FileHeader *>(b.data())->tableCount = 0xffffffffu;
     }},
    {"more than the file holds",
     [](std::string &b) { entryOf(b, format::Table::sites).count = 1ull << 60; }},
    {"more than the file holds",
     [](std::string &b) { entryOf(b, format::Table::sites).recordSize = 0; }},
    {"counts of sites alone, which were dropped",
     [](std::string &b) {
       recordOf<format::RunRecord>(b, format::Table::run, 0).flags |= format::runSitesOnly;
     }},
    {"table 3 begins at byte",
     [](std::string &b) { entryOf(b, format::Table::sites).offset = 1ull << 62; }},
    {"table 3 begins at byte",
     [](std::string &b) { entryOf(b, format::Table::sites).offset += 4; }},
    {"has records of 8 bytes instead of",
     [](std::string &b) { entryOf(b, format::Table::sites).recordSize = 8; }},
    {"table 4 is there twice",
     [](std::string &b) { entryOf(b, format::Table::sites).table = format::Table::lockClasses; }},
    {"its strings are missing or do not end",
     [](std::string &b) { entryOf(b, format::Table::strings).count = 0; }},
    {"its strings are missing or do not end",
     [](std::string &b) {
       format::TableEntry &strings = entryOf(b, format::Table::strings);
       b[strings.offset + strings.count - 1] = 'x';
     }},
    {"it describes 0 runs", [](std::string &b) { entryOf(b, format::Table::run).count = 0; }},
    {"a string begins at byte 99999",
     [](std::string &b) { recordOf<format::SiteEntry>(b, format::Table::sites, 0).file = 99999; }},
    {"lock 1 names lock class 9 of 2",
     [](std::string &b) { recordOf<format::LockEntry>(b, format::Table::locks, 1).lockClass = 9; }},
    {"section 2 names site 4294967295 of 4",
     [](std::string &b) {
       recordOf<format::SectionEntry>(b, format::Table::sections, 2).site = format::none;
     }},
    {"section 2 names thread class 5 of 2",
     [](std::string &b) {
       recordOf<format::SectionEntry>(b, format::Table::sections, 2).threadClass = 5;
     }},
    {"section 2 names lock class 8 of 2",
     [](std::string &b) {
       recordOf<format::SectionEntry>(b, format::Table::sections, 2).lockClass = 8;
     }},
    {"section 3 names outer section 44 of 4",
     [](std::string &b) {
       recordOf<format::SectionEntry>(b, format::Table::sections, 3).inside = 44;
     }},
    {"is inside itself",
     [](std::string &b) {
       recordOf<format::SectionEntry>(b, format::Table::sections, 2).inside = 3;
     }},
    {"section 3 is inside one of another thread class",
     [](std::string &b) {
       recordOf<format::SectionEntry>(b, format::Table::sections, 3).inside = 0;
     }},
    {"section 1 has a time that is not a number",
     [](std::string &b) {
       recordOf<format::SectionEntry>(b, format::Table::sections, 1).hold.mean = std::nan("");
     }},
    {"transition 3 names section 7 of 4",
     [](std::string &b) {
       recordOf<format::TransitionEntry>(b, format::Table::transitions, 3).to = 7;
     }},
    {"transition 3 names a section of another thread class",
     [](std::string &b) {
       recordOf<format::TransitionEntry>(b, format::Table::transitions, 3).to = 0;
     }},
    {"bucket 0 belongs to nothing",
     [](std::string &b) { recordOf<format::BucketEntry>(b, format::Table::buckets, 0).of = 3; }},
    {"bucket 0 belongs to nothing",
     [](std::string &b) {
       recordOf<format::BucketEntry>(b, format::Table::buckets, 0).index = 1000;
     }},
    {"bucket 0 names interval 5000",
     [](std::string &b) {
       recordOf<format::BucketEntry>(b, format::Table::buckets, 0).bucket = 5000;
     }},
    {"window's section 1 names window 2 of 2",
     [](std::string &b) {
       recordOf<format::WindowSectionEntry>(b, format::Table::windowSections, 1).window = 2;
     }},
    {"window's thread class 0 names thread class 2 of 2",
     [](std::string &b) {
       recordOf<format::WindowThreadEntry>(b, format::Table::windowThreads, 0).threadClass = 2;
     }},
    {"takers 0 names lock class 3 of 2",
     [](std::string &b) {
       recordOf<format::TakersEntry>(b, format::Table::takers, 0).lockClass = 3;
     }},
    {"takers 0 names thread class 2 of 2",
     [](std::string &b) {
       recordOf<format::TakersEntry>(b, format::Table::takers, 0).threadClass = 2;
     }},
    {"takers 0: 5 of 4 threads with locks of their own",
     [](std::string &b) { recordOf<format::TakersEntry>(b, format::Table::takers, 0).owners = 5; }},
    {"takers 0: 3 of 4 threads with locks of their own, 1001 of 1000",
     [](std::string &b) {
       recordOf<format::TakersEntry>(b, format::Table::takers, 0).ofOwned = 1001;
     }},
    {"takers 0 counts up to an absurd number",
     [](std::string &b) {
       recordOf<format::TakersEntry>(b, format::Table::takers, 0).acquisitions = ~0ull;
     }},
    {"takers 0 has a time that is not a number",
     [](std::string &b) {
       recordOf<format::TakersEntry>(b, format::Table::takers, 0).heldNs = std::nan("");
     }},
    {"unseen locks 0 counts up to an absurd number",
     [](std::string &b) {
       recordOf<format::UnseenEntry>(b, format::Table::unseen, 0).acquisitions = ~0ull;
     }},
    {"a string begins at byte 99999",
     [](std::string &b) {
       recordOf<format::UnseenEntry>(b, format::Table::unseen, 0).module = 99999;
     }},
    {"has records of 8 bytes instead of",
     [](std::string &b) { entryOf(b, format::Table::unseen).recordSize = 8; }},
    {"has records of 16 bytes instead of 32",
     [](std::string &b) { entryOf(b, format::Table::copies).recordSize = 16; }},
    {"a string begins at byte 99999",
     [](std::string &b) {
       recordOf<format::CopiesEntry>(b, format::Table::copies, 0).cpu = 99999;
     }},
    {"copies 0: 1 copies at once on 4 processors",
     [](std::string &b) { recordOf<format::CopiesEntry>(b, format::Table::copies, 0).copies = 1; }},
    {"copies 1: 5 copies at once on 4 processors",
     [](std::string &b) { recordOf<format::CopiesEntry>(b, format::Table::copies, 1).copies = 5; }},
    {"copies 0 took 0 ns of processor time alone",
     [](std::string &b) {
       recordOf<format::CopiesEntry>(b, format::Table::copies, 0).aloneNs = 0;
     }},
    {"copies 1 took 1e+09 ns of processor time alone and -1 ns beside others",
     [](std::string &b) {
       recordOf<format::CopiesEntry>(b, format::Table::copies, 1).besideNs = -1;
     }},
    {"copies 0 took -1 ns of processor time alone and -1 ns beside others",
     [](std::string &b) {
       auto &round = recordOf<format::CopiesEntry>(b, format::Table::copies, 0);
       round.aloneNs = round.besideNs = -1;
     }},
    {"copies 1 took 1e-300 ns",
     [](std::string &b) {
       recordOf<format::CopiesEntry>(b, format::Table::copies, 1).aloneNs = 1e-300;
     }},
    {"copies 1 has a time that is not a number",
     [](std::string &b) {
       recordOf<format::CopiesEntry>(b, format::Table::copies, 1).besideNs = std::nan("");
     }},
    {"copies 0 has a time that is not a number",
     [](std::string &b) {
       recordOf<format::CopiesEntry>(b, format::Table::copies, 0).besideNs = HUGE_VAL;
     }},
};

} // namespace

TEST_P(MalformedProfile, IsRefusedWithWhatIsWrong) {
  Profile profile = sampleProfile();
  profile.takers = {{0, 1, 4, 3, 1000, 990, 5e6, 4e6}};
  profile.unseen = {{"/lib/libother.so", 5}};
  profile.copies = {{"a processor", 4, 2, 1e9, 1.2e9}, {"a processor", 4, 4, 1e9, 1.5e9}};
  std::string bytes = encodeProfile(profile);
  GetParam().make(bytes);
  const std::string error = errorOf(sealed(bytes));
  EXPECT_THAT(error, HasSubstr(GetParam().message));
  EXPECT_THAT(error, HasSubstr("malformed profile"));
  EXPECT_THAT(error, HasSubstr("record again"));
}

INSTANTIATE_TEST_SUITE_P(Decode, MalformedProfile, ::testing::ValuesIn(damages));
