# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command until its program says `serving`, then ends it: by a signal to the command, or by
Ctrl-C at a terminal of its own."""

import os
import pty
import signal
import subprocess
import sys

how, *command = sys.argv[1:]
# What is ignored here would be ignored there.
signal.signal(signal.SIGINT, signal.SIG_DFL)


def readUntil(descriptor, text):
    read = b""
    while text not in read:
        try:
            more = os.read(descriptor, 4096)
        except OSError:  # the terminal's other end is closed
            more = b""
        if not more:
            break
        read += more
    return read


if how == "terminal":
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(command[0], command)
    print(readUntil(terminal, b"serving").decode(), flush=True)
    os.write(terminal, b"\x03")
    print(readUntil(terminal, b"no such text").decode(), flush=True)
    _, status = os.waitpid(child, 0)
    print("status", os.waitstatus_to_exitcode(status))
else:
    running = subprocess.Popen(command, stdout=subprocess.PIPE)
    print(readUntil(running.stdout.fileno(), b"serving").decode(), flush=True)
    running.send_signal(signal.SIGINT if how == "record-int" else signal.SIGTERM)
    print("status", running.wait())
