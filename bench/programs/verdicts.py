#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether noise moves advice: records each program many times, every other time beside two busy
loops, and advises from each recording by itself and from all together. Exits with 1 where a lock
gets more than one verdict. `unknown` is none: the recording says that it was disturbed.

    bench/programs/verdicts.py --build build/llvm22 --machine generic --threads 16

Other programs than the examples: --program NAME=COMMAND, built with the plugin already.
"""

import argparse
import collections
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from measuring import fail, output_of  # noqa: E402

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "examples"
# What is built and run where no --program is given.
EXAMPLES = {
    "kvstore": ("kvstore/kvstore.cpp", ["--threads", "1"]),
    "over-synchronization": ("patterns/over-synchronization.cpp", ["2"]),
    "improper-granularity": ("patterns/improper-granularity.cpp", ["2"]),
}

# A lock's verdict where threads waited for processors so often that there is none, and its reason.
unknown, delayed = "unknown", "often waited for a processor"


def built_examples(qdadvise, clang, folder):
    """The command of each example, built with the plugin."""
    config = output_of([qdadvise, "config", "profile", "--clang", clang]).strip()
    commands = {}
    for name, (source, arguments) in EXAMPLES.items():
        binary = os.path.join(folder, name)
        output_of([clang, f"--config={config}", "-std=c++20", "-O2", str(SOURCES / source),
                   "-pthread", "-o", binary])
        commands[name] = [binary, *arguments]
    return commands


class BusyLoops:
    """Programs that take the machine's time while they are entered."""

    def __init__(self, count):
        self.count = count

    def __enter__(self):
        self.loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"])
                      for _ in range(self.count)]

    def __exit__(self, *_):
        for loop in self.loops:
            loop.kill()
            loop.wait()


def verdicts(qdadvise, profiles, options):
    """Which algorithm each lock should use, or `unknown`."""
    advice = json.loads(output_of(
        [qdadvise, "advise", "--machine", options.machine, "--threads", str(options.threads),
         "--format", "json", "-o", os.devnull, *profiles]))
    return {lock["name"]: unknown if any(delayed in reason for reason in lock["advice"]["reasons"])
            else lock["advice"]["kind"] for lock in advice["locks"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/llvm22")
    parser.add_argument("--clang", default="clang++-22")
    parser.add_argument("--machine", default="generic")
    parser.add_argument("--threads", type=int, default=16, help="to advise for")
    parser.add_argument("--runs", type=int, default=20, help="of each program")
    parser.add_argument("--loops", type=int, default=2, help="beside every other run")
    parser.add_argument("--program", action="append", default=[], metavar="NAME=COMMAND")
    options = parser.parse_args()
    if options.runs < 2:
        fail("give --runs a number of at least 2")
    qdadvise = os.path.join(options.build, "bin", "qdadvise")
    with tempfile.TemporaryDirectory() as folder:
        if options.program:
            commands = {name: shlex.split(command) for name, _, command in
                        (one.partition("=") for one in options.program)}
        else:
            commands = built_examples(qdadvise, options.clang, folder)
        moved = 0
        for name, command in commands.items():
            profiles, found = [], collections.defaultdict(collections.Counter)
            for run in range(options.runs):
                profiles.append(os.path.join(folder, f"{name}.{run}.qdprof"))
                with BusyLoops(options.loops if run % 2 else 0):
                    output_of([qdadvise, "record", "-o", profiles[-1], "--", *command])
                for lock, kind in verdicts(qdadvise, [profiles[-1]], options).items():
                    found[lock][kind] += 1
            together = verdicts(qdadvise, profiles, options)
            for lock, kinds in found.items():
                counts = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
                print(f"{name:24} {lock:28} together {together.get(lock, '-'):14} alone {counts}",
                      flush=True)
                moved += len(kinds.keys() - {unknown}) > 1
    print(f"{moved} locks have more than one verdict")
    return 1 if moved else 0


if __name__ == "__main__":
    sys.exit(main())
