// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading TOML with errors that name their place, and writing single values.
// Include it in one .cpp of a library only: TOML++ is large, and its types are not
// for interfaces. Needs no exceptions and no run-time type information.
#pragma once

#ifndef TOML_EXCEPTIONS
#define TOML_EXCEPTIONS 0
#endif
#ifndef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#endif

#include "advisor/support/Error.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <toml++/toml.h>
#include <utility>

namespace qdadvise {

/// A value on one line, quoted and escaped where it has to be.
inline std::string tomlText(std::string_view value) {
  std::ostringstream out;
  const toml::value<std::string> node{std::string(value)};
  out << toml::toml_formatter(node, toml::format_flags::allow_unicode_strings);
  return out.str();
}
/// The shortest text that reads back as the same number; TOML++ writes 17 digits.
inline std::string tomlText(double value) {
  std::array<char, 32> digits{};
  char *const first = digits.data();
  char *const last = first + digits.size();
  // 3000000.0 is easier on the eye than 3e+06.
  const bool plain = std::abs(value) < 1e15 && value == std::trunc(value);
  char *const end = plain ? std::to_chars(first, last, value, std::chars_format::fixed).ptr
                          : std::to_chars(first, last, value).ptr;
  std::string text(first, end);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}
inline std::string tomlText(std::int64_t value) { return std::to_string(value); }
inline std::string tomlText(bool value) { return value ? "true" : "false"; }
/// Without these a `const char *` would become a bool, and a smaller integer be ambiguous.
inline std::string tomlText(const char *value) { return tomlText(std::string_view(value)); }
inline std::string tomlText(int value) { return std::to_string(value); }
inline std::string tomlText(std::uint32_t value) { return std::to_string(value); }

/// Typed access to a TOML document. The first thing that is wrong is kept as
/// `file:line:column: error: …`; whatever is asked afterwards is still answered, so
/// that a caller may read everything and look at `error()` once at the end.
class TomlReader {
public:
  /// `name` is the file as shown in errors.
  explicit TomlReader(std::string name) : name(std::move(name)) {}

  /// The root of the document; an empty table where the text is not TOML.
  toml::table parse(std::string_view text) {
    toml::parse_result result = toml::parse(text, std::string_view(name));
    if (result)
      return std::move(result).table();
    failAt(result.error().source().begin, result.error().description());
    return {};
  }

  bool ok() const { return message.empty(); }
  /// Empty while nothing is wrong.
  const std::string &error() const { return message; }

  void fail(const toml::node &at, std::string_view what) { failAt(at.source().begin, what); }
  void failAtKey(const toml::key &at, std::string_view what) { failAt(at.source().begin, what); }

  // The optional keys of a table: nothing where the key is absent, or where it is
  // there and wrong, which `error()` then tells.

  std::optional<std::string> text(const toml::table &in, std::string_view key) {
    const toml::node *node = in.get(key);
    if (!node)
      return std::nullopt;
    if (const auto *value = node->as_string())
      return value->get();
    failKey(*node, key, "must be a string");
    return std::nullopt;
  }

  std::optional<bool> boolean(const toml::table &in, std::string_view key) {
    const toml::node *node = in.get(key);
    if (!node)
      return std::nullopt;
    if (const auto *value = node->as_boolean())
      return value->get();
    failKey(*node, key, "must be true or false");
    return std::nullopt;
  }

  std::optional<std::int64_t>
  integer(const toml::table &in, std::string_view key,
          std::int64_t least = std::numeric_limits<std::int64_t>::min(),
          std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
    const toml::node *node = in.get(key);
    if (!node)
      return std::nullopt;
    const auto *value = node->as_integer();
    if (!value)
      failKey(*node, key, "must be a whole number");
    else if (value->get() < least)
      failKey(*node, key, "must be at least " + std::to_string(least));
    else if (value->get() > most)
      failKey(*node, key, "must be at most " + std::to_string(most));
    else
      return value->get();
    return std::nullopt;
  }

  /// A finite number, written with or without a point.
  std::optional<double> number(const toml::table &in, std::string_view key,
                               double least = -std::numeric_limits<double>::infinity(),
                               double most = std::numeric_limits<double>::infinity()) {
    const toml::node *node = in.get(key);
    return node ? number(*node, key, least, most) : std::nullopt;
  }

  /// The same for a node already at hand, an element of an array say; `what` names it.
  std::optional<double> number(const toml::node &node, std::string_view what,
                               double least = -std::numeric_limits<double>::infinity(),
                               double most = std::numeric_limits<double>::infinity()) {
    double value = 0;
    if (const auto *real = node.as_floating_point())
      value = real->get();
    else if (const auto *whole = node.as_integer())
      value = static_cast<double>(whole->get());
    else {
      failKey(node, what, "must be a number");
      return std::nullopt;
    }
    if (!std::isfinite(value))
      failKey(node, what, "must be a finite number");
    else if (value < least)
      failKey(node, what,
              least == 0 ? std::string("must not be negative")
                         : "must be at least " + tomlText(least));
    else if (value > most)
      failKey(node, what, "must be at most " + tomlText(most));
    else
      return value;
    return std::nullopt;
  }

  const toml::table *table(const toml::table &in, std::string_view key) {
    const toml::node *node = in.get(key);
    if (node && !node->is_table())
      failKey(*node, key, "must be a table");
    return node ? node->as_table() : nullptr;
  }

  const toml::array *array(const toml::table &in, std::string_view key) {
    const toml::node *node = in.get(key);
    if (node && !node->is_array())
      failKey(*node, key, "must be an array");
    return node ? node->as_array() : nullptr;
  }

  /// Fails, at the table, where a required key is absent.
  void require(const toml::table &in, std::string_view key) {
    if (!in.get(key))
      fail(in, "the required key '" + std::string(key) + "' is missing");
  }

  std::string requiredText(const toml::table &in, std::string_view key) {
    require(in, key);
    return text(in, key).value_or("");
  }

private:
  void failKey(const toml::node &node, std::string_view key, const std::string &what) {
    fail(node, "'" + std::string(key) + "' " + what);
  }

  void failAt(toml::source_position at, std::string_view what) {
    if (!message.empty())
      return;
    // A position of 0 is TOML++'s word for unknown: the document's begin is nearest.
    const auto atLeastOne = [](toml::source_index index) {
      return std::to_string(index ? index : 1);
    };
    message = name + ":" + atLeastOne(at.line) + ":" + atLeastOne(at.column) + ": error: ";
    // One line, whatever the description holds.
    for (const char c : what)
      message += c == '\n' || c == '\r' ? ' ' : c;
  }

  std::string name, message;
};

inline Expected<std::string> readTextFile(const std::string &path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code))
    return makeError("cannot read '" + path + "': it is a folder");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return makeError("cannot read '" + path + "': " +
                     (std::filesystem::exists(path, code) ? "permission denied" : "no such file"));
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad())
    return makeError("cannot read '" + path + "'");
  return text;
}

} // namespace qdadvise
