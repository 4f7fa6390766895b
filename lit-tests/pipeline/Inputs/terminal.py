"""Runs a command on a terminal and prints what it writes there, colours as <32> and so on.

usage: terminal.py COLUMNS LINES COMMAND..."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios

columns, lines, *command = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", int(lines), int(columns), 0, 0))
    for name in ("COLUMNS", "LINES", "NO_COLOR"):
        os.environ.pop(name, None)
    os.environ["TERM"] = "xterm"
    os.execvp(command[0], command)
output = b""
try:
    while data := os.read(terminal, 65536):
        output += data
except OSError:  # the command has ended
    pass
text = output.decode().replace("\r\n", "\n")
print(re.sub(r"\x1b\[(\d+)m", r"<\1>", text), end="")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
