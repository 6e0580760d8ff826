# SPDX-License-Identifier: MIT
"""Type at "omega-sandbox run" on a terminal, as a person does, and see.

Usage: pty-drive.py TOOL CONF DATA_DIR, in a directory of its own. Prints one
line of TAP for each use. Nothing is typed before what must come first was seen,
and nothing is waited for longer than PATIENCE.
"""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

PATIENCE = 60
TOOL, CONF, DATA = sys.argv[1:4]
RUN = [TOOL, 'run', '--config', CONF, '--data-dir', DATA]


class Failed(Exception):
    pass


def until(what, why):
    """Wait for what() to be true, and give it."""
    end = time.monotonic() + PATIENCE
    while True:
        value = what()
        if value:
            return value
        if time.monotonic() > end:
            raise Failed(why)
        time.sleep(0.02)


class Terminal:
    """A terminal with a program on it, which leads its session."""

    def __init__(self, words):
        self.seen = b''
        self.mark = 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP,
                               signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU,
                               signal.SIGPIPE):
                    signal.signal(number, signal.SIG_DFL)
                os.execvp(words[0], words)
            finally:
                os._exit(99)
        self.resize(24, 80)

    def resize(self, lines, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
                    struct.pack('HHHH', lines, columns, 0, 0))

    def look(self, seconds):
        """Take what comes; False: nothing more will."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            got = b''
        self.seen += got
        return got != b''

    def see(self, text):
        """Wait for it, behind what was seen last. The match."""
        pattern = re.compile(text if isinstance(text, bytes)
                             else re.escape(text.encode()))
        end = time.monotonic() + PATIENCE
        while True:
            found = pattern.search(self.seen, self.mark)
            if found:
                self.mark = found.end()
                return found
            if time.monotonic() > end or not self.look(0.5):
                raise Failed('no %r in %r' %
                             (text, self.seen[self.mark:][-2000:]))

    def type(self, keys):
        data = keys.encode()
        while data:
            data = data[os.write(self.fd, data):]

    def end(self):
        """Whatever runs there ends."""
        os.close(self.fd)
        for number in signal.SIGHUP, signal.SIGKILL:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass
            for _ in range(250):
                if os.waitpid(self.pid, os.WNOHANG)[0]:
                    return
                time.sleep(0.02)


class Shell(Terminal):
    """A shell with job control; each prompt has its own number."""

    def __init__(self):
        os.environ['PS1'] = 'now\\#> '
        super().__init__(['bash', '--norc', '--noprofile', '-i'])
        self.prompt()
        self.do("set +H; bind 'set enable-bracketed-paste off'")

    def prompt(self):
        self.see(rb'now\d+> $')

    def begin(self, line):
        """Type a line and see that it was taken."""
        self.type(line + '\r')
        self.see('\n')

    def do(self, line):
        """A line, and what it has printed."""
        self.begin(line)
        start = self.mark
        self.prompt()
        return self.seen[start:self.mark].decode(errors='replace')

    def stop(self):
        """Ctrl-Z; once more if need be: less may be about to read, and then
        looks at signals with the next key."""
        for _ in range(PATIENCE // 5):
            self.type('\x1a')
            end = time.monotonic() + 5
            while time.monotonic() < end and self.look(0.5):
                if b'Stopped' in self.seen[self.mark:]:
                    self.see('Stopped')
                    return
        self.see('Stopped')

    def resize_until(self, rows, columns, text):
        """Another size, and once more one that is hardly another if need be,
        for the same reason."""
        for i in range(PATIENCE // 5):
            self.resize(rows, columns + i % 2)
            end = time.monotonic() + 5
            while time.monotonic() < end and self.look(0.5):
                if text in self.seen[self.mark:]:
                    self.see(text.decode())
                    return
        self.see(text.decode())

    def status(self, number):
        """After a prompt: of what was before it."""
        said = self.do('echo "status"=$?')
        if 'status=%d\r' % number not in said:
            raise Failed('status=%d expected: %r' % (number, said))


def run(*words, option=''):
    """The line that runs a command."""
    parts = RUN + option.split() + ['--'] + list(words)
    return ' '.join("'%s'" % p.replace("'", "'\\''") for p in parts)


def find(word, name='sleep'):
    """The process of this name that has this word."""
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/cmdline' % pid, 'rb') as file:
                words = file.read().split(b'\0')
        except OSError:
            continue
        if word.encode() in words and words[0] == name.encode():
            return int(pid)
    return 0


def is_in_front(word, name='sleep'):
    """Does that process run, and have the keys?"""
    try:
        with open('/proc/%d/stat' % find(word, name)) as file:
            fields = file.read().rsplit(')', 1)[1].split()
    except OSError:
        return False
    return fields[0] in 'RS' and fields[2] == fields[5]


def tool_of(shell):
    """The tool that the shell has started."""
    path = '/proc/%d/task/%d/children' % (shell.pid, shell.pid)
    with open(path) as file:
        pids = file.read().split()
    return int(pids[0]) if pids else 0


def kill(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def begin_cat(shell, option):
    """Something that repeats what is typed, once it does."""
    shell.begin(run('sh', '-c', 'echo u""p; exec cat -u', option=option))
    shell.see('up')


# ---- The uses: each is given a shell at its prompt, and leaves it so ---------

def use_size(shell, option):
    """the size of the window, and its changes"""
    shell.begin(run('sh', '-c', 'trap "stty size" WINCH; echo u""p; stty size;'
                    'while :; do sleep 0.1; done', option=option))
    shell.see(b'up\r\n24 80\r\n')
    shell.resize(31, 90)
    shell.see('31 90')
    shell.type('\x03')
    shell.prompt()
    shell.status(130)
    shell.resize(24, 80)


def use_interrupt(shell, option):
    """Ctrl-C reaches the command, whose status counts"""
    shell.begin(run('sh', '-c', 'trap "exit 3" INT; echo u""p;'
                    'while :; do sleep 0.1; done', option=option))
    shell.see('up')
    shell.type('\x03')
    shell.prompt()
    shell.status(3)


def use_script(shell, option):
    """Ctrl-C makes an end of a script around it"""
    once = run('sh', '-c', 'echo u""p; exec sleep 1005', option=option)
    shell.begin('(while :; do %s; done; echo af""ter)' % once)
    until(lambda: find('1005'), 'no sleep')
    start = shell.mark
    shell.type('\x03')
    shell.prompt()
    if b'after' in shell.seen[start:shell.mark]:
        raise Failed('the script goes on')
    shell.status(130)


def use_ignored(shell, option):
    """Ctrl-C that the command ignores"""
    shell.begin(run('sh', '-c', 'trap "" INT; echo u""p; read x; echo got-$x',
                    option=option))
    shell.see('up')
    shell.type('\x03')
    shell.see('^C')
    shell.type('word\r')
    shell.see('got-word')
    shell.prompt()
    shell.status(0)


def use_quit(shell, option):
    """Ctrl-\\"""
    shell.begin(run('sh', '-c', 'ulimit -c 0; echo u""p; exec sleep 1000',
                    option=option))
    shell.see('up')
    shell.type('\x1c')
    shell.prompt()
    shell.status(131)


def use_end_of_file(shell, option):
    """lines and the end of file"""
    begin_cat(shell, option)
    shell.type('hello\r')
    shell.see(b'hello\r\n(.|\n)*hello\r\n')
    shell.type('\x04')
    shell.prompt()
    shell.status(0)


def use_stop(shell, option):
    """Ctrl-Z, bg, fg"""
    begin_cat(shell, option)
    shell.type('one\r')
    shell.see(b'one\r\n(.|\n)*one\r\n')
    shell.stop()
    shell.prompt()
    shell.do('bg')
    # It wants to read and cannot; the shell tells with a prompt.
    until(lambda: 'Stopped' in shell.do('jobs'), 'not stopped by reading')
    shell.begin('fg')
    until(lambda: is_in_front('-u', 'cat'), 'no cat in front')
    shell.type('two\r')
    shell.see(b'two\r\n(.|\n)*two\r\n')
    shell.type('\x04')
    shell.prompt()
    shell.status(0)


def use_lines(shell, option):
    """lines of a job that goes on behind, and in front again"""
    # It starts nobody: who waits for a child that has yet to exec cannot stop.
    script = ('echo u""p; read x <go; echo o""ne; echo t""wo; '
              'read x <go; echo th""ree; echo fo""ur')
    os.mkfifo('go')
    go = os.open('go', os.O_RDWR)
    try:
        shell.begin(run('sh', '-c', script, option=option))
        shell.see('up')
        shell.stop()
        shell.prompt()
        shell.do('bg')
        os.write(go, b'\n')
        shell.see('one\r\ntwo\r\n')
        shell.begin('fg')
        os.write(go, b'\n')
        shell.see('three\r\nfour\r\n')
        shell.prompt()
        shell.status(0)
    finally:
        os.close(go)
        os.unlink('go')


def use_background(shell, option):
    """a job in the background that reads"""
    shell.do(run('cat', '-u', option=option) + ' &')
    until(lambda: 'Stopped' in shell.do('jobs'), 'not stopped by reading')
    shell.begin('fg')
    until(lambda: is_in_front('-u', 'cat'), 'no cat in front')
    shell.type('hello\r')
    shell.see(b'hello\r\n(.|\n)*hello\r\n')
    shell.type('\x04')
    shell.prompt()
    shell.status(0)


def use_less(shell, option):
    """less, Ctrl-Z, fg, another size"""
    with open('lines', 'w') as file:
        file.writelines('line %d\n' % i for i in range(1, 61))
    shell.begin(run('less', 'lines', option=option))
    shell.see('line 23')
    shell.stop()
    shell.prompt()
    shell.begin('fg')
    shell.see('line 23')
    shell.resize_until(40, 100, b'line 39')
    shell.resize_until(24, 80, b'line 23')
    shell.type('q')
    shell.prompt()
    shell.resize(24, 80)
    shell.status(0)


def use_editor(shell, option):
    """vi, Ctrl-Z, fg"""
    if os.path.exists('text'):
        os.unlink('text')
    editor = next(filter(shutil.which, ('vim', 'vim.tiny', 'vim.basic')), None)
    if editor is None:
        return 'there is no vim'
    shell.begin(run(editor, '-u', 'NONE', '-i', 'NONE', '-n', 'text',
                    option=option))
    shell.see('~')
    shell.type('ifirst\r')
    shell.see('first')
    # A key behind the escape, so that it is none of a sequence.
    shell.type('\x1b')
    time.sleep(1.5)
    shell.stop()
    shell.prompt()
    shell.begin('fg')
    shell.see('first')
    shell.type('Gosecond')
    shell.see('second')
    shell.type('\x1b')
    time.sleep(1.5)
    shell.type(':wq\r')
    shell.prompt()
    shell.status(0)
    with open('text') as file:
        if file.read().split() != ['first', 'second']:
            raise Failed('what was typed is lost')
    return None


def use_shell(shell, option):
    """a shell with jobs of its own"""
    shell.begin(run('env', 'PS1=in\\#> ', 'bash', '--norc', '--noprofile',
                    '-i', option=option))
    shell.see(rb'in1> $')
    shell.begin('sleep 1000')
    until(lambda: is_in_front('1000'), 'no sleep in front')
    shell.stop()
    shell.see(rb'in2> $')
    shell.begin('bg; jobs')
    shell.see('Running')
    shell.see(rb'in3> $')
    shell.begin('fg')
    until(lambda: is_in_front('1000'), 'no sleep in front')
    shell.type('\x03')
    shell.see(rb'in\d+> $')
    shell.begin('echo "status"=$?')
    shell.see('status=130')
    shell.see(rb'in\d+> $')
    # With the shell itself, by its own word.
    shell.begin('suspend')
    shell.see('Stopped')
    shell.prompt()
    shell.begin('fg')
    shell.see(rb'in\d+> $')
    shell.begin('exit 7')
    shell.prompt()
    shell.status(7)


def use_tmux(shell, option):
    """tmux inside"""
    if shutil.which('tmux') is None:
        return 'there is no tmux'
    socket = os.path.join(os.getcwd(), 's')
    shell.begin(run('tmux', '-S', socket, '-f', '/dev/null', 'new-session',
                    'echo $((40 + 2))-inside; read x', option=option))
    try:
        shell.see('42-inside')
        shell.type('\r')
        shell.see('exited')
        shell.prompt()
        shell.status(0)
    finally:
        subprocess.run(['tmux', '-S', socket, 'kill-server'],
                       stderr=subprocess.DEVNULL, timeout=PATIENCE)
        until(lambda: subprocess.run(
            ['tmux', '-S', socket, 'ls'], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=PATIENCE).returncode,
            'the server does not end')
        if os.path.exists(socket):
            os.unlink(socket)
    return None


def use_kill(shell, option):
    """kill -9 of the command"""
    shell.begin(run('sleep', '1001', option=option))
    os.kill(until(lambda: find('1001'), 'no sleep'), signal.SIGKILL)
    shell.prompt()
    shell.status(137)


def use_terminate(shell, option):
    """SIGTERM of the tool"""
    shell.begin(run('sleep', '1002', option=option))
    until(lambda: find('1002'), 'no sleep')
    os.kill(tool_of(shell), signal.SIGTERM)
    shell.prompt()
    shell.status(143)


def use_settings(shell, option):
    """what the command does to its terminal is its own"""
    said = shell.do(run('sh', '-c', 'stty raw -echo intr ^K; stty rows 7;'
                        'stty -a | grep -o "rows 7"', option=option))
    if 'rows 7' not in said:
        raise Failed('no setting of its own: %r' % said)
    shell.do(run('/no/such/command', option=option))
    shell.status(127)


def use_output(shell, option):
    """output up to the last byte"""
    said = shell.do(run('seq', '1', '20000', option=option))
    if not re.search(r'\b19999\r+\n20000\r', said):
        raise Failed('the end is missing: %r' % said[-200:])


def use_flow(shell, option):
    """a command that stops its terminal's output does not stop the tool's"""
    for act in ('tcflow(0, TCOOFF)',
                # TIOCSETD, N_NULL
                '$n = pack("i", 27); ioctl(STDIN, 0x5423, $n)'):
        for more, want in ((' --verbose', 'exit 3'), (' --json', '"exit": 3')):
            said = shell.do(run('perl', '-MPOSIX', '-e', act + '; exit 3',
                                option=option + more))
            if want not in said:
                raise Failed('%s: no %s: %r' % (act, want, said[-300:]))
            shell.status(3)


def use_pipes(shell, option):
    """pipes on either side, a pager behind it"""
    for line, want in (
            (run('seq', '1', '3000', option=option) + ' | tail -n 1', '3000'),
            ('echo he""llo | ' + run('cat', option=option), 'hello'),
            (run('sh', '-c', 'echo er""ror >&2', option=option) +
             ' >/dev/null </dev/null', 'error'),
            ('echo | ' + run('sh', '-c', 'exec </dev/tty; echo u""p; read x;'
                             'echo got-$x', option=option), None)):
        if want is None:
            shell.begin(line)
            shell.see('up')
            shell.type('it\r')
            shell.see('got-it')
            shell.prompt()
        else:
            said = shell.do(line)
            if want not in said or '\r\r' in said:
                raise Failed('no %s in %r' % (want, said))
    shell.begin(run('seq', '1', '100', option=option) + ' | less')
    shell.see(b'\n23\r?\n')
    shell.type('q')
    shell.prompt()
    shell.status(0)
    shell.begin(run('sh', '-c', 'sleep 1003; true', option=option) + ' | cat')
    until(lambda: find('1003'), 'no sleep')
    shell.type('\x03')
    shell.prompt()


def use_descriptors(shell, option):
    """no descriptor is the caller's terminal"""
    own = re.search(r'/dev/\S+', shell.do('tty')).group()
    said = shell.do(run(
        'sh', '-c', 'for i in 0 1 2; do readlink /proc/self/fd/$i; done;'
        'echo by-name >/dev/tty', option=option))
    names = re.findall(r'/dev/pts/\d+', said)
    if len(names) != 3 or own in names or 'by-name' not in said:
        raise Failed('%s: %r' % (own, said))
    said = shell.do(run('readlink', '/proc/self/fd/2', option=option) +
                    ' </dev/null | cat')
    if own in said or '/dev/pts/' not in said:
        raise Failed('%s: %r' % (own, said))


def use_json(shell, option):
    """--json with a terminal to read from"""
    shell.begin(run('sh', '-c', 'echo u""p >/dev/tty; exec cat',
                    option=option + ' --json'))
    shell.see('up')
    shell.type('hello\r')
    shell.see('hello')
    shell.type('\x04')
    shell.see(b'"stdout": "hello')
    shell.prompt()


def use_survivor(shell, option):
    """what is left in the background stays"""
    shell.do(run('sh', '-c', 'sleep 1004 & echo', option=option))
    shell.status(0)
    os.kill(until(lambda: find('1004'), 'it is gone'), signal.SIGKILL)


def use_kept(shell, option):
    """session = keep: the caller's terminal, Ctrl-Z, Ctrl-C"""
    option += ' --session keep'
    # Which may have another name inside.
    ask = ('stat', '-L', '-c', 'is_%t_%T', '/dev/stdin')
    own = re.search(r'is_[0-9a-f]+_[0-9a-f]+', shell.do(' '.join(ask))).group()
    if own not in shell.do(run(*ask, option=option)):
        raise Failed('another terminal')
    begin_cat(shell, option)
    shell.type('one\r')
    shell.see(b'one\r\n(.|\n)*one\r\n')
    shell.stop()
    shell.prompt()
    shell.begin('fg')
    until(lambda: is_in_front('-u', 'cat'), 'no cat in front')
    shell.type('two\r')
    shell.see(b'two\r\n(.|\n)*two\r\n')
    shell.type('\x03')
    shell.prompt()
    shell.status(130)


USES = (use_size, use_interrupt, use_script, use_ignored, use_quit,
        use_end_of_file, use_stop, use_lines, use_background, use_less,
        use_editor, use_shell, use_tmux, use_kill, use_terminate,
        use_settings, use_output, use_flow, use_pipes, use_descriptors, use_json,
        use_survivor, use_kept)
# With a supervisor between; what is left behind ends with the command then.
LIMITED = (use_size, use_interrupt, use_quit, use_stop, use_lines,
           use_background, use_less, use_shell, use_kill, use_terminate,
           use_kept)


# ---- Without a shell: what reaches the others of the caller's session -------

def on_stage(words):
    """Run words from a session on a terminal, without job control. The names
    of the signals that have come to its leader and to another job of it."""
    read_end, write_end = os.pipe()
    pid, fd = pty.fork()
    if pid == 0:
        try:
            play(words, write_end)
        finally:
            os._exit(99)
    os.close(write_end)
    said = b''
    end = time.monotonic() + 3 * PATIENCE
    while time.monotonic() < end:
        ready = select.select([fd, read_end], [], [], 1)[0]
        try:
            if fd in ready:
                os.read(fd, 65536)
        except OSError:
            pass
        if read_end in ready:
            got = os.read(read_end, 65536)
            if not got:
                break
            said += got
    kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(fd)
    os.close(read_end)
    if not said:
        raise Failed('nothing was told')
    return json.loads(said)


def play(words, out):
    every = set(signal.valid_signals()) - {signal.SIGUSR1}
    heard = {}
    signal.pthread_sigmask(signal.SIG_SETMASK, every | {signal.SIGUSR1})
    read_end, write_end = os.pipe()
    victim = os.fork()
    if victim == 0:
        os.setpgid(0, 0)
        os.write(write_end, b'x')
        signal.sigwait({signal.SIGUSR1})
        os.write(write_end, ' '.join(sorted(
            s.name for s in signal.sigpending())).encode() or b'none')
        os._exit(0)
    os.read(read_end, 1)
    done = subprocess.run(
        [w.replace('VICTIM', str(victim)).replace('LEADER', str(os.getpid()))
         for w in words], timeout=PATIENCE,
        preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, []))
    os.kill(victim, signal.SIGUSR1)
    heard['victim'] = os.read(read_end, 4096).decode()
    heard['leader'] = ' '.join(sorted(
        s.name for s in signal.sigpending() - {signal.SIGCHLD}))
    heard['status'] = done.returncode
    os.write(out, json.dumps(heard).encode())
    os._exit(0)


ATTACK = '''
import fcntl, os, signal, struct, sys, termios

def child(fn):
    pid = os.fork()
    if pid == 0:
        try:
            fn()
        finally:
            os._exit(0)
    # One that has stopped may be waited for as well.
    os.waitpid(pid, os.WUNTRACED)
    return pid

def stop_in(group):
    os.setpgid(0, group)
    os.kill(os.getpid(), signal.SIGSTOP)

def orphan(group):
    os.setpgid(0, 0)
    child(lambda: stop_in(group))

def read_in(group):
    os.setpgid(0, group)
    os.read(0, 1)

def change_in(group):
    os.setpgid(0, group)
    termios.tcsetattr(0, termios.TCSANOW, termios.tcgetattr(0))

signal.signal(signal.SIGHUP, signal.SIG_IGN)
behind, before = map(int, sys.argv[1:])
child(lambda: orphan(before))
for act in read_in, change_in:
    os.kill(child(lambda: act(behind)), signal.SIGKILL)
for fd in 0, 1, 2:
    try:
        fcntl.ioctl(fd, termios.TIOCSWINSZ,
                    struct.pack('HHHH', 11 + fd, 22, 0, 0))
    except OSError:
        pass
'''


def attack(option, wants):
    with open('attack', 'w') as file:
        file.write(ATTACK)
    heard = on_stage(RUN + option.split() + ['--', '/usr/bin/python3', '-I',
                                             'attack', 'VICTIM', 'LEADER'])
    if wants:
        for who, names in (('victim', ('SIGTTIN', 'SIGTTOU')),
                           ('leader', ('SIGHUP', 'SIGWINCH'))):
            for name in names:
                if name not in heard[who]:
                    raise Failed('the attack is none: %r' % heard)
    elif heard['victim'] != 'none' or heard['leader'] != '':
        raise Failed('signals have come: %r' % heard)


def stop_alone(option):
    """P3: a command that stops itself, and nobody to continue it."""
    heard = on_stage(RUN + option.split() + ['--timeout', '2', '--', 'sh', '-c',
                                             'kill -STOP $$'])
    if heard['victim'] != 'none' or heard['leader'] != '':
        raise Failed('signals have come: %r' % heard)
    if heard['status'] not in (0, 124):
        raise Failed('the command does not end: %r' % heard)


def stage_gone():
    """A terminal that is gone is gone for the command, too."""
    there = os.path.join(os.getcwd(), 'gone')
    terminal = Terminal(RUN + ['--', 'sh', '-c', 'trap "" HUP; echo u""p; '
                               'cat >/dev/null 2>&1; echo over >' + there])
    terminal.see('up')
    os.close(terminal.fd)
    until(lambda: os.path.exists(there), 'it waits for a terminal for ever')
    os.waitpid(terminal.pid, 0)
    os.unlink(there)


STAGES = (
    ('attacks by session and terminal do what they should outside',
     lambda: attack('--backend noop --session keep', True)),
    ('attacks by session and terminal reach nobody',
     lambda: attack('', False)),
    ('attacks by session and terminal reach nobody, with a time-out',
     lambda: attack('--timeout 600', False)),
    ('a terminal that is gone is so for the command', stage_gone),
    ('a command that stops hurts nobody', lambda: stop_alone('')),
    ('a command that stops hurts nobody, with session = keep',
     lambda: stop_alone('--session keep')),
)


def tell(name, fn):
    try:
        why = fn()
    except (Failed, OSError, subprocess.SubprocessError) as fault:
        print('not ok - %s' % name)
        print('# %s' % str(fault)[-900:].replace('\n', '\n# '))
        ok = False
    else:
        print('ok - %s%s' % (name, ' # SKIP %s' % why if why else ''))
        ok = True
    sys.stdout.flush()
    return ok


def settled(shell, use, option):
    """A use, after which the caller's terminal must be as it was."""
    before = shell.do('stty -a').split('now')[0]
    why = use(shell, option)
    after = shell.do('stty -a').split('now')[0]
    if before != after:
        raise Failed('%s became %s' % (before, after))
    return why


def main():
    only = os.environ.get('OMEGA_TEST_ONLY', '')
    os.environ.update(TERM='screen', SHELL='/bin/sh', LC_ALL='C.UTF-8')
    shell = None
    for uses, option, words in ((USES, '', ''), (LIMITED, '--timeout 3600',
                                                 ', with a time-out')):
        for use in uses:
            if only not in use.__name__:
                continue
            shell = shell or Shell()
            if not tell(use.__doc__ + words,
                        lambda: settled(shell, use, option)):
                shell.end()
                shell = None
    if shell:
        shell.end()
    for name, stage in STAGES:
        if only in name:
            tell(name, stage)


main()
