# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a program's own mean holding time with the profile's."""

import os
import re
import subprocess
import sys

program, profile = sys.argv[1:]
dump = os.path.join(os.path.dirname(__file__), "dump.py")


def error(length, rounds):
    environment = dict(os.environ, QDADVISE_OPTIONS=f"profile={profile}")
    own = float(
        subprocess.check_output([program, str(length), str(rounds)], env=environment)
    )
    text = subprocess.check_output([sys.executable, dump, profile], text=True)
    count, mean = re.search(r"hold count (\d+) mean ([\d.]+)", text).groups()
    assert int(count) == rounds, text
    print(f"{length} ns: own {own:.1f}, recorded {mean}")
    return float(mean) / own - 1


# The two pairs of stamps are not the same instants. Where the machine runs something
# else just between them, a few milliseconds fall into one mean and not the other:
# that run says nothing, and another one is made. A wrong recording is wrong in all.
for length, rounds, tolerance in (1000, 5000, 0.08), (10000, 1000, 0.03), (100000, 100, 0.03):
    assert any(abs(error(length, rounds)) <= tolerance for _ in range(6))
