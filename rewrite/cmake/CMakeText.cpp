// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/cmake/CMakeText.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace qdadvise {
namespace {

bool isOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Scanner {
public:
  explicit Scanner(std::string_view cmakeText) : text(cmakeText) {}

  /// The next command; nothing at the end, or where there is none.
  std::optional<CMakeCommand> next() {
    skipBlanks();
    CMakeCommand command;
    command.begin = at;
    while (at < text.size() && isOfName(text[at]))
      command.name += static_cast<char>(std::tolower(static_cast<unsigned char>(text[at++])));
    skipBlanks();
    if (command.name.empty() || !consume("("))
      return std::nullopt;
    for (int depth = 1; depth > 0;) {
      skipBlanks();
      if (at >= text.size())
        return std::nullopt;
      if (consume("("))
        ++depth;
      else if (consume(")"))
        --depth;
      else
        command.arguments.push_back(argument());
    }
    command.end = at;
    return command;
  }

private:
  bool consume(std::string_view what) {
    if (!text.substr(at).starts_with(what))
      return false;
    at += what.size();
    return true;
  }

  /// `[[ … ]]` or `[==[ … ]==]`, which begins here.
  std::optional<std::string> bracketed() {
    if (at >= text.size() || text[at] != '[')
      return std::nullopt;
    const std::size_t equals = std::min(text.find_first_not_of('=', at + 1), text.size());
    if (equals == text.size() || text[equals] != '[')
      return std::nullopt;
    const std::string closing = "]" + std::string(equals - at - 1, '=') + "]";
    const std::size_t close = std::min(text.find(closing, equals), text.size());
    const std::string content(text.substr(equals + 1, close - equals - 1));
    at = std::min(close + closing.size(), text.size());
    return content;
  }

  /// Blanks and comments.
  void skipBlanks() {
    while (at < text.size()) {
      if (consume("#")) {
        if (!bracketed())
          at = std::min(text.find('\n', at), text.size());
      } else if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
        ++at;
      } else {
        return;
      }
    }
  }

  std::string argument() {
    if (std::optional<std::string> content = bracketed())
      return std::move(*content);
    const bool isQuoted = consume("\"");
    const std::string_view ends = isQuoted ? "\"" : " \t\r\n()#\"";
    std::string argument;
    while (at < text.size() && ends.find(text[at]) == std::string_view::npos) {
      if (text[at] == '\\' && at + 1 < text.size())
        argument += text[at++];
      argument += text[at++];
    }
    if (isQuoted)
      consume("\"");
    else if (argument.empty() && at < text.size()) // a quote within: no CMake of today
      argument += text[at++];
    return argument;
  }

  std::string_view text;
  std::size_t at = 0;
};

} // namespace

std::vector<CMakeCommand> cmakeCommands(std::string_view text) {
  std::vector<CMakeCommand> commands;
  Scanner scanner(text);
  while (std::optional<CMakeCommand> command = scanner.next())
    commands.push_back(std::move(*command));
  return commands;
}

} // namespace qdadvise
