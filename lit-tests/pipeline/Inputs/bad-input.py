# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives every command everything that can be wrong, one thing at a time, and checks how
it is refused. Runs in an empty folder, where nothing may appear."""

import argparse
import os
import re
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--qdadvise", required=True)
parser.add_argument("--inputs", required=True)
parser.add_argument("--profile", required=True)
options = parser.parse_args()


def path(name):
    return os.path.join(options.inputs, name)


good, profile = path("good.toml"), options.profile
with open(profile, "rb") as file:
    content = file.read()
flipped = bytearray(content)
flipped[len(content) // 2] ^= 1
for name, data in (
    ("empty", b""),
    ("half.qdprof", content[: len(content) // 2]),
    ("flipped.qdprof", bytes(flipped)),
):
    with open(path(name), "wb") as file:
        file.write(data)

# What is no profile, and what is neither a machine nor a network.
profiles = ["missing", "folder", "empty", "text.txt", "half.qdprof", "flipped.qdprof"]
tomls = ["missing", "folder", "text.txt", "malformed.toml", "wrong.toml", "half.qdprof"]
threads = ["0", "-1", "abc", "1..0", "1..100000000", "", " ", "1,", "1..2..3", "65537"]
kept = ["-o", path("kept.txt")]

cases = [[], ["nonsense"], ["--nonsense"], ["merge"], ["calibrate", "--cores", "0"]]
cases += [["calibrate", "-o", path("missing/machine.toml")], ["calibrate", "-o", path("folder")]]
cases += [["calibrate", *kept, "--complete", path(name)] for name in tomls + ["empty"]]
cases += [["config"], ["config", "nonsense"], ["config", "profile", "--clang", path("missing")]]
cases += [["config", "profile", "--hooks", "nonsense"], ["record"], ["record", *kept]]
cases += [["record", *kept, "--", path("missing")], ["record", *kept, "--", path("folder")]]
cases += [["record", "-o", path("missing/x.qdprof"), "--", "true"]]
for command in ("report", "show", "predict", "simulate", "advise"):
    cases += [[command], [command, *kept, "--nonsense", profile]]
    cases += [[command, *kept, path(name)] for name in profiles]
    cases += [[command, *kept, profile, path(name)] for name in profiles]
    cases += [[command, "-o", path(name), profile] for name in ("folder", "missing/x")]
for command in ("show", "predict", "simulate", "advise"):
    cases += [[command, *kept, "--machine", path(name), profile] for name in tomls + ["empty"]]
    cases += [[command, *kept, "--scale", "nobody", profile]]
for command in ("predict", "simulate", "advise"):
    cases += [[command, *kept, "--network", path(name)] for name in tomls + ["empty"]]
    cases += [[command, *kept, "--network", good, profile]]
    for source in (["--network", good], [profile]):
        cases += [[command, *kept, "--threads", value, *source] for value in threads]
        cases += [[command, *kept, "--cores", value, *source] for value in ("0", "-1", "abc", "")]
        cases += [[command, *kept, "--kind", value, *source] for value in ("nonsense", "", "qd,")]
for command in ("report", "predict", "simulate", "advise"):
    cases += [[command, *kept, "--format", "nonsense", profile]]
for option in ("--seed", "--precision", "--steps", "--lines", "--jobs"):
    cases += [["simulate", *kept, option, value, "--network", good] for value in ("-1", "abc", "")]
cases += [["predict", *kept, "--model", value, profile] for value in ("nonsense", "")]

failures = 0


def check(arguments, place=None):
    global failures
    with open(path("kept.txt"), "w", encoding="utf-8") as file:
        file.write("as it was")
    done = subprocess.run(
        [options.qdadvise, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    wrong = []
    if done.returncode != 2:
        wrong.append(f"exit code {done.returncode}")
    if done.stdout:
        wrong.append("standard output")
    form = r"(qdadvise: error: |.+:[0-9]+:[0-9]+: error: ).{12,}\n"
    if not re.fullmatch(form, done.stderr) or (place and place not in done.stderr):
        wrong.append("not one clear line")
    with open(path("kept.txt"), encoding="utf-8") as file:
        if file.read() != "as it was":
            wrong.append("the output file was touched")
    if sorted(os.listdir(".")) != ([".qdadvise.toml"] if place else []):
        wrong.append("files appeared: " + ", ".join(os.listdir(".")))
    if wrong:
        failures += 1
        print("qdadvise", *map(repr, arguments), "->", "; ".join(wrong))
        print(done.stderr, end="")


for case in cases:
    check(case)

# The configuration of the folder: whatever the command, its place is told.
for text, place in (("threads =\n", ":1:"), ("\nthreads = 'many'\n", ":2:"), ("cores = 0", ":1:")):
    with open(".qdadvise.toml", "w", encoding="utf-8") as file:
        file.write(text)
    for command in ("predict", "simulate", "advise"):
        check([command, *kept, profile], ".qdadvise.toml" + place)

print(f"{len(cases)} commands, {failures} refused badly")
sys.exit(failures != 0)
