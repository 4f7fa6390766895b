// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer over everything that happens to a profile's bytes. The checksum is made
// right first, or no input would get past it.

#include "advisor/machine/BundledMachines.h"
#include "advisor/network/construction/Construction.h"
#include "advisor/profile/format/Container.h"
#include "advisor/profile/format/Decode.h"
#include "advisor/profile/format/Encode.h"
#include "advisor/profile/merge/Merge.h"
#include "advisor/profile/summary/CallPaths.h"
#include "advisor/report/JsonReporter.h"
#include "advisor/report/PprofReporter.h"
#include "advisor/report/ProfileJson.h"
#include "advisor/report/ProfileText.h"
#include "advisor/report/findings/FindingsJson.h"
#include "advisor/report/findings/FindingsText.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <algorithm>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t maxSize);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t maxSize, unsigned int seed);

using namespace qdadvise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  if (bytes.size() >= sizeof(format::FileHeader)) {
    format::FileHeader header = {};
    std::memcpy(&header, bytes.data(), sizeof(header));
    header.fileSize = bytes.size();
    header.crc = checksumOf(bytes);
    std::memcpy(bytes.data(), &header, sizeof(header));
  }
  const Expected<Profile> profile = decodeProfile(bytes, "fuzz");
  if (!profile)
    return 0;
  const Profile pathless = withoutPaths(*profile);
  ProfileSummary paths = summarize(pathless);
  addPaths(paths, pathless, *profile);
  profileReportText(pathless, paths, ReportView(), TextStyle());
  printJson(profileReportJson(pathless, paths));
  profilePprof(pathless, paths);
  const ProfileSummary summary = summarize(*profile);
  for (const ReportView &view : {ReportView(), ReportView{true, true, 3}})
    profileReportText(*profile, summary, view, TextStyle());
  nlohmann::ordered_json document = profileReportJson(*profile, summary);
  const std::vector<Finding> findings = findingsOf(*profile, summary, {});
  findingsText(findings, *profile, TextStyle());
  addFindingsJson(document, findings, *profile, summary, {});
  printJson(document);
  constructNetwork(*profile, genericMachine());
  if (const Expected<Profile> twice = mergeProfiles({*profile, *profile}))
    encodeProfile(*twice);
  return 0;
}

/// Starts from the sample profile, so that a run of few steps gets past the header.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t maxSize, unsigned int) {
  if (size < sizeof(format::FileHeader)) {
    Profile profile = testing::sampleProfile();
    profile.sites.back().caller = {"/usr/bin/kvtest", 0x1234};
    profile.sites.front().path = {{{"/usr/bin/kvtest", 0x2345}, "", "", 0, true},
                                  {{}, "main", "main.cc", 7, false}};
    profile.closedLocks.push_back({0, 1, 1000, 2500, 3, 4e5, 1e4});
    profile.takers = {{0, 1, 4, 4, 1000, 1000, 5e6, 5e6}, {0, std::nullopt, 1, 0, 7, 0, 10, 0}};
    profile.copies = {{"a processor", 4, 2, 1e9, 1.2e9}, {"a processor", 4, 4, 1e9, 1.5e9}};
    const std::string sample = encodeProfile(profile);
    if (sample.size() > maxSize)
      return LLVMFuzzerMutate(data, size, maxSize);
    std::memcpy(data, sample.data(), sample.size());
    size = sample.size();
  }
  return LLVMFuzzerMutate(data, size, maxSize);
}
