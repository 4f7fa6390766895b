# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what was recorded in slices with what the program knows: `DUMP TRUTH [child]`. What may
be between them follows from how often something was seen. A child records all at first."""

import math
import re
import sys

dump = open(sys.argv[1]).read()
recorded, asked = map(float, re.search(r"recorded ([\d.]+) s of ([\d.]+)", dump).groups())
share = recorded / asked
# A slice of 10 ms has hooks on for 11, which is one part in four of the time. The first begins at
# once, and the last may be cut short.
most = 0.5 * asked if "child" in sys.argv else (asked / (4 * 0.011) + 2) * 0.01
assert 0.15 * asked < recorded < most, f"recorded {recorded} s of {asked}"
assert "dropped 0 unmatched 0" in dump
for line, count, held, ran, delayed in (map(int, row.split()) for row in open(sys.argv[2])):
    found = re.search(rf"section {line} lock \w acquisitions (\d+) hold count (\d+) mean ([\d.]+)", dump)
    seen, timed, mean = int(found[1]), int(found[2]), float(found[3])
    # Those of line 30 come twenty at a time.
    independent = seen / 20 if line == 30 else seen
    # On a busy machine a thread has less of the processor in some slices than in others: all of it,
    # or none, where it is delayed for longer than a slice.
    there = max(1 - delayed / ran, 0.05)
    busy, slices = max(0.3, math.sqrt(1 / there - 1)), recorded / 0.01
    tolerance = 0.02 + 4 * math.sqrt(1 / independent + busy**2 / slices) * math.sqrt(1 - share)
    rate, known = seen / recorded, count / (ran * 1e-9)
    assert abs(rate / known - 1) < tolerance, f"line {line}: {rate} a second, not {known}"
    if held and timed:
        use, known = mean * timed / (recorded * 1e9), held / ran
        # A few that lose the processor are much of the time on a busy machine.
        assert abs(use / known - 1) < tolerance + 0.4, f"line {line}: held {use} of the time, not {known}"
    print(f"line {line}: {seen} seen, rate {rate:.1f}, {count / (ran * 1e-9):.1f} known, tolerance {tolerance:.2f}")
