#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a red-black tree would gain without its lock: predicted from recorded runs of one thread,
and simulated.

Records a run with times and a memory trace of bench-optimistic-tree for each mix, and prints what
bench-optimistic makes of them.

    bench/optimistic/compare.py --build build/llvm22
"""
import argparse
import os
import sys
import tempfile

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, BENCH)
from measuring import fail, output_of

MACHINE = os.path.join(BENCH, "../advisor/machine/descriptions/two-socket-32-core.toml")

# Keys, share of updates, keys in an operation, whether the tree counts its keys, and turns of
# local computation.
MIXES = [
    (65536, 0.1, 8, 0, 4000),
    (1024, 0.2, 8, 0, 1500),
    (1024, 0.5, 1, 1, 500),
    (128, 0.5, 4, 0, 500),
    (64, 1, 4, 0, 500),
]
OPERATIONS = 100000  # in a recorded run


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--machine", default=MACHINE, help="description of one with 32 cores")
    arguments = parser.parse_args()
    names = ("bench-optimistic", "bench-optimistic-tree-profile", "bench-optimistic-tree-memory")
    compare, timed, traced = (os.path.join(arguments.build, "bin", name) for name in names)
    for path in (compare, timed, traced):
        if not os.access(path, os.X_OK):
            fail(f"there is no '{path}'; build it, or name another folder with --build")
    with tempfile.TemporaryDirectory() as folder:
        times, memory = (os.path.join(folder, name) for name in ("times.qdprof", "memory.qdprof"))
        for keys, updates, together, counts, turns in MIXES:
            mix = [str(value) for value in (keys, updates, together, counts)]
            run = mix + [str(turns), str(OPERATIONS)]
            output_of([timed] + run, {"QDADVISE_OPTIONS": f"profile={times}"})
            output_of([traced] + run, {"QDADVISE_OPTIONS": f"memory_slices=1:profile={memory}"})
            print(f"\n{keys} keys, {100 * updates:g} % updates, {together} keys in an operation"
                  f"{', counted' if counts else ''}\n")
            print(output_of([compare, arguments.machine, times, memory] + mix), flush=True)


if __name__ == "__main__":
    main()
