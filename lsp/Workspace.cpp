// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Workspace.h"

#include "advisor/advice/UserConfig.h"
#include "lsp/Positions.h"
#include "lsp/UnitParse.h"

#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <filesystem>
#include <utility>

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

/// Calls what waits for the document: no more is to come of it, or it is there.
void release(Document &document) {
  for (auto &then : std::exchange(document.waiting, {}))
    then();
}

} // namespace

Workspace::Workspace(std::string build, std::function<void(const Document &)> whenNew,
                     std::function<void(const std::string &)> toTell)
    : commands(std::move(build)), publish(std::move(whenNew)), tell(std::move(toTell)) {}

void Workspace::open(const llvm::lsp::TextDocumentItem &item) {
  release(documents[item.uri.file().str()]);
  Document &document = documents[item.uri.file().str()] = {};
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
    const Edit edit = smallestEdit(document.text, replaced, event.text);
    document.findings.follow(edit);
    if (document.isBeingRead)
      document.editsSince.push_back(edit);
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
  Document gone = std::move(found->second);
  documents.erase(found);
  release(gone);
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

void Workspace::read(const Document &document) {
  if (const std::string key = document.uri.file().str();
      std::ranges::find(toRead, key) == toRead.end())
    toRead.push_back(key);
  readNext();
}

void Workspace::readNext() {
  while (!reader.isBusy() && !toRead.empty()) {
    const auto found = documents.find(toRead.front());
    toRead.erase(toRead.begin());
    if (found == documents.end())
      continue;
    Expected<ParseJob> job = jobFor(found->second);
    if (!job) {
      finish(found->second, tl::unexpected(job.error()));
      continue;
    }
    found->second.isBeingRead = true;
    found->second.editsSince.clear();
    reader.start(*std::move(job));
  }
}

void Workspace::takeRead() {
  std::optional<UnitFindings> unit = reader.take();
  if (!unit)
    return;
  // None is, where it was closed meanwhile, even if it is open again.
  for (auto &[name, document] : documents)
    if (document.isBeingRead) {
      document.isBeingRead = false;
      for (auto &[path, findings] : unit->files)
        if (path == document.path)
          for (const Edit &edit : document.editsSince)
            findings.follow(edit);
      finish(document, *std::move(unit));
      break;
    }
  readNext();
}

void Workspace::settle() {
  while (reader.isBusy()) {
    reader.wait();
    takeRead();
  }
}

void Workspace::whenRead(const llvm::lsp::URIForFile &uri, llvm::unique_function<void()> then) {
  const auto found = documents.find(uri.file());
  if (found == documents.end() || found->second.wasRead)
    return then();
  found->second.waiting.push_back(std::move(then));
}

void Workspace::giveUpWaiting() {
  for (auto &[name, document] : documents)
    release(document);
}

void Workspace::finish(Document &document, const Expected<UnitFindings> &unit) {
  std::vector<std::string> remarks;
  if (!unit)
    remarks.push_back(unit.error().message);
  else
    remarks = unit->remarks;
  if (unit && !unit->isParsed && remarks.empty())
    remarks.push_back(document.path + ": it has errors (" + unit->firstError +
                      "); advice stays where it was seen last");
  if (unit) {
    document.unitFiles.clear();
    for (const auto &[path, findings] : unit->files)
      document.unitFiles.insert(path);
  }
  if (unit && unit->isParsed) {
    const auto own = unit->files.find(document.path);
    document.findings = own == unit->files.end() ? FileFindings() : own->second;
  }
  for (const std::string &remark : remarks)
    if (std::ranges::find(document.remarks, remark) == document.remarks.end())
      tell(remark);
  document.remarks = std::move(remarks);
  document.wasRead = true;
  publish(document);
  release(document);
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

Expected<ParseJob> Workspace::jobFor(Document &document) {
  document.advice.clear();
  // While nothing is known of it, something may appear.
  document.inputs.watch({});
  ParseJob job;
  job.file = document.path;
  job.units = TRY(unitsFor(document));
  job.options = TRY(pluginOptionsOf(job.units.front()));
  const Inputs inputs = inputsOf(job.units.front(), job.options);
  document.inputs.watch(inputs.files);
  if (inputs.advice.empty()) {
    document.findings = {};
    return makeError(document.path + ": nothing names its advice; write `advice = "
                                     "\"advice.toml\"` into a .qdadvise.toml above it");
  }
  document.advice = inputs.advice;
  document.build = commands.folderOf(document.path);
  job.buffers = buffers();
  return job;
}

} // namespace qdadvise
