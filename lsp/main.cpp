// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `qdadvise lsp`, which starts this program: it needs Clang, and the command does not.
#include "lsp/Server.h"
#include "lsp/StreamInput.h"

#include "llvm/Support/CrashRecoveryContext.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

int main(int argc, char **argv) {
  using namespace qdadvise;
  constexpr int usageError = 2;
  std::string build;
  CLI::App app("A language server on standard input and output: the advice in an editor, beside "
               "clangd",
               "qdadvise lsp");
  app.add_option("-p,--build", build,
                 "The folder with compile_commands.json (default: the nearest above each file, "
                 "there or in `build`)")
      ->type_name("FOLDER");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    std::fprintf(stderr, "qdadvise: error: %s; see `qdadvise lsp --help`\n", error.what());
    return usageError;
  }
  std::signal(SIGPIPE, SIG_IGN); // the editor may be gone before its answer
  llvm::CrashRecoveryContext::Enable();
  Server *running = nullptr;
  auto input = std::make_unique<StreamInput>(
      STDIN_FILENO,
      [&](const std::string &fault) {
        if (running)
          running->complain(fault);
      },
      [&] {
        if (running)
          running->refresh();
      });
  StreamInput &stream = *input;
  llvm::lsp::JSONTransport transport(std::move(input), llvm::outs());
  Server server(transport, build.empty() ? "" : std::filesystem::absolute(build).string());
  running = &server;
  stream.listenTo(server.descriptor(), [&] { server.takeRead(); });
  if (llvm::Error error = transport.run(server.messages()))
    llvm::consumeError(std::move(error));
  llvm::outs().flush();
  // The protocol: 1 where the client went without a word. A file that is being read is not waited
  // for.
  std::_Exit(server.isShutDown() ? 0 : 1);
}
