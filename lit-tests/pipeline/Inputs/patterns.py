# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds each program of examples/patterns and its fixed twin, runs both, and checks what
`report` finds: the pattern that the program is there to show, and nothing in the twin."""

import argparse
import json
import os
import pathlib
import subprocess

# Program: finding, lock, category and cause.
patterns = {
    "asymmetric-contention": (
        "asymmetric-contention", "Bucket::lock", "asymmetric-contention", "uneven-use"),
    "improper-granularity": (
        "high-contention", "seedLock", "improper-granularity", "long-section"),
    "improper-primitives": (
        "extensive-acquisitions", "hitsLock", "improper-primitives", "one-integer"),
    "load-imbalance": ("load-imbalance", "", "load-imbalance", "uneven-work"),
    "over-synchronization": (
        "extensive-acquisitions", "journalLock", "over-synchronization", "always-inside"),
    "try-lock-failures": ("try-lock-failures", "lock", "improper-primitives", "polling"),
}

parser = argparse.ArgumentParser()
parser.add_argument("--patterns", type=pathlib.Path)
parser.add_argument("--clang")
parser.add_argument("--qdadvise")
arguments = parser.parse_args()


def findings(source, *flags):
    subprocess.run(
        [*arguments.clang.split(), "-std=c++20", "-O2", "-pthread", *flags, source, "-o", "p"],
        check=True,
    )
    options = {**os.environ, "QDADVISE_OPTIONS": "profile=p.qdprof"}
    subprocess.run(["./p"], check=True, env=options)
    report = [arguments.qdadvise, "report", "--format", "json", "p.qdprof"]
    return json.loads(subprocess.run(report, check=True, capture_output=True).stdout)["findings"]


sources = sorted(arguments.patterns.glob("*.cpp"))
assert [source.stem for source in sources] == list(patterns), sources
for source in sources:
    found = findings(source)
    said = [
        (one["id"], one["lock"], cause["category"], cause["id"])
        for one in found
        for cause in one["causes"][:1]
    ]
    assert said == [patterns[source.stem]], (source.stem, found)
    assert {cause["category"] for cause in found[0]["causes"]} == {said[0][2]}, found
    for place in found[0]["sites"]:
        assert place.startswith(str(source) + ":"), found
    assert findings(source, "-DFIXED") == [], source.stem
