# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program that measures some times itself and compares them with the profile's.

The program reads its clock on both sides of every hook, so that each time it prints is a
lower and an upper bound of what the hooks saw, whatever else the machine does; and where
it does nothing else, the two are next to each other. Prints the profile's dump."""

import os
import subprocess
import sys

program, profile = sys.argv[1:]
tolerance = 0.05
dump = os.path.join(os.path.dirname(__file__), "dump.py")

environment = dict(os.environ, QDADVISE_OPTIONS=f"profile={profile}")
own = subprocess.check_output([program], env=environment, text=True)
recorded = subprocess.check_output([sys.executable, dump, profile], text=True)
print(recorded)
lines = (line.split() for line in recorded.splitlines())
found = {" ".join(line[1:-1]): float(line[-1]) for line in lines if line[0] == "ns"}
assert own, "the program measured nothing"
for line in own.splitlines():
    name, low, high = line.rsplit(maxsplit=2)
    print(f"{name}: {found[name]:.0f} in {low} to {high}")
    assert float(low) * (1 - tolerance) <= found[name] <= float(high) * (1 + tolerance)
