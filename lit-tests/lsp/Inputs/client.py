"""A client of a language server, for tests: what an editor does, without an editor."""

import json
import os
import pathlib
import queue
import subprocess
import threading



class Client:
    """Starts a server and speaks with it."""

    def __init__(self, command, capabilities=None, initialize=True):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.messages = queue.Queue()
        self.heard = []  # notifications, in order
        self.asked = []  # requests of the server
        self.number = 0
        threading.Thread(target=self._listen, daemon=True).start()
        if initialize:
            self.capabilities = self.request(
                "initialize", {"processId": os.getpid(), "capabilities": capabilities or {}}
            )["result"]["capabilities"]
            self.notify("initialized", {})

    def _listen(self):
        stream = self.process.stdout
        while True:
            length = None
            while (line := stream.readline().strip()):
                name, value = line.split(b":")
                assert name == b"Content-Length", line
                length = int(value)
            if length is None:
                self.messages.put(None)
                return
            self.messages.put(json.loads(stream.read(length)))

    def sendRaw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        data = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        self.sendRaw(b"Content-Length: %d\r\n\r\n" % len(data) + data)

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def next(self):
        """The next message, or None at the server's end."""
        message = self.messages.get()
        if message and "method" in message:
            (self.asked if "id" in message else self.heard).append(message)
        return message

    def request(self, method, params):
        """The whole answer; notifications on the way are heard."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while message := self.next():
            if message.get("id") == self.number and "method" not in message:
                return message
        raise EOFError("the server has ended")

    def result(self, method, params):
        answer = self.request(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def waitFor(self, method, holds=lambda params: True):
        """Parameters of the first notification for which something holds. It and those of the same
        method before it are read then."""
        while True:
            for i, message in enumerate(self.heard):
                if message["method"] == method and holds(message["params"]):
                    rest = [m for m in self.heard[:i] if m["method"] != method]
                    self.heard = rest + self.heard[i + 1 :]
                    return message["params"]
            if self.next() is None:
                raise EOFError("the server has ended")

    def logs(self):
        return [m["params"]["message"] for m in self.heard if m["method"] == "window/logMessage"]

    def stop(self):
        """Shuts the server down; its exit code."""
        self.result("shutdown", None)
        self.notify("exit", None)
        self.process.stdin.close()
        return self.process.wait()


class Buffer:
    """An open file, edited as an editor would."""

    def __init__(self, client, path, text=None):
        self.client = client
        self.path = pathlib.Path(path)
        self.uri = self.path.absolute().as_uri()
        self.text = self.path.read_text() if text is None else text
        self.version = 1
        client.notify(
            "textDocument/didOpen",
            {
                "textDocument": {
                    "uri": self.uri,
                    "languageId": "cpp",
                    "version": 1,
                    "text": self.text,
                }
            },
        )

    def position(self, offset):
        before = self.text[:offset]
        line = before.count("\n")
        units = len(before[before.rfind("\n") + 1 :].encode("utf-16-le")) // 2
        return {"line": line, "character": units}

    def offset(self, position):
        lines = self.text.split("\n")
        before = sum(len(line) + 1 for line in lines[: position["line"]])
        units = lines[position["line"]].encode("utf-16-le")[: 2 * position["character"]]
        return before + len(units.decode("utf-16-le"))

    def replace(self, old, new, count=1):
        """Replaces the first such text by one incremental change."""
        begin = self.text.index(old)
        change = {
            "range": {"start": self.position(begin), "end": self.position(begin + len(old))},
            "text": new,
        }
        self.text = self.text[:begin] + new + self.text[begin + len(old) :]
        self._changed([change])

    def replaceAll(self, text):
        """Sends the whole text, as simple clients do."""
        self.text = text
        self._changed([{"text": text}])

    def _changed(self, changes):
        self.version += 1
        self.client.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self.uri, "version": self.version},
                "contentChanges": changes,
            },
        )

    def save(self):
        self.path.write_text(self.text)
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri}})

    def diagnostics(self, holds=lambda diagnostics: True):
        """The next diagnostics of this file, of its present version."""
        params = self.client.waitFor(
            "textDocument/publishDiagnostics",
            lambda params: params["uri"] == self.uri
            and params.get("version") == self.version
            and holds(params["diagnostics"]),
        )
        return params["diagnostics"]

    def at(self, text, method, **more):
        """The result of a request about the place of a text."""
        return self.client.result(
            method,
            {
                "textDocument": {"uri": self.uri},
                "position": self.position(self.text.index(text)),
                **more,
            },
        )

    def lenses(self):
        return self.client.result(
            "textDocument/codeLens", {"textDocument": {"uri": self.uri}}
        )

    def actions(self, text):
        place = self.position(self.text.index(text))
        return self.client.result(
            "textDocument/codeAction",
            {
                "textDocument": {"uri": self.uri},
                "range": {"start": place, "end": place},
                "context": {"diagnostics": []},
            },
        )

    def apply(self, edit):
        """Makes the edits that a workspace edit has for this file."""
        changes = edit.get("changes", {}).get(self.uri, [])
        for document in edit.get("documentChanges", []):
            if document["textDocument"]["uri"] == self.uri:
                assert document["textDocument"]["version"] == self.version
                changes = document["edits"]
        spans = sorted(
            (self.offset(c["range"]["start"]), self.offset(c["range"]["end"]), c["newText"])
            for c in changes
        )
        text, done = "", 0
        for begin, end, new in spans:
            text += self.text[done:begin] + new
            done = end
        self.replaceAll(text + self.text[done:])


def shown(buffer, diagnostics):
    """Diagnostics as the compiler prints them: line, column in bytes, level, text."""
    levels = {1: "error", 2: "warning", 3: "remark"}
    for one in diagnostics:
        start = one["range"]["start"]
        line = buffer.text.split("\n")[start["line"]]
        units = line.encode("utf-16-le")[: 2 * start["character"]].decode("utf-16-le")
        yield (
            f"{start['line'] + 1}:{len(units.encode()) + 1}: "
            f"{levels[one['severity']]}: {one['message']}"
        )
