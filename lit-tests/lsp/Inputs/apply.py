"""Applies the advice for a lock by code action, and compiles the result; explains it.

usage: apply.py QDADVISE FOLDER SOURCE CLANGXX INCLUDE"""

import subprocess
import sys

import project
from client import Buffer, Client

qdadvise, folder, given, clang, include = sys.argv[1:]
for capabilities in ({}, {"workspace": {"workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}}}}):
    source = project.make(folder, given, clang)
    client = Client([qdadvise, "lsp"], capabilities)
    buffer = Buffer(client, source)
    buffer.diagnostics()
    actions = {action["title"]: action for action in buffer.actions("pthread_mutex_lock")}
    print("actions:", *sorted(actions), sep="\n  ")

    def run(title):
        client.result("workspace/executeCommand", {k: actions[title]["command"][k] for k in ("command", "arguments")})

    run("Explain the advice for Table::raw_")
    print("explained:", client.waitFor("window/showMessage")["message"])

    buffer.replace("int main", "int  main")
    run("Make Table::raw_ an MCS lock, in all files")
    print("unsaved:", client.waitFor("window/showMessage")["message"].split(" ", 2)[2])
    buffer.save()
    run("Make Table::raw_ an MCS lock, in all files")
    print("applied:", client.waitFor("window/showMessage")["message"])
    while not client.asked:
        client.next()
    request = client.asked.pop()
    assert request["method"] == "workspace/applyEdit"
    edit = request["params"]["edit"]
    print("edit:", *sorted(edit), edit.get("changeAnnotations"))
    buffer.apply(edit)
    client.send({"id": request["id"], "result": {"applied": True}})
    buffer.save()
    buffer.diagnostics()
    assert "qdadvise::mcs_lock" in buffer.text, buffer.text
    subprocess.run([clang, "-std=c++20", "-fsyntax-only", "-Werror", "-I" + include, str(source)], check=True)
    print("it compiles")
    assert client.stop() == 0
