// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sites/LockTable.h"

#include "plugin/api/StandardLibrary.h"

#include "llvm/ADT/Twine.h"

namespace qdadvise {
namespace {

std::string siteKey(llvm::StringRef callee, unsigned line, unsigned column, unsigned lockIndex) {
  return (callee + ":" + llvm::Twine(line) + ":" + llvm::Twine(column) + ":" +
          llvm::Twine(lockIndex) + ":")
      .str();
}

/// Is it condition_variable(_any)::wait, wait_for or wait_until, as a template?
bool isWaitTemplateName(llvm::StringRef name) {
  return name.contains("4waitI") || name.contains("8wait_forI") || name.contains("10wait_untilI");
}

/// The standard's guards as they begin in mangled names: `11unique_lockI`.
const std::vector<std::string> &mangledGuards() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const llvm::StringRef guard : standardGuards())
      all.push_back((llvm::Twine(guard.size()) + guard + "I").str());
    return all;
  }();
  return names;
}

/// Is it a template that is given a guard, and neither a member of the guard nor a part
/// of std::lock and std::try_lock?
bool holdsGuard(llvm::StringRef name) {
  for (const llvm::StringRef part : {"lock_impl", "__try_to_lock", "_Unlock", "__unlock"})
    if (name.contains(part))
      return false;
  for (const llvm::StringRef guard : mangledGuards()) {
    const std::size_t at = name.find(guard);
    if (at != llvm::StringRef::npos && name.take_front(at).contains('I'))
      return true;
  }
  return false;
}

} // namespace

void LockTable::addOperation(llvm::ArrayRef<std::string> names, const LockOperation &operation) {
  for (const std::string &name : names) {
    operations[name] = operation;
    if (name != names.front())
      baseVariants[name] = names.front();
  }
}

bool LockTable::isLibraryName(llvm::StringRef name) {
  if (!name.consume_front("_Z"))
    return false;
  while (name.consume_front("Z")) // declared in another function
    continue;
  if (name.consume_front("N"))
    name = name.ltrim("rVKROH");
  if (name.consume_front("L")) { // internal linkage: the wrappers of libstdc++ around pthreads
    name = name.ltrim("0123456789");
    return name.starts_with("__gthr");
  }
  return name.starts_with("9__gnu_cxx") ||
         (name.size() > 1 && name[0] == 'S' && llvm::StringRef("tabsiod").contains(name[1]));
}

bool LockTable::isOpaque(llvm::StringRef mangledFunction) const {
  if (opaqueFunctions.contains(mangledFunction))
    return true;
  if (!isLibraryName(mangledFunction))
    return false;
  if (mangledFunction.contains("condition_variable"))
    return !isWaitTemplateName(mangledFunction) || operations.contains(mangledFunction);
  return !holdsGuard(mangledFunction) || operations.contains(mangledFunction);
}

const LockSite *LockTable::find(llvm::StringRef callee, llvm::StringRef inFunction, unsigned line,
                                unsigned column, unsigned lockIndex) const {
  const auto variant = baseVariants.find(callee);
  const llvm::StringRef base = variant == baseVariants.end() ? callee : variant->second;
  const std::string key = siteKey(base, line, column, lockIndex);
  auto found = siteAt.find(key + inFunction.str());
  if (found == siteAt.end())
    found = siteAt.find(key);
  return found == siteAt.end() ? nullptr : &sites[found->second];
}

void LockTable::index(std::size_t site, llvm::ArrayRef<std::string> inFunctions, unsigned line,
                      unsigned column) {
  const std::string key = siteKey(sites[site].callee, line, column, sites[site].lockIndex);
  siteAt.try_emplace(key, site); // for any function, as lambdas may be numbered otherwise
  for (const std::string &function : inFunctions)
    siteAt.try_emplace(key + function, site);
}

} // namespace qdadvise
