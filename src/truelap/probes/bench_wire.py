"""Part of run_benchmarks: the worker's end of the conversation."""

import json
import os
import struct

HEADER = struct.Struct(">I")


class Wire:
    """The worker's end of the judge's channel, with as little work as can be: some of it is timed."""

    def __init__(self, end):
        self.end = end

    def greet(self):
        self.send({"type": "hello"})
        return self.receive()

    def send(self, message):
        body = json.dumps(message, allow_nan=False).encode("ascii")
        self.end.sendall(HEADER.pack(len(body)) + body)

    def receive(self):
        (length,) = HEADER.unpack(self.take(HEADER.size))
        return json.loads(self.take(length).decode("utf-8"))

    def take(self, count):
        taken = b""
        while len(taken) < count:
            chunk = self.end.recv(count - len(taken))
            if not chunk:
                os._exit(0)
            taken += chunk
        return taken
