# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs that record and compares what they say, and their exit status, with the same
program without the runtime. Where they say `events N`, so many must be in the profiles, lost
ones included. Prints dumps of the profiles of the last program."""

import argparse
import glob
import os
import re
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--options", default="", help="more QDADVISE_OPTIONS")
parser.add_argument("--preload", default="")
parser.add_argument("profile", help="with %%p where there are several processes")
parser.add_argument("plain")
parser.add_argument("programs", nargs="+")
arguments = parser.parse_args()
dump = os.path.join(os.path.dirname(__file__), "dump.py")
pattern = arguments.profile.replace("%p", "*")


def run(program, **environment):
    ended = subprocess.run(
        [program], env=dict(os.environ, **environment), stdout=subprocess.PIPE, text=True
    )
    told = [int(count) for count in re.findall(r"^events (\d+)$", ended.stdout, re.M)]
    said = re.sub(r"^events \d+\n", "", ended.stdout, flags=re.M)
    return (said, ended.returncode), sum(told)


expected, _ = run(arguments.plain)
for program in arguments.programs:
    for old in glob.glob(pattern):
        os.remove(old)
    options = f"profile={arguments.profile}:{arguments.options}"
    found, told = run(program, QDADVISE_OPTIONS=options, LD_PRELOAD=arguments.preload)
    assert found == expected, f"{program}: {found} instead of {expected}"
    dumps = [
        subprocess.check_output([sys.executable, dump, path], text=True)
        for path in sorted(glob.glob(pattern))
    ]
    counts = re.findall(r"^events (\d+) dropped (\d+)", "".join(dumps), re.M)
    recorded = sum(int(events) + int(dropped) for events, dropped in counts)
    assert told in (0, recorded), f"{program}: {recorded} of {told} events"
print("\n".join(dumps) or "no profile")
