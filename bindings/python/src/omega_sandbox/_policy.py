# SPDX-License-Identifier: MIT
# Copyright (C) 2026 the omega-sandbox authors
"""Policies that are made ready once and kept, for any number of commands."""

from __future__ import annotations

import logging
import os
import pwd
import weakref
from collections import OrderedDict
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union, cast

from . import _library
from ._errors import ArgumentError, must
from ._guard import Guard
from ._library import Handle, Text, absolute, decode, encode, library
from ._options import PolicyOptions
from ._report import Report

if TYPE_CHECKING:
    from typing_extensions import Unpack

# So many are kept, as omega-sandbox rpc does: each has descriptors.
KEPT = 32

_log = logging.getLogger("omega_sandbox")
_levels = {3: logging.ERROR, 4: logging.WARNING, 5: logging.INFO, 6: logging.INFO}


def _told(arg: object, level: int, code: int, text: bytes) -> None:
    _log.log(_levels.get(level, logging.DEBUG), "%s", decode(text))


_told_function = _library.LogFunction(_told)
_sandboxes: Dict[Optional[bytes], Handle] = {}


def _open(config: Optional[bytes]) -> Handle:
    """The configuration, read once. Under the lock."""
    if config not in _sandboxes:
        error = _library.Error()
        pointer = c_void_p()
        must(
            library().open(
                config, _told_function, None, byref(pointer), byref(error)
            ),
            error,
        )
        _sandboxes[config] = Handle(pointer, library().unref)
    return _sandboxes[config]


class Ready:
    """A policy, prepared."""

    __slots__ = ("policy", "prepared")

    def __init__(self, policy: Handle, prepared: Handle) -> None:
        self.policy = policy
        self.prepared = prepared

    def report(self) -> Report:
        return Report(
            Handle(
                library().prepared_report(self.prepared.pointer),
                library().report_unref,
            )
        )


_TEXTS = ("agent", "network", "unix_sockets", "session")
_GRANTS = ("allow_read", "allow_write", "allow_execute", "allow_hosts")
_PATHS = ("read", "write", "execute", "deny", "deny_read", "deny_write")
_LIMITS = ("memory", "processes", "open_files", "cpu_seconds", "file_size")
_KNOWN = frozenset(PolicyOptions.__annotations__)


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return encode(str(value) if isinstance(value, int) else value)


def _place(path: Any) -> bytes:
    """Paths may be given from here, but for those that say from where."""
    words = encode(path)
    if words[:1] in (b"", b"~", b"{", b"@"):
        return words
    return absolute(words)


def _listed(name: str, values: Any) -> List[Any]:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} is a list")
    return list(values)


def _settings(options: PolicyOptions) -> List[Tuple[str, bytes]]:
    """Names and values for the library, in the order of the tool."""
    all_of: Dict[str, Any] = {
        name: value for name, value in options.items() if value is not None
    }
    found: List[Tuple[str, bytes]] = []

    def add_list(name: str, values: Any, is_path: bool) -> None:
        texts = [
            _place(one) if is_path else _value(one) for one in _listed(name, values)
        ]
        # Nothing is on a list of what is allowed.
        if not texts and not name.startswith(("deny", "allow_")):
            texts = [b""]
        found.extend((name, text) for text in texts)

    if "policy_file" in all_of:
        found.append(("policy_file", absolute(all_of["policy_file"])))
    for name in _GRANTS:
        if name in all_of:
            add_list(name, all_of[name], name != "allow_hosts")
    found.extend((name, _value(all_of[name])) for name in _TEXTS if name in all_of)
    if "hosts" in all_of:
        add_list("hosts", all_of["hosts"], False)
    for name, values in all_of.get("paths", {}).items():
        if name not in _PATHS:
            raise TypeError(f"there is no list of paths {name!r}")
        add_list(name, values, True)
    for name, value in all_of.get("set", {}).items():
        if isinstance(value, (str, int)):
            found.append((name, _value(value)))
        else:
            add_list(name, value, False)
    for name, value in all_of.get("limits", {}).items():
        if name not in _LIMITS:
            raise TypeError(f"there is no limit {name!r}")
        found.append(("max_" + name, _value(value)))
    if "data_dir" in all_of:
        data_dir = os.path.expanduser(encode(all_of["data_dir"]))
        found.append(
            ("data_dir", data_dir if data_dir == b"none" else absolute(data_dir))
        )
    if "backend" in all_of:
        found.append(("backend", _value(all_of["backend"])))
    if all_of.get("witness"):
        found.append(("witness", b"true"))
    return found


def _is_too_much(place: bytes) -> bool:
    """A home, / and a whole file system are a work directory only where
    somebody says so, as for the tool."""
    try:
        st = os.stat(place)
        homes = [os.environ.get("HOME", "")]
        try:
            homes.append(pwd.getpwuid(st.st_uid).pw_dir)
        except KeyError:
            pass
        for home in homes:
            if home and os.path.exists(home) and os.path.samefile(home, place):
                return True
        return os.path.ismount(place)
    except OSError:
        return True


_kept: OrderedDict[
    Tuple[int, Optional[bytes]], weakref.ref[Policy]
] = OrderedDict()


class Policy:
    """What is to be protected, made ready for each work directory."""

    def __init__(self, **options: Unpack[PolicyOptions]) -> None:
        for name in options:
            # A misspelt limit must not be none.
            if name not in _KNOWN:
                raise TypeError(f"there is no option {name!r}")
        config = options.get("config") or os.environ.get("OMEGA_SANDBOX_CONFIG")
        work_dir = options.get("work_dir")
        self._config = None if config is None else absolute(config)
        self._tier = options.get("tier")
        self._name = options.get("policy")
        if self._name is not None and options.get("policy_file") is not None:
            raise ArgumentError("policy and policy_file both name the policy")
        self._work_dir = None if work_dir is None else encode(work_dir)
        if self._work_dir not in (None, b"none"):
            self._work_dir = absolute(cast(bytes, self._work_dir))
        self._settings = _settings(options)
        self._ready: Dict[Optional[bytes], Ready] = {}
        self._pid = os.getpid()

    def _new_policy(self, work_dir: Optional[bytes]) -> Handle:
        """Under the lock."""
        sandbox = _open(self._config)
        error = _library.Error()
        name = None if self._name is None else encode(self._name)
        settings = self._settings
        if self._tier is not None:
            tier = _library.Section()
            must(
                library().get_section(
                    sandbox.pointer,
                    _library.SECTION_TIER,
                    encode(self._tier),
                    0,
                    byref(tier),
                    byref(error),
                ),
                error,
            )
            name = tier.policy
            # The configuration says that this tier needs no sandbox.
            if not tier.is_sandboxed:
                settings = [*settings, ("backend", b"noop")]
        pointer = c_void_p()
        must(
            library().policy_new(sandbox.pointer, name, byref(pointer), byref(error)),
            error,
        )
        policy = Handle(pointer, library().policy_unref)
        if work_dir is not None:
            settings = [("work_dir", work_dir), *settings]
        for option, value in settings:
            must(
                library().policy_set(pointer, option.encode(), value, byref(error)),
                error,
            )
        return policy

    def _work_dir_for(self, cwd: Optional[Text]) -> Optional[bytes]:
        if self._work_dir is not None:
            return self._work_dir
        try:
            return absolute(b"" if cwd is None else cwd).rstrip(b"/") or b"/"
        except FileNotFoundError:
            return None

    def _named_work_dir(self, work_dir: Optional[bytes]) -> Optional[bytes]:
        if self._work_dir is None and (
            work_dir is None
            or not os.access(work_dir, os.X_OK)
            or _is_too_much(work_dir)
        ):
            return None
        return work_dir

    def prepared(self, cwd: Optional[Text] = None) -> Ready:
        """For a command in this directory."""
        work_dir = self._work_dir_for(cwd)
        ready = self._find(work_dir)
        if ready is not None:
            return ready
        with _library.lock:
            ready = self._find(work_dir)  # others have done it meanwhile
            if ready is not None:
                return ready
            policy = self._new_policy(self._named_work_dir(work_dir))
            error = _library.Error()
            pointer = c_void_p()
            must(
                library().prepare(policy.pointer, byref(pointer), byref(error)),
                error,
            )
            ready = Ready(policy, Handle(pointer, library().prepared_unref))
            self._keep(work_dir, ready)
            return ready

    def _find(self, work_dir: Optional[bytes]) -> Optional[Ready]:
        with _library.keeping:
            if self._pid != os.getpid():  # what there is is the parent's
                self._ready = {}
                self._pid = os.getpid()
            ready = self._ready.get(work_dir)
            if (id(self), work_dir) in _kept:
                _kept.move_to_end((id(self), work_dir))
            return ready

    def _keep(self, work_dir: Optional[bytes], ready: Ready) -> None:
        """Those that were not used for longest go."""
        gone = []
        with _library.keeping:
            self._ready[work_dir] = ready
            _kept[(id(self), work_dir)] = weakref.ref(self)
            while len(_kept) > KEPT:
                (_, oldest), of = _kept.popitem(last=False)
                policy = of()
                if policy is not None:
                    gone.append(policy._ready.pop(oldest, None))

    def describe(self) -> Report:
        """What would be held, by whom, and what not. Nothing is started."""
        with _library.lock:
            policy = self._new_policy(self._named_work_dir(self._work_dir_for(None)))
            error = _library.Error()
            pointer = c_void_p()
            must(
                library().describe(policy.pointer, byref(pointer), byref(error)),
                error,
            )
        return Report(Handle(pointer, library().report_unref))

    def guard(self) -> Guard:
        """A guard that judges as this policy has it."""
        with _library.lock:
            policy = self._new_policy(self._named_work_dir(self._work_dir_for(None)))
            return guard_of(policy)


def guard_of(policy: Handle) -> Guard:
    error = _library.Error()
    pointer = c_void_p()
    must(
        library().guard_new_for_policy(policy.pointer, byref(pointer), byref(error)),
        error,
    )
    return Guard._of(Handle(pointer, library().guard_free))


Key = Tuple[Tuple[str, str], ...]
_policies: OrderedDict[Key, Policy] = OrderedDict()


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def shared(options: Union[PolicyOptions, Dict[str, Any]]) -> Policy:
    """The one that all calls with these options have in common."""
    key = tuple(sorted((name, repr(value)) for name, value in options.items()))
    key += (
        ("OMEGA_SANDBOX_CONFIG", os.environ.get("OMEGA_SANDBOX_CONFIG", "")),
        ("cwd", _here() if options else ""),  # paths are named from here
    )
    gone = []
    with _library.keeping:
        policy = _policies.get(key)
        if policy is None:
            policy = Policy(**options)
            _policies[key] = policy
            while len(_policies) > KEPT:
                gone.append(_policies.popitem(last=False))
        else:
            _policies.move_to_end(key)
        return policy


def forget() -> None:
    """Drop what is kept: configuration is read anew by the next call."""
    with _library.lock, _library.keeping:
        gone = [_sandboxes.copy(), _policies.copy(), _kept.copy()]
        _sandboxes.clear()
        _policies.clear()
        _kept.clear()
    del gone


def split(options: Dict[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Those of the policy, and the others."""
    under = {name: value for name, value in options.items() if name in _KNOWN}
    return under, {name: options[name] for name in options if name not in _KNOWN}


_library.in_child_of_fork(forget)
