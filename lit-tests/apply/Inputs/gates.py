# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of gates, their page and their tests are the same: `gates.py TABLE TREE`."""

import os
import sys

table = open(sys.argv[1], encoding="utf-8").read().splitlines()
tree = sys.argv[2]
page = open(os.path.join(tree, "docs", "reference", "gates.md"), encoding="utf-8").read()
shown = [line for line in page.splitlines() if line.startswith("|")]
if shown != table:
    sys.exit("docs/reference/gates.md is not what `qdadvise apply --print-gates` prints:\n"
             + "\n".join(sorted(set(shown) ^ set(table))))
names = [line.split("`")[1] for line in table if line.startswith("| `")]
if names != sorted(names):
    sys.exit(f"the gates are not in order: {names}")
folder = os.path.join(tree, "lit-tests", "apply")
tests = {}
for file in os.listdir(folder):
    if file.startswith("gate-"):
        with open(os.path.join(folder, file), encoding="utf-8") as text:
            tests[os.path.splitext(file)[0][len("gate-"):]] = text.read()
for name in names:
    if f" {name}: " not in tests.get(name, ""):
        sys.exit(f"no test gate-{name} has the gate '{name}'")
print(len(names), "gates")
