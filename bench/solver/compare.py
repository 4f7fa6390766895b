#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long predictions take, beside GNU Octave's queueing package where that is installed
(Debian: octave-queueing), and how the cost grows. Processor times, medians. Writes
Markdown, and a picture where gnuplot is installed."""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile

MVA = {"threads": 64, "locks": 20}

# The same network as bench-solver's. Octave's own clock is of no use for single milliseconds
# on a loaded machine; cputime is what our figures are.
OCTAVE = """pkg load queueing
K = {locks}; S = 200 + 37 * mod(0:K-1, 11); V = ones(1, K) / K; times = [];
for i = 1:{runs}
  start = cputime; qncsmva({threads}, S, V, ones(1, K), 5000); times(end + 1) = cputime - start;
end
printf('%.9g', 1e9 * median(times));
"""


def measured(bench, pattern, repetitions):
    """Median processor time in ns, and the label, by the benchmark's name."""
    done = subprocess.run(
        [bench, f"--benchmark_filter={pattern}", f"--benchmark_repetitions={repetitions}",
         "--benchmark_min_time=0.05", "--benchmark_format=json"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if done.returncode:
        sys.exit(f"error: {bench} failed; is it the build's bench-solver?")
    unit = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    times = {}
    for one in json.loads(done.stdout)["benchmarks"]:
        if one.get("aggregate_name") == "median":
            times[one["run_name"]] = (one["cpu_time"] * unit[one["time_unit"]],
                                      one.get("label", ""))
    return times


def octave(threads, locks, runs=25):
    if not shutil.which("octave-cli"):
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".m") as script:
        script.write(OCTAVE.format(threads=threads, locks=locks, runs=runs))
        script.flush()
        done = subprocess.run(["octave-cli", "--quiet", "--no-gui", script.name],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return float(done.stdout) if done.returncode == 0 and done.stdout else None


def shown(ns):
    for limit, unit in ((1e3, "ns"), (1e6, "us"), (1e9, "ms")):
        if ns < limit:
            return f"{ns * 1e3 / limit:.3g} {unit}"
    return f"{ns / 1e9:.3g} s"


def plot(path, growth):
    """Two panels, logarithmic: cost over threads (20 locks) and over locks (64 threads)."""
    def data(axis):
        return "\n\n\n".join(
            f'"{kind}"\n' + "\n".join(f"{x} {ns / 1e3}" for x, ns in sorted(points.items()))
            for kind, points in growth[axis].items())

    script = ['set terminal svg size 900,380 font "sans,12" background "white"',
              f'set output "{path}"', "set multiplot layout 1,2", "set logscale xy",
              'set format y "10^{%T}"', "set grid", "set key top left",
              'set ylabel "processor time, us"']
    for axis, label in (("threads", "threads (20 locks)"), ("locks", "locks (64 threads)")):
        block = f"$by{axis}"
        script += [f"{block} << EOD", data(axis), "EOD", f'set xlabel "{label}"',
                   f"plot for [i=0:{len(growth[axis]) - 1}] {block} index i with linespoints "
                   "title columnheader(1)"]
    subprocess.run(["gnuplot"], input="\n".join(script), text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--plot", help="SVG to write")
    parser.add_argument("--repetitions", type=int, default=7)
    options = parser.parse_args()
    bench = f"{options.build}/bin/bench-solver"

    size = "threads:{threads}/locks:{locks}$".format(**MVA)
    exact, whole = (next(iter(measured(bench, pattern + size, options.repetitions).values()))[0]
                    for pattern in ("^mean value analysis/", "^predict/kind:0/"))
    theirs = octave(**MVA)
    print("| exact mean value analysis, {threads} threads x {locks} locks | processor time |"
          .format(**MVA))
    print("| --- | --- |")
    print(f"| QDAdvise, from visit ratios and times | {shown(exact)} |")
    print(f"| QDAdvise, from a network with routing, with all checks | {shown(whole)} |")
    if theirs:
        print(f"| GNU Octave, queueing: qncsmva, from visit ratios and times | {shown(theirs)}, "
              f"{theirs / exact:.0f} x |")
    else:
        print("| GNU Octave, queueing | not installed |")

    print("\n| 100 locks x 6 algorithms x 64 numbers of threads, `--model` | processor time |")
    print("| --- | --- |")
    for ns, label in measured(bench, "^menu/", options.repetitions).values():
        print(f"| `{label}` | {shown(ns)} |")

    growth = {"threads": {}, "locks": {}}
    for axis, points in growth.items():
        for name, (ns, kind) in measured(bench, f"^over {axis}/", 3).items():
            at = dict(part.split(":") for part in name.split("/")[1:])
            points.setdefault(kind, {})[int(at[axis])] = ns
    for axis, fixed in (("threads", "20 locks"), ("locks", "64 threads")):
        numbers = sorted({x for points in growth[axis].values() for x in points})
        print(f"\n| {axis} ({fixed}) | " + " | ".join(map(str, numbers)) + " |")
        print("| --- |" + " --- |" * len(numbers))
        for kind, points in growth[axis].items():
            print(f"| `{kind}` | " + " | ".join(shown(points[x]) for x in numbers) + " |")
    if options.plot:
        if not shutil.which("gnuplot"):
            sys.exit("error: --plot needs gnuplot; install gnuplot-nox")
        plot(options.plot, growth)


main()
