# SPDX-License-Identifier: MIT
# Copyright (C) 2026 the omega-sandbox authors
"""Commands for asyncio. A task that is cancelled ends all of the processes of
the command it waits for, and has waited for their end when it goes on."""

from __future__ import annotations

import _thread
import asyncio
from typing import IO, Any, Callable, Dict, List, Optional, Tuple, TypeVar

from ._options import Arguments
from ._policy import Policy
from ._process import CompletedProcess, Outcome, Popen, Run
from ._report import Report

T = TypeVar("T")


def _in_thread(work: Callable[[], T]) -> asyncio.Future[T]:
    """In a thread of its own: what waits for commands must not wait for
    others that do."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def give(value: Optional[T], error: Optional[BaseException]) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(value)  # type: ignore[arg-type]

    def tell(value: Optional[T], error: Optional[BaseException]) -> None:
        try:
            loop.call_soon_threadsafe(give, value, error)
        except RuntimeError:
            pass  # the loop was closed meanwhile

    def do() -> None:
        try:
            value = work()
        except BaseException as error:
            tell(None, error)
        else:
            tell(value, None)

    _thread.start_new_thread(do, ())
    return future


async def _to_the_end(future: asyncio.Future[T]) -> None:
    """Wait for it whoever cancels us, and whatever comes of it."""
    while not future.done():
        try:
            await asyncio.wait({future})
        except asyncio.CancelledError:
            pass
    if not future.cancelled():
        future.exception()


async def run(
    policy: Policy, args: Arguments, options: Dict[str, Any]
) -> CompletedProcess:
    calls: List[Run] = []
    is_cancelled = False

    def work() -> Optional[CompletedProcess]:
        call = Run(policy, args, **options)
        call.command.on_start(lambda: None)
        calls.append(call)
        return None if is_cancelled else call()

    future = _in_thread(work)
    try:
        result = await asyncio.shield(future)
    except asyncio.CancelledError:
        is_cancelled = True
        for call in calls:
            call.command.process.cancel()
        await _to_the_end(future)
        raise
    assert result is not None
    return result


class AsyncProcess:
    """A command that runs, as asyncio.subprocess.Process."""

    stdin: Optional[asyncio.StreamWriter]
    stdout: Optional[asyncio.StreamReader]
    stderr: Optional[asyncio.StreamReader]

    def __init__(self, popen: Popen) -> None:
        self._popen = popen
        self._files = [popen.stdin, popen.stdout, popen.stderr]
        self._transports: List[asyncio.BaseTransport] = []
        self.stdin = None
        self.stdout = None
        self.stderr = None
        loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()

        def tell() -> None:
            try:
                loop.call_soon_threadsafe(self._ended.set)
            except RuntimeError:
                pass

        popen._end.told.append(tell)
        if popen._end.done.is_set():
            self._ended.set()

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()

        async def reader(file: IO[Any]) -> asyncio.StreamReader:
            stream = asyncio.StreamReader()
            transport, _ = await loop.connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(stream), file
            )
            self._transports.append(transport)
            self._files.remove(file)
            return stream

        popen = self._popen
        if popen.stdin is not None:
            transport, protocol = await loop.connect_write_pipe(
                lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()),
                popen.stdin,
            )
            self._transports.append(transport)
            self._files.remove(popen.stdin)
            self.stdin = asyncio.StreamWriter(transport, protocol, None, loop)
        if popen.stdout is not None:
            self.stdout = await reader(popen.stdout)
        if popen.stderr is not None:
            self.stderr = await reader(popen.stderr)

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def returncode(self) -> Optional[int]:
        return self._popen.returncode

    @property
    def outcome(self) -> Optional[Outcome]:
        return self._popen.outcome

    @property
    def report(self) -> Report:
        return self._popen.report

    def send_signal(self, signal: int) -> None:
        """To its process alone."""
        self._popen.send_signal(signal)

    def terminate(self) -> None:
        self._popen.terminate()

    def kill(self) -> None:
        self._popen.kill()

    def cancel(self) -> None:
        """End all of its processes: SIGTERM, then SIGKILL. Does not wait."""
        self._popen.cancel()

    async def wait(self) -> int:
        """Wait for its end. Who is cancelled meanwhile does not end it."""
        await self._ended.wait()
        return self._popen.wait()

    async def communicate(
        self, input: Optional[bytes] = None
    ) -> Tuple[Optional[bytes], Optional[bytes]]:
        """Send input, read all. Who is cancelled meanwhile ends it."""

        async def send() -> None:
            if self.stdin is None:
                return
            try:
                if input:
                    self.stdin.write(input)
                    await self.stdin.drain()
            except (BrokenPipeError, ConnectionResetError):
                pass
            self.stdin.close()

        async def read(stream: Optional[asyncio.StreamReader]) -> Optional[bytes]:
            return None if stream is None else await stream.read()

        try:
            _, out, err = await asyncio.gather(
                send(), read(self.stdout), read(self.stderr)
            )
            await self.wait()
        except asyncio.CancelledError:
            await self._close()
            raise
        return out, err

    async def _close(self) -> None:
        self.cancel()
        for transport in self._transports:
            transport.close()
        for file in self._files:
            if file is not None:
                file.close()
        while not self._ended.is_set():
            try:
                await self._ended.wait()
            except asyncio.CancelledError:
                pass

    async def __aenter__(self) -> AsyncProcess:
        return self

    async def __aexit__(self, kind: Any, value: Any, trace: Any) -> None:
        if kind is not None:
            await self._close()
            return
        try:
            if self.stdin is not None:
                self.stdin.close()
            await self.wait()
        finally:
            await self._close()

    def __repr__(self) -> str:
        return f"<AsyncProcess {self._popen!r}>"


async def popen(
    policy: Policy, args: Arguments, options: Dict[str, Any]
) -> AsyncProcess:
    future = _in_thread(lambda: Popen._under(policy, args, options))
    try:
        started = await asyncio.shield(future)
    except asyncio.CancelledError:
        await _to_the_end(future)
        if not future.cancelled() and future.exception() is None:
            await AsyncProcess(future.result())._close()
        raise
    process = AsyncProcess(started)
    try:
        await process._connect()
    except BaseException:
        await process._close()
        raise
    return process


