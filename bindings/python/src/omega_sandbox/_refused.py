# SPDX-License-Identifier: MIT
# Copyright (C) 2026 the omega-sandbox authors
"""What a command was kept from, as far as that is known.

Of hosts the library tells. Of all else it does not, so the lines that a command
has written are looked through for those that complain, and what they name is
judged by the policy. A command that is silent about it, or whose output was not
captured, has no refusals here; "omega-sandbox run --why" looks at the calls
themselves.
"""

from __future__ import annotations

import os
import re
from ctypes import byref
from dataclasses import dataclass
from typing import Iterator, List, Set, Tuple

from . import _library
from ._guard import Access
from ._library import decode, library
from ._policy import Ready, guard_of
from ._report import Report

_DENIED = re.compile(
    rb"permission denied|read-only file system|operation not permitted"
    rb"|\bE(?:ACCES|ROFS|PERM)\b",
    re.IGNORECASE,
)
_ABSENT = re.compile(rb"no such file|\bENOENT\b", re.IGNORECASE)
_CUT_OFF = re.compile(
    rb"network is unreachable|could ?n.t resolve|could not resolve"
    rb"|name resolution|name or service not known|unable to resolve"
    rb"|bad address|\bE(?:NETUNREACH|AI_AGAIN|AI_NONAME)\b",
    re.IGNORECASE,
)
# In quotes, or "cannot create x".
_NAMED = re.compile(
    rb"'([^']+)'|\"([^\"]+)\"|\xe2\x80\x98(.+?)\xe2\x80\x99"
    rb"|cannot (?:[a-z]+ )+([^\s:]+)"
)
_LINES = 200


@dataclass(frozen=True)
class Refusal:
    """One thing that the policy has kept a command from."""

    access: str  # "read", "write", "execute", "connect"
    path: str  # or "HOST:PORT", "HOST", "" where it is not known
    rule: str  # as written
    origin: str  # "built in" or the file the rule is from, or ""
    line: int  # of origin, or 0
    guarantee: str  # the sentence of the report about it, or ""
    said: str  # the line of output that complains, or why it was refused


def _names(line: bytes, cwd: bytes) -> Iterator[bytes]:
    """What a line may name, from the directory of the command."""
    is_absent = _ABSENT.search(line) is not None
    words = [(one, True) for found in _NAMED.findall(line) for one in found if one]
    for part in re.split(rb":(?:\s|$)", line):
        part = part.strip()
        words.append((part, False))
        words.append((part.rpartition(b" ")[2].strip(b"'\""), False))
    for word, is_named in words:
        if not word or len(word) >= 4096 or b"\0" in word:
            continue
        path = os.path.join(cwd, word)
        # Words are names where they are used like one, or there is such a file.
        if os.path.lexists(path) or (
            not is_absent and (is_named or word.startswith(b"/"))
        ):
            yield path


Hosts = List[Tuple[str, int, int, int, str]]


def hosts(ready: Ready, before: Hosts) -> Hosts:
    """Name, port, how often, code and reason of those that commands did not
    reach, since then. Others that run at the same time are not told apart."""
    one = _library.RefusedHost()
    found: Hosts = []
    get = library().prepared_get_refused
    while get(ready.prepared.pointer, len(found), byref(one)) == 0:
        name, why = decode(one.name), decode(one.why)
        found.append((name, one.port, one.count, one.reason, why))
    # Fewer than before: by another helper.
    return [
        host
        for i, host in enumerate(found)
        if i >= len(before) or before[i][2] != host[2]
    ]


def refused_host(ready: Ready, host: Tuple[str, int, int, int, str]) -> Refusal:
    name, port, _, reason, why = host
    judgement = _library.Judgement()
    rule, origin, line = "hosts", "", 0
    if reason <= _library.HOST_PORT:
        with _library.lock:
            number = library().policy_judge(
                ready.policy.pointer,
                None,
                _library.CONNECT,
                f"{name}:{port or 443}".encode(),
                byref(judgement),
                None,
            )
        if number == 0 and not judgement.is_allowed:
            rule, origin = decode(judgement.rule), decode(judgement.origin)
            line = judgement.line
    path = f"{name}:{port}" if port else name
    return Refusal("connect", path, rule, origin, line, "", why)


def refused(
    output: bytes, ready: Ready, report: Report, cwd: bytes
) -> Tuple[Refusal, ...]:
    found: List[Refusal] = []
    known: Set[bytes] = set()
    guard = None
    judgement = _library.Judgement()
    count = 0
    for line in output.splitlines():
        is_cut_off = _CUT_OFF.search(line) is not None
        if not (is_cut_off or _DENIED.search(line) or _ABSENT.search(line)):
            continue
        count += 1
        if count > _LINES:
            break
        if is_cut_off and b"" not in known:
            for one in report.guarantees:
                if one.kind in ("network", "hosts") and one.enforced:
                    known.add(b"")
                    found.append(
                        Refusal(
                            "connect", "", one.kind, one.origin, 0, one.text,
                            decode(line),
                        )
                    )
                    break
        if is_cut_off:
            continue
        guard = guard or guard_of(ready.policy)
        for path in _names(line, cwd):
            if path in known:
                continue
            known.add(path)
            for access in (Access.READ, Access.WRITE, Access.EXECUTE):
                if not guard.is_blocked(path, access):
                    continue
                with _library.lock:
                    number = library().policy_judge(
                        ready.policy.pointer,
                        report._handle.pointer,
                        int(access),
                        path,
                        byref(judgement),
                        None,
                    )
                if number < 0 or judgement.is_allowed or not judgement.rule:
                    continue
                found.append(
                    Refusal(
                        str(access.name).lower(),
                        decode(path),
                        decode(judgement.rule),
                        decode(judgement.origin),
                        judgement.line,
                        decode(judgement.guarantee),
                        decode(line),
                    )
                )
                break
    return tuple(found)
