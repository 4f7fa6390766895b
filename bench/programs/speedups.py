#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The speed-up of programs with two threads, predicted from runs with one, beside the measured one.

    bench/programs/speedups.py --build build/llvm22

Builds each program of the tables twice, plain and with the plugin (one flag), fetching what it
needs; what is built already is kept. Then, round by round, it calibrates the machine and runs each
plain program with one thread and with two; in some rounds it records one with one thread besides,
and two copies of it at once. Whole runs are timed, by the clock. Predictions know the records and
the machine alone; those without copies know less of the same records.

A table is a TOML file with an entry `[[program]]` for each:

    name      of the program, one word: its folder has it
    source    Debian's source package, or
    git       the address of a repository, and
    commit    what of it is built, or
    folder    its sources, seen from the table, or
    example   a source file of this project's examples
    packages  Debian packages that its build needs
    build     shell commands in a copy of the sources; CC and CXX are compiler commands
    prepare   shell commands that make its input, in a folder of their own: $DATA
    run       one run, in the folder of the build with $THREADS threads; two at once know which they
              are by $QDADVISE_COPY, 1 or 2, which is empty where one is timed
    each      true: every thread does as much as one does alone, so that two have twice the work
    kind      the algorithm of all its locks (default: recorded, each has its own)
    scale     thread classes that take the threads
    threads   how many threads of these each of $THREADS makes, as a pipeline does with several
              stages (default: as many as the records with one of $THREADS had at a time)

Programs of your own: --table FILE, which may be given several times.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import time
import tomllib

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
from measuring import description_of, fail, measure_all, output_of, spread  # noqa: E402

EXAMPLES = here.parents[1] / "examples"
SOURCES = {"source", "git", "folder", "example"}
KEYS = SOURCES | {"name", "commit", "packages", "build", "prepare", "run", "each", "kind", "scale",
                  "threads"}
SHELL = ["bash", "-euo", "pipefail", "-c"]


def read_table(path):
    """Its programs, with `folder` as a path."""
    try:
        with open(path, "rb") as file:
            programs = tomllib.load(file).get("program", [])
    except (OSError, tomllib.TOMLDecodeError) as error:
        fail(f"{path}: {error}")
    for program in programs:
        name = program.get("name", "a program without a name")
        if unknown := set(program) - KEYS:
            fail(f"{path}: {name}: no key '{min(unknown)}' is known")
        if not re.fullmatch(r"[\w.+-]+", name := program.get("name", "")):
            fail(f"{path}: '{name}' is no name: one word, which its folder has")
        if "run" not in program or len(SOURCES & set(program)) != 1:
            fail(f"{path}: {name}: it needs 'run', and one of 'source', 'git', 'folder' and 'example'")
        if ("git" in program) != ("commit" in program):
            fail(f"{path}: {name}: 'git' and 'commit' go together")
        if "folder" in program:
            program["folder"] = pathlib.Path(path).resolve().parent / program["folder"]
    return programs


def shell(commands, folder, log, **settings):
    """Runs shell commands there; a failure ends the script."""
    with open(log, "w") as out:
        done = subprocess.run([*SHELL, commands], cwd=folder, stdout=out, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, env={**os.environ, **settings})
    if done.returncode != 0:
        fail(f"'{commands.strip().splitlines()[0]}' fails in {folder}; see {log}")


class Program:
    def __init__(self, row, out):
        self.row, self.name = row, row["name"]
        self.folder = out / self.name
        self.data = self.folder / "data"

    def fetch(self):
        """Its sources, in a folder."""
        if "folder" in self.row:
            return self.row["folder"]
        if "example" in self.row:
            return (EXAMPLES / self.row["example"]).parent
        sources = self.folder / "src"
        if sources.exists():
            return sources
        log = self.folder / "fetch.log"
        if "git" in self.row:
            print(f"{self.name}: cloning {self.row['git']}", flush=True)
            new = self.folder / "src.new"
            shutil.rmtree(new, ignore_errors=True)
            shell(f"git clone --quiet {shlex.quote(self.row['git'])} {new}; "
                  f"git -C {new} checkout --quiet {shlex.quote(self.row['commit'])}; "
                  f"mv {new} {sources}", self.folder, log)
        else:
            print(f"{self.name}: fetching Debian's source package '{self.row['source']}'",
                  flush=True)
            shutil.rmtree(self.folder / "apt", ignore_errors=True)
            shell(f"source {here}/../../scripts/lib.sh; source {here}/fetch.sh; "
                  f"fetchSource {self.row['source']}", self.folder, log)
        return sources

    def prepare(self, qdadvise, clang):
        """Builds it plain and with the plugin, and makes its input."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if packages := self.row.get("packages"):
            shell(f"source {here}/../../scripts/lib.sh; needPackages {' '.join(packages)}",
                  self.folder, self.folder / "packages.log")
        flag = output_of([qdadvise, "config", "profile", "--clang", clang]).strip()
        for build, flags in (("plain", ""), ("profile", f" --config={flag}")):
            folder = self.folder / build
            # A build that came to its end, of these commands and this plugin.
            stamp = self.folder / f"{build}.built"
            of = json.dumps([self.row.get("build"), self.row.get("example"), clang, flags])
            if stamp.exists() and stamp.read_text() == of:
                continue
            print(f"{self.name}: building it {build}", flush=True)
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(self.fetch(), folder, symlinks=True)
            commands = self.row.get("build") or (
                f"$CXX -std=c++20 -O2 -pthread {os.path.basename(self.row['example'])} -o program")
            # What configure tries out leaves no profiles about.
            shell(commands, folder, self.folder / f"build-{build}.log", CC=clang + flags,
                  CXX=clang.replace("clang", "clang++") + flags,
                  QDADVISE_OPTIONS=f"profile={self.folder}/configure.qdprof")
            stamp.write_text(of)
        if not self.data.exists():
            new = self.folder / "data.new"
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir()
            shell(self.row.get("prepare", ":"), self.folder / "plain", self.folder / "prepare.log",
                  DATA=str(new))
            new.rename(self.data)

    def seconds(self, build, threads, record=""):
        from_ = time.monotonic()
        shell(f"{record} bash -c {shlex.quote(self.row['run'])}", self.folder / build,
              self.folder / "run.log", THREADS=str(threads), DATA=str(self.data), QDADVISE_COPY="")
        return time.monotonic() - from_

    def predicted(self, qdadvise, machine, profiles):
        """The speed-up with two of $THREADS of the whole run, else of critical sections and what is
        between them; its interval; whether it is of the whole run; and the first without what
        copies tell, None where there is no network to leave them out of. Raises NotPredicted."""
        kind = self.row.get("kind", "recorded")
        scale = [word for one in self.row.get("scale", []) for word in ("--scale", one)]

        def predict(threads, *source):
            done = subprocess.run([qdadvise, "predict", "--machine", machine, "--threads", threads,
                                   "--kind", kind, "--format", "json", *source],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                raise NotPredicted(done.stderr.strip())
            return json.loads(done.stdout)

        made = self.row.get("threads")
        if made is None:
            made = predict("1", *scale, *profiles).get("run", {}).get("threads", 1)

        def figures(*source):
            found = predict(f"{made},{2 * made}", *source)["kinds"][kind]
            name = "run_speedup" if "run_speedup" in found else "speedup"
            one, two = found[name]
            low, high = found[name + "_ci95"][1]
            return two / one, (low / one, high / one), name == "run_speedup", found["locks"]

        *whole, locks = figures(*scale, *profiles)
        if not locks:
            return *whole, None
        network = self.folder / "network.toml"
        network.write_text("".join(
            line for line in output_of([qdadvise, "show", "--machine", machine, *scale, *profiles])
            .splitlines(keepends=True) if not line.startswith("copies = ")))
        return *whole, figures("--network", str(network))[0]


class NotPredicted(Exception):
    """What `qdadvise predict` said instead."""


def steps_of(programs, rounds, records):
    """Round by round; the rounds that record are the first, the last and some between."""
    recording = {round(i * (rounds - 1) / max(1, records - 1)) for i in range(records)}
    return [{"repetition": repetition, "name": program.name, "threads": threads,
             "recorded": recorded}
            for repetition in range(rounds) for program in programs
            for threads, recorded in ((1, True), (1, False), (2, False))
            if not recorded or repetition in recording]


def profile_of(program, repetition):
    return program.folder / f"{repetition}.qdprof"


def measure_programs(programs, options):
    of_name = {program.name: program for program in programs}

    def measure(step):
        program = of_name[step["name"]]
        if not step["recorded"]:
            return {"seconds": program.seconds("plain", step["threads"])}
        profile = profile_of(program, step["repetition"])
        return {"seconds": program.seconds(
            "profile", 1, f"{options.qdadvise} record --copies 2 -o {profile} --")}

    return measure_all(steps_of(programs, options.rounds, options.records),
                       ("name", "threads", "recorded", "repetition"), measure, options.results,
                       options.qdadvise)


def rows_of(programs, found, options):
    machine = options.machine
    if not machine:
        machine = str(options.out / "machine.toml")
        description_of(options.results + ".calibrations", machine)
    for program in programs:
        times = {threads: [one["seconds"] for (name, n, recorded, _), one in found.items()
                           if (name, n, recorded) == (program.name, threads, False)]
                 for threads in (1, 2)}
        profiles = [str(profile_of(program, repetition))
                    for (name, _, recorded, repetition) in found
                    if recorded and name == program.name]
        one, two = (statistics.median(times[threads]) for threads in (1, 2))
        measured = one / two * (2 if program.row.get("each") else 1)
        row = {"name": program.name, "one": one, "two": two,
               "spread": max(map(spread, times.values())), "measured": measured}
        try:
            predicted, (low, high), whole, without = program.predicted(options.qdadvise, machine,
                                                                       profiles)
        except NotPredicted as refusal:
            yield {**row, "refusal": str(refusal)}
            continue
        yield {**row, "predicted": predicted, "low": low, "high": high, "whole": whole,
               "without": without,
               "error": predicted / measured - 1, "inside": low <= measured <= high}


def print_table(rows):
    print("| program | 1 thread, s | 2 threads, s | spread, % | speed-up measured | predicted "
          "| interval | error, % | inside | without copies |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in rows:
        print(f"| {row['name']} | {row['one']:.2f} | {row['two']:.2f} | {100 * row['spread']:.0f} "
              f"| {row['measured']:.2f} ", end="")
        if "refusal" in row:
            print("| not | | | | |")
            continue
        star = "" if row["whole"] else " *"
        without = "-" if row["without"] is None else f"{row['without']:.2f}"
        print(f"| {row['predicted']:.2f}{star} "
              f"| {row['low']:.2f} to {row['high']:.2f} | {100 * row['error']:+.0f} "
              f"| {'yes' if row['inside'] else 'no'} | {without} |")
    predicted = [row for row in rows if "refusal" not in row]
    errors = [abs(row["error"]) for row in predicted]
    print()
    if predicted:
        print(f"{len(predicted)} programs: {100 * statistics.mean(errors):.1f} % off on the mean, "
              f"{100 * max(errors):.1f} % at worst; inside the interval in "
              f"{sum(row['inside'] for row in predicted)} of {len(predicted)}")
    if not all(row["whole"] for row in predicted):
        print("* of critical sections and what is between them: the whole run is not known")
    for row in rows:
        if "refusal" in row:
            print(f"{row['name']} is not predicted: {row['refusal']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/llvm22", help="QDAdvise's build folder")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--table", action="append", default=[], metavar="FILE",
                        help="programs (default: speedups.toml beside this script)")
    parser.add_argument("--out", default="build/speedups", help="for sources, builds and profiles")
    parser.add_argument("--results", help="measurements, kept between runs (default: in --out)")
    parser.add_argument("--machine", help="machine description (default: calibrates)")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--records", type=int, default=3, help="rounds of these that record")
    parser.add_argument("--build-only", action="store_true", help="measure nothing")
    parser.add_argument("program", nargs="*", help="of the tables (default: all)")
    options = parser.parse_args()
    if not 1 <= options.records <= options.rounds:
        fail("give --records a number from 1 to that of --rounds")
    options.qdadvise = os.path.abspath(os.path.join(options.build, "bin", "qdadvise"))
    libraries = os.path.abspath(os.path.join(options.build, "lib"))
    os.environ["LD_LIBRARY_PATH"] = f"{libraries}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    options.out = pathlib.Path(options.out).resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    options.results = options.results or str(options.out / "speedups.jsonl")
    rows = [row for table in options.table or [here / "speedups.toml"] for row in read_table(table)]
    if unknown := set(options.program) - {row["name"] for row in rows}:
        fail(f"no program '{min(unknown)}'; there are {', '.join(row['name'] for row in rows)}")
    programs = [Program(row, options.out) for row in rows
                if not options.program or row["name"] in options.program]
    for program in programs:
        program.prepare(options.qdadvise, options.clang)
    if options.build_only:
        return
    found = measure_programs(programs, options)
    print_table(list(rows_of(programs, found, options)))


if __name__ == "__main__":
    main()
