# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets a program end in each of the ways that it lists (`PROGRAM list`), with and without the
runtime: it prints the same and ends with the same status, and its profile has so many
acquisitions of `a` as it says."""

import glob
import os
import re
import signal
import subprocess
import sys

# Under a sanitizer some ends are the sanitizer's.
anyProfile = sys.argv[1] == "--any-profile"
folder, plain, *programs = sys.argv[1 + anyProfile :]
dump = os.path.join(os.path.dirname(__file__), "dump.py")


def run(program, way, profile):
    options = f"profile={profile}"
    ended = subprocess.run(
        [program, way],
        env=dict(os.environ, QDADVISE_OPTIONS=options),
        capture_output=True,
        text=True,
        cwd=folder,
        # What is ignored here would be ignored there.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    return ended.stdout, ended.returncode, ended.stderr


for line in subprocess.check_output([plain, "list"], text=True).splitlines():
    way, acquisitions = line.split()
    # A sanitizer may take a minute for the report of an endless recursion, with us or without.
    if anyProfile and way == "stack-overflow":
        continue
    expected = run(plain, way, "none")
    for program in programs:
        for old in glob.glob(os.path.join(folder, "*.qdprof")):
            os.remove(old)
        found = run(program, way, os.path.join(folder, "%p.qdprof"))
        assert found[:2] == expected[:2], f"{program} {way}: {found} instead of {expected}"
        counts = []
        for path in glob.glob(os.path.join(folder, "*.qdprof")):
            text = subprocess.check_output([sys.executable, dump, path], text=True)
            counts += re.findall(r"lock a acquisitions (\d+)", text) or ["0"]
        wanted = [] if acquisitions == "-" else acquisitions.split(",")
        assert anyProfile or sorted(counts) == sorted(wanted), f"{program} {way}: {counts}, not {wanted}"
        print(way, expected[1], ",".join(counts) or "-")
