// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Server.h"

#include "lsp/Answers.h"

#include "llvm/Support/LSP/Logging.h"

namespace json = llvm::json;
namespace lsp = llvm::lsp;

namespace qdadvise {
namespace {

json::Object capabilities() {
  return json::Object{
      {"positionEncoding", "utf-16"},
      {"textDocumentSync",
       json::Object{{"openClose", true},
                    {"change", static_cast<int>(lsp::TextDocumentSyncKind::Incremental)},
                    {"save", true}}},
      {"hoverProvider", true},
      {"codeLensProvider", json::Object{{"resolveProvider", false}}},
      {"codeActionProvider",
       json::Object{{"codeActionKinds", json::Array{"refactor.rewrite", "quickfix"}}}},
      {"executeCommandProvider",
       json::Object{{"commands", json::Array{applyCommand, explainCommand}}}}};
}

llvm::Error requestError(const std::string &message) {
  // The protocol's RequestFailed, which LLVM's list of codes lacks.
  constexpr auto requestFailed = static_cast<lsp::ErrorCode>(-32803);
  return llvm::make_error<lsp::LSPError>(message, requestFailed);
}

json::Object message(lsp::MessageType type, const std::string &text) {
  return json::Object{{"type", static_cast<int>(type)}, {"message", text}};
}

} // namespace

Server::Server(lsp::JSONTransport &transport, const std::string &build)
    : handler(transport), publish(handler.outgoingNotification<lsp::PublishDiagnosticsParams>(
                              "textDocument/publishDiagnostics")),
      log(handler.outgoingNotification<AnyParams>("window/logMessage")),
      showMessage(handler.outgoingNotification<AnyParams>("window/showMessage")),
      applyEdit(handler.outgoingRequest<AnyParams, AnyParams>(
          "workspace/applyEdit",
          [this](const json::Value &, llvm::Expected<AnyParams> answer) {
            if (!answer)
              complain("the edit was not made: " + llvm::toString(answer.takeError()));
            else if (!isTrue(answer->value, {"applied"}))
              complain("the editor did not make the edit");
          })),
      workspace(
          build, [this](const Document &document) { publish(diagnosticsOf(document)); },
          [this](const std::string &text) { complain(text); }) {
  handler.method("initialize", this, &Server::initialize);
  handler.notification("initialized", this, &Server::initialized);
  handler.method("shutdown", this, &Server::shutdown);
  handler.notification("textDocument/didOpen", this, &Server::opened);
  handler.notification("textDocument/didChange", this, &Server::changed);
  handler.notification("textDocument/didSave", this, &Server::saved);
  handler.notification("textDocument/didClose", this, &Server::closed);
  handler.notification("workspace/didChangeWatchedFiles", this, &Server::watchedChanged);
  handler.method("textDocument/hover", this, &Server::hover);
  handler.method("textDocument/codeLens", this, &Server::lenses);
  handler.method("textDocument/codeAction", this, &Server::actions);
  handler.method("workspace/executeCommand", this, &Server::execute);
}

void Server::complain(const std::string &text) {
  if (state != State::running)
    return lsp::Logger::error("{0}", text);
  log({message(lsp::MessageType::Warning, "qdadvise: " + text)});
}

void Server::show(lsp::MessageType type, const std::string &text) {
  showMessage({message(type, text)});
}

void Server::refresh() {
  if (state == State::running)
    workspace.refresh();
}

bool Server::refuses(Reply &reply) {
  if (state == State::running) {
    workspace.refresh();
    return false;
  }
  if (state == State::started)
    reply(llvm::make_error<lsp::LSPError>("send initialize first",
                                          lsp::ErrorCode::ServerNotInitialized));
  else
    reply(llvm::make_error<lsp::LSPError>("the server is shut down; only exit is left",
                                          lsp::ErrorCode::InvalidRequest));
  return true;
}

void Server::initialize(const AnyParams &params, Reply reply) {
  if (state != State::started)
    return reply(llvm::make_error<lsp::LSPError>("initialize was sent before",
                                                 lsp::ErrorCode::InvalidRequest));
  state = State::running;
  const auto has = [&](llvm::StringRef key) {
    return isTrue(params.value, {"capabilities", "workspace", "workspaceEdit", key});
  };
  edits.documentChanges = has("documentChanges");
  const json::Object *object = params.value.getAsObject();
  for (const llvm::StringRef key : {"capabilities", "workspace", "workspaceEdit"})
    object = object ? object->getObject(key) : nullptr;
  edits.annotations = object && object->getObject("changeAnnotationSupport");
  reply(json::Object{{"capabilities", capabilities()},
                     {"serverInfo", json::Object{{"name", "qdadvise"}}}});
}

void Server::shutdown(const AnyParams &, Reply reply) {
  if (refuses(reply))
    return;
  state = State::shutDown;
  workspace.giveUpWaiting();
  reply(nullptr);
}

void Server::opened(const lsp::DidOpenTextDocumentParams &params) {
  if (state == State::running)
    workspace.open(params.textDocument);
}

void Server::changed(const lsp::DidChangeTextDocumentParams &params) {
  if (state == State::running)
    workspace.change(params);
}

void Server::saved(const DocumentParams &params) {
  if (state == State::running)
    workspace.save(params.textDocument.uri);
}

void Server::closed(const DocumentParams &params) {
  if (state == State::running)
    workspace.close(params.textDocument.uri);
}

void Server::answer(const lsp::URIForFile &uri, Reply reply, json::Value none,
                    llvm::unique_function<json::Value(const Document &)> of) {
  if (refuses(reply))
    return;
  workspace.whenRead(uri, [this, uri, reply = std::move(reply), none = std::move(none),
                           of = std::move(of)]() mutable {
    const Document *document = workspace.find(uri);
    reply(document ? of(*document) : std::move(none));
  });
}

void Server::hover(const lsp::TextDocumentPositionParams &params, Reply reply) {
  answer(params.textDocument.uri, std::move(reply), nullptr,
         [position = params.position](const Document &document) {
           return hoverAt(document, position);
         });
}

void Server::lenses(const DocumentParams &params, Reply reply) {
  answer(params.textDocument.uri, std::move(reply), json::Array(),
         [](const Document &document) { return lensesOf(document); });
}

void Server::actions(const DocumentRangeParams &params, Reply reply) {
  answer(params.textDocument.uri, std::move(reply), json::Array(),
         [range = params.range](const Document &document) { return actionsIn(document, range); });
}

void Server::execute(const LockCommandParams &params, Reply reply) {
  if (refuses(reply))
    return;
  const Document *document = workspace.find(params.uri);
  if (!document)
    return reply(requestError(params.uri.file().str() + " is not open"));
  if (params.command == applyCommand)
    return apply(*document, params.lock, std::move(reply));
  if (params.command != explainCommand)
    return reply(requestError("unknown command '" + params.command + "'; known are " +
                              applyCommand.str() + ", " + explainCommand.str()));
  const std::string text = explanationOf(*document, params.lock);
  if (text.empty())
    return reply(requestError("there is no advice for '" + params.lock + "' in this file"));
  show(lsp::MessageType::Info, text);
  reply(nullptr);
}

void Server::apply(const Document &document, const std::string &lock, Reply reply) {
  Expected<LockChange> change = planLockChange(document, lock, workspace, edits);
  if (!change) {
    show(lsp::MessageType::Error, change.error().message);
    return reply(nullptr);
  }
  show(change->isEmpty ? lsp::MessageType::Warning : lsp::MessageType::Info, change->message);
  // Before the answer: Emacs 28 lets lie until the next message what comes behind one.
  if (!change->isEmpty)
    applyEdit({json::Object{{"label", "Change " + lock}, {"edit", std::move(change->edit)}}},
              "qdadvise-" + std::to_string(++lastRequest));
  reply(nullptr);
}

} // namespace qdadvise
