// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `qdadvise apply`, which starts this program: it needs Clang, and the command does not.
#include "rewrite/Apply.h"
#include "rewrite/Targets.h"
#include "rewrite/uses/Gates.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int usageError = 2;

int fail(const std::string &message) {
  std::fprintf(stderr, "%s%s\n",
               message.find(": error: ") == std::string::npos ? "qdadvise: error: " : "",
               message.c_str());
  return usageError;
}

std::vector<std::string> kindNames() {
  std::vector<std::string> names;
  for (const qdadvise::Target &target : qdadvise::targets())
    names.emplace_back(target.name);
  return names;
}

} // namespace

int main(int argc, char **argv) {
  using namespace qdadvise;
  ApplyOptions options;
  bool undoes = false, printsGates = false;
  CLI::App app("Change locks to what was advised, with all their operations, or say what is in the "
               "way",
               "qdadvise apply");
  app.add_option("--advice", options.advice, "The advice (default: none; see --kind)")
      ->type_name("FILE");
  app.add_option("-p,--build", options.build, "The folder with compile_commands.json")
      ->type_name("FOLDER")
      ->default_val("build");
  app.add_option("--lock", options.locks, "Only this lock; may be given several times")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--kind", options.kind, "What the locks are to become, instead of the advice")
      ->type_name("KIND")
      ->check(CLI::IsMember(kindNames()));
  app.add_option("--accept", options.accepted,
                 "A gate that is no obstacle here; may be given several times")
      ->type_name("GATE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(CLI::IsMember(questions()));
  app.add_flag("--detached", options.detached,
               "Do not wait for operations of which it is proven that nothing depends on their "
               "completion");
  app.add_flag("--dry-run", options.dryRun, "Print the changes as a patch, and write no file");
  app.add_flag("--update-advice", options.updatesAdvice,
               "With --dry-run: write into the advice what can be changed, and what is in the way");
  app.add_option("--export-fixes", options.exportFixes,
                 "Write the changes there as YAML, for clang-apply-replacements, and no other file")
      ->type_name("FILE");
  app.add_flag("--undo", undoes, "Take back what the last apply of this build folder changed");
  app.add_flag("--print-gates", printsGates)->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    return fail(std::string(error.what()) + "; see `qdadvise apply --help`");
  }
  if (printsGates) {
    std::fputs(gatesAsMarkdown().c_str(), stdout);
    return 0;
  }
  if (!undoes && options.advice.empty() && options.kind.empty())
    return fail("name what the locks are to become: --advice FILE, or --kind KIND; see `qdadvise "
                "apply --help`");
  if (options.updatesAdvice && (!options.dryRun || options.advice.empty() || !options.kind.empty()))
    return fail("--update-advice goes with --dry-run and --advice FILE, without --kind");
  const Expected<std::string> text = undoes ? undo(options.build) : applyAdvice(options);
  if (!text)
    return fail(text.error().message);
  std::fputs(text->c_str(), stdout);
  return 0;
}
