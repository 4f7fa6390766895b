// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/network/NetworkReader.h"

#include "advisor/network/NetworkNames.h"
#include "advisor/network/Validation.h"
#include "advisor/support/SectionFactNames.h"
#include "advisor/support/Toml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace qdadvise {

namespace {

/// The coefficient of variation that a distribution implies, if it implies one.
std::optional<double> impliedCv(Distribution dist) {
  if (dist == Distribution::exponential)
    return 1;
  if (dist == Distribution::deterministic)
    return 0;
  return std::nullopt;
}

class NetworkReader {
public:
  explicit NetworkReader(const std::string &name) : in(name) {}

  Expected<Network> read(const std::string &toml) {
    const toml::table root = in.parse(toml);
    checkKeys(root, "the file", {"phases", "run", "lock", "section", "class", "transition"});
    network.phases = readShares(root, "phases");
    if (const toml::table *run = in.table(root, "run"))
      readRun(*run);
    const auto *locks = tables(root, "lock");
    const auto *sections = tables(root, "section");
    const auto *classes = tables(root, "class");
    const auto *transitions = tables(root, "transition");
    forEach(locks, [&](const toml::table &at) { readLock(at); });
    // Names come first, because a section may be nested in one that stands further down.
    forEach(sections, [&](const toml::table &at) {
      addName(sectionIndex, in.requiredText(at, "name"), at, "section");
    });
    forEach(sections, [&](const toml::table &at) { readSection(at); });
    forEach(classes, [&](const toml::table &at) { readClass(at); });
    forEach(transitions, [&](const toml::table &at) { readTransition(at); });
    if (in.ok())
      if (const auto found = findViolation(network))
        in.fail(place(root, *found, {locks, sections, classes, transitions}), found->message);
    if (!in.ok())
      return makeError(in.error());
    return std::move(network);
  }

private:
  /// An array of tables. Reports an error and returns null where it is something else.
  const toml::array *tables(const toml::table &root, std::string_view key) {
    const toml::array *array = in.array(root, key);
    if (!array)
      return nullptr;
    for (const toml::node &node : *array)
      if (!node.is_table()) {
        in.fail(node, fmt::format("every [[{}]] must be a table", key));
        return nullptr;
      }
    return array;
  }

  template <typename F> static void forEach(const toml::array *array, F function) {
    if (array)
      for (const toml::node &node : *array)
        function(*node.as_table());
  }

  static const toml::node &place(const toml::table &root, const NetworkViolation &found,
                                 const std::array<const toml::array *, 4> &parts) {
    using Part = NetworkViolation::Part;
    if (found.part == Part::run)
      if (const toml::node *run = root.get("run"))
        return *run;
    static constexpr std::array order{Part::lock, Part::section, Part::threadClass,
                                      Part::transition};
    for (std::size_t i = 0; i < order.size(); ++i)
      if (order[i] == found.part && parts[i] && found.index < parts[i]->size())
        return *parts[i]->get(found.index);
    return root;
  }

  /// Refuses unknown keys, since a misspelt one would silently be a default.
  void checkKeys(const toml::table &at, const char *what,
                 const std::vector<std::string_view> &known) {
    for (const auto &[key, node] : at) {
      bool found = false;
      for (const auto name : known)
        found = found || key.str() == name;
      if (!found)
        in.fail(node, fmt::format("unknown key '{}' in {}", key.str(), what));
    }
  }

  Duration readDuration(const toml::table &at, const char *key, bool required,
                        double *blocked = nullptr) {
    Duration duration;
    if (required)
      in.require(at, key);
    const toml::table *table = in.table(at, key);
    if (!table) {
      duration.cv = 0;
      return duration;
    }
    std::vector<std::string_view> known{"mean", "cv",      "skewness",
                                        "dist", "samples", "inefficiency"};
    if (blocked)
      known.push_back("blocked");
    checkKeys(*table, "a time", known);
    in.require(*table, "mean");
    duration.mean = in.number(*table, "mean", 0).value_or(0);
    if (const auto dist = in.text(*table, "dist")) {
      for (const auto &[name, value] : distributionNames)
        if (*dist == name)
          duration.dist = value;
      if (duration.dist == Distribution::unspecified)
        in.fail(*table->get("dist"),
                fmt::format("unknown distribution '{}': known are exponential, deterministic, "
                            "uniform, lognormal, gamma",
                            *dist));
    }
    const auto implied = impliedCv(duration.dist);
    duration.cv = in.number(*table, "cv", 0).value_or(implied.value_or(1));
    if (implied && duration.cv != *implied)
      in.fail(*table->get("cv"), fmt::format("this distribution has a cv of {}", *implied));
    duration.skewness = in.number(*table, "skewness");
    if (duration.skewness && duration.dist != Distribution::unspecified)
      in.fail(*table->get("skewness"), "the skewness follows from 'dist': give one of them");
    duration.samples = static_cast<std::uint64_t>(in.integer(*table, "samples", 0).value_or(0));
    duration.inefficiency = in.number(*table, "inefficiency", 1).value_or(1);
    if (blocked)
      *blocked = in.number(*table, "blocked", 0).value_or(0);
    return duration;
  }

  RunCopies readCopies(const toml::table &at) {
    checkKeys(at, "copies", {"cpu", "processors", "slowdowns"});
    for (const char *key : {"processors", "slowdowns"})
      in.require(at, key);
    RunCopies copies;
    copies.cpu = in.text(at, "cpu").value_or("");
    copies.processors = static_cast<int>(in.integer(at, "processors", 2, 1'000'000).value_or(2));
    if (const toml::array *rows = in.array(at, "slowdowns"))
      for (const toml::node &node : *rows) {
        const toml::array *row = node.as_array();
        if (!row || row->size() != 3) {
          in.fail(node,
                  "a row of 'slowdowns' must be three numbers: copies at once, how many times "
                  "the processor time one of them takes, and the deviation");
          return copies;
        }
        const double number = in.number(*row->get(0), "slowdowns", 2, 1'000'000).value_or(2);
        if (number != std::floor(number))
          in.fail(*row->get(0), "a row of 'slowdowns' begins with a whole number of copies");
        copies.rows.push_back({static_cast<int>(number),
                               in.number(*row->get(1), "slowdowns", 0).value_or(1),
                               in.number(*row->get(2), "slowdowns", 0).value_or(0)});
      }
    return copies;
  }

  void readRun(const toml::table &at) {
    checkKeys(at, "a run",
              {"serial", "parallel", "threads", "what", "longest_stretch", "barrier_stretch",
               "ends", "open_serial", "guessed_stages", "barriers", "fixed_work", "work",
               "computing", "processors", "copies"});
    in.require(at, "serial");
    in.require(at, "parallel");
    Run run;
    run.serialNs = in.number(at, "serial", 0).value_or(0);
    run.parallelNs = in.number(at, "parallel", 0).value_or(0);
    run.threads = static_cast<int>(in.integer(at, "threads", 1, 1'000'000).value_or(1));
    run.serial = in.requiredText(at, "what");
    run.longestStretch = in.number(at, "longest_stretch", 0).value_or(0);
    run.barrierStretch = in.number(at, "barrier_stretch", 0).value_or(0);
    run.ends = in.number(at, "ends", 0).value_or(0);
    run.openSerial = in.number(at, "open_serial", 0).value_or(0);
    run.guessedStages = in.number(at, "guessed_stages", 0).value_or(0);
    run.barriers = in.number(at, "barriers", 0).value_or(0);
    run.fixedWork = in.number(at, "fixed_work", 0).value_or(0);
    run.work = in.number(at, "work", 0).value_or(0);
    run.computing = in.number(at, "computing", 0).value_or(run.computingUnlessTold());
    run.processors = in.number(at, "processors", 0).value_or(run.computing);
    if (const toml::table *copies = in.table(at, "copies"))
      run.copies = readCopies(*copies);
    network.run = std::move(run);
  }

  std::vector<SourceSite> readSites(const toml::table &at, const char *key) {
    std::vector<SourceSite> sites;
    if (const toml::array *all = in.array(at, key))
      for (const toml::node &one : *all) {
        if (const toml::table *site = one.as_table())
          sites.push_back(readSite(*site));
        else
          in.fail(one,
                  fmt::format("'{}' must be an array of tables, each of which says where", key));
      }
    return sites;
  }

  void readLock(const toml::table &at) {
    checkKeys(at, "a lock",
              {"name", "kind", "assumed", "per_thread", "guessed", "own", "instances", "shares",
               "waits", "never_ran"});
    Lock lock;
    lock.name = in.requiredText(at, "name");
    lock.kind = GivenKind(in.requiredText(at, "kind"));
    lock.assumed = in.boolean(at, "assumed").value_or(false);
    lock.perThread = in.boolean(at, "per_thread").value_or(false);
    lock.guessed = in.boolean(at, "guessed").value_or(false);
    lock.own = in.number(at, "own", 0, 1).value_or(0);
    lock.instances =
        static_cast<std::uint32_t>(in.integer(at, "instances", 1, 1'000'000).value_or(1));
    lock.shares = readShares(at, "shares");
    lock.waits = readSites(at, "waits");
    lock.neverRan = readSites(at, "never_ran");
    addName(lockIndex, lock.name, at, "lock");
    network.locks.push_back(std::move(lock));
  }

  void addName(std::map<std::string, std::size_t> &index, const std::string &name,
               const toml::table &at, const char *what) {
    if (!index.try_emplace(name, index.size()).second)
      in.fail(at, fmt::format("{} '{}': this name is used twice", what, name));
  }

  std::size_t find(const std::map<std::string, std::size_t> &index, const toml::table &at,
                   const char *key, const char *what) {
    const std::string name = in.requiredText(at, key);
    const auto found = index.find(name);
    if (found != index.end())
      return found->second;
    if (const toml::node *node = at.get(key))
      in.fail(*node, fmt::format("there is no {} named '{}'", what, name));
    return 0;
  }

  std::vector<double> readShares(const toml::table &at, const char *key) {
    std::vector<double> result;
    if (const toml::array *shares = in.array(at, key))
      for (const toml::node &share : *shares)
        result.push_back(in.number(share, key, 0).value_or(0));
    return result;
  }

  /// Rows of two numbers, which `what` are.
  template <typename Row>
  std::vector<Row> readPairs(const toml::table &at, const char *key, const char *what) {
    std::vector<Row> rows;
    const toml::array *array = in.array(at, key);
    if (!array)
      return rows;
    for (const toml::node &node : *array) {
      const toml::array *row = node.as_array();
      if (!row || row->size() != 2) {
        in.fail(node, fmt::format("a row of '{}' must be two numbers: {}", key, what));
        return {};
      }
      rows.push_back({in.number(*row->get(0), key, 0).value_or(0),
                      in.number(*row->get(1), key, 0).value_or(0)});
    }
    return rows;
  }

  Footprint readFootprint(const toml::table &at) {
    checkKeys(at, "a footprint", {"read", "written", "chained"});
    const auto lines = [&](const char *key) {
      return readPairs<Footprint::Lines>(
          at, key, "executions that have read a line since it was written, and lines");
    };
    return {lines("read"), lines("written"), in.number(at, "chained", 0).value_or(0)};
  }

  void readSection(const toml::table &at) {
    checkKeys(at, "a section",
              {"name", "lock", "hold", "mode", "inside", "visits", "site", "footprint", "untimed",
               "delayed", "phases"});
    Section section;
    section.name = in.requiredText(at, "name");
    section.lock = find(lockIndex, at, "lock", "lock");
    section.hold = readDuration(at, "hold", true);
    if (const auto mode = in.text(at, "mode")) {
      if (*mode != "exclusive" && *mode != "shared")
        in.fail(*at.get("mode"), "'mode' must be \"exclusive\" or \"shared\"");
      section.shared = *mode == "shared";
    }
    if (at.get("inside"))
      section.inside = find(sectionIndex, at, "inside", "section");
    section.visits = in.number(at, "visits", 0).value_or(section.inside ? 1 : 0);
    section.untimed = in.boolean(at, "untimed").value_or(false);
    section.delayed = in.boolean(at, "delayed").value_or(false);
    if (const toml::table *site = in.table(at, "site"))
      section.site = readSite(*site);
    if (const toml::table *footprint = in.table(at, "footprint"))
      section.footprint = readFootprint(*footprint);
    section.phases = readPairs<SectionInPhase>(
        at, "phases", "the holding time over that of the whole run, and visits over those");
    network.sections.push_back(std::move(section));
  }

  /// The value of one of the names that a list under `key` may hold.
  template <typename Value, std::size_t count>
  std::uint64_t readBit(const toml::node &at, const char *key,
                        const std::array<std::pair<const char *, Value>, count> &names) {
    const auto *text = at.as_string();
    std::string known;
    for (const auto &[name, value] : names) {
      if (text && text->get() == name)
        return value;
      known += (known.empty() ? "\"" : ", \"") + std::string(name) + "\"";
    }
    in.fail(at, fmt::format("'{}' may hold {}", key, known));
    return 0;
  }

  SourceSite readSite(const toml::table &at) {
    checkKeys(at, "a site",
              {"file", "line", "column", "function", "expression", "ordinal", "section_hash",
               "role", "flags", "facts"});
    SourceSite site;
    const auto whole = [&](const char *key) {
      return static_cast<std::uint32_t>(in.integer(at, key, 0, UINT32_MAX).value_or(0));
    };
    site.file = in.requiredText(at, "file");
    site.line = whole("line");
    site.column = whole("column");
    site.ordinal = whole("ordinal");
    site.function = in.text(at, "function").value_or("");
    site.expression = in.text(at, "expression").value_or("");
    // The hash is text because TOML's integers have 63 bits and a sign.
    if (const auto hash = in.text(at, "section_hash")) {
      const char *end = hash->data() + hash->size();
      const auto read = std::from_chars(hash->data(), end, site.sectionHash, 16);
      if (read.ec != std::errc() || read.ptr != end)
        in.fail(*at.get("section_hash"), "'section_hash' must be hexadecimal digits");
    }
    if (const auto name = in.text(at, "role")) {
      const auto *const known = std::find_if(siteRoleNames.begin(), siteRoleNames.end(),
                                             [&](const auto &role) { return *name == role.first; });
      if (known == siteRoleNames.end())
        in.fail(*at.get("role"), "'role' must be \"acquire\", \"wait\" or \"wrapper\"");
      else
        site.role = static_cast<std::uint32_t>(known->second);
    }
    if (const toml::array *flags = in.array(at, "flags"))
      for (const toml::node &flag : *flags)
        site.flags |= readBit(flag, "flags", siteFlagNames);
    if (const toml::array *facts = in.array(at, "facts")) {
      site.facts = factsKnown;
      for (const toml::node &fact : *facts)
        site.facts |= readBit(fact, "facts", factNames);
    }
    return site;
  }

  void readClass(const toml::table &at) {
    checkKeys(at, "a class", {"name", "scales", "weight", "threads"});
    ThreadClass threads;
    threads.name = in.requiredText(at, "name");
    const auto count = in.number(at, "threads", 0);
    const auto scales = in.boolean(at, "scales");
    threads.scales = scales.value_or(!count.has_value());
    threads.weight = in.number(at, "weight", 0).value_or(1);
    threads.threads = count.value_or(0);
    if (threads.scales && count)
      in.fail(*at.get("threads"), "a class that scales has no 'threads' of its own");
    if (!threads.scales && !count)
      in.fail(at, "a class that does not scale needs 'threads'");
    addName(classIndex, threads.name, at, "class");
    network.classes.push_back(std::move(threads));
  }

  void readTransition(const toml::table &at) {
    checkKeys(at, "a transition",
              {"class", "from", "to", "probability", "local", "samples", "phases"});
    Transition transition;
    transition.threadClass = find(classIndex, at, "class", "class");
    transition.from = find(sectionIndex, at, "from", "section");
    transition.to = find(sectionIndex, at, "to", "section");
    in.require(at, "probability");
    transition.probability = in.number(at, "probability", 0).value_or(0);
    transition.local = readDuration(at, "local", true, &transition.blockedNs);
    transition.samples = static_cast<std::uint64_t>(in.integer(at, "samples", 0).value_or(0));
    transition.phases = readPairs<TransitionInPhase>(
        at, "phases", "the probability, and local computation over that of the whole run");
    network.transitions.push_back(transition);
  }

  TomlReader in;
  Network network;
  std::map<std::string, std::size_t> lockIndex, sectionIndex, classIndex;
};

} // namespace

Expected<Network> parseNetwork(const std::string &toml, const std::string &name) {
  return NetworkReader(name).read(toml);
}

Expected<Network> readNetwork(const std::string &path) {
  return parseNetwork(TRY(readTextFile(path)), path);
}

} // namespace qdadvise
