"""Publishes what the compiler prints: same places, levels and texts.

usage: as_the_compiler.py QDADVISE FOLDER SOURCE CLANGXX CFGDIR"""

import re
import subprocess
import sys

import project
from client import Buffer, Client, shown

qdadvise, folder, given, clang, cfgdir = sys.argv[1:]


def compiled(source, *more):
    result = subprocess.run(
        [clang, f"--config={cfgdir}/advise.cfg", "-std=c++20", "-fsyntax-only", *more, str(source)],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    found = re.findall(r"^\S*?:(\d+:\d+: (?:error|warning|remark): .*) \[qdadvise\]$", result.stderr, re.M)
    assert found, result.stderr
    return sorted(found)


for config in ("", 'severity = "error"\n', 'severity = "remark"\n', 'group = "lock"\n',
               '[[suppress]]\nlock = "Table::lock_"\n'):
    source = project.make(folder, given, clang, config=config)
    client = Client([qdadvise, "lsp"])
    buffer = Buffer(client, source)
    told = sorted(shown(buffer, buffer.diagnostics()))
    wanted = compiled(source)
    assert told == wanted, f"{config}\ntold {told}\ncompiled {wanted}"
    assert client.stop() == 0
    print(f"{config.strip() or 'by default'}: {len(told)} as the compiler has them")
