"""A header shows the advice that the compiler prints in it, templates included, from a source that
includes it.

usage: header.py QDADVISE FOLDER CLANGXX"""

import json
import pathlib
import sys

import project
from client import Buffer, Client, shown

qdadvise, folder, clang = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
(folder / "table.cpp").write_text('#include "table.h"\nint main() { Table<int>().add(); }\n')
source = project.make(
    folder / "project", folder / "table.cpp", clang,
    sites=[("Table::lock_", "Table<int>::add()", "lock_", "", "mcs")])
header = source.parent / "table.h"
header.write_text("""#include <mutex>
template <typename T> struct Table {
  std::mutex lock_;
  T count = {};
  void add() {
    std::lock_guard<std::mutex> guard(lock_);
    count++;
  }
};
""")
advice = source.parent / "advice.toml"
advice.write_text(advice.read_text().replace('file = "table.cpp"', 'file = "table.h"'))
client = Client([qdadvise, "lsp"])
buffer = Buffer(client, header)
print(*shown(buffer, buffer.diagnostics()), sep="\n")
# The source knows the header as it is in the editor.
buffer.replace("#include", "\n#include")
buffer.diagnostics()
Buffer(client, source).diagnostics()
buffer.save()
print(*shown(buffer, buffer.diagnostics()), sep="\n")
assert client.stop() == 0
