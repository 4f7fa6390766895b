// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/LockChange.h"

#include "lsp/Positions.h"

#include "clang/Tooling/Core/Replacement.h"
#include "clang/Tooling/ReplacementsYaml.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <map>

namespace json = llvm::json;

namespace qdadvise {
namespace {

using Replacements = std::map<std::string, std::vector<clang::tooling::Replacement>>;

std::string contentOf(llvm::StringRef path) {
  const auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

/// A file of its own, gone at the end.
class ScratchFile {
public:
  ScratchFile() {
    if (!llvm::sys::fs::createTemporaryFile("qdadvise-lsp", "txt", name))
      remover.setFile(name);
  }
  llvm::StringRef path() const { return name; }

private:
  llvm::SmallString<128> name;
  llvm::FileRemover remover;
};

struct Planned {
  Replacements replacements;
  std::string summary;
};

/// A program of its own does it: it takes the memory of all units, and gives it back.
Expected<Planned> runApply(const Document &document, const std::string &lock) {
  llvm::SmallString<256> program(llvm::sys::fs::getMainExecutable(nullptr, nullptr));
  llvm::sys::path::remove_filename(program);
  llvm::sys::path::append(program, "qdadvise-apply");
  const ScratchFile fixes, said, faults;
  const llvm::StringRef arguments[] = {program,   "--advice",       document.advice,
                                       "--build", document.build,   "--lock",
                                       lock,      "--export-fixes", fixes.path()};
  const std::optional<llvm::StringRef> streams[] = {llvm::StringRef(), said.path(), faults.path()};
  std::string error;
  const int status =
      llvm::sys::ExecuteAndWait(program, arguments, std::nullopt, streams, 0, 0, &error);
  if (status != 0) {
    const std::string fault = contentOf(faults.path()) + error;
    return makeError(llvm::StringRef(fault).trim().str());
  }
  Planned planned;
  planned.summary = contentOf(said.path());
  clang::tooling::TranslationUnitReplacements all;
  const std::string yaml = contentOf(fixes.path());
  llvm::yaml::Input input(yaml);
  input >> all;
  if (input.error())
    return makeError("cannot read the changes of " + program.str().str() + ": " +
                     input.error().message());
  for (clang::tooling::Replacement &one : all.Replacements)
    planned.replacements[one.getFilePath().str()].push_back(std::move(one));
  return planned;
}

/// The document's own version, so that an editor refuses edits of a text that has changed.
json::Value versionOf(const Document *open) {
  return open ? json::Value(open->version) : json::Value(nullptr);
}

json::Array editsOf(llvm::ArrayRef<clang::tooling::Replacement> replacements, llvm::StringRef text,
                    bool isAnnotated) {
  json::Array edits;
  for (const clang::tooling::Replacement &one : replacements) {
    json::Object edit{
        {"range", rangeOf(text, {one.getOffset(), one.getOffset() + one.getLength()})},
        {"newText", one.getReplacementText().str()}};
    if (isAnnotated)
      edit["annotationId"] = "lock";
    edits.push_back(std::move(edit));
  }
  return edits;
}

} // namespace

std::string messageOf(llvm::StringRef summary) {
  llvm::SmallVector<llvm::StringRef, 8> lines, columns;
  summary.trim().split(lines, '\n');
  std::string message;
  for (const llvm::StringRef line : llvm::drop_begin(lines)) {
    if (line.contains(" changed, ") && line.contains(" refused"))
      continue;
    message += message.empty() ? "" : "\n";
    columns.clear();
    line.split(columns, "  ", -1, /*KeepEmpty=*/false);
    const std::size_t count = columns.size(); // a lock behind a pointer has no type of its own
    if (count == 3 || count == 4)
      message += llvm::formatv("{0}: {1}{2}, {3}", columns[0],
                               count == 4 ? columns[1].trim().str() + " → " : "",
                               columns[count - 2].trim(), columns[count - 1].trim());
    else
      message += line.trim();
  }
  return message;
}

Expected<LockChange> planLockChange(const Document &document, const std::string &lock,
                                    const Workspace &workspace,
                                    const EditCapabilities &capabilities) {
  if (const std::vector<std::string> unsaved = workspace.unsaved(); !unsaved.empty())
    return makeError("save " + unsaved.front() +
                     " first: a lock is changed in all files as they are on disk");
  Planned planned = TRY(runApply(document, lock));
  LockChange change;
  // The last lines say where the fixes are, a file that is gone by now.
  change.message = messageOf(llvm::StringRef(planned.summary).split("The changes are in ").first);
  change.isEmpty = planned.replacements.empty();
  const bool isAnnotated = capabilities.annotations && capabilities.documentChanges;
  json::Array files;
  json::Object byUri;
  for (const auto &[path, replacements] : planned.replacements) {
    const Document *open = workspace.findPath(path);
    llvm::Expected<llvm::lsp::URIForFile> uri =
        open ? open->uri : llvm::lsp::URIForFile::fromFile(path);
    if (!uri)
      return makeError(path + ": " + llvm::toString(uri.takeError()));
    json::Array edits = editsOf(replacements, contentOf(path), isAnnotated);
    std::string name = uri->uri().str();
    if (capabilities.documentChanges)
      files.push_back(json::Object{
          {"textDocument", json::Object{{"uri", std::move(name)}, {"version", versionOf(open)}}},
          {"edits", std::move(edits)}});
    else
      byUri[name] = std::move(edits);
  }
  if (capabilities.documentChanges)
    change.edit["documentChanges"] = std::move(files);
  else
    change.edit["changes"] = std::move(byUri);
  if (isAnnotated)
    change.edit["changeAnnotations"] = json::Object{
        {"lock", json::Object{{"label", "Change " + lock}, {"needsConfirmation", true}}}};
  return change;
}

} // namespace qdadvise
