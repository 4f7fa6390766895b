// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "unittests/advisor/profile/SampleProfile.h"

namespace qdadvise::testing {

Moments momentsOf(const std::vector<double> &values) {
  Moments all;
  for (const double value : values)
    all.merge({1, value, 0, value, value});
  return all;
}

Moments constant(std::uint64_t count, double value) {
  return {count, count ? value : 0, 0, count ? value : 0, count ? value : 0};
}

void addToHistogram(Histogram &histogram, double value, std::uint64_t count) {
  std::uint32_t bucket = 0;
  while (Histogram::lowerBound(bucket + 1) <= value)
    ++bucket;
  if (count > 0)
    histogram.buckets[bucket] += count;
}

ProfileBuilder::ProfileBuilder() {
  profile.program = "kvtest";
  profile.host = "lab";
  profile.command = "kvtest --threads 1";
  profile.flags = format::runHooksXray | format::runThreaded;
  profile.pid = 4711;
  profile.startUnixNs = 1'790'000'000'000'000'000;
  profile.durationNs = 1e9;
  profile.ticksPerNs = 2.5;
  profile.timerNs = 9.5;
  profile.hookNs = 12.5;
  profile.maxThreads = 2;
  profile.threadsTotal = 2;
}

std::size_t ProfileBuilder::threads(const std::string &name, std::uint32_t count, bool isMain) {
  profile.threadClasses.push_back(
      {name, isMain ? "" : "src/server.cc", isMain ? 0u : 90u, count, count, isMain, 1e9, 0});
  return profile.threadClasses.size() - 1;
}

std::size_t ProfileBuilder::lockClass(const std::string &name, LockKind kind) {
  const auto line = static_cast<std::uint32_t>(10 + profile.lockClasses.size());
  profile.lockClasses.push_back(
      {name, "std::mutex", "src/db.h", line, 14, static_cast<std::uint32_t>(kind), {}});
  return profile.lockClasses.size() - 1;
}

void ProfileBuilder::lock(std::size_t lockClass, std::uint64_t address, std::uint64_t acquisitions,
                          double heldNs) {
  profile.locks.push_back({lockClass, address, acquisitions, 0, heldNs, 0});
}

std::size_t ProfileBuilder::site(const std::string &function, std::uint32_t line,
                                 const std::string &file) {
  ProfiledSite site;
  site.file = file;
  site.function = function;
  site.expression = "m";
  site.line = line;
  site.column = 5;
  site.sectionHash = 0x1234567890abcdefULL + line;
  profile.sites.push_back(site);
  return profile.sites.size() - 1;
}

std::size_t ProfileBuilder::section(std::size_t threads, std::size_t site, std::size_t lockClass,
                                    std::uint64_t acquisitions, double holdNs,
                                    std::optional<std::size_t> inside) {
  ProfiledSection section;
  section.threadClass = threads;
  section.site = site;
  section.lockClass = lockClass;
  section.inside = inside;
  section.acquisitions = acquisitions;
  section.hold = constant(acquisitions, holdNs);
  section.wait = constant(acquisitions, 10);
  addToHistogram(section.holdHistogram, holdNs, acquisitions);
  addToHistogram(section.waitHistogram, 10, acquisitions);
  profile.sections.push_back(section);
  profile.sites[site].executed += acquisitions;
  profile.events += 3 * acquisitions;
  return profile.sections.size() - 1;
}

void ProfileBuilder::transition(std::size_t threads, std::optional<std::size_t> from,
                                std::optional<std::size_t> to, std::uint64_t count, double localNs,
                                double blockedNs) {
  ProfiledTransition transition;
  transition.threadClass = threads;
  transition.from = from;
  transition.to = to;
  transition.local = constant(count, localNs);
  transition.blocked = constant(count, blockedNs);
  addToHistogram(transition.localHistogram, localNs, count);
  profile.transitions.push_back(transition);
}

Profile sampleProfile() {
  ProfileBuilder b;
  const std::size_t main = b.threads("main", 1, true);
  const std::size_t worker = b.threads("serve(int)", 1);
  const std::size_t db = b.lockClass("Db::m", LockKind::pthreadMutex);
  const std::size_t log = b.lockClass("Log::m", LockKind::pthreadSpin);
  b.lock(db, 0x1000, 1001, 472900);
  b.lock(log, 0x2000, 400, 8e3);
  const std::size_t get = b.site("Db::get(int) const", 42);
  const std::size_t put = b.site("Db::put(int, int)", 57);
  const std::size_t add = b.site("Log::add(const char *)", 12, "src/log.cc");
  const std::size_t drop = b.site("Db::drop()", 77);
  b.profile.sites[drop].executed = 0;
  const std::size_t opening = b.section(main, put, db, 1, 900);
  const std::size_t reading = b.section(worker, get, db, 800, 400);
  const std::size_t writing = b.section(worker, put, db, 200, 700);
  b.section(worker, add, log, 400, 20, writing);
  b.transition(main, std::nullopt, opening, 1, 5e6);
  b.transition(main, opening, std::nullopt, 1, 1e6, 9e8);
  b.transition(worker, std::nullopt, reading, 1, 2e6);
  b.transition(worker, reading, reading, 599, 3000);
  b.transition(worker, reading, writing, 200, 2000);
  b.transition(worker, writing, reading, 200, 1000);
  b.transition(worker, reading, std::nullopt, 1, 4e6);
  b.profile.windows.push_back({0, 5e8, {{reading, 400, 1.6e5, 4e3}}, {{worker, 1, 1e6, 0}}});
  b.profile.windows.push_back({5e8, 5e8, {{reading, 400, 1.6e5, 4e3}}, {{worker, 1, 1e6, 0}}});
  return b.profile;
}

} // namespace qdadvise::testing
