# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the relative links of our documentation lead to files and headings that
exist, and that every page of docs/ is listed in docs/README.md or in that of its folder."""

import os
import re
import sys

root = sys.argv[1]


def pages():
    for folder in (".", "docs", "examples", "bench"):
        for where, _, names in os.walk(os.path.join(root, folder)):
            if folder == "." and os.path.relpath(where, root) != ".":
                continue
            yield from (os.path.join(where, name) for name in names if name.endswith(".md"))


def prose(path):
    """The text without its code blocks, whose brackets are no links."""
    with open(path, encoding="utf-8") as file:
        return re.sub(r"^```.*?^```", "", file.read(), flags=re.DOTALL | re.MULTILINE)


def anchors(path):
    """What a heading is called in a link: lower case, spaces to hyphens, no punctuation."""
    headings = re.findall(r"^#+ +(.*?) *$", prose(path), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


broken, checked = [], 0
for page in pages():
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        checked += 1
        file, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), file)) if file else page
        if not os.path.exists(path) or (anchor and anchor not in anchors(path)):
            broken.append(f"{os.path.relpath(page, root)}: {target}")

docs = os.path.join(root, "docs")
for where, _, names in os.walk(docs):
    for name in sorted(names):
        page = os.path.join(where, name)
        indexes = [os.path.join(folder, "README.md") for folder in (docs, where)]
        if name.endswith(".md") and page not in indexes and not any(
                os.path.exists(index)
                and f"]({os.path.relpath(page, os.path.dirname(index))})" in prose(index)
                for index in indexes):
            broken.append(f"no README.md lists {os.path.relpath(page, root)}")

print("\n".join(broken) or f"{checked} links lead somewhere")
sys.exit(bool(broken) or checked == 0)
