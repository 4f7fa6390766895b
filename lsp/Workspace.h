// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The open files, what the compiler would say of them, and when it has to be asked again.
#pragma once

#include "lsp/CompileCommands.h"
#include "lsp/Findings.h"
#include "lsp/WatchedFiles.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LSP/Protocol.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace qdadvise {

struct Document {
  llvm::lsp::URIForFile uri;
  std::string path; ///< real
  std::string text;
  std::int64_t version = 0;
  FileFindings findings;

  std::string advice, build; ///< paths; "": there is none
  std::set<std::string> unitFiles;
  std::vector<std::string> remarks; ///< said when it was read last
  WatchedFiles inputs;              ///< configuration and advice
};

class Workspace {
public:
  /// `build`: see CompileCommands. `publish` is called whenever the findings of a document are new
  /// or have moved, `tell` with what the user has to know, a line each.
  Workspace(std::string build, std::function<void(const Document &)> whenNew,
            std::function<void(const std::string &)> toTell);

  void open(const llvm::lsp::TextDocumentItem &item);
  void change(const llvm::lsp::DidChangeTextDocumentParams &change);
  /// Reads the file again, and others whose units it is part of.
  void save(const llvm::lsp::URIForFile &uri);
  void close(const llvm::lsp::URIForFile &uri);
  /// Reads again what depends on configuration, advice or compile commands that have changed.
  void refresh();

  /// Null for what is not open.
  const Document *find(const llvm::lsp::URIForFile &uri) const;
  const Document *findPath(llvm::StringRef path) const;
  /// Open files whose text is not that on disk.
  std::vector<std::string> unsaved() const;

private:
  void read(Document &document);
  /// An error is what is in the way of reading it.
  Expected<void> readUnit(Document &document, std::vector<std::string> &remarks);
  /// The units to read a document by, the best first: a header shows all of its advice only in a
  /// source that includes it.
  Expected<std::vector<clang::tooling::CompileCommand>> unitsFor(const Document &document);
  std::map<std::string, std::string> buffers() const;

  CompileCommands commands;
  std::function<void(const Document &)> publish;
  std::function<void(const std::string &)> tell;
  std::map<std::string, Document, std::less<>> documents; ///< by the path in the URI
};

} // namespace qdadvise
