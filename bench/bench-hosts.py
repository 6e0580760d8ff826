#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What it costs to reach listed hosts: bench-hosts.py TOOL.

A server of our own on the loopback, reached directly and, as "localhost:PORT"
of the rule hosts, through the program that connects for commands. Prints
ratios within this run, and goals; see README.md."""
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

CLIENT = r'''
import resource, socket, statistics, sys, time
what, port = sys.argv[1], int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE,
                   (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
def connect(word):
    s = socket.create_connection(("127.0.0.1", port), 20)
    s.sendall(word)
    return s
if what == "bulk":
    s, buffer, left = connect(b"b"), bytearray(1 << 18), 512 << 20
    start = time.monotonic()
    while left > 0:
        n = s.recv_into(buffer)
        if n == 0:
            sys.exit("cut")
        left -= n
    print(time.monotonic() - start)
elif what == "first":
    times = []
    for i in range(400):
        start = time.monotonic()
        connect(b"e").recv(1)
        times.append(time.monotonic() - start)
    print(statistics.median(times))
elif what == "many":
    all = [connect(b"e") for i in range(1000)]
    print(sum(s.recv(1) == b"e" for s in all), flush=True)
    time.sleep(3)
elif what == "stalled":
    all = [connect(b"b") for i in range(200)]
    time.sleep(3)
    print(len(all), flush=True)
    time.sleep(3)
'''


def serve(peer):
    word = peer.recv(1)
    block = bytes(1 << 18)
    try:
        if word == b"e":
            peer.sendall(b"e")
            peer.recv(1)
        while word == b"b":
            peer.sendall(block)
    except OSError:
        pass
    peer.close()


def accept(listening):
    while True:
        threading.Thread(target=serve, args=(listening.accept()[0],),
                         daemon=True).start()


def resident():
    """KiB of the program that connects: the largest one that is ours."""
    found = [0]
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid) as line:
                if line.read().startswith("omega-sandbox-hosts"):
                    with open("/proc/%s/status" % pid) as status:
                        found += [int(word.split()[1]) for word in status
                                  if word.startswith("VmRSS")]
        except OSError:
            pass
    return max(found)


def kernel():
    """KiB that TCP holds in the kernel."""
    with open("/proc/net/sockstat") as lines:
        for line in lines:
            if line.startswith("TCP:"):
                return int(line.split()[-1]) * 4
    return 0


def main():
    tool = os.path.abspath(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_NOFILE,
                       (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    listening = socket.create_server(("127.0.0.1", 0), backlog=1000)
    port = listening.getsockname()[1]
    threading.stack_size(256 << 10)
    threading.Thread(target=accept, args=(listening,), daemon=True).start()
    base = tempfile.mkdtemp()
    os.chmod(base, 0o755)
    conf = base + "/sandbox.conf"
    with open(conf, "w") as out:
        out.write('policy "h" { hosts = { "localhost:%d" } }\n'
                  'policy "n" { network = deny }\n' % port)
    os.chmod(conf, 0o644)
    with open(base + "/client.py", "w") as out:
        out.write(CLIENT)
    client = [sys.executable, base + "/client.py"]
    inside = [tool, "run", "--config", conf, "--policy", "h", "--data-dir",
              base + "/d", "--work-dir", base, "--"] + client

    def run(command, what):
        return float(subprocess.run(command + [what, str(port)], check=True,
                                    stdout=subprocess.PIPE).stdout)

    def goal(text, value, most, is_least=False):
        good = value >= most if is_least else value <= most
        print("%-52s %8.2f  goal %s %g%s" % (text, value, ">=" if is_least
              else "<=", most, "" if good else "  MISSED"))

    bulk = statistics.median(run(client, "bulk") / run(inside, "bulk")
                             for _ in range(3))
    goal("bulk, of direct loopback", bulk, 0.45, True)
    first = statistics.median(run(inside, "first") / run(client, "first")
                              for _ in range(5))
    goal("connect and first answer, of direct", first, 1.25)

    def hold(what):
        child = subprocess.Popen(inside + [what, str(port)],
                                 stdout=subprocess.PIPE)
        count = int(child.stdout.readline() or 0)
        size, held = resident(), kernel()
        child.wait()
        return count, size, held

    count, size, _ = hold("many")
    goal("connections at once, answered", count, 1000, True)
    goal("MiB of the program then", size / 1024, 8)
    before = kernel()
    count, size, held = hold("stalled")
    goal("200 stalled readers: MiB of the program", size / 1024, 8)
    print("%-52s %8.0f" % ("MiB in the kernel, both sides", (held - before) /
                           1024))

    host = subprocess.Popen([tool, "rpc", "--config", conf],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    times = {"h": [], "n": []}
    for number in range(400):
        policy = "hn"[number % 2]
        start = time.monotonic()
        host.stdin.write(json.dumps({
            "id": number, "policy": policy, "data_dir": base + "/d",
            "work_dir": base, "argv": ["/bin/true"]}).encode() + b"\n")
        host.stdin.flush()
        answer = json.loads(host.stdout.readline())
        if "result" not in answer:
            sys.exit(str(answer))
        if number >= 20:
            times[policy].append(time.monotonic() - start)
    host.stdin.close()
    goal("a start by rpc, of one without network",
         statistics.median(times["h"]) / statistics.median(times["n"]), 1.1)
    subprocess.run(["rm", "-rf", base])


main()
