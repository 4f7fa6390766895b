# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares how long a program's cycles take with what was recorded of them: `PROGRAM PROFILE`.
Another program may disturb a run: then it is done anew."""

import os
import re
import statistics
import subprocess
import sys

program, profile = sys.argv[1:]
inPlace = 1 << 5


def error(slices):
    """Of a cycle's time, and whether what hooks cost was measured in place."""
    settings = {**os.environ, "QDADVISE_OPTIONS": f"profile={profile}:slices={slices}"}
    known = float(subprocess.run([program], env=settings, capture_output=True, check=True).stdout)
    dump = subprocess.run(
        [sys.executable, os.path.join(os.path.dirname(__file__), "dump.py"), profile],
        capture_output=True, text=True, check=True).stdout
    count, hold = re.search(r"section 10 .* hold count (\d+) mean ([\d.]+)", dump).groups()
    wait = float(re.search(r"ns wait 10 ([\d.]+)", dump)[1]) / int(count)
    local = float(re.search(r"transition 10 10 count \d+ local ([\d.]+)", dump)[1])
    flags = int(re.search(r"flags (\d+)", dump)[1])
    recorded = float(hold) + wait + local
    print(f"slices={slices}: a cycle takes {known:.1f} ns, recorded {recorded:.1f} ns, flags {flags}")
    return recorded / known - 1, flags & inPlace != 0


for attempt in range(3):
    runs = [(error(1), error(2)) for run in range(3)]
    without, within = (statistics.median(run[i][0] for run in runs) for i in range(2))
    assert not any(alone for (_, alone), _ in runs), "nothing was measured in place without slices"
    # Not all: the first slices are recorded before anything is known, and hooks of attempts are
    # taken to cost what they do alone.
    if without > 0.1 and -0.1 < within < 0.7 * without and any(place for _, (_, place) in runs):
        break
else:
    sys.exit("hooks are not taken out with what they cost in the program")
