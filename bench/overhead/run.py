#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What recording adds to programs: processor time and resident memory, next to an interposing
profiler (Shim.c). Variants take turns; figures are medians over rounds of what a variant took
more than the plain program of the same round. The programs are those of Programs.cpp, and of
kyotocabinet, memcached and leveldb those that `bench/programs/run` has built, plain and with the
plugin.

    bench/overhead/run.py [--build DIR] [--programs DIR] [--rounds N] [--only WORD] [--variants WORD,...]
                          [--against VARIANT] [--at-once | --instructions]

With --at-once they do not take turns but run at once, on one core: then whatever else happens
happens to all. memcached's servers always do.

glibc's malloc and mutexes take longer once a process has had a second thread, and slices are switched
by a thread. Programs of one thread that are recorded in slices are compared with the plain program
with an idle thread beside: `--against threaded`.

With --instructions it counts instead of timing, under callgrind: the instructions of a unit of
work are what a longer run takes more than a short one.
"""

import argparse
import concurrent.futures
import getpass
import os
import resource
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--build", default="build/llvm22", help="the build tree")
parser.add_argument("--programs", default="build/programs",
                    help="where bench/programs/run builds; what is not there is left out")
parser.add_argument("--rounds", type=int, default=15)
parser.add_argument("--only", default="", help="programs with this in their name")
parser.add_argument("--variants", default="", help="besides the plain program those of these names")
parser.add_argument("--against", default="plain", help="the variant that others are compared with")
parser.add_argument("--at-once", action="store_true",
                    help="run the variants at once on one core: whatever else happens happens to all")
parser.add_argument("--instructions", action="store_true", help="count them; once is enough")
arguments = parser.parse_args()

folder = tempfile.TemporaryDirectory()
binaries = os.path.abspath(os.path.join(arguments.build, "bin"))


def library(name):
    return os.path.abspath(os.path.join(arguments.build, "lib", f"libbench-{name}.so"))


def ours(options):
    return "profile", {"QDADVISE_OPTIONS": f"{options}profile={folder.name}/%p.qdprof"}


# How the program is built, and its environment.
variants = {
    "plain": ("plain", {}),
    "threaded": ("plain", {"LD_PRELOAD": library("thread")}),
    "dormant": ours("enabled=0:"),
    "1 slice in 1000": ours("slices=1000:"),
    "1 slice in 100": ours("slices=100:"),
    "1 slice in 10": ours("slices=10:"),
    "as needed": ours("slices=auto:"),
    "recording": ours(""),
    "interposing": ("plain", {"LD_PRELOAD": library("shim")}),
}
if arguments.variants:
    wanted = [arguments.against, *arguments.variants.split(",")]
else:
    wanted = [arguments.against, *(name for name in variants if name != "threaded")]
variants = {name: variants[name] for name in wanted}
for _, environment in variants.values():
    preloaded = environment.get("LD_PRELOAD")
    if preloaded and not os.path.exists(preloaded): # the loader would go on without it
        raise SystemExit(f"error: there is no {preloaded}: build it")


def countable(program):
    """callgrind's command for a copy without debug information, as not every valgrind can read
    clang's; and where the same is of the runtime. Code changes when hooks are turned on."""
    copies = tempfile.mkdtemp(dir=folder.name)
    for file in (program, os.path.join(arguments.build, "lib", "libqdadvise_rt.so")):
        subprocess.run(["strip", "-g", "-o", os.path.join(copies, os.path.basename(file)), file],
                       check=True)
    return ["valgrind", "--tool=callgrind", "--smc-check=all",
            f"--callgrind-out-file={folder.name}/callgrind.%p",
            os.path.join(copies, os.path.basename(program))], copies


def on(cores):
    """What a child does before it begins, to have these alone."""
    return lambda: os.sched_setaffinity(0, cores)


def start(command, environment, where=".", cores=None):
    """In a process that says what it took; `measured` waits for it."""
    command = [*map(str, command)]
    tool = [os.path.join(binaries, "bench-measure"), *command[:1]]
    if arguments.instructions:
        tool, copies = countable(os.path.join(where, command[0]))
        paths = [environment.get("LD_LIBRARY_PATH", ""), copies]
        environment = {**environment, "LD_LIBRARY_PATH": ":".join(filter(None, paths))}
    return subprocess.Popen([*tool, *command[1:]], cwd=where, env={**os.environ, **environment},
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                            preexec_fn=on(cores) if cores else None)


def instructions_of(process):
    """What callgrind has counted in a process that has ended."""
    with open(os.path.join(folder.name, f"callgrind.{process.pid}")) as file:
        return next(int(line.split()[1]) for line in file if line.startswith("summary:"))


def measured(process, units):
    """Processor time of a unit of work in ns, and most resident memory in MiB: of the whole
    process, its beginning and end included. Or its instructions."""
    said, _ = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"error: {process.args} failed")
    if arguments.instructions:
        return instructions_of(process)
    ns, kib = map(float, said.splitlines()[-1].split())
    return ns / units, kib / 1024


def bundled(name, units, *more):
    files = {"plain": "bench-overhead-plain", "profile": "bench-overhead-hooked"}

    def run(build, environment):
        program = os.path.join(binaries, files[build])
        return measured(start([program, name, units, *more], environment), units)

    return run


def built(program, build):
    return os.path.abspath(os.path.join(arguments.programs, program, build))


def kyotocabinet(threads, operations, databases=1):
    """`operations` in each thread, chosen by chance from all that a database has, in one database
    after the other: a larger one would be another program."""

    def run(build, environment):
        where = built("kyotocabinet", build)
        settings = {"LD_LIBRARY_PATH": where, "KCRNDSEED": "7", **environment}
        command = ["./kccachetest", "wicked", "-th", threads, "-it", databases,
                   operations // databases]
        return measured(start(command, settings, where), operations * threads)

    return run


def leveldb(reads):
    """From a database that the plain program has filled. A process locks its own: it gets a copy."""
    filled = os.path.join(folder.name, "leveldb")

    def command(where, *words):
        return ["./db_bench", "--db=" + where, "--num=100000", *words]

    if not os.path.exists(filled):
        # What is in the log goes into tables when the database is opened again.
        for work in ("--benchmarks=fillseq", "--use_existing_db=1 --benchmarks=compact"):
            subprocess.run(command(filled, *work.split()), cwd=built("leveldb", "plain"),
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def run(build, environment):
        with tempfile.TemporaryDirectory(dir=folder.name) as where:
            shutil.copytree(filled, where, dirs_exist_ok=True)
            read = command(where, "--use_existing_db=1", "--benchmarks=readrandom",
                           f"--reads={reads}")
            return measured(start(read, environment, built("leveldb", build)), reads)

    return run


def start_memcached(threads, build, environment, cores):
    """A server and its port."""
    connections = 1024
    if arguments.instructions: # valgrind keeps 12 files, and has nobody change how many there may be
        connections = resource.getrlimit(resource.RLIMIT_NOFILE)[1] - 12
    told = os.path.join(folder.name, "port")
    settings = {"MEMCACHED_PORT_FILENAME": told, **environment}
    server = start(["./memcached", "-t", threads, "-l", "127.0.0.1", "-p", "-1", "-U", "0", "-A",
                    "-c", connections, "-u", getpass.getuser()], settings,
                   built("memcached", build), cores)
    while not os.path.exists(told): # written whole, and renamed
        if server.poll() is not None:
            raise SystemExit(f"error: {server.args} did not start")
        time.sleep(0.01)
    with open(told) as file:
        port = int(file.readline().split()[-1])
    os.remove(told)
    return server, port


def memcached(threads, requests):
    """The servers' time; memcaslap asks, nine times in ten to read. All variants run at once, so that
    whatever else happens happens to all, and share one half of the cores; memcaslap has the other."""
    cores = sorted(os.sched_getaffinity(0))
    half = len(cores) // 2
    servers, clients = cores[:half] or cores, cores[half:]

    def ask(port):
        return subprocess.Popen(["memcaslap", f"--servers=127.0.0.1:{port}", "--threads=1",
                                 "--concurrency=16", f"--execute_number={requests}",
                                 "--fixed_size=100"],
                                stdout=subprocess.DEVNULL, preexec_fn=on(clients))

    def run(chosen):
        started = [start_memcached(threads, *one, servers) for one in chosen]
        try:
            if any([client.wait() for client in [ask(port) for _, port in started]]):
                raise SystemExit("error: memcaslap failed")
        finally:
            for _, port in started:
                with socket.create_connection(("127.0.0.1", port)) as connection:
                    connection.sendall(b"shutdown\r\n")
                    connection.recv(1) # nothing: it has ended
        return [measured(server, requests) for server, _ in started]

    return run


def steps_for(ns):
    """How many steps of computation there are in a time, by the plain program itself."""
    few, many = (
        min(bundled("locks", 500000, steps)("plain", {})[0] for _ in range(5)) for steps in (10, 110)
    )
    return round(10 + (ns - few) / (many - few) * 100)


def instructions(make, units, variant):
    """Of a unit of work: what a longer run takes more than a short one. And no memory."""
    few, many = units // 100, units // 10
    counts = [make(n)([variants[variant]])[0] for n in (few, many)]
    return (counts[1] - counts[0]) / (many - few), 0


def in_turns(run):
    """Runs one variant after the other; or all of them at once, on one core."""
    def alone(one):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}) # this thread's, and its children's
        return run(*one)

    def together(chosen):
        with concurrent.futures.ThreadPoolExecutor(len(chosen)) as pool:
            return list(pool.map(alone, chosen))

    return together if arguments.at_once else lambda chosen: [run(*one) for one in chosen]


def one_round(run, number):
    """What each variant takes. Each begins as often as the others."""
    names = list(variants)
    names = names[number % len(names):] + names[:number % len(names)]
    return dict(zip(names, run([variants[name] for name in names])))


# Those of 400 ns; when instructions are counted those that it came to on one machine.
steps = 280 if arguments.instructions else steps_for(400)
# What makes each with its units of work, and how many there are of those.
programs = {
    "lock and unlock": (lambda n: in_turns(bundled("loop", n)), 10000000),
    "pipeline": (lambda n: in_turns(bundled("pipeline", n)), 20000),
    "90 000 locks": (lambda n: in_turns(bundled("locks", n, steps)), 5000000),
}
if os.path.exists(built("kyotocabinet", "profile")):
    programs["kyotocabinet, 1 thread"] = (lambda n: in_turns(kyotocabinet(1, n, 4)), 16000000)
    programs["kyotocabinet, 2 threads"] = (lambda n: in_turns(kyotocabinet(2, n)), 200000)
if os.path.exists(built("leveldb", "profile")):
    programs["leveldb readrandom"] = (lambda n: in_turns(leveldb(n)), 500000)
if os.path.exists(built("memcached", "profile")):
    programs["memcached, 2 workers"] = (lambda n: memcached(2, n), 200000)

if arguments.instructions:
    arguments.rounds = 1
unit = "instructions" if arguments.instructions else "ns"
print(f"{arguments.rounds} rounds; {steps} steps of computation between two of the 90 000 locks")
print("\n| program | | " + " | ".join(variants) + " |")
print("| --- | --- |" + " --- |" * len(variants))
for name, (make, units) in programs.items():
    if arguments.only not in name:
        continue
    if arguments.instructions:
        rounds = [{v: instructions(make, units, v) for v in variants}]
    else:
        run = make(units)
        rounds = [one_round(run, number) for number in range(arguments.rounds)]

    def median(figure):
        return {v: statistics.median(figure(r, v) for r in rounds) for v in variants}

    def quartiles(v):
        found = [100 * (r[v][0] / r[arguments.against][0] - 1) for r in rounds]
        low, _, high = statistics.quantiles(found, method="inclusive") if len(found) > 1 else found * 3
        return f"{low:+.1f} to {high:+.1f}"

    time_of = median(lambda r, v: r[v][0])
    more = median(lambda r, v: 100 * (r[v][0] / r[arguments.against][0] - 1))
    memory = median(lambda r, v: r[v][1])
    print(f"| {name} | {unit} | " + " | ".join(f"{time_of[v]:.1f}" for v in variants) + " |")
    decimals = 2 if arguments.instructions else 1
    print("| | % more | | " +
          " | ".join(f"{more[v]:+.{decimals}f}" for v in list(variants)[1:]) + " |", flush=True)
    if not arguments.instructions:
        print("| | quartiles | | " + " | ".join(quartiles(v) for v in list(variants)[1:]) + " |")
        print("| | MiB | " + " | ".join(f"{memory[v]:.1f}" for v in variants) + " |", flush=True)
