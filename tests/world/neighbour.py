#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Plays the other people of a machine while COMMAND runs, or for so long:
#   neighbour.py [--seconds N] [--crowd] [COMMAND [ARG...]]
# Their tmux, sockets that were moved, unlinked, bound by relative names or by
# names made to be misread, that come and go all the time, directories nobody
# may list, a .git in /tmp, a directory full of pipes, processes nobody
# collects, and load; with --crowd a disk with half a million names more. As
# root they are other users; otherwise they are the caller's own other programs.
#
# Bounded in number and time, and gone afterwards: everything is done by a
# keeper, whose children die with it and who ends when this program does,
# however that ends. The exit status is that of COMMAND.

import ctypes
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time

MARK = "omega-neighbour"
SPARE = 61970  # an ordinary user who is nobody else
PIPES = 66000
SOCKETS = 1200
NAMES = 520000
ZOMBIES = 300
LONGEST = 4 * 3600

is_root = os.geteuid() == 0
TMUX = "/tmp/%s.tmux" % MARK
made = []  # to be removed, last first
children = []


def say(text):
    print("neighbour: " + text, file=sys.stderr, flush=True)


def die_with_parent():
    ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)


def become_other():
    if is_root:
        os.setgroups([])
        os.setresgid(SPARE, SPARE, SPARE)
        os.setresuid(SPARE, SPARE, SPARE)
    os.environ.clear()
    os.environ.update(PATH="/usr/bin:/bin", HOME="/", LC_ALL="C", TERM="dumb")
    die_with_parent()  # forgotten at a change of user


def child(act, *args):
    """Let another user do that until the keeper ends."""
    ready, done = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(ready)
            become_other()
            keep = act(*args)
            os.write(done, b"x")
            os.close(done)
            while keep is not None:
                signal.pause()
        except Exception as error:
            say("%s: %s" % (act.__name__, error))
            os._exit(1)
        os._exit(0)
    children.append(pid)
    os.close(done)
    if os.read(ready, 1) != b"x":
        raise RuntimeError("%s could not be played" % act.__name__)
    os.close(ready)


def make_dir(path, mode, owner):
    os.mkdir(path)
    made.append(path)
    if is_root:
        os.chown(path, owner, owner)
    os.chmod(path, mode)
    return path


def bound(name, kind=socket.SOCK_STREAM):
    if "/" in name[1:]:
        os.makedirs(os.path.dirname(name), exist_ok=True)
    one = socket.socket(socket.AF_UNIX, kind)
    one.bind(name)
    if kind == socket.SOCK_STREAM:
        one.listen(1)
    return one


def sockets(base):
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    os.chdir(base)
    keep = []
    for name in ("moved", "unlinked", "relative", "@abstract-looking", "@",
                 " blank ", "new\nline", "a\n0000000000000000: 00000002 "
                 "00000000 00010000 0001 01 4711 /tmp/forged", "..dots.."):
        keep.append(bound(name))
    os.mkdir("deep", 0o700)
    os.rename("moved", "deep/moved there")
    os.unlink("unlinked")
    keep.append(bound("/proc/self/fd/%d/by-number" % os.open(".", os.O_RDONLY)))
    keep.append(bound("gone"))
    keep.append(bound("\0" + MARK))
    keep.append(bound("\0tmp.abstract"))
    for i in range(SOCKETS):
        keep.append(bound("many-%d" % i, socket.SOCK_DGRAM))
    os.mkdir("gone-dir")
    os.chdir("gone-dir")
    keep.append(bound("in-a-removed-directory"))
    os.unlink("in-a-removed-directory")
    os.rmdir("../gone-dir")
    return keep


def churn(base):
    """Whoever reads a list of sockets reads it while it changes."""
    os.chdir(base)
    if os.fork() == 0:
        die_with_parent()
        os.nice(5)
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            few = [bound("churn-%d" % i) for i in range(20)]
            time.sleep(0.01)
            for i, one in enumerate(few):
                one.close()
                os.unlink("churn-%d" % i)
        os._exit(0)
    return True


def crowd(directory):
    for i in range(NAMES):
        where = "%s/%d" % (directory, i // 10000)
        if i % 10000 == 0:
            os.mkdir(where)
            os.close(os.open(where + "/0", os.O_CREAT | os.O_WRONLY))
        else:
            os.link(where + "/0", "%s/%d" % (where, i % 10000))
    return True


def zombies():
    for _ in range(ZOMBIES):
        if os.fork() == 0:
            os._exit(0)
    return True


def load():
    os.nice(5)
    for _ in range(os.cpu_count() or 1):
        if os.fork() == 0:
            die_with_parent()
            end = time.monotonic() + LONGEST
            while time.monotonic() < end:
                sum(range(100000))
            os._exit(0)
    return True


def pipes(directory):
    for i in range(PIPES):
        os.mkfifo("%s/%s-%d" % (directory, MARK, i), 0o666)
    return True


def play_pipes():
    directory = "/tmp/.X11-unix"
    if not os.path.isdir(directory):
        make_dir(directory, 0o1777, 0)
    child(pipes, directory)


def play_tmux(base):
    if shutil.which("tmux") is None:
        say("there is no tmux")
        return
    for server in ("default", "with.dots and blanks"):
        # It leaves our session and group, so it is ended by its name.
        subprocess.run(["tmux", "-f", "/dev/null", "-S", base + "/" + server,
                        "new-session", "-d", "-s", "work.at",
                        "exec sleep %d" % LONGEST],
                       preexec_fn=become_other, check=True)


def end_tmux(base):
    for server in ("default", "with.dots and blanks"):
        subprocess.run(["tmux", "-S", base + "/" + server, "kill-server"],
                       check=False, stderr=subprocess.DEVNULL)


def play_git(directory):
    path = directory + "/.git"
    with open(path, "x") as file:
        made.append(path)
        file.write("gitdir: /usr\n")
    if is_root:
        os.chown(path, SPARE, SPARE)


def play_closed(base):
    """As /run/sudo: others may pass and not look, and root has sockets."""
    closed = make_dir(base + "/" + MARK, 0o711, 0)
    os.mkdir(closed + "/ts", 0o700)
    keep = [bound(closed + "/ts/socket")]
    if is_root:
        keep.append(bound(closed + "/given"))
        os.chown(closed + "/given", SPARE, SPARE)
    return keep


def play(is_crowded):
    """What is returned has to be kept."""
    base = make_dir("/tmp/%s" % MARK, 0o755, SPARE)
    child(sockets, base)
    child(churn, make_dir("/tmp/%s.churn" % MARK, 0o755, SPARE))
    if is_crowded:
        child(crowd, make_dir("/var/tmp/%s" % MARK, 0o755, SPARE))
    play_tmux(make_dir(TMUX, 0o700, SPARE))
    child(zombies)
    keep = play_closed("/run" if is_root else base)
    play_git("/tmp")
    play_git("/var/tmp")
    play_pipes()
    child(load)
    return keep


def clean():
    if TMUX in made:
        end_tmux(TMUX)
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    for path in reversed(made):
        if os.path.isdir(path) and not os.path.islink(path):
            # Somebody's child may be ending still.
            for _ in range(300):
                shutil.rmtree(path, ignore_errors=True)
                if not os.path.lexists(path):
                    break
                time.sleep(0.1)
        else:
            os.unlink(path)
    directory = "/tmp/.X11-unix"
    for name in os.listdir(directory) if os.path.isdir(directory) else []:
        if name.startswith(MARK) and made:
            os.unlink(directory + "/" + name)


def keeper(until, ready, is_crowded):
    """Until the pipe says that who started us has ended, however that was."""
    os.setsid()
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    try:
        keep = play(is_crowded)
        os.write(ready, b"x")
        os.close(ready)
        os.read(until, 1)
        del keep
    except Exception as error:
        say(str(error))
    clean()
    os._exit(0)  # and our children with us


def main():
    arguments = sys.argv[1:]
    seconds = LONGEST
    if arguments[:1] == ["--seconds"] and len(arguments) > 1:
        seconds = min(int(arguments[1]), LONGEST)
        arguments = arguments[2:]
    is_crowded = "--crowd" in arguments[:1]
    if is_crowded:
        arguments = arguments[1:]
    if len(sys.argv) == 1 or "".join(arguments[:1]).startswith("-"):
        sys.exit("usage: neighbour.py [--seconds N] [--crowd] [COMMAND [ARG...]]")
    until, held = os.pipe()
    started, ready = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(held)
        os.close(started)
        keeper(until, ready, is_crowded)
    os.close(ready)
    if os.read(started, 1) != b"x":
        os.waitpid(pid, 0)
        sys.exit("neighbour: not everything could be played")
    # A signal ends us, and with us the pipe the keeper reads from.
    if arguments:
        status = subprocess.run(arguments, check=False).returncode
    else:
        time.sleep(seconds)
        status = 0
    os.close(held)
    os.waitpid(pid, 0)
    return status if status >= 0 else 128 - status


sys.exit(main())
