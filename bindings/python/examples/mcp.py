# SPDX-License-Identifier: MIT
"""Launches an MCP server in a sandbox; put it before the server's command in
the configuration of a client:

    python3 mcp.py npx some-mcp-server --flag
"""

import signal
import sys

from omega_sandbox import PIPE, Popen, SandboxError


def main() -> int:
    if len(sys.argv) < 2:
        print("usage: mcp.py COMMAND [ARG...]", file=sys.stderr)
        return 125
    try:
        # It speaks with the client itself. Errors may go to a file, which a
        # command does not get that must not write it.
        server = Popen(sys.argv[1:], policy="mcp", stderr=PIPE)
    except SandboxError as error:
        print(f"mcp.py: {error}", file=sys.stderr)
        return 125
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda which, _: server.send_signal(which))
    with server:
        for line in server.stderr or ():
            sys.stderr.buffer.write(line)
            sys.stderr.flush()
        code = server.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
