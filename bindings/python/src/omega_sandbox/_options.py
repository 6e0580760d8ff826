# SPDX-License-Identifier: MIT
# Copyright (C) 2026 the omega-sandbox authors
"""What may be said when a command is run, by name."""

from __future__ import annotations

from os import PathLike
from typing import (
    IO,
    Any,
    Iterable,
    Literal,
    Mapping,
    Optional,
    Sequence,
    TypedDict,
    Union,
)

Path = Union[str, "PathLike[str]"]
Rule = Union[str, int, bool, Sequence[Union[str, int]]]
Arguments = Union[str, "PathLike[str]", Sequence[Union[str, bytes, "PathLike[str]"]]]
File = Union[None, int, IO[Any]]
Environment = Mapping[str, str]


class Paths(TypedDict, total=False):
    """Lists of sandbox.conf(5): what a list does not have is refused."""

    read: Sequence[Path]
    write: Sequence[Path]
    execute: Sequence[Path]
    deny: Sequence[Path]
    deny_read: Sequence[Path]
    deny_write: Sequence[Path]


class Limits(TypedDict, total=False):
    memory: int  # bytes, of each process
    processes: int
    open_files: int
    cpu_seconds: int
    file_size: int  # bytes of a file that is written


class PolicyOptions(TypedDict, total=False):
    """Under which policy."""

    config: Optional[Path]  # instead of the installed configuration
    policy: Optional[str]
    policy_file: Optional[Path]  # in place of policy
    tier: Optional[str]  # of trust, which names its policy
    agent: Optional[str]  # the profile of an agent program
    backend: Optional[str]  # comma-separated; "noop" protects nothing
    data_dir: Optional[Path]  # the agent's, which no command reads or changes
    work_dir: Optional[Path]  # what policies call {work_dir}; else the cwd
    network: Optional[Literal["allow", "unix-only", "deny"]]
    hosts: Optional[Sequence[str]]  # that can be reached, nothing else outside
    unix_sockets: Optional[Literal["all", "own", "none"]]
    session: Optional[Literal["new", "pty", "keep"]]
    witness: bool  # have the child try its sandbox before it begins
    # What the policy does not list, and nobody's floor forbids.
    allow_read: Sequence[Path]
    allow_write: Sequence[Path]
    allow_execute: Sequence[Path]
    allow_hosts: Sequence[str]
    paths: Paths
    limits: Limits
    # Any other rules of a policy, by their names in sandbox.conf(5).
    set: Mapping[str, Rule]


class CommandOptions(TypedDict, total=False):
    """Of one command; those of subprocess mean the same."""

    stdin: File
    stdout: File
    stderr: File
    cwd: Optional[Path]
    env: Optional[Environment]  # secrets are taken out in any case
    pass_fds: Iterable[int]
    timeout: Optional[float]  # seconds, then all of its processes are ended
    grace: Optional[float]  # seconds between SIGTERM and SIGKILL
    max_output: Optional[int]  # bytes of both streams together that are kept
    context: Optional[str]  # words for the audit log


class TextOptions(CommandOptions, total=False):
    text: Optional[bool]
    universal_newlines: Optional[bool]
    encoding: Optional[str]
    errors: Optional[str]


class RunOptions(TextOptions, total=False):
    input: Union[None, str, bytes]
    capture_output: bool
    check: bool


class PopenOptions(TextOptions, total=False):
    bufsize: int


class AllRunOptions(RunOptions, PolicyOptions, total=False):
    """Of omega_sandbox.run."""


class AllPopenOptions(PopenOptions, PolicyOptions, total=False):
    """Of omega_sandbox.Popen."""


class AllCommandOptions(CommandOptions, PolicyOptions, total=False):
    """Of omega_sandbox.popen_async."""
