#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A host that has its commands run by "omega-sandbox rpc".

    rpc_client.py [--tool FILE] [--config FILE] COMMAND [ARG...]

Sandbox is all a program needs: it starts the tool once, and any thread may
run commands through it.
"""

import itertools
import json
import subprocess
import sys
import threading


class Error(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Sandbox:
    def __init__(self, tool="omega-sandbox", config=None):
        words = [tool, "rpc"]
        if config is not None:
            words += ["--config", config]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.ids = itertools.count(1)
        self.lock = threading.Lock()
        self.waiting = {}
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            response = json.loads(line)
            if "event" in response:
                continue  # of a request with "stream"
            with self.lock:
                slot = self.waiting.pop(response["id"], None)
            if slot is not None:
                slot["response"] = response
                slot["done"].set()
        with self.lock:
            slots, self.waiting = self.waiting, {}
        for slot in slots.values():
            slot["done"].set()

    def _send(self, request):
        line = json.dumps(request).encode() + b"\n"
        with self.lock:
            self.process.stdin.write(line)
            self.process.stdin.flush()

    def start(self, argv, **fields):
        """Send a request; returns what wait and cancel take."""
        slot = {"done": threading.Event(), "id": next(self.ids)}
        with self.lock:
            self.waiting[slot["id"]] = slot
        self._send({"id": slot["id"], "argv": argv, **fields})
        return slot

    def wait(self, slot):
        slot["done"].wait()
        response = slot.get("response")
        if response is None:
            raise Error({"code": "lost", "message": "the sandbox ended"})
        if "error" in response:
            raise Error(response["error"])
        return response["result"]

    def cancel(self, slot):
        self._send({"id": slot["id"], "cancel": True})

    def run(self, argv, **fields):
        return self.wait(self.start(argv, **fields))

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def main(words):
    options = {}
    while words and words[0] in ("--tool", "--config"):
        options[words[0][2:]] = words[1]
        words = words[2:]
    if not words:
        sys.exit(__doc__)
    sandbox = Sandbox(**options)
    try:
        result = sandbox.run(words)
    except Error as error:
        sys.exit("%s: %s" % (error.code, error))
    sys.stdout.write(result.get("stdout", ""))
    sys.stderr.write(result.get("stderr", ""))
    print("protected: %s" % result["sandbox_applied"], file=sys.stderr)
    sandbox.close()
    sys.exit(result["exit"] if result["exit"] is not None else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
