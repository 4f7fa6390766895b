// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/process/Browser.h"

#include "advisor/cli/process/Process.h"

#include <cstdlib>
#include <fmt/format.h>

namespace qdadvise {
namespace {

bool isSet(const char *name) {
  const char *const value = std::getenv(name);
  return value && *value;
}

} // namespace

Expected<void> openInBrowser(const std::string &path) {
  std::string program;
  if (isSet("BROWSER"))
    program = std::getenv("BROWSER");
  else if (isSet("DISPLAY") || isSet("WAYLAND_DISPLAY"))
    program = "xdg-open"; // of xdg-utils, which desktops have
  else
    return makeError(fmt::format("there is no desktop here (neither DISPLAY nor BROWSER is set): "
                                 "open {} in a browser yourself",
                                 path));
  const Ending ending = TRY(runProgram({program, path}, {}));
  if (ending.status != 0)
    return makeError(fmt::format("{} could not show {}: set BROWSER to a command that can, or "
                                 "open it yourself",
                                 program, path));
  return {};
}

} // namespace qdadvise
