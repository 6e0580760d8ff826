# SPDX-License-Identifier: MIT
# Copyright (C) 2026 the omega-sandbox authors
"""What is held, by whom, and what is not."""

from __future__ import annotations

import enum
import json
from ctypes import byref
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from . import _library
from ._errors import SandboxError, exception
from ._library import Handle, decode, library


class State(enum.IntEnum):
    """Of a guarantee."""

    NOT_ENFORCED = 0
    PARTIAL = 1
    ENFORCED = 2


class Forbids(enum.IntFlag):
    """What a guarantee about a path forbids; ALL is that of other kinds."""

    READ = 0x01
    LIST = 0x02
    WRITE = 0x04
    CREATE = 0x08
    REMOVE = 0x10
    RENAME = 0x20
    CHANGE = 0x40
    ALL = 0x80


@dataclass(frozen=True)
class Guarantee:
    """One sentence of a report."""

    text: str  # "/etc cannot be changed"
    kind: str  # "path", "metadata", "network", ...
    path: Optional[str]
    state: State
    required: bool  # else it is hardening
    accepted: bool  # hardening that may be missing
    backends: Tuple[str, ...]  # who holds it
    why: str  # residue or reason, or ""
    origin: str  # what asked for it, or ""
    forbids: Forbids

    @property
    def enforced(self) -> bool:
        return self.state is State.ENFORCED


class Report:
    """The guarantees of a policy on this host, read when they are asked for."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._guarantees: Optional[Tuple[Guarantee, ...]] = None

    @property
    def protected(self) -> bool:
        """Is every required guarantee enforced?"""
        return bool(library().report_is_protected(self._handle.pointer))

    @property
    def verdict(self) -> Optional[SandboxError]:
        """Why no command would start; None: it would."""
        error = _library.Error()
        number = library().report_get_verdict(self._handle.pointer, byref(error))
        return None if number == 0 else exception(number, error)

    @property
    def guarantees(self) -> Tuple[Guarantee, ...]:
        if self._guarantees is None:
            self._guarantees = tuple(self._read())
        return self._guarantees

    def _read(self) -> List[Guarantee]:
        one = _library.Guarantee()
        found: List[Guarantee] = []
        get = library().report_get
        while get(self._handle.pointer, len(found), byref(one)) == 0:
            found.append(
                Guarantee(
                    text=decode(one.text),
                    kind=decode(one.kind),
                    path=None if one.path is None else decode(one.path),
                    state=State(one.state),
                    required=bool(one.is_required),
                    accepted=bool(one.is_accepted),
                    backends=tuple(
                        name for name in decode(one.backends).split(", ") if name
                    ),
                    why=decode(one.why),
                    origin=decode(one.origin),
                    forbids=Forbids(one.forbids),
                )
            )
        return found

    def as_dict(self) -> Dict[str, Any]:
        """As omega-sandbox describe --json has it."""
        text = library().report_text(self._handle.pointer, 1)
        value: Dict[str, Any] = json.loads(text.decode("utf-8", "replace"))
        return value

    def __str__(self) -> str:
        return decode(library().report_text(self._handle.pointer, 0))

    def __repr__(self) -> str:
        held = sum(one.enforced for one in self.guarantees)
        return (
            f"<Report protected={self.protected} "
            f"enforced={held}/{len(self.guarantees)}>"
        )
