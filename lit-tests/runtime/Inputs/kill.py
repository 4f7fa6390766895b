# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program until it says so, then kills it."""

import subprocess
import sys

program = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
assert program.stdout.readline() == b"running\n"
program.kill()
assert program.wait() == -9
