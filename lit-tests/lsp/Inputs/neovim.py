"""Neovim without a screen, with the configuration of docs/editors.md, over examples/kvstore.

usage: neovim.py QDADVISE FOLDER KVSTORE EDITORS.MD CLANGXX CFGDIR INCLUDE [clangd]"""

import os
import pathlib
import re
import subprocess
import sys

import example

qdadvise, folder, kvstore, editors, clang, cfgdir, include, *clangd = sys.argv[1:]
here = pathlib.Path(__file__).parent
source = example.make(qdadvise, folder, kvstore, clang, cfgdir)
folder = source.parent

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
example.checkCompiles(source, clang, cfgdir, include)
