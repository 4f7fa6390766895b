"""Makes a small project in a folder: source, compile commands, configuration and advice.

usage: project.py FOLDER SOURCE CLANGXX"""

import json
import pathlib
import shutil
import sys

SITES = [
    # lock, function, expression, hash, advised
    ("Table::lock_", "Table::set(int)", "lock_", "", "qd"),
    ("Table::lock_", "Table::get(int)", "lock_", "", "qd"),
    ("Table::lock_", "Table::macro()", "lock_", "", "qd"),
    ("Table::lock_", "each<Table>(Table &)", "table.lock_", "", "qd"),
    ("Table::raw_", "Table::plain()", "raw_", "", "mcs"),
    ("Table::raw_", "Table::changed()", "raw_", "00000000000000ff", "mcs"),
    ("Table::raw_", "Table::settled()", "raw_", "", "mcs"),
    ("Table::raw_", "Table::gone()", "raw_", "", "mcs"),
    ("Kept::lock_", "Kept::add()", "lock_", "", "pthread_mutex"),
]
LABELS = {"qd": "QD lock", "mcs": "MCS lock", "pthread_mutex": "pthread mutex"}


def adviceFor(file, sites=SITES):
    text = "threads = 16\n"
    for lock, function, expression, hash_, advised in sites:
        text += f"""
[[advice]]
lock = "{lock}"
today = "pthread_mutex"
advised = "{advised}"
label = "{LABELS[advised]}"
contention_rate = 0.4
speedup = 2.0
interval = [1.5, 2.5]
wait_ns = [{{ lock = "pthread mutex", mean = 9000 }}, {{ lock = "QD lock", mean = 1100 }}]
reasons = ["it is waited for *often*"]
"""
        if advised != "pthread_mutex":
            text += """scaling = [
  { threads = 1, today = 1000000, advised = 1000000 },
  { threads = 16, today = 2000000, advised = 4000000 },
]
"""
        text += f"""[advice.site]
file = "{file}"
function = "{function}"
expression = "{expression}"
"""
        if hash_:
            text += f'section_hash = "{hash_}"\n'
    return text


def make(folder, source, clang, sites=SITES, config=""):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    source = pathlib.Path(shutil.copy(source, folder))
    commands = [
        {
            "directory": str(folder),
            "file": str(source),
            "arguments": [clang, "-std=c++20", "-c", str(source), "-o", str(source) + ".o"],
        }
    ]
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    (folder / ".qdadvise.toml").write_text('advice = "advice.toml"\n' + config)
    (folder / "advice.toml").write_text(adviceFor(source.name, sites))
    return source


if __name__ == "__main__":
    make(*sys.argv[1:4])
