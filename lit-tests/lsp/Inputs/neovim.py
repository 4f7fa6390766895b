"""Neovim without a screen, with the configuration of docs/editors.md, over examples/kvstore.

usage: neovim.py QDADVISE FOLDER KVSTORE EDITORS.MD CLANGXX CFGDIR INCLUDE [clangd]"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

qdadvise, folder, kvstore, editors, clang, cfgdir, include, *clangd = sys.argv[1:]
here = pathlib.Path(__file__).parent
folder = pathlib.Path(folder)
shutil.rmtree(folder, ignore_errors=True)
shutil.copytree(kvstore, folder)
source = folder / "kvstore.cpp"


def run(*command, **more):
    subprocess.run([str(part) for part in command], check=True, cwd=folder, **more)


# The advice is made as a user makes it.
run(clang, f"--config={cfgdir}/profile.cfg", "-std=c++20", "-O2", source, "-o", "kvstore")
run(qdadvise, "record", "-o", "kvstore.qdprof", "--", "./kvstore", "--threads", "1",
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
run(qdadvise, "advise", "--machine", "server16.toml", "--threads", "16", "-o", "advice.toml",
    "kvstore.qdprof", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
# Whatever this machine's figures are, the test is about this change.
advice = folder / "advice.toml"
advice.write_text(re.sub(r'(lock = "Journal::lock_"\ntoday = .*\nadvised = ).*\nlabel = .*',
                         r'\1"mcs"\nlabel = "MCS lock"', advice.read_text()))
(folder / ".qdadvise.toml").write_text('advice = "advice.toml"\n')
(folder / "compile_commands.json").write_text(json.dumps([
    {"directory": str(folder), "file": str(source),
     "arguments": [clang, "-std=c++20", "-O2", "-c", str(source), "-o", "kvstore.o"]}]))

configuration = re.search(r"<!-- neovim -->\n```lua\n(.*?)```", pathlib.Path(editors).read_text(), re.S)[1]
if not clangd:
    configuration = re.sub(r'^ *startServer\("clangd".*\n', "", configuration, flags=re.M)
(folder / "init.lua").write_text(configuration)
environment = {
    **os.environ,
    "QDADVISE_LUA": str(folder / "init.lua"),
    "QDADVISE_FILE": str(source),
    "XDG_CONFIG_HOME": str(folder / "config"),
    "XDG_DATA_HOME": str(folder / "data"),
    "XDG_CACHE_HOME": str(folder / "cache"),
    "XDG_STATE_HOME": str(folder / "state"),
}
if clangd:
    environment["QDADVISE_CLANGD"] = "yes"
result = subprocess.run(
    ["nvim", "--headless", "--clean", "-n", "-c", f"luafile {here}/neovim.lua"],
    env=environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
print(result.stdout)
print(result.stderr)
if result.returncode:
    for log in folder.glob("**/lsp.log"):
        print(log.read_text()[-4000:])
    sys.exit(result.returncode)
compiled = subprocess.run([clang, f"--config={cfgdir}/advise.cfg", "-std=c++20", "-fsyntax-only", f"-I{include}", str(source)], cwd=folder)
assert compiled.returncode == 0
print("== it compiles")
