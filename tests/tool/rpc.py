# SPDX-License-Identifier: MIT
"""omega-sandbox rpc, as a host speaks to it. Prints TAP.

    rpc.py TOOL CONFIG SCHEMA CLIENT DATA_DIR HOST LIBRARY

HOST calls the LIBRARY itself.
"""

import ctypes
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time

tool, config, schema_file, client_file, data_dir, host, library = sys.argv[1:]
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
    "minimum", "minItems", "$ref",
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
    if "minItems" in rule:
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


# ---- Speaking ----------------------------------------------------------------


def ask(lines, *words):
    """Feed lines, return the responses, all of them valid."""
    done = subprocess.run(
        [tool, "rpc", "--config", config, *words],
        input=b"".join(lines),
        stdout=subprocess.PIPE,
        timeout=300,
    )
    responses = [json.loads(line) for line in done.stdout.splitlines()]
    for response in responses:
        validate(response, {"$ref": "#/$defs/response"}, "response")
        assert ("result" in response) != ("error" in response)
    assert done.returncode == 0, done.returncode
    return responses


def line(request, name="request"):
    validate(request, {"$ref": "#/$defs/" + name}, "request")
    return json.dumps(request).encode() + b"\n"


def one(request, *words):
    (response,) = ask([line(request)], *words)
    assert response["id"] == request["id"]
    return response


def result(argv, **fields):
    response = one({"id": 1, "argv": argv, **fields})
    assert "result" in response, response
    return response["result"]


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
    with subprocess.Popen(
        [tool, "rpc", "--config", config],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as speaks:
        for number in range(3):
            os.mkdir(top + "/dir")
            open(top + "/file", "w", encoding="utf-8").close()
            speaks.stdin.write(line({"id": 1, "argv": write, "policy": "kept"}))
            speaks.stdin.flush()
            response = json.loads(speaks.stdout.readline())
            assert response["result"]["stdout"] == "", response
            for name in ("/dir", "/file"):
                os.rename(top + name, "%s%s%d" % (top, name, number))
        speaks.stdin.close()


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
    with subprocess.Popen(
        [tool, "rpc", "--config", config],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as speaks:
        for _ in range(100):
            speaks.stdin.write(line({"id": 1, "argv": ["true"]}))
            speaks.stdin.flush()
            response = json.loads(speaks.stdout.readline())
            assert "result" in response, response
        speaks.stdin.close()


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
    process = subprocess.Popen(
        [tool, "rpc", "--config", config],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    process.stdout.close()
    process.stdin.write(line({"id": 1, "argv": ["true"]}))
    process.stdin.flush()
    time.sleep(0.2)
    try:
        for i in range(2, 2000):
            process.stdin.write(line({"id": i, "argv": ["true"]}))
            process.stdin.flush()
        process.stdin.close()
    except BrokenPipeError:
        pass
    assert process.wait(timeout=120) == 2


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
    try:
        function()
        print("ok %d - %s" % (count, name))
    except Skip as reason:
        print("ok %d - %s # SKIP %s" % (count, name, reason))
    except Exception as error:  # every way of failing is a failure
        print("# %s: %r" % (type(error).__name__, error))
        print("not ok %d - %s" % (count, name))
    sys.stdout.flush()
