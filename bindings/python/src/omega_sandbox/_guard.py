# SPDX-License-Identifier: MIT
# Copyright (C) 2026 the omega-sandbox authors
"""Path checks, for tools that run inside of the host itself."""

from __future__ import annotations

import enum
import io
import os
from ctypes import byref, c_int, c_void_p
from dataclasses import dataclass
from typing import IO, Any, Dict, Optional, Union

from . import _library
from ._errors import exception, must
from ._library import Handle, Text, absolute, decode, encode, library


class Access(enum.IntFlag):
    """Kinds of access; wherever one is expected its name does, too."""

    READ = 1
    WRITE = 2
    EXECUTE = 4


class Reason(enum.IntEnum):
    """Why a guard answered as it did."""

    NOT_BLOCKED = 0
    BY_NAME = 1
    BY_RESOLVED_NAME = 2
    BY_MOUNT = 3
    BY_HARD_LINK = 4
    BY_FOLDED_NAME = 5
    UNDECIDED = 6
    BY_LIST = 7


@dataclass(frozen=True)
class Verdict:
    """A guard's answer with its reason."""

    path: str
    blocked: bool
    reason: Reason
    rule: str  # as written, or ""
    origin: str  # "built in" or the file the rule is from, or ""
    line: int  # of origin, or 0
    resolved: str  # where the path leads, or "" if that is unknown
    sys_errno: int  # for UNDECIDED


_names: Dict[str, Access] = {
    "read": Access.READ,
    "write": Access.WRITE,
    "execute": Access.EXECUTE,
}


def _access(access: Union[Access, str]) -> int:
    if isinstance(access, str):
        if access not in _names:
            raise ValueError(f"access is read, write or execute, not {access!r}")
        return int(_names[access])
    return int(access)


class Guard:
    """May a tool inside of this program touch a path?

    For the agent's data directory, and its configuration file if that lies
    elsewhere; Sandbox.guard makes one that judges by a policy. Any number of
    threads may ask; children of fork, too.
    """

    def __init__(self, data_dir: Text, config_path: Optional[Text] = None) -> None:
        error = _library.Error()
        pointer = c_void_p()
        must(
            library().guard_new(
                encode(data_dir),
                None if config_path is None else encode(config_path),
                byref(pointer),
                byref(error),
            ),
            error,
        )
        self._handle = Handle(pointer, library().guard_free)

    @classmethod
    def _of(cls, handle: Handle) -> Guard:
        guard = cls.__new__(cls)
        guard._handle = handle
        return guard

    def block(
        self,
        path: Text,
        access: Union[Access, str] = Access.READ | Access.WRITE,
        *,
        origin: Optional[str] = None,
        line: int = 0,
    ) -> None:
        """Block path and what is below it. Not while others ask."""
        error = _library.Error()
        must(
            library().guard_block(
                self._handle.pointer,
                _access(access),
                encode(path),
                None if origin is None else encode(origin),
                line,
                byref(error),
            ),
            error,
        )

    def check(self, path: Text, access: Union[Access, str] = "read") -> Verdict:
        """Is any of the accesses blocked, and why?"""
        verdict = _library.Verdict()
        name = absolute(path)
        blocked = library().guard_is_blocked(
            self._handle.pointer, _access(access), name, byref(verdict)
        )
        return _verdict(name, blocked, verdict)

    def is_blocked(self, path: Text, access: Union[Access, str] = "read") -> bool:
        return bool(
            library().guard_is_blocked(
                self._handle.pointer, _access(access), absolute(path), None
            )
        )

    def open_fd(self, path: Text, flags: int, mode: int = 0o666) -> int:
        """As os.open; between the judgement and the descriptor nothing can be
        exchanged. RefusedError is a PermissionError, and its verdict says
        why; what else fails is the OSError that os.open would raise."""
        error = _library.Error()
        verdict = _library.Verdict()
        fd = c_int(-1)
        name = absolute(path)
        number = library().open_checked(
            self._handle.pointer,
            name,
            flags & ~os.O_CLOEXEC,
            mode,
            byref(fd),
            byref(verdict),
            byref(error),
        )
        if number == -4 and error.sys_errno != 0:
            raise OSError(
                error.sys_errno, os.strerror(error.sys_errno), decode(name)
            )
        if number < 0:
            failed = exception(number, error)
            setattr(failed, "verdict", _verdict(name, True, verdict))
            raise failed
        return fd.value

    def open(
        self,
        path: Text,
        mode: str = "r",
        buffering: int = -1,
        encoding: Optional[str] = None,
        errors: Optional[str] = None,
        newline: Optional[str] = None,
    ) -> IO[Any]:
        """As the open of Python, for paths that the guard does not block."""

        def opener(name: Any, flags: int) -> int:
            return self.open_fd(name, flags)

        return io.open(
            os.fspath(path),
            mode,
            buffering,
            encoding,
            errors,
            newline,
            opener=opener,
        )


def _verdict(path: bytes, blocked: bool, verdict: _library.Verdict) -> Verdict:
    return Verdict(
        path=decode(path),
        blocked=blocked,
        reason=Reason(verdict.reason),
        rule=decode(verdict.rule),
        origin=decode(verdict.origin),
        line=verdict.line,
        resolved=decode(verdict.resolved),
        sys_errno=verdict.sys_errno,
    )


def is_write_blocked(path: Text, data_dir: Text) -> bool:
    """The check from nothing: no configuration, no object."""
    return bool(library().is_write_blocked(encode(path), encode(data_dir)))


def is_read_blocked(
    path: Text, data_dir: Text, config_path: Optional[Text] = None
) -> bool:
    return bool(
        library().is_read_blocked(
            encode(path),
            encode(data_dir),
            None if config_path is None else encode(config_path),
        )
    )
