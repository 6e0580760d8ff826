# SPDX-License-Identifier: MIT
# Copyright (C) 2026 the omega-sandbox authors
"""Commands in a sandbox, or not at all; as familiar as subprocess.

>>> import omega_sandbox
>>> omega_sandbox.run(["echo", "hello"], capture_output=True, text=True).stdout
'hello\\n'

README.md has more, and sandbox.conf(5) the rules of policies. The library is
the installed one: OMEGA_SANDBOX_LIBRARY names another file, pkg-config one
below another prefix; OMEGA_SANDBOX_CONFIG another configuration.
"""

from ._async import AsyncProcess
from ._errors import (
    ArgumentError,
    ConfigError,
    InvalidPolicyError,
    NotExecutableError,
    NotFoundError,
    OutOfMemoryError,
    PluginError,
    RefusedError,
    RequiredError,
    SandboxError,
    StateError,
    StatusLostError,
    StepError,
    SystemFailedError,
    TrustError,
    UnavailableError,
    WitnessError,
)
from ._guard import (
    Access,
    Guard,
    Reason,
    Verdict,
    is_read_blocked,
    is_write_blocked,
)
from ._options import (
    CommandOptions,
    Limits,
    Paths,
    PolicyOptions,
    PopenOptions,
    RunOptions,
)
from ._policy import forget
from ._process import (
    DEVNULL,
    PIPE,
    STDOUT,
    CalledProcessError,
    CompletedProcess,
    Outcome,
    Popen,
    TimeoutExpired,
)
from ._refused import Refusal
from ._report import Forbids, Guarantee, Report, State
from ._sandbox import (
    Sandbox,
    describe,
    library_version,
    popen_async,
    run,
    run_async,
)

__version__ = "0.1.0"

__all__ = [
    "DEVNULL",
    "PIPE",
    "STDOUT",
    "Access",
    "ArgumentError",
    "AsyncProcess",
    "CalledProcessError",
    "CommandOptions",
    "CompletedProcess",
    "ConfigError",
    "Forbids",
    "Guarantee",
    "Guard",
    "InvalidPolicyError",
    "Limits",
    "NotExecutableError",
    "NotFoundError",
    "Outcome",
    "OutOfMemoryError",
    "Paths",
    "PluginError",
    "PolicyOptions",
    "Popen",
    "PopenOptions",
    "Reason",
    "Refusal",
    "RefusedError",
    "Report",
    "RequiredError",
    "RunOptions",
    "Sandbox",
    "SandboxError",
    "State",
    "StateError",
    "StatusLostError",
    "StepError",
    "SystemFailedError",
    "TimeoutExpired",
    "TrustError",
    "UnavailableError",
    "Verdict",
    "WitnessError",
    "describe",
    "forget",
    "is_read_blocked",
    "is_write_blocked",
    "library_version",
    "popen_async",
    "run",
    "run_async",
]
