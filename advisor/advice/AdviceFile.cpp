// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// advice.toml. Keys are laid out in the order in which a person reads them.

#include "advisor/advice/AdviceFile.h"

#include "advisor/support/Toml.h"

#include <cstdio>
#include <tuple>

namespace qdadvise {
namespace {

constexpr std::int64_t mostLines = 0xffffffff;

/// TOML's integers are signed, so a hash is text.
std::string hashText(std::uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::optional<std::uint64_t> parseHash(std::string_view text) {
  std::uint64_t hash = 0;
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, hash, 16);
  if (error != std::errc() || stop != end || text.empty())
    return std::nullopt;
  return hash;
}

std::vector<std::string> readTexts(TomlReader &reader, const toml::table &in,
                                   std::string_view key) {
  std::vector<std::string> texts;
  const toml::array *array = reader.array(in, key);
  if (!array)
    return texts;
  for (const toml::node &node : *array) {
    if (const auto *text = node.as_string())
      texts.push_back(text->get());
    else
      reader.fail(node, "'" + std::string(key) + "' must be an array of strings");
  }
  return texts;
}

/// Sets the ends of the interval in `key`, if there is one.
void readInterval(TomlReader &reader, const toml::table &in, const std::string &key, double &low,
                  double &high) {
  const toml::array *interval = reader.array(in, key);
  if (!interval)
    return;
  if (interval->size() != 2)
    return reader.fail(*interval, "'" + key + "' must be [low, high]");
  low = reader.number(*interval->get(0), key, 0).value_or(1);
  high = reader.number(*interval->get(1), key, 0).value_or(1);
  if (low > high)
    reader.fail(*interval, "'" + key + "' must be [low, high]");
}

std::optional<AdvisedGain> readGain(TomlReader &reader, const toml::table &in,
                                    const std::string &prefix) {
  const std::optional<double> speedup = reader.number(in, prefix + "speedup", 0);
  if (!speedup)
    return std::nullopt;
  AdvisedGain gain{*speedup, *speedup, *speedup};
  readInterval(reader, in, prefix + "interval", gain.low, gain.high);
  return gain;
}

void readWaits(TomlReader &reader, const toml::table &in, Advice &advice) {
  const toml::array *waits = reader.array(in, "wait_ns");
  if (!waits)
    return;
  for (const toml::node &node : *waits) {
    const toml::table *wait = node.as_table();
    if (!wait)
      return reader.fail(node, "'wait_ns' must hold tables { lock = \"…\", mean = … }");
    std::string label = reader.requiredText(*wait, "lock");
    reader.require(*wait, "mean");
    advice.waitNs.emplace_back(std::move(label), reader.number(*wait, "mean", 0).value_or(0));
  }
}

void readScaling(TomlReader &reader, const toml::table &in, Advice &advice) {
  const toml::array *points = reader.array(in, "scaling");
  if (!points)
    return;
  for (const toml::node &node : *points) {
    const toml::table *point = node.as_table();
    if (!point)
      return reader.fail(node,
                         "'scaling' must hold tables { threads = …, today = …, advised = … }");
    for (const char *key : {"threads", "today", "advised"})
      reader.require(*point, key);
    advice.scaling.push_back(
        {static_cast<int>(reader.integer(*point, "threads", 1, 1 << 30).value_or(1)),
         reader.number(*point, "today", 0).value_or(0),
         reader.number(*point, "advised", 0).value_or(0)});
  }
}

void readSite(TomlReader &reader, const toml::table &in, Advice &advice) {
  reader.require(in, "site");
  const toml::table *site = reader.table(in, "site");
  if (!site)
    return;
  const auto number = [&](std::string_view key) {
    return static_cast<std::uint32_t>(reader.integer(*site, key, 0, mostLines).value_or(0));
  };
  advice.file = reader.requiredText(*site, "file");
  advice.function = reader.requiredText(*site, "function");
  advice.expression = reader.requiredText(*site, "expression");
  advice.line = number("line");
  advice.column = number("column");
  advice.ordinal = number("ordinal");
  if (const std::optional<std::string> text = reader.text(*site, "section_hash")) {
    if (const std::optional<std::uint64_t> hash = parseHash(*text))
      advice.sectionHash = *hash;
    else
      reader.fail(*site->get("section_hash"), "'section_hash' must be hexadecimal digits");
  }
}

Advice readEntry(TomlReader &reader, const toml::table &in, const AdviceFile &file) {
  Advice advice;
  advice.lock = reader.requiredText(in, "lock");
  advice.today = reader.requiredText(in, "today");
  advice.advised = reader.requiredText(in, "advised");
  advice.label = reader.text(in, "label").value_or(advice.advised);
  advice.keep = advice.advised == advice.today;
  advice.threads =
      static_cast<int>(reader.integer(in, "threads", 1, 1 << 30).value_or(file.threads));
  advice.contentionRate = reader.number(in, "contention_rate", 0).value_or(0);
  advice.speedup = reader.number(in, "speedup", 0).value_or(1);
  advice.low = advice.high = advice.speedup;
  readInterval(reader, in, "interval", advice.low, advice.high);
  readWaits(reader, in, advice);
  readScaling(reader, in, advice);
  advice.reasons = readTexts(reader, in, "reasons");
  advice.obstacles = readTexts(reader, in, "obstacles");
  advice.whatIfs = readTexts(reader, in, "what_if");
  advice.apply = reader.text(in, "apply").value_or("");
  readSite(reader, in, advice);
  return advice;
}

void printTexts(std::ostringstream &out, const char *key, const std::vector<std::string> &texts) {
  if (texts.empty())
    return;
  out << key << " = [\n";
  for (const std::string &text : texts)
    out << "  " << tomlText(text) << ",\n";
  out << "]\n";
}

void printEntry(std::ostringstream &out, const Advice &advice) {
  out << "\n[[advice]]\n"
      << "lock = " << tomlText(advice.lock) << "\n"
      << "today = " << tomlText(advice.today) << "\n"
      << "advised = " << tomlText(advice.advised) << "\n"
      << "label = " << tomlText(advice.label) << "\n"
      << "threads = " << tomlText(advice.threads) << "\n"
      << "contention_rate = " << tomlText(advice.contentionRate) << "\n"
      << "speedup = " << tomlText(advice.speedup) << "\n"
      << "interval = [" << tomlText(advice.low) << ", " << tomlText(advice.high) << "]\n";
  if (!advice.waitNs.empty()) {
    out << "wait_ns = [\n";
    for (const auto &[label, ns] : advice.waitNs)
      out << "  { lock = " << tomlText(label) << ", mean = " << tomlText(ns) << " },\n";
    out << "]\n";
  }
  if (!advice.scaling.empty()) {
    out << "scaling = [\n";
    for (const Advice::Scaling &point : advice.scaling)
      out << "  { threads = " << tomlText(point.threads) << ", today = " << tomlText(point.today)
          << ", advised = " << tomlText(point.advised) << " },\n";
    out << "]\n";
  }
  printTexts(out, "reasons", advice.reasons);
  printTexts(out, "obstacles", advice.obstacles);
  printTexts(out, "what_if", advice.whatIfs);
  if (!advice.apply.empty())
    out << "apply = " << tomlText(advice.apply) << "\n";
  out << "[advice.site]\n"
      << "file = " << tomlText(advice.file) << "\n"
      << "line = " << tomlText(advice.line) << "\n"
      << "column = " << tomlText(advice.column) << "\n"
      << "function = " << tomlText(advice.function) << "\n"
      << "expression = " << tomlText(advice.expression) << "\n"
      << "ordinal = " << tomlText(advice.ordinal) << "\n"
      << "section_hash = " << tomlText(hashText(advice.sectionHash)) << "\n";
}

void printGain(std::ostringstream &out, const std::string &prefix,
               const std::optional<AdvisedGain> &gain) {
  if (gain)
    out << prefix << "speedup = " << tomlText(gain->speedup) << "\n"
        << prefix << "interval = [" << tomlText(gain->low) << ", " << tomlText(gain->high) << "]\n";
}

} // namespace

Expected<AdviceFile> parseAdvice(const std::string &toml, const std::string &name) {
  TomlReader reader(name);
  const toml::table root = reader.parse(toml);
  AdviceFile file;
  file.program = reader.text(root, "program").value_or("");
  file.machine = reader.text(root, "machine").value_or("");
  file.machineSource = reader.text(root, "machine_source").value_or("");
  file.date = reader.text(root, "date").value_or("");
  file.threads = static_cast<int>(reader.integer(root, "threads", 1, 1 << 30).value_or(0));
  file.cores = static_cast<int>(reader.integer(root, "cores", 1, 1 << 30).value_or(0));
  file.together = readGain(reader, root, "");
  file.wholeRun = readGain(reader, root, "run_");
  if (reader.ok())
    reader.require(root, "threads");
  if (const toml::array *entries = reader.array(root, "advice"))
    for (const toml::node &node : *entries) {
      if (const toml::table *entry = node.as_table())
        file.advice.push_back(readEntry(reader, *entry, file));
      else
        reader.fail(node, "'advice' must be an array of tables: [[advice]]");
    }
  if (!reader.ok())
    return makeError(reader.error());
  return file;
}

Expected<AdviceFile> readAdvice(const std::string &path) {
  return parseAdvice(TRY(readTextFile(path)), path);
}

void keepApplied(AdviceFile &fresh, const AdviceFile &old) {
  const auto identity = [](const Advice &one) {
    return std::tie(one.lock, one.today, one.advised, one.file, one.function, one.expression,
                    one.ordinal, one.sectionHash);
  };
  for (Advice &advice : fresh.advice)
    for (const Advice &before : old.advice)
      if (identity(advice) == identity(before))
        advice.apply = before.apply;
}

std::string printAdvice(const AdviceFile &file) {
  std::ostringstream out;
  out << "# Advice on locks: predictions, not measurements. `qdadvise advise` writes it,\n"
         "# the compiler plugin prints it at each lock site.\n";
  out << "program = " << tomlText(file.program) << "\n"
      << "machine = " << tomlText(file.machine) << "\n"
      << "machine_source = " << tomlText(file.machineSource) << "\n"
      << "date = " << tomlText(file.date) << "\n"
      << "threads = " << tomlText(file.threads) << "\n";
  if (file.cores > 0)
    out << "cores = " << tomlText(file.cores) << "\n";
  printGain(out, "", file.together);
  printGain(out, "run_", file.wholeRun);
  for (const Advice &advice : file.advice)
    printEntry(out, advice);
  return out.str();
}

} // namespace qdadvise
