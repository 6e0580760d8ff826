# SPDX-License-Identifier: MIT
#
# Everyday work, see use.sh: processes, signals, /proc and shells.

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
	# It has that name once it is executed.
	until pkill -P $$ sleep; do
		sleep 0.1
	done
	wait $! || test $? = 143
}

use_strace() {
	strace -f -o "$W/trace" sh -c 'true; cat /dev/null'
	grep -q execve "$W/trace"
	sleep 100 &
	for seconds in 1 5 25; do
		timeout $seconds strace -o "$W/attached" -p $! || test $? = 124
		! grep -q -e sleep -e restart "$W/attached" || break
	done
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
