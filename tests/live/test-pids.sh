#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A supervised command in its pid namespace, as root and as an ordinary user:
# what programs see there, that debuggers work, and that nothing is left when
# the tool is killed. Attacks are in capture-attacks.c. Prints TAP.
set -u
tool=$(cd "$top_builddir" && pwd)/omega-sandbox-built
if [ ! -x "$tool" ]; then
	echo "1..0 # SKIP omega-sandbox-built was not built"
	exit 0
fi
count=0
work=$(mktemp -d /tmp/omega-pids.XXXXXX) || exit 99
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $w: $2"
	else
		echo "not ok $count - $w: $2"
		cat "$work/out" "$work/err" 2>/dev/null | sed 's/^/# /'
	fi
}

skip() {
	count=$((count + 1))
	echo "ok $count - $w: $1 # SKIP $2"
}

# as COMMAND...: as root, or as a user that root becomes.
as() {
	prefix=
	if [ "$w" = user ] && [ "$(id -u)" = 0 ]; then
		prefix="setpriv --reuid 61951 --regid 61951 --clear-groups
			--inh-caps=-all"
	fi
	# shellcheck disable=SC2086
	cd "$work/$w" && exec $prefix env -i PATH="$PATH" \
		HOME="$work/$w" "$@" </dev/null
}

# inside SCRIPT: what it prints goes to $work/out.
inside() {
	(as "$tool" run --data-dir "$work/$w/.omega" \
		--timeout 60 -- sh -c "$1") >"$work/out" 2>"$work/err"
}

# with PROGRAM NAME SCRIPT WANTED: a test for those who have it.
with() {
	if ! command -v "$1" >/dev/null; then
		skip "$2" "no $1 here"
		return
	fi
	inside "$3" && [ "$(cat "$work/out")" = "$4" ]
	result $? "$2"
}

# is_gone WORD: half a minute at most.
is_gone() {
	tries=0
	while pgrep -f "$1" >/dev/null; do
		[ $((tries += 1)) -gt 300 ] && return 1
		sleep 0.1
	done
}

kill_often() {
	for n in $(seq 20); do
		rm -f "$work/$w/ready"
		(as "$tool" run --data-dir "$work/$w/.omega" --timeout 600 -- sh -c "(trap '' TERM HUP
			setsid sleep 61$n.95 &) ; >ready; sleep 61$n.95") \
			>"$work/out" 2>"$work/err" &
		tries=0
		while [ ! -e "$work/$w/ready" ]; do
			[ $((tries += 1)) -gt 300 ] && return 1
			sleep 0.1
		done
		kill -9 $!
		wait $! 2>/dev/null
		is_gone "sleep 61$n.95" || return 1
	done
}

users=user
[ "$(id -u)" = 0 ] && users="root user"
for w in $users; do
	mkdir "$work/$w"
	if [ "$w" = user ] && [ "$(id -u)" = 0 ]; then
		chown 61951:61951 "$work/$w"
	fi
	if ! (as "$tool" describe --data-dir "$work/$w/.omega" --json) 2>/dev/null | tr -d ' \n' |
		grep -q '"left_processes"[^}]*"enforced"'; then
		skip "a pid namespace" "none can be made here"
		continue
	fi
	# shellcheck disable=SC2016
	inside 'echo $PPID; cat /proc/self/comm; tr -d "\0" </proc/1/cmdline'
	[ "$(cat "$work/out")" = "1
cat" ]
	result $? "the first process is not the command, and has no words"
	with ps "ps shows what is inside" \
		'ps -e -o comm= | grep -cv "ps\|sh\|grep"' 1
	with timeout "timeout works" 'timeout 0.2 sleep 60; echo $?' 124
	with strace "strace follows children" \
		'strace -f -o trace sh -c "(exit 3); true" && grep -c "exited with 3" trace' 1
	with gdb "a debugger runs a program" \
		'gdb -q -batch -nx -ex run -ex "print 6*7" /bin/true 2>/dev/null | grep -c "= 42"' 1
	# shellcheck disable=SC2016
	inside 'echo $$' && first=$(cat "$work/out")
	# shellcheck disable=SC2016
	inside 'echo $$' && second=$(cat "$work/out")
	# shellcheck disable=SC2016
	inside 'echo $$' && [ "$first $second" != "$first $first" -o \
		"$first" != "$(cat "$work/out")" ]
	result $? "numbers of processes differ from one to the next"
	if command -v pgrep >/dev/null; then
		kill_often
		result $? "nothing is left when the tool is killed, 20 times"
	else
		skip "nothing is left when the tool is killed" "no pgrep here"
	fi
done
echo "1..$count"
