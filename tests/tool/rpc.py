# SPDX-License-Identifier: MIT
"""omega-sandbox rpc, as a host speaks to it. Prints TAP.

    rpc.py TOOL CONFIG SCHEMA CLIENT DATA_DIR HOST LIBRARY CASES

HOST calls the LIBRARY itself. CASES is the table that bindings share.
"""

import base64
import ctypes
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
import traceback

(
    tool, config, schema_file, client_file, data_dir, host, library, cases_file,
) = sys.argv[1:]
with open(schema_file, encoding="utf-8") as file:
    schema = json.load(file)
count = 0

# ---- A validator for as much of JSON Schema as the file uses ----------------

kinds = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
    "null": type(None),
}
known = {
    "type", "properties", "required", "additionalProperties", "items", "enum",
    "minimum", "maximum", "minItems", "minProperties", "maxProperties", "$ref",
    "description",
}


def is_kind(value, kind):
    if kind == "integer" and isinstance(value, bool):
        return False
    return isinstance(value, kinds[kind])


def validate(value, rule, at):
    assert set(rule) <= known, "keywords nobody checks: %s" % (set(rule) - known)
    if "$ref" in rule:
        return validate(value, schema["$defs"][rule["$ref"].split("/")[-1]], at)
    if "enum" in rule:
        assert value in rule["enum"], "%s: %r" % (at, value)
    if "type" in rule:
        types = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
        assert any(is_kind(value, t) for t in types), "%s: %r" % (at, value)
    if "minimum" in rule:
        assert value >= rule["minimum"], "%s: %r" % (at, value)
    if "maximum" in rule:
        assert value <= rule["maximum"], "%s: %r" % (at, value)
    if isinstance(value, dict):
        assert len(value) >= rule.get("minProperties", 0), at
        assert len(value) <= rule.get("maxProperties", len(value)), at
    if "minItems" in rule and isinstance(value, list):
        assert len(value) >= rule["minItems"], at
    for name in rule.get("required", []):
        assert name in value, "%s: no %s" % (at, name)
    if isinstance(value, dict):
        more = rule.get("additionalProperties", True)
        for name, item in value.items():
            if name in rule.get("properties", {}):
                validate(item, rule["properties"][name], at + "." + name)
            elif isinstance(more, dict):
                validate(item, more, at + "." + name)
            else:
                assert more, "%s: %s is not known" % (at, name)
    if isinstance(value, list) and "items" in rule:
        for item in value:
            validate(item, rule["items"], at + "[]")
    return None


try:
    import jsonschema

    jsonschema.Draft202012Validator.check_schema(schema)
    others = {
        name: jsonschema.Draft202012Validator(
            {"$ref": "#/$defs/" + name, "$defs": schema["$defs"]}
        )
        for name in schema["$defs"]
    }
except (ImportError, AttributeError):
    others = None


def conform(value, name):
    """Is it what the schema calls by this name? Two opinions, if there are."""
    validate(value, {"$ref": "#/$defs/" + name}, name)
    if others is not None:
        others[name].validate(value)


messages = (
    "request", "describe", "check", "hello", "cancel", "input", "read", "signal",
)


def kind_of(request):
    for name in messages[1:]:
        if name in request or (name == "input" and "input_end" in request):
            return name
    return "input" if "input_base64" in request else "request"


# ---- Speaking ----------------------------------------------------------------


def understood(text):
    """The response in a line, which the schema must know."""
    response = json.loads(text)
    conform(response, "response")
    return response


def ask(lines, *words):
    """Feed lines, return the responses, all of them valid."""
    done = subprocess.run(
        [tool, "rpc", "--config", config, *words],
        input=b"".join(lines),
        stdout=subprocess.PIPE,
        timeout=300,
    )
    responses = [understood(text) for text in done.stdout.splitlines()]
    assert done.returncode == 0, done.returncode
    return responses


class Speaker:
    """The tool, spoken to while it runs."""

    def __init__(self, *words, file=None, **streams):
        streams.setdefault("stdout", subprocess.PIPE)
        self.process = subprocess.Popen(
            [tool, "rpc", "--config", file or config, *words],
            stdin=subprocess.PIPE,
            **streams,
        )

    def say(self, **request):
        self.process.stdin.write(line(request))
        self.process.stdin.flush()

    def hear(self):
        return understood(self.process.stdout.readline())

    def until(self, number, kind):
        """Events of a call up to one of this kind, or its end."""
        heard = []
        while True:
            response = self.hear()
            assert response["id"] == number, response
            heard.append(response.get("event", response))
            if "event" not in response or response["event"]["kind"] == kind:
                return heard

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=120)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return status

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            self.process.kill()
        self.end()


def line(request):
    conform(request, kind_of(request))
    return json.dumps(request).encode() + b"\n"


def one(request, *words):
    (response,) = ask([line(request)], *words)
    assert response["id"] == request["id"]
    return response


def result(argv, **fields):
    response = one({"id": 1, "argv": argv, **fields})
    assert "result" in response, response
    return response["result"]


def report(**fields):
    (response,) = ask([line({"id": 1, "describe": True, **fields})])
    return response["report"]["guarantees"]


def code(response):
    return response["error"]["code"]


# ---- The tests ---------------------------------------------------------------


def test_a_command_and_its_output():
    end = result(["sh", "-c", "cat; echo oh >&2; exit 3"], stdin="in")
    assert (end["exit"], end["signal"]) == (3, None)
    assert (end["stdout"], end["stderr"]) == ("in", "oh\n")
    assert (end["stdout_bytes"], end["stderr_bytes"]) == (2, 3)
    assert end["sandbox_applied"] and end["guarantees"]
    assert not end["truncated"] and not end["timed_out"]


def test_a_brief_result():
    end = result(["true"], brief=True)
    assert "guarantees" not in end
    assert end["report"]["enforced"] > 10 and "guarantees" not in end["report"]
    assert len(json.dumps(end)) < 3000, end


def test_the_data_is_out_of_reach():
    end = result(["cat", data_dir + "/data/secret"], data_dir=data_dir)
    assert end["exit"] == 1 and end["stdout"] == ""
    with open(data_dir + "/data/secret", encoding="utf-8") as file:
        assert file.read() == "secret\n"


def test_bytes_that_are_no_text():
    end = result(["printf", "\\377\\001"])
    assert "stdout" not in end and end["stdout_base64"] == "/wE="
    end = result(["od", "-An", "-tx1"], stdin_base64="/wEA")
    assert end["stdout"].split() == ["ff", "01", "00"]
    assert result(["cat"], stdin="a\0b")["stdout_base64"] == "YQBi"


def test_directory_and_environment():
    end = result(["pwd"], cwd="/usr")
    assert end["stdout"] == "/usr\n"
    end = result(["/usr/bin/env"], env={"A": "b c"})
    assert "A=b c" in end["stdout"].split("\n")
    assert "HOME=" not in end["stdout"]


def test_time_out():
    end = result(["sleep", "600"], limits={"timeout_ms": 200, "grace_ms": 50})
    assert end["timed_out"] and end["exit"] is None
    assert end["signal"] in (signal.SIGTERM, signal.SIGKILL)


class Held:
    """A tracer of the process with these words: it stays at its end."""

    def __init__(self, words):
        self.words = b"".join(word.encode() + b"\0" for word in words)
        self.is_over = threading.Event()
        self.is_traced = False
        self.thread = threading.Thread(target=self.hold)

    def find(self):
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % name, "rb") as file:
                    if file.read() == self.words:
                        return int(name)
            except OSError:
                pass
        return None

    def hold(self):
        ptrace = ctypes.CDLL(None).ptrace
        ptrace.argtypes = [ctypes.c_long] * 4
        while not self.is_traced and not self.is_over.wait(0.02):
            pid = self.find()
            # PTRACE_SEIZE with PTRACE_O_TRACEEXIT
            self.is_traced = bool(pid) and ptrace(0x4206, pid, 0, 0x40) == 0
        self.is_over.wait()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()


def test_what_cannot_be_ended_is_told():
    audit, audited, said, log = (
        os.path.dirname(config) + name
        for name in ("/audit", "/audited.conf", "/said", "/log")
    )
    with open(audited, "w", encoding="utf-8") as file:
        file.write('data_dir = "%s"\naudit = "%s"\n' % (data_dir, audit))
    words = ["sleep", "86399"]
    run = [tool, "run", "--config", audited, "--timeout", "2"]
    with Held(words) as held:
        end = result(words, limits={"timeout_ms": 2000, "grace_ms": 50})
        assert held.is_traced, "it could not be traced"
    assert end["timed_out"] and end["processes_left"] >= 1, end
    assert end["exit"] is None and end["signal"] is None, end
    for json_too in ([], ["--json"]):
        # Files, not pipes: what is held has them open, too.
        with Held(words) as held, open(said, "wb") as out, open(log, "wb") as err:
            status = subprocess.call(
                [*run, *json_too, "--", *words], stdout=out, stderr=err, timeout=60
            )
            assert held.is_traced, "it could not be traced"
        assert status == 124, status
        with open(log, encoding="utf-8") as file:
            text = file.read()
        assert "could not be ended, the command itself among them" in text, text
    with open(said, encoding="utf-8") as file:
        end = json.load(file)
    assert end["timed_out"] and end["processes_left"] >= 1, end
    assert end["exit"] is None and end["signal"] is None, end
    with open(audit, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    assert len(records) == 2, records
    for end in records:
        assert end["timed_out"] and end["processes_left"] >= 1, end
        assert end["exit"] is None and end["signal"] is None, end
        assert not end.get("lost"), end


def test_output_is_bounded():
    end = result(
        ["sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x"],
        limits={"max_output": 1000},
    )
    assert end["truncated"] and end["stdout_bytes"] == 3000000
    assert len(end["stdout"]) < 2000


def streams(out, err, bound):
    """What is kept of streams of so many bytes, and whether all was."""
    words = "head -c %d /dev/zero | tr '\\0' %s%s"
    say = words % (out, "o", "; ") + words % (err, "e", " >&2")
    end = result(["sh", "-c", say], limits={"max_output": bound})
    assert end["stdout_bytes"] == out and end["stderr_bytes"] == err, end
    return len(end["stdout"]), len(end["stderr"]), end["truncated"]


def test_the_bound_is_for_both_streams():
    assert streams(600, 400, 1000) == (600, 400, False)
    assert streams(1000, 0, 1000) == (1000, 0, False)
    # The line about what was left out may be a digit shorter than its room.
    out, err, cut = streams(601, 400, 1000)
    assert 598 <= out <= 600 and err == 400 and cut, (out, err)
    assert streams(400, 5000, 1000) == (400, 600, True)
    assert streams(5000, 400, 1000) == (600, 400, True)
    assert streams(5000, 7000, 1000) == (500, 500, True)
    assert streams(50000, 70000, 3) == (2, 1, True)


def test_policies_and_tiers():
    assert result(["true"], policy="shut")["exit"] == 0
    assert result(["sh", "-c", ": >/tmp/x"], policy="shut")["exit"] != 0
    assert result(["sh", "-c", ": >/tmp/x"], tier="low")["exit"] != 0
    assert code(one({"id": 1, "argv": ["true"], "policy": "none"})) == (
        "invalid_policy"
    )
    assert code(one({"id": 1, "argv": ["true"], "tier": "none"})) == "not_found"
    response = one({"id": 1, "argv": ["true"], "policy": "inside"})
    assert "work_dir of a request" in response["error"]["message"], response


def test_what_the_host_replaces_is_kept_for_the_next():
    top = os.path.dirname(config) + "/kept"
    os.mkdir(top)
    places = [top + "/dir/new", top + "/file"]
    write = ["sh", "-c", "for f; do echo x >>$f && echo $f; done", "sh", *places]
    with Speaker() as speaks:
        for number in range(3):
            os.mkdir(top + "/dir")
            open(top + "/file", "w", encoding="utf-8").close()
            speaks.say(id=1, argv=write, policy="kept")
            response = speaks.hear()
            assert response["result"]["stdout"] == "", response
            for name in ("/dir", "/file"):
                os.rename(top + name, "%s%s%d" % (top, name, number))


def test_sockets_of_a_request():
    make = ["perl", "-MSocket", "-e", "socket(S, AF_UNIX, SOCK_STREAM, 0) or exit 9"]
    assert result(make)["exit"] == 0
    assert result(make, unix_sockets="own")["exit"] == 0
    assert result(make, unix_sockets="none")["exit"] == 9
    wrong = json.dumps({"id": 1, "argv": make, "unix_sockets": "some"})
    (response,) = ask([wrong.encode() + b"\n"])
    assert code(response) == "invalid_policy", response
    assert "all, own or none" in response["error"]["message"], response


def test_errors_have_codes():
    assert code(one({"id": 1, "argv": ["no-such-program"]})) == "not_found"
    assert code(one({"id": 1, "argv": ["/etc/passwd"]})) == "not_executable"


def test_wrong_lines_harm_nobody():
    bad = [
        b"nonsense\n",
        b"{\n",
        b"[]\n",
        b"null\n",
        b'{"id": 1}\n',
        b'{"id": null, "argv": ["true"]}\n',
        b'{"argv": ["true"]}\n',
        b'{"id": 2, "argv": []}\n',
        b'{"id": 2, "argv": "true"}\n',
        b'{"id": 2, "argv": [1]}\n',
        b'{"id": 2, "argv": ["a\\u0000b"]}\n',
        b'{"id": 2, "argv": ["true"], "timeout": 3}\n',
        b'{"id": 2, "argv": ["true"], "limits": {"timeout_ms": 0}}\n',
        b'{"id": 2, "argv": ["true"], "limits": {"timeout_ms": -1}}\n',
        b'{"id": 2, "argv": ["true"], "limits": {"x": 1}}\n',
        b'{"id": 2, "argv": ["true"], "env": {"A=B": "c"}}\n',
        b'{"id": 2, "argv": ["true"], "env": ["A=B"]}\n',
        b'{"id": 2, "argv": ["true"], "stdin": "a", "stdin_base64": "YQ=="}\n',
        b'{"id": 2, "argv": ["true"], "stdin_base64": "Y"}\n',
        b'{"id": 2, "argv": ["true"], "policy": "p", "tier": "t"}\n',
        b'{"id": 2, "id": 2, "argv": ["true"]}\n',
        b'{"version": 2, "id": 2, "argv": ["true"]}\n',
        b'{"id": 2, "cancel": true, "argv": ["true"]}\n',
        b'{"id": 2, "cancel": true}\n',
        b'{"id": 2, "cancel": true, "signal": 1}\n',
        b'{"id": 2, "signal": 65}\n',
        b'{"id": 2, "signal": 9}\n',
        b'{"id": 2, "input": 1}\n',
        b'{"id": 2, "input": "x", "input_base64": "eA=="}\n',
        b'{"id": 2, "input": "x"}\n',
        b'{"id": 2, "read": 0}\n',
        b'{"id": 2, "hello": 2}\n',
        b'{"id": 2, "describe": false}\n',
        b'{"id": 2, "describe": true, "cwd": "/"}\n',
        b'{"id": 2, "check": "read"}\n',
        b'{"id": 2, "check": {"access": "see", "paths": ["/"]}}\n',
        b'{"id": 2, "check": {"access": "read", "paths": []}}\n',
        b'{"id": 2, "argv": ["true"], "stdin": "", "stdin_open": true}\n',
        b'{"id": 2, "argv": ["true"], "window": 5}\n',
        b'{"id": 2, "argv": ["true"], "stream": 1}\n',
        b'{"id": 2, "argv": ["true"], "paths": {"own": ["/"]}}\n',
        b'{"id": 2, "argv": ["true"], "paths": {"read": "/"}}\n',
        b'{"id": 2, "argv": ["true"], "set": {"read": {}}}\n',
        b'{"id": 2, "argv": ["true"], "set": ["read"]}\n',
        b"\xff\xfe\n",
        b"[" * 100000 + b"\n",
        b'{"id": 2, "argv": ["' + b"x" * (9 << 20) + b'"]}\n',
    ]
    good = line({"id": "good", "argv": ["echo", "fine"]})
    responses = ask([part for b in bad for part in (b,)] + [good])
    fine = [r for r in responses if r["id"] == "good"]
    assert len(fine) == 1 and fine[0]["result"]["stdout"] == "fine\n"
    assert len(responses) == len(bad) + 1
    assert all("error" in r for r in responses if r["id"] != "good")
    assert "too_large" in {code(r) for r in responses if "error" in r}
    # In our words, not in those of whatever reads JSON for us.
    said = [r["error"]["message"] for r in responses if "error" in r]
    assert not [text for text in said if "JSON_" in text], said
    assert "argv: a text is expected, without NUL" in said, said


def test_errors_have_the_id_that_can_be_read():
    long = b'"argv": ["' + b"x" * (9 << 20) + b'"]'
    for request, known in (
        (b'{"id": 7, "argv": ["true"], "cwd": "/", "cwd": "/"}', 7),
        (b'{"argv": ["true"], "argv": ["true"], "id": "a"}', "a"),
        (b' { "id" : "b\\u0063" , nonsense', "bc"),
        (b'{"id": 7, "argv": ["true"]} x', 7),
        (b'{"id": 7, ' + long + b"}", 7),
        (b'{"id": 7, ' + long + long, 7),
        (b'{"id": [7], "argv": ["true"]}', None),
        (b'{"id": [7], nonsense', None),
        (b'{"id": 7x', None),
        (b'{"env": {"id": 7}, nonsense', None),
    ):
        for end in (b"", b"\n"):
            (response,) = ask([request + end])
            assert response["id"] == known, request[:80]
            assert code(response) in ("parse", "request", "too_large")


def test_the_last_line_needs_no_newline():
    for before in ([], [line({"id": 1, "argv": ["true"]})]):
        last = line({"id": 2, "argv": ["echo", "fine"]})[:-1]
        responses = ask(before + [last])
        (answer,) = [r for r in responses if r["id"] == 2]
        assert answer["result"]["stdout"] == "fine\n"
        assert len(responses) == len(before) + 1


def test_a_request_cut_short():
    whole = line({"id": 21, "argv": ["true"]})
    for size in range(1, len(whole) - 1):
        (response,) = ask([whole[:size]])
        known = 21 if whole[:size].startswith(b'{"id": 21,') else None
        assert response["id"] == known and code(response) == "parse"


def test_many_at_a_time():
    requests = [
        line({"id": i, "argv": ["sh", "-c", "echo %d" % i]}) for i in range(300)
    ]
    responses = ask(requests, "--jobs", "16")
    assert len(responses) == 300
    for response in responses:
        assert "result" in response, response
        assert response["result"]["stdout"] == "%d\n" % response["id"], response


def load_client():
    spec = importlib.util.spec_from_file_location("rpc_client", client_file)
    client = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(client)
    return client


def test_cancel_and_completion_order():
    client = load_client()
    sandbox = client.Sandbox(tool, config)
    slow = sandbox.start(["sleep", "600"], limits={"timeout_ms": 600000})
    assert sandbox.run(["echo", "first"])["stdout"] == "first\n"
    assert not slow["done"].is_set()
    sandbox.cancel(slow)
    try:
        assert sandbox.wait(slow)["cancelled"]
    except client.Error as error:
        assert error.code == "cancelled"
    assert sandbox.close() == 0


def test_the_same_id_twice():
    client = load_client()
    sandbox = client.Sandbox(tool, config)
    slow = sandbox.start(["sleep", "600"], limits={"timeout_ms": 600000})
    again = {"done": threading.Event(), "id": slow["id"]}
    sandbox._send({"id": slow["id"], "argv": ["true"]})
    slow["done"].wait()
    assert slow["response"]["error"]["code"] == "request"
    with sandbox.lock:
        sandbox.waiting[slow["id"]] = again
    sandbox.cancel(again)
    again["done"].wait()
    assert sandbox.close() == 0


def test_an_id_is_free_with_its_answer():
    with Speaker() as speaks:
        for _ in range(100):
            speaks.say(id=1, argv=["true"])
            response = speaks.hear()
            assert "result" in response, response


def descendants(mark):
    found = []
    for name in os.listdir("/proc"):
        try:
            with open("/proc/%s/cmdline" % name, "rb") as file:
                if mark.encode() in file.read():
                    found.append(int(name))
        except (OSError, ValueError):
            pass
    return found


def test_a_killed_tool_leaves_nothing():
    mark = "600.%d" % os.getpid()
    client = load_client()
    sandbox = client.Sandbox(tool, config)
    for _ in range(4):
        sandbox.start(
            ["sh", "-c", "setsid sleep %s & sleep %s" % (mark, mark)],
            limits={"timeout_ms": 600000, "grace_ms": 100},
        )
    deadline = time.time() + 60
    while len(descendants("sleep\0" + mark)) < 8 and time.time() < deadline:
        time.sleep(0.05)
    assert len(descendants("sleep\0" + mark)) == 8
    sandbox.process.kill()
    sandbox.process.wait()
    while descendants("sleep\0" + mark) and time.time() < deadline + 60:
        time.sleep(0.05)
    assert descendants("sleep\0" + mark) == []


def test_a_response_that_is_lost():
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [tool, "rpc", "--config", config],
            input=line({"id": 1, "argv": ["true"]}),
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 2, done
    assert b"a response could not be written" in done.stderr, done


def test_nobody_reads():
    speaks = Speaker(stderr=subprocess.DEVNULL)
    speaks.process.stdout.close()
    try:
        for i in range(1, 2000):
            speaks.say(id=i, argv=["true"])
    except BrokenPipeError:
        pass
    assert speaks.process.wait(timeout=120) == 2
    try:
        speaks.process.stdin.close()
    except BrokenPipeError:
        pass


def test_a_host_that_is_gone_ends_its_commands():
    for is_silent in (False, True):
        speaks = Speaker(stderr=subprocess.DEVNULL)
        speaks.say(
            id=1, argv=["sleep", "600"], stream=True, limits={"timeout_ms": 600000}
        )
        assert speaks.hear()["event"]["kind"] == "started"
        # Standard input may still be held open by somebody, or not.
        if not is_silent:
            speaks.process.stdin.close()
        speaks.process.stdout.close()
        assert speaks.process.wait(timeout=60) == 2
        speaks.process.stdin.close()


# ---- While it runs -----------------------------------------------------------


def test_versions_are_agreed_on():
    (response,) = ask([line({"id": "v", "hello": [2, 1]})])
    assert response["hello"]["versions"] == [1] and response["id"] == "v"
    assert response["hello"]["jobs"] == 8, response
    (response,) = ask([line({"id": 1, "hello": [2]})], "--jobs", "3")
    assert code(response) == "version", response
    (response,) = ask([b'{"version": 2, "id": 1, "argv": ["true"]}'])
    assert code(response) == "version", response


def test_output_as_it_comes_and_input_while_it_runs():
    say = "echo a; read x; echo b$x >&2; read y; echo c$y; cat; printf '\\377'"
    with Speaker() as speaks:
        speaks.say(id=1, argv=["sh", "-c", say], stream=True, stdin_open=True)
        started, first = speaks.until(1, "output")
        assert started["kind"] == "started" and started["pid"] > 0
        assert (first["stream"], first["data"]) == ("stdout", "a\n")
        speaks.say(id=1, input="1\n")
        heard = speaks.until(1, "output")
        if heard[-1]["kind"] == "output" and len(heard) == 1:
            heard += speaks.until(1, "written")
        assert sorted(e["kind"] for e in heard) == ["output", "written"], heard
        (told,) = [e for e in heard if e["kind"] == "output"]
        assert (told["stream"], told["data"]) == ("stderr", "b1\n")
        speaks.say(id=1, input_base64="Mgr/")  # "2\n" and a byte that is no text
        speaks.say(id=1, input="\0", input_end=True)
        heard = speaks.until(1, "none")
        data = b""
        for event in heard[:-1]:
            if event["kind"] == "output":
                data += base64.b64decode(event.get("data_base64", ""))
                data += event.get("data", "").encode()
        assert data == b"c2\n\xff\0\xff", heard
        end = heard[-1]["result"]
        assert end["exit"] == 0 and end["stdout"] == "" == end["stderr"], end
        assert (end["stdout_bytes"], end["stderr_bytes"]) == (8, 3), end


def test_input_that_nobody_reads():
    with Speaker() as speaks:
        # More than a pipe holds: others go on meanwhile.
        speaks.say(id=1, argv=["sleep", "600"], stdin_open=True)
        speaks.say(id=1, input="x" * 1000000)
        speaks.say(id=2, argv=["echo", "fine"])
        assert speaks.hear()["result"]["stdout"] == "fine\n"
        speaks.say(id=1, cancel=True)
        heard = speaks.until(1, "none")
        assert heard[-1]["result"]["cancelled"], heard
        shut = "exec <&-; echo shut; sleep 600"
        speaks.say(id=3, argv=["sh", "-c", shut], stdin_open=True, stream=True)
        heard = speaks.until(3, "output")
        if len(heard) == 2:  # either may come first
            heard += speaks.until(3, "input_closed")
        assert sorted(e["kind"] for e in heard) == [
            "input_closed", "output", "started",
        ], heard
        speaks.say(id=3, input="late")
        speaks.say(id=3, cancel=True)
        assert speaks.until(3, "none")[-1]["result"]["cancelled"]
        speaks.say(id=3, input="later")
        assert code(speaks.hear()) == "request"
        # The end of the requests is the end of all input.
        speaks.say(id=4, argv=["sh", "-c", "cat; echo over"], stdin_open=True)
        speaks.say(id=4, input="last ")
        speaks.process.stdin.close()
        heard = speaks.until(4, "none")
        assert heard[-1]["result"]["stdout"] == "last over\n", heard


def test_a_window_stops_a_command_that_says_too_much():
    say = "head -c 3000000 /dev/zero | tr '\\0' x; echo done >&2"
    with Speaker() as speaks:
        speaks.say(id=1, argv=["sh", "-c", say], stream=True, window=100000)
        got = 0
        while got < 100000:
            event = speaks.hear()["event"]
            got += len(event.get("data", ""))
        # It has stopped: somebody else is answered, and nothing of it comes.
        for number in range(2, 6):
            speaks.say(id=number, argv=["true"])
            assert speaks.hear()["id"] == number
        assert got < 100000 + 65536 + 1
        speaks.say(id=1, read=got)
        while True:
            response = speaks.hear()
            if "event" not in response:
                break
            if response["event"]["stream"] == "stdout":
                got += len(response["event"]["data"])
            speaks.say(id=1, read=len(response["event"]["data"]))
        assert got == 3000000 == response["result"]["stdout_bytes"], got
        assert not response["result"]["truncated"]
        # A time-out, a cancel and the end of the requests do not wait for it.
        for way in ("time", "cancel", "end"):
            speaks.say(
                id=way,
                argv=["sh", "-c", say if way == "end" else "while :; do echo x; done"],
                stream=True,
                window=10,
                limits={"timeout_ms": 5000 if way == "time" else 600000},
            )
            speaks.until(way, "output")
            if way == "cancel":
                speaks.say(id=way, cancel=True)
            elif way == "end":
                speaks.process.stdin.close()
            end = speaks.until(way, "none")[-1]["result"]
            assert end["timed_out"] == (way == "time"), end
            assert end["cancelled"] == (way == "cancel"), end


def test_signals_and_stops():
    with Speaker() as speaks:
        trap = "trap 'echo usr' USR1; echo go; while :; do sleep 0.05; done"
        speaks.say(id=1, argv=["sh", "-c", trap], stream=True)
        speaks.until(1, "output")
        speaks.say(id=1, signal=signal.SIGUSR1)
        assert speaks.until(1, "output")[-1]["data"] == "usr\n"
        speaks.say(id=1, signal=signal.SIGSTOP)
        assert speaks.until(1, "stopped")[-1]["signal"] == signal.SIGSTOP
        speaks.say(id=1, signal=signal.SIGCONT)
        speaks.say(id=1, signal=signal.SIGUSR1)
        assert speaks.until(1, "output")[-1]["data"] == "usr\n"
        speaks.say(id=1, signal=signal.SIGKILL)
        assert speaks.until(1, "none")[-1]["result"]["signal"] == signal.SIGKILL
        # One that comes before there is a command waits for it.
        speaks.say(id=2, argv=["sleep", "600"])
        speaks.say(id=2, signal=signal.SIGKILL)
        assert speaks.hear()["result"]["signal"] == signal.SIGKILL
        speaks.say(id=2, signal=signal.SIGKILL)
        assert code(speaks.hear()) == "request"


def test_what_waits_can_be_cancelled():
    with Speaker("--jobs", "1") as speaks:
        speaks.say(id=1, argv=["sleep", "600"], stdin_open=True)
        for number in range(2, 12):  # more than wait without input under way
            speaks.say(id=number, argv=["true"])
        speaks.say(id=5, cancel=True)
        response = speaks.hear()
        assert (response["id"], code(response)) == (5, "cancelled")
        speaks.say(id=1, cancel=True)
        assert sorted(speaks.hear()["id"] for _ in range(10)) == [
            1, 2, 3, 4, 6, 7, 8, 9, 10, 11,
        ]


# ---- What run can do ---------------------------------------------------------


def test_everything_a_policy_has():
    top = os.path.dirname(config) + "/fields"
    os.mkdir(top)
    touch = ["sh", "-c", ": >%s/x" % top]
    assert result(touch)["exit"] == 0
    assert result(touch, paths={"write": [top]})["exit"] == 0
    assert result(touch, paths={"write": ["/tmp"], "deny": [top]})["exit"] != 0
    assert result(touch, set={"deny_write": [top]})["exit"] != 0
    assert result(touch, set={"git_metadata": "deny"})["exit"] == 0
    assert result(touch, paths={"write": []})["exit"] != 0
    assert result(touch, paths={"deny": []})["exit"] == 0
    list_it = ["ls", top + "/."]
    read = {"read": ["/usr", "/bin", "/lib", "/lib64", "/etc", "/dev", "/proc"]}
    assert result(["sh", "-c", "ls " + top], paths=read)["exit"] != 0
    assert result(list_it, set={"read_all": True})["exit"] == 0
    limits = {"memory": 1 << 30, "open_files": 77, "cpu_seconds": 50}
    end = result(["sh", "-c", "ulimit -v; ulimit -n; ulimit -t"], limits=limits)
    assert end["stdout"].split() == ["1048576", "77", "50"], end
    end = result(["sh", "-c", "ulimit -f"], limits={"file_size": 51200})
    assert end["stdout"].split() == ["100"], end
    kinds = [g["kind"] for g in result(["true"], limits={"processes": 9})["guarantees"]]
    assert "max_processes" in kinds or "limit" in " ".join(kinds), kinds
    for network, is_held in (("allow", False), ("deny", True)):
        end = result(["true"], network=network)
        kinds = [guarantee["kind"] for guarantee in end["guarantees"]]
        assert ("network" in kinds) == is_held, (network, kinds)
    said = " ".join(
        guarantee["text"] for guarantee in report(hosts=["one.example:443"])
    )
    assert "one.example" in said, said
    assert not result(["true"], backend="noop")["sandbox_applied"]
    assert result(["true"], witness=True)["exit"] == 0
    assert code(one({"id": 1, "argv": ["true"], "agent": "none"})) == (
        "invalid_policy"
    )
    end = result(touch, agent="writer", work_dir="/tmp")
    assert end["exit"] == (0 if top.startswith("/tmp/") else 2), end
    assert result(touch, agent="writer", work_dir="/usr")["exit"] != 0
    for fields in (
        {"set": {"nonsense": "x"}},
        {"set": {"write": [top], "read": "all", "network": "perhaps"}},
        {"backend": "nobody"},
        {"paths": {"write": ["relative"]}},
    ):
        response = one({"id": 1, "argv": ["true"], **fields})
        assert code(response) in ("invalid_policy", "plugin"), response
    twice = {"id": 1, "argv": ["true"], "limits": {"memory": 1}}
    response = one({**twice, "set": {"max_memory": 1}})
    assert "given twice" in response["error"]["message"], response


def test_what_differs_is_not_taken_from_the_store():
    touch = ["sh", "-c", ": >/tmp/x"]
    with Speaker() as speaks:
        for number in range(6):
            path = "/tmp" if number % 2 else "/usr"
            speaks.say(id=number, argv=touch, paths={"write": [path]})
            assert (speaks.hear()["result"]["exit"] == 0) == bool(number % 2)


def test_context_is_written_down():
    audit, audited = (os.path.dirname(config) + n for n in ("/said.log", "/said.conf"))
    with open(audited, "w", encoding="utf-8") as file:
        file.write('data_dir = "%s"\naudit = "%s"\n' % (data_dir, audit))
    with Speaker(file=audited) as speaks:
        speaks.say(id=1, argv=["true"], context="for user 7")
        assert "result" in speaks.hear()
    with open(audit, encoding="utf-8") as file:
        assert "for user 7" in file.read()


def test_describe_and_check():
    (response,) = ask([line({"id": 1, "describe": True, "policy": "shut"})])
    done = subprocess.run(
        [tool, "describe", "--config", config, "--policy", "shut", "--json",
         "--work-dir", "/"],
        stdout=subprocess.PIPE,
    )
    plain = json.loads(done.stdout)
    assert response["report"].keys() == plain.keys()
    assert [g["kind"] for g in response["report"]["guarantees"]] == [
        g["kind"] for g in plain["guarantees"]
    ]
    secret = data_dir + "/data/secret"
    wanted = {"access": "read", "paths": [secret, "/etc/passwd"]}
    (response,) = ask([line({"id": 1, "check": wanted})])
    done = subprocess.run(
        [tool, "check", "--config", config, "read", "--json", secret, "/etc/passwd"],
        stdout=subprocess.PIPE,
    )
    assert response["check"] == json.loads(done.stdout)
    assert response["check"]["blocked"]
    assert [r["blocked"] for r in response["check"]["results"]] == [True, False]
    (response,) = ask([line({"id": 1, "check": wanted, "policy": "none"})])
    assert code(response) == "invalid_policy"


def test_every_field_of_the_schema_is_known():
    for name in messages:
        for field in schema["$defs"][name]["properties"]:
            request = {"id": 1, field: [{}]}
            if name == "request":
                request.setdefault("argv", ["true"])
            elif name in ("describe", "check"):
                request.setdefault(name, True)
            (response,) = ask([json.dumps(request).encode()])
            assert code(response) in ("request", "version"), response
            said = response["error"]["message"]
            assert "not known" not in said and "not for such" not in said, said


def test_a_second_opinion_of_the_schema():
    if others is None:
        raise Skip("python3-jsonschema is not installed: one opinion only")


with open(cases_file, encoding="utf-8") as file:
    cases = json.load(file)["cases"]


def test_the_cases_that_bindings_share():
    for case in cases:
        request = json.loads(
            json.dumps(case["request"]).replace("@DATA_DIR@", data_dir)
        )
        response = one({"id": case["name"], **request})
        wanted = case["expect"]
        assert response.get("error", {}).get("code") == wanted.get("code"), (
            case["name"], response,
        )
        for name, value in wanted.items():
            if name != "code":
                assert response["result"].get(name) == value, (case["name"], response)


class Skip(Exception):
    pass


def is_sanitized():
    with open(library, "rb") as file:
        return b"__asan_init" in file.read()


def test_a_host_of_the_library_itself():
    if is_sanitized():
        raise Skip("a sanitizer is in the library, and not in python3")
    words = [sys.executable, host, "--library", library, "--data-dir", data_dir]
    done = subprocess.run(
        words + ["sh", "-c", "echo out; cat %s/data/secret; exit 5" % data_dir],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert done.returncode == 5, done
    assert done.stdout == b"out\n", done
    assert b"protected: True" in done.stderr, done


def shown(file):
    """The commands an indented block of a document shows, with what follows."""
    blocks = []
    for text in file:
        if text.startswith("    $ "):
            blocks.append((text[6:-1], []))
        elif text.startswith("    ") and blocks:
            blocks[-1][1].append(text[4:])
    return blocks


def test_the_examples_do_what_their_readme_shows():
    readme = os.path.join(os.path.dirname(host), "README.md")
    with open(readme, encoding="utf-8") as file:
        blocks = shown(file)
    assert len(blocks) == 3, blocks
    ways = {
        "rpc_client.py": "%s --tool %s --config %s" % (client_file, tool, config),
        "ctypes_host.py": "%s --library %s" % (host, library),
    }
    skipped = 0
    for command, lines in blocks:
        name = command.split()[1]
        if name == "ctypes_host.py" and (
            not os.path.exists(library) or is_sanitized()
        ):
            skipped += 1
            continue
        command = command.replace(name, ways[name])
        done = subprocess.run(
            command.replace("~/.omega", data_dir),
            shell=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        wanted = "".join(lines).replace("/home/me/.omega", data_dir)
        assert (done.stdout + done.stderr).decode() == wanted, done
    if skipped:
        raise Skip("python3 cannot load %s, %d of 3 not run" % (library, skipped))


tests = [(n, f) for n, f in sorted(globals().items()) if n.startswith("test_")]
print("1..%d" % len(tests))
for name, function in tests:
    count += 1
    if os.environ.get("OMEGA_TEST_ONLY", name) != name:
        continue
    try:
        function()
        print("ok %d - %s" % (count, name))
    except Skip as reason:
        print("ok %d - %s # SKIP %s" % (count, name, reason))
    except Exception as error:  # every way of failing is a failure
        where = traceback.extract_tb(error.__traceback__)[-1]
        print("# line %d: %.2000s: %r" % (where.lineno, where.line, error))
        print("not ok %d - %s" % (count, name))
    sys.stdout.flush()
