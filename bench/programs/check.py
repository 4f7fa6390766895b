# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what QDAdvise recorded of a program with what is known otherwise.

check.py --report JSON --counts PREFIX --folder DIR --lock-lines N --hottest FILE
         [--no-sites-in REGEX]

Prints the figures, one a line, and what differs. Exit code 1 if
  - recorded and independently counted acquisitions are more than 0.1 % apart,
  - a site lies outside the program, or --no-sites-in matches its "file function",
  - one of the five functions with most acquisitions is not listed in FILE, or one of the
    first five listed is not among the twelve with most. (Beyond that, chance and the
    number of rounds decide about ranks.)
"""

import argparse
import collections
import glob
import json
import os
import re
import sys


def arguments():
    parser = argparse.ArgumentParser()
    for name in ("report", "counts", "folder", "lock-lines", "hottest"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--no-sites-in", default="")
    return parser.parse_args()


def readCounts(prefix):
    """What the preloaded counter found, over all processes, and how many these were."""
    counts = collections.Counter()
    files = glob.glob(glob.escape(prefix) + ".*")
    for name in files:
        with open(name) as lines:
            for line in lines:
                operation, number = line.split()
                counts[operation] += int(number)
    return counts, len(files)


def inProgram(file, folder):
    """A path relative to the program's sources. Make may have compiled it in a folder of
    its own and named it by '..'; then only the end of it is known."""
    if file.startswith("/"):
        return os.path.relpath(file, folder) if file.startswith(folder) else file
    return re.sub(r"^(\.\./)+", "", os.path.normpath(file))


def plainName(function):
    """A function's qualified name, without parameters and unnamed scopes."""
    function = re.sub(r"\(anonymous [a-z]+\)::", "", function)
    local = re.match(r"[^()]*\([^()]*\)::(.*)", function)  # of a class inside a function
    return plainName(local[1]) if local else function.split("(")[0].strip()


def samePlace(place, listed):
    """Whether a recorded (file, function) is a listed one. The recorded file may lack the
    folder in which the compiler was started."""
    file = place[0]
    return place[1] == listed[1] and (listed[0] == file or listed[0].endswith("/" + file))


def checkHottest(sites, folder, listFile):
    acquisitions = collections.Counter()
    for site in sites:
        place = inProgram(site["file"], folder), plainName(site["function"])
        acquisitions[place] += site["acquisitions"]
    with open(listFile) as lines:
        listed = [tuple(line.split(maxsplit=1)) for line in map(str.strip, lines)
                  if line and not line.startswith("#")]
    top = [place for place, _ in acquisitions.most_common(12)]

    print("\nfunctions with most acquisitions")
    for place in top:
        mark = " " if any(samePlace(place, one) for one in listed) else "?"
        print(f"{acquisitions[place]:12} {mark} {place[0]} {place[1]}")
    unlisted = [place for place in top[:5] if not any(samePlace(place, one) for one in listed)]
    missing = [one for one in listed[:5] if not any(samePlace(place, one) for place in top)]
    if unlisted:
        yield f"among the first five, but not in {listFile}: " + names(unlisted)
    if missing:
        yield f"among the first five of {listFile}, but not found among twelve: " + names(missing)


def names(places):
    return ", ".join(f"{function} ({file})" for file, function in places)


def checkPlaces(sites, folder, noSitesIn):
    places = {(inProgram(site["file"], folder), plainName(site["function"])) for site in sites}
    outside = sorted(place for place in places if place[0].startswith(("/", "..")))
    if outside:
        yield "sites outside the program: " + names(outside)
    inside = sorted(place for place in places if noSitesIn and re.search(noSitesIn, " ".join(place)))
    if inside:
        yield "sites in the bodies of wrappers: " + names(inside)


def main():
    given = arguments()
    with open(given.report) as file:
        report = json.load(file)
    counts, processes = readCounts(given.counts)
    executed = [site for lock in report["locks"] for site in lock["sites"]]
    places = {(s["file"], s["line"], s["column"], s["function"]) for s in executed}

    recorded = sum(lock["acquisitions"] for lock in report["locks"])
    kinds = ("mutex", "rwlock", "spin", "wait")
    counted = sum(counts[kind] for kind in kinds)
    apart = abs(recorded - counted) / max(counted, 1)
    print(f"source lines that take a lock    {given.lock_lines} (by grep)")
    print(f"sites recognised                 {len(places) + len(report['not_executed'])}")
    print(f"sites executed                   {len(places)}")
    print(f"acquisitions recorded            {recorded}")
    print(f"acquisitions counted otherwise   {counted}: "
          + ", ".join(f"{counts[kind]} {kind}" for kind in kinds))
    print(f"difference                       {recorded - counted} ({apart:.4%})")
    print(f"not counted, as no acquisitions  {counts['reentered']} re-entries, "
          f"{counts['failed']} failed tries")
    print(f"processes                        {processes}")
    print(f"events lost, releases unmatched  {report['dropped']}, {report['unmatched']}")

    failures = list(checkHottest(executed, given.folder, given.hottest))
    failures += checkPlaces(executed + report["not_executed"], given.folder, given.no_sites_in)
    if counted == 0 or apart > 0.001:
        failures.append("recorded and counted acquisitions are more than 0.1 % apart")
    for failure in failures:
        print("error: " + failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
