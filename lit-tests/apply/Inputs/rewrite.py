# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites a copy of a small program and checks what `qdadvise apply` promises of any.

  rewrite.py --build BUILD --tree TREE --clang CLANG --out FOLDER [OPTIONS] SOURCE...

It prints the summary, and after that what has changed, for FileCheck. Besides:

- with --refused, no file has changed;
- otherwise the result compiles without a warning and runs, with clang and g++ (gcc; not with
  --no-gcc); with --sanitize, clang's is under ThreadSanitizer, and again under AddressSanitizer with
  UndefinedBehaviorSanitizer;
- applied once more, nothing changes;
- --undo brings every byte back.
"""

import argparse
import difflib
import fcntl
import glob
import json
import os
import shutil
import subprocess
import sys

parser = argparse.ArgumentParser()
for name in ("build", "tree", "clang", "out"):
    parser.add_argument("--" + name, required=True)
parser.add_argument("--kind", help="default: mcs, without advice")
parser.add_argument("--lock", action="append", default=[])
parser.add_argument("--accept", action="append", default=[], help="a gate")
parser.add_argument("--detached", action="store_true", help="as of apply")
parser.add_argument("--advice", help="what becomes what")
parser.add_argument("--flags", default="", help="of the compiler")
parser.add_argument("--format", help="the .clang-format")
parser.add_argument("--refused", action="store_true", help="of no lock, and no file, anything changes")
parser.add_argument("--read-only", action="store_true", help="nobody may write the sources")
parser.add_argument("--sanitize", action="store_true", help="run the result under sanitizers")
parser.add_argument("--no-gcc", action="store_true", help="where gcc does not know it, or has seen it")
parser.add_argument("sources", nargs="+")
options = parser.parse_args()


def die(message):
    print(message, file=sys.stderr)
    sys.exit(1)


def run(command):
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if result.returncode != 0:
        die(f"{' '.join(command)}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def texts():
    return {name: open(os.path.join(folder, name), "rb").read() for name in names}


folder = os.path.realpath(options.out)
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
names = []
for source in options.sources:
    names.append(os.path.basename(source))
    # The RUN and CHECK lines stay behind, so that no name is in them.
    with open(source, encoding="utf-8") as file, open(
        os.path.join(folder, names[-1]), "w", encoding="utf-8"
    ) as copy:
        copy.writelines("\n" if "RUN:" in l or "CHECK" in l else l for l in file)
if options.format:
    with open(os.path.join(folder, ".clang-format"), "w", encoding="utf-8") as file:
        file.write(options.format + "\n")
if options.read_only:
    for name in names:
        os.chmod(os.path.join(folder, name), 0o444)
flags = options.flags.split()
units = [name for name in names if not name.endswith(".h")]
isC = all(name.endswith(".c") for name in units)


def compilerOf(name, clang):
    if name.endswith(".c"):
        return [options.clang if clang else "gcc", "-std=gnu11"]
    return [options.clang + "++" if clang else "g++", "-std=c++17"]


with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
    json.dump(
        [
            {
                "directory": folder,
                "file": name,
                "arguments": compilerOf(name, True) + ["-Wall", "-Wextra", *flags, "-c", name],
            }
            for name in units
        ],
        file,
    )

before = texts()
apply = [os.path.join(options.build, "bin", "qdadvise"), "apply", "-p", folder]
wanted = ["--advice", options.advice] if options.advice else ["--kind", options.kind or "mcs"]
if options.advice and options.kind:
    wanted += ["--kind", options.kind]
if options.detached:
    wanted += ["--detached"]
for lock in options.lock:
    wanted += ["--lock", lock]
for gate in options.accept:
    wanted += ["--accept", gate]
print(run(apply + wanted), end="")
after = texts()

if options.refused:
    if after != before:
        die("it was refused, and files have changed")
    if any(name.endswith(".patch") for name in os.listdir(folder)):
        die("it was refused, and there is a patch")
    sys.exit(0)

for name in names:
    old, new = (t[name].decode().splitlines() for t in (before, after))
    for line in difflib.unified_diff(old, new, name, name, lineterm="", n=0):
        if not line.startswith(("---", "+++", "@@")):
            print(f"{name}:{line}")


def locksObject(variant, clang, more):
    """The locks for C from their source: a sanitizer has to see them. Tests share the object."""
    runtime = os.path.join(options.tree, "runtime")
    sources = glob.glob(os.path.join(runtime, "**", "*.[ch]*"), recursive=True)
    shared = os.path.join(os.path.dirname(folder), "locks")
    os.makedirs(shared, exist_ok=True)
    result = os.path.join(shared, variant + ".o")
    with open(result + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        newest = max(map(os.path.getmtime, sources))
        if not os.path.exists(result) or os.path.getmtime(result) < newest:
            command = compilerOf("x.cpp", clang) + ["-O1", "-g", *more, "-I", options.tree]
            command += ["-I", os.path.join(runtime, "include")]
            run(command + ["-c", os.path.join(runtime, "locks", "locks_c.cpp"), "-o", result + ".new"])
            os.replace(result + ".new", result)
    return result


def build(variant, clang, more):
    """The program, as the file `variant`."""
    objects = []
    include = ["-I", os.path.join(options.tree, "runtime", "include")]
    for name in units:
        objects.append(f"{name}.{variant}.o")
        run(
            compilerOf(name, clang)
            + ["-Wall", "-Wextra", "-Werror", "-O1", "-g", "-pthread", *include, *flags, *more]
            + ["-c", name, "-o", objects[-1]]
        )
    if isC or any(b"locks_c.h" in text for text in texts().values()):
        objects.append(locksObject(variant, clang, more))
    run(compilerOf("x.cpp", clang) + ["-pthread", *more, *objects, "-o", variant])


variants = {
    "thread": (True, ["-fsanitize=thread"]),
    "address": (True, ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]),
}
if not options.sanitize:
    variants = {"clang": (True, [])}
if shutil.which("g++") and not options.no_gcc:
    variants["gcc"] = (False, [])
for name, (clang, more) in variants.items():
    build(name, clang, more)
    run([os.path.join(folder, name)])
print("builds and runs:", ", ".join(sorted(variants)))

again = run(apply + wanted)
isLeft = options.kind != "atomic"  # no lock is left then that could be one already
if "changed:" in again or ("is one already" not in again and isLeft) or texts() != after:
    die("applied once more, it changes something:\n" + again)
run(apply + ["--undo"])
if texts() != before:
    die("--undo did not bring the files back")
print("again: nothing; undone")
