#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicted from a run with one thread, and measured with two.

    bench/programs/run --build build/llvm22 --out kyoto kyotocabinet
    bench/programs/compare.py --build build/llvm22 --programs kyoto kyotocabinet

kyotocabinet: the `wicked` test with its reader-writer lock as it is, and replaced from outside by
a mutex and by a spinlock; its other locks, which hardly anybody waits for, stay as they are, and
predictions have the same algorithm at all. leveldb: `readrandom` of db_bench.

Runs alternate, and medians are compared. The machine is calibrated, and the program recorded,
before, between and after them, in slices, so that what hooks cost is measured in the program; a run
recorded throughout says how much work it is. Two threads do twice the work of one. A memory trace
tells what data move between cores: predictions are made without it and with it."""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, ".."))
from measuring import calibrate, description_of, fail, go_first, output_of, spread


class KyotoCabinet:
    kinds = {"pthread_rwlock": None, "pthread_mutex": "MUTEX", "spinlock": "SPINLOCK"}
    operations = 1_000_000  # of each thread

    def prepare(self, folder, plain):
        """Libraries to preload, by algorithm."""
        self.libraries = {}
        for kind, define in self.kinds.items():
            if define:
                self.libraries[kind] = os.path.join(folder, f"{kind}.so")
                output_of(["cc", "-O2", "-shared", "-fPIC", f"-D{define}", "-o",
                           self.libraries[kind], os.path.join(here, "replace_rwlocks.c")])

    def seconds(self, build, threads, kind, record, settings):
        settings = {**settings, "KCRNDSEED": "7"}
        settings["LD_LIBRARY_PATH"] = f"{build}:{settings.get('LD_LIBRARY_PATH', '')}"
        if kind in self.libraries:
            settings["LD_PRELOAD"] = self.libraries[kind]
        text = output_of([*record, os.path.join(build, "kccachetest"), "wicked", "-th",
                          str(threads), str(self.operations)], settings)
        time = re.search(r"^time: ([0-9.]+)", text, re.MULTILINE)
        if not time or text.split()[-1] != "ok":
            fail(f"{build}/kccachetest: it failed, or its output has changed")
        return float(time[1])


class LevelDb:
    kinds = {"pthread_mutex": None}
    reads = 500_000  # of each thread

    def prepare(self, folder, plain):
        self.database = os.path.join(folder, "database")
        output_of([os.path.join(plain, "db_bench"), f"--db={self.database}",
                   "--benchmarks=fillrandom,compact", "--num=100000"])

    def seconds(self, build, threads, kind, record, settings):
        text = output_of([*record, os.path.join(build, "db_bench"), f"--db={self.database}",
                          "--use_existing_db=1", "--benchmarks=readrandom", "--num=100000",
                          f"--reads={self.reads}", f"--threads={threads}"], settings)
        each = re.search(r"readrandom *: *([0-9.]+) micros/op", text)  # in one thread
        if not each:
            fail(f"{build}/db_bench: it failed, or its output has changed")
        return float(each[1]) * 1e-6 * self.reads


PROGRAMS = {"kyotocabinet": KyotoCabinet, "leveldb": LevelDb}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="QDAdvise's build folder")
    parser.add_argument("--programs", required=True, help="where bench/programs/run left its builds")
    parser.add_argument("--machine", help="machine description (default: calibrates)")
    parser.add_argument("--runs", type=int, default=7, help="of each lock and number of threads")
    parser.add_argument("program", choices=PROGRAMS)
    options = parser.parse_args()
    qdadvise = os.path.join(options.build, "bin/qdadvise")
    program = PROGRAMS[options.program]()
    if not go_first():
        print("note: other programs get in the way (no right to go first)", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        machine = os.path.join(folder, "machine.toml")
        calibrations = machine + ".calibrations"
        program.prepare(folder, os.path.join(options.programs, "plain"))

        def record(build, name, recording):
            profile = os.path.join(folder, name)
            program.seconds(os.path.join(options.programs, build), 1, None,
                            [qdadvise, "record", "-o", profile, "--"],
                            {"LD_LIBRARY_PATH": os.path.join(options.build, "lib"),
                             "QDADVISE_OPTIONS": recording})
            return profile

        profiles = []

        def look():
            calibrate(qdadvise, calibrations)
            profiles.append(record("profile", f"{len(profiles)}.qdprof", "slices=2"))

        look()
        trace = record("memory", "memory.qdprof", "")
        counted = record("profile", "counted.qdprof", "slices=1")
        times = {(kind, threads): [] for kind in program.kinds for threads in (1, 2)}
        for i in range(options.runs):
            for kind, threads in times:
                times[kind, threads].append(
                    program.seconds(os.path.join(options.programs, "plain"), threads, kind, [], {}))
            if i % 3 == 2:
                look()
        if not options.machine:
            description_of(calibrations, machine)
        report = json.loads(output_of([qdadvise, "report", "--format", "json", counted]))
        without, predicted = (json.loads(output_of(
            [qdadvise, "predict", "--machine", options.machine or machine, "--threads", "1,2",
             "--kind", ",".join(program.kinds), "--format", "json", *given]))
            for given in (profiles, [*profiles, trace]))
        names = {lock["name"] for lock in next(iter(predicted["kinds"].values()))["locks"]}
        taken = sum(lock["acquisitions"] for lock in report["locks"]
                    if lock["name"] in names)
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


if __name__ == "__main__":
    main()
