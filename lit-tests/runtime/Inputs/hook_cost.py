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


def recorded(slices):
    """What a hook computes, what it was found to cost, and whether that was in place."""
    settings = {**os.environ, "QDADVISE_OPTIONS": f"profile={profile}:slices={slices}"}
    computes = float(subprocess.run([program], env=settings, capture_output=True, check=True).stdout)
    dump = subprocess.run(
        [sys.executable, os.path.join(os.path.dirname(__file__), "dump.py"), profile],
        capture_output=True, text=True, check=True).stdout
    cost = float(re.search(r"^hook ([\d.]+) ns", dump, re.MULTILINE)[1])
    flags = int(re.search(r"flags (\d+)", dump)[1])
    return computes, cost, flags & in_place != 0


# Where the processor overlaps what a hook computes with what it records, the hook costs what it
# computes; where it does not, both.
least, most = [], []
for run in range(5):
    _, alone, not_alone = recorded(1)
    assert not not_alone, "nothing can be measured in place without slices"
    computes, cost, is_in_place = recorded(2)
    expected = 2 / 3 * computes  # two of three do
    least.append(cost / expected)
    most.append(cost / (expected + alone))
    print(f"hooks take {alone} ns, {cost} in place ({is_in_place}); expected were {expected:.1f} to "
          f"{expected + alone:.1f} ns")
assert statistics.median(least) > 0.75, "less was found than hooks compute in place"
assert statistics.median(most) < 1.4, "more was found than hooks cost in place"
