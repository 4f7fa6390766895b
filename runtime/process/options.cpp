// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See options.h.
#include "runtime/process/options.h"

#include "runtime/abi/option_items.h"
#include "runtime/base/text.h"
#include "runtime/sites/path_memory.h"

#include <csignal>
#include <cstring>

namespace qdadvise::runtime {

namespace {

bool parseNumber(Span value, std::uint64_t &number) {
  number = 0;
  for (std::size_t i = 0; i < value.size; ++i) {
    const char digit = value.begin[i];
    if (digit < '0' || digit > '9' || number > (~std::uint64_t{0} >> 5))
      return false;
    number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return value.size != 0;
}

bool parseBool(Span value, bool &flag) {
  if (!value.equals("0") && !value.equals("1"))
    return false;
  flag = value.equals("1");
  return true;
}

bool parseLimit(Span value, std::uint32_t &limit, std::uint32_t most) {
  std::uint64_t number = 0;
  if (!parseNumber(value, number) || number == 0 || number > most)
    return false;
  limit = static_cast<std::uint32_t>(number);
  return true;
}

bool parseSignal(Span value, int &signal) {
  const Span bare = value.size > 3 && std::memcmp(value.begin, "SIG", 3) == 0
                        ? Span{value.begin + 3, value.size - 3}
                        : value;
  for (int known = 1; known < NSIG; ++known)
    if (const char *const name = sigabbrev_np(known);
        name && bare.equals(name) && known != SIGKILL && known != SIGSTOP) {
      signal = known;
      return true;
    }
  std::uint64_t number = 0;
  if (!parseNumber(value, number) || number == 0 || number > 64 || number == SIGKILL ||
      number == SIGSTOP)
    return false;
  signal = static_cast<int>(number);
  return true;
}

template <std::size_t size> bool parseText(Span value, char (&text)[size]) {
  if (value.size == 0 || value.size >= size)
    return false;
  std::memcpy(text, value.begin, value.size);
  text[value.size] = '\0';
  return true;
}

struct Key {
  const char *name;
  const char *wants;
  bool (*parse)(Span value, Options &options);
};

constexpr Key keys[] = {
    {"profile", "a path shorter than 4096 bytes",
     [](Span value, Options &options) {
       options.isProfileNamed = parseText(value, options.profile);
       return options.isProfileNamed;
     }},
    {"enabled", "0, 1 or never",
     [](Span value, Options &options) {
       options.never = value.equals("never");
       return parseBool(options.never ? Span{"0", 1} : value, options.enabled);
     }},
    {"threaded", "0 or 1",
     [](Span value, Options &options) { return parseBool(value, options.threaded); }},
    {"verbose", "0 or 1",
     [](Span value, Options &options) { return parseBool(value, options.verbose); }},
    {"at_any_end", "0 or 1",
     [](Span value, Options &options) { return parseBool(value, options.atAnyEnd); }},
    {"slices", "a number from 1 to 1000, or auto",
     [](Span value, Options &options) {
       options.slicesByLoad = value.equals("auto");
       return parseLimit(options.slicesByLoad ? Span{"1", 1} : value, options.slices, 1000);
     }},
    {"signal", "a signal's name or number, but not KILL or STOP",
     [](Span value, Options &options) { return parseSignal(value, options.signal); }},
    {"max_locks", "a number from 1 to 1000000",
     [](Span value, Options &options) {
       return parseLimit(value, options.limits.maxLocks, 1'000'000);
     }},
    {"max_sections", "a number from 1 to 100000",
     [](Span value, Options &options) {
       return parseLimit(value, options.limits.maxSections, 100'000);
     }},
    {"path_sites", "FILE or FILE:LINE, several with commas between them, shorter than 1024 bytes",
     [](Span value, Options &options) { return parseText(value, options.pathSites); }},
    {"path_depth", "a number from 1 to 16",
     [](Span value, Options &options) {
       return parseLimit(value, options.pathDepth, deepestPath);
     }},
    {"memory", "0 or 1",
     [](Span value, Options &options) { return parseBool(value, options.memory); }},
    {"memory_sites",
     "FILE, FILE:LINE or a lock's name, several with commas between them, shorter "
     "than 1024 bytes",
     [](Span value, Options &options) { return parseText(value, options.memorySites); }},
    {"memory_slices", "a number from 1 to 1000",
     [](Span value, Options &options) { return parseLimit(value, options.memorySlices, 1000); }},
    {"max_paths", "a number from 1 to 4096",
     [](Span value, Options &options) { return parseLimit(value, options.maxPaths, 4096); }},
};

void complainAbout(Span item, const char *what, const char *wants, void (*complain)(const char *)) {
  Text<512> message;
  message.add("QDADVISE_OPTIONS: '").add(item.begin, item.size < 200 ? item.size : 200).add("': ");
  message.add(what);
  if (wants)
    message.add(wants);
  complain(message.c_str());
}

void parseItem(Span item, Options &options, void (*complain)(const char *)) {
  const void *const equals = std::memchr(item.begin, '=', item.size);
  if (!equals)
    return complainAbout(item, "want key=value; ignored", nullptr, complain);
  const Span name{item.begin,
                  static_cast<std::size_t>(static_cast<const char *>(equals) - item.begin)};
  const Span value = unquoted({name.begin + name.size + 1, item.size - name.size - 1});
  for (const Key &key : keys)
    if (name.equals(key.name)) {
      if (!key.parse(value, options))
        complainAbout(item, "the default is used; the value must be ", key.wants, complain);
      return;
    }
  if (name.equals("counters_only"))
    return complainAbout(item,
                         "this key was dropped and is ignored; one of many slices of time costs "
                         "less and knows times, too: slices=100",
                         nullptr, complain);
  complainAbout(item,
                "unknown key, ignored; there are profile, enabled, threaded, "
                "slices, verbose, signal, at_any_end, max_locks, max_sections, path_sites, "
                "path_depth, max_paths, "
                "memory, memory_sites, memory_slices",
                nullptr, complain);
}

} // namespace

void parseOptions(const char *text, Options &options, void (*complain)(const char *message)) {
  forEachItem(text, [&](Span item) { parseItem(item, options, complain); });
}

bool Options::tellProcessesApart() {
  for (const char *at = profile; (at = std::strchr(at, '%')) && at[1]; at += 2)
    if (at[1] == 'p')
      return true;
  const std::size_t size = std::strlen(profile);
  constexpr char ending[] = ".%p";
  if (size + sizeof ending > sizeof profile)
    return false;
  std::memcpy(profile + size, ending, sizeof ending);
  return true;
}

bool expandPattern(const char *pattern, unsigned long pid, const char *host, const char *program,
                   char *out, std::size_t size) {
  Text<maxPath> path;
  for (; *pattern; ++pattern) {
    if (*pattern != '%') {
      path.add(pattern, 1);
      continue;
    }
    switch (pattern[1]) {
    case 'p':
      path.addNumber(pid);
      break;
    case 'h':
      path.add(host);
      break;
    case 'b':
      path.add(program);
      break;
    case '%':
      path.add("%");
      break;
    default:
      path.add("%");
      continue;
    }
    ++pattern;
  }
  const std::size_t length = std::strlen(path.c_str());
  if (path.wasCut() || length >= size)
    return false;
  std::memcpy(out, path.c_str(), length + 1);
  return true;
}

} // namespace qdadvise::runtime
