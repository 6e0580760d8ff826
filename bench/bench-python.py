#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a run of /bin/true costs a host in Python, as ratios within one run.

    bench-python.py [--rounds N] [--json]

Against the installed library and the tool that PATH or OMEGA_SANDBOX_TOOL has,
which must be of the same build; the protection is the same: the default
policy. By hand, since make bench measures what was built and not installed.
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from typing import Callable, Dict, List

sys.path.insert(
    0, os.path.join(os.path.dirname(__file__), "..", "bindings", "python", "src")
)
import omega_sandbox  # noqa: E402

PROGRAM = "/bin/true"
GOAL = 1.3


def ways() -> Dict[str, Callable[[], object]]:
    tool = os.environ.get("OMEGA_SANDBOX_TOOL") or shutil.which("omega-sandbox")
    if not tool:
        sys.exit("bench-python: omega-sandbox is not installed")
    words = [tool, "run", "--", PROGRAM]
    sandbox = omega_sandbox.Sandbox()
    loop = asyncio.new_event_loop()

    def popen() -> None:
        with sandbox.popen([PROGRAM], stdout=omega_sandbox.PIPE):
            pass

    return {
        "subprocess, unprotected": lambda: subprocess.run([PROGRAM]),
        "subprocess, the tool": lambda: subprocess.run(words),
        "run": lambda: omega_sandbox.run([PROGRAM]),
        "Sandbox.run": lambda: sandbox.run([PROGRAM]),
        "Sandbox.run, captured": lambda: sandbox.run([PROGRAM], capture_output=True),
        "Sandbox.popen": popen,
        "Sandbox.run_async": lambda: loop.run_until_complete(
            sandbox.run_async([PROGRAM])
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=201)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    all_ways = ways()
    samples: Dict[str, List[float]] = {name: [] for name in all_ways}
    for name in all_ways:
        all_ways[name]()
    for _ in range(options.rounds):
        names = list(all_ways)
        random.shuffle(names)
        for name in names:
            begin = time.perf_counter()
            all_ways[name]()
            samples[name].append(time.perf_counter() - begin)
    medians = {name: statistics.median(samples[name]) for name in samples}
    tool = medians["subprocess, the tool"]
    plain = medians["subprocess, unprotected"]
    worst = max(medians[name] for name in medians if "subprocess" not in name) / tool
    if options.json:
        print(json.dumps({"seconds": medians, "worst": worst, "goal": GOAL}))
        return
    print(f"{'':26}{'us':>8}{'of the tool':>13}{'of unprotected':>16}")
    for name, median in medians.items():
        print(
            f"{name:26}{median * 1e6:8.0f}{median / tool:13.2f}{median / plain:16.2f}"
        )
    print(
        f"goal: every way at most {GOAL} of the tool by subprocess.run: "
        f"{worst:.2f}, {'met' if worst <= GOAL else 'MISSED'}"
    )


if __name__ == "__main__":
    main()
