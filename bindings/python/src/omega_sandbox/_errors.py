# SPDX-License-Identifier: MIT
# Copyright (C) 2026 the omega-sandbox authors
"""Exceptions, by the codes of the library (enum omega_sandbox_code)."""

from __future__ import annotations

from typing import Any, Dict, Tuple, Type

from ._library import Error, decode


class SandboxError(Exception):
    """Nothing was started, unless the subclass says otherwise.

    The attributes are those of struct omega_sandbox_error: number is its code,
    and code the name of that in small letters ("not_found").
    """

    code = "unknown"

    def __init__(
        self,
        text: str,
        *,
        number: int = 0,
        sys_errno: int = 0,
        file: str = "",
        line: int = 0,
        backend: str = "",
        atom: str = "",
    ) -> None:
        super().__init__(text)
        self.text = text
        self.number = number
        self.sys_errno = sys_errno
        self.file = file
        self.line = line
        self.backend = backend
        self.atom = atom
        if isinstance(self, OSError) and sys_errno != 0:
            setattr(self, "errno", sys_errno)
            setattr(self, "strerror", text)

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_again, (type(self), self.text, dict(self.__dict__)))


def _again(
    kind: Type[SandboxError], text: str, state: Dict[str, Any]
) -> SandboxError:
    """From a pickle."""
    state.pop("text", None)
    return kind(text, **state)


class ArgumentError(SandboxError, ValueError):
    """A senseless argument: the caller's bug."""

    code = "argument"


class InvalidPolicyError(SandboxError, ValueError):
    """A path or rule that cannot be held as it is written."""

    code = "invalid_policy"


class RefusedError(SandboxError, PermissionError):
    """A rule forbids what was asked for, or the sandbox is disabled."""

    code = "refused"


class SystemFailedError(SandboxError, OSError):
    """The system failed; sys_errno says how."""

    code = "system"


class OutOfMemoryError(SandboxError, MemoryError):
    code = "memory"


class ConfigError(SandboxError):
    """A configuration file is wrong; file and line say where."""

    code = "config"


class TrustError(SandboxError):
    """A file belongs to somebody who must not decide for us."""

    code = "trust"


class PluginError(SandboxError):
    """A plugin is missing, broken or made for another version."""

    code = "plugin"


class UnavailableError(SandboxError):
    """A named backend cannot be used on this host."""

    code = "unavailable"


class RequiredError(SandboxError):
    """A guarantee that the policy asks for cannot be given on this host."""

    code = "required"


class NotFoundError(SandboxError, FileNotFoundError):
    """The program was not found."""

    code = "not_found"


class NotExecutableError(SandboxError, PermissionError):
    """The program was found but cannot be executed."""

    code = "not_executable"


class StepError(SandboxError):
    """A step of the child failed."""

    code = "step"


class StateError(SandboxError):
    """Not possible in the state that the process or object is in."""

    code = "state"


class StatusLostError(SandboxError):
    """How the command ended is not known."""

    code = "status_lost"


class WitnessError(SandboxError):
    """The child has looked at its sandbox and found a hole."""

    code = "witness"


_by_number: Dict[int, Type[SandboxError]] = {
    -1: ArgumentError,
    -2: InvalidPolicyError,
    -3: RefusedError,
    -4: SystemFailedError,
    -5: OutOfMemoryError,
    -6: ConfigError,
    -7: TrustError,
    -8: PluginError,
    -9: UnavailableError,
    -10: RequiredError,
    -11: NotFoundError,
    -12: NotExecutableError,
    -13: StepError,
    -14: StateError,
    -15: StatusLostError,
    -16: WitnessError,
}


def exception(number: int, error: Error) -> SandboxError:
    """What the library has said, as an exception."""
    return _by_number.get(number, SandboxError)(
        decode(error.text) or f"omega-sandbox failed ({number})",
        number=number,
        sys_errno=error.sys_errno,
        file=decode(error.file),
        line=error.line,
        backend=decode(error.backend),
        atom=decode(error.atom),
    )


def must(number: int, error: Error) -> None:
    if number < 0:
        raise exception(number, error)
