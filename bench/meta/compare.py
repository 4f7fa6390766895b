#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Throughput of the meta-benchmark on this machine beside the simulated one.

Samples configurations of the meta-benchmark, runs the program with every lock and number of
threads, lets `qdadvise simulate` do the same with a description of this machine, and prints
both, their ratios and what stands out. The machine is calibrated before every repetition, so
that a change of its speed meets both alike; the medians of all calibrations are simulated.
Measurements are appended to a file as they come; a run that was interrupted goes on where it
ended.

    bench/meta/compare.py --build build/llvm22 --results meta.jsonl
"""
import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import tomllib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from measuring import description_of, fail, measure_all, output_of, spread, throughput_of

KINDS = {"mutex": "pthread_mutex", "spinlock": "spinlock", "qd": "qd"}
# The program's queue has 3 cache lines and its heap 5.
SIMULATION = ["--lines", "4", "--precision", "3", "--seed", "1"]


def configuration_of(workloads, name):
    """What `bench-meta` is told, from the name and the network that has the matrix."""
    network = tomllib.loads(output_of([workloads, "show", name]))
    after = {t["from"]: t["probability"] for t in network["transition"] if t["to"] == "fifo"}
    return {
        "name": name,
        "section": network["section"][0]["hold"]["mean"],
        "local": network["transition"][0]["local"]["mean"],
        "fifo_after_fifo": after["fifo"],
        "fifo_after_heap": after["heap"],
    }


def measure(program, step, seconds):
    return json.loads(output_of([
        program, "--format", "json", "--lock", step["lock"], "--threads", str(step["threads"]),
        "--section", str(step["section"]), "--local", str(step["local"]),
        "--fifo-after-fifo", str(step["fifo_after_fifo"]),
        "--fifo-after-heap", str(step["fifo_after_heap"]),
        "--seed", str(step["repetition"] + 1), "--seconds", str(seconds)]))


def measured_runs(programs, configurations, arguments):
    """Throughputs by (name, lock, threads), and the mean share of the time that threads waited
    for a core by (lock, threads)."""
    steps = [{**configuration, "lock": lock, "threads": threads, "repetition": repetition}
             for repetition in range(arguments.repetitions)
             for configuration in configurations
             for lock in KINDS
             for threads in arguments.threads]
    found = measure_all(steps, ("name", "lock", "threads", "repetition"),
                        lambda step: measure(programs["bench-meta"], step, arguments.seconds),
                        arguments.results, None if arguments.machine else programs["qdadvise"])
    throughput, lost = {}, {}
    for (name, lock, threads, _), one in found.items():
        throughput.setdefault((name, lock, threads), []).append(throughput_of(one))
        lost.setdefault((lock, threads), []).append(one["waited_for_core"])
    return throughput, {key: statistics.mean(values) for key, values in lost.items()}


def simulate(qdadvise, workloads, configuration, arguments):
    """Simulated throughput by (lock, threads)."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(output_of([workloads, "show", configuration["name"]]))
        file.flush()
        command = [qdadvise, "simulate", "--network", file.name, "--machine", arguments.machine,
                   "--kind", ",".join(KINDS.values()), "--format", "json",
                   "--threads", ",".join(map(str, arguments.threads))]
        result = json.loads(output_of(command + (arguments.simulate or SIMULATION)))
    return {(lock, threads): result["kinds"][kind]["throughput_per_s"][index]
            for lock, kind in KINDS.items()
            for index, threads in enumerate(result["threads"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--machine", help="machine description (default: calibrates)")
    parser.add_argument("--results", default="meta.jsonl", help="measurements, kept and added to")
    parser.add_argument("--sample", type=int, default=30, help="configurations")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--threads", default="1,2,4,8",
                        type=lambda text: [int(item) for item in text.split(",")])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.1, help="a measurement")
    parser.add_argument("--worst", type=int, default=5, help="configurations to name")
    parser.add_argument("simulate", nargs="*", help=f"after --: options for qdadvise simulate (default: {' '.join(SIMULATION)})")
    arguments = parser.parse_args()
    programs = {name: os.path.join(arguments.build, "bin", name)
                for name in ("bench-meta", "bench-workloads", "qdadvise")}
    for path in programs.values():
        if not os.access(path, os.X_OK):
            fail(f"there is no '{path}'; build it, or name another folder with --build")

    names = [line.split("\t")[0]
             for line in output_of([programs["bench-workloads"], "list", "meta"]).splitlines()]
    names = sorted(random.Random(arguments.seed).sample(names, min(arguments.sample, len(names))))
    configurations = [configuration_of(programs["bench-workloads"], name) for name in names]
    measured, lost = measured_runs(programs, configurations, arguments)
    if not arguments.machine:
        arguments.machine = arguments.results + ".machine.toml"
        description_of(arguments.results + ".calibrations", arguments.machine)
    simulated = {}
    for configuration in configurations:
        for key, value in simulate(programs["qdadvise"], programs["bench-workloads"],
                                   configuration, arguments).items():
            simulated[(configuration["name"],) + key] = value

    print(f"{len(names)} configurations (seed {arguments.seed}), medians of "
          f"{arguments.repetitions} runs of {arguments.seconds} s\n")
    print("| lock | threads | median of simulated/measured | median of the difference, % "
          "| within 15 % | largest | in | spread of runs, % | waited for a core, % |")
    print("|" + " --- |" * 9)
    everything = []
    for lock in KINDS:
        for threads in arguments.threads:
            rows = []
            for name in names:
                values = measured.get((name, lock, threads))
                if values:
                    median = statistics.median(values)
                    rows.append((simulated[name, lock, threads] / median, name, median,
                                 simulated[name, lock, threads], spread(values)))
            if not rows:
                continue
            everything += [row + (lock, threads) for row in rows]
            differences = [abs(row[0] - 1) for row in rows]
            worst = max(rows, key=lambda row: abs(row[0] - 1))
            print(f"| {lock} | {threads} | {statistics.median(row[0] for row in rows):.3f} "
                  f"| {100 * statistics.median(differences):.1f} "
                  f"| {sum(d <= 0.15 for d in differences)} of {len(rows)} "
                  f"| {100 * (worst[0] - 1):+.0f} % | {worst[1]} "
                  f"| {100 * statistics.median(row[4] for row in rows):.1f} "
                  f"| {100 * lost[lock, threads]:.1f} |")
    if arguments.worst:
        print("\n| configuration | lock | threads | measured, 1/s | simulated | ratio "
              "| spread of runs, % |")
        print("|" + " --- |" * 7)
        everything.sort(key=lambda row: -abs(row[0] - 1))
        for ratio, name, one, other, noise, lock, threads in everything[:arguments.worst]:
            print(f"| {name} | {lock} | {threads} | {one:.0f} | {other:.0f} | {ratio:.2f} "
                  f"| {100 * noise:.0f} |")


if __name__ == "__main__":
    main()
