// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/StreamInput.h"

#include "llvm/Support/JSON.h"

#include <cerrno>
#include <poll.h>
#include <unistd.h>

using llvm::StringRef;

namespace qdadvise {
namespace {

constexpr std::size_t longestLine = 4096;         // of a header
constexpr std::size_t longestMessage = 64U << 20; // bytes; a source file is a message
constexpr int deepest = 200;                      // brackets within each other: parsing recurses
constexpr int idleMs = 1000;

bool isTooDeep(StringRef json) {
  int depth = 0;
  bool isText = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (isText) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        isText = false;
    } else if (c == '"') {
      isText = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest)
        return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

} // namespace

std::string faultOf(StringRef message) {
  if (isTooDeep(message))
    return "a message with more than " + std::to_string(deepest) + " brackets within each other";
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(message);
  if (!value)
    return "a message that is no JSON (" + llvm::toString(value.takeError()) + ")";
  const llvm::json::Object *object = value->getAsObject();
  if (!object || object->getString("jsonrpc") != StringRef("2.0"))
    return "a message that is not of JSON-RPC 2.0";
  if (!object->getString("method") && !object->get("id"))
    return "a message with neither a method nor an id";
  return "";
}

bool StreamInput::fill() {
  while (!ended) {
    pollfd events[] = {{descriptor, POLLIN, 0}, {other, POLLIN, 0}};
    const int seen = ::poll(events, std::size(events), idleMs);
    if (seen == 0)
      idle();
    if (seen > 0 && events[1].revents != 0)
      ready();
    if (seen >= 0 && events[0].revents == 0)
      continue;
    char bytes[16384];
    const ssize_t count = seen < 0 ? -1 : ::read(descriptor, bytes, sizeof bytes);
    if (count > 0) {
      pending.append(bytes, static_cast<std::size_t>(count));
      return true;
    }
    if (count < 0 && errno == EINTR)
      continue;
    failed = count < 0;
    ended = true;
  }
  return false;
}

/// A line without its end. What does not fit is left out.
bool StreamInput::readLine(std::string &line) {
  line.clear();
  while (true) {
    const std::size_t end = pending.find('\n');
    const std::size_t taken = std::min(end, pending.size());
    line.append(pending, 0, std::min(taken, longestLine - std::min(longestLine, line.size())));
    if (end != std::string::npos) {
      pending.erase(0, end + 1);
      if (line.ends_with('\r'))
        line.pop_back();
      return true;
    }
    pending.clear();
    if (!fill())
      return false;
  }
}

bool StreamInput::readBytes(std::size_t count, std::string *into) {
  while (count != 0) {
    if (pending.empty() && !fill())
      return false;
    const std::size_t taken = std::min(count, pending.size());
    if (into)
      into->append(pending, 0, taken);
    pending.erase(0, taken);
    count -= taken;
  }
  return true;
}

llvm::LogicalResult StreamInput::readStandardMessage(std::string &json) {
  std::optional<unsigned long long> length;
  bool isHeader = false;
  std::string text;
  while (readLine(text)) {
    StringRef line(text);
    if (!line.empty()) {
      isHeader = true;
      if (line.consume_front_insensitive("Content-Length:")) {
        unsigned long long value = 0;
        if (line.trim().getAsInteger(10, value))
          complain("skipped a header that says no length: Content-Length:" + line.str());
        else
          length = value;
      }
      continue;
    }
    if (!isHeader)
      continue;
    if (!length) {
      complain("skipped a header without Content-Length");
      return llvm::failure();
    }
    const bool isTooLong = *length > longestMessage;
    json.clear();
    if (!readBytes(*length, isTooLong ? nullptr : &json))
      return llvm::failure();
    const std::string fault =
        isTooLong ? "a message of " + std::to_string(*length) + " bytes" : faultOf(json);
    if (fault.empty())
      return llvm::success();
    complain("skipped " + fault);
    return llvm::failure();
  }
  return llvm::failure();
}

/// Only tests of LLVM's own servers write messages so.
llvm::LogicalResult StreamInput::readDelimitedMessage(std::string &) {
  ended = true;
  return llvm::failure();
}

} // namespace qdadvise
