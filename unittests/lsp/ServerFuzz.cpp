// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer over sessions of the language server: messages in any order, with any places and texts
// in them, malformed ones and plain bytes among them. The server must go on to the end of its
// input, and all it says must be JSON.

#include "lsp/Server.h"
#include "lsp/StreamInput.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <fuzzer/FuzzedDataProvider.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);
extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv);

namespace json = llvm::json;
using namespace qdadvise;

namespace {

// No header: a session should take milliseconds.
constexpr const char *source = R"(struct pthread_mutex_t { int word; };
extern "C" int pthread_mutex_lock(pthread_mutex_t *);
extern "C" int pthread_mutex_unlock(pthread_mutex_t *);
struct Table {
  pthread_mutex_t lock_; // äöü𝄞
  int count = 0;
  void add() {
    pthread_mutex_lock(&lock_);
    count++;
    pthread_mutex_unlock(&lock_);
  }
};
)";
constexpr const char *advice = R"toml(threads = 16
[[advice]]
lock = "Table::lock_"
today = "pthread_mutex"
advised = "mcs"
label = "MCS lock"
speedup = 2.0
site = { file = "a.cpp", function = "Table::add()", expression = "lock_" }
)toml";

std::filesystem::path folder;

void write(const std::string &name, const std::string &text) {
  std::ofstream(folder / name) << text;
}

[[noreturn]] void fail(const char *what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

class Session {
public:
  Session(const std::uint8_t *data, std::size_t size) : choice(data, size) {}

  std::string bytes() {
    std::string all;
    // Most sessions begin well, or few would come far.
    const bool isInitialized = choice.ConsumeIntegralInRange(0, 15) != 1;
    const bool isOpened = choice.ConsumeIntegralInRange(0, 7) != 1;
    beginsWell = isInitialized && isOpened;
    isSettled = choice.ConsumeIntegralInRange(0, 3) != 1;
    if (isInitialized)
      all += framed(request("initialize", json::Object{{"capabilities", json::Object{}}}));
    if (isOpened)
      all += opened("file://" + (folder / "a.cpp").string(), source);
    while (choice.remaining_bytes() > 0 && all.size() < longest)
      all += next();
    return all;
  }

  bool beginsWell = false; ///< so that there is advice
  bool isSettled = false;  ///< each message finds all files read; else it may come meanwhile

private:
  static constexpr std::size_t longest = 1U << 20;

  static std::string framed(const std::string &text) {
    return "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
  }
  static std::string framed(json::Object message) {
    message["jsonrpc"] = "2.0";
    std::string text;
    llvm::raw_string_ostream(text) << json::Value(std::move(message));
    return framed(text);
  }
  json::Object request(const char *method, json::Value params) {
    return json::Object{{"id", ++number}, {"method", method}, {"params", std::move(params)}};
  }
  static json::Object notification(const char *method, json::Value params) {
    return json::Object{{"method", method}, {"params", std::move(params)}};
  }

  std::string uri() {
    static constexpr const char *names[] = {"a.cpp",  "a.cpp", "a.cpp", "b.cpp",
                                            "none.h", "",      "%zz"};
    return "file://" + (folder / choice.PickValueInArray(names)).string();
  }
  json::Object document() {
    return json::Object{{"uri", uri()}, {"version", choice.ConsumeIntegral<std::int8_t>()}};
  }
  json::Object position() {
    return json::Object{{"line", choice.ConsumeIntegralInRange(-1, 16)},
                        {"character", choice.ConsumeIntegralInRange(-1, 40)}};
  }
  json::Object range() { return json::Object{{"start", position()}, {"end", position()}}; }
  std::string text() {
    std::string any = choice.ConsumeRandomLengthString(40);
    return json::isUTF8(any) ? any : json::fixUTF8(any);
  }

  static std::string opened(const std::string &uri, const std::string &text) {
    json::Object item{{"uri", uri}, {"languageId", "cpp"}, {"version", 1}, {"text", text}};
    return framed(
        notification("textDocument/didOpen", json::Object{{"textDocument", std::move(item)}}));
  }

  std::string change() {
    json::Array changes;
    for (int i = choice.ConsumeIntegralInRange(0, 3); i >= 0; --i) {
      json::Object one{{"text", text()}};
      if (choice.ConsumeIntegralInRange(0, 7) != 0)
        one["range"] = range();
      changes.push_back(std::move(one));
    }
    return framed(notification(
        "textDocument/didChange",
        json::Object{{"textDocument", document()}, {"contentChanges", std::move(changes)}}));
  }

  std::string next() {
    const json::Object params{{"textDocument", document()}};
    switch (choice.ConsumeIntegralInRange(0, 15)) {
    case 0:
      return opened(uri(), choice.ConsumeBool() ? source : text());
    case 1:
    case 2:
    case 3:
      return change();
    case 4:
      return framed(notification("textDocument/didSave", json::Object(params)));
    case 5:
      return framed(notification("textDocument/didClose", json::Object(params)));
    case 6:
      return framed(request("textDocument/hover",
                            json::Object{{"textDocument", document()}, {"position", position()}}));
    case 7:
      return framed(request("textDocument/codeLens", json::Object(params)));
    case 8:
      return framed(request("textDocument/codeAction",
                            json::Object{{"textDocument", document()}, {"range", range()}}));
    case 9:
      return framed(request("workspace/executeCommand",
                            json::Object{{"command", "qdadvise.explain"},
                                         {"arguments", json::Array{uri(), "Table::lock_"}}}));
    case 10:
      return framed(request("shutdown", nullptr));
    case 11:
      return framed(
          json::Object{{"id", choice.ConsumeIntegral<std::int8_t>()}, {"result", text()}});
    case 12: // any parameters to a method that there is
      return framed(request("textDocument/hover", text()));
    case 13: // any text as a message
      return framed(choice.ConsumeRandomLengthString(64));
    case 14: // any bytes
      return choice.ConsumeRandomLengthString(64);
    default: // a message that is cut
      return change().substr(0, choice.ConsumeIntegralInRange<std::size_t>(0, 200));
    }
  }

  FuzzedDataProvider choice;
  int number = 0;
};

/// Frame after frame of JSON, and nothing else.
void checkOutput(llvm::StringRef output) {
  while (!output.empty()) {
    std::size_t length = 0;
    if (!output.consume_front("Content-Length: ") || output.consumeInteger(10, length) ||
        !output.consume_front("\r\n\r\n") || length > output.size())
      fail("the output is no frame");
    llvm::Expected<json::Value> value = json::parse(output.take_front(length));
    if (!value)
      fail(llvm::toString(value.takeError()).c_str());
    output = output.drop_front(length);
  }
}

} // namespace

namespace {

/// Input that waits for files to be read.
class SettledInput : public StreamInput {
public:
  using StreamInput::StreamInput;
  llvm::LogicalResult readStandardMessage(std::string &text) override {
    if (server)
      server->settle();
    return StreamInput::readStandardMessage(text);
  }
  Server *server = nullptr;
};

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  llvm::CrashRecoveryContext::Enable();
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createUniqueDirectory("qdadvise-fuzz", path))
    fail("no scratch folder");
  folder = std::filesystem::canonical(path.str().str());
  std::atexit([] { std::filesystem::remove_all(folder); });
  json::Array commands;
  for (const char *name : {"a.cpp", "b.cpp"}) {
    write(name, source);
    commands.push_back(json::Object{{"directory", folder.string()},
                                    {"file", (folder / name).string()},
                                    {"arguments", json::Array{"clang++", "-c", name}}});
  }
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(commands));
  write("compile_commands.json", text);
  write(".qdadvise.toml", "advice = \"advice.toml\"\n");
  write("advice.toml", advice);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Session session(data, size);
  const std::string input = session.bytes();
  const int file = ::memfd_create("session", 0);
  if (::write(file, input.data(), input.size()) != static_cast<ssize_t>(input.size()))
    fail("the session does not fit in memory");
  ::lseek(file, 0, SEEK_SET);
  Server *running = nullptr;
  auto stream = std::make_unique<SettledInput>(
      file, [&](const std::string &fault) { running->complain(fault); }, [] {});
  SettledInput &end = *stream;
  std::string output;
  {
    llvm::raw_string_ostream out(output);
    llvm::lsp::JSONTransport transport(std::move(stream), out);
    Server server(transport, "");
    running = &server;
    if (session.isSettled)
      end.server = &server;
    else
      end.listenTo(server.descriptor(), [&] { server.takeRead(); });
    llvm::consumeError(transport.run(server.messages()));
    if (!end.isEndOfInput() && input.find("\"exit\"") == std::string::npos)
      fail("the server ended before its input did");
    server.settle();
  }
  ::close(file);
  checkOutput(output);
  if (session.beginsWell && session.isSettled &&
      output.find("an MCS lock raises throughput") == std::string::npos)
    fail("the file was not read");
  return 0;
}
