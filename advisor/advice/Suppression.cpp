// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/advice/Suppression.h"

namespace qdadvise {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos)
    return pattern == text;
  if (!text.starts_with(pattern.substr(0, star)))
    return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t from = star; from <= text.size(); ++from)
    if (matches(rest, text.substr(from)))
      return true;
  return false;
}

/// Whether the pattern fits the path, or the end of it from one of its folders on.
bool matchesPath(std::string_view pattern, std::string_view path) {
  if (matches(pattern, path))
    return true;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1))
    if (matches(pattern, path.substr(slash + 1)))
      return true;
  return false;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

} // namespace

const Suppression *suppressionOf(const std::vector<Suppression> &all, std::string_view lock,
                                 std::string_view file, std::string_view function) {
  const std::string_view name = function.substr(0, function.find('('));
  for (const Suppression &one : all)
    if ((one.lock.empty() || matches(one.lock, lock)) &&
        (one.file.empty() || matchesPath(one.file, file)) &&
        (one.function.empty() || matches(one.function, function) || matches(one.function, name)))
      return &one;
  return nullptr;
}

std::optional<std::string> keepComment(std::string_view line) {
  constexpr std::string_view mark = "qdadvise:", verb = "keep";
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos)
    return std::nullopt;
  const std::string_view before = trimmed(line.substr(0, at));
  if (!before.ends_with("//") && !before.ends_with("/*"))
    return std::nullopt;
  std::string_view rest = trimmed(line.substr(at + mark.size()));
  if (!rest.starts_with(verb))
    return std::nullopt;
  rest = rest.substr(verb.size());
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '(' && rest.front() != '*')
    return std::nullopt;
  rest = trimmed(rest.substr(0, rest.find("*/")));
  if (rest.size() >= 2 && rest.front() == '(' && rest.back() == ')')
    rest = trimmed(rest.substr(1, rest.size() - 2));
  return std::string(rest);
}

std::optional<std::string> keepCommentAt(std::string_view above, std::string_view line) {
  if (std::optional<std::string> here = keepComment(line))
    return here;
  const std::string_view alone = trimmed(above);
  return alone.starts_with("//") || alone.starts_with("/*") ? keepComment(above) : std::nullopt;
}

} // namespace qdadvise
