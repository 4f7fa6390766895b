// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/cli/process/MeasuredRun.h"

#include "advisor/machine/calibration/BusyTime.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
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

/// How long a program may take to end once it was told to.
constexpr Seconds grace{2};
/// Of the output, so much of its end is looked at.
constexpr off_t mostOutput = 1 << 20;

std::atomic<pid_t> runningGroup = 0;
std::atomic<int> interruptedBy = 0;

void endGroup(int signal) {
  interruptedBy = signal;
  if (const pid_t group = runningGroup.load(); group > 0)
    ::kill(-group, signal);
}

/// While a program runs, what is to end us ends its group.
class Interruptions {
public:
  Interruptions() {
    interruptedBy = 0;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      struct sigaction action = {};
      action.sa_handler = endGroup;
      ::sigaction(signals[i], &action, &saved[i]);
    }
  }
  ~Interruptions() {
    runningGroup = 0;
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

/// Starts it as the leader of a process group, with its output in a file. Returns its id.
Expected<pid_t> startGroup(const std::vector<std::string> &command, int output) {
  std::vector<std::string> arguments = command;
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
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
  const int error =
      ::posix_spawnp(&pid, pointers.front(), &actions, &attributes, pointers.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error == 0)
    runningGroup = pid;
  ::pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  if (error != 0)
    return cannotMeasure(command.front(), error);
  return pid;
}

/// Waits until it has ended, kills it where it has to end and does not. Sets how that came about.
void waitForEnd(pid_t pid, int pidFile, const RunRequest &request, MeasuredRun &run) {
  constexpr int stepMs = 100; // a signal may come to another thread, which wakes nobody here
  const auto begin = Clock::now();
  std::optional<Clock::time_point> told;
  for (;;) {
    pollfd ended{pidFile, POLLIN, 0};
    if (::poll(&ended, 1, stepMs) > 0)
      return;
    const auto now = Clock::now();
    run.interruption = interruptedBy.load();
    if (run.interruption != 0 && !told)
      told = now;
    if (request.limit.count() > 0 && now - begin > request.limit && !told) {
      run.isTimedOut = true;
      told = now - std::chrono::hours(1);
    }
    if (told && now - *told > grace)
      ::kill(-pid, SIGKILL);
  }
}

} // namespace

Expected<MeasuredRun> measureRun(const RunRequest &request) {
  const Descriptor output(::memfd_create("output", MFD_CLOEXEC));
  if (output.number < 0)
    return cannotMeasure(request.command.front(), errno);
  const Interruptions interruptions;
  const Pinning pinning(request.processors);
  MeasuredRun run;
  const double busyBefore = readBusyTime().busy;
  const auto begin = Clock::now();
  const pid_t pid = TRY(startGroup(request.command, output.number));
  const Descriptor pidFile(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (pidFile.number >= 0)
    waitForEnd(pid, pidFile.number, request, run);
  // Without such a file (Linux before 5.3) there is no limit, but the end is waited for all the
  // same. The group keeps its number until its leader is waited for.
  siginfo_t info = {};
  while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
    continue;
  run.seconds = Seconds(Clock::now() - begin).count();
  const double busy = readBusyTime().busy - busyBefore;
  ::kill(-pid, SIGKILL);
  int status = 0;
  struct rusage usage = {};
  while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
    continue;
  run.ownS = secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
  run.othersS = std::max(0.0, busy - run.ownS);
  run.interruption = interruptedBy.load();
  run.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  run.output = endOfFile(output.number);
  return run;
}

} // namespace qdadvise
