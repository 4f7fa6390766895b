#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the plugin adds to a compilation: time and size of the object.

bench/compile-time/run.py [--build DIR] [--rounds N] [--flags FLAGS] [FILE...]

Compiles each FILE (plugin/sites/LockSites.cpp, which has many lines and no locks, and a
generated file whose functions all take locks) in turn in several ways, the order
alternating from round to round, and compares each way with the plain one of the same
round: processor time, as the compiler's process used it. Prints the median of the
ratios with its quartiles, and the sizes of .text and of the whole file.
"""

import argparse
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sleds = ["-fxray-instrument", "-fxray-instruction-threshold=1000000000", "-fxray-ignore-loops"]
generatedFunctions = 200


def generate(path):
    """Half of it ordinary work on containers, half locks around it."""
    with open(path, "w") as out:
        out.write("#include <map>\n#include <mutex>\n#include <string>\n#include <vector>\n"
                  "#include <algorithm>\n#include <functional>\n#include <shared_mutex>\n")
        for n in range(generatedFunctions):
            out.write(f"""
struct Store{n} {{
  std::mutex lock;
  std::map<int, std::string> texts;
  std::vector<int> keys;
  void add(int key, const std::string &text) {{
    std::lock_guard<std::mutex> guard(lock);
    texts[key] = text + std::to_string({n});
    keys.push_back(key);
  }}
  std::string longest();
}};
std::string Store{n}::longest() {{
  std::unique_lock<std::mutex> guard(lock);
  std::sort(keys.begin(), keys.end());
  std::string found;
  for (const auto &[key, text] : texts)
    if (text.size() > found.size())
      found = text;
  return found;
}}
void fill{n}(Store{n} &store) {{
  for (int i = 0; i < {n + 10}; ++i)
    store.add(i, std::string(i % 7, 'x'));
}}
""")


def writeAdvice(path, source):
    """Advice for sites that FILE may or may not have: looking for them is the cost."""
    with open(path, "w") as out:
        out.write("threads = 16\n")
        for n in range(20):
            out.write(f"""
[[advice]]
lock = "Store{n}::lock"
today = "pthread_mutex"
advised = "pthread_mutex"
[advice.site]
file = "{source}"
line = 1
function = "Store{n}::add(int, const std::string &)"
expression = "this->lock"
ordinal = 0
""")


def compileCommand(build, source, flags):
    """The compiler and flags that our own build has for a file of ours; `flags` for others."""
    entries = json.load(open(os.path.join(build, "compile_commands.json")))
    for entry in entries:
        if os.path.realpath(os.path.join(entry["directory"], entry["file"])) == source:
            words = shlex.split(entry["command"])
            while "ccache" in os.path.basename(words[0]):
                words.pop(0)
            del words[words.index("-o"):words.index("-o") + 2]
            return [w for w in words if w != "-c" and not w.endswith(".cpp")]
    return ["clang++-22"] + flags


def measure(command):
    """Processor seconds of one compilation, its children included."""
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("error: failed: " + shlex.join(command))
    return used.ru_utime + used.ru_stime


def sizes(objectFile):
    listing = subprocess.run(["llvm-size-22", "-A", objectFile], text=True, capture_output=True,
                             check=True).stdout
    text = sum(int(line.split()[1]) for line in listing.splitlines() if line.startswith(".text"))
    return text, os.path.getsize(objectFile)


def ways(build, advice):
    plugin = "-fplugin=" + os.path.join(build, "lib/qdadvise/llvm-22/qdadvise.so")
    argument = "-fplugin-arg-qdadvise-"
    return {
        "plain": [],
        "no argument": [plugin],
        "advice only": [plugin, argument + "advice=" + advice],
        "instrument, hooks=patch": [plugin, argument + "instrument", argument + "hooks=patch"],
        "instrument, hooks=call": [plugin, argument + "instrument", argument + "hooks=call"],
        "memory, hooks=call": [plugin, argument + "instrument", argument + "hooks=call",
                               argument + "memory"],
        "plain with sleds' flags": sleds,
        "instrument, hooks=xray": [plugin, argument + "instrument"] + sleds,
    }


def bench(build, source, title, flags, rounds, folder):
    base = compileCommand(build, source, flags)
    advice = os.path.join(folder, "advice.toml")
    writeAdvice(advice, source)
    variants = ways(build, advice)
    objectOf = {name: os.path.join(folder, f"{i}.o") for i, name in enumerate(variants)}
    spent = {name: [] for name in variants}
    order = list(variants)
    for turn in range(rounds + 1):
        for name in order if turn % 2 else reversed(order):
            seconds = measure(base + variants[name] + ["-c", source, "-o", objectOf[name]])
            if turn:  # the first one fills the file cache
                spent[name].append(seconds)

    plainText, plainTotal = sizes(objectOf["plain"])
    print(f"\n{title}: "
          f"{statistics.median(spent['plain']):.2f} s, .text {plainText} bytes, object {plainTotal} bytes")
    print(f"{'':26}{'time':>9}{'quartiles':>18}{'.text':>9}{'object':>9}")
    for name in order[1:]:
        ratios = [100 * (one / plain - 1) for one, plain in zip(spent[name], spent["plain"])]
        low, middle, high = statistics.quantiles(ratios, n=4)
        text, total = sizes(objectOf[name])
        quartiles = f"{low:+.1f} to {high:+.1f} %"
        print(f"{name:26}{middle:+8.1f}%{quartiles:>18}"
              f"{100 * (text / plainText - 1):+8.1f}%{100 * (total / plainTotal - 1):+8.1f}%")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", default=os.path.join(root, "build/llvm22"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--flags", default="-std=c++20 -O2 -g", type=shlex.split,
                        help="for files that QDAdvise's own build does not compile (default: %(default)s)")
    parser.add_argument("file", nargs="*")
    given = parser.parse_args()
    if given.rounds < 2:
        parser.error("quartiles need two rounds")
    if not os.path.exists(os.path.join(given.build, "lib/qdadvise/llvm-22/qdadvise.so")):
        parser.error(f"no plugin in {given.build}; build QDAdvise first, or name its folder with --build")
    build = os.path.abspath(given.build)

    with open("/proc/cpuinfo") as lines:
        model = next((l.split(":")[1].strip() for l in lines if l.startswith("model name")), "?")
    print(f"{platform.machine()}, {os.cpu_count()} cores ({model}), {time.strftime('%Y-%m-%d')}; "
          f"{given.rounds} rounds, ratios to the plain compilation of the same round")
    with tempfile.TemporaryDirectory() as folder:
        generated = os.path.join(folder, "generated.cpp")
        generate(generated)
        files = {os.path.realpath(file): file for file in given.file} or {
            os.path.join(root, "plugin/sites/LockSites.cpp"): "plugin/sites/LockSites.cpp",
            generated: f"generated, {generatedFunctions} classes with a lock",
        }
        for source, title in files.items():
            bench(build, source, title, given.flags, given.rounds, folder)


main()
