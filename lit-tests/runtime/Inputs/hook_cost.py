# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what a program's hooks compute with what was found of it: `PROGRAM PROFILE`."""

import os
import re
import statistics
import subprocess
import sys

program, profile = sys.argv[1:]
in_place = 1 << 5


def run_with(options):
    """What a hook computes, and how long a cycle of three hooks takes."""
    settings = {**os.environ, "QDADVISE_OPTIONS": f"profile={profile}:{options}"}
    done = subprocess.run([program], env=settings, capture_output=True, check=True)
    return map(float, done.stdout.split())


def recorded(slices):
    """The same, what a hook was found to cost, and whether that was in place."""
    computes, cycle = run_with(f"slices={slices}")
    dump = subprocess.run(
        [sys.executable, os.path.join(os.path.dirname(__file__), "dump.py"), profile],
        capture_output=True, text=True, check=True).stdout
    cost = float(re.search(r"^hook ([\d.]+) ns", dump, re.MULTILINE)[1])
    flags = int(re.search(r"flags (\d+)", dump)[1])
    return computes, cycle, cost, flags & in_place != 0


# Where the processor overlaps what a hook computes with what it records, the hook costs what it
# computes; where it does not, both. It costs more where the program's own work overlapped before:
# then a cycle is longer by more than that when all hooks are recorded than when none is.
least, most = [], []
for run in range(5):
    _, without = run_with("enabled=never")
    _, cycle, alone, not_alone = recorded(1)
    assert not not_alone, "nothing can be measured in place without slices"
    computes, _, cost, is_in_place = recorded(2)
    expected = 2 / 3 * computes  # two of three do
    longer = (cycle - without) / 3
    least.append(cost / expected)
    most.append(cost / max(expected + alone, longer))
    print(f"hooks take {alone} ns, {cost} in place ({is_in_place}); expected were {expected:.1f} to "
          f"{expected + alone:.1f} ns; each makes a cycle {longer:.1f} ns longer")
assert statistics.median(least) > 0.75, "less was found than hooks compute in place"
assert statistics.median(most) < 1.4, "more was found than hooks cost in place"
