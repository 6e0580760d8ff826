#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""doc/kernels.md from what the machines of ./dev matrix left behind.

usage: table.py KERNELS RESULTS: the list, and the directory with one
directory per kernel: describe-WHO.json, verify-WHO.json, tests, release ...
"""

import json
import os
import re
import sys

WHO = ("root", "user")
DATA = "D"

HEAD = """# What is held on which kernel

Made by `./dev matrix` out of what its machines left: Debian's kernels, booted
in qemu with a Debian root file system. The first table is what
`omega-sandbox describe --json` said there, as root and as an ordinary user.
The tests below it ran on the same kernels and hold the report to its word:
what it claims must be refused inside, what it does not claim must work there
as it does outside. Not to be edited by hand, but for the last section.
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


class Kernel:
    """What one machine left."""

    def __init__(self, name, line, where):
        self.name = name
        self.line = line
        self.release = read(os.path.join(where, "release"))
        self.machine = read(os.path.join(where, "machine"))
        self.abi = int(read(os.path.join(where, "abi")))
        self.described = {}
        self.verified = {}
        for who in WHO:
            at = os.path.join(where, "describe-%s.json" % who)
            self.described[who] = json.loads(read(at))
            at = os.path.join(where, "verify-%s.json" % who)
            self.verified[who] = json.loads(read(at))
        self.tests = [
            row.split() for row in read(os.path.join(where, "tests")).split("\n")
        ]

    def title(self):
        number = re.match(r"[0-9]+\.[0-9]+", self.release).group(0)
        abi = "ABI %d" % self.abi if self.abi > 0 else "no Landlock"
        return "%s %s, %s" % (number, self.machine, abi)


def row_name(guarantee, data_dir):
    """Where the sentence goes: system directories share one row."""
    text = guarantee["text"].replace(data_dir, DATA)
    path = guarantee["path"]
    if path and guarantee["kind"] == "absent_paths":
        text = text.replace(path, "a protected path that is absent")
    elif path and guarantee["kind"] in ("path", "metadata") and \
            not path.startswith(data_dir):
        # /proc and /dev except something in their text.
        text = re.sub(r", (entries of one's own processes|harmless devices|"
                      r"what is mounted in it) excepted", "", text)
        text = text.replace(path, "system directories", 1)
        text = text.replace("system directories keeps its modes",
                            "system directories keep their modes")
    return text


def add_rows(rows, kernel, who):
    report = kernel.described[who]
    for guarantee in report["guarantees"]:
        name = row_name(guarantee, report["data_dir"])
        seen = rows.setdefault(name, {}).setdefault((kernel.name, who), set())
        seen.add((guarantee["state"], guarantee["backends"],
                  guarantee["why"]))


def cell(entries, notes):
    """One state and who holds it; what differs within a row is listed."""
    words = []
    for state, backends, why in sorted(entries):
        text = {"not enforced": "**not**", "partial": "**partial**"}.get(
            state, state)
        if backends:
            text += ": " + backends.replace(", ", " + ")
        if why and state != "enforced":
            if why not in notes:
                notes.append(why)
            text += " [%d]" % (notes.index(why) + 1)
        words.append(text)
    return ", ".join(words) if words else "-"


def make_table(kernels):
    rows = {}
    notes = []
    for kernel in kernels:
        for who in WHO:
            add_rows(rows, kernel, who)
    out = ["| guarantee | " + " | ".join(k.title() for k in kernels) + " |",
           "|---|" + "---|" * len(kernels)]
    for name, seen in rows.items():
        cells = []
        for kernel in kernels:
            said = [cell(seen.get((kernel.name, who), ()), notes)
                    for who in WHO]
            cells.append(said[0] if said[0] == said[1] else
                         "root: %s; user: %s" % tuple(said))
        out.append("| %s | %s |" % (name, " | ".join(cells)))
    cells = []
    for kernel in kernels:
        said = ["yes" if kernel.described[who]["starts"] else "refused"
                for who in WHO]
        cells.append(said[0] if said[0] == said[1] else
                     "root: %s; user: %s" % tuple(said))
    out.append("| a command starts | %s |" % " | ".join(cells))
    out += ["", "`%s` is the data directory. Why not, or not wholly:" % DATA,
            ""]
    out += ["%d. %s" % (i + 1, why) for i, why in enumerate(notes)]
    for kernel in kernels:
        for backend in kernel.described["root"]["backends"]:
            if not backend["usable"]:
                out += ["", "On %s the backend %s cannot be used: %s." % (
                    kernel.title(), backend["name"], backend["reason"])]
    return out


def make_list(kernels):
    out = ["## The kernels and the tests", "",
           "Started by root, most tests go through everything twice, as root "
           "and as an",
           "ordinary user; an emulated machine does fewer rounds of what is "
           "repeated.", "",
           "| | release | command line | started by root | by a user |",
           "|---|---|---|---|---|"]
    for kernel in kernels:
        sums = []
        for who in WHO:
            mine = [row for row in kernel.tests if row[0] == who]
            passed, failed, skipped = (
                sum(int(row[i]) for row in mine) for i in (-3, -2, -1))
            sums.append("%d passed, %d failed, %d skipped" %
                        (passed, failed, skipped) if mine else "-")
        out.append("| %s | %s | %s | %s |" % (
            kernel.title(), kernel.release,
            "`%s`" % kernel.line if kernel.line else "Debian's",
            " | ".join(sums)))
    out.append("")
    for kernel in kernels:
        names = []
        for row in kernel.tests:
            if row[1] not in names:
                names.append(row[1])
        out.append("- %s: %s" % (kernel.title(), ", ".join(names)))
    return out


def make_verified(kernels):
    out = ["", "## What `omega-sandbox verify` saw", "",
           "Every guarantee attacked by real children, on the real places and "
           "on copies; an",
           "attempt counts when it works without the sandbox. FALSE would be "
           "a claim that is",
           "not so; *open* is not claimed and shown; *idle* is nothing this "
           "user could do",
           "without a sandbox either; *on copy* is tried there only. The "
           "policy is the",
           "default one.", "",
           "| | | attempts | holds | FALSE | open | idle | untried | on copy |",
           "|---|---|---|---|---|---|---|---|---|"]
    for kernel in kernels:
        for who in WHO:
            said = kernel.verified[who]
            tries = sum(len(g["tries"]) for g in said["guarantees"])
            out.append("| %s | %s | %d | %s |" % (
                kernel.title(), who, tries, " | ".join(
                    str(said["summary"][word]) for word in
                    ("holds", "FALSE", "open", "idle", "untried",
                     "on copy"))))
    return out


def main():
    kernels = []
    for line in read(sys.argv[1]).split("\n"):
        if not line or line.startswith("#"):
            continue
        name, rest = line.split()[0], line.split(None, 4)[4:]
        kernels.append(Kernel(name, rest[0] if rest else "",
                              os.path.join(sys.argv[2], name)))
    print(HEAD)
    print("\n".join(make_table(kernels) + [""] + make_list(kernels) +
                    make_verified(kernels)))


main()
