// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise record: runs an instrumented program and says what was recorded.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Inputs.h"
#include "advisor/cli/Options.h"
#include "advisor/cli/Output.h"
#include "advisor/cli/Visits.h"
#include "advisor/cli/process/CommandTemplate.h"
#include "advisor/cli/process/Process.h"
#include "advisor/cli/record/Copies.h"
#include "advisor/cli/record/CopiesOfRun.h"
#include "advisor/cli/record/ProfileFiles.h"
#include "advisor/profile/format/Decode.h"
#include "advisor/profile/format/Encode.h"
#include "advisor/profile/merge/Merge.h"
#include "advisor/profile/summary/CallPaths.h"
#include "advisor/profile/summary/Selection.h"
#include "advisor/profile/summary/Summary.h"
#include "advisor/support/Format.h"
#include "advisor/support/Installation.h"
#include "runtime/abi/option_items.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>

namespace qdadvise {
namespace {

namespace fs = std::filesystem;

struct RecordOptions {
  std::string output;
  std::vector<std::string> paths;  ///< sites whose call paths are wanted
  unsigned depth = 0;              ///< callers on a path; 0: the runtime's default
  std::vector<std::string> traced; ///< sites and locks of a memory trace; empty: all
  std::string hot;                 ///< a profile whose hottest locks are traced, or ""
  std::vector<std::string> command;
  int repeat = 1;           ///< runs
  std::string threads;      ///< numbers of them, each of which is recorded, or ""
  bool countUnseen = false; ///< locks that no hook tells of
  bool all = false;         ///< of a run, however long it is
  std::string copiesList;   ///< numbers of copies at once, or ""
  std::vector<int> copies;  ///< the same
  int rounds = 5;           ///< of copies, over all runs; 0: none run
};

/// The items of the user's own QDADVISE_OPTIONS.
std::vector<std::string> ownOptions() {
  std::vector<std::string> result;
  runtime::forEachItem(std::getenv("QDADVISE_OPTIONS"),
                       [&](runtime::Span item) { result.emplace_back(item.begin, item.size); });
  return result;
}

/// The user's own `profile`, or nothing.
std::string ownPattern() {
  constexpr std::string_view key = "profile=";
  std::string pattern;
  for (const std::string &option : ownOptions())
    if (option.starts_with(key)) {
      const runtime::Span value =
          runtime::unquoted({option.c_str() + key.size(), option.size() - key.size()});
      pattern.assign(value.begin, value.size);
    }
  return pattern;
}

/// Quotes a value of the runtime's options, which end at a colon outside quotes.
std::string quoted(const std::string &value) {
  const char quote = value.find('\'') == std::string::npos ? '\'' : '"';
  return quote + value + quote;
}

/// The runtime's options: the user's own, except those that we set.
std::string runtimeOptions(const RecordOptions &ours, const std::string &profilePattern) {
  std::string options = "slices=auto:"; // before the user's own
  for (const std::string &option : ownOptions())
    if (!option.starts_with("profile="))
      options += option + ":";
  if (ours.all)
    options += "slices=1:";
  if (!ours.paths.empty())
    options += fmt::format("path_sites={}:", quoted(fmt::format("{}", fmt::join(ours.paths, ","))));
  if (ours.depth != 0)
    options += fmt::format("path_depth={}:", ours.depth);
  if (!ours.traced.empty())
    options +=
        fmt::format("memory_sites={}:", quoted(fmt::format("{}", fmt::join(ours.traced, ","))));
  return "QDADVISE_OPTIONS=" + options + "profile=" + quoted(profilePattern);
}

/// What the loader has to load first, so that locks are counted that no hook tells of.
Expected<std::string> preloading() {
  const std::string library = unseenLibrary().string();
  std::error_code error;
  if (!fs::exists(library, error))
    return makeError(fmt::format("--count-unseen: {} is missing; install QDAdvise anew", library));
  if (library.find_first_of(" :") != std::string::npos)
    return makeError(fmt::format("--count-unseen: {}: the loader takes no path with a blank or a "
                                 "colon; install QDAdvise in another folder",
                                 library));
  const char *const before = std::getenv("LD_PRELOAD");
  return "LD_PRELOAD=" + library + (before && *before ? ":" + std::string(before) : "");
}

/// What the program's environment has beside ours.
Expected<std::vector<std::string>> environmentFor(const RecordOptions &options,
                                                  const std::string &profilePattern) {
  std::vector<std::string> result = {runtimeOptions(options, profilePattern)};
  if (!options.copies.empty())
    result.push_back(variableOfCopy(1));
  if (options.countUnseen)
    result.push_back(TRY(preloading()));
  return result;
}

/// The hooks' share of the time that threads were neither blocked nor without a processor.
double shareOfHooks(const Profile &profile) {
  double busyNs = 0;
  for (const ProfiledThreadClass &threads : profile.threadClasses)
    busyNs += threads.aliveNs - threads.blockedNs;
  busyNs *= 1 - profile.runDelayShare();
  return busyNs > 0 ? profile.hookNs * static_cast<double>(profile.events) / busyNs : 0;
}

void printSummary(const Profile &profile, const std::string &path) {
  const ProfileSummary summary = summarize(withoutPaths(profile));
  std::size_t sections = 0;
  for (const LockSummary &lock : summary.locks)
    sections += lock.sites.size();
  // A merged profile has no process id.
  const std::string sampled =
      profile.recordedShare() < 1 ? fmt::format(" of {:.3f} s", profile.slicedNs * 1e-9) : "";
  fmt::print(stderr, "qdadvise: recorded {}{}: {:.3f} s{}, {}\n", profile.program,
             profile.pid ? fmt::format(" (pid {})", profile.pid) : "", profile.durationNs * 1e-9,
             sampled, plural(profile.threadsTotal, "thread"));
  const bool timed = (profile.flags & format::runCountersOnly) == 0;
  // Where no times are taken it may not have been measured what a hook costs.
  const std::string cost =
      profile.hookNs > 0
          ? fmt::format(" of {} each{}", formatDuration(profile.hookNs), timed ? ", taken out" : "")
          : "";
  fmt::print(stderr, "  {} at {}; {}{}\n", plural(sections, "critical section"),
             plural(summary.locks.size(), "lock"), plural(profile.events, "event"), cost);
  if (!summary.locks.empty()) {
    // A lock that was held once from beginning to end is busy in no sense that matters.
    constexpr std::uint64_t fewAcquisitions = 10;
    const LockSummary &busiest =
        *std::max_element(summary.locks.begin(), summary.locks.end(), [](auto &a, auto &b) {
          const auto rank = [](const LockSummary &lock) {
            return std::pair(lock.measured.acquisitions >= fewAcquisitions,
                             lock.measured.utilization);
          };
          return rank(a) < rank(b);
        });
    fmt::print(stderr, "  busiest lock: {}, held {:.1f}% of the time, {}, {:.1f}% contended\n",
               busiest.name, 100 * busiest.measured.utilization,
               plural(busiest.measured.acquisitions, "acquisition"),
               100 * busiest.measured.contentionRate());
  }
  const std::pair<std::uint64_t, const char *> kinds[] = {
      {profile.dropped, "dropped"},
      {profile.unmatched, "acquired or released unseen"},
      {profile.otherSections, "beyond max_sections"},
      {profile.otherLocks, "beyond max_locks"}};
  std::vector<std::string> lost;
  for (const auto &[count, how] : kinds)
    if (count > 0)
      lost.push_back(fmt::format("{} {}", count, how));
  if (!lost.empty())
    fmt::print(stderr, "  not recorded in full: {}\n", fmt::join(lost, ", "));
  if (const std::string delay = runDelay(profile); !delay.empty())
    fmt::print(stderr, "  {}\n", delay);
  if (const std::string unseen = unseenLocks(profile); !unseen.empty())
    fmt::print(stderr, "  {}\n", unseen);
  fmt::print(stderr, "  profile: {}; see `qdadvise report {}`\n", path, path);
  // From this share on, times contain what hooks cost besides their own instructions.
  constexpr double mostOfTime = 0.05;
  const bool inPlace = (profile.flags & (format::runHooksInPlace | format::runCountersOnly)) != 0;
  if (const double share = shareOfHooks(profile);
      share > mostOfTime && !inPlace && sampled.empty() && profile.threadsTotal <= 2)
    fmt::print(stderr,
               "  hooks took {:.0f}% of the time or more: with QDADVISE_OPTIONS=slices=2 it is "
               "measured what they cost in this program\n",
               100 * share);
}

/// Makes one file, `target`, of what the processes of a run wrote.
Expected<Profile> gather(const std::vector<fs::path> &files, const std::string &target) {
  std::vector<std::string> paths;
  for (const fs::path &file : files)
    paths.push_back(file.string());
  Profile profile = TRY(loadProfiles(paths));
  std::error_code error;
  // What lies elsewhere may be another user's file: the profile becomes ours, as it was written.
  const bool alone = files.size() == 1;
  if (alone && files.front().parent_path() == fs::absolute(target).parent_path()) {
    fs::rename(files.front(), target, error);
    if (error)
      return makeError(
          fmt::format("cannot rename {} to {}: {}", paths.front(), target, error.message()));
    return profile;
  }
  const Profile &whole = alone ? TRY(readProfile(paths.front())) : profile;
  if (writeOutput(target, encodeProfile(whole)) != exitSuccess)
    return makeError(fmt::format("the profiles stay in {}*",
                                 fs::path(files.front()).replace_extension().string()));
  for (const fs::path &file : files)
    fs::remove(file, error);
  if (!alone)
    note(fmt::format("{} processes were recorded and merged", files.size()));
  return profile;
}

int failWithoutProfile(const RecordOptions &options, const Ending &ending) {
  if (ending.signal != 0)
    fail(fmt::format("no profile: {} was ended by signal {} ({}) before it wrote one{}",
                     options.command.front(), ending.signal, ::strsignal(ending.signal),
                     ending.signal == SIGKILL ? "; end it by another, SIGTERM say" : ""));
  else
    fail(fmt::format("no profile was written; if nothing above says why, build {} with `{}`, and "
                     "where it goes on in the background, run it in the foreground",
                     options.command.front(), compileCommand("profile")));
  return ending.status != 0 ? ending.status : exitFailure;
}

/// What else there is to say of `--count-unseen`.
void sayWhetherCounted(const Profile &profile) {
  if (!(profile.flags & format::runCountsUnseen))
    note(fmt::format("locks without hooks were not counted: {} was not loaded before {}, which may "
                     "be static, have more rights than you, or another C library than glibc",
                     unseenLibrary().filename().string(), profile.program));
  else if (profile.unseen.empty())
    note("no lock was taken where there are no hooks");
}

int reportProfiles(const RecordOptions &options, const std::vector<fs::path> &written,
                   const Ending &ending, bool gathered) {
  if (written.empty())
    return failWithoutProfile(options, ending);
  int code = ending.status;
  const auto show = [&](const Expected<Profile> &profile, const std::string &path) {
    if (profile) {
      printSummary(*profile, path);
      const bool any = std::any_of(profile->sites.begin(), profile->sites.end(),
                                   [](const ProfiledSite &site) { return !site.path.empty(); });
      if (options.countUnseen)
        sayWhetherCounted(*profile);
      if (!options.paths.empty() && !any)
        note(fmt::format("no call paths: no lock was acquired at {}, named as the compiler was "
                         "given it from any folder on",
                         fmt::join(options.paths, ", ")));
    } else {
      fail(profile.error().message);
      code = code != 0 ? code : exitFailure;
    }
  };
  if (gathered) {
    show(gather(written, options.output), options.output);
  } else {
    for (const fs::path &file : written)
      show(readProfile(file.string()), file.lexically_proximate(fs::current_path()).string());
  }
  return code;
}

/// The sites of the locks that a report of the profile would put first.
Expected<std::vector<std::string>> hotSites(const std::string &path) {
  constexpr std::size_t locks = 5;
  constexpr std::size_t mostBytes = 1000; // the runtime's limit for memory_sites
  const Profile plain = withoutPaths(TRY(loadProfiles({path})));
  Selection hottest;
  hottest.top = locks;
  const ProfileSummary summary = TRY(select(summarize(plain), plain, hottest));
  std::vector<std::string> sites;
  std::size_t bytes = 0;
  for (const LockSummary &lock : summary.locks)
    for (const SiteSummary &site : lock.sites) {
      const ProfiledSite &place = plain.sites[site.site];
      const std::string name = fmt::format("{}:{}", place.file, place.line);
      if ((bytes += name.size() + 1) > mostBytes)
        return sites;
      sites.push_back(name);
    }
  if (sites.empty())
    return makeError(fmt::format("{}: no lock was acquired in it", path));
  return sites;
}

/// The command of the recorded run, which is copy 1 where there are some.
std::vector<std::string> commandOfRun(const RecordOptions &options) {
  return options.copies.empty() ? options.command : commandOfCopy(options.command, 1);
}

CopiesRequest copiesRequest(const RecordOptions &options, const RecordedInput &input,
                            const Ending &ending, double recordedS) {
  CopiesRequest request;
  request.numbers = options.copies;
  // Several recorded runs share the rounds.
  request.rounds = (options.rounds + options.repeat - 1) / options.repeat;
  request.command = options.command;
  request.input = input.file;
  request.inputFrom = input.from;
  request.status = ending.status;
  request.recordedS = recordedS;
  return request;
}

Expected<int> runRecord(RecordOptions options) {
  if (!options.hot.empty()) {
    const std::vector<std::string> sites = TRY(hotSites(options.hot));
    options.traced.insert(options.traced.end(), sites.begin(), sites.end());
  }
  // Under one name the last process would overwrite the others' profiles: each writes a file of its
  // own, and these are merged into the one that was asked for.
  const bool gathered = !options.output.empty() && options.output.find('%') == std::string::npos;
  std::string pattern = options.output.empty() ? ownPattern() : options.output;
  if (pattern.empty())
    pattern = "qdadvise.%p.qdprof";
  if (gathered)
    pattern += ".%p";
  std::error_code error;
  const fs::path absolute = fs::absolute(pattern, error);
  if (absolute.string().find('\'') != std::string::npos &&
      absolute.string().find('"') != std::string::npos)
    return makeError(
        fmt::format("{}: a profile's path must not have quotes of both kinds; give another "
                    "with -o",
                    absolute.string()));
  if (!fs::is_directory(absolute.parent_path(), error))
    return makeError(
        fmt::format("{}: no such folder; create it first", absolute.parent_path().string()));
  std::optional<PartsFolder> folder;
  if (gathered)
    folder.emplace(absolute.parent_path());
  const fs::path parts = gathered ? folder->path() / absolute.filename() : absolute;
  const ProfileFiles files(parts);
  const auto environment = TRY(environmentFor(options, parts.string()));
  const RecordedInput input;
  const auto begin = std::chrono::steady_clock::now();
  const Ending ending = TRY(runProgram(commandOfRun(options), environment));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const std::vector<fs::path> written = files.written();
  const int code = reportProfiles(options, written, ending, gathered);
  if (options.copies.empty() || options.rounds == 0 || written.empty() || code != ending.status)
    return code;
  if (!gathered && written.size() > 1) {
    note("--copies: several processes were recorded; name one profile for them with -o FILE");
    return code;
  }
  const std::string path = gathered ? options.output : written.front().string();
  return addCopies(path, copiesRequest(options, input, ending, took.count()), ending);
}

/// Fails where a name would be that of several profiles.
Expected<void> checkNamesOneFile(const std::string &option, const std::string &output) {
  if (output.empty() || output.find('%') != std::string::npos)
    return makeError(option + ": name the merged profile with -o FILE, without %");
  return {};
}

/// Records several runs, one after the other, and merges them. The profiles of the single runs
/// stay: they tell how far the runs agree.
Expected<int> runRepeated(const RecordOptions &options) {
  if (options.repeat == 1)
    return runRecord(options);
  TRY(checkNamesOneFile("--repeat", options.output));
  std::vector<std::string> paths;
  for (int run = 1; run <= options.repeat; ++run) {
    RecordOptions one = options;
    one.output = fmt::format("{}.{}", options.output, run);
    if (const int code = TRY(runRecord(one)); code != exitSuccess)
      return code;
    paths.push_back(one.output);
  }
  std::vector<Profile> runs;
  if (const int code = writeOutput(options.output, encodeProfile(TRY(loadProfiles(paths, &runs))));
      code != exitSuccess)
    return code;
  note(fmt::format("merged {} runs into {}; `qdadvise advise {}.*` also tells how far they agree",
                   options.repeat, options.output, options.output));
  return exitSuccess;
}

/// Records a run with each number of threads, and merges them: times are those of the fewest
/// threads, visits those of the others.
Expected<int> runForThreads(RecordOptions options) {
  if (!options.copiesList.empty())
    options.copies = TRY(parseCopies(options.copiesList));
  if (options.threads.empty())
    return runRepeated(options);
  const std::vector<int> numbers = TRY(parseThreads(options.threads));
  TRY(checkNamesThreads(options.command));
  const auto runWith = [&](int threads, const std::string &output) {
    RecordOptions one = options;
    one.command = filledIn(options.command, "threads", std::to_string(threads));
    one.output = output;
    if (threads != numbers.front())
      one.rounds = 0; // times are those of the fewest
    return runRepeated(one);
  };
  if (numbers.size() == 1)
    return runWith(numbers.front(), options.output);
  TRY(checkNamesOneFile("--threads", options.output));
  std::vector<std::string> paths;
  for (const int threads : numbers) {
    paths.push_back(fmt::format("{}.threads-{}", options.output, threads));
    if (const int code = TRY(runWith(threads, paths.back())); code != exitSuccess)
      return code;
  }
  const Profile timed = TRY(loadProfiles({paths.front()}));
  const Profile merged = TRY(addVisits(timed, {paths.begin() + 1, paths.end()}));
  if (const int code = writeOutput(options.output, encodeProfile(merged)); code != exitSuccess)
    return code;
  note(fmt::format("merged into {}: times are those of {}, visits those of {}", options.output,
                   plural(static_cast<std::size_t>(numbers.front()), "thread"),
                   fmt::join(numbers.begin() + 1, numbers.end(), ", ")));
  return exitSuccess;
}

} // namespace

void addRecord(CLI::App &app, int &exitCode) {
  const auto options = std::make_shared<RecordOptions>();
  CLI::App *command = app.add_subcommand(
      "record", "Run a program built for profiling, write its profile, say what was recorded");
  command
      ->add_option("-o,--output", options->output,
                   "The profile (default: qdadvise.%p.qdprof; %p pid, %h host, %b program)")
      ->check(notEmpty)
      ->type_name("FILE");
  CLI::Option *const copies =
      command
          ->add_option(
              "--copies", options->copiesList,
              "Then run so many copies of it at once (2, or a list: 2,4) and one alone, in "
              "turns and without recording: they tell what threads lose to shared caches "
              "and memory")
          ->check(notEmpty)
          ->type_name("LIST");
  command
      ->add_option(
          "--repeat", options->repeat,
          "Run it so many times, and merge the profiles: what disturbs one run is left out "
          "(default: 1)")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  CLI::Option *const threads =
      command
          ->add_option("--threads", options->threads,
                       "Run it with each number of threads, for {threads} in CMD, and merge: times "
                       "of the fewest threads, visits of the others")
          ->check(notEmpty)
          ->type_name("LIST");
  // Merged visits have neither call paths nor memory accesses.
  threads->excludes(
      command
          ->add_option(
              "--paths", options->paths,
              "Tell apart by which call paths sites in this file, or in this line of it, are "
              "reached; may be repeated")
          ->check(notEmpty)
          ->type_name("FILE[:LINE]")
          ->allow_extra_args(false));
  command->add_option("--depth", options->depth, "Callers on a call path (default: 5)")
      ->check(CLI::Range(1, 16))
      ->type_name("N");
  threads->excludes(
      command
          ->add_option(
              "--memory", options->traced,
              "In a diagnosis run (`qdadvise config memory`), trace the memory accesses of "
              "these critical sections only; may be repeated")
          ->check(notEmpty)
          ->type_name("FILE[:LINE]|LOCK")
          ->allow_extra_args(false));
  CLI::Option *const hot =
      command
          ->add_option(
              "--hot", options->hot,
              "The same, of the five locks that `qdadvise report` of this profile puts first")
          ->type_name("PROFILE");
  threads->excludes(hot);
  copies->excludes(hot);
  command->add_flag("--all", options->all,
                    "Record all of the run (default: samples of it, as soon as its locks are known "
                    "and recording takes much of the time)");
  command->add_flag("--count-unseen", options->countUnseen,
                    "Also count locks taken where there are no hooks, by executable and library");
  command->add_option("CMD", options->command, "The program and its arguments, after `--`")
      ->required()
      ->type_name("");
  command->positionals_at_end();
  command->prefix_command(false);
  command->callback([options, &exitCode] { exitCode = exitCodeOf(runForThreads(*options)); });
}

} // namespace qdadvise
