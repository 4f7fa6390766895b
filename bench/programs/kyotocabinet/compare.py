#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicted from a run with one thread, and measured with two: kyotocabinet's `wicked` test with
its reader-writer lock as it is, and replaced from outside by a mutex and by a spinlock.

    bench/programs/run --build build/llvm22 --out kyoto kyotocabinet
    bench/programs/kyotocabinet/compare.py --build build/llvm22 --programs kyoto

Runs of all locks alternate, and medians are compared. The machine is calibrated, and the program
recorded, before, between and after them. Two threads do twice the work of one. A diagnosis run tells what data move between
cores: predictions are made without it and with it. The database's other locks, which hardly
anybody waits for, stay as they are; predictions have the same algorithm at all."""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../.."))
from measuring import calibrate, description_of, fail, go_first, output_of, spread

OPERATIONS = 1_000_000  # of each thread
KINDS = {"pthread_rwlock": None, "pthread_mutex": "MUTEX", "spinlock": "SPINLOCK"}


def replacements(folder):
    """Libraries to preload, by kind."""
    libraries = {}
    for kind, define in KINDS.items():
        if define:
            libraries[kind] = os.path.join(folder, f"{kind}.so")
            output_of(["cc", "-O2", "-shared", "-fPIC", f"-D{define}", "-o", libraries[kind],
                       os.path.join(here, "../replace_rwlocks.c")])
    return libraries


def run(build, threads, preload=None, record=(), libraries=""):
    """Seconds that the test says it took."""
    settings = {"LD_LIBRARY_PATH": f"{build}:{libraries}", "KCRNDSEED": "7"}
    if preload:
        settings["LD_PRELOAD"] = preload
    text = output_of([*record, os.path.join(build, "kccachetest"), "wicked", "-th", str(threads),
                      str(OPERATIONS)], settings)
    time = re.search(r"^time: ([0-9.]+)", text, re.MULTILINE)
    if not time or text.split()[-1] != "ok":
        fail(f"{build}/kccachetest: it failed, or its output has changed")
    return float(time[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="QDAdvise's build folder")
    parser.add_argument("--programs", required=True, help="where bench/programs/run left its builds")
    parser.add_argument("--machine", help="machine description (default: calibrates)")
    parser.add_argument("--runs", type=int, default=7, help="of each lock and number of threads")
    options = parser.parse_args()
    qdadvise = os.path.join(options.build, "bin/qdadvise")
    if not go_first():
        print("note: other programs get in the way (no right to go first)", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        libraries = replacements(folder)
        machine = os.path.join(folder, "machine.toml")
        calibrations = machine + ".calibrations"

        def record(build, name):
            profile = os.path.join(folder, name)
            run(os.path.join(options.programs, build), 1, libraries=os.path.join(options.build, "lib"),
                record=[qdadvise, "record", "-o", profile, "--"])
            return profile

        profiles = []

        def look():
            calibrate(qdadvise, calibrations)
            profiles.append(record("profile", f"{len(profiles)}.qdprof"))

        look()
        diagnosis = record("memory", "memory.qdprof")
        times = {(kind, threads): [] for kind in KINDS for threads in (1, 2)}
        for i in range(options.runs):
            for kind, threads in times:
                times[kind, threads].append(
                    run(os.path.join(options.programs, "plain"), threads, libraries.get(kind)))
            if i % 3 == 2:
                look()
        if not options.machine:
            description_of(calibrations, machine)
        report = json.loads(output_of([qdadvise, "report", "--format", "json", *profiles]))
        without, predicted = (json.loads(output_of(
            [qdadvise, "predict", "--machine", options.machine or machine, "--threads", "1,2",
             "--kind", ",".join(KINDS), "--format", "json", *given]))
            for given in (profiles, [*profiles, diagnosis]))
        names = {lock["name"] for lock in next(iter(predicted["kinds"].values()))["locks"]}
        taken = sum(lock["acquisitions"] for lock in report["locks"]
                    if lock["name"] in names) / len(profiles)
        print("| lock | threads | measured, s | spread, % | predicted, s | throughput, % "
              "| without diagnosis, s | throughput, % |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for (kind, threads), measured in times.items():
            median = statistics.median(measured)
            row = [f"`{kind}`", str(threads), f"{median:.2f}", f"{100 * spread(measured):.0f}"]
            for prediction in (predicted, without):
                index = prediction["threads"].index(threads)
                expected = threads * taken / prediction["kinds"][kind]["throughput_per_s"][index]
                row += [f"{expected:.2f}", f"{100 * (median / expected - 1):+.0f}"]
            print(f"| {' | '.join(row)} |")


main()
