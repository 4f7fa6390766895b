// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler would say of a file, and where its advice stands.
#pragma once

#include "advisor/advice/AdviceFile.h"
#include "lsp/Spans.h"

#include "llvm/Support/LSP/Protocol.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// Advice at a site that takes a lock.
struct AdvisedSite {
  Advice advice;
  Span at; ///< the first token of the site
  Span section;
  std::optional<Span> declaration; ///< the lock's, if it is in this file
  bool stale = false;              ///< since it was profiled, or by an edit
  bool gone = false;               ///< an edit took it away
};

struct FindingNote {
  std::string file;
  llvm::lsp::Range range; ///< when the file was read
  std::string text;
};

struct Finding {
  Span at;
  llvm::lsp::DiagnosticSeverity severity = llvm::lsp::DiagnosticSeverity::Warning;
  std::string text;
  std::vector<FindingNote> notes;
  std::optional<std::size_t> site; ///< index of the site that it is about
};

struct FileFindings {
  std::vector<AdvisedSite> sites;
  std::vector<Finding> findings;

  /// Follows an edit of the file. A section that is edited is stale from then on, and said to be.
  void follow(const Edit &edit);
};

struct UnitFindings {
  std::map<std::string, FileFindings> files; ///< by real path
  std::vector<std::string> remarks;          ///< about the unit as a whole
  bool isParsed = false;
  std::string firstError; ///< of the source, if it has any
};

} // namespace qdadvise
