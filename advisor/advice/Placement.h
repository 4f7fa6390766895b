// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which advice belongs to which lock site of the code as it is now. Function,
// lock expression and ordinal identify a site, so that edits above it do not
// matter; the hash of the section tells of edits in it.
#pragma once

#include "advisor/advice/AdviceFile.h"

#include <cstddef>

namespace qdadvise {

/// What identifies a lock site of the source being compiled.
struct SiteIdentity {
  std::string file, function, expression;
  std::uint32_t ordinal = 0;
  std::uint64_t sectionHash = 0; ///< 0: not known, never stale
};

struct Placement {
  std::size_t advice = 0; ///< index into AdviceFile::advice
  std::size_t site = 0;   ///< index into the sites
  bool stale = false;     ///< the section has changed since the profile
};

struct Placements {
  std::vector<Placement> placed; ///< by site, then in the file's order
  /// Advice about a file of this translation unit that nothing but the place identifies:
  /// the profile knew the section by its caller's address. An edit above it moves it.
  std::vector<std::size_t> byPlace;
  /// Advice about a file of this translation unit that has no site any more.
  std::vector<std::size_t> gone;
};

/// `mainFile` and `headers` are the files of this translation unit. Advice about other
/// files is neither placed nor gone. In a header only a function that still takes locks
/// can have lost one: a template may simply not be instantiated here.
Placements placeAdvice(const AdviceFile &file, const std::vector<SiteIdentity> &sites,
                       const std::string &mainFile, const std::vector<std::string> &headers);

/// Whether both paths may name one file: one is the end of the other, `./` and leading
/// `../` apart (the compiler may have been started elsewhere when the profile was built).
bool sameFile(const std::string &a, const std::string &b);

} // namespace qdadvise
