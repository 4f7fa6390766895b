#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program with one thread is predicted to take, against what it takes without hooks:
recorded throughout, where what hooks cost is measured alone, and in slices, where it is measured in
the program.

    bench/programs/run --build build/llvm22 --out kyoto kyotocabinet
    bench/programs/in_place.py --build build/llvm22 --programs kyoto kyotocabinet

Each round runs the program without hooks, records it both ways, and runs it without hooks again. A
run that is recorded throughout says how much work it is."""

import argparse
import json
import os
import re
import statistics
import tempfile

from compare import PROGRAMS  # which makes `measuring` importable
from measuring import calibrate, description_of, output_of

RECORDINGS = {"throughout": "slices=1", "`slices=2`": "slices=2"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="QDAdvise's build folder")
    parser.add_argument("--programs", required=True, help="where bench/programs/run left its builds")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("program", choices=PROGRAMS)
    options = parser.parse_args()
    qdadvise = os.path.join(options.build, "bin/qdadvise")
    program = PROGRAMS[options.program]()
    kind = next(kind for kind, define in program.kinds.items() if not define)
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(options.programs, "plain")
        program.prepare(folder, plain)
        machine = os.path.join(folder, "machine.toml")
        calibrate(qdadvise, machine + ".calibrations")
        description_of(machine + ".calibrations", machine)
        profile = os.path.join(folder, "one.qdprof")

        def record(recording):
            program.seconds(os.path.join(options.programs, "profile"), 1, None,
                            [qdadvise, "record", "-o", profile, "--"],
                            {"LD_LIBRARY_PATH": os.path.join(options.build, "lib"),
                             "QDADVISE_OPTIONS": recording})

        def ask(*arguments):
            return json.loads(output_of([qdadvise, *arguments, "--format", "json", profile]))

        def acquisitions(names):
            return sum(lock["acquisitions"] for lock in ask("report")["locks"]
                       if lock["name"] in names)

        def predicted():
            found = ask("predict", "--machine", machine, "--threads", "1", "--kind", kind)
            return found["kinds"][kind]

        record("slices=2")
        names = {lock["name"] for lock in predicted()["locks"]}
        record("slices=1")
        taken = acquisitions(names)
        errors = {name: [] for name in RECORDINGS}
        hooks = {name: [] for name in RECORDINGS}
        for _ in range(options.rounds):
            measured = [program.seconds(plain, 1, None, [], {})]
            expected = {}
            for name, recording in RECORDINGS.items():
                record(recording)
                expected[name] = taken / predicted()["throughput_per_s"][0]
                hook = re.search(r"([0-9.]+) ns each", output_of([qdadvise, "report", profile]))
                hooks[name].append(float(hook[1]))
            measured.append(program.seconds(plain, 1, None, [], {}))
            for name, seconds in expected.items():
                errors[name].append(100 * (seconds / statistics.mean(measured) - 1))
        print("| recorded | a hook, ns | predicted time, % off | from | to |")
        print("| --- | --- | --- | --- | --- |")
        for name, found in errors.items():
            print(f"| {name} | {statistics.median(hooks[name]):.1f} | {statistics.median(found):+.0f} "
                  f"| {min(found):+.0f} | {max(found):+.0f} |")


if __name__ == "__main__":
    main()
