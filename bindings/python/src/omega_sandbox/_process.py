# SPDX-License-Identifier: MIT
# Copyright (C) 2026 the omega-sandbox authors
"""Commands, as subprocess has them: run to the end, or with pipes.

Each is run by a thread that is inside of the library until the last process of
the command has ended, which the library sees to.
"""

from __future__ import annotations

import _thread
import io
import locale
import os
import selectors
import signal
import subprocess
import threading
import time
import warnings
from ctypes import byref, c_char_p, c_void_p
from dataclasses import dataclass
from typing import (
    IO,
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    Optional,
    Tuple,
    Union,
    cast,
)

from . import _library
from ._errors import must
from ._library import Handle, absolute, encode, library
from ._options import AllPopenOptions, Arguments, Environment, File, Path
from ._policy import Policy, Ready, shared, split
from ._refused import Hosts, Refusal, hosts, refused, refused_host
from ._report import Report

if TYPE_CHECKING:
    from typing_extensions import Unpack

PIPE = subprocess.PIPE
STDOUT = subprocess.STDOUT
DEVNULL = subprocess.DEVNULL

_NO_TIMEOUT = 1 << 50  # the library has one where nobody says anything
_NO_BOUND = 1 << 62
_PIPE_CHUNK = 32768


@dataclass(frozen=True)
class Outcome:
    """What became of a command."""

    returncode: int  # as subprocess has it: a signal is negative
    protected: bool  # all required guarantees were enforced
    timed_out: bool
    cancelled: bool
    truncated: bool  # not all of a stream was kept
    core_dumped: bool
    left: int  # so many processes, or more, could not be ended
    duration: float  # seconds, until all processes had ended
    cpu: float  # seconds, of all processes
    peak_memory: int  # bytes, of the largest of them
    stdout_bytes: int  # so many were written, where they were collected
    stderr_bytes: int


def _outcome(end: _library.Outcome) -> Outcome:
    if end.status >= 0:
        returncode = end.status
    else:  # without a signal: it could not be ended
        returncode = -(end.signal or int(signal.SIGKILL))
    return Outcome(
        returncode=returncode,
        protected=bool(end.is_protected),
        timed_out=bool(end.is_timed_out),
        cancelled=bool(end.is_cancelled),
        truncated=bool(end.is_truncated),
        core_dumped=bool(end.is_core_dumped),
        left=end.left,
        duration=end.duration_ms / 1000,
        cpu=end.cpu_ms / 1000,
        peak_memory=end.peak_memory,
        stdout_bytes=end.out.seen,
        stderr_bytes=end.err.seen,
    )


class CompletedProcess(subprocess.CompletedProcess):  # type: ignore[type-arg]
    """As that of subprocess, with what the sandbox has to say."""

    def __init__(
        self,
        args: Arguments,
        outcome: Outcome,
        stdout: Any,
        stderr: Any,
        report: Report,
        look: Callable[[], Tuple[Refusal, ...]],
    ) -> None:
        super().__init__(args, outcome.returncode, stdout, stderr)
        self.outcome = outcome
        self.report = report
        self._look = look
        self._refused: Optional[Tuple[Refusal, ...]] = None

    @property
    def protected(self) -> bool:
        """Was every required guarantee enforced?"""
        return self.outcome.protected

    @property
    def refused(self) -> Tuple[Refusal, ...]:
        """What the policy has kept it from, as far as that is known."""
        if self._refused is None:
            self._refused = self._look()
        return self._refused

    def check_returncode(self) -> None:
        if self.returncode:
            raise CalledProcessError(self)


class CalledProcessError(subprocess.CalledProcessError):
    """The command has failed; result is what came of it."""

    def __init__(self, result: CompletedProcess) -> None:
        super().__init__(
            result.returncode, result.args, result.stdout, result.stderr
        )
        self.result = result


class TimeoutExpired(subprocess.TimeoutExpired):
    """Its time is over. Where result is there it was ended, with all of its
    processes, and result is what came of it."""

    def __init__(
        self,
        args: Any,
        timeout: float,
        output: Any = None,
        stderr: Any = None,
        result: Optional[CompletedProcess] = None,
    ) -> None:
        super().__init__(args, timeout, output, stderr)
        self.result = result


def _words(args: Arguments) -> List[bytes]:
    if isinstance(args, (str, bytes, os.PathLike)):
        return [encode(args)]
    words = [encode(word) for word in args]
    if not words:
        raise ValueError("a command is needed")
    return words


def _fd_of(file: Union[int, IO[Any]]) -> int:
    return file if isinstance(file, int) else file.fileno()


def _milliseconds(seconds: float) -> int:
    if seconds < 0:
        return 1
    return min(max(1, round(seconds * 1000)), _NO_TIMEOUT)


class _Codec:
    """Text or bytes, as subprocess decides that."""

    def __init__(
        self,
        text: Optional[bool],
        universal_newlines: Optional[bool],
        encoding: Optional[str],
        errors: Optional[str],
    ) -> None:
        self.is_text = bool(text or universal_newlines or encoding or errors)
        self.encoding = encoding or locale.getpreferredencoding(False)
        self.errors = errors or "strict"

    def decode(self, words: bytes) -> Any:
        if not self.is_text:
            return words
        text = words.decode(self.encoding, self.errors)
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def encode(self, text: Union[str, bytes]) -> bytes:
        if isinstance(text, str):
            if not self.is_text:
                raise TypeError("input is bytes unless text=True")
            return text.encode(self.encoding, self.errors)
        return bytes(text)


class _Process:
    """The process of a command, while it runs. Does not keep the command."""

    def __init__(self, functions: _library.Library, command: c_void_p) -> None:
        self._cancel = functions.command_cancel
        self._command = command
        self._lock = threading.Lock()  # for all below
        self._is_cancelled = False
        self._fd = -1
        self.pid = -1
        self.told: Optional[Callable[[], None]] = None

    def hear(self, arg: object, event: Any) -> int:
        """Called by the library, in the thread that runs the command."""
        kind = event.contents.kind
        with self._lock:
            if kind == _library.EVENT_STARTED:
                self.pid = event.contents.pid
                self._fd = event.contents.fd
            elif kind == _library.EVENT_ENDED:
                self._fd = -1
        if kind == _library.EVENT_STARTED:
            if self._is_cancelled:
                self._cancel(self._command)
            if self.told is not None:
                self.told()
        return 0

    def send_signal(self, number: int) -> None:
        with self._lock:
            if self._fd < 0:
                return
            try:
                signal.pidfd_send_signal(self._fd, number)
            except ProcessLookupError:
                pass

    def cancel(self) -> None:
        """End all of its processes, SIGTERM first. Does not wait. The command
        must be there still."""
        self._is_cancelled = True
        self._cancel(self._command)


def _here() -> bytes:
    try:
        return os.getcwdb()
    except FileNotFoundError:
        return b"/"


class Command:
    """A command of the library, and the call that runs it."""

    def __init__(
        self,
        policy: Policy,
        args: Arguments,
        *,
        cwd: Optional[Path],
        env: Optional[Environment],
        pass_fds: Iterable[int],
        timeout: Optional[float],
        grace: Optional[float],
        max_output: Optional[int],
        context: Optional[str],
    ) -> None:
        words = _words(args)
        self.ready: Ready = policy.prepared(cwd)
        self.cwd = None if cwd is None else absolute(cwd)
        self.here = _here()
        self.max_output = max_output
        self._error = _library.Error()
        self._library = library()
        found = c_void_p()
        self._must(
            self._library.command_new(
                self.ready.prepared.pointer,
                words[0],
                byref(found),
                byref(self._error),
            )
        )
        self._handle = Handle(found, self._library.command_unref)
        self.process = _Process(self._library, found)
        for word in words[1:]:
            self._call("add_arg", word)
        if self.cwd is not None:
            self._call("set", b"dir", self.cwd)
        if context is not None:
            self._call("set", b"context", encode(context))
        if env is not None:
            if any("=" in name for name in env):
                raise ValueError("illegal environment variable name")
            texts = [encode(name) + b"=" + encode(env[name]) for name in env]
            self._call("set_env", (c_char_p * (len(texts) + 1))(*texts, None))
        self._number(
            b"timeout_ms",
            _NO_TIMEOUT if timeout is None else _milliseconds(timeout),
        )
        if grace is not None:
            self._number(b"grace_ms", max(0, round(grace * 1000)))
        if max_output is not None:
            self._number(b"max_output", max_output)
        for fd in pass_fds:
            self._call("pass_fd", fd, fd)

    def _must(self, number: int) -> None:
        must(number, self._error)

    def _call(self, name: str, *args: Any) -> None:
        function = getattr(self._library, "command_" + name)
        self._must(function(self._handle.pointer, *args, byref(self._error)))

    def _number(self, name: bytes, value: int) -> None:
        self._call("set_number", name, value)

    def set_stdio(self, which: int, file: File) -> None:
        """What is neither collected nor a pipe."""
        if file is None:
            self._call("set_stdio", which, _library.STDIO_INHERIT, -1)
        elif file == DEVNULL:
            self._call("set_stdio", which, _library.STDIO_NULL, -1)
        else:
            self._call("set_stdio", which, _library.STDIO_FD, _fd_of(file))

    def set_input(self, words: bytes) -> None:
        self._call("set_input", words, len(words))

    def on_start(self, told: Callable[[], None]) -> None:
        """Have its process known while it runs, so that it can be ended."""
        self.process.told = told
        self._hear = _library.EventFunction(self.process.hear)
        self._call("set_events", self._hear, None)

    def run(self) -> Outcome:
        """To its end, with the streams it has."""
        end = _library.Outcome()
        error = _library.Error()
        must(
            self._library.run(self._handle.pointer, byref(end), byref(error)), error
        )
        return _outcome(end)

    def capture(self) -> Tuple[Outcome, bytes, bytes, Report]:
        """To its end, with the streams collected that are not set."""
        if self.max_output is None:
            self._number(b"max_output", _NO_BOUND)
        found = c_void_p()
        error = _library.Error()
        must(
            self._library.capture(self._handle.pointer, byref(found), byref(error)),
            error,
        )
        result = Handle(found, self._library.result_free)
        end = _library.Outcome()
        self._library.result_get(found, byref(end))
        report = Report(
            Handle(self._library.result_report(found), self._library.report_unref)
        )
        told = _outcome(end), end.out.data(), end.err.data(), report
        del result
        return told


class Run:
    """One command run to its end, here or in another thread."""

    def __init__(
        self,
        policy: Policy,
        args: Arguments,
        *,
        stdin: File = None,
        stdout: File = None,
        stderr: File = None,
        input: Union[None, str, bytes] = None,
        capture_output: bool = False,
        check: bool = False,
        text: Optional[bool] = None,
        universal_newlines: Optional[bool] = None,
        encoding: Optional[str] = None,
        errors: Optional[str] = None,
        cwd: Optional[Path] = None,
        env: Optional[Environment] = None,
        pass_fds: Iterable[int] = (),
        timeout: Optional[float] = None,
        grace: Optional[float] = None,
        max_output: Optional[int] = None,
        context: Optional[str] = None,
    ) -> None:
        if input is not None and stdin is not None:
            raise ValueError("stdin and input arguments may not both be used.")
        if stdin == PIPE:
            raise ValueError("stdin=PIPE is for Popen; here it is input")
        if capture_output:
            if stdout is not None or stderr is not None:
                raise ValueError(
                    "stdout and stderr arguments may not be used "
                    "with capture_output."
                )
            stdout = stderr = PIPE
        if stdout == STDOUT:
            raise ValueError("STDOUT is for stderr")
        self._args = args
        self._check = check
        self._timeout = timeout
        self._is_kept = (stdout == PIPE, stderr == PIPE)
        self._codec = _Codec(text, universal_newlines, encoding, errors)
        self._is_merged = stdout == PIPE and stderr == STDOUT
        self._collected = b""
        self._hosts: Hosts = []
        self.command = Command(
            policy,
            args,
            cwd=cwd,
            env=env,
            pass_fds=pass_fds,
            timeout=timeout,
            grace=grace,
            max_output=max_output,
            context=context,
        )
        if input is not None:
            self.command.set_input(self._codec.encode(input))
        else:
            self.command.set_stdio(0, stdin)
        if stderr == STDOUT:
            stderr = 1 if stdout is None else stdout
        if stdout != PIPE:
            self.command.set_stdio(1, stdout)
        if stderr != PIPE:
            self.command.set_stdio(2, stderr)

    def __call__(self) -> CompletedProcess:
        self._hosts = hosts(self.command.ready, [])
        if not self._is_merged:
            return self._judge(*self.command.capture())
        # Both streams in one, as they come.
        ours, theirs = os.pipe()
        with io.open(ours, "rb") as file:
            try:
                self.command.set_stdio(1, theirs)
                self.command.set_stdio(2, theirs)
                reader = threading.Thread(
                    target=lambda: setattr(self, "_collected", file.read()),
                    daemon=True,
                )
                reader.start()
                outcome, _, err, report = self.command.capture()
            finally:
                os.close(theirs)
            reader.join()
        return self._judge(outcome, self._collected, err, report)

    def _judge(
        self, outcome: Outcome, out: bytes, err: bytes, report: Report
    ) -> CompletedProcess:
        command = self.command
        ready, cwd = command.ready, command.cwd or command.here
        not_reached = hosts(ready, self._hosts)

        def look() -> Tuple[Refusal, ...]:
            found = [refused_host(ready, host) for host in not_reached]
            told = refused(err + b"\n" + out, ready, report, cwd)
            # What is known of hosts is better than what is said of them.
            found += [
                one for one in told if not found or one.access != "connect"
            ]
            return tuple(found)

        result = CompletedProcess(
            self._args,
            outcome,
            self._codec.decode(out) if self._is_kept[0] else None,
            self._codec.decode(err) if self._is_kept[1] else None,
            report,
            look,
        )
        if outcome.timed_out:
            raise TimeoutExpired(
                self._args,
                outcome.duration if self._timeout is None else self._timeout,
                result.stdout,
                result.stderr,
                result,
            )
        if self._check:
            result.check_returncode()
        return result


def run_here(call: Run) -> CompletedProcess:
    """Wait so that signals are heard: Ctrl-C ends the command."""
    if threading.current_thread() is not threading.main_thread():
        return call()
    done = _thread.allocate_lock()
    done.acquire()
    answer: List[CompletedProcess] = []
    failure: List[BaseException] = []

    def work() -> None:
        try:
            answer.append(call())
        except BaseException as error:
            failure.append(error)
        finally:
            done.release()

    call.command.on_start(lambda: None)
    try:
        try:
            _thread.start_new_thread(work, ())
        except RuntimeError:
            done.release()
            raise
        done.acquire()
    except BaseException:
        call.command.process.cancel()
        done.acquire()
        raise
    if failure:
        try:
            raise failure[0]
        finally:
            failure.clear()
    return answer[0]


class _End:
    """The end of a Popen, which its thread knows without keeping it."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.outcome: Optional[Outcome] = None
        self.failure: Optional[BaseException] = None
        self.told: List[Callable[[], None]] = []


class Popen:
    """A command that runs, as that of subprocess.

    When it ends, for whatever reason, all that it has started has ended, too;
    and so it is when this program ends.
    """

    args: Arguments
    stdin: Optional[IO[Any]]
    stdout: Optional[IO[Any]]
    stderr: Optional[IO[Any]]

    def __init__(self, args: Arguments, **options: Unpack[AllPopenOptions]) -> None:
        under, own = split(cast(Dict[str, Any], options))
        self._start(shared(under), args, **own)

    @classmethod
    def _under(cls, policy: Policy, args: Arguments, options: Dict[str, Any]) -> Popen:
        popen = cls.__new__(cls)
        popen._start(policy, args, **options)
        return popen

    def _start(
        self,
        policy: Policy,
        args: Arguments,
        *,
        bufsize: int = -1,
        stdin: File = None,
        stdout: File = None,
        stderr: File = None,
        text: Optional[bool] = None,
        universal_newlines: Optional[bool] = None,
        encoding: Optional[str] = None,
        errors: Optional[str] = None,
        cwd: Optional[Path] = None,
        env: Optional[Environment] = None,
        pass_fds: Iterable[int] = (),
        timeout: Optional[float] = None,
        grace: Optional[float] = None,
        max_output: Optional[int] = None,
        context: Optional[str] = None,
    ) -> None:
        self.args = args
        self.stdin = self.stdout = self.stderr = None
        self._codec = _Codec(text, universal_newlines, encoding, errors)
        self._bufsize = bufsize
        self._gathered: Dict[Any, List[bytes]] = {}
        self._unsent: Optional[memoryview] = None
        if stdout == STDOUT:
            raise ValueError("STDOUT is for stderr")
        self._command = Command(
            policy,
            args,
            cwd=cwd,
            env=env,
            pass_fds=pass_fds,
            timeout=timeout,
            grace=grace,
            max_output=max_output,
            context=context,
        )
        self._end = _End()
        theirs: List[int] = []
        ours: List[Tuple[int, int]] = []
        try:
            self._wire(stdin, stdout, stderr, theirs, ours)
            started = threading.Event()
            self._command.on_start(started.set)
            _thread.start_new_thread(
                _serve, (self._command, self._end, started)
            )
            started.wait()
        except BaseException:
            self._command.process.cancel()
            for _, fd in ours:
                os.close(fd)
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        if self._end.failure is not None and self._command.process.pid < 0:
            for _, fd in ours:
                os.close(fd)
            raise self._end.failure
        for which, fd in ours:
            self._open(which, fd)

    def _wire(
        self,
        stdin: File,
        stdout: File,
        stderr: File,
        theirs: List[int],
        ours: List[Tuple[int, int]],
    ) -> None:
        files: List[File] = [stdin, stdout, stderr]
        for which, file in enumerate(files):
            if file == PIPE:
                ends = os.pipe()
                ours.append((which, ends[which == 0]))
                theirs.append(ends[which != 0])
                files[which] = theirs[-1]
        if stderr == STDOUT:
            files[2] = 1 if files[1] is None else files[1]
        for which, file in enumerate(files):
            # Inherited ones are left as they are: a bound of the policy holds.
            if file is not None:
                self._command.set_stdio(which, file)

    def _open(self, which: int, fd: int) -> None:
        mode = "wb" if which == 0 else "rb"
        size = self._bufsize
        if size == 1 and self._codec.is_text:
            size = -1
        file: IO[Any] = io.open(fd, mode, size)
        if self._codec.is_text:
            file = io.TextIOWrapper(
                cast(IO[bytes], file),
                encoding=self._codec.encoding,
                errors=self._codec.errors,
                write_through=which == 0,
                line_buffering=which == 0 and self._bufsize == 1,
            )
        setattr(self, ("stdin", "stdout", "stderr")[which], file)

    # ---- As subprocess has it

    @property
    def pid(self) -> int:
        return self._command.process.pid

    @property
    def returncode(self) -> Optional[int]:
        return None if self._end.outcome is None else self._end.outcome.returncode

    @property
    def outcome(self) -> Optional[Outcome]:
        """What became of it; None while it runs."""
        return self._end.outcome

    @property
    def report(self) -> Report:
        """What is held for it."""
        return self._command.ready.report()

    def poll(self) -> Optional[int]:
        return self.returncode

    def wait(self, timeout: Optional[float] = None) -> int:
        if not self._end.done.wait(timeout):
            assert timeout is not None
            raise TimeoutExpired(self.args, timeout)
        if self._end.failure is not None:
            raise self._end.failure
        assert self._end.outcome is not None
        return self._end.outcome.returncode

    def send_signal(self, sig: int) -> None:
        """To its process alone."""
        self._command.process.send_signal(sig)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def cancel(self) -> None:
        """End all of its processes: SIGTERM, then SIGKILL. Does not wait."""
        if not self._end.done.is_set():
            self._command.process.cancel()

    def communicate(
        self, input: Union[None, str, bytes] = None, timeout: Optional[float] = None
    ) -> Tuple[Any, Any]:
        """As that of subprocess; nothing is lost when the time is over."""
        until = None if timeout is None else time.monotonic() + timeout
        if self._unsent is None and self.stdin is not None:
            try:
                self.stdin.flush()
            except BrokenPipeError:
                pass
            self._unsent = memoryview(
                b"" if input is None else self._codec.encode(input)
            )
        with selectors.DefaultSelector() as selector:
            for file in (self.stdout, self.stderr):
                if file is not None and not file.closed:
                    self._gathered.setdefault(file, [])
                    selector.register(file, selectors.EVENT_READ)
            if self.stdin is not None and not self.stdin.closed:
                if self._unsent:
                    os.set_blocking(self.stdin.fileno(), False)
                    selector.register(self.stdin, selectors.EVENT_WRITE)
                else:
                    self._close(self.stdin)
            while selector.get_map():
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    raise self._too_late(timeout)
                for key, _ in selector.select(left):
                    if self._serve(cast(IO[Any], key.fileobj)):
                        selector.unregister(key.fileobj)
                        self._close(cast(IO[Any], key.fileobj))
        left = None if until is None else max(0, until - time.monotonic())
        if not self._end.done.wait(left):
            raise self._too_late(timeout)
        self.wait()
        return self._got(self.stdout), self._got(self.stderr)

    def _too_late(self, timeout: Optional[float]) -> TimeoutExpired:
        out, err = (
            None if file is None else b"".join(self._gathered.get(file, []))
            for file in (self.stdout, self.stderr)
        )
        return TimeoutExpired(self.args, timeout or 0, out, err)

    def _serve(self, file: IO[Any]) -> bool:
        """True: it is over with this one."""
        if file is not self.stdin:
            chunk = os.read(file.fileno(), _PIPE_CHUNK)
            self._gathered[file].append(chunk)
            return not chunk
        assert self._unsent is not None
        try:
            done = os.write(file.fileno(), self._unsent[:_PIPE_CHUNK])
        except BlockingIOError:
            return False
        except BrokenPipeError:
            return True
        self._unsent = self._unsent[done:]
        return not self._unsent

    @staticmethod
    def _close(file: IO[Any]) -> None:
        try:
            file.close()
        except BrokenPipeError:
            pass

    def _got(self, file: Optional[IO[Any]]) -> Any:
        if file is None:
            return None
        return self._codec.decode(b"".join(self._gathered.get(file, [])))

    def __enter__(self) -> Popen:
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if kind is not None:
            self.cancel()
        for file in (self.stdin, self.stdout, self.stderr):
            if file is not None:
                self._close(file)
        self.wait()

    def __del__(self, warn: Callable[..., None] = warnings.warn) -> None:
        end = getattr(self, "_end", None)
        if end is not None and not end.done.is_set() and self.pid > 0:
            warn(
                f"{self.args!r} still runs, and is ended",
                ResourceWarning,
                source=self,
            )
            self._command.process.cancel()

    def __repr__(self) -> str:
        return f"<Popen: returncode: {self.returncode} args: {self.args!r}>"


def _serve(command: Command, end: _End, started: threading.Event) -> None:
    """The thread of a Popen."""
    try:
        end.outcome = command.run()
    except BaseException as error:
        end.failure = error
    finally:
        end.done.set()
        started.set()
        for tell in list(end.told):
            tell()
