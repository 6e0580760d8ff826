#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A host that calls the library itself, by ctypes.

    ctypes_host.py [--library FILE] [--config FILE] [--data-dir DIR]
                   COMMAND [ARG...]

Runs the command with its output captured, and prints what came of it.
"""

import ctypes
import sys
from ctypes import POINTER, byref, c_char, c_char_p, c_int32
from ctypes import c_size_t, c_uint8, c_uint32, c_uint64, c_void_p


class Error(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("code", c_int32),
        ("sys_errno", c_int32),
        ("line", c_uint32),
        ("backend", c_char * 32),
        ("atom", c_char * 128),
        ("file", c_char * 1024),
        ("text", c_char * 1024),
    ]


class Stream(ctypes.Structure):
    _fields_ = [
        ("bytes", POINTER(c_uint8)),
        ("len", c_size_t),
        ("seen", c_uint64),
    ]

    def data(self):
        return ctypes.string_at(self.bytes, self.len)


class Outcome(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("status", c_int32),
        ("signal", c_int32),
        ("left", c_uint32),
        ("output_error", c_int32),
        ("is_protected", c_uint8),
        ("is_core_dumped", c_uint8),
        ("is_truncated", c_uint8),
        ("is_timed_out", c_uint8),
        ("is_cancelled", c_uint8),
        ("reserved", c_uint8 * 7),
        ("duration_ms", c_uint64),
        ("cpu_ms", c_uint64),
        ("peak_memory", c_uint64),
        ("out", Stream),
        ("err", Stream),
    ]


def fail(error):
    sys.exit("omega-sandbox: " + error.text.decode("utf-8", "replace"))


def main(words):
    options = {"library": "libomega-sandbox.so.0"}
    while words and words[0] in ("--library", "--config", "--data-dir"):
        options[words[0][2:]] = words[1]
        words = words[2:]
    if not words:
        sys.exit(__doc__)
    lib = ctypes.CDLL(options["library"])
    lib.omega_sandbox_version.restype = c_char_p
    error = Error(size=ctypes.sizeof(Error))
    sandbox, policy = c_void_p(), c_void_p()
    prepared, command, result = c_void_p(), c_void_p(), c_void_p()

    def must(code):
        if code < 0:
            fail(error)

    def text(name):
        value = options.get(name)
        return None if value is None else value.encode()

    must(
        lib.omega_sandbox_open(
            text("config"), None, None, byref(sandbox), byref(error)
        )
    )
    must(lib.omega_sandbox_policy_new(sandbox, None, byref(policy), byref(error)))
    if "data-dir" in options:
        must(
            lib.omega_sandbox_policy_set(
                policy, b"data_dir", text("data-dir"), byref(error)
            )
        )
    must(lib.omega_sandbox_prepare(policy, byref(prepared), byref(error)))
    must(
        lib.omega_sandbox_command_new(
            prepared, words[0].encode(), byref(command), byref(error)
        )
    )
    for word in words[1:]:
        must(lib.omega_sandbox_command_add_arg(command, word.encode(), byref(error)))
    must(lib.omega_sandbox_capture(command, byref(result), byref(error)))
    outcome = Outcome(size=ctypes.sizeof(Outcome))
    lib.omega_sandbox_result_get(result, byref(outcome))
    sys.stdout.buffer.write(outcome.out.data())
    sys.stdout.flush()
    sys.stderr.buffer.write(outcome.err.data())
    print(
        "omega-sandbox %s, protected: %s"
        % (
            lib.omega_sandbox_version().decode(),
            bool(outcome.is_protected),
        ),
        file=sys.stderr,
    )
    status = outcome.status if outcome.signal == 0 else 128 + outcome.signal
    lib.omega_sandbox_result_free(result)
    lib.omega_sandbox_command_unref(command)
    lib.omega_sandbox_prepared_unref(prepared)
    lib.omega_sandbox_policy_unref(policy)
    lib.omega_sandbox_unref(sandbox)
    sys.exit(status)


if __name__ == "__main__":
    main(sys.argv[1:])
