// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The language server: which message does what. Messages come one by one; while a file is read,
// others are answered.
#pragma once

#include "lsp/LockChange.h"
#include "lsp/Messages.h"
#include "lsp/Workspace.h"

#include "llvm/Support/LSP/Transport.h"

#include <string>

namespace qdadvise {

class Server {
public:
  Server(llvm::lsp::JSONTransport &transport, const std::string &build);

  /// Says in the editor's log, or before there is one on standard error, what is wrong.
  void complain(const std::string &message);
  /// While nothing is asked: looks whether the advice is another.
  void refresh();
  /// Can be read from when a file has been read, and what to do then.
  int descriptor() const { return workspace.descriptor(); }
  void takeRead() { workspace.takeRead(); }
  /// Waits until all files are read.
  void settle() { workspace.settle(); }

  llvm::lsp::MessageHandler &messages() { return handler; }
  bool isShutDown() const { return state == State::shutDown; }

private:
  using Reply = llvm::lsp::Callback<llvm::json::Value>;

  void initialize(const AnyParams &params, Reply reply);
  void initialized(const AnyParams &) {}
  void shutdown(const AnyParams &, Reply reply);
  void opened(const llvm::lsp::DidOpenTextDocumentParams &params);
  void changed(const llvm::lsp::DidChangeTextDocumentParams &params);
  void saved(const DocumentParams &params);
  void closed(const DocumentParams &params);
  void watchedChanged(const AnyParams &) { refresh(); }
  void hover(const llvm::lsp::TextDocumentPositionParams &params, Reply reply);
  void lenses(const DocumentParams &params, Reply reply);
  void actions(const DocumentRangeParams &params, Reply reply);
  void execute(const LockCommandParams &params, Reply reply);

  /// Answers a request that comes too early or too late; true: it is answered.
  bool refuses(Reply &reply);
  /// Answers about a document as soon as anything is known of it; `none` if it is not open then.
  void answer(const llvm::lsp::URIForFile &uri, Reply reply, llvm::json::Value none,
              llvm::unique_function<llvm::json::Value(const Document &)> of);
  void apply(const Document &document, const std::string &lock, Reply reply);
  void show(llvm::lsp::MessageType type, const std::string &text);

  enum class State { started, running, shutDown };
  State state = State::started;
  EditCapabilities edits;
  int lastRequest = 0;
  llvm::lsp::MessageHandler handler;
  llvm::lsp::OutgoingNotification<llvm::lsp::PublishDiagnosticsParams> publish;
  llvm::lsp::OutgoingNotification<AnyParams> log, showMessage;
  llvm::lsp::OutgoingRequest<AnyParams> applyEdit;
  Workspace workspace;
};

} // namespace qdadvise
