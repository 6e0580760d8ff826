# SPDX-License-Identifier: MIT
#
# Everyday work, see use.sh: terminals, devices and what draws on them.

use_script() {
	test "$(script -qec 'tty; test -t 0 && echo terminal' /dev/null |
		grep -c -e /dev/pts/ -e terminal)" = 2
	script -qec 'echo x >/dev/tty; stty -a </dev/tty; stty rows 30' /dev/null
}

use_openpty() {
	python3 - <<'END'
import os, pty, fcntl, termios, struct
a, b = os.openpty()
fcntl.ioctl(a, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 90, 0, 0))
os.write(b, b"x"); assert os.read(a, 1) == b"x"
assert os.ttyname(b).startswith("/dev/pts/")
pid, fd = pty.fork()
if pid == 0:
    os.execvp("sh", ["sh", "-c", "stty size; echo done >/dev/tty"])
text = b""
try:
    while True:
        text += os.read(fd, 100)
except OSError:
    pass
assert b"done" in text, text
assert os.waitpid(pid, 0)[1] == 0
END
}

use_job_control() {
	cat >"$W/commands" <<'END'
sleep 100
echo "stopped: $(jobs -s | grep -c sleep)"
bg
jobs -r
kill %1
wait %1
echo "running: $(jobs -r | grep -c sleep)"
sleep 0.1 | cat &
fg
exit
END
	python3 - "$W/commands" >"$W/out" <<'END'
import os, pty, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ["PS1"] = "READY "
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
def until(word):
    text = b""
    while word not in text:
        text += os.read(fd, 1000)
    sys.stdout.write(text.decode())
until(b"READY ")
for line in open(sys.argv[1], "rb"):
    os.write(fd, line)
    if line.startswith(b"sleep 100"):
        while open("/proc/%d/comm" % os.tcgetpgrp(fd)).read() != "sleep\n":
            time.sleep(0.1)
        os.write(fd, b"\x1a")
    if line.startswith(b"exit"):
        break
    until(b"READY ")
try:
    while os.read(fd, 1000):
        pass
except OSError:
    pass
END
	cat "$W/out"
	grep -q '^stopped: 1' "$W/out"
	grep -q '^running: 0' "$W/out"
}

use_tmux() {
	export TERM=xterm
	tmux -S "$W/tmux" -f /dev/null new-session -d "echo x >$W/from; sleep 300"
	tmux -S "$W/tmux" new-window "tty >$W/tty"
	for i in $(seq 300); do
		grep -q /dev/pts/ "$W/tty" && break
		sleep 0.2
	done
	grep -q /dev/pts/ "$W/tty"
	tmux -S "$W/tmux" list-windows
	server=$(tmux -S "$W/tmux" display-message -p '#{pid}')
	tmux -S "$W/tmux" kill-server
	# While it lives its socket is in the way of the next.
	while kill -0 "$server" 2>/dev/null; do
		sleep 0.1
	done
}

use_devices() {
	echo x >/dev/null
	cat /dev/null
	test "$(head -c 4 /dev/zero | od -An -tx1)" = " 00 00 00 00"
	! echo x 2>"$W/err" >/dev/full
	head -c 4 /dev/random >"$W/random"
	head -c 4 /dev/urandom >"$W/random"
	echo x | cat /dev/stdin >/dev/stdout
	echo x >/dev/stderr
	echo x | cat /dev/fd/0
	dd if=/dev/zero of=/dev/null count=1
	script -qec 'echo x >/dev/tty && head -n 0 /dev/tty' /dev/null
}

use_manual() {
	MANPAGER=cat PAGER=cat man -P cat man
	echo x | less -F
}

use_vim() {
	echo old >"$HOME/.edited"
	vim -u NONE -es -c 's/old/new/' -c wq "$HOME/.edited"
	test "$(cat "$HOME/.edited")" = new
	rm "$HOME/.edited"
}
