# SPDX-License-Identifier: MIT
# Copyright (C) 2026 the omega-sandbox authors
"""The C library by ctypes: where it is, its functions and structures.

What they do is said in <omega/sandbox.h>, and nowhere here. Calls let other
threads go on (ctypes.CDLL does).
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import threading
from ctypes import (
    POINTER,
    c_bool,
    c_char,
    c_char_p,
    c_int,
    c_int32,
    c_size_t,
    c_uint,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

NAME = "libomega-sandbox.so.0"

STDIO_INHERIT, STDIO_NULL, STDIO_PIPE, STDIO_FD = range(4)
EVENT_STARTED, EVENT_STOPPED, EVENT_ENDED = 1, 2, 3
SECTION_TIER = 4
CONNECT = 8
HOST_PORT = 3  # reasons up to that are rules about the host


class Sized(ctypes.Structure):
    """A structure that begins with its size."""

    def __init__(self) -> None:
        super().__init__()
        self.size = ctypes.sizeof(self)


class Error(Sized):
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


class Verdict(Sized):
    _fields_ = [
        ("size", c_uint32),
        ("reason", c_int32),
        ("sys_errno", c_int32),
        ("line", c_uint32),
        ("rule", c_char_p),
        ("origin", c_char_p),
        ("resolved", c_char * 4096),
    ]


class Judgement(Sized):
    _fields_ = [
        ("size", c_uint32),
        ("is_allowed", c_uint8),
        ("is_held", c_uint8),
        ("reserved", c_uint8 * 2),
        ("reason", c_int32),
        ("sys_errno", c_int32),
        ("state", c_int32),
        ("line", c_uint32),
        ("guarantee", c_char_p),
        ("backends", c_char_p),
        ("rule", c_char * 4096),
        ("origin", c_char * 4096),
        ("resolved", c_char * 4096),
    ]


class Section(Sized):
    _fields_ = [
        ("size", c_uint32),
        ("is_shipped", c_uint8),
        ("is_sandboxed", c_uint8),
        ("reserved", c_uint8 * 2),
        ("name", c_char_p),
        ("description", c_char_p),
        ("policy", c_char_p),
        ("file", c_char_p),
        ("line", c_uint32),
    ]


class Guarantee(Sized):
    _fields_ = [
        ("size", c_uint32),
        ("state", c_int32),
        ("is_required", c_uint8),
        ("is_accepted", c_uint8),
        ("kind", c_char_p),
        ("path", c_char_p),
        ("text", c_char_p),
        ("backends", c_char_p),
        ("why", c_char_p),
        ("origin", c_char_p),
        ("forbids", c_uint32),
    ]


class RefusedHost(Sized):
    _fields_ = [
        ("size", c_uint32),
        ("count", c_uint32),
        ("port", c_uint16),
        ("reason", c_uint16),
        ("reserved", c_uint32),
        ("why", c_char_p),
        ("name", c_char * 256),
    ]


class Event(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("kind", c_int32),
        ("pid", c_int32),
        ("fd", c_int32),
        ("signal", c_int32),
    ]


class Stream(ctypes.Structure):
    _fields_ = [("bytes", c_void_p), ("len", c_size_t), ("seen", c_uint64)]

    def data(self) -> bytes:
        return ctypes.string_at(self.bytes, self.len) if self.len else b""


class Outcome(Sized):
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


LogFunction = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_int, c_char_p)
EventFunction = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Event))

_error = POINTER(Error)
_out = POINTER(c_void_p)

# Name without omega_sandbox_, result, arguments.
_functions: List[Tuple[str, Any, List[Any]]] = [
    ("version", c_char_p, []),
    ("is_write_blocked", c_bool, [c_char_p, c_char_p]),
    ("is_read_blocked", c_bool, [c_char_p, c_char_p, c_char_p]),
    ("guard_new", c_int, [c_char_p, c_char_p, _out, _error]),
    ("guard_new_for_policy", c_int, [c_void_p, _out, _error]),
    (
        "guard_block",
        c_int,
        [c_void_p, c_uint, c_char_p, c_char_p, c_uint32, _error],
    ),
    ("guard_is_blocked", c_bool, [c_void_p, c_uint, c_char_p, POINTER(Verdict)]),
    (
        "open_checked",
        c_int,
        [
            c_void_p,
            c_char_p,
            c_int,
            c_uint32,
            POINTER(c_int),
            POINTER(Verdict),
            _error,
        ],
    ),
    ("guard_free", None, [c_void_p]),
    ("open", c_int, [c_char_p, LogFunction, c_void_p, _out, _error]),
    ("unref", None, [c_void_p]),
    (
        "get_section",
        c_int,
        [c_void_p, c_int, c_char_p, c_size_t, POINTER(Section), _error],
    ),
    ("policy_new", c_int, [c_void_p, c_char_p, _out, _error]),
    ("policy_unref", None, [c_void_p]),
    ("policy_set", c_int, [c_void_p, c_char_p, c_char_p, _error]),
    (
        "policy_judge",
        c_int,
        [c_void_p, c_void_p, c_uint, c_char_p, POINTER(Judgement), _error],
    ),
    ("describe", c_int, [c_void_p, _out, _error]),
    ("report_unref", None, [c_void_p]),
    ("report_get", c_int, [c_void_p, c_size_t, POINTER(Guarantee)]),
    ("report_get_verdict", c_int, [c_void_p, _error]),
    ("report_is_protected", c_bool, [c_void_p]),
    ("report_text", c_char_p, [c_void_p, c_int]),
    ("prepare", c_int, [c_void_p, _out, _error]),
    ("prepared_unref", None, [c_void_p]),
    ("prepared_report", c_void_p, [c_void_p]),
    (
        "prepared_get_refused",
        c_int,
        [c_void_p, c_size_t, POINTER(RefusedHost)],
    ),
    ("command_new", c_int, [c_void_p, c_char_p, _out, _error]),
    ("command_unref", None, [c_void_p]),
    ("command_add_arg", c_int, [c_void_p, c_char_p, _error]),
    ("command_set_env", c_int, [c_void_p, POINTER(c_char_p), _error]),
    ("command_set", c_int, [c_void_p, c_char_p, c_char_p, _error]),
    ("command_set_number", c_int, [c_void_p, c_char_p, c_uint64, _error]),
    ("command_set_events", c_int, [c_void_p, EventFunction, c_void_p, _error]),
    ("command_set_stdio", c_int, [c_void_p, c_int, c_int, c_int, _error]),
    ("command_pass_fd", c_int, [c_void_p, c_int, c_int, _error]),
    ("command_set_input", c_int, [c_void_p, c_char_p, c_size_t, _error]),
    ("command_cancel", c_int, [c_void_p]),
    ("run", c_int, [c_void_p, POINTER(Outcome), _error]),
    ("capture", c_int, [c_void_p, _out, _error]),
    ("result_get", c_int, [c_void_p, POINTER(Outcome)]),
    ("result_report", c_void_p, [c_void_p]),
    ("result_free", None, [c_void_p]),
]


def _by_pkg_config() -> Optional[str]:
    """Where a library is that was installed below some prefix."""
    try:
        told = subprocess.run(
            ["pkg-config", "--variable=libdir", "omega-sandbox"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
    place = os.path.join(os.fsdecode(told.stdout).strip(), NAME)
    return place if told.returncode == 0 and os.path.exists(place) else None


def _load() -> ctypes.CDLL:
    place = os.environ.get("OMEGA_SANDBOX_LIBRARY") or _by_pkg_config() or NAME
    try:
        return ctypes.CDLL(place)
    except OSError as error:
        raise ImportError(
            f"the library of omega-sandbox cannot be used: {error}. Install "
            "it, or have OMEGA_SANDBOX_LIBRARY name its file"
        ) from error


class Library:
    """The functions, without omega_sandbox_ before their names."""

    def __init__(self) -> None:
        library = _load()
        for name, result, arguments in _functions:
            try:
                function = getattr(library, "omega_sandbox_" + name)
            except AttributeError as error:
                raise ImportError(
                    f"the library of omega-sandbox is too old: {error}"
                ) from error
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


_library: Optional[Library] = None

# Held while the library reads configuration and prepares. Nobody forks
# meanwhile, so that in a child of fork none of the locks of the library that
# outlive this is held.
lock = threading.RLock()
# Held for moments, by whoever looks at what is kept. The other comes first.
keeping = threading.Lock()
_after_fork: List[Callable[[], None]] = []


def in_child_of_fork(function: Callable[[], None]) -> None:
    """Call this in every child that os.fork makes."""
    _after_fork.append(function)


def _forked() -> None:
    global lock, keeping
    lock = threading.RLock()
    keeping = threading.Lock()
    for function in _after_fork:
        function()


os.register_at_fork(
    before=lambda: (lock.acquire(), None)[1],
    after_in_parent=lambda: lock.release(),
    after_in_child=_forked,
)


def library() -> Library:
    global _library
    if _library is None:
        with lock:
            if _library is None:
                _library = Library()
    return _library


class Handle:
    """One reference to an object of the library.

    It is given up where it was made: in a child of fork it would take away
    from the parent what the object stands for.
    """

    __slots__ = ("pointer", "_free", "_pid", "__weakref__")

    def __init__(self, pointer: Any, free: Callable[[Any], Any]) -> None:
        self.pointer = pointer
        self._free = free
        self._pid = os.getpid()

    def __del__(self, getpid: Callable[[], int] = os.getpid) -> None:
        if self._pid == getpid():
            self._free(self.pointer)


Text = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def encode(text: Text) -> bytes:
    words = os.fsencode(text)
    if b"\0" in words:
        raise ValueError("embedded null byte")
    return words


def decode(words: Optional[bytes]) -> str:
    return "" if words is None else os.fsdecode(words)


def absolute(path: Text) -> bytes:
    """By its name from here, without following or taking away anything."""
    return os.path.join(os.getcwdb(), encode(path))


Values = Dict[str, Any]
