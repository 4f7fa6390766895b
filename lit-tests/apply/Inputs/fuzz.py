# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Applies every legal change to generated programs, and compares what they print before and after.

  fuzz.py --build BUILD --tree TREE --clang CLANG --out FOLDER (--programs N | --seconds CPU)
          [--seed FIRST] [--kind KIND]...

Each program (generate.py) is built with ThreadSanitizer and run, as it is and with its locks
changed to each kind; a lock that is refused stays. What may not happen: a changed program that does
not compile, that prints something else, that ends otherwise, or of which the sanitizer reports
anything; and an `--undo` that leaves a difference. The seed is printed then, and the program kept
in FOLDER.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys

# `detached`: QD locks, with operations that nobody waits for.
KINDS = ["spinlock", "mcs", "adaptive_mutex", "pthread_rwlock", "qd", "mrqd", "atomic", "detached"]
HANGS_AFTER = 300  # seconds: threads that wait for each other never end

parser = argparse.ArgumentParser()
for option in ("build", "tree", "clang", "out"):
    parser.add_argument("--" + option, required=True)
parser.add_argument("--programs", type=int, help="how many")
parser.add_argument("--seconds", type=float, help="of processor time")
parser.add_argument("--seed", type=int, default=1, help="of the first program")
parser.add_argument("--kind", action="append", help="only this one")
options = parser.parse_args()
out, tree = os.path.realpath(options.out), os.path.realpath(options.tree)
program = os.path.join(os.path.realpath(options.build), "bin", "qdadvise")
include = ["-I", os.path.join(tree, "runtime", "include")]
generator = os.path.join(os.path.dirname(os.path.realpath(__file__)), "generate.py")


class Difference(Exception):
    pass


def run(command, folder):
    try:
        result = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=HANGS_AFTER
        )
    except subprocess.TimeoutExpired:
        raise Difference(f"{' '.join(command)}: has not ended after {HANGS_AFTER} s") from None
    if result.returncode != 0:
        lines = result.stdout + result.stderr
        raise Difference(f"{' '.join(command)}: exit code {result.returncode}\n{lines}")
    return result.stdout


def compilerOf(name):
    if name.endswith(".c"):
        return [options.clang, "-std=gnu11"]
    return [options.clang + "++", "-std=c++20"]


def compileCommand(name):
    warnings = ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-unused-but-set-parameter"]
    return compilerOf(name) + warnings + [*include, "-c", name]


def locksForC():
    """The locks of C programs, from their source: a sanitizer has to see them."""
    output = os.path.join(out, "locks.o")
    source = os.path.join(tree, "runtime", "locks", "locks_c.cpp")
    flags = ["-O1", "-g", "-fsanitize=thread", *include, "-I", tree]
    run(compilerOf("x.cpp") + flags + ["-c", source, "-o", output], out)
    return output


def results(folder, units, locks):
    """What the program prints, built with the sanitizer."""
    sanitized = ["-Werror", "-O1", "-g", "-pthread", "-fsanitize=thread"]
    objects = [unit + ".o" for unit in units]
    for unit, output in zip(units, objects):
        run(compileCommand(unit) + sanitized + ["-o", output], folder)
    command = compilerOf("x.cpp") + ["-pthread", "-fsanitize=thread", *objects, locks]
    run(command + ["-o", "program"], folder)
    return run([os.path.join(folder, "program")], folder)


def sources(folder):
    names = [name for name in os.listdir(folder) if name.endswith((".h", ".c", ".cpp"))]
    return {name: open(os.path.join(folder, name), encoding="utf-8").read() for name in names}


def checkKind(folder, kind, units, locks, expected):
    """How many locks were changed and refused."""
    before = sources(folder)
    apply = [program, "apply", "-p", folder]
    wanted = ["--kind", "qd", "--detached"] if kind == "detached" else ["--kind", kind]
    summary = run(apply + wanted, folder)
    counts = re.search(r"^(\d+) changed, (\d+) refused", summary, re.M)
    changed, refused = map(int, counts.groups()) if counts else (0, 0)
    if sources(folder) == before:
        return changed, refused
    found = results(folder, units, locks)
    if found != expected:
        raise Difference(f"it prints\n{found}\nand printed before\n{expected}")
    run(apply + ["--undo"], folder)
    if sources(folder) != before:
        raise Difference("--undo leaves a difference")
    return changed, refused


def checkProgram(seed, locks, total):
    folder = os.path.join(out, f"seed-{seed}")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    run([sys.executable, generator, str(seed), folder], out)
    units = sorted(name for name in sources(folder) if not name.endswith(".h"))
    commands = [
        {"directory": folder, "file": unit, "arguments": compileCommand(unit)} for unit in units
    ]
    with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(commands, file)
    kind = "none"
    try:
        expected = results(folder, units, locks)
        for kind in options.kind or KINDS:
            for i, count in enumerate(checkKind(folder, kind, units, locks, expected)):
                total.setdefault(kind, [0, 0])[i] += count
    except Difference as difference:
        print(f"seed {seed}, kind {kind}: {difference}\nthe program is in {folder}")
        return False
    shutil.rmtree(folder)
    return True


def spent():
    """Processor seconds of what has been run."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


os.makedirs(out, exist_ok=True)
locks, total, seed, failed = locksForC(), {}, options.seed, 0
while (
    spent() < options.seconds if options.seconds else seed < options.seed + options.programs
):
    failed += not checkProgram(seed, locks, total)
    seed += 1
for kind, (changed, refused) in total.items():
    print(f"{kind}: {changed} locks changed, {refused} refused")
print(f"{seed - options.seed} programs from seed {options.seed}, {failed} of them failed")
print(f"{spent():.0f} s of processor time", file=sys.stderr)
sys.exit(failed != 0)
