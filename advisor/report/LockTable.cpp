// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/LockTable.h"

#include "advisor/profile/Names.h"
#include "advisor/support/Format.h"

#include <string_view>

namespace qdadvise {

std::string tableHeading(const std::string &title, std::string groups, std::string titles,
                         const TextStyle &style) {
  // Where there is no room for names, they stand above the figures.
  const std::string_view ofLock = " LOCK", ofSite = "   file:line function";
  if (titles.size() + ofSite.size() <= style.width) {
    groups += ofLock;
    titles += ofSite;
  }
  groups.erase(groups.find_last_not_of(' ') + 1);
  titles.erase(titles.find_last_not_of(' ') + 1);
  return fmt::format("\n{}\n{}{}\n{}\n{}", title, style.rule(), groups, titles, style.rule());
}

std::string labelled(const std::string &figures, const std::string &indent,
                     const std::string &label, const TextStyle &style) {
  if (figures.size() + indent.size() + label.size() <= style.width)
    return figures + indent + style.bold(label) + "\n";
  return indent + style.bold(label) + "\n" + figures.substr(0, figures.find_last_not_of(' ') + 1) +
         "\n";
}

std::string lockLine(const LockSummary &lock, const std::string &figures, const TextStyle &style) {
  std::string name = lock.name;
  if (lock.instances > 1 || lock.moreInstances)
    name += fmt::format(" x{}{}", lock.instances, lock.moreInstances ? "+" : "");
  return labelled(figures, " ", name, style);
}

std::string siteLine(const ProfiledSite &site, const std::string &figures, const TextStyle &style) {
  const std::string indent = "   ";
  if (site.file.empty())
    return labelled(figures, indent, site.expression, style.plain());
  const std::string place = fmt::format("{}:{}", baseName(site.file), site.line);
  const std::string function = withoutParameters(site.function);
  const std::size_t least = figures.size() + indent.size() + place.size() + 5;
  const bool hasOwnLine = figures.size() + indent.size() + place.size() > style.width;
  if (function.empty() || (least > style.width && !hasOwnLine))
    return labelled(figures, indent, place, style.plain());
  if (hasOwnLine) {
    const std::size_t before = indent.size() + place.size() + 1;
    const std::size_t room = style.width > before ? style.width - before : 0;
    return labelled(figures, indent, place + " " + fitted(function, room), style.plain());
  }
  return labelled(figures, indent, place + " " + fitted(function, style.width - least + 4),
                  style.plain());
}

} // namespace qdadvise
