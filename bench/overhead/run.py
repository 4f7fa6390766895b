#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What recording adds to programs (Programs.cpp): processor time and resident memory, next to
an interposing profiler (Shim.c). Variants take turns; figures are medians over rounds of what
a variant took more than the plain program of the same round.

    bench/overhead/run.py --build build/llvm22 [--rounds 15]
"""

import argparse
import os
import statistics
import subprocess
import tempfile

parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--build", default="build/llvm22", help="the build tree")
parser.add_argument("--rounds", type=int, default=15)
arguments = parser.parse_args()

folder = tempfile.TemporaryDirectory()
binaries = os.path.join(arguments.build, "bin")
measure = os.path.join(binaries, "bench-measure")
plain = os.path.join(binaries, "bench-overhead-plain")
hooked = os.path.join(binaries, "bench-overhead-hooked")
shim = os.path.abspath(os.path.join(arguments.build, "lib", "libbench-shim.so"))
profile = os.path.join(folder.name, "%p.qdprof")


def ours(options):
    return hooked, {"QDADVISE_OPTIONS": f"{options}profile={profile}"}


variants = {
    "plain": (plain, {}),
    "dormant": ours("enabled=0:"),
    "counters only": ours("counters_only=1:"),
    "recording": ours(""),
    "interposing": (plain, {"LD_PRELOAD": shim}),
}


def run(variant, program):
    """Processor time of a unit of work in ns, and most resident memory in MiB: of the whole
    process, its beginning and end included."""
    binary, environment = variants[variant]
    settings = [f"{name}={value}" for name, value in environment.items()]
    command = [measure, "env", *settings, binary, *map(str, program)]
    ns, kib = map(float, subprocess.check_output(command).split())
    return ns / program[1], kib / 1024


def steps_for(ns):
    """How many steps of computation there are in a time, by the plain program itself."""
    few, many = (
        min(run("plain", ("locks", 500000, steps))[0] for _ in range(5)) for steps in (10, 110)
    )
    return round(10 + (ns - few) / (many - few) * 100)


steps = steps_for(400)
programs = {
    "lock and unlock": ("loop", 10000000),
    "pipeline": ("pipeline", 20000),
    "90 000 locks": ("locks", 5000000, steps),
}

print(f"{arguments.rounds} rounds; {steps} steps of computation between two of the 90 000 locks")
print("\n| program | | " + " | ".join(variants) + " |")
print("| --- | --- |" + " --- |" * len(variants))
for name, program in programs.items():
    rounds = [
        {variant: run(variant, program) for variant in variants} for _ in range(arguments.rounds)
    ]

    def median(figure):
        return {v: statistics.median(figure(r, v) for r in rounds) for v in variants}

    time = median(lambda r, v: r[v][0])
    more = median(lambda r, v: 100 * (r[v][0] / r["plain"][0] - 1))
    memory = median(lambda r, v: r[v][1])
    print(f"| {name} | ns | " + " | ".join(f"{time[v]:.1f}" for v in variants) + " |")
    print("| | % more | | " + " | ".join(f"{more[v]:+.1f}" for v in list(variants)[1:]) + " |")
    print("| | MiB | " + " | ".join(f"{memory[v]:.1f}" for v in variants) + " |", flush=True)
