// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/Names.h"

#include "advisor/support/Format.h"

#include <cstdlib>
#include <cxxabi.h>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <tuple>

namespace qdadvise {
namespace {

std::string place(const std::string &file, std::uint32_t line) {
  return file.empty() ? std::string() : fmt::format("{}:{}", baseName(file), line);
}

/// Where the parenthesis that ends at `close` opens, or npos.
std::size_t openingOf(std::string_view text, std::size_t close) {
  std::size_t depth = 0;
  for (std::size_t at = close + 1; at-- > 0;) {
    depth += text[at] == ')';
    depth -= text[at] == '(';
    if (depth == 0)
      return at;
  }
  return std::string_view::npos;
}

/// What a std::thread runs, from the name of the C++ library's type that holds it: `member of
/// Server` for a member function, `function void (int)` for a function, since the type has no names
/// of functions, and the name of a lambda. "" for any other type.
std::string threadFunction(const std::string &typeName) {
  if (typeName.rfind("NSt6thread", 0) != 0)
    return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(typeName.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !demangled)
    return {};
  std::string name = demangled.get();
  constexpr std::string_view hidden = "(anonymous namespace)::";
  for (std::size_t at = name.find(hidden); at != std::string::npos; at = name.find(hidden))
    name.erase(at, hidden.size());
  constexpr std::string_view before = "_Invoker<std::tuple<";
  const std::size_t begin = name.find(before);
  if (begin == std::string::npos)
    return {};
  name.erase(0, begin + before.size());
  // The first type of the tuple ends at a comma or the closing bracket outside of all brackets.
  int depth = 0;
  std::size_t end = 0;
  for (; end < name.size(); ++end) {
    const char c = name[end];
    if (depth == 0 && (c == ',' || c == '>'))
      break;
    depth += (c == '<' || c == '(' || c == '{') - (c == '>' || c == ')' || c == '}');
  }
  name.resize(end);
  const std::size_t member = name.find("::*)");
  const std::size_t open = name.rfind('(', member);
  if (member != std::string::npos && open != std::string::npos)
    return "member of " + name.substr(open + 1, member - open - 1);
  constexpr std::string_view pointer = "(*)";
  if (const std::size_t at = name.find(pointer); at != std::string::npos)
    return "function " + name.erase(at, pointer.size());
  return name;
}

/// `f<A>::(lambda)` for `f<A>(A const &)::(lambda)`: threads are told apart by less. `main()`
/// stays, as nothing is shorter for it.
std::string withoutOuterParameters(const std::string &name) {
  const std::size_t lambda = name.rfind("::(lambda");
  if (lambda == std::string::npos)
    return name;
  const std::string outer = name.substr(0, lambda);
  const bool hasParameters = !outer.ends_with("()");
  return (hasParameters ? withoutParameters(outer) : outer) + name.substr(lambda);
}

} // namespace

std::string withoutParameters(const std::string &function) {
  const std::size_t close = function.rfind(')');
  if (close == std::string::npos)
    return function;
  // These may follow the parameters. Anything else is part of the name.
  static const std::set<std::string> qualifiers{"",   " const", " const &",  " const &&",
                                                " &", " &&",    " noexcept", " volatile"};
  const std::size_t open = openingOf(function, close);
  if (open == std::string::npos || !qualifiers.contains(function.substr(close + 1)))
    return function;
  const std::string name = function.substr(0, open);
  // The name of a lambda or an unnamed namespace itself ends in parentheses.
  return name.empty() || name.back() == ':' ? function : name;
}

std::string nameOfFrame(const CallFrame &frame) {
  if (!frame.function.empty())
    return frame.function;
  return fmt::format("{}+{:#x}", baseName(frame.address.module), frame.address.offset);
}

std::vector<std::string> makeUnique(std::vector<std::string> names,
                                    const std::vector<std::string> &suffixes) {
  std::map<std::string, std::size_t> count;
  for (const std::string &name : names)
    ++count[name];
  for (std::size_t i = 0; i < names.size(); ++i)
    if (count[names[i]] > 1 && !suffixes[i].empty())
      names[i] += suffixes[i];
  std::set<std::string> taken;
  for (std::string &name : names) {
    const std::string wanted = name;
    for (std::size_t number = 2; !taken.insert(name).second; ++number)
      name = fmt::format("{} #{}", wanted, number);
  }
  return names;
}

std::vector<std::string> lockNames(const Profile &profile) {
  std::vector<const ProfiledSite *> busiest(profile.lockClasses.size(), nullptr);
  for (const ProfiledSection &section : profile.sections) {
    const ProfiledSite &site = profile.sites[section.site];
    const ProfiledSite *&best = busiest[section.lockClass];
    if (!best || site.executed > best->executed)
      best = &site;
  }
  std::vector<std::string> names, suffixes;
  for (std::size_t i = 0; i < profile.lockClasses.size(); ++i) {
    const ProfiledLockClass &lock = profile.lockClasses[i];
    const std::string declared = place(lock.declFile, lock.declLine);
    const std::string used = busiest[i] ? place(busiest[i]->file, busiest[i]->line) : "";
    const std::string where = declared.empty() ? used : declared;
    std::string name = lock.name;
    if (name.empty()) {
      name = busiest[i] && !busiest[i]->expression.empty() ? busiest[i]->expression : "lock";
      name += where.empty() ? "" : "@" + where;
      suffixes.emplace_back();
    } else {
      suffixes.push_back(where.empty() ? "" : "@" + where);
    }
    names.push_back(std::move(name));
  }
  return makeUnique(std::move(names), suffixes);
}

std::vector<std::string> siteNames(const Profile &profile) {
  std::vector<std::string> names, suffixes;
  for (const ProfiledSite &site : profile.sites) {
    const std::string function = withoutParameters(site.function);
    const std::string base = function.empty() ? baseName(site.file) : function;
    const std::string fallback = site.expression.empty() ? "site" : site.expression;
    names.push_back(base.empty() ? fallback : fmt::format("{}:{}", base, site.line));
    suffixes.push_back(fmt::format(":{}", site.column));
  }
  return makeUnique(std::move(names), suffixes);
}

std::vector<std::string> threadClassNames(const Profile &profile) {
  std::vector<std::string> names, suffixes;
  for (const ProfiledThreadClass &thread : profile.threadClasses) {
    const std::string where = place(thread.file, thread.line);
    const std::string fallback = where.empty() ? "thread" : "thread@" + where;
    const std::string function = threadFunction(thread.name);
    const std::string name =
        withoutOuterParameters(function.empty() ? withoutParameters(thread.name) : function);
    names.push_back(name.empty() ? fallback : name);
    suffixes.push_back(where.empty() || name.empty() ? "" : "@" + where);
  }
  return makeUnique(std::move(names), suffixes);
}

bool isDeclaredAs(const ProfiledSite &site, const ProfiledLockClass &lock) {
  return !site.declFile.empty() &&
         std::tie(site.lockName, site.lockType, site.declFile, site.declLine, site.declColumn) ==
             std::tie(lock.name, lock.type, lock.declFile, lock.declLine, lock.declColumn);
}

} // namespace qdadvise
