// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The open files, what the compiler would say of them, and when it has to be asked again. Files are
// read beside the thread that answers; until then the answers are those of the last state, moved
// with the edits.
#pragma once

#include "lsp/CompileCommands.h"
#include "lsp/Findings.h"
#include "lsp/ParseThread.h"
#include "lsp/WatchedFiles.h"

#include "llvm/ADT/FunctionExtras.h"
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

  bool wasRead = false;     ///< the findings are of some state of it
  bool isBeingRead = false; ///< by the parse thread, in the state before these edits
  std::vector<Edit> editsSince;
  std::vector<llvm::unique_function<void()>> waiting; ///< for the first time that it is read
};

class Workspace {
public:
  /// `build`: see CompileCommands. `publish` is called whenever the findings of a document are new
  /// or have moved, `tell` with what the user has to know, a line each.
  Workspace(std::string build, std::function<void(const Document &)> whenNew,
            std::function<void(const std::string &)> toTell);

  void open(const llvm::lsp::TextDocumentItem &item);
  void change(const llvm::lsp::DidChangeTextDocumentParams &change);
  /// Has the file read again, and others whose units it is part of.
  void save(const llvm::lsp::URIForFile &uri);
  void close(const llvm::lsp::URIForFile &uri);
  /// Has read again what depends on configuration, advice or compile commands that have changed.
  void refresh();

  /// Can be read from when `takeRead` has something to do.
  int descriptor() const { return reader.descriptor(); }
  /// Publishes what has been read.
  void takeRead();
  /// Waits until all is read.
  void settle();
  /// Calls it when the file has been read once, or is closed: at once, as a rule.
  void whenRead(const llvm::lsp::URIForFile &uri, llvm::unique_function<void()> then);
  /// Calls now whatever waits.
  void giveUpWaiting();

  /// Null for what is not open.
  const Document *find(const llvm::lsp::URIForFile &uri) const;
  const Document *findPath(llvm::StringRef path) const;
  /// Open files whose text is not that on disk.
  std::vector<std::string> unsaved() const;

private:
  void read(const Document &document);
  /// Starts with the next file while nothing is being read.
  void readNext();
  /// An error is what is in the way of reading it.
  Expected<ParseJob> jobFor(Document &document);
  /// Takes over what was read, and says what is wrong.
  void finish(Document &document, const Expected<UnitFindings> &unit);
  /// The units to read a document by, the best first: a header shows all of its advice only in a
  /// source that includes it.
  Expected<std::vector<clang::tooling::CompileCommand>> unitsFor(const Document &document);
  std::map<std::string, std::string> buffers() const;

  CompileCommands commands;
  std::function<void(const Document &)> publish;
  std::function<void(const std::string &)> tell;
  std::map<std::string, Document, std::less<>> documents; ///< by the path in the URI
  std::vector<std::string> toRead;                        ///< their keys, in order
  ParseThread reader;
};

} // namespace qdadvise
