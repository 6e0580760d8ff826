#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Everyday programs at real work inside "omega-sandbox run" with the default
# policy, as an ordinary user and as root. Every piece of work is done outside
# first: what does not work there is skipped, what works there must work inside.
#
#   test-everyday.sh              the test, as make check starts it
#   test-everyday.sh --use NAME   one piece of work, here and now
#
# EVERYDAY="name..." limits it to some, EVERYDAY_TOOL=FILE tries another tool.

# The work. $HOME is the user's, $D the data directory, $W an empty directory
# in $HOME, $T one in /tmp. Any command that fails is a failure.

use_new_files() {
	for at in "$HOME" "$W" "$T" /tmp /var/tmp; do
		f=$(mktemp "$at/new.XXXXXX")
		echo text >"$f"
		echo more >>"$f"
		test "$(cat "$f")" = "text
more"
		chmod 600 "$f"
		touch -d 2001-01-01 "$f"
		ln "$f" "$f.hard"
		ln -s "$f" "$f.soft"
		mkdir "$f.d"
		mv "$f.hard" "$f.d/"
		truncate -s 0 "$f"
		rm -r "$f" "$f.soft" "$f.d"
	done
}

# Without mv, which would copy.
use_moves() {
	for at in "$HOME" "$W" "$T" "$D/workspace"; do
		(
			cd "$at"
			mkdir -p moves/one/two moves/three
			echo x >moves/one/file
			perl -e 'sub mv { rename($_[0], $_[1]) or die "$_[0]: $!" }
				mv("moves/one/file", "moves/three/file");
				mv("moves/one/two", "moves/three/two");
				mv("moves/three/file", "file.moved");
				link("file.moved", "moves/one/l") or die $!;'
			rm -r moves file.moved
		)
	done
}

use_atomic_save() {
	echo old >"$HOME/.saved"
	echo new >"$HOME/.saved.tmp"
	sync "$HOME/.saved.tmp"
	perl -e 'rename("$ENV{HOME}/.saved.tmp", "$ENV{HOME}/.saved") or die $!'
	test "$(cat "$HOME/.saved")" = new
	sed -i s/new/newer/ "$HOME/.saved"
	test "$(cat "$HOME/.saved")" = newer
	rm "$HOME/.saved"
}

use_data_directory() {
	for sub in workspace skills projects stores; do
		mkdir -p "$D/$sub/a/b"
		echo x >"$D/$sub/a/b/file"
		perl -e 'rename("$ARGV[0]/a/b", "$ARGV[0]/b") or die $!' "$D/$sub"
		cp -r "$D/$sub/b" "$D/$sub/c"
		rm -r "$D/$sub/a" "$D/$sub/b" "$D/$sub/c"
	done
}

# Without config.toml the top of the data directory is held, not these.
use_shielded_directory() {
	for sub in workspace skills projects stores; do
		echo x >"$D2/$sub/file"
		perl -e 'rename("$ARGV[0]/file", "$ARGV[0]/g") or die $!' \
			"$D2/$sub"
		rm "$D2/$sub/g"
	done
}

# Where its owner may write, the sandbox does not mind.
use_own_places() {
	for at in $PLACES; do
		echo x >"$at/file"
		mv "$at/file" "$at/other"
		rm "$at/other"
	done
}

git_identity() {
	git config --global user.name Everyday
	git config --global user.email everyday@localhost
	git config --global init.defaultBranch main
}

use_git() {
	git_identity
	git init -q "$W/one"
	cd "$W/one"
	echo 1 >file
	git add file
	git commit -qm first
	git clone -q "$W/one" "$W/two"
	git worktree add -q "$W/tree" -b other
	cd "$W/tree"
	echo 2 >>file
	git commit -qam second
	git -C "$W/one" merge -q other
	git -C "$W/two" pull -q
	test "$(wc -l <"$W/two/file")" = 2
	git -C "$W/one" worktree remove "$W/tree"
	git -C "$W/one" gc -q
	git -C "$W/one" fsck --strict
	git -C "$W/one" stash list
	git -C "$D/workspace" init -q repository
	rm -rf "$D/workspace/repository"
}

use_git_more() {
	git_identity
	git init -q "$W/one"
	cd "$W/one"
	printf '1\n2\n3\n' >file
	git add file
	git commit -qm first
	git checkout -qb side
	echo 4 >>file
	git commit -qam side
	git checkout -q main
	echo other >other
	git add other
	git commit -qm main
	git checkout -q side
	git rebase -q main
	test "$(git log --oneline | wc -l)" = 3
	echo dirty >>file
	git stash -q
	git stash pop -q
	git commit -q --amend -am amended
	printf '#!/bin/sh\ntouch hooked\n' >.git/hooks/post-commit
	chmod +x .git/hooks/post-commit
	git commit -q --allow-empty -m hooked
	test -e hooked
	git tag -am tag v1
	git archive v1 | tar -tf - | grep -qx file
	git bundle create -q "$W/bundle" --all
	git clone -q --bare "$W/bundle" "$W/bare"
	git -C "$W/bare" worktree add -q "$W/tree" side
	git -c protocol.file.allow=always submodule add -q "$W/bare" sub
	git clean -fdq
	git reflog expire --expire=now --all
	git grep -q other
}

use_git_ssh() {
	git_identity
	export GIT_SSH_COMMAND="ssh -i $SSH_IDENTITY -p $SSH_PORT \
-o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=$W/known"
	test ! -e /etc/ssh/ssh_config.d/20-everyday.conf ||
		ssh -G localhost | grep -qx 'serveraliveinterval 60'
	git clone -q "ssh://$SSH_USER@127.0.0.1$SSH_REPO" "$W/clone"
	cd "$W/clone"
	echo "$$" >>file
	git add file
	git commit -qm pushed
	git push -q origin HEAD
	git fetch -q
	$GIT_SSH_COMMAND "$SSH_USER@127.0.0.1" true
	echo sent >"$W/sent"
	scp -q -i "$SSH_IDENTITY" -P "$SSH_PORT" \
		-o UserKnownHostsFile="$W/known" "$W/sent" \
		"$SSH_USER@127.0.0.1:$W/received"
	test "$(cat "$W/received")" = sent
}

use_ssh_keys() {
	ssh-keygen -q -t ed25519 -N '' -f "$W/key"
	eval "$(ssh-agent -a "$W/agent")"
	ssh-add -q "$W/key"
	ssh-add -l
	ssh-agent -k
}

use_python_venv() {
	python3 -m venv --without-pip "$W/venv"
	"$W/venv/bin/python" -c 'import sys; assert sys.prefix != sys.base_prefix'
}

use_pip() {
	python3 -m pip --version
	python3 -m venv "$W/venv"
	"$W/venv/bin/pip" --version
	mkdir "$W/package"
	printf 'from setuptools import setup\nsetup(name="everyday")\n' \
		>"$W/package/setup.py"
	"$W/venv/bin/pip" install -q --no-index --no-build-isolation \
		"$W/package"
}

use_python() {
	cat >"$W/work.py" <<'END'
import asyncio, mmap, multiprocessing as mp, os, subprocess, tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import shared_memory

def square(x):
    return x * x

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as d, \
            tempfile.NamedTemporaryFile(dir=d) as f, \
            tempfile.TemporaryFile() as unnamed:
        f.write(b"x"); unnamed.write(b"y")
    for how in "fork", "spawn", "forkserver":
        with mp.get_context(how).Pool(2) as pool:
            assert pool.map(square, range(5)) == [0, 1, 4, 9, 16]
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(square, [3])) == [9]
    q = mp.Queue(); q.put(1); assert q.get() == 1
    s = shared_memory.SharedMemory(create=True, size=4096)
    s.buf[0] = 7; s.close(); s.unlink()
    m = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE); m[0] = 1
    fd = os.memfd_create("x"); os.write(fd, b"x")
    os.pidfd_open(os.getpid())
    async def main():
        p = await asyncio.create_subprocess_exec("true")
        assert await p.wait() == 0
    asyncio.run(main())
    assert subprocess.check_output("echo hi | cat", shell=True) == b"hi\n"
END
	python3 "$W/work.py"
}

use_gcc() {
	cd "$W"
	cat >main.c <<'END'
#include <pthread.h>
#include <stdio.h>
static void *work(void *arg) { return arg; }
int main(void)
{
	pthread_t t;
	return pthread_create(&t, NULL, work, NULL) || pthread_join(t, NULL) ||
	    puts("compiled") < 0;
}
END
	gcc -O2 -g -pthread -o main main.c
	test "$(./main)" = compiled
	cp main "$T/main"
	test "$("$T/main")" = compiled
	echo 'int f(void) { return 0; }' >f.c
	gcc -shared -fPIC -o libf.so f.c
	ar rc libf.a f.c
}

use_make() {
	cd "$W"
	printf 'all: a b c d\n%%:\n\t+echo $@ >$@\n' >Makefile
	make -s -j4
	test "$(cat d)" = d
}

use_sanitizer() {
	cd "$W"
	echo 'int main(void) { return 0; }' >main.c
	gcc -fsanitize=address,undefined -o main main.c
	./main
}

use_node() {
	cat >"$W/work.js" <<'END'
const fs = require('fs'), net = require('net'), cp = require('child_process');
const { Worker } = require('worker_threads');
fs.writeFileSync(process.env.W + '/x', 'x');
new Worker('process.exit(0)', { eval: true }).on('exit', () => {
	fs.watch(process.env.W).close();
	cp.execFileSync('true');
	const s = net.createServer((c) => c.end('hi')).listen(0, '127.0.0.1',
		() => net.connect(s.address().port, '127.0.0.1')
			.on('data', () => s.close()));
});
END
	node "$W/work.js"
}

use_npm() {
	mkdir "$W/package" "$W/other"
	cd "$W/other"
	npm init -y
	cd "$W/package"
	npm init -y
	npm install --offline --no-audit --no-fund ../other
	npm pack
	npm run env
}

use_cargo() {
	cd "$W"
	cargo new --offline -q hello
	cargo run --offline -q --manifest-path hello/Cargo.toml
}

use_go() {
	cd "$W"
	printf 'package main\nfunc main() { println("hello") }\n' >main.go
	GOCACHE="$W/cache" GOFLAGS=-mod=mod go run main.go
}

use_java() {
	cd "$W"
	printf 'class A { public static void main(String[] a) %s }\n' \
		'{ new Thread(() -> System.out.println("hello")).start(); }' \
		>A.java
	javac A.java
	test "$(java A)" = hello
}

use_cmake() {
	cd "$W"
	printf 'project(p C)\nadd_executable(p main.c)\n' >CMakeLists.txt
	echo 'int main(void) { return 0; }' >main.c
	cmake -S . -B out
	cmake --build out -j 2
	out/p
}

use_autotools() {
	cd "$W"
	printf 'AC_INIT(p, 1)\nAC_PROG_CC\nAC_CONFIG_FILES(Makefile)\n%s\n' \
		AC_OUTPUT >configure.ac
	echo 'all: ; $(info @CC@)' >Makefile.in
	autoconf
	./configure -q
	make -s
}

use_sqlite() {
	db=$W/base.db
	test "$(sqlite3 "$db" 'pragma journal_mode = wal;')" = wal
	sqlite3 "$db" 'create table t (n int);'
	for i in 1 2 3 4; do
		sqlite3 -cmd '.timeout 9000' "$db" "insert into t values ($i);" &
		jobs="${jobs-} $!"
	done
	for job in $jobs; do
		wait "$job"
	done
	test "$(sqlite3 "$db" 'select count(*) from t;')" = 4
	sqlite3 "$db" 'pragma wal_checkpoint(truncate); vacuum;'
}

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
sleep 0.3
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
        time.sleep(0.5)
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
	tmux -S "$W/tmux" -f /dev/null new-session -d "echo x >$W/from; sleep 9"
	tmux -S "$W/tmux" new-window "tty >$W/tty"
	for i in $(seq 50); do
		grep -q /dev/pts/ "$W/tty" && break
		sleep 0.2
	done
	grep -q /dev/pts/ "$W/tty"
	tmux -S "$W/tmux" list-windows
	tmux -S "$W/tmux" kill-server
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

use_shm() {
	f=$(mktemp /dev/shm/new.XXXXXX)
	echo x >"$f"
	mv "$f" "$f.2"
	rm "$f.2"
}

use_ipc() {
	python3 - <<'END'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def good(n, what):
    assert n >= 0, (what, os.strerror(ctypes.get_errno()))
    return n
m = good(libc.shmget(0, 4096, 0o1600), "shmget"); libc.shmctl(m, 0, None)
m = good(libc.msgget(0, 0o1600), "msgget"); libc.msgctl(m, 0, None)
m = good(libc.semget(0, 1, 0o1600), "semget"); libc.semctl(m, 0, 0)
libc.mq_open.restype = ctypes.c_int
good(libc.mq_open(b"/everyday%d" % os.getpid(), 0o102, 0o600, None), "mq_open")
good(libc.mq_unlink(b"/everyday%d" % os.getpid()), "mq_unlink")
good(libc.inotify_add_watch(good(libc.inotify_init(), "inotify"),
    os.environ["W"].encode(), 2), "inotify_add_watch")
END
}

use_servers() {
	python3 - <<'END'
import os, socket, threading
def talk(family, where, kind=socket.SOCK_STREAM):
    s = socket.socket(family, kind)
    s.bind(where); s.listen(1)
    def serve():
        c, _ = s.accept(); c.sendall(b"hi"); c.close()
    t = threading.Thread(target=serve); t.start()
    c = socket.socket(family, kind); c.connect(s.getsockname())
    assert c.recv(2) == b"hi"; t.join()
w = os.environ["W"]
talk(socket.AF_UNIX, w + "/socket")
talk(socket.AF_UNIX, "/tmp/everyday.%d" % os.getpid())
os.unlink("/tmp/everyday.%d" % os.getpid())
talk(socket.AF_UNIX, "\0everyday.%d" % os.getpid())
talk(socket.AF_UNIX, w + "/packets", socket.SOCK_SEQPACKET)
talk(socket.AF_INET, ("127.0.0.1", 0))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(("127.0.0.1", 0))
u.sendto(b"x", u.getsockname()); assert u.recv(1) == b"x"
a, b = socket.socketpair(); r, _ = os.pipe()
socket.send_fds(a, [b"x"], [r]); assert len(socket.recv_fds(b, 1, 1)[1]) == 1
socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).bind((0, 0))
END
}

use_server_processes() {
	cd "$W"
	echo served >page
	python3 -u -m http.server --bind 127.0.0.1 0 >log 2>&1 &
	server=$!
	for i in $(seq 50); do
		port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' log)
		test -z "$port" || break
		sleep 0.3
	done
	got=$(python3 -c 'import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1]).read().decode().strip())' \
		"http://localhost:$port/page")
	kill "$server"
	test "$got" = served
}

use_curl() {
	cd "$W"
	echo served >page
	python3 -u -m http.server --bind 127.0.0.1 0 >log 2>&1 &
	server=$!
	for i in $(seq 50); do
		port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' log)
		test -z "$port" || break
		sleep 0.3
	done
	got=$(curl -sf "http://127.0.0.1:$port/page")
	kill "$server"
	test "$got" = served
	test "$(curl -sf "file://$W/page")" = served
}

use_inotify() {
	inotifywait -q -t 20 -e create "$W" >"$W/../seen" &
	watcher=$!
	for i in $(seq 20); do
		sleep 0.3
		touch "$W/new.$i"
		kill -0 "$watcher" 2>/dev/null || break
	done
	wait "$watcher"
	grep -q new "$W/../seen"
	rm "$W/../seen"
}

use_rsync() {
	cd "$W"
	mkdir -p from/a
	echo x >from/a/x
	ln -s x from/a/y
	rsync -a --delete from/ to/
	diff -r from to
	rsync -a --link-dest="$W/to" from/ third/
	test "$(stat -c %h third/a/x)" = 2
}

use_unzip() {
	cd "$W"
	echo x >x
	zip -q x.zip x
	rm x
	unzip -q x.zip
	test "$(cat x)" = x
}

use_manual() {
	MANPAGER=cat PAGER=cat man -P cat man
	echo x | less -F
}

use_tcp_outside() {
	python3 -c 'import os, socket
s = socket.create_connection(("127.0.0.1", int(os.environ["SSH_PORT"])))
assert s.recv(4) == b"SSH-"'
}

use_signals() {
	sleep 100 &
	kill -STOP $!
	kill -CONT $!
	kill -TERM $!
	wait $! || test $? = 143
	trap 'got=1' USR1
	(sh -c "kill -USR1 $$")
	test "$got" = 1
	timeout 0.2 sleep 9 || test $? = 124
	setsid sh -c 'kill -9 0' || test $? = 137
	perl -e '$SIG{ALRM} = sub { exit 0 }; alarm 1; sleep 5; exit 1'
	sleep 100 &
	pkill -P $$ sleep
	wait $! || test $? = 143
}

use_strace() {
	strace -f -o "$W/trace" sh -c 'true; cat /dev/null'
	grep -q execve "$W/trace"
	sleep 100 &
	timeout 1 strace -o "$W/attached" -p $! || test $? = 124
	kill $!
	grep -q -e sleep -e restart "$W/attached"
}

use_gdb() {
	cd "$W"
	echo 'int g = 5; int main(void) { return g; }' >main.c
	gcc -g -o main main.c
	gdb -q -nx -batch -ex 'break main' -ex run -ex 'print g' \
		-ex 'set var g = 0' -ex continue ./main >out 2>&1
	grep -q '= 5' out
	grep -q 'exited normally' out
	sleep 100 &
	gdb -q -nx -batch -p $! -ex 'info proc' >out 2>&1
	kill $!
	grep -q "process $!" out
}

use_proc_self() {
	test "$(readlink /proc/self/exe)" = "$(readlink -f "$(command -v readlink)")"
	test "$(cat /proc/self/comm)" = cat
	ls /proc/self/fd /proc/self/task /proc/self/ns
	cat /proc/self/status /proc/self/maps /proc/self/mountinfo \
		/proc/self/limits /proc/self/cgroup /proc/self/environ \
		/proc/self/stat /proc/self/auxv /proc/self/smaps \
		>"$W/read"
	ls /proc/$$/cwd/
	cat /proc/$PPID/stat
	test "$(readlink /proc/$$/cwd)" = "$(pwd -P)"
	cat /proc/cpuinfo /proc/meminfo /proc/mounts /proc/uptime \
		/proc/sys/kernel/osrelease /proc/net/tcp >"$W/read"
	cat /sys/devices/system/cpu/online
	exec 9<"$W/read"
	cat /proc/self/fd/9 >"$W/copy"
	perl -e 'open(F, "<", "/proc/self/mem") or die $!'
}

use_proc_self_write() {
	echo 500 >/proc/self/oom_score_adj
	echo everyday >/proc/self/comm
	perl -e 'open(F, "+<", "/proc/self/mem") or die $!'
}

use_queries() {
	ps aux
	top -b -n 1
	free
	uptime
	df -h "$HOME"
	du -s "$W"
	id
	whoami
	uname -a
	getent passwd root
	getent hosts localhost
	ldd /bin/sh
	file -b /bin/ls || test $? = 127
	locale
	locale -a
	ls -l /proc/self/fd
	ldconfig -p
	stat /
	getent group
	getconf -a
	date
	tty || test $? = 1
	nproc
	lscpu
	mount
	find /etc -maxdepth 1
}

use_dpkg() {
	dpkg -l >"$W/list"
	dpkg -S /bin/sh || dpkg -S /usr/bin/sh || dpkg -L dpkg
	dpkg-query -W dpkg
	dpkg -s dpkg
}

use_apt_cache() {
	apt-cache policy dpkg
	apt-cache show dpkg
}

use_archives() {
	cd "$W"
	mkdir tree
	echo x >tree/x
	ln -s x tree/y
	tar -czf tree.tgz tree
	mkdir out
	tar -xzf tree.tgz -C out
	diff -r tree out/tree
	find tree | cpio -o -H newc >tree.cpio || test $? = 127
	zip -qr tree.zip tree || test $? = 127
	rsync -a tree/ copy/ || test $? = 127
}

use_shell() {
	mkfifo "$W/pipe"
	echo x >"$W/pipe" &
	test "$(cat "$W/pipe")" = x
	flock "$W/lock" -c true
	seq 20 | xargs -P 4 -n 1 echo | sort -n | tail -n 1
	nohup true
	nice -n 5 true
	bash -c 'ulimit -c 0; ulimit -n 64; cat <(echo x) <<<here'
	printf x | tee "$W/tee" /dev/stderr
	test "$(find "$HOME" -maxdepth 1 -user "$(id -u)" -name w)" = "$W"
	perl -e 'fork() // die; exit 0'
	stat -f / "$HOME" /tmp
	setfattr -n user.everyday -v 1 "$W/tee" || test $? = 127
	fallocate -l 4096 "$W/allocated"
	cp --reflink=auto --sparse=always -a "$W/allocated" "$W/copied"
	sync "$W/copied"
}

use_gpg() {
	export GNUPGHOME=$W/gnupg
	mkdir -m 700 "$GNUPGHOME"
	gpg -q --batch --passphrase '' --quick-gen-key everyday ed25519
	echo text | gpg -q --batch --sign >"$W/signed"
	gpg -q --batch --decrypt "$W/signed"
	gpgconf --kill all
}

use_openssl() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
		-nodes -subj /CN=everyday -keyout "$W/key" -out "$W/cert"
}

use_valgrind() {
	valgrind -q --error-exitcode=1 true
}

use_ping() {
	ping -c 1 -W 1 127.0.0.1
}

use_vim() {
	echo old >"$HOME/.edited"
	vim -u NONE -es -c 's/old/new/' -c wq "$HOME/.edited"
	test "$(cat "$HOME/.edited")" = new
	rm "$HOME/.edited"
}

use_root_tar() {
	cd "$W"
	mkdir tree
	touch tree/a tree/b
	chown 12:34 tree/a
	chmod 4755 tree/b
	tar -cf tree.tar tree
	rm -r tree
	tar -xpf tree.tar
	test "$(stat -c %u:%g:%a tree/a)" = "12:34:$(stat -c %a tree/a)"
	test "$(stat -c %u:%a tree/b)" = 0:4755
}

use_root_rsync() {
	cd "$W"
	mkdir from
	touch from/a
	chown 12:34 from/a
	rsync -aHAX --numeric-ids from/ to/ || rsync -a --numeric-ids from/ to/
	test "$(stat -c %u:%g to/a)" = 12:34
}

use_root_chown() {
	cd "$W"
	touch file
	chown nobody file
	chgrp 4 file
	test "$(stat -c %U:%g file)" = nobody:4
	echo x >>file
	chmod 2640 file
	install -o 1 -g 1 -m 600 file other
	mkdir -m 700 theirs
	touch theirs/x
	chown -R 1:1 theirs
	ls theirs
	rm -r file other theirs
}

use_root_su() {
	test "$(su -s /bin/sh -c 'id -un' "$SPARE")" = "$SPARE"
	su -s /bin/sh -c 'touch /tmp/su.$$ && rm /tmp/su.$$' "$SPARE"
	test "$(setpriv --reuid 1 --regid 1 --clear-groups id -u)" = 1
	python3 -c 'import os; os.setgroups([4]); os.setgid(1); os.setuid(1)
open("/tmp/x%d" % os.getpid(), "w"); os.unlink("/tmp/x%d" % os.getpid())'
	runuser -u "$SPARE" -- true
	su -s /bin/sh -c 'sleep 100' "$SPARE" &
	sleep 0.3
	kill $!
}

use_root_apt_download() {
	cd "$W"
	apt-get download hostname
	dpkg-deb -x hostname_*.deb out
	test -e out/bin/hostname || test -e out/usr/bin/hostname
}

use_root_read() {
	cat /etc/shadow /proc/1/status >"$W/read"
	ls /root /proc/1/task
	ls -l /dev/null /dev/disk || true
	find /var/lib -maxdepth 1 -user root | grep -q .
	ss -ltn || test $? = 127
	ip addr || test $? = 127
	journalctl -n 1 || true
}

# name, who, needed programs, what it is
uses() {
	cat <<'END'
new_files all perl new files in home and /tmp
atomic_save all perl atomic save by rename in home
moves all perl rename and link from directory to directory
data_directory all perl workspace, skills, projects and stores
shielded_directory all perl the same while config.toml is absent
own_places all - /usr/local, /opt, /srv, where the owner may
git all git git init, commit, clone, worktree, merge, pull
git_more all git git rebase, stash, hooks, submodule, bundle
git_ssh all git,ssh,SSH git and scp over ssh
ssh_keys all ssh-keygen,ssh-agent a key and an agent of its own
python_venv all python3 python3 -m venv
pip all python3 pip in a virtual environment
python all python3 python: temporary files, multiprocessing, asyncio
gcc all gcc compile, link and run
make all make make -j
sanitizer all gcc a program with sanitizers
node all node node: files, workers, servers
npm all npm npm init, install, pack, run
cargo all cargo cargo new and run
go all go go run
java all java,javac javac and java
cmake all cmake cmake
autotools all autoconf,make autoconf and configure
sqlite all sqlite3 sqlite with a write-ahead log
script all script script(1)
openpty all python3 pseudo-terminals
job_control all bash,python3 job control in an interactive shell
tmux all tmux tmux of its own
devices all script null, zero, full, random, urandom, tty
shm all - /dev/shm
ipc all python3 System V and POSIX IPC, inotify
servers all python3 sockets and servers of its own
server_processes all python3 a web server and a client
curl all curl,python3 curl
inotify all inotifywait inotifywait
rsync all rsync rsync with links
unzip all zip,unzip zip and unzip
manual all man,less man and less
tcp_outside all python3,SSH a TCP server outside
signals all perl,pkill signals among its own processes
strace all strace strace, started and attached
gdb all gdb,gcc gdb, started and attached
proc_self all perl /proc/self and what can be read in /proc
proc_self_write user - what can be written in /proc/self
queries all ps,top,lscpu ps, top, df, id, mount and such
dpkg all dpkg package queries
apt_cache all apt-cache apt-cache
archives all tar tar, cpio, zip, rsync
shell all bash,flock pipes, locks, limits, attributes
gpg all gpg gpg with an agent of its own
openssl all openssl a certificate
valgrind all valgrind valgrind
ping all ping,PING ping
vim all vim an editor
root_tar root tar tar with owners
root_rsync root rsync rsync with owners
root_chown root - chown, chgrp, install -o
root_su root su,runuser,setpriv su, setpriv, setuid
root_apt_download root apt-get apt-get download
root_read root - what only root can read
END
}

if [ "${1-}" = --use ]; then
	set -eu
	umask 022
	W=$HOME/w
	T=$(mktemp -d /tmp/everyday.XXXXXX)
	trap 'cd /; rm -rf "$T"' EXIT
	rm -rf "$W"
	mkdir "$W"
	export W T
	cd "$W"
	"use_$2" </dev/null
	exit 0
fi

set -u
# A mount namespace of our own, to add to ssh's configuration without touching
# the machine's.
if [ "$(id -u)" = 0 ] && [ -z "${EVERYDAY_PRIVATE-}" ] &&
	unshare -m --propagation private true 2>/dev/null; then
	EVERYDAY_PRIVATE=1 exec unshare -m --propagation private sh "$0" "$@"
fi

path=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin
count=0
ok() {
	count=$((count + 1))
	echo "ok $count - $*"
}
not_ok() {
	count=$((count + 1))
	echo "not ok $count - $*"
	tail -n 30 "$top/log" | sed 's/^/# /'
}
skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

top=$(mktemp -d /tmp/omega-everyday.XXXXXX)
chmod 755 "$top"
: >"$top/log"
chmod 666 "$top/log"
sshd=
stage=
places=
finish() {
	[ -z "$sshd" ] || kill "$sshd"
	[ -z "$stage" ] || rm -rf "$stage"
	# shellcheck disable=SC2086
	rm -rf "$top" $places
}
trap finish EXIT
trap 'exit 1' INT TERM HUP
cp "$0" "$top/uses.sh"
chmod 755 "$top/uses.sh"

# The tool: the twin of the installed one, whose plugins are in tests/stage.
tool=${EVERYDAY_TOOL-}
if [ -z "$tool" ]; then
	tool=$(cd "$top_builddir" && pwd)/omega-sandbox-testable
	stage=$(cd "$top_builddir" && pwd)/tests/stage
	libs=$top_builddir/.libs
	for need in "$libs/namespace.so" "$libs/landlock.so" \
		"$libs/seccomp.so" "$top_builddir/omega-sandbox-namespace"; do
		[ -e "$need" ] || {
			echo "1..0 # SKIP ${need##*/} was not built"
			exit 0
		}
	done
	rm -rf "$stage"
	mkdir -p "$stage/plugins" "$stage/libexec" "$stage/etc/omega"
	cp "$libs/namespace.so" "$libs/landlock.so" "$libs/seccomp.so" \
		"$stage/plugins/"
	cp "$top_builddir/omega-sandbox-namespace" "$stage/libexec/"
	chmod -R go-w,a+rX "$stage"
fi

# Who: root and a spare user, or whoever we are.
spare=
if [ "$(id -u)" = 0 ]; then
	for name in games news uucp daemon; do
		id "$name" >/dev/null 2>&1 && spare=$name && break
	done
	who=root
	[ -z "$spare" ] || who="user root"
else
	who=user
fi

# as WHO COMMAND...: with that home directory and nothing of our environment.
as() {
	kind=$1
	shift
	home=$top/$kind
	name=$(id -un)
	prefix=
	if [ "$kind" = user ] && [ "$(id -u)" = 0 ]; then
		name=$spare
		prefix="setpriv --reuid $spare --regid $(id -g "$spare")
			--clear-groups --inh-caps=-all"
	fi
	# shellcheck disable=SC2086
	(cd "$home" && exec timeout -k 5 120 $prefix env -i PATH="$path" \
		HOME="$home" USER="$name" LOGNAME="$name" LANG=C.UTF-8 \
		SHELL=/bin/sh TERM=dumb D="$home/.omega" D2="$home/.omega2" \
		SPARE="${spare:-root}" \
		SSH_IDENTITY="$home/.ssh/id_ed25519" SSH_PORT="${port-}" \
		SSH_USER="$(id -un)" SSH_REPO="$top/$kind.git" \
		PLACES="$(eval echo "\${places_$kind-}")" \
		"$@" </dev/null)
}

make_home() {
	mkdir -p "$1/.ssh"
	for data in "$1/.omega" "$1/.omega2"; do
		mkdir -p "$data/data" "$data/workspace" "$data/skills" \
			"$data/projects" "$data/stores"
		echo secret >"$data/data/memory.db"
	done
	echo 'key = 1' >"$1/.omega/config.toml"
	chmod 700 "$1/.ssh"
}

for kind in $who; do
	make_home "$top/$kind"
	made=
	for at in /usr/local/share /opt /srv; do
		place=$(mktemp -d "$at/omega-everyday.XXXXXX" 2>/dev/null) ||
			continue
		made="$made $place"
	done
	places="$places $made"
	eval "places_$kind=\$made"
	if [ "$kind" = user ] && [ "$(id -u)" = 0 ]; then
		# shellcheck disable=SC2086
		chown -R "$spare:" "$top/user" $made
	fi
done

# A real ssh server on loopback, outside, that lets the keys in as us.
start_sshd() {
	PATH=$path command -v sshd >/dev/null || return 1
	ssh-keygen -q -t ed25519 -N '' -f "$top/host" || return 1
	: >"$top/keys"
	for kind in $who; do
		as "$kind" ssh-keygen -q -t ed25519 -N '' \
			-f "$top/$kind/.ssh/id_ed25519" || return 1
		cat "$top/$kind/.ssh/id_ed25519.pub" >>"$top/keys"
		git init -q --bare "$top/$kind.git" || return 1
	done
	pam=no
	[ "$(id -u)" != 0 ] || pam=yes
	[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
	for try in 1 2 3 4 5; do
		port=$((20000 + ($$ * 7 + try * 1009) % 40000))
		cat >"$top/sshd_config" <<END
Port $port
ListenAddress 127.0.0.1
HostKey $top/host
AuthorizedKeysFile $top/keys
PidFile none
StrictModes no
UsePAM $pam
PermitRootLogin prohibit-password
PasswordAuthentication no
Subsystem sftp internal-sftp
END
		"$(PATH=$path command -v sshd)" -D -f "$top/sshd_config" \
			-E "$top/sshd.log" &
		sshd=$!
		sleep 0.5
		kill -0 "$sshd" 2>/dev/null && return 0
		sshd=
	done
	return 1
}
have_ssh=
port=
start_sshd >"$top/log" 2>&1 && have_ssh=1
# A drop-in of root's, which looks like somebody else's from a namespace.
if [ -n "${EVERYDAY_PRIVATE-}" ] && [ -d /etc/ssh/ssh_config.d ]; then
	mkdir "$top/ssh_config.d"
	echo 'ServerAliveInterval 60' >"$top/ssh_config.d/20-everyday.conf"
	mount --bind "$top/ssh_config.d" /etc/ssh/ssh_config.d
fi

has() {
	for need in $(echo "$1" | tr ',' ' '); do
		case $need in
		-) ;;
		SSH)
			[ -n "$have_ssh" ] || {
				missing="no ssh server here"
				return 1
			}
			;;
		PING) # raw sockets and file capabilities are lost inside
			range=/proc/sys/net/ipv4/ping_group_range
			low=$(cut -f 1 "$range")
			high=$(cut -f 2 "$range")
			gid=$(id -g)
			[ "$kind$gid" != user0 ] || gid=$(id -g "$spare")
			[ "$gid" -ge "$low" ] && [ "$gid" -le "$high" ] || {
				missing="net.ipv4.ping_group_range forbids it"
				return 1
			}
			;;
		*)
			as "$kind" sh -c 'command -v "$1"' sh "$need" \
				>/dev/null 2>&1 || {
				missing="$need is not installed"
				return 1
			}
			;;
		esac
	done
}

sandboxed() {
	kind=$1
	data=.omega
	[ "$2" != shielded_directory ] || data=.omega2
	as "$1" "$tool" run --data-dir "$top/$1/$data" -- \
		sh "$top/uses.sh" --use "$2"
}

# Sockets of the caller outside come and go while commands start.
busy_sockets() {
	as "$1" sh -c 'command -v python3' >/dev/null 2>&1 || return 0
	as "$1" python3 -c 'import os, socket, sys, time
end = time.time() + 20
n = 0
while time.time() < end and not os.path.exists(sys.argv[1]):
    n += 1
    d = "/tmp/busy.%d.%d" % (os.getpid(), n)
    os.mkdir(d)
    s = socket.socket(socket.AF_UNIX); s.bind(d + "/s"); s.listen(1)
    os.unlink(d + "/s"); os.rmdir(d)' "$top/calm" &
	busy=$!
	failed=0
	for i in $(seq 40); do
		as "$1" "$tool" run --data-dir "$top/$1/.omega" -- true \
			>"$top/log" 2>&1 || {
			failed=1
			break
		}
	done
	: >"$top/calm"
	wait "$busy"
	rm "$top/calm"
	if [ "$failed" = 0 ]; then
		ok "$1: commands start while sockets come and go"
	else
		not_ok "$1: commands start while sockets come and go"
	fi
}

# Nor does moving a socket's directory show it to the next command.
moved_socket() {
	as "$1" sh -c 'command -v python3' >/dev/null 2>&1 || return 0
	as "$1" mkdir "$top/$1/sockets"
	as "$1" python3 -c 'import os, socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(9)
end = time.time() + 30
while time.time() < end and not os.path.exists(sys.argv[2]):
    time.sleep(0.1)' "$top/$1/sockets/s" "$top/calm" &
	server=$!
	for i in $(seq 50); do
		[ -S "$top/$1/sockets/s" ] && break
		sleep 0.1
	done
	cat >"$top/connect.py" <<'END'
import socket, sys
for path in sys.argv[1:]:
    try:
        socket.socket(socket.AF_UNIX).connect(path)
        print("connected")
    except OSError as e:
        print(e)
END
	set -- "$1" "$top/$1/sockets" "$top/$1/elsewhere"
	as "$1" python3 "$top/connect.py" "$2/s" >"$top/log" 2>&1
	if ! grep -q connected "$top/log"; then
		skip "$1: a moved socket stays hidden" "no socket outside"
	else
		as "$1" "$tool" run --data-dir "$top/$1/.omega" -- \
			mv "$2" "$3" >"$top/log" 2>&1
		as "$1" "$tool" run --data-dir "$top/$1/.omega" -- \
			python3 "$top/connect.py" "$2/s" "$3/s" >"$top/log" 2>&1
		if grep -q connected "$top/log"; then
			not_ok "$1: a moved socket stays hidden"
		else
			ok "$1: a moved socket stays hidden"
		fi
	fi
	: >"$top/calm"
	wait "$server"
	rm "$top/calm"
}

for kind in $who; do
	if ! as "$kind" test -x "$tool"; then
		skip "$kind" "the build directory is not to be seen for $spare"
		continue
	fi
	if ! as "$kind" "$tool" describe --data-dir "$top/$kind/.omega" \
		>"$top/log" 2>&1; then
		skip "$kind" "$(tail -n 1 "$top/log")"
		continue
	fi
	# It is one: the same words, and the secret stays one.
	as "$kind" "$tool" run --data-dir "$top/$kind/.omega" -- \
		cat "$top/$kind/.omega/data/memory.db" >"$top/log" 2>&1
	if grep -q secret "$top/log" ||
		! as "$kind" grep -q secret "$top/$kind/.omega/data/memory.db"; then
		not_ok "$kind: the sandbox is one"
	else
		ok "$kind: the sandbox is one"
	fi
	busy_sockets "$kind"
	moved_socket "$kind"
	uses >"$top/list"
	while read -r use whose needs title; do
		case " ${EVERYDAY:-$use} " in
		*" $use "*) ;;
		*) continue ;;
		esac
		[ "$whose" = all ] || [ "$whose" = "$kind" ] || continue
		missing=
		if ! has "$needs"; then
			skip "$kind: $title" "$missing"
		elif ! as "$kind" sh "$top/uses.sh" --use "$use" \
			>"$top/log" 2>&1; then
			[ -z "${EVERYDAY-}" ] || sed 's/^/# /' "$top/log"
			skip "$kind: $title" "does not work outside either"
		elif sandboxed "$kind" "$use" >"$top/log" 2>&1; then
			ok "$kind: $title"
		else
			not_ok "$kind: $title ($use)"
		fi
	done <"$top/list"
done
echo "1..$count"
