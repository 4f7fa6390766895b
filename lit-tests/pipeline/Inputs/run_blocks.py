# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes the commands of documents, those of each in one shell and in their order: lines after
`$ ` and blocks of the language sh. Every command has to succeed, and to say something where the
document shows that it does."""

import argparse
import os
import re
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--source", required=True, help="folder of the documents")
parser.add_argument("--sandbox", required=True, help="an empty folder, the home of who reads")
parser.add_argument("--build", required=True, help="QDAdvise's build folder")
parser.add_argument("--skip", action="append", default=[], help="a command that is not executed")
parser.add_argument("documents", nargs="+")
arguments = parser.parse_args()

# What an untagged block without a prompt must not begin a line with.
COMMAND = re.compile(r"(qdadvise|cmake|scripts/\w+|clang(\+\+)?-\d+|make|export|ninja) ")


def blocks(text):
    """The language and the lines of each block."""
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        yield found[1], found[2].splitlines()


def commandsOf(text, name):
    """Pairs of a command and whether the document shows output."""
    result = []
    for language, lines in blocks(text):
        prompts = any(line.startswith("$ ") for line in lines)
        if language not in ("", "sh"):
            continue
        if not prompts and language != "sh":
            for line in lines:
                assert not COMMAND.match(line), f"{name}: is this a command? tag it: {line}"
            continue
        command, shows = "", False
        for line in lines:
            isMore = command.endswith("\\")
            if isMore or line.startswith("$ ") or not prompts:
                if command and not isMore:
                    result.append((command, shows))
                    command, shows = "", False
                command = command + "\n" + line if isMore else line.removeprefix("$ ")
            else:
                shows = True
        result.append((command, shows))
    return [(re.sub(r"\s+# .*", "", command), shows) for command, shows in result if command.strip()]


def scriptOf(commands):
    """Each command runs in this shell, as `export` has to last; its output is counted."""
    script = ["set -u", "exec 3>&1"]
    for command, shows in commands:
        script.append(f"printf '%s\\n' {quoted('$ ' + command)} >&3")
        script.append(f"{{ {command}\n}} > said 2>&1 || {{ cat said; echo 'failed: '$?; exit 1; }}")
        if shows:
            script.append("[ -s said ] || { echo 'it said nothing'; exit 1; }")
    return "\n".join(script)


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


os.makedirs(os.path.join(arguments.sandbox, "build", "demo"), exist_ok=True)
for folder in ("examples", "scripts"):
    link = os.path.join(arguments.sandbox, folder)
    if not os.path.exists(link):
        os.symlink(os.path.join(arguments.source, folder), link)
environment = dict(os.environ, HOME=arguments.sandbox, QDADVISE_BUILD=arguments.build)
for document in arguments.documents:
    with open(os.path.join(arguments.source, document), encoding="utf-8") as file:
        commands = commandsOf(file.read(), document)
    assert commands, f"{document} has no command"
    commands = [one for one in commands if one[0].strip() not in arguments.skip]
    print(f"== {document}: {len(commands)} commands", flush=True)
    ended = subprocess.run(["bash", "-c", scriptOf(commands)], cwd=arguments.sandbox, env=environment)
    if ended.returncode != 0:
        sys.exit(f"{document}: a command fails")
