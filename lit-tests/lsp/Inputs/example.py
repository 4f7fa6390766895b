"""The example kvstore with its advice, made as a user makes it, for an editor to open."""

import json
import pathlib
import re
import shutil
import subprocess


def make(qdadvise, folder, kvstore, clang, cfgdir):
    """The source in a fresh folder."""
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(kvstore, folder)
    source = folder / "kvstore.cpp"

    def run(*command, **more):
        subprocess.run([str(part) for part in command], check=True, cwd=folder, **more)

    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    run(clang, f"--config={cfgdir}/profile.cfg", "-std=c++20", "-O2", source, "-o", "kvstore")
    run(qdadvise, "record", "-o", "kvstore.qdprof", "--", "./kvstore", "--threads", "1", **quiet)
    run(qdadvise, "advise", "--machine", "server16.toml", "--threads", "16", "-o", "advice.toml",
        "kvstore.qdprof", **quiet)
    # Whatever this machine's figures are, the test is about this change.
    advice = folder / "advice.toml"
    advice.write_text(re.sub(r'(lock = "Journal::lock_"\ntoday = .*\nadvised = ).*\nlabel = .*',
                             r'\1"mcs"\nlabel = "MCS lock"', advice.read_text()))
    (folder / ".qdadvise.toml").write_text('advice = "advice.toml"\n')
    (folder / "compile_commands.json").write_text(json.dumps([
        {"directory": str(folder), "file": str(source),
         "arguments": [clang, "-std=c++20", "-O2", "-c", str(source), "-o", "kvstore.o"]}]))
    return source


def checkCompiles(source, clang, cfgdir, include):
    subprocess.run([clang, f"--config={cfgdir}/advise.cfg", "-std=c++20", "-fsyntax-only",
                    f"-I{include}", str(source)], cwd=source.parent, check=True)
    print("== it compiles")
