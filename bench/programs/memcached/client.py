# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A client that knows what memcached must answer.

client.py PORT check      every command below, with its reply compared
client.py PORT shutdown   ask the server to end (it runs with -A)
"""

import socket
import sys


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.replies = self.socket.makefile("rb")
        self.checked = 0

    def send(self, command, data=None):
        line = command.encode() + b"\r\n"
        if data is not None:
            line += data + b"\r\n"
        self.socket.sendall(line)

    def expect(self, *lines):
        for line in lines:
            reply = self.replies.readline().rstrip(b"\r\n")
            if reply != line:
                sys.exit(f"error: memcached answered {reply!r} where {line!r} was right")
        self.checked += 1

    def set(self, command, key, data, reply):
        self.send(f"{command} {key} 7 0 {len(data)}", data)
        self.expect(reply)

    def get(self, key, data):
        self.send(f"get {key}")
        if data is None:
            self.expect(b"END")
        else:
            self.expect(f"VALUE {key} 7 {len(data)}".encode(), data, b"END")


def check(client, rounds=2000):
    for i in range(rounds):
        key = f"check{i % 500}"
        value = bytes(97 + (i * j) % 26 for j in range(1 + i % 300))
        client.set("set", key, value, b"STORED")
        client.get(key, value)
        client.set("add", key, b"other", b"NOT_STORED")
        client.set("append", key, b"tail", b"STORED")
        client.get(key, value + b"tail")
        client.set("replace", key, b"41", b"STORED")
        client.send(f"incr {key} 1")
        client.expect(b"42")
        client.send(f"delete {key}")
        client.expect(b"DELETED")
        client.get(key, None)
    print(f"{client.checked} answers of memcached's were right")


def main():
    port, command = int(sys.argv[1]), sys.argv[2]
    client = Client(port)
    if command == "check":
        check(client)
    elif command == "shutdown":
        client.send("shutdown")
        client.replies.read()
    else:
        sys.exit(__doc__)


main()
