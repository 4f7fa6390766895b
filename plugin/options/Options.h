// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plugin's arguments, `-fplugin-arg-qdadvise-<argument>`, as values.
#pragma once

#include "advisor/advice/UserConfig.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace qdadvise {

/// How an instrumented program reaches the runtime.
enum class HookMode {
  automatic, ///< xray where the compiler was told of it, else patch where it can work, else call
  xray,      ///< a patchable thunk for each site and instant
  call,      ///< a direct call of `__qdadvise_event`, behind a test of a word
  patch,     ///< the same call, behind an instruction that the runtime makes a jump
};

/// As in the argument `hooks=`; indexed by HookMode.
inline constexpr llvm::StringLiteral hookModeNames[] = {"", "xray", "call", "patch"};

struct PluginOptions {
  bool instrument = false;
  HookMode hooks = HookMode::automatic;
  bool memory = false; ///< with `instrument`: accesses in critical sections are recorded, too
  std::string advice;  ///< path of the advice file; "" if the argument is absent
  std::string config;  ///< path of the configuration file; "" if the argument is absent
  std::optional<Severity> severity; ///< goes before the configuration file's
  bool verbose = false;
  bool dependencies = true; ///< advice and configuration are part of the dependency output
};

/// Reads the arguments as Clang hands them over. The error names the argument
/// and says what is allowed.
llvm::Expected<PluginOptions> parseOptions(llvm::ArrayRef<std::string> arguments);

} // namespace qdadvise
