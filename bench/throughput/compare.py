#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Throughput of one lock on this machine beside the predicted or simulated one.

Draws configurations (lengths of sections and of the computation between them, their distribution,
the share of readers), runs each with every lock and number of threads, and predicts (or, with
`--by simulate`, simulates) the same with a description of this machine. Runs of all configurations alternate, and medians are compared. The
machine is calibrated before every repetition, so that a change of its speed meets both alike.
Measurements are appended to a file as they come; a run that was interrupted goes on where it ended.

    bench/throughput/compare.py --build build/llvm22 --seed 2 --results throughput.jsonl
"""
import argparse
import json
import os
import random
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from measuring import description_of, fail, measure_all, output_of, spread, throughput_of

LOCKS = ["pthread_mutex", "pthread_rwlock", "spinlock", "mcs", "qd"]
IN_LINE = {"ticket", "mcs", "clh"}  # out of the models' range where threads share cores
TIMES = ["exponential", "deterministic", "heavy-tailed"]
READERS = [0, 0.5, 0.75, 0.95]
COMPUTED = {"predict": "predicted", "simulate": "simulated"}  # by command


def configurations_of(seed, count, lengths):
    """Lengths are log-uniform."""
    draw = random.Random(seed)

    def length():
        low, high = lengths
        return round(low * (high / low) ** draw.random())

    return [{"number": i, "section": length(), "local": length(), "times": TIMES[i % len(TIMES)],
             "readers": draw.choice(READERS)} for i in range(count)]


def numbers_of_threads(lock, arguments):
    cores = len(os.sched_getaffinity(0))
    return [threads for threads in arguments.threads if threads <= cores or lock not in IN_LINE]


def measure(program, step, seconds):
    return json.loads(output_of([
        program, "--lock", step["lock"], "--threads", str(step["threads"]),
        "--times", step["times"], "--section", str(step["section"]), "--local", str(step["local"]),
        "--readers", str(step["readers"]), "--seed", str(step["repetition"] + 1),
        "--seconds", str(seconds)]))


def measured_runs(programs, configurations, arguments):
    """All measurements of these configurations, by (number, lock, threads)."""
    steps = [{**configuration, "seed": arguments.seed, "lock": lock, "threads": threads,
              "repetition": repetition}
             for repetition in range(arguments.repetitions)
             for configuration in configurations
             for lock in arguments.lock
             for threads in numbers_of_threads(lock, arguments)]
    found = measure_all(
        steps, ("seed", "number", "section", "local", "lock", "threads", "repetition"),
        lambda step: measure(programs["bench-throughput"], step, arguments.seconds),
        arguments.results, None if arguments.machine else programs["qdadvise"])
    measured = {}
    wanted = {(arguments.seed, each["number"], each["section"], each["local"])
              for each in configurations}
    for (*configuration, lock, threads, _), one in found.items():
        if tuple(configuration) in wanted:
            measured.setdefault((configuration[1], lock, threads), []).append(one)
    return measured


def network_of(configuration, cv):
    """One lock with a section that reads and one that writes; `cv` of heavy-tailed times."""
    times = {"exponential": 'dist = "exponential"', "deterministic": 'dist = "deterministic"',
             "heavy-tailed": f'dist = "lognormal", cv = {cv}'}[configuration["times"]]
    shares = {"read": configuration["readers"], "write": 1 - configuration["readers"]}
    shares = {name: share for name, share in shares.items() if share > 0}
    text = '[[lock]]\nname = "lock"\nkind = "pthread_mutex"\n[[class]]\nname = "worker"\n'
    for name in shares:
        text += (f'[[section]]\nname = "{name}"\nlock = "lock"\n'
                 f'mode = "{"shared" if name == "read" else "exclusive"}"\n'
                 f'hold = {{ mean = {configuration["section"]}.0, {times} }}\n')
    for name in shares:
        for next_one, share in shares.items():
            text += (f'[[transition]]\nclass = "worker"\nfrom = "{name}"\nto = "{next_one}"\n'
                     f'probability = {share}\n'
                     f'local = {{ mean = {configuration["local"]}.0, {times} }}\n')
    return text


def computed(qdadvise, configuration, cv, arguments):
    """Predicted or simulated throughput by (lock, threads)."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(network_of(configuration, cv))
        file.flush()
        result = json.loads(output_of(
            [qdadvise, arguments.by, "--network", file.name, "--machine", arguments.machine,
             "--kind", ",".join(arguments.lock), "--threads",
             ",".join(map(str, arguments.threads)), "--format", "json"]))
    return {(lock, threads): result["kinds"][lock]["throughput_per_s"][index]
            for lock in arguments.lock for index, threads in enumerate(result["threads"])}


def row(title, errors):
    worst = max(errors, key=lambda error: abs(error["error"]))
    sizes = [abs(error["error"]) for error in errors]
    print(f"| {title} | {len(errors)} | {100 * statistics.mean(sizes):.1f} "
          f"| {100 * statistics.median(sizes):.1f} "
          f"| {100 * statistics.median(error['error'] for error in errors):+.1f} "
          f"| {100 * worst['error']:+.0f} "
          f"| {100 * statistics.median(error['spread'] for error in errors):.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--machine", help="machine description (default: calibrates)")
    parser.add_argument("--results", default="throughput.jsonl",
                        help="measurements, kept and added to")
    parser.add_argument("--by", choices=COMPUTED, default="predict",
                        help="command to compare with (default: predict)")
    parser.add_argument("--sample", type=int, default=42, help="configurations")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--lengths", default="100,30000",
                        type=lambda text: [float(item) for item in text.split(",")],
                        help="shortest and longest section and computation, ns")
    parser.add_argument("--threads", default="1,2,4,8",
                        type=lambda text: [int(item) for item in text.split(",")])
    parser.add_argument("--lock", default=LOCKS, type=lambda text: text.split(","))
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.1, help="a measurement")
    parser.add_argument("--worst", type=int, default=10, help="cases to name")
    arguments = parser.parse_args()
    programs = {name: os.path.join(arguments.build, "bin", name)
                for name in ("bench-throughput", "qdadvise")}
    for path in programs.values():
        if not os.access(path, os.X_OK):
            fail(f"there is no '{path}'; build it, or name another folder with --build")
    configurations = configurations_of(arguments.seed, arguments.sample, arguments.lengths)
    measured = measured_runs(programs, configurations, arguments)
    if not arguments.machine:
        arguments.machine = arguments.results + ".machine.toml"
        description_of(arguments.results + ".calibrations", arguments.machine)

    errors = []
    for configuration in configurations:
        any_run = measured[configuration["number"], arguments.lock[0], arguments.threads[0]][0]
        found = computed(programs["qdadvise"], configuration, any_run["cv"], arguments)
        for (lock, threads), value in found.items():
            if threads not in numbers_of_threads(lock, arguments):
                continue
            runs = [throughput_of(one) for one in measured[configuration["number"], lock, threads]]
            median = statistics.median(runs)
            errors.append({**configuration, "lock": lock, "threads": threads, "measured": median,
                           "computed": value, "error": value / median - 1,
                           "spread": spread(runs)})

    print(f"{len(configurations)} configurations (seed {arguments.seed}), medians of "
          f"{arguments.repetitions} runs of {arguments.seconds} s; errors of throughput in %\n")
    print("| | cases | mean | median | bias | largest | spread of runs |")
    print("|" + " --- |" * 7)
    for threads in arguments.threads:
        here = [error for error in errors if error["threads"] == threads]
        row(f"**{threads} thread{'s' if threads > 1 else ''}**", here)
        for lock in arguments.lock:
            some = [error for error in here if error["lock"] == lock]
            if some:
                row(f"`{lock}`", some)
        for times in TIMES:
            some = [error for error in here if error["times"] == times]
            if some:
                row(times, some)
    print("\n| lock | threads | section, ns | local, ns | times | readers | measured, 1/s "
          f"| {COMPUTED[arguments.by]} | error, % |")
    print("|" + " --- |" * 9)
    for error in sorted(errors, key=lambda one: -abs(one["error"]))[:arguments.worst]:
        readers = f"{100 * error['readers']:.0f} %" if error["lock"] == "pthread_rwlock" else ""
        print(f"| `{error['lock']}` | {error['threads']} | {error['section']} | {error['local']} "
              f"| {error['times']} | {readers} | {error['measured']:.0f} "
              f"| {error['computed']:.0f} | {100 * error['error']:+.0f} |")


if __name__ == "__main__":
    main()
