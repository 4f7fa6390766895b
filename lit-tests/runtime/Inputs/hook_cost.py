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


shares = []
for run in range(5):
    _, alone, not_alone = recorded(1)
    assert not not_alone, "nothing can be measured in place without slices"
    computes, cost, is_in_place = recorded(2)
    expected = 2 / 3 * computes  # two of three do
    shares.append((cost - alone) / expected)
    print(f"hooks take {alone} ns, {cost} in place ({is_in_place}); {expected:.1f} ns more were "
          f"expected: {shares[-1]:.2f} of that")
share = statistics.median(shares)
assert 0.5 < share < 1.5, f"{share:.2f} of what hooks cost in place was found"
