// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Workspace.h"

#include "advisor/advice/UserConfig.h"
#include "lsp/Positions.h"
#include "lsp/UnitParse.h"

#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <filesystem>

namespace qdadvise {
namespace {

namespace fs = std::filesystem;

bool isOnDisk(const Document &document) {
  const auto file = llvm::MemoryBuffer::getFile(document.path);
  return file && (*file)->getBuffer() == document.text;
}

/// What a unit's advice depends on besides its source.
struct Inputs {
  std::string advice;             ///< "": nothing names it
  std::vector<std::string> files; ///< there or not
};

Inputs inputsOf(const clang::tooling::CompileCommand &command, const PluginOptions &options) {
  const auto absolute = [&](const std::string &path) {
    return (fs::path(command.Directory) / path).lexically_normal().string();
  };
  Inputs inputs;
  std::string config = options.config.empty() ? "" : absolute(options.config);
  if (config.empty()) {
    const std::string folder = fs::path(command.Filename).parent_path().string();
    config = findUserConfig(folder);
    // One may appear that is nearer.
    for (fs::path at = folder; at != at.parent_path(); at = at.parent_path()) {
      inputs.files.push_back((at / ".qdadvise.toml").string());
      if (inputs.files.back() == config)
        break;
    }
  } else {
    inputs.files.push_back(config);
  }
  if (!options.advice.empty())
    inputs.advice = absolute(options.advice);
  else if (!config.empty())
    if (const Expected<UserConfig> read = readUserConfig(config))
      inputs.advice = read->advice;
  if (!inputs.advice.empty())
    inputs.files.push_back(inputs.advice);
  return inputs;
}

} // namespace

Workspace::Workspace(std::string build, std::function<void(const Document &)> whenNew,
                     std::function<void(const std::string &)> toTell)
    : commands(std::move(build)), publish(std::move(whenNew)), tell(std::move(toTell)) {}

void Workspace::open(const llvm::lsp::TextDocumentItem &item) {
  Document &document = documents[item.uri.file().str()];
  document = {};
  document.uri = item.uri;
  document.path = realPath(item.uri.file());
  document.text = item.text;
  document.version = item.version;
  read(document);
}

void Workspace::change(const llvm::lsp::DidChangeTextDocumentParams &change) {
  const auto found = documents.find(change.textDocument.uri.file());
  if (found == documents.end())
    return;
  Document &document = found->second;
  for (const llvm::lsp::TextDocumentContentChangeEvent &event : change.contentChanges) {
    Span replaced{0, document.text.size()};
    if (event.range) {
      replaced.begin = offsetOf(document.text, event.range->start);
      replaced.end = std::max(replaced.begin, offsetOf(document.text, event.range->end));
    }
    document.findings.follow(smallestEdit(document.text, replaced, event.text));
    document.text.replace(replaced.begin, replaced.end - replaced.begin, event.text);
  }
  document.version = change.textDocument.version;
  publish(document);
}

void Workspace::save(const llvm::lsp::URIForFile &uri) {
  const std::string path = realPath(uri.file());
  commands.forgetChanged();
  for (auto &[name, document] : documents)
    if (document.path == path || document.unitFiles.contains(path))
      read(document);
}

void Workspace::close(const llvm::lsp::URIForFile &uri) {
  const auto found = documents.find(uri.file());
  if (found == documents.end())
    return;
  // Nobody sees them any more.
  found->second.findings = {};
  publish(found->second);
  documents.erase(found);
}

void Workspace::refresh() {
  const bool otherCommands = commands.forgetChanged();
  for (auto &[name, document] : documents)
    if (document.inputs.haveChanged() || otherCommands)
      read(document);
}

const Document *Workspace::find(const llvm::lsp::URIForFile &uri) const {
  const auto found = documents.find(uri.file());
  return found == documents.end() ? nullptr : &found->second;
}

const Document *Workspace::findPath(llvm::StringRef path) const {
  const std::string real = realPath(path);
  for (const auto &[name, document] : documents)
    if (document.path == real)
      return &document;
  return nullptr;
}

std::vector<std::string> Workspace::unsaved() const {
  std::vector<std::string> paths;
  for (const auto &[name, document] : documents)
    if (!isOnDisk(document))
      paths.push_back(name);
  return paths;
}

std::map<std::string, std::string> Workspace::buffers() const {
  std::map<std::string, std::string> texts;
  for (const auto &[name, document] : documents)
    if (!isOnDisk(document))
      texts[name] = texts[document.path] = document.text;
  return texts;
}

void Workspace::read(Document &document) {
  std::vector<std::string> remarks;
  if (const Expected<void> done = readUnit(document, remarks); !done)
    remarks.push_back(done.error().message);
  for (const std::string &remark : remarks)
    if (std::ranges::find(document.remarks, remark) == document.remarks.end())
      tell(remark);
  document.remarks = std::move(remarks);
  publish(document);
}

Expected<std::vector<clang::tooling::CompileCommand>>
Workspace::unitsFor(const Document &document) {
  // The database may know it by a link.
  auto found = commands.commandFor(document.uri.file().str());
  if (!found)
    found = commands.commandFor(document.path);
  const clang::tooling::CompileCommand own = TRY(found);
  std::vector<clang::tooling::CompileCommand> units;
  const auto addSource = [&](const std::string &path) {
    if (const auto command = commands.commandFor(path); command && command->Heuristic.empty())
      units.push_back(*command);
  };
  if (!own.Heuristic.empty()) {
    for (const auto &[name, other] : documents)
      if (units.empty() && other.unitFiles.contains(document.path))
        addSource(name);
    if (llvm::StringRef like = own.Heuristic; like.consume_front("inferred from "))
      addSource(like.str());
  }
  units.push_back(own);
  return units;
}

Expected<void> Workspace::readUnit(Document &document, std::vector<std::string> &remarks) {
  document.advice.clear();
  // While nothing is known of it, something may appear.
  document.inputs.watch({});
  const std::vector<clang::tooling::CompileCommand> units = TRY(unitsFor(document));
  const PluginOptions options = TRY(pluginOptionsOf(units.front()));
  const Inputs inputs = inputsOf(units.front(), options);
  document.inputs.watch(inputs.files);
  if (inputs.advice.empty()) {
    document.findings = {};
    return makeError(document.path + ": nothing names its advice; write `advice = "
                                     "\"advice.toml\"` into a .qdadvise.toml above it");
  }
  document.advice = inputs.advice;
  document.build = commands.folderOf(document.path);
  UnitFindings unit;
  for (const clang::tooling::CompileCommand &command : units) {
    unit = parseUnit(command, options, buffers());
    if (unit.files.contains(document.path))
      break;
  }
  remarks.insert(remarks.end(), unit.remarks.begin(), unit.remarks.end());
  document.unitFiles.clear();
  for (const auto &[path, findings] : unit.files)
    document.unitFiles.insert(path);
  if (!unit.isParsed && unit.remarks.empty())
    return makeError(document.path + ": it has errors (" + unit.firstError +
                     "); advice stays where it was seen last");
  if (unit.isParsed)
    document.findings = std::move(unit.files[document.path]);
  return {};
}

} // namespace qdadvise
