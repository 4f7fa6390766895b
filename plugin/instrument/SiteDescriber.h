// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the records of a module's sites say. The AST's table knows most sites; the call in IR tells
// of the others.
#pragma once

#include "plugin/instrument/OperationCalls.h"
#include "plugin/instrument/SiteRecords.h"
#include "plugin/sites/LockTable.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace qdadvise {

/// The description of a site that the AST knows.
SiteDescription descriptionOf(const LockSite &known);

class SiteDescriber {
public:
  /// `lockTable` must outlive it.
  explicit SiteDescriber(const LockTable &lockTable);

  /// The key of one lock of a call: equal keys mean one site, in other translation units
  /// too. A call without a line is a new one each time.
  std::string keyOf(const OperationCall &found, unsigned lockIndex);

  SiteDescription describe(const OperationCall &found, unsigned lockIndex) const;

private:
  const LockTable &table;
  llvm::StringMap<llvm::StringRef> functionNames; ///< as people write them, by mangled name
  llvm::DenseMap<const llvm::Function *, unsigned> unplaced; ///< sites without a line, so far
};

} // namespace qdadvise
