# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Follows the hints of the commands, from a program that is not built for recording to advice."""

import re
import shlex
import subprocess
import sys

qdadvise = sys.argv[1]


def said(*command):
    run = subprocess.run(command, capture_output=True, text=True)
    # Lines of text are wrapped at the terminal's width.
    return re.sub(r"\s+", " ", run.stdout + run.stderr)


def hint(text, pattern):
    """The command between backquotes that matches."""
    for found in re.findall(r"`([^`]+)`", text):
        if re.search(pattern, found):
            return found
    raise AssertionError(f"no hint like {pattern} in {text}")


def run(command, *more):
    return subprocess.run(
        shlex.split(command) + list(more), check=True, capture_output=True, text=True
    )


build = hint(said(qdadvise, "record", "-o", "none.qdprof", "--", "./plain", "--requests", "1000"),
             "profile.cfg")  # fmt: skip
print("record:", build)
run(build, "-std=c++20", "-O2", "-pthread", "kvstore.cpp", "-o", "kvstore")

report = hint(said(qdadvise, "record", "-o", "run.qdprof", "--", "./kvstore", "--requests", "40000"),
              "report")  # fmt: skip
print("profile:", report)
run(report)

advised = said(qdadvise, "advise", "--machine", "server16.toml", "--threads", "16",
               "--explain", "all", "run.qdprof")  # fmt: skip
memory = hint(advised, "memory.cfg")
print("memory:", memory)
run(memory, "-std=c++20", "-O2", "-pthread", "kvstore.cpp", "-o", "kvstore-memory")

advise = hint(advised, "advise.cfg")
print("advise:", advise)
compiled = run(advise, "-std=c++20", "-O2", "-c", "kvstore.cpp", "-o", "kvstore.o")
assert "warning: lock 'Index::lock_' is predicted" in compiled.stderr, compiled.stderr
print("the advice is printed")
