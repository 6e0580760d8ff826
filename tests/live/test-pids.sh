#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A supervised command in its pid namespace, as root and as an ordinary user:
# what programs see there, that debuggers work, and that nothing is left when
# the tool is killed. Attacks are in capture-attacks.c. Prints TAP.
set -u
name=pids
. "$top_srcdir/tests/live/set-up.sh"
kills=${OMEGA_TEST_KILLS:-20}

# inside SCRIPT: what it prints goes to $work/out.
inside() {
	(as $w "$tool" run $under --timeout 60 -- sh -c "$1") \
		>"$work/out" 2>"$work/err"
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

processes() {
	set -- /proc/[0-9]*
	echo $#
}

# All that it has started, and all that it takes to see to that.
kill_often() {
	before=$(processes)
	for n in $(seq "$kills"); do
		rm -f "$work/$w/ready"
		(as $w "$tool" run $under --timeout 600 -- sh -c "
			(trap '' TERM HUP; setsid sleep 61$n.95 &)
			>ready; sleep 61$n.95") \
			>"$work/out" 2>"$work/err" &
		tries=0
		# Every other one at some moment of its start.
		[ $((n % 2)) = 0 ] || sleep "0.0$((n % 5))$((n % 7))"
		while [ $((n % 2)) = 0 ] && [ ! -e "$work/$w/ready" ]; do
			[ $((tries += 1)) -gt 3000 ] && return 1
			sleep 0.01
		done
		kill -9 $!
		wait $! 2>/dev/null
		is_gone "sleep 61$n.95" || return 1
	done
	tries=0
	while [ "$(processes)" -gt "$before" ]; do
		[ $((tries += 1)) -gt 300 ] && return 1
		sleep 0.1
	done
}

try() {
	if ! (as $w "$tool" describe $under --json) 2>/dev/null |
		tr -d ' \n' | grep -q '"left_processes"[^}]*"enforced"'; then
		skip "a pid namespace" "none can be made here"
		return
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
	with taskset "the first process cannot be made to wait" \
		'how() { chrt -p 1; taskset -p 1; cut -d" " -f19 /proc/1/stat
			cat /proc/1/autogroup; }
		before=$(how)
		(renice -n 19 -p 1; renice -n 19 -u $(id -u); chrt -i -p 0 1
			taskset -p 1 1; echo 19 >/proc/self/autogroup
			echo 19 >/proc/1/autogroup) >/dev/null 2>&1
		[ "$(how)" = "$before" ] && echo same' same
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
		result $? "nothing is left when the tool is killed, $kills times"
	else
		skip "nothing is left when the tool is killed" "no pgrep here"
	fi
}

try_all try
