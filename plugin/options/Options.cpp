// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/options/Options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

using namespace qdadvise;
using llvm::StringRef;

namespace {

/// One argument: how it is spelled in messages, and what it does to the options.
/// `apply` returns whether it likes the value.
struct Argument {
  StringRef name;
  StringRef allowed; ///< what may follow `name=`; "" for an argument without a value
  bool (*apply)(PluginOptions &options, StringRef value);
};

bool setHooks(PluginOptions &options, StringRef value) {
  const auto *known = llvm::find(hookModeNames, value);
  if (value.empty() || known == std::end(hookModeNames))
    return false;
  options.hooks = static_cast<HookMode>(known - std::begin(hookModeNames));
  return true;
}

bool setSeverity(PluginOptions &options, StringRef value) {
  options.severity = parseSeverity(value);
  return options.severity.has_value();
}

bool setPath(std::string &path, StringRef value) {
  path = value.str();
  return !value.empty();
}

const Argument knownArguments[] = {
    {"instrument", "", [](PluginOptions &options, StringRef) { return options.instrument = true; }},
    {"hooks", "xray, call or patch", setHooks},
    {"memory", "", [](PluginOptions &options, StringRef) { return options.memory = true; }},
    {"advice", "a file name",
     [](PluginOptions &options, StringRef value) { return setPath(options.advice, value); }},
    {"config", "a file name",
     [](PluginOptions &options, StringRef value) { return setPath(options.config, value); }},
    {"severity", "off, remark, warning or error", setSeverity},
    {"verbose", "", [](PluginOptions &options, StringRef) { return options.verbose = true; }},
    {"no-dependencies", "",
     [](PluginOptions &options, StringRef) {
       options.dependencies = false;
       return true;
     }},
};

std::string spelling(const Argument &argument) {
  return (argument.allowed.empty() ? argument.name : argument.name.str() + "=").str();
}

} // namespace

llvm::Expected<PluginOptions> qdadvise::parseOptions(llvm::ArrayRef<std::string> arguments) {
  PluginOptions options;
  for (StringRef text : arguments) {
    auto [name, value] = text.split('=');
    const bool hasValue = text.contains('=');
    const Argument *known = nullptr;
    for (const Argument &candidate : knownArguments)
      if (candidate.name == name)
        known = &candidate;

    if (!known) {
      std::string names;
      for (const Argument &candidate : knownArguments)
        names += (names.empty() ? "" : ", ") + spelling(candidate);
      return llvm::createStringError("unknown argument '" + text.str() + "'; known are " + names);
    }
    if (known->allowed.empty() && hasValue)
      return llvm::createStringError("argument '" + name.str() + "' takes no value");
    if (!known->allowed.empty() && !hasValue)
      return llvm::createStringError("argument '" + name.str() + "' needs a value: " + name.str() +
                                     "= and " + known->allowed.str());
    if (!known->apply(options, value))
      return llvm::createStringError("bad value '" + value.str() + "' of argument '" + name.str() +
                                     "'; allowed is " + known->allowed.str());
  }
  if (options.memory && !options.instrument)
    return llvm::createStringError("argument 'memory' needs 'instrument'");
  return options;
}
