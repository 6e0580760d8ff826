# SPDX-License-Identifier: MIT
# Copyright (C) 2026 the omega-sandbox authors
"""What a host calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, cast

from . import _async
from ._async import AsyncProcess
from ._library import decode, library
from ._options import (
    AllCommandOptions,
    AllRunOptions,
    Arguments,
    CommandOptions,
    PolicyOptions,
    PopenOptions,
    RunOptions,
)
from ._policy import Policy, shared, split
from ._process import CompletedProcess, Popen, Run, run_here
from ._report import Report

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Sandbox(Policy):
    """A policy of the system, and what the caller takes away from it or adds.

    It is made ready by the first command and kept for all others. Any number
    of threads may use it. In a child of fork it makes itself ready again.
    """

    def run(
        self, args: Arguments, **options: Unpack[RunOptions]
    ) -> CompletedProcess:
        """Run a command to its end, with all of its processes."""
        return run_here(Run(self, args, **options))

    def popen(self, args: Arguments, **options: Unpack[PopenOptions]) -> Popen:
        """Start a command."""
        return Popen._under(self, args, cast(Dict[str, Any], options))

    async def run_async(
        self, args: Arguments, **options: Unpack[RunOptions]
    ) -> CompletedProcess:
        """As run. Who is cancelled ends the command with all processes."""
        return await _async.run(self, args, cast(Dict[str, Any], options))

    async def popen_async(
        self, args: Arguments, **options: Unpack[CommandOptions]
    ) -> AsyncProcess:
        """Start a command, with the streams of asyncio."""
        return await _async.popen(self, args, cast(Dict[str, Any], options))


def run(args: Arguments, **options: Unpack[AllRunOptions]) -> CompletedProcess:
    """As subprocess.run, in a sandbox or not at all.

    Its options, those of the policy (PolicyOptions), and grace, max_output and
    context. Without timeout and max_output there is no such limit but the
    system's. When the time is over, all of its processes have ended.
    """
    under, own = split(cast(Dict[str, Any], options))
    return run_here(Run(shared(under), args, **own))


async def run_async(
    args: Arguments, **options: Unpack[AllRunOptions]
) -> CompletedProcess:
    """As run. Who is cancelled ends the command with all processes."""
    under, own = split(cast(Dict[str, Any], options))
    return await _async.run(shared(under), args, own)


async def popen_async(
    args: Arguments, **options: Unpack[AllCommandOptions]
) -> AsyncProcess:
    """Start a command, with the streams of asyncio."""
    under, own = split(cast(Dict[str, Any], options))
    return await _async.popen(shared(under), args, own)


def describe(**options: Unpack[PolicyOptions]) -> Report:
    """What would be held, by whom, and what not. Nothing is started."""
    return Policy(**options).describe()


def library_version() -> str:
    """Of the C library."""
    return decode(library().version())
