# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts share that measure on this machine and compare with predictions."""

import datetime
import json
import os
import statistics
import subprocess
import sys
import tomllib


def fail(message):
    print(f"{os.path.basename(sys.argv[0])}: error: {message}", file=sys.stderr)
    sys.exit(2)


def output_of(command, settings=None):
    """Standard output, with `settings` in the environment. A failure ends the script."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **(settings or {})})
    if done.returncode != 0:
        fail(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def go_first():
    """Precedence over the machine's other programs, where that is allowed."""
    try:
        if os.getpgid(0) != os.getpid():
            os.setsid()
        os.setpriority(os.PRIO_PROCESS, 0, -15)
        with open("/proc/self/autogroup", "w") as group:
            group.write("-20")
        return True
    except OSError:
        return False


def middle(values):
    """The median of numbers, position by position in lists; of anything else the first."""
    first = values[0]
    if isinstance(first, dict):
        return {key: middle([one[key] for one in values if key in one]) for key in first}
    if isinstance(first, list):
        return [middle(list(same)) for same in zip(*values)]
    return statistics.median(values) if isinstance(first, (int, float)) else first


def write_toml(table, file, name=""):
    for key, value in table.items():
        if not isinstance(value, dict):
            text = value.isoformat() if hasattr(value, "isoformat") else json.dumps(value)
            file.write(f"{key} = {text}\n")
    for key, value in table.items():
        if isinstance(value, dict):
            file.write(f"\n[{name}{key}]\n")
            write_toml(value, file, f"{name}{key}.")


def calibrate(qdadvise, path):
    """Adds a calibration to those kept beside the results."""
    output_of([qdadvise, "calibrate", "-o", path + ".new"])
    with open(path + ".new", "rb") as file:
        one = tomllib.load(file)
    os.remove(path + ".new")
    one["machine"]["date"] = one["machine"]["date"].isoformat()
    with open(path, "a") as file:
        file.write(json.dumps(one) + "\n")


def description_of(calibrations, path):
    """Writes a description with the medians of the calibrations."""
    if not os.path.exists(calibrations):
        fail(f"there is no '{calibrations}'; name a description with --machine")
    with open(calibrations) as file:
        one = middle([json.loads(line) for line in file])
    one["machine"]["date"] = datetime.date.fromisoformat(one["machine"]["date"])
    for count in ("cores", "sockets", "threads_per_core"):
        one["machine"][count] = int(one["machine"][count])
    with open(path, "w") as file:
        write_toml(one, file)


def spread(values):
    return (max(values) - min(values)) / statistics.median(values) if len(values) > 1 else 0


def throughput_of(one):
    """With a core for every thread, time in which other programs had it does not count."""
    alone = one["threads"] <= len(os.sched_getaffinity(0))
    return one["throughput_per_s"] / (1 - one["waited_for_core"] if alone else 1)


def measure_all(steps, key, measure, results, qdadvise=None):
    """`measure(step)` for every step, a dict, whose values under the names in `key` tell it from
    the others; all measurements by these values. They are kept in the file `results`, with those
    of former runs. Steps come repetition by repetition, so that a noisy minute spoils one of each
    and not all of one; with `qdadvise` the machine is calibrated before each repetition."""
    found = {}
    if os.path.exists(results):
        with open(results) as file:
            for line in file:
                if line.endswith("\n"):
                    one = json.loads(line)
                    found[tuple(one.get(name) for name in key)] = one
    if not go_first():
        print(f"{os.path.basename(sys.argv[0])}: note: other programs get in the way (no right to "
              "go first)", file=sys.stderr)
    calibrated = None
    with open(results, "a") as file:
        for done, step in enumerate(steps):
            at = tuple(step[name] for name in key)
            if at not in found:
                if qdadvise and calibrated != step["repetition"]:
                    calibrate(qdadvise, results + ".calibrations")
                    calibrated = step["repetition"]
                one = {**measure(step), **dict(zip(key, at))}
                file.write(json.dumps(one) + "\n")
                file.flush()
                found[at] = one
            if sys.stderr.isatty() or done % 50 == 49:
                print(f"\r{done + 1} of {len(steps)} measurements", end="", file=sys.stderr)
    print(file=sys.stderr)
    return found
