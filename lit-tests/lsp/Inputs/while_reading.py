"""Asks while a file is read. It includes a pipe, so that it is read for as long as the pipe is open.

usage: while_reading.py QDADVISE FOLDER SOURCE CLANGXX"""

import os
import pathlib
import sys

import project
from client import Buffer, Client

qdadvise, folder, given, clang = sys.argv[1:]
source = project.make(folder, given, clang)
pipe = source.parent / "slow.h"
source.write_text('#include "slow.h"\n' + source.read_text())
os.mkfifo(pipe)


def finishReading():
    pipe.write_text("")


def firstLine(diagnostics):
    return min(d["range"]["start"]["line"] for d in diagnostics if "lock_' is predicted" in d["message"]) + 1


def ask(client, method, buffer, **more):
    """Without waiting for the answer."""
    client.number += 1
    client.send({"id": client.number, "method": method, "params": {"textDocument": {"uri": buffer.uri}, **more}})
    return client.number


def answer(client, number):
    while message := client.next():
        if message.get("id") == number and "method" not in message:
            return message["result"]
    sys.exit("no answer")


client = Client([qdadvise, "lsp"])
buffer = Buffer(client, source)
lenses = ask(client, "textDocument/codeLens", buffer)
finishReading()
print("asked before it was read:", len(answer(client, lenses)), "lenses")

buffer.save()
hover = buffer.at("values_[0] += i", "textDocument/hover")["contents"]["value"]
print("hover while it is read:", hover.split("\n")[0])
client.heard.clear()
buffer.replace("struct Table", "// a line more\nstruct Table")
print("edited while it is read:", firstLine(buffer.diagnostics()))
finishReading()
print("read:", firstLine(buffer.diagnostics()))

other = pathlib.Path(folder) / "other.cpp"
other.write_text('#include "slow.h"\n')
unread = Buffer(client, other)
place = {"line": 0, "character": 0}
hover = ask(client, "textDocument/hover", unread, position=place)
client.notify("textDocument/didClose", {"textDocument": {"uri": unread.uri}})
print("closed before it was read:", answer(client, hover))
finishReading()

buffer.save()
print("shut down while it is read:", client.stop())
