"""What a server must bear: bad bytes, unknown methods, messages too early and too late.

usage: robust.py QDADVISE FOLDER SOURCE CLANGXX"""

import pathlib
import sys

import project
from client import Buffer, Client

qdadvise, folder, given, clang = sys.argv[1:]
source = project.make(folder, given, clang)

client = Client([qdadvise, "lsp"], initialize=False)
early = client.request("textDocument/hover", {"textDocument": {"uri": source.as_uri()},
                                              "position": {"line": 1, "character": 1}})
print("early:", early["error"]["code"], early["error"]["message"])
client.notify("textDocument/didOpen", {"textDocument": {"uri": source.as_uri()}})
client.request("initialize", {"capabilities": {}})
print("twice:", client.request("initialize", {"capabilities": {}})["error"]["message"])
client.notify("initialized", {})

for bad in (b"{", b"[1]", b'{"method":"x"}', b"\xff\xfe", b"[" * 5000):
    client.sendRaw(b"Content-Length: %d\r\n\r\n" % len(bad) + bad)
client.sendRaw(b"Content-Type: text\r\n\r\n")
print("unknown:", client.request("textDocument/rename", {})["error"]["code"])
for log in client.logs():
    print("log:", log)
client.notify("no/such", {"a": [1]})
for params in ({}, [], None, 7, {"textDocument": {"uri": 5}}, {"textDocument": {"uri": "untitled:x"}}):
    for method in ("didOpen", "didChange", "didSave", "didClose"):
        client.notify("textDocument/" + method, params)
    for method in ("hover", "codeLens", "codeAction"):
        assert "error" in client.request("textDocument/" + method, params), (method, params)
    assert "error" in client.request("workspace/executeCommand", params)

buffer = Buffer(client, source)
assert len(buffer.diagnostics()) == 7
for place in ({"line": -1, "character": -7}, {"line": 10**9, "character": 10**9}):
    buffer.client.result("textDocument/hover", {"textDocument": {"uri": buffer.uri}, "position": place})
# A range that ends before it begins, and one beyond the text.
change = {"range": {"start": {"line": 9, "character": 9}, "end": {"line": 2, "character": 1}}, "text": "x"}
buffer._changed([change])
buffer.diagnostics()
buffer.replaceAll(source.read_text())
buffer.diagnostics()
print("command:", client.request("workspace/executeCommand",
                                 {"command": "qdadvise.no", "arguments": [buffer.uri, "l"]})["error"]["message"])

client.heard.clear()
outside = pathlib.Path(folder).parent / "outside.cpp"
outside.write_text("int main() {}\n")
Buffer(client, outside).diagnostics()
print("outside:", client.waitFor("window/logMessage")["message"].split("; ")[0].split("outside")[-1])
(source.parent / "advice.toml").unlink()
print("missing:", client.waitFor("window/logMessage")["message"].replace(folder, "FOLDER"))
(source.parent / "advice.toml").write_text("threads = x")
print("malformed:", client.waitFor("window/logMessage")["message"].replace(folder, "FOLDER"))
client.result("shutdown", None)
late = client.request("textDocument/codeLens", {"textDocument": {"uri": buffer.uri}})
print("late:", late["error"]["code"], late["error"]["message"])
client.notify("exit", None)
assert client.process.wait(60) == 0

rude = Client([qdadvise, "lsp"])
rude.process.stdin.close()
print("gone without a word:", rude.process.wait(60))
