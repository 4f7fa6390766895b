// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an object file says of its sites: constants of `SiteRecord` in the section
// `qdadvise_sites`, and the constructor that hands the section to the runtime.
#pragma once

#include "runtime/abi/site_record.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace qdadvise {

/// The contents of one record.
struct SiteDescription {
  SiteRole role = SiteRole::acquire;
  LockKind kind = LockKind::unknown;
  std::uint32_t flags = 0;
  std::uint32_t line = 0, column = 0, ordinal = 0;
  std::uint32_t declLine = 0, declColumn = 0;
  std::uint64_t sectionHash = 0;
  SectionFactBits facts = 0;
  std::string file, function, expression, lockName, lockType, declFile;
};

/// A site of this module while its hooks are inserted.
struct Site {
  SiteDescription description;
  std::uint64_t hash = 0; ///< the same in every translation unit that has the site
  llvm::GlobalVariable *record = nullptr;
  std::array<llvm::Constant *, instantCount> thunks{};
};

/// The word in which an executable or shared object keeps whether its hooks call the runtime.
llvm::Constant *hooksOn(llvm::Module &module);

/// The records of one module.
class SiteRecords {
public:
  /// `commonFlags` are those that all sites of the module have.
  SiteRecords(llvm::Module &owner, std::uint32_t commonFlags) : module(owner), flags(commonFlags) {}

  /// The site of a key, made of `describe()` where it is new. Equal keys are one
  /// site, across translation units too: their records are merged by the linker.
  template <class Describe> Site &site(llvm::StringRef key, Describe describe) {
    std::unique_ptr<Site> &found = sites[key.str()];
    if (!found)
      found = declare(key, describe());
    return *found;
  }

  /// Writes the records, now that the thunks are known, keeps them alive and
  /// registers them, and the sleds of `hooks=patch` with them. Returns whether there are any.
  bool finish(bool hasSleds);

private:
  std::unique_ptr<Site> declare(llvm::StringRef key, SiteDescription description);
  llvm::Constant *string(const std::string &text);
  llvm::Constant *contents(const Site &site);
  llvm::StructType *recordType();

  llvm::Module &module;
  std::uint32_t flags; ///< SiteFlags of all sites
  std::map<std::string, std::unique_ptr<Site>> sites;
  std::map<std::string, llvm::Constant *> strings;
};

} // namespace qdadvise
