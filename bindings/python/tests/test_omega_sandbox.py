#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The package as hosts use it, against the library that it finds.

The configuration must have the policies tool, mcp and shut.
OMEGA_TEST_DATA_DIR has the file data/secret, OMEGA_TEST_RUNS says how often
something that may leak is done. By itself it prints TAP.
"""

import asyncio
import contextlib
import doctest
import gc
import json
import logging
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import traceback
import unittest
import warnings
import zipfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional

HERE = Path(__file__).resolve().parent.parent
if "OMEGA_TEST_INSTALLED" not in os.environ:
    sys.path.insert(0, str(HERE / "src"))

import omega_sandbox as ours  # noqa: E402
from omega_sandbox import _errors, _library  # noqa: E402
from omega_sandbox import DEVNULL, PIPE, STDOUT, Popen, Sandbox, run  # noqa: E402

DATA_DIR = os.environ.get("OMEGA_TEST_DATA_DIR", "")
RUNS = int(os.environ.get("OMEGA_TEST_RUNS", "300"))
SOURCES = str(Path(ours.__file__).parent.parent)


def with_word(word: str) -> List[int]:
    """Who has this word as an argument?"""
    found = []
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            words = Path("/proc", entry, "cmdline").read_bytes().split(b"\0")
            if entry.isdigit() and word.encode() in words:
                found.append(int(entry))
    return found


def until(is_so: Callable[[], object], what: str) -> None:
    for _ in range(1200):
        if is_so():
            return
        time.sleep(0.05)
    raise AssertionError(f"it never came to it: {what}")


def program(text: str, *args: str, **options: Any) -> "subprocess.Popen[str]":
    """Another host."""
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    return subprocess.Popen(
        [sys.executable, "-X", "dev", "-c", text, *args],
        env=environment,
        text=True,
        **options,
    )


class Test(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = tempfile.mkdtemp(prefix="python-")
        self.addCleanup(shutil.rmtree, self.scratch, True)

    def word(self) -> str:
        """Of a sleep that nobody else has."""
        return f"600.{os.getpid()}{id(self) % 100000}"


class Cases(Test):
    """The table that C, rpc and every binding agree on."""

    def test_the_cases_that_bindings_share(self) -> None:
        file = HERE.parent / "cases.json"
        if not file.exists():
            self.skipTest("cases.json is not beside us")
        table = json.loads(file.read_text().replace("@DATA_DIR@", DATA_DIR))
        self.assertGreater(len(table["cases"]), 20)
        for case in table["cases"]:
            with self.subTest(case["name"]):
                self.check(case["request"], case["expect"])

    def check(self, request: Dict[str, Any], expect: Dict[str, Any]) -> None:
        options = dict(request)
        argv = options.pop("argv")
        limits = options.pop("limits", {})
        options["limits"] = {
            name: value
            for name, value in limits.items()
            if name not in ("timeout_ms", "grace_ms", "max_output")
        }
        for name in ("timeout", "grace"):
            if name + "_ms" in limits:
                options[name] = limits[name + "_ms"] / 1000
        options["max_output"] = limits.get("max_output")
        if "stdin" in options:
            options["input"] = options.pop("stdin")
        else:
            options["stdin"] = DEVNULL
        try:
            end = run(argv, capture_output=True, encoding="utf-8", **options)
        except ours.TimeoutExpired as error:
            assert error.result is not None
            end = error.result
        except ours.SandboxError as error:
            self.assertEqual(error.code, expect.get("code"), str(error))
            return
        self.assertNotIn("code", expect)
        code = end.returncode
        told = {
            "exit": code if code >= 0 and not end.outcome.timed_out else None,
            "signal": -code if code < 0 else None,
            "stdout": end.stdout,
            "stderr": end.stderr,
            "sandbox_applied": end.protected,
            "timed_out": end.outcome.timed_out,
            "truncated": end.outcome.truncated,
            "stdout_bytes": end.outcome.stdout_bytes,
        }
        for name, value in expect.items():
            self.assertEqual(told[name], value, name)


class Runs(Test):
    def test_bytes_and_text(self) -> None:
        say = ["sh", "-c", "printf '\\377\\0'; cat"]
        self.assertEqual(
            run(say, input=b"x", capture_output=True).stdout, b"\xff\0x"
        )
        end = run(say, stdin=DEVNULL, stdout=PIPE, encoding="latin-1")
        self.assertEqual((end.stdout, end.stderr), ("\xff\0", None))
        end = run(["printf", "a\\r\\nb\\rc"], capture_output=True, text=True)
        self.assertEqual(end.stdout, "a\nb\nc")
        with self.assertRaises(UnicodeDecodeError):
            run(say, stdin=DEVNULL, capture_output=True, encoding="utf-8")
        with self.assertRaises(TypeError):
            run(["cat"], input="text")
        text = b"abc" * (3 << 20)
        own = subprocess.run(["cksum"], input=text, stdout=PIPE)
        self.assertEqual(run(["cksum"], input=text, stdout=PIPE).stdout, own.stdout)
        self.assertEqual(run(["true"], input=text).returncode, 0)  # reads none

    def test_more_than_the_library_keeps_by_itself(self) -> None:
        size = 3 << 20
        end = run(["head", "-c", str(size), "/dev/zero"], stdout=PIPE)
        self.assertEqual(len(end.stdout), size)
        self.assertFalse(end.outcome.truncated)

    def test_streams(self) -> None:
        both = ["sh", "-c", "echo out; echo err >&2"]
        end = run(both, stdout=PIPE, stderr=STDOUT)
        self.assertEqual((end.stdout, end.stderr), (b"out\nerr\n", None))
        with open(os.path.join(self.scratch, "file"), "w+b") as file:
            end = run(both, stdout=file, stderr=STDOUT)
            file.seek(0)
            self.assertEqual(file.read(), b"out\nerr\n")
        self.assertEqual((end.stdout, end.stderr), (None, None))
        end = run(both, stdout=DEVNULL, stderr=PIPE)
        self.assertEqual((end.stdout, end.stderr), (None, b"err\n"))
        # Inherited, all three.
        text = (
            "import omega_sandbox as o;"
            "o.run(['sh', '-c', 'cat; echo err >&2']);"
            "o.run(['sh', '-c', 'echo both'], stderr=o.STDOUT)"
        )
        host = program(text, stdin=PIPE, stdout=PIPE, stderr=PIPE)
        self.assertEqual(host.communicate("in\n"), ("in\nboth\n", "err\n"))

    def test_what_is_not_to_be_misunderstood(self) -> None:
        wrong: List[Dict[str, Any]] = [
            {"timeuot": 5},
            {"limits": {"memroy": 5}},
            {"paths": {"raed": []}},
            {"hosts": "example.org"},
            {"shell": True},
        ]
        for options in wrong:
            with self.assertRaises(TypeError, msg=str(options)):
                run(["true"], **options)
        commands: List[List[str]] = [["a\0b"], ["true", "\0"], [], [""]]
        for words in commands:
            with self.assertRaises(ValueError, msg=str(words)):
                run(words)
        clashes: List[Dict[str, Any]] = [
            {"input": b"", "stdin": DEVNULL},
            {"capture_output": True, "stdout": PIPE},
            {"stdin": PIPE},
            {"env": {"A=B": ""}},
            {"policy": "shut", "policy_file": "/x"},
        ]
        for options in clashes:
            with self.assertRaises(ValueError, msg=str(options)):
                run(["true"], **options)

    def test_what_subprocess_says(self) -> None:
        with self.assertRaises(subprocess.CalledProcessError) as failed:
            run(["sh", "-c", "echo x; exit 4"], check=True, stdout=PIPE)
        self.assertEqual(failed.exception.returncode, 4)
        self.assertEqual(failed.exception.stdout, b"x\n")
        error: Any = failed.exception
        self.assertTrue(error.result.protected)
        with self.assertRaises(subprocess.TimeoutExpired) as late:
            run(["sh", "-c", "echo x; sleep 600"], timeout=0.5, stdout=PIPE)
        self.assertEqual(late.exception.stdout, b"x\n")
        self.assertEqual(late.exception.timeout, 0.5)
        with self.assertRaises(FileNotFoundError):
            run(["no-such-program"])
        with self.assertRaises(PermissionError):
            run(["/etc/passwd"])
        self.assertIsInstance(run("true"), subprocess.CompletedProcess)
        self.assertEqual(run(Path("/bin/true")).returncode, 0)

    def test_all_of_its_processes_end_with_it(self) -> None:
        word = self.word()
        end = run(["sh", "-c", f"setsid sleep {word} & exit 3"])
        self.assertEqual(end.returncode, 3)
        self.assertEqual(with_word(word), [])
        with self.assertRaises(subprocess.TimeoutExpired):
            run(["sh", "-c", f"setsid sleep {word} & sleep {word}"], timeout=0.3)
        self.assertEqual(with_word(word), [])

    def test_the_work_directory(self) -> None:
        def write(**options: Any) -> int:
            return run(
                ["sh", "-c", f": >{self.scratch}/x"],
                stderr=DEVNULL,
                paths={"write": ["{work_dir}"]},
                **options,
            ).returncode

        self.assertEqual(write(cwd=self.scratch), 0)
        self.assertEqual(write(cwd="/", work_dir=self.scratch), 0)
        self.assertNotEqual(write(cwd="/usr"), 0)
        # A home only where somebody says so.
        home = os.environ.get("HOME")
        os.environ["HOME"] = self.scratch
        try:
            ours.forget()
            with self.assertRaises(ours.InvalidPolicyError):
                write(cwd=self.scratch)
            self.assertEqual(write(cwd=self.scratch, work_dir=self.scratch), 0)
        finally:
            ours.forget()
            os.environ.pop("HOME")
            if home is not None:
                os.environ["HOME"] = home

    def test_grants(self) -> None:
        words = ["sh", "-c", f": >{self.scratch}/x"]
        options: Any = {"policy": "shut", "stderr": DEVNULL}
        self.assertNotEqual(run(words, **options).returncode, 0)
        options["allow_write"] = [Path(self.scratch)]
        self.assertEqual(run(words, **options).returncode, 0)

    def test_descriptors(self) -> None:
        ours_end, theirs = os.pipe()
        try:
            run(["sh", "-c", f"echo x >&{theirs}"], pass_fds=[theirs])
            self.assertEqual(os.read(ours_end, 10), b"x\n")
            end = run(["sh", "-c", f"echo x >&{theirs}"], stderr=DEVNULL)
            self.assertNotEqual(end.returncode, 0)
        finally:
            os.close(ours_end)
            os.close(theirs)

    def test_what_was_refused(self) -> None:
        end = run(
            [
                "sh",
                "-c",
                f"echo >/etc/motd; cat {DATA_DIR}/data/secret /no/such;"
                "cat /etc/passwd",
            ],
            data_dir=DATA_DIR,
            capture_output=True,
        )
        found = [(one.access, one.path) for one in end.refused]
        self.assertEqual(
            found,
            [("write", "/etc/motd"), ("read", f"{DATA_DIR}/data/secret")],
            end.stderr,
        )
        self.assertEqual(end.refused[0].rule, "/etc")
        self.assertIn("cannot be changed", end.refused[0].guarantee)
        end = run(["sh", "-c", ": >motd"], cwd="/etc", capture_output=True)
        self.assertEqual([one.path for one in end.refused], ["/etc/motd"])
        self.assertEqual(run(["true"], capture_output=True).refused, ())
        end = run(
            [sys.executable, "-c", "import socket\n"
             "socket.create_connection(('192.0.2.1', 80), 5)"],
            capture_output=True, network="deny",
        )
        self.assertEqual([one.access for one in end.refused], ["connect"])
        for _ in range(2):
            end = run(
                [sys.executable, "-c", "import socket\n"
                 "socket.create_connection(('other.test', 443), 5)"],
                stderr=DEVNULL, hosts=["one.test"],
            )
            found = [(one.access, one.path) for one in end.refused]
            self.assertEqual(found, [("connect", "other.test")])
            self.assertIn("list", end.refused[0].said)
        end = run(["true"], hosts=["one.test"])
        self.assertEqual(end.refused, ())

    def test_control_c_ends_it(self) -> None:
        word = self.word()
        text = (
            "import omega_sandbox as o, signal, sys\n"
            # Whoever starts tests in the background has it ignored.
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "try: o.run(['sh', '-c', 'setsid sleep $1 & sleep $1', 'sh',"
            " sys.argv[1]])\n"
            "except KeyboardInterrupt: print('interrupted')"
        )
        host = program(text, word, stdout=PIPE)
        until(lambda: len(with_word(word)) >= 4, "it has started")
        host.send_signal(signal.SIGINT)
        self.assertEqual(host.communicate(timeout=60)[0], "interrupted\n")
        self.assertEqual(host.returncode, 0)
        self.assertEqual(with_word(word), [])

    def test_a_host_that_is_killed_leaves_nothing(self) -> None:
        word = self.word()
        for how in ("o.run", "o.Popen"):
            text = (
                f"import omega_sandbox as o, sys, time\n"
                f"p = {how}(['sleep', sys.argv[1]])\ntime.sleep(600)"
            )
            host = program(text, word)
            until(lambda: len(with_word(word)) >= 2, "it has started")
            host.kill()
            host.wait()
            until(lambda: not with_word(word), "it has ended")

    def test_a_host_that_ends_leaves_nothing(self) -> None:
        word = self.word()
        text = (
            "import omega_sandbox as o, sys\n"
            "p = o.Popen(['sleep', sys.argv[1]])\nprint(p.pid > 0)"
        )
        host = program(text, word, stdout=PIPE, stderr=PIPE)
        self.assertEqual(host.communicate()[0], "True\n")
        until(lambda: not with_word(word), "it has ended")

    def test_the_log(self) -> None:
        with self.assertLogs("omega_sandbox", logging.WARNING):
            run(["pwd"], cwd=f"{DATA_DIR}/data", data_dir=DATA_DIR, stdout=DEVNULL)


class Errors(Test):
    def test_by_their_codes(self) -> None:
        self.assertEqual(ours.NotFoundError("x").code, "not_found")
        with self.assertRaises(ours.NotFoundError) as failed:
            run(["no-such-program"])
        error = failed.exception
        self.assertEqual((error.number, error.sys_errno), (-11, error.errno))
        self.assertIn("no-such-program", str(error))
        again = pickle.loads(pickle.dumps(error))
        self.assertIs(type(again), ours.NotFoundError)
        self.assertEqual(str(again), str(error))
        self.assertEqual(again.__dict__, error.__dict__)
        self.assertEqual(again.errno, error.errno)
        with self.assertRaises(ours.InvalidPolicyError):
            run(["true"], policy="no-such-policy")
        with self.assertRaises(ours.NotFoundError):
            run(["true"], tier="no-such-tier")
        with self.assertRaises(ours.InvalidPolicyError):
            run(["true"], data_dir="/etc")
        place = os.path.join(self.scratch, "sandbox.conf")
        Path(place).write_text("\nnonsense = 1\n")
        with self.assertRaises(ours.SandboxError) as wrong:
            Sandbox(config=place).run(["true"])
        self.assertEqual((wrong.exception.file, wrong.exception.line), (place, 2))
        with self.assertRaises(ours.SandboxError):
            Sandbox(config="/no/such/file").run(["true"])

    def test_no_library(self) -> None:
        text = "import omega_sandbox as o\ntry: o.run(['true'])\n" \
            "except ImportError as e: print(e)"
        for place, wanted in (
            ("/no/such", "/no/such"),
            ("libc.so.6", "too old"),  # without any of the functions
        ):
            environment = {"OMEGA_SANDBOX_LIBRARY": place, "PYTHONPATH": SOURCES}
            told = subprocess.run(
                [sys.executable, "-c", text], env=environment, stdout=PIPE, text=True
            )
            self.assertIn(wanted, told.stdout)


class Pipes(Test):
    def test_as_subprocess_has_it(self) -> None:
        words = ["sh", "-c", 'read x; echo "got $x"; cat >&2; exit 6']
        with Popen(words, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True) as child:
            assert child.stdin and child.stdout and child.stderr
            self.assertGreater(child.pid, 0)
            child.stdin.write("one\n")
            child.stdin.flush()
            self.assertEqual(child.stdout.readline(), "got one\n")
            self.assertIsNone(child.poll())
            with self.assertRaises(subprocess.TimeoutExpired):
                child.wait(0.05)
            child.stdin.write("two")
            child.stdin.close()
            self.assertEqual(child.stderr.read(), "two")
            self.assertEqual(child.wait(), 6)
        self.assertEqual((child.poll(), child.returncode), (6, 6))
        assert child.outcome is not None
        self.assertTrue(child.outcome.protected)
        self.assertTrue(child.report.protected)
        child.kill()  # it has ended: nothing happens
        self.assertIn("returncode: 6", repr(child))

    def test_communicate(self) -> None:
        data = os.urandom(1 << 20)
        both = (
            "import sys; x = sys.stdin.buffer.read();"
            "sys.stdout.buffer.write(x); sys.stderr.buffer.write(x)"
        )
        words = [sys.executable, "-c", both]
        child = Popen(words, stdin=PIPE, stdout=PIPE, stderr=PIPE)
        self.assertEqual(child.communicate(data), (data, data))
        child = Popen(["true"], stdin=PIPE)
        self.assertEqual(child.communicate(data), (None, None))
        # Nothing is lost when the time is over.
        child = Popen(
            ["sh", "-c", "echo one; cat; sleep 0.7; echo two"],
            stdin=PIPE, stdout=PIPE, text=True,
        )
        with self.assertRaises(subprocess.TimeoutExpired) as late:
            child.communicate("in\n", timeout=0.3)
        self.assertIn(b"one\n", late.exception.stdout or b"")
        self.assertEqual(child.communicate(), ("one\nin\ntwo\n", None))

    def test_signals(self) -> None:
        words = ["sh", "-c", "trap 'echo usr' USR1; echo go; while :; do "
                 "sleep 0.05; done"]
        with Popen(words, stdout=PIPE) as child:
            assert child.stdout
            self.assertEqual(child.stdout.readline(), b"go\n")
            child.send_signal(signal.SIGUSR1)
            self.assertEqual(child.stdout.readline(), b"usr\n")
            child.terminate()
            self.assertEqual(child.wait(), -signal.SIGTERM)
        with Popen(["sleep", "600"]) as child:
            child.kill()
            self.assertEqual(child.wait(), -signal.SIGKILL)

    def test_the_ways_to_end_all_of_it(self) -> None:
        word = self.word()
        words = ["sh", "-c", f"setsid sleep {word} & sleep {word}"]

        def start(**options: Any) -> Popen:
            child = Popen(words, **options)
            until(lambda: len(with_word(word)) >= 2, "it has started")
            return child

        child = start()
        child.cancel()
        child.wait()
        assert child.outcome is not None
        self.assertTrue(child.outcome.cancelled)
        self.assertEqual(with_word(word), [])
        with self.assertRaises(ZeroDivisionError), start(stdin=PIPE):
            raise ZeroDivisionError
        self.assertEqual(with_word(word), [])
        start(timeout=0.5).wait()
        self.assertEqual(with_word(word), [])
        child = start()
        child.kill()
        child.wait()
        self.assertEqual(with_word(word), [])
        child = start()
        with self.assertWarns(ResourceWarning):
            del child
            gc.collect()
        until(lambda: not with_word(word), "it has ended")

    def test_what_cannot_be_started(self) -> None:
        before: List[str] = []
        for i in range(4):
            if i == 1:  # what is kept of the policies is there
                before = os.listdir("/proc/self/fd")
            with self.assertRaises(ours.NotFoundError):
                Popen(["no-such-program"], stdin=PIPE, stdout=PIPE)
            with self.assertRaises(ours.StepError):
                Popen(["true"], cwd="/no/such", stdin=PIPE, stdout=PIPE)
        self.assertEqual(len(os.listdir("/proc/self/fd")), len(before))

    def test_streams(self) -> None:
        child = Popen(
            ["sh", "-c", "echo out; echo err >&2"], stdout=PIPE, stderr=STDOUT
        )
        self.assertEqual(child.communicate()[0], b"out\nerr\n")
        child = Popen(["cat"], stdin=DEVNULL, stdout=PIPE)
        self.assertEqual(child.communicate()[0], b"")
        # What the other one has open does not keep this one's from its end.
        with Popen(["cat"], stdin=PIPE, stdout=PIPE) as first:
            with Popen(["cat"], stdin=PIPE, stdout=PIPE) as second:
                self.assertEqual(first.communicate(b"x")[0], b"x")
                self.assertEqual(second.communicate(b"y")[0], b"y")


class Threads(Test):
    def test_many_at_a_time(self) -> None:
        sandbox = Sandbox()
        wrong: List[object] = []

        def work(number: int) -> None:
            for i in range(5):
                words = ["sh", "-c", f"echo {number}.{i}"]
                end = sandbox.run(words, capture_output=True, text=True)
                if end.stdout != f"{number}.{i}\n":
                    wrong.append(end)
                child = sandbox.popen(["cat"], stdin=PIPE, stdout=PIPE)
                if child.communicate(b"x" * number) != (b"x" * number, None):
                    wrong.append(child)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_others_go_on_meanwhile(self) -> None:
        done = threading.Event()

        def work() -> None:
            run(["sleep", "1"])
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        count = 0
        while not done.is_set():
            count += 1
            time.sleep(0.01)
        thread.join()
        self.assertGreater(count, 5)

    def test_fork(self) -> None:
        sandbox = Sandbox()
        sandbox.run(["true"])
        is_over = threading.Event()

        def work() -> None:
            while not is_over.is_set():
                sandbox.run(["true"])
                Sandbox().run(["true"])

        thread = threading.Thread(target=work)
        thread.start()
        try:
            for _ in range(5):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DeprecationWarning)
                    pid = os.fork()
                if pid == 0:
                    code = 1
                    try:
                        ends = [
                            sandbox.run(["sh", "-c", "exit 3"]),
                            run(["sh", "-c", "exit 3"]),
                        ]
                        if all(e.returncode == 3 and e.protected for e in ends):
                            code = 0
                    finally:
                        os._exit(code)
                self.assertEqual(os.waitpid(pid, 0)[1], 0)
        finally:
            is_over.set()
            thread.join()
        self.assertEqual(sandbox.run(["sh", "-c", "exit 4"]).returncode, 4)

    def test_nothing_is_left(self) -> None:
        sandbox = Sandbox()

        async def one(i: int) -> None:
            if i % 2:
                await sandbox.run_async(["true"], capture_output=True)
                return
            process = await sandbox.popen_async(["cat"], stdin=PIPE, stdout=PIPE)
            await process.communicate(b"x")

        async def batch(count: int) -> None:
            for begin in range(0, count, 5):
                await asyncio.gather(*(one(i) for i in range(begin, begin + 5)))

        def use(count: int) -> None:
            for i in range(count):
                if i % 5:
                    sandbox.run(["true"], capture_output=i % 2 > 0)
                elif i % 2:
                    with Popen(["cat"], stdin=PIPE, stdout=PIPE) as child:
                        child.communicate(b"x")
                else:
                    with contextlib.suppress(FileNotFoundError):
                        run(["no-such-program"])
            asyncio.run(batch(count // 5))

        def counted() -> Dict[str, object]:
            gc.collect()
            with open(f"/proc/self/task/{os.getpid()}/children") as file:
                children = len(file.read().split())
            return {
                "descriptors": len(os.listdir("/proc/self/fd")),
                "threads": len(os.listdir("/proc/self/task")),
                "children": children,
            }

        use(20)
        before = counted()
        use(RUNS)
        until(lambda: counted() == before, f"{counted()} is {before}")
        print(f"# {RUNS} runs: {before}")


class Asyncio(Test):
    def test_run(self) -> None:
        async def main() -> None:
            ends = await asyncio.gather(
                *(
                    ours.run_async(["echo", str(i)], stdout=PIPE, text=True)
                    for i in range(30)
                )
            )
            for i, end in enumerate(ends):
                self.assertEqual(end.stdout, f"{i}\n")
            with self.assertRaises(ours.NotFoundError):
                await ours.run_async(["no-such-program"])
            with self.assertRaises(subprocess.TimeoutExpired):
                await ours.run_async(["sleep", "600"], timeout=0.2)
            with self.assertRaises(subprocess.CalledProcessError):
                await ours.run_async(["false"], check=True)

        asyncio.run(main())

    def test_who_is_cancelled_ends_all_of_it(self) -> None:
        word = self.word()
        words = ["sh", "-c", f"setsid sleep {word} & sleep {word}"]

        async def started() -> None:
            while len(with_word(word)) < 2:
                await asyncio.sleep(0.05)

        async def main() -> None:
            task = asyncio.ensure_future(ours.run_async(words))
            await started()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertEqual(with_word(word), [])
            # At any moment of the start.
            before = os.listdir("/proc/self/fd")
            for delay in (0, 0, 0.001, 0.003, 0.01):
                task = asyncio.ensure_future(
                    ours.run_async(words, stdout=PIPE, stderr=STDOUT)
                )
                await asyncio.sleep(delay)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                self.assertEqual(with_word(word), [])
                other = asyncio.ensure_future(
                    ours.popen_async(words, stdin=PIPE, stdout=PIPE)
                )
                await asyncio.sleep(delay)
                other.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    async with await other:
                        raise asyncio.CancelledError
                self.assertEqual(with_word(word), [])
            self.assertEqual(len(os.listdir("/proc/self/fd")), len(before))
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(ours.run_async(words), 0.5)
            self.assertEqual(with_word(word), [])
            process = await ours.popen_async(words, stdout=PIPE)
            await started()
            talk = asyncio.ensure_future(process.communicate())
            await asyncio.sleep(0.05)
            talk.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await talk
            self.assertEqual(with_word(word), [])

        asyncio.run(main())

    def test_streams(self) -> None:
        async def main() -> None:
            words = ["sh", "-c", "while read x; do echo $x; done; echo e >&2; exit 5"]
            async with await ours.popen_async(
                words, stdin=PIPE, stdout=PIPE, stderr=PIPE
            ) as process:
                assert process.stdin and process.stdout and process.stderr
                for i in range(3):
                    process.stdin.write(f"{i}\n".encode())
                    await process.stdin.drain()
                    self.assertEqual(
                        await process.stdout.readline(), f"{i}\n".encode()
                    )
                self.assertIsNone(process.returncode)
                process.stdin.close()
                await process.stdin.wait_closed()
                self.assertEqual(await process.stderr.read(), b"e\n")
                self.assertEqual(await process.wait(), 5)
            assert process.outcome is not None
            self.assertTrue(process.outcome.protected)
            data = os.urandom(1 << 20)
            process = await ours.popen_async(["cat"], stdin=PIPE, stdout=PIPE)
            self.assertEqual(await process.communicate(data), (data, None))
            process = await ours.popen_async(["true"], stdin=PIPE)
            await process.communicate(data)  # and reads none
            process = await ours.popen_async(["sleep", "600"])
            process.terminate()
            self.assertEqual(await process.wait(), -signal.SIGTERM)

        asyncio.run(main())

    def test_others_go_on_meanwhile(self) -> None:
        async def main() -> None:
            count = 0
            task = asyncio.ensure_future(ours.run_async(["sleep", "1"]))
            while not task.done():
                count += 1
                await asyncio.sleep(0.01)
            self.assertGreater(count, 5)

        asyncio.run(main())


class Paths(Test):
    def setUp(self) -> None:
        super().setUp()
        self.data = os.path.join(self.scratch, "agent")
        os.makedirs(os.path.join(self.data, "data"))
        self.secret = os.path.join(self.data, "data", "secret")
        Path(self.secret).write_text("secret\n")
        self.guard = ours.Guard(self.data)

    def test_check(self) -> None:
        verdict = self.guard.check(self.secret)
        self.assertTrue(verdict.blocked)
        self.assertEqual(verdict.reason, ours.Reason.BY_NAME)
        self.assertEqual(verdict.rule, self.data + "/data")
        self.assertEqual(verdict.origin, "built in")
        link = os.path.join(self.scratch, "link")
        os.symlink(self.secret, link)
        verdict = self.guard.check(link)
        self.assertEqual(verdict.reason, ours.Reason.BY_RESOLVED_NAME)
        self.assertEqual(verdict.resolved, self.secret)
        self.assertFalse(self.guard.check("/etc/passwd").blocked)
        self.assertTrue(self.guard.is_blocked("/etc/passwd", "write"))
        self.assertTrue(
            self.guard.is_blocked("/etc/passwd", ours.Access.READ | ours.Access.WRITE)
        )
        with self.assertRaises(ValueError):
            self.guard.check("/etc/passwd", "see")
        before = os.getcwd()
        os.chdir(os.path.dirname(self.secret))
        try:
            self.assertTrue(self.guard.is_blocked("secret"))
        finally:
            os.chdir(before)
        self.assertTrue(ours.is_read_blocked(self.secret, self.data))
        self.assertTrue(ours.is_write_blocked("/etc/passwd", self.data))
        self.assertFalse(ours.is_write_blocked("/tmp/x", self.data))

    def test_block(self) -> None:
        place = os.path.join(self.scratch, "mine")
        self.assertFalse(self.guard.is_blocked(place, "write"))
        self.guard.block(place, "write", origin="a file", line=7)
        verdict = self.guard.check(place + "/x", "write")
        self.assertEqual((verdict.origin, verdict.line), ("a file", 7))
        self.assertFalse(self.guard.is_blocked(place, "read"))
        with self.assertRaises(ours.InvalidPolicyError):
            self.guard.block("relative")
        with self.assertRaises(ours.InvalidPolicyError):
            ours.Guard("relative")

    def test_open(self) -> None:
        place = os.path.join(self.scratch, "file")
        with self.guard.open(place, "w", encoding="utf-8") as file:
            file.write("gü\n")
        with self.guard.open(place, "a") as file:
            file.write("more\n")
        with self.guard.open(place, encoding="utf-8") as file:
            self.assertEqual(file.read(), "gü\nmore\n")
        with self.guard.open(Path(place), "r+b", buffering=0) as file:
            self.assertEqual(file.readline(), "gü\n".encode())
            self.assertFalse(os.get_inheritable(file.fileno()))
        with self.assertRaises(FileExistsError):
            self.guard.open(place, "x")
        with self.assertRaises(FileNotFoundError) as absent:
            self.guard.open(place + ".none")
        self.assertEqual(absent.exception.filename, place + ".none")
        os.link(self.secret, place + ".link")
        with self.assertRaises(PermissionError) as refused:
            self.guard.open(place + ".link")
        error: Any = refused.exception
        self.assertIsInstance(error, ours.RefusedError)
        self.assertEqual(error.verdict.reason, ours.Reason.BY_HARD_LINK)
        with self.assertRaises(ours.RefusedError):
            self.guard.open("/etc/motd", "w")

    def test_by_a_policy(self) -> None:
        guard = Sandbox(policy="shut", data_dir=self.data).guard()
        verdict = guard.check(self.scratch + "/x", "write")
        self.assertEqual(verdict.reason, ours.Reason.BY_LIST)
        self.assertTrue(guard.is_blocked(self.secret))
        self.assertFalse(guard.is_blocked("/etc/passwd"))

    def test_in_a_child_of_fork(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            os._exit(0 if self.guard.is_blocked(self.secret) else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)


class Reports(Test):
    def test_describe(self) -> None:
        report = ours.describe(policy="shut", network="deny", data_dir=DATA_DIR)
        self.assertTrue(report.protected)
        self.assertIsNone(report.verdict)
        network = [one for one in report.guarantees if one.kind == "network"]
        self.assertEqual(network[0].state, ours.State.ENFORCED)
        data = [
            one
            for one in report.guarantees
            if one.path == DATA_DIR + "/data" and ours.Forbids.READ & one.forbids
        ]
        self.assertTrue(data[0].required and data[0].enforced and data[0].backends)
        self.assertEqual(
            len(report.as_dict()["guarantees"]), len(report.guarantees)
        )
        self.assertIn("every required guarantee is enforced", str(report))
        self.assertIn("protected=True", repr(report))
        with self.assertRaises(ours.InvalidPolicyError):
            ours.describe(policy="none")
        report = ours.describe(backend="seccomp")
        self.assertFalse(report.protected)
        self.assertIsInstance(report.verdict, ours.RequiredError)
        end = run(["true"])
        self.assertEqual(end.report.protected, end.protected)
        noop = ours.describe(backend="noop")
        self.assertFalse(noop.protected)


class Package(Test):
    """What is built, installed, shown and checked."""

    def copied(self) -> Path:
        place = Path(self.scratch, "package")
        shutil.copytree(
            HERE, place, ignore=shutil.ignore_patterns("__pycache__", "*.pyc", ".*")
        )
        return place

    def test_wheel_and_sdist(self) -> None:
        place = self.copied()
        text = (
            "import backend, sys\n"
            "print(backend.build_wheel(sys.argv[1]))\n"
            "print(backend.build_sdist(sys.argv[1]))"
        )
        names = subprocess.run(
            [sys.executable, "-c", text, self.scratch],
            cwd=place, stdout=PIPE, text=True, check=True,
        ).stdout.split()
        version = ours.__version__
        self.assertEqual(names[0], f"omega_sandbox-{version}-py3-none-any.whl")
        with zipfile.ZipFile(Path(self.scratch, names[0])) as wheel:
            inside = wheel.namelist()
            metadata = wheel.read(f"omega_sandbox-{version}.dist-info/METADATA")
        modules = sorted((HERE / "src" / "omega_sandbox").glob("*.py"))
        self.assertEqual(
            sorted(inside),
            sorted(
                ["omega_sandbox/" + module.name for module in modules]
                + ["omega_sandbox/py.typed"]
                + [f"omega_sandbox-{version}.dist-info/{name}"
                   for name in ("METADATA", "RECORD", "WHEEL")]
            ),
        )
        self.assertIn(b"\nName: omega-sandbox\n", metadata)
        self.assertIn(b"\nRequires-Python: >=3.9\n", metadata)
        with tarfile.open(Path(self.scratch, names[1])) as sdist:
            inside = sdist.getnames()
        for name in ("PKG-INFO", "pyproject.toml", "backend.py", "README.md",
                     "src/omega_sandbox/py.typed", "examples/mcp.py",
                     "tests/test_omega_sandbox.py"):
            self.assertIn(f"omega_sandbox-{version}/{name}", inside)

    def test_pip_install(self) -> None:
        venv = os.path.join(self.scratch, "venv")
        made = subprocess.run(
            [sys.executable, "-m", "venv", venv], stdout=PIPE, stderr=STDOUT
        )
        if made.returncode != 0:
            self.skipTest("python3 makes no venv here")
        python = os.path.join(venv, "bin", "python")
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PIP_", "PYTHON"))
        }
        environment["HOME"] = self.scratch
        done = subprocess.run(
            [python, "-m", "pip", "install", "--no-index", "--no-cache-dir",
             "--disable-pip-version-check", str(self.copied())],
            env=environment, stdout=PIPE, stderr=STDOUT, text=True,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        text = (
            "import omega_sandbox as o, importlib.metadata as m\n"
            "end = o.run(['echo', 'it works'], stdout=o.PIPE, text=True)\n"
            "print(end.stdout, o.__file__, m.version('omega-sandbox'))"
        )
        told = subprocess.run(
            [python, "-c", text], env=environment, stdout=PIPE, text=True, cwd="/"
        ).stdout
        self.assertIn("it works\n", told)
        self.assertIn(venv, told)
        self.assertIn(ours.__version__, told)

    def test_types(self) -> None:
        mypy: Optional[List[str]] = None
        for words in ([sys.executable, "-m", "mypy"], ["mypy"]):
            with contextlib.suppress(OSError):
                told = subprocess.run([*words, "--version"], stdout=PIPE, stderr=PIPE)
                if told.returncode == 0:
                    mypy = words
                    break
        if mypy is None:
            self.skipTest("mypy is not installed")
        place = self.copied()
        for words in (
            ["src/omega_sandbox", "backend.py", "tests"],
            ["examples/mcp.py"],
            ["examples/tool.py"],
        ):
            done = subprocess.run(
                [*mypy, "--strict", "--cache-dir", os.path.join(self.scratch, "c"),
                 *words],
                cwd=place, stdout=PIPE, stderr=STDOUT, text=True,
                env={**os.environ, "MYPYPATH": str(place / "src")},
            )
            self.assertEqual(done.returncode, 0, done.stdout)
        # And what must not pass.
        (place / "wrong.py").write_text(
            "import omega_sandbox\n"
            "omega_sandbox.run(['true'], timeuot=5)\n"
            "omega_sandbox.run(['true'], network='perhaps')\n"
            "omega_sandbox.Sandbox(policy=3)\n"
        )
        done = subprocess.run(
            [*mypy, "--strict", "--cache-dir", os.path.join(self.scratch, "c"),
             "wrong.py"],
            cwd=place, stdout=PIPE, stderr=STDOUT, text=True,
            env={**os.environ, "MYPYPATH": str(place / "src")},
        )
        for line in (2, 3, 4):
            self.assertIn(f"wrong.py:{line}: error", done.stdout)

    def test_readme_shows_what_works(self) -> None:
        os.makedirs("/tmp/project", exist_ok=True)
        text = (HERE / "README.md").read_text()
        blocks = re.findall(
            r"```python\n(.*?)```\n\n(?:```text\n(.*?)```)?", text, re.DOTALL
        )
        self.assertGreaterEqual(len(blocks), 5)
        for code, shown in blocks:
            told = program(code, stdout=PIPE, stderr=PIPE)
            out, err = told.communicate()
            self.assertEqual((out, err), (shown, ""), code)

    def test_docstrings(self) -> None:
        done = doctest.testmod(ours)
        self.assertGreater(done.attempted, 0)
        self.assertEqual(done.failed, 0)


class Header(Test):
    """What is written twice: once in C, once for ctypes."""

    def setUp(self) -> None:
        super().setUp()
        if "OMEGA_TEST_HEADER" not in os.environ:
            self.skipTest("OMEGA_TEST_HEADER does not name sandbox.h")
        text = Path(os.environ["OMEGA_TEST_HEADER"]).read_text()
        self.text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)

    def test_structures(self) -> None:
        for theirs, of_c in (
            (_library.Error, "error"),
            (_library.Verdict, "verdict"),
            (_library.Judgement, "judgement"),
            (_library.Section, "section"),
            (_library.Guarantee, "guarantee"),
            (_library.RefusedHost, "refused_host"),
            (_library.Event, "event"),
            (_library.Stream, "stream"),
            (_library.Outcome, "outcome"),
        ):
            found = re.search(
                rf"\nstruct omega_sandbox_{of_c} {{(.*?)\n}};", self.text, re.DOTALL
            )
            assert found is not None, of_c
            members = re.findall(r"(\w+)(?:\[\d+\])?;", found.group(1))
            fields: Any = theirs._fields_
            self.assertEqual([field[0] for field in fields], members, of_c)

    def test_codes(self) -> None:
        codes = re.findall(r"OMEGA_SANDBOX_E_(\w+) = (-\d+)", self.text)
        self.assertGreater(len(codes), 15)
        for name, number in codes:
            error = _errors.exception(int(number), _library.Error())
            self.assertEqual((error.code, error.number), (name.lower(), int(number)))
        for kind, names in (
            (ours.Reason, r"OMEGA_SANDBOX_(NOT_BLOCKED|UNDECIDED|BY_\w+) = (\d+)"),
            (ours.State, r"OMEGA_SANDBOX_(NOT_ENFORCED|PARTIAL|ENFORCED) = (\d+)"),
            (ours.Forbids, r"OMEGA_SANDBOX_FORBIDS_(\w+) = (0x\d+)"),
        ):
            theirs = {name: int(value, 0) for name, value in
                      re.findall(names, self.text)}
            self.assertEqual(
                {one.name: one.value for one in kind.__members__.values()},
                theirs,
            )


class Examples(Test):
    def test_tool_called_as_an_agent_would(self) -> None:
        sys.path.insert(0, str(HERE / "examples"))
        try:
            from tool import Shell  # type: ignore[import]
        finally:
            sys.path.pop(0)
        shell = Shell(self.scratch, timeout=20)
        self.assertEqual(shell.args_schema["required"], ["command"])

        def call(command: str) -> str:
            return str(asyncio.run(shell.ainvoke({"command": command})))

        self.assertEqual(call("echo 1 >note && cat note"), "1\n[exit 0]")
        self.assertRegex(
            call(f"cat {DATA_DIR}/data/secret"), r"(?s)secret: .*\[exit 1\]$"
        )
        self.assertRegex(call(": >/etc/passwd"), r"\[/etc/passwd: .*\]\[exit 2\]$")
        self.assertEqual(call("sleep 600 & exit 3"), "[exit 3]")
        shell.timeout = 0.2
        self.assertRegex(call("sleep 600"), "^refused: .*timed out")

    def test_mcp_between_a_client_and_a_server(self) -> None:
        server = f"""
import json, sys
print("begun", file=sys.stderr)
for line in sys.stdin:
    asked = json.loads(line)
    result = {{"serverInfo": {{"name": "played"}}}}
    if asked["method"] == "tools/call":
        try:
            result = open("{DATA_DIR}/data/secret").read()
        except OSError as error:
            result = type(error).__name__
    print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": result}}),
          flush=True)
sys.exit(7)
"""
        environment = {**os.environ, "PYTHONPATH": SOURCES}
        words = [sys.executable, str(HERE / "examples" / "mcp.py")]
        log = Path(DATA_DIR, "log")  # nothing that the server may write
        with log.open("w") as errors, subprocess.Popen(
            [*words, sys.executable, "-c", server],
            stdin=PIPE, stdout=PIPE, stderr=errors, text=True, env=environment,
            cwd=self.scratch,
        ) as client:
            assert client.stdin and client.stdout

            def ask(number: int, method: str) -> Any:
                assert client.stdin and client.stdout
                request = {"jsonrpc": "2.0", "id": number, "method": method}
                print(json.dumps(request), file=client.stdin, flush=True)
                answer = json.loads(client.stdout.readline())
                self.assertEqual(answer["id"], number)
                return answer["result"]

            self.assertEqual(ask(1, "initialize")["serverInfo"]["name"], "played")
            self.assertIn(
                ask(2, "tools/call"), ("PermissionError", "FileNotFoundError")
            )
            client.stdin.close()
            self.assertEqual(client.wait(), 7)
        self.assertEqual(log.read_text(), "begun\n")
        word = self.word()
        with subprocess.Popen(
            [*words, "sleep", word], env=environment, cwd=self.scratch
        ) as other:
            until(lambda: len(with_word(word)) >= 2, "it has started")
            other.terminate()
            # Before or after it hears signals itself.
            self.assertIn(
                other.wait(), (128 + signal.SIGTERM, -signal.SIGTERM)
            )
        until(lambda: not with_word(word), "it has ended")
        done = subprocess.run(
            [*words, "no-such-server"], env=environment, stderr=PIPE, text=True,
            cwd=self.scratch,
        )
        self.assertEqual(done.returncode, 125)
        self.assertIn("no-such-server", done.stderr)


# ---- TAP ---------------------------------------------------------------------


class Tap(unittest.TestResult):
    def __init__(self) -> None:
        super().__init__()
        self.faults: List[str] = []

    def say(self, test: unittest.TestCase, is_ok: bool, more: str = "") -> None:
        name = test.id().partition(".")[2].replace("_", " ")
        print(f"{'' if is_ok else 'not '}ok {self.testsRun} - {name}{more}")
        sys.stdout.flush()

    def note(self, error: Any) -> None:
        self.faults.append("".join(traceback.format_exception(*error)))

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.faults = []
        self.skip: Optional[str] = None

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        self.note(err)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self.note(err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.faults.append(str(subtest))
            self.note(err)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self.skip = reason

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        for fault in self.faults:
            for line in fault.splitlines():
                print(f"# {line}")
        more = "" if self.skip is None else f" # SKIP {self.skip}"
        self.say(test, not self.faults, more)


def flat(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from flat(one)
        else:
            yield one


def main() -> int:
    warnings.simplefilter("default")
    loader = unittest.defaultTestLoader
    if len(sys.argv) > 1:
        suite = loader.loadTestsFromNames(sys.argv[1:], sys.modules["__main__"])
    else:
        suite = loader.loadTestsFromModule(sys.modules["__main__"])
    result = Tap()
    print(f"1..{len(list(flat(suite)))}")
    suite.run(result)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
