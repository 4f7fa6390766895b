// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables as text, to compare two of them.
#pragma once

#include "runtime/tables/tables.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise::runtime {

/// Everything in the tables, every digit of it.
inline std::string describe(const Tables &tables) {
  std::ostringstream out;
  out << std::hexfloat;
  const auto sample = [&](const Sample &s) {
    out << ' ' << s.count << ' ' << s.origin << ' ' << s.sum << ' ' << s.squares << ' ' << s.min
        << ' ' << s.max << ';';
  };
  const auto histogram = [&](const auto &h) {
    h.forEach([&](std::uint32_t bucket, std::uint64_t n) { out << ' ' << bucket << ':' << n; });
  };
  for (std::uint32_t i = 0; i < tables.sections.size(); ++i) {
    const Section &section = tables.sections[i];
    out << "section " << section.key.site << ' ' << section.key.inside << ' '
        << section.acquisitions << ' ' << section.contended << ' ' << section.contendedByWriter
        << ' ' << section.tryFailures;
    sample(section.hold), sample(section.wait), sample(section.waitContended);
    sample(section.waitByWriter);
    histogram(section.holdHistogram), histogram(section.waitHistogram);
    for (const SectionWindow &window : section.windows)
      out << ' ' << window.acquisitions << ' ' << window.holdNs << ' ' << window.waitNs;
    out << '\n';
  }
  for (std::uint32_t i = 0; i < tables.transitions.size(); ++i) {
    const Transition &transition = tables.transitions[i];
    out << "transition " << transition.key.from << ' ' << transition.key.to;
    sample(transition.local), sample(transition.blocked ? *transition.blocked : Sample());
    histogram(transition.localHistogram);
    out << '\n';
  }
  std::vector<Lock> locks;
  tables.locks.forEach([&](const Lock &lock) { locks.push_back(lock); });
  std::sort(locks.begin(), locks.end(), [](const Lock &a, const Lock &b) {
    return std::pair(a.address, a.lockClass()) < std::pair(b.address, b.lockClass());
  });
  for (const Lock &lock : locks)
    out << "lock " << lock.address << ' ' << lock.acquisitions << ' ' << lock.contended << ' '
        << lock.heldNs << ' ' << lock.waitNs << '\n';
  for (std::uint32_t i = 0; i < tables.lockClassReaders.size(); ++i) {
    const Readers &readers = tables.lockClassReaders[i];
    out << "readers " << i << ' ' << readers.most << ' ' << readers.heldNs;
    sample(readers.busy);
    out << '\n';
  }
  for (std::uint32_t i = 0; i < tables.sites.size(); ++i)
    out << "site " << tables.sites[i].executed << ' ' << tables.sites[i].inside << ' '
        << tables.sites[i].tryFailures << '\n';
  for (const ThreadWindow &window : tables.threadClasses[0].windows)
    out << "window " << window.localNs << ' ' << window.blockedNs << '\n';
  out << tables.events << ' ' << tables.dropped << ' ' << tables.unmatched << '\n';
  return out.str();
}

} // namespace qdadvise::runtime
