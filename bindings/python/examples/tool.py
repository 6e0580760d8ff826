# SPDX-License-Identifier: MIT
"""A tool for an agent, in the shape that LangChain and its like take: a name,
a description, a schema, and a coroutine that answers with a text."""

import os
from typing import Any, Dict

from omega_sandbox import SandboxError, TimeoutExpired, run_async


class Shell:
    name = "shell"
    description = "Run a shell command in the work directory, without network."
    args_schema: Dict[str, Any] = {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    }

    def __init__(self, work_dir: str = "", timeout: float = 60) -> None:
        self.cwd = work_dir or os.getcwd()
        self.timeout = timeout

    async def ainvoke(self, arguments: Dict[str, str]) -> str:
        try:
            end = await run_async(
                ["sh", "-c", arguments["command"]], policy="tool", cwd=self.cwd,
                timeout=self.timeout, max_output=30_000, capture_output=True,
                text=True,
            )
        except (SandboxError, TimeoutExpired) as error:
            return f"refused: {error}"
        why = "".join(f"[{one.path}: {one.guarantee}]" for one in end.refused)
        return f"{end.stdout}{end.stderr}{why}[exit {end.returncode}]"
