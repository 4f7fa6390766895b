"""Emacs without a screen, with the configuration for eglot of docs/editors.md, over examples/kvstore.

usage: emacs.py QDADVISE FOLDER KVSTORE EDITORS.MD CLANGXX CFGDIR INCLUDE"""

import os
import pathlib
import re
import subprocess
import sys

import example

qdadvise, folder, kvstore, editors, clang, cfgdir, include = sys.argv[1:]
source = example.make(qdadvise, folder, kvstore, clang, cfgdir)
folder = source.parent
configuration = re.search(r"<!-- eglot -->\n```elisp\n(.*?)```", pathlib.Path(editors).read_text(), re.S)[1]
(folder / "init.el").write_text(configuration)
environment = {
    **os.environ,
    "HOME": str(folder),
    "PATH": f"{pathlib.Path(qdadvise).parent}:{os.environ['PATH']}",
    "QDADVISE_ELISP": str(folder / "init.el"),
    "QDADVISE_FILE": str(source),
}
result = subprocess.run(
    ["emacs", "--batch", "-l", str(pathlib.Path(__file__).with_name("emacs.el"))],
    env=environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
print(result.stdout)
if result.returncode:
    print(result.stderr)
    sys.exit(result.returncode)
example.checkCompiles(source, clang, cfgdir, include)
