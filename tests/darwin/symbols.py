#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""symbols.py TOP BUILD CPU FILE...: what the Mach-O files of a build export and need.

Reads the files themselves: no tool of macOS is at hand. The library must
export the names of its symbol file and nothing else, a plugin exactly one,
and whatever they leave undefined must be on the list of names that macOS's
libSystem has and we mean to use (libsystem.names).
"""
import os
import re
import struct
import sys

CPUS = {0x0100000C: "arm64", 0x01000007: "x86_64"}
EXECUTE = 2
SYMTAB, LOAD_DYLIB = 0x2, 0xC


class MachO:
    """The symbols and libraries of one file."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            data = file.read()
        magic, self.cpu, _, self.type, count, _, _, _ = struct.unpack_from(
            "<8I", data
        )
        if magic != 0xFEEDFACF:
            raise ValueError(f"{path}: no Mach-O file of 64 bits")
        self.exported, self.undefined, self.libraries = set(), set(), []
        at = 32
        for _ in range(count):
            kind, size = struct.unpack_from("<2I", data, at)
            if kind == SYMTAB:
                words = struct.unpack_from("<4I", data, at + 8)
                self.read_symbols(data, *words)
            elif kind & 0x7FFFFFFF in (LOAD_DYLIB, 0x18, 0x1F):
                (offset,) = struct.unpack_from("<I", data, at + 8)
                self.libraries.append(text_at(data, at + offset))
            at += size

    def read_symbols(self, data, symbols, count, strings, _):
        for i in range(count):
            name, kind, _, about, _ = struct.unpack_from(
                "<IBBHQ", data, symbols + 16 * i
            )
            name = text_at(data, strings + name)
            if kind & 0xE0 or not kind & 0x01:
                continue
            if kind & 0x0E == 0:
                # Behind a dollar sign: which version of the function.
                self.undefined.add(name.split("$")[0])
            # Weak are the functions that zig adds for its compiler.
            elif not kind & 0x10 and (not about & 0x80 or "omega" in name):
                self.exported.add(name)


def text_at(data, at):
    return data[at : data.index(b"\0", at)].decode()


def names_of(path):
    with open(path, encoding="ascii") as file:
        lines = (line.split("#")[0].strip() for line in file)
        return {line for line in lines if line}


def faults_of(file, wanted, known, cpu):
    """Everything that is wrong with one file, as sentences."""
    if CPUS.get(file.cpu) != cpu:
        yield f"made for {CPUS.get(file.cpu, hex(file.cpu))}, not {cpu}"
    if wanted is not None:
        for name in sorted(file.exported - wanted):
            yield f"exports {name}"
        for name in sorted(wanted - file.exported):
            yield f"does not export {name}"
    for name in sorted(file.undefined - known):
        yield f"needs {name}, which is not on the list"
    for name in file.libraries:
        if not re.match(r"/usr/lib/libSystem|/usr/local/lib/libomega", name):
            yield f"needs the library {name}"


def main():
    top, build, cpu = sys.argv[1:4]
    here = os.path.dirname(os.path.abspath(__file__))
    system = names_of(os.path.join(here, "libsystem.names"))
    # The last is the linker's own.
    system = {"_" + name for name in system} | {"dyld_stub_binder"}
    with open(
        os.path.join(top, "core/libomega-sandbox.sym"), encoding="ascii"
    ) as file:
        library = re.findall(r"\b(omega_sandbox_\w+);", file.read())
    library = {"_" + name for name in library}
    status = 0
    for path in sys.argv[4:]:
        file = MachO(os.path.join(build, path))
        known, wanted = system, None
        if file.type == EXECUTE:
            known = system | library
        elif path.endswith(".so"):
            wanted = {"_omega_sandbox_plugin"}
        else:
            wanted = library
        for fault in faults_of(file, wanted, known, cpu):
            print(f"{path}: {fault}", file=sys.stderr)
            status = 1
        print(
            f"{os.path.basename(path)} ({cpu}): {len(file.exported)} "
            f"exported, {len(file.undefined)} undefined"
        )
    return status


if __name__ == "__main__":
    sys.exit(main())
