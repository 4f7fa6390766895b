# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what was recorded in slices by load with what the program knows: `DUMP TRUTH LEAST
MOST`, the last two of the share that was recorded."""

import re
import sys

dump = open(sys.argv[1]).read()
least, most = map(float, sys.argv[3:])
sampled = re.search(r"recorded ([\d.]+) s of ([\d.]+)", dump)
share = float(sampled[1]) / float(sampled[2]) if sampled else 1
assert least <= share <= most, f"recorded {share} of the time"
assert "dropped 0 unmatched 0" in dump
known = int(open(sys.argv[2]).read())
seen = int(re.search(r"section 10 lock \w acquisitions (\d+)", dump)[1])
assert sampled or seen == known, f"{seen} seen of {known}"
# Of the few that are left half more or less is chance, or a busy machine.
assert 0.5 < seen / share / known < 2, f"{seen} seen of {known}, where {share} was recorded"
