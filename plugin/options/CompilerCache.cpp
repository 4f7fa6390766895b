// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/options/CompilerCache.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <fstream>
#include <unistd.h>

using llvm::SmallString;
using llvm::StringRef;

namespace qdadvise {
namespace {

/// 0: nobody knows.
long parentOf(long pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string word;
  long parent = 0;
  while (status >> word)
    if (word == "PPid:" && status >> parent)
      return parent;
  return 0;
}

bool isCcache(long pid) {
  const std::string link = "/proc/" + std::to_string(pid) + "/exe";
  char executable[4096];
  const ssize_t size = ::readlink(link.c_str(), executable, sizeof executable);
  return size > 0 && llvm::sys::path::filename(
                         StringRef(executable, static_cast<std::size_t>(size))) == "ccache";
}

/// ccache sets this variable for the compiler, so that it is not called again by a wrapper.
bool isStartedByCcache() {
  if (!std::getenv("CCACHE_DISABLE"))
    return false;
  constexpr int generations = 4; // the driver and wrappers of the compiler may lie between
  long pid = ::getppid();
  for (int i = 0; i < generations && pid > 1; ++i, pid = parentOf(pid))
    if (isCcache(pid))
      return true;
  return false;
}

} // namespace

std::string whatCcacheLacks(llvm::ArrayRef<std::string> files) {
  if (files.empty() || !isStartedByCcache())
    return "";
  const char *const told = std::getenv("CCACHE_EXTRAFILES");
  llvm::SmallVector<StringRef> known;
  StringRef(told ? told : "").split(known, ':', -1, /*KeepEmpty=*/false);
  std::string wanted, names;
  bool lacks = false;
  for (const std::string &file : files) {
    SmallString<256> path(file);
    if (llvm::sys::fs::make_absolute(path))
      continue; // the current folder is gone
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    const bool isKnown = llvm::any_of(known, [&](StringRef other) {
      return other == path || llvm::sys::fs::equivalent(other, path);
    });
    wanted += (wanted.empty() ? "" : ":") + path.str().str();
    if (!isKnown)
      names += (names.empty() ? "'" : " and '") + path.str().str() + "'";
    lacks |= !isKnown;
  }
  if (!lacks)
    return "";
  return "ccache does not look at " + names +
         " and will return old objects and old messages when that changes; set "
         "CCACHE_EXTRAFILES=" +
         wanted + ", or what `qdadvise config ccache` prints";
}

} // namespace qdadvise
