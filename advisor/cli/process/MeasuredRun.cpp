// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/cli/process/MeasuredRun.h"

#include "advisor/cli/process/Process.h"
#include "advisor/machine/calibration/BusyTime.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace qdadvise {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// How long programs may take to end once they were told to.
constexpr Seconds grace{2};
/// Of the output, so much of its end is looked at.
constexpr off_t mostOutput = 1 << 20;

std::array<std::atomic<pid_t>, mostRunsAtOnce> runningGroups{};
std::atomic<std::size_t> startedGroups = 0;
std::atomic<int> interruptedBy = 0;

void endGroups(int signal) {
  interruptedBy = signal;
  for (std::size_t i = 0; i < startedGroups; ++i)
    if (const pid_t group = runningGroups[i].load(); group > 0)
      ::kill(-group, signal);
}

/// While programs run, what is to end us ends their groups.
class Interruptions {
public:
  Interruptions() {
    interruptedBy = 0;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      struct sigaction action = {};
      action.sa_handler = endGroups;
      ::sigaction(signals[i], &action, &saved[i]);
    }
  }
  ~Interruptions() {
    startedGroups = 0;
    for (std::size_t i = 0; i < signals.size(); ++i)
      ::sigaction(signals[i], &saved[i], nullptr);
  }
  Interruptions(const Interruptions &) = delete;
  Interruptions &operator=(const Interruptions &) = delete;

  static sigset_t set() {
    sigset_t result;
    ::sigemptyset(&result);
    for (const int signal : signals)
      ::sigaddset(&result, signal);
    return result;
  }

private:
  static constexpr std::array signals{SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> saved{};
};

/// The processors of this thread, which a child inherits.
class Pinning {
public:
  explicit Pinning(const std::vector<int> &processors) {
    if (processors.empty() || ::sched_getaffinity(0, sizeof before, &before) != 0)
      return;
    cpu_set_t only;
    CPU_ZERO(&only);
    for (const int processor : processors)
      CPU_SET(static_cast<std::size_t>(processor), &only);
    isPinned = ::sched_setaffinity(0, sizeof only, &only) == 0;
  }
  ~Pinning() {
    if (isPinned)
      ::sched_setaffinity(0, sizeof before, &before);
  }
  Pinning(const Pinning &) = delete;
  Pinning &operator=(const Pinning &) = delete;

private:
  cpu_set_t before;
  bool isPinned = false;
};

/// A file descriptor of ours.
class Descriptor {
public:
  explicit Descriptor(int theNumber) : number(theNumber) {}
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  const int number;
};

std::string endOfFile(int file) {
  const off_t size = ::lseek(file, 0, SEEK_END);
  const off_t begin = std::max<off_t>(0, size - mostOutput);
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, size - begin)), '\0');
  const ssize_t got = ::pread(file, text.data(), text.size(), begin);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return text;
}

double secondsOf(const timeval &time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

Unexpected cannotMeasure(const std::string &program, int error) {
  return makeError(fmt::format("cannot run {}: {}", program, std::strerror(error)));
}

/// Opens the file that becomes the program's standard input. Returns -1 where it cannot.
int openInput(const RunRequest &request) {
  const int file = ::open(request.input.c_str(), O_RDONLY | O_CLOEXEC);
  if (file >= 0 && request.inputFrom > 0)
    ::lseek(file, request.inputFrom, SEEK_SET);
  return file;
}

/// Starts it as the leader of a process group. Returns its id.
Expected<pid_t> startGroup(const RunRequest &request, int output) {
  std::vector<std::string> arguments = request.command;
  std::vector<std::string> variables = environmentWith(request.environment);
  const Descriptor input(openInput(request));
  if (input.number < 0)
    return cannotMeasure(request.command.front(), errno);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input.number, STDIN_FILENO);
  if (request.keepsOutput)
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  else
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  const sigset_t ending = Interruptions::set();
  ::posix_spawnattr_setsigdefault(&attributes, &ending);
  // A signal is passed on only after the group is known.
  sigset_t usual;
  ::pthread_sigmask(SIG_BLOCK, &ending, &usual);
  ::posix_spawnattr_setsigmask(&attributes, &usual);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, arguments.front().c_str(), &actions, &attributes,
                                   pointersTo(arguments).data(), pointersTo(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error == 0) {
    runningGroups[startedGroups] = pid;
    ++startedGroups;
  }
  ::pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  if (error != 0)
    return cannotMeasure(request.command.front(), error);
  return pid;
}

/// A program that was started. What is left of it when this goes is killed.
class RunningProgram {
public:
  /// It was started since `itsBegin`.
  RunningProgram(Clock::time_point itsBegin, pid_t itsPid, std::size_t itsNumber, int itsOutput)
      : begin(itsBegin), end(itsBegin), pid(itsPid), number(itsNumber), output(itsOutput),
        pidFile(static_cast<int>(::syscall(SYS_pidfd_open, itsPid, 0))) {}
  ~RunningProgram() {
    if (isRunning())
      reap();
  }
  RunningProgram(const RunningProgram &) = delete;
  RunningProgram &operator=(const RunningProgram &) = delete;

  bool isRunning() const { return pid > 0; }
  pollfd toPoll() const { return {isRunning() ? pidFile.number : -1, POLLIN, 0}; }
  bool canPoll() const { return pidFile.number >= 0; }
  void kill() const {
    if (isRunning())
      ::kill(-pid, SIGKILL);
  }
  /// Waits until it has ended. The group keeps its number until its leader is waited for.
  void wait() {
    siginfo_t info = {};
    while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
      continue;
    end = Clock::now();
    reap();
  }

  MeasuredRun run;
  const Clock::time_point begin;
  Clock::time_point end;

private:
  /// Kills the group, and takes what is known of the leader.
  void reap() {
    kill();
    runningGroups[number] = 0;
    int status = 0;
    struct rusage usage = {};
    while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
      continue;
    pid = 0;
    run.seconds = Seconds(end - begin).count();
    run.ownS = secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
    run.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    run.output = endOfFile(output);
  }

  pid_t pid; ///< 0 once it was waited for
  const std::size_t number;
  const int output;
  const Descriptor pidFile;
};

/// Waits until all have ended, kills them where they have to end and do not. Sets how that came
/// about.
void waitForEnds(std::deque<RunningProgram> &programs, Seconds limit) {
  constexpr int stepMs = 100; // a signal may come to another thread, which wakes nobody here
  const auto begin = Clock::now();
  std::optional<Clock::time_point> told;
  for (;;) {
    std::vector<pollfd> ends;
    for (const RunningProgram &program : programs)
      if (program.isRunning())
        ends.push_back(program.toPoll());
    if (ends.empty())
      return;
    const bool any = ::poll(ends.data(), ends.size(), stepMs) > 0;
    std::size_t next = 0;
    for (RunningProgram &program : programs)
      if (program.isRunning() && (ends[next++].revents & POLLIN) != 0 && any)
        program.wait();
    const auto now = Clock::now();
    if (interruptedBy != 0 && !told)
      told = now;
    const bool isOver = limit.count() > 0 && now - begin > limit && !told;
    if (isOver)
      told = now - std::chrono::hours(1);
    for (RunningProgram &program : programs) {
      program.run.isTimedOut |= isOver && program.isRunning();
      if (told && now - *told > grace)
        program.kill();
    }
  }
}

} // namespace

Expected<std::vector<MeasuredRun>> measureRuns(const std::vector<RunRequest> &requests) {
  std::deque<Descriptor> outputs;
  const Interruptions interruptions;
  std::deque<RunningProgram> programs;
  const double busyBefore = readBusyTime().busy;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const RunRequest &request = requests[i];
    const Descriptor &output = outputs.emplace_back(::memfd_create("output", MFD_CLOEXEC));
    if (output.number < 0)
      return cannotMeasure(request.command.front(), errno);
    const Pinning pinning(request.processors);
    const auto begin = Clock::now(); // the program may run before this one does again
    const pid_t pid = TRY(startGroup(request, output.number));
    programs.emplace_back(begin, pid, i, output.number);
  }
  // Without files of processes (Linux before 5.3) there is no limit, but the ends are waited for
  // all the same.
  if (std::all_of(programs.begin(), programs.end(),
                  [](auto &program) { return program.canPoll(); }))
    waitForEnds(programs, requests.front().limit);
  for (RunningProgram &program : programs)
    if (program.isRunning())
      program.wait();
  double busy = readBusyTime().busy - busyBefore;
  auto lastBegin = Clock::time_point::min(), firstEnd = Clock::time_point::max();
  for (const RunningProgram &program : programs) {
    busy -= program.run.ownS;
    lastBegin = std::max(lastBegin, program.begin);
    firstEnd = std::min(firstEnd, program.end);
  }
  std::vector<MeasuredRun> runs;
  for (RunningProgram &program : programs) {
    program.run.togetherS = std::max(0.0, Seconds(firstEnd - lastBegin).count());
    program.run.othersS = std::max(0.0, busy);
    program.run.interruption = interruptedBy.load();
    runs.push_back(std::move(program.run));
  }
  return runs;
}

Expected<MeasuredRun> measureRun(const RunRequest &request) {
  return std::move(TRY(measureRuns({request})).front());
}

} // namespace qdadvise
