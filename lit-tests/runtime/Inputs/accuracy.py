# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a program's own mean holding times, lock by lock, with the profile's."""

import os
import re
import statistics
import subprocess
import sys

program, profile = sys.argv[1:]
dump = os.path.join(os.path.dirname(__file__), "dump.py")


def errors(length, rounds):
    environment = dict(os.environ, QDADVISE_OPTIONS=f"profile={profile}")
    command = [program, str(length), str(rounds)]
    own = subprocess.check_output(command, env=environment, text=True)
    text = subprocess.check_output([sys.executable, dump, profile], text=True)
    section = r"lock (turn\d+) acquisitions \d+ hold count (\d+) mean ([\d.]+)"
    recorded = {name: (int(n), float(mean)) for name, n, mean in re.findall(section, text)}
    for name, mean in re.findall(r"(turn\d+) ([\d.]+)", own):
        count, hold = recorded.pop(name)
        assert count == rounds, text
        yield hold / float(mean) - 1
    assert not recorded, text


for length, rounds, tolerance in (1000, 200, 0.08), (10000, 40, 0.03), (100000, 4, 0.03):
    found = sorted(errors(length, rounds))
    assert len(found) == 25
    middle = statistics.median(found)
    print(f"{length} ns: {middle:+.2%} (from {found[0]:+.2%} to {found[-1]:+.2%})")
    assert abs(middle) <= tolerance
