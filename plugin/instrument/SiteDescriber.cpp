// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/instrument/SiteDescriber.h"

#include "plugin/instrument/UserCall.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/Support/Path.h"

#include <utility>

using llvm::CallBase;
using llvm::StringRef;

namespace qdadvise {
namespace {

/// The path of a debug location's file, spelled in one way whatever folder the compiler was
/// started in.
std::string normalizedPath(const llvm::DIFile *file) {
  llvm::SmallString<256> path;
  if (!llvm::sys::path::is_absolute(file->getFilename()))
    path = file->getDirectory();
  llvm::sys::path::append(path, file->getFilename());
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

const llvm::DIFile *fileOf(const CallBase &call) {
  if (const llvm::DebugLoc &location = call.getDebugLoc())
    return location->getFile();
  if (const llvm::DISubprogram *function = call.getFunction()->getSubprogram())
    return function->getFile();
  return nullptr;
}

std::string fileName(const CallBase &call) {
  const llvm::DIFile *file = fileOf(call);
  llvm::SmallString<256> path(file ? file->getFilename()
                                   : StringRef(call.getModule()->getSourceFileName()));
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

/// Line and column of a call, 0 where there is none.
std::pair<unsigned, unsigned> placeOf(const CallBase &call) {
  const llvm::DebugLoc &location = call.getDebugLoc();
  return location ? std::pair(location.getLine(), location.getCol()) : std::pair(0U, 0U);
}

} // namespace

SiteDescription descriptionOf(const LockSite &known) {
  SiteDescription description;
  description.line = known.line;
  description.column = known.column;
  description.ordinal = known.ordinal;
  description.declLine = known.declLine;
  description.declColumn = known.declColumn;
  description.sectionHash = known.sectionHash;
  description.facts = known.facts;
  description.file = known.file;
  description.function = known.function;
  description.expression = known.expression;
  description.lockName = known.lockName;
  description.lockType = known.lockType;
  description.declFile = known.declFile;
  return description;
}

SiteDescriber::SiteDescriber(const LockTable &lockTable) : table(lockTable) {
  for (const LockSite &site : table.sites)
    functionNames.try_emplace(site.inFunction, site.function);
}

std::string SiteDescriber::keyOf(const OperationCall &found, unsigned lockIndex) {
  const CallBase &call = *found.call;
  const llvm::Function &function = *call.getFunction();
  const auto [line, column] = placeOf(call);
  // A function is known without its file only where the language makes its name unique.
  std::string key;
  if (const llvm::DIFile *file = fileOf(call); file && !function.hasLinkOnceODRLinkage())
    key = normalizedPath(file) + "|";
  key += mangledName(function).str() + "|" + found.callee.str();
  key += "|" + llvm::utostr(line) + ":" + llvm::utostr(column) + "|" + llvm::utostr(lockIndex);
  if (line == 0)
    key += "|" + llvm::utostr(unplaced[&function]++);
  return key;
}

SiteDescription SiteDescriber::describe(const OperationCall &found, unsigned lockIndex) const {
  // An operation that the standard library performs for the user is at the user's line.
  const CallBase &call = callByUser(*found.call);
  const LockOperation &operation = *found.operation;
  const auto [line, column] = placeOf(call);

  SiteDescription description;
  const StringRef function = mangledName(*call.getFunction());
  if (const LockSite *known = table.find(found.callee, function, line, column, lockIndex)) {
    description = descriptionOf(*known);
  } else {
    description.line = line;
    description.column = column;
    description.file = fileName(call);
    const auto named = functionNames.find(function);
    description.function =
        named != functionNames.end() ? named->second.str() : llvm::demangle(function);
    description.lockType = operation.lockType;
  }
  description.role = operation.role;
  description.kind = operation.kind;
  description.flags = operation.flags;
  if (const auto around = table.operations.find(function); around != table.operations.end()) {
    const SiteRole outer = around->second.role;
    if (description.role == SiteRole::release
            ? outer == SiteRole::release
            : takesLock(description.role) && takesLock(outer) && function != "main")
      description.flags |= siteInner;
  }
  return description;
}

} // namespace qdadvise
