"""An editing session: lenses, hovers, edits above and inside, saving, new advice, silence.

usage: session.py QDADVISE FOLDER SOURCE CLANGXX"""

import sys

import project
from client import Buffer, Client, shown

qdadvise, folder, given, clang = sys.argv[1:]
source = project.make(folder, given, clang)
client = Client([qdadvise, "lsp"])
buffer = Buffer(client, source)


def say(title, diagnostics):
    print(f"== {title}")
    for line in shown(buffer, diagnostics):
        print(line)


say("opened", buffer.diagnostics())

print("== lenses")
for lens in buffer.lenses():
    assert "\n" not in lens["command"]["title"]
    print(lens["range"]["start"]["line"] + 1, lens["command"]["title"])

print("== hover over a section")
hover = buffer.at("values_[0] += i", "textDocument/hover")
print(hover["contents"]["value"])
print("== hover over a declaration")
print(buffer.at("raw_ = PTHREAD", "textDocument/hover")["contents"]["value"].split("\n")[0])
assert buffer.at("int main", "textDocument/hover") is None

buffer.replace("#include <mutex>", "// 𝄞\n#include <mutex>")
say("edited above", buffer.diagnostics())
buffer.replace("values_[2]++", "values_[2] += 2")
say("edited inside", buffer.diagnostics())
print(buffer.at("values_[2]", "textDocument/hover")["contents"]["value"].split("\n")[2])
# Only its tokens count for a section's hash; this advice has none and is never stale on disk.
buffer.save()
say("saved", buffer.diagnostics())

buffer.replace("struct Kept", "struct Kept : Broken")
buffer.save()
say("with an error", buffer.diagnostics())
print(client.waitFor("window/logMessage")["message"].replace(str(source), "SOURCE"))
buffer.replaceAll(buffer.text.replace(" : Broken", ""))
buffer.save()
buffer.diagnostics()

silence = [a for a in buffer.actions("pthread_mutex_lock") if a["title"].startswith("Silence")]
buffer.apply(silence[0]["edit"])
print("== silenced")
print(buffer.text[: buffer.text.index("values_[2]")].split("\n")[-3])
buffer.save()
say("saved", buffer.diagnostics(lambda all: not any("raw_' is predicted" in d["message"] for d in all)))

(source.parent / "advice.toml").write_text(project.adviceFor(source.name, project.SITES[-1:]))
say("other advice on disk", buffer.diagnostics(lambda all: not all))
print(*(lens["command"]["title"] for lens in buffer.lenses()))
assert client.stop() == 0
