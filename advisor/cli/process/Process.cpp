// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/process/Process.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace qdadvise {
namespace {

std::atomic<pid_t> runningChild = 0;
std::atomic<int> askedToEnd = 0;

/// The child gets what the terminal sends, such as Ctrl-C, by itself.
void passOn(int signal, siginfo_t *info, void *) {
  if (signal != SIGUSR1 && signal != SIGUSR2)
    askedToEnd = signal;
  const pid_t child = runningChild.load();
  if (child > 0 && info->si_code != SI_KERNEL)
    ::kill(child, signal);
}

/// While a child runs, signals are its own business: those that are sent to us alone are passed on
/// to it.
class SignalsToChild {
public:
  SignalsToChild() {
    askedToEnd = 0;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      struct sigaction action = {};
      action.sa_sigaction = passOn;
      action.sa_flags = SA_RESTART | SA_SIGINFO;
      ::sigaction(signals[i], &action, &saved[i]);
    }
  }
  ~SignalsToChild() {
    runningChild = 0;
    for (std::size_t i = 0; i < signals.size(); ++i)
      ::sigaction(signals[i], &saved[i], nullptr);
  }
  SignalsToChild(const SignalsToChild &) = delete;
  SignalsToChild &operator=(const SignalsToChild &) = delete;

  /// The signals that the child must not inherit as ignored because we ignore them now.
  sigset_t toReset() const {
    sigset_t set;
    ::sigemptyset(&set);
    for (std::size_t i = 0; i < signals.size(); ++i)
      if (saved[i].sa_handler != SIG_IGN)
        ::sigaddset(&set, signals[i]);
    return set;
  }

private:
  static constexpr std::array signals{SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  std::array<struct sigaction, signals.size()> saved{};
};

Expected<Ending> waitFor(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return makeError(fmt::format("cannot wait for process {}: {}", pid, std::strerror(errno)));
  if (WIFSIGNALED(status))
    return Ending{pid, 128 + WTERMSIG(status), WTERMSIG(status), askedToEnd.load()};
  return Ending{pid, WEXITSTATUS(status), 0, askedToEnd.load()};
}

Unexpected cannotRun(const std::string &program, int error) {
  return makeError(fmt::format("cannot run {}: {}", program, std::strerror(error)));
}

} // namespace

std::vector<char *> pointersTo(std::vector<std::string> &words) {
  std::vector<char *> result;
  for (std::string &word : words)
    result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environmentWith(const std::vector<std::string> &additions) {
  std::vector<std::string> result = additions;
  for (char **entry = ::environ; *entry; ++entry) {
    const std::string_view ours = *entry;
    const std::string_view name = ours.substr(0, ours.find('=') + 1);
    bool replaced = false;
    for (const std::string &addition : additions)
      replaced = replaced || std::string_view(addition).substr(0, name.size()) == name;
    if (!replaced)
      result.emplace_back(ours);
  }
  return result;
}

Expected<Ending> runProgram(const std::vector<std::string> &command,
                            const std::vector<std::string> &environment) {
  std::vector<std::string> arguments = command;
  std::vector<std::string> variables = environmentWith(environment);
  const SignalsToChild signals;
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  const sigset_t reset = signals.toReset();
  ::posix_spawnattr_setsigdefault(&attributes, &reset);
  // Signals are passed on only after the child's process id is known.
  sigset_t usual;
  ::pthread_sigmask(SIG_BLOCK, &reset, &usual);
  ::posix_spawnattr_setsigmask(&attributes, &usual);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, arguments.front().c_str(), nullptr, &attributes,
                                   pointersTo(arguments).data(), pointersTo(variables).data());
  ::posix_spawnattr_destroy(&attributes);
  runningChild = pid;
  ::pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  if (error != 0)
    return cannotRun(command.front(), error);
  return waitFor(pid);
}

Expected<std::string> captureOutput(const std::vector<std::string> &command) {
  std::vector<std::string> arguments = command;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return cannotRun(command.front(), errno);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, arguments.front().c_str(), &actions, nullptr,
                                   pointersTo(arguments).data(), ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string output;
  if (error == 0) {
    std::array<char, 4096> buffer{};
    for (;;) {
      const ssize_t got = ::read(ends[0], buffer.data(), buffer.size());
      if (got > 0)
        output.append(buffer.data(), static_cast<std::size_t>(got));
      else if (got == 0 || errno != EINTR)
        break;
    }
  }
  ::close(ends[0]);
  if (error != 0)
    return cannotRun(command.front(), error);
  const Ending ending = TRY(waitFor(pid));
  if (ending.status != 0)
    return makeError(fmt::format("{} failed with status {}", command.front(), ending.status));
  return output;
}

} // namespace qdadvise
