// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/support/Format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <span>
#include <string_view>

namespace qdadvise {
namespace {

std::string fixedPoint(double value, int digits) {
  char text[400]; // the largest double has 309 digits
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// With so many significant digits, no zeros at the end, and an exponent where it is shorter.
std::string significant(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

struct Unit {
  double size;
  const char *name;
};
constexpr Unit durationUnits[] = {{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}, {1, " ns"}};
constexpr Unit rateUnits[] = {{1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, ""}};
constexpr Unit ratioUnits[] = {{1, ""}};

/// The largest unit of which three digits of the value are one at least.
const Unit &unitOf(double value, std::span<const Unit> units) {
  for (const Unit &unit : units)
    if (value >= 0.9995 * unit.size)
      return unit;
  return units.back();
}

std::span<const Unit> unitsOf(Quantity quantity) {
  switch (quantity) {
  case Quantity::rate:
    return rateUnits;
  case Quantity::duration:
    return durationUnits;
  case Quantity::ratio:
    break;
  }
  return ratioUnits;
}

/// Where the word at `begin` ends; a number and its unit are one word.
std::size_t endOfWord(const std::string &text, std::size_t begin) {
  const std::size_t end = std::min(text.find(' ', begin), text.size());
  if (end == text.size() || text[end - 1] < '0' || text[end - 1] > '9')
    return end;
  const std::size_t next = std::min(text.find_first_of(" ,;:)", end + 1), text.size());
  const std::string unit = text.substr(end + 1, next - end - 1);
  for (const char *known : {"ns", "us", "ms", "s"})
    if (unit == known)
      return std::min(text.find(' ', end + 1), text.size());
  return end;
}

} // namespace

std::string formatDuration(double ns) {
  if (!std::isfinite(ns))
    return "unlimited";
  if (ns < 0.005)
    return "0 ns";
  // 999.5 ns would be printed as 1000 ns: the next unit says it shorter.
  const Unit *unit = std::end(durationUnits) - 1;
  while (unit != durationUnits && ns / unit->size >= 999.5)
    --unit;
  const double value = ns / unit->size;
  return fixedPoint(value, value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2) + unit->name;
}

std::string formatPercent(double share) {
  const double percent = share * 100;
  if (percent <= 0)
    return "0%";
  if (percent < 0.1)
    return "less than 0.1%";
  return fixedPoint(percent, percent < 9.95 ? 1 : 0) + "%";
}

std::string formatFactor(double factor, double like) {
  return fixedPoint(factor, like >= 99.5 ? 0 : like >= 1.95 ? 1 : 2) + "x";
}

std::string formatCount(double count) {
  return count >= 1e4 ? formatRate(count) : fixedPoint(count, 0);
}

std::string formatRate(double perS) {
  return perS >= 1e6   ? significant(perS / 1e6, 3) + " million"
         : perS >= 1e4 ? significant(perS / 1e3, 3) + " thousand"
         : perS >= 1e3 ? fixedPoint(perS, 0)
                       : significant(perS, 3);
}

std::string plural(std::uint64_t count, const std::string &singular) {
  return std::to_string(count) + " " + singular + (count == 1 ? "" : "s");
}

std::string formatThreads(int threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

std::string withArticle(const std::string &label) {
  // Capitals are spelled: "an MCS lock".
  const bool vowel =
      !label.empty() && std::string_view("aeiouAEFHILMNORSX").find(label[0]) != std::string::npos;
  return (vowel ? "an " : "a ") + label;
}

std::string enumerated(const std::vector<std::string> &items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i)
    text += (i == 0 ? "" : i + 1 < items.size() ? ", " : " and ") + items[i];
  return text;
}

std::string someOf(const std::vector<std::string> &names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more"
                             : text;
}

std::string formatPlace(const std::string &file, std::uint32_t line) {
  return line ? file + ":" + std::to_string(line) : file;
}

std::string baseName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

std::string formatHold(double ns) {
  return ns < shortestMeasuredNs ? "under " + significant(shortestMeasuredNs, 3) + " ns"
                                 : formatDuration(ns);
}

std::string shortHold(double ns) {
  return ns < shortestMeasuredNs ? "<" + significant(shortestMeasuredNs, 3) + "ns"
                                 : shortDuration(ns);
}

std::string shortDuration(double ns) {
  std::string text = formatDuration(ns);
  std::erase(text, ' ');
  return text;
}

std::string shortPercent(double share) {
  return fixedPoint(100 * share, share < 0.9995 ? 1 : 0) + "%";
}

std::string precisePercent(double share) { return fixedPoint(100 * share, 1) + "%"; }

std::string shortNumber(double value) {
  return value >= 1e7   ? fixedPoint(value / 1e6, 0) + "M"
         : value >= 1e4 ? fixedPoint(value / 1e3, 0) + "k"
                        : fixedPoint(value, value >= 100  ? 0
                                            : value >= 10 ? 1
                                                          : 2);
}

std::string shortRate(double perS) {
  return perS >= 1e7   ? fixedPoint(perS / 1e6, 0) + "M"
         : perS >= 1e5 ? fixedPoint(perS / 1e3, 0) + "k"
         : perS >= 10  ? fixedPoint(perS, 0)
                       : significant(perS, 2);
}

std::string shortMean(double value) { return fixedPoint(value, value >= 99.95 ? 0 : 2); }

std::string prefixedRate(double perS) {
  const auto &[size, name] = unitOf(perS, rateUnits);
  return significant(perS / size, 3) + name;
}

std::string formatRange(double low, double high, Quantity quantity) {
  const auto &[size, name] = unitOf(high, unitsOf(quantity));
  const auto digits = [scale = size](double value) {
    return significant(value / scale, value >= 99.5 * scale ? 3 : 2);
  };
  return digits(low) + "-" + digits(high) + name;
}

std::string fitted(std::string name, std::size_t room) {
  for (std::size_t scope = name.find("::"); name.size() > room && scope != std::string::npos;
       scope = name.find("::"))
    name.erase(0, scope + 2);
  if (name.size() > room)
    name = room > 2 ? name.substr(0, room - 2) + ".." : "";
  return name;
}

std::string beginningOf(const std::string &text, std::size_t room) {
  const std::string gap = "...";
  if (text.size() <= room || room <= gap.size())
    return text.substr(0, room);
  const std::size_t space = text.rfind(' ', room - gap.size());
  return text.substr(0, space == std::string::npos ? room - gap.size() : space) + gap;
}

std::string endOf(const std::string &name, std::size_t room) {
  return name.size() <= room ? name : "..." + name.substr(name.size() - (room - 3));
}

std::string bothEndsOf(const std::string &name, std::size_t room) {
  constexpr std::string_view gap = "..";
  if (name.size() <= room || room <= gap.size())
    return name.substr(0, room);
  // The end tells members of one class apart, and has the odd character.
  const std::size_t kept = room - gap.size(), before = kept / 2;
  return name.substr(0, before) + std::string(gap) + name.substr(name.size() - (kept - before));
}

std::string lockNameWithin(std::string name, std::size_t room) {
  if (name.size() > room)
    if (const std::size_t open = name.find('<'), close = name.rfind('>');
        open != std::string::npos && close != std::string::npos && close > open)
      name.replace(open + 1, close - open - 1, "..");
  // A member keeps its class.
  for (std::size_t scope = name.find("::");
       name.size() > room && scope != name.rfind("::") && scope < name.find('<');
       scope = name.find("::"))
    name.erase(0, scope + 2);
  return bothEndsOf(name, room);
}

std::vector<std::string> lockNamesWithin(const std::vector<std::string> &names, std::size_t room) {
  std::vector<std::string> result;
  std::map<std::string, std::size_t> times;
  for (const std::string &name : names)
    ++times[result.emplace_back(lockNameWithin(name, room))];
  for (std::size_t i = 0; i < names.size(); ++i)
    if (times[result[i]] > 1)
      result[i] = bothEndsOf(names[i], room);
  return result;
}

std::string wrapped(const std::string &text, std::size_t indent, std::size_t width) {
  std::string result, line;
  // What the text itself begins with stands before its first word.
  std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  line = text.substr(0, begin);
  bool empty = true;
  while (begin < text.size()) {
    const std::size_t end = endOfWord(text, begin);
    if (!empty && line.size() + 1 + (end - begin) > width) {
      result += line + "\n";
      line = std::string(indent, ' ');
      empty = true;
    }
    line += empty ? "" : " ";
    line += text.substr(begin, end - begin);
    empty = false;
    begin = std::min(text.find_first_not_of(' ', end), text.size());
  }
  return result + line + "\n";
}

} // namespace qdadvise
