// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses one unit at a time beside the thread that answers: a large one takes seconds.
#pragma once

#include "lsp/Findings.h"
#include "plugin/options/Options.h"

#include "clang/Tooling/CompilationDatabase.h"

#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace qdadvise {

struct ParseJob {
  std::vector<clang::tooling::CompileCommand> units; ///< the first that has the file is taken
  PluginOptions options;
  std::map<std::string, std::string> buffers; ///< see parseUnit
  std::string file;                           ///< real path
};

class ParseThread {
public:
  ParseThread();
  /// Waits for the job at hand.
  ~ParseThread();
  ParseThread(const ParseThread &) = delete;
  ParseThread &operator=(const ParseThread &) = delete;

  /// From `start` until its result is taken.
  bool isBusy() const { return worker.joinable(); }
  /// Not while it is busy.
  void start(ParseJob job);
  /// The result, once it is there.
  std::optional<UnitFindings> take();
  /// Waits until `take` has something.
  void wait() const;
  /// Can be read from when `take` has something.
  int descriptor() const { return event; }

private:
  int event;
  std::thread worker;
  UnitFindings result; ///< the worker's until `event` is set
};

} // namespace qdadvise
