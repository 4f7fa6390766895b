// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Apply.h"

#include "advisor/support/Patch.h"
#include "rewrite/FileEdits.h"
#include "rewrite/Plans.h"
#include "rewrite/Program.h"
#include "rewrite/Requests.h"
#include "rewrite/Summary.h"
#include "rewrite/cmake/LockLinks.h"

#include "clang/Tooling/ReplacementsYaml.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/YAMLTraits.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <filesystem>
#include <span>

namespace qdadvise {
namespace {

namespace fs = std::filesystem;

using Texts = std::map<std::string, std::string>;

/// Writes beside the file and puts it in its place, so that it is whole at any time.
Expected<void> writeText(const std::string &path, const std::string &text) {
  std::error_code error;
  const fs::path real = fs::exists(path, error) ? fs::canonical(path, error) : fs::path(path);
  const std::string beside = real.string() + ".qdadvise-new";
  llvm::raw_fd_ostream stream(beside, error);
  if (error)
    return makeError("cannot write " + beside + ": " + error.message());
  stream << text;
  stream.close();
  if (stream.has_error())
    return makeError("cannot write " + beside + ": " + stream.error().message());
  const fs::file_status status = fs::status(real, error);
  if (fs::exists(status))
    fs::permissions(beside, status.permissions(), error);
  fs::rename(beside, real, error);
  if (error)
    return makeError("cannot write " + path + ": " + error.message());
  return {};
}

/// All files or none: what was written before a failure is put back.
Expected<void> writeAll(const Texts &texts, const Texts &before) {
  for (auto file = texts.begin(); file != texts.end(); ++file) {
    const Expected<void> written = writeText(file->first, file->second);
    if (written)
      continue;
    for (auto done = texts.begin(); done != file; ++done)
      (void)writeText(done->first, before.at(done->first));
    return written;
  }
  return {};
}

std::set<std::string> unitsWith(const Texts &texts, const ProgramUses &program) {
  std::set<std::string> units;
  for (const auto &[path, text] : texts)
    if (const auto found = program.unitsOf.find(path); found != program.unitsOf.end())
      units.insert(found->second.begin(), found->second.end());
  return units;
}

/// The plans' edits together. What cannot be done beside the plans before it is refused.
FileEdits editsOf(std::vector<LockPlan> &plans) {
  FileEdits edits;
  for (LockPlan &plan : plans)
    if (plan.outcome == LockPlan::Outcome::changed && !edits.add(plan))
      plan.refuse(Gate::unknownUse, plan.place, "its changes overlap with another lock's");
  return edits;
}

/// What the compiler says of plans that are carried out together.
class Compiler {
public:
  Compiler(const Program &theProgram, const ProgramUses &programUses)
      : program(theProgram), uses(programUses) {}

  Expected<std::vector<std::string>> problemsOf(const FileEdits &edits) const {
    const Texts texts = TRY(edits.apply());
    return program.problemsWith(texts, unitsWith(texts, uses), uses);
  }

  /// Refuses those of the plans that do not compile; `problems` are those of all. Halves of them
  /// are tried, so that few bad ones among many cost little.
  Expected<void> refuseBad(std::span<LockPlan *const> plans,
                           const std::vector<std::string> &problems) const {
    if (problems.empty() || plans.empty())
      return {};
    if (plans.size() == 1) {
      plans.front()->refuse(Gate::doesNotCompile, plans.front()->place, problems.front());
      return {};
    }
    const std::size_t half = plans.size() / 2;
    for (const auto part : {plans.first(half), plans.subspan(half)}) {
      FileEdits edits;
      for (const LockPlan *plan : part)
        edits.add(*plan);
      const std::vector<std::string> ofPart = TRY(problemsOf(edits));
      TRY(refuseBad(part, ofPart));
    }
    return {};
  }

private:
  const Program &program;
  const ProgramUses &uses;
};

/// Refuses what does not compile, alone or with the others, until all that is left does.
Expected<Texts> compiledTexts(std::vector<LockPlan> &plans, const Program &program,
                              const ProgramUses &uses) {
  const Compiler compiler(program, uses);
  const std::vector<std::string> together = TRY(compiler.problemsOf(editsOf(plans)));
  std::vector<LockPlan *> changed;
  for (LockPlan &plan : plans)
    if (plan.outcome == LockPlan::Outcome::changed && !plan.edits.empty())
      changed.push_back(&plan);
  TRY(compiler.refuseBad(changed, together));
  FileEdits rest = editsOf(plans);
  if (!together.empty()) {
    const std::vector<std::string> problems = TRY(compiler.problemsOf(rest));
    for (LockPlan &plan : plans)
      if (!problems.empty() && plan.outcome == LockPlan::Outcome::changed)
        plan.refuse(Gate::doesNotCompile, plan.place, problems.front());
    rest = editsOf(plans);
  }
  return rest.apply();
}

std::string patchOf(const Texts &before, const Texts &after) {
  std::string patch;
  for (const auto &[path, text] : after)
    patch += unifiedDiff(before.at(path), text, path);
  return patch;
}

fs::path patchPath(const std::string &build, int number) {
  return fs::path(build) / ("qdadvise-apply-" + std::to_string(number) + ".patch");
}

/// Patches are numbered from 1 and taken back from the last.
int numberOfPatches(const std::string &build) {
  int number = 0;
  std::error_code error;
  while (fs::exists(patchPath(build, number + 1), error))
    ++number;
  return number;
}

Expected<void> writeFixes(const std::string &path, const FileEdits &edits) {
  clang::tooling::TranslationUnitReplacements fixes;
  for (const auto &[file, replacements] : edits.replacements())
    fixes.Replacements.insert(fixes.Replacements.end(), replacements.begin(), replacements.end());
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::yaml::Output output(stream);
  output << fixes;
  return writeText(path, stream.str());
}

/// Has CMake link what it can.
void link(LinkingTargets &targets, LockLinks links, Texts &before, Texts &after) {
  before.merge(links.before);
  after.merge(links.after);
  for (const std::string &target : links.linked)
    targets.toLink.erase(target);
  targets.linked = std::move(links.linked);
}

bool wantsAtomics(const ApplyOptions &options, const AdviceFile &advice) {
  const auto isAtomic = [](const std::string &kind) {
    const Target *target = findTarget(kind);
    return target && target->isAtomic;
  };
  return isAtomic(options.kind) || std::ranges::any_of(advice.advice, [&](const Advice &one) {
           return isAtomic(one.advised);
         });
}

/// Says in the advice file, at each lock that was asked about, what became of it.
Expected<void> updateAdvice(const std::string &path, AdviceFile advice,
                            const std::vector<LockPlan> &plans) {
  std::map<std::string, std::string> answers;
  for (const LockPlan &plan : plans) { // one name may stand for several locks
    std::string &answer = answers[plan.requested];
    if (plan.outcome == LockPlan::Outcome::refused && (answer.empty() || answer == "yes"))
      answer = infoOf(plan.refusals.front().gate).name;
    else if (answer.empty())
      answer = "yes";
  }
  for (Advice &one : advice.advice)
    if (const auto answer = answers.find(one.lock); answer != answers.end() && !one.keep)
      one.apply = answer->second;
  return writeText(path, printAdvice(advice));
}

} // namespace

Expected<std::string> applyAdvice(const ApplyOptions &options) {
  const AdviceFile advice = options.advice.empty() ? AdviceFile() : TRY(readAdvice(options.advice));
  const Program program = TRY(Program::open(options.build));
  const ProgramUses uses = program.collect(
      advice, {.integers = wantsAtomics(options, advice), .lasting = options.detached});
  const Requests requests = TRY(requestsFor(options, advice, uses));
  std::vector<LockPlan> plans = plansFor(requests, uses);
  Texts after = TRY(compiledTexts(plans, program, uses));
  followInnerLocks(plans);
  Texts before;
  for (const auto &[path, text] : after)
    before[path] = TRY(readText(path));
  LinkingTargets targets;
  targets.toLink = program.targetsOf(unitsWith(after, uses));
  // Fixes are of sources only.
  if (needsLocks(plans) && options.exportFixes.empty())
    link(targets, linkLocks(options.build, targets.toLink), before, after);
  const std::string patch = patchOf(before, after);
  const std::string summary = summaryOf(plans, requests.kept, targets, uses.broken);
  if (options.updatesAdvice) {
    TRY(updateAdvice(options.advice, advice, plans));
    return patch + summary + options.advice +
           " says now what can be changed; no other file was written (--dry-run).\n";
  }
  if (options.dryRun)
    return patch + summary + "No file was written (--dry-run).\n";
  if (!options.exportFixes.empty()) {
    TRY(writeFixes(options.exportFixes, editsOf(plans)));
    return summary + "The changes are in " + options.exportFixes +
           ", for clang-apply-replacements; no file was written.\n";
  }
  if (patch.empty())
    return summary;
  // The way back is there before anything is changed.
  const std::string way = patchPath(options.build, numberOfPatches(options.build) + 1).string();
  TRY(writeText(way, patch));
  if (const Expected<void> written = writeAll(after, before); !written) {
    std::error_code ignored;
    fs::remove(way, ignored);
    return makeError(written.error().message);
  }
  return summary + "The changes are in " + shownPath(way) + "; --undo takes them back.\n";
}

Expected<std::string> undo(const std::string &build) {
  const int number = numberOfPatches(build);
  if (number == 0)
    return makeError(build +
                     " has no qdadvise-apply-1.patch: apply has changed nothing from there");
  const std::string way = patchPath(build, number).string();
  const std::string patch = TRY(readText(way));
  Texts before, now;
  for (const auto &[path, ofFile] : patchByFile(patch)) {
    now[path] = TRY(readText(path));
    Expected<std::string> text = reversed(ofFile, now[path]);
    if (!text)
      return makeError(path + ": " + text.error().message +
                       "; nothing was restored. What was changed is in " + way);
    before[path] = std::move(*text);
  }
  TRY(writeAll(before, now));
  std::error_code error;
  fs::remove(way, error);
  std::string text;
  for (const auto &[path, restored] : before)
    text += "restored " + shownPath(path) + "\n";
  return text;
}

} // namespace qdadvise
