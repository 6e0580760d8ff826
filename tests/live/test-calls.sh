#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What does not depend on the clock: how many system calls and processes a
# command takes that is run by the tool, and how many one that was prepared for.
# The limits are what was reached, with some room. Everything that is read is
# looked at from / on, so that they grow with how deep the build is. Half of the
# calls of a start ask for one signal each, which is less work than to have
# /proc/self/status written.
set -u
name=calls
. "$top_srcdir/tests/live/set-up.sh"
command -v strace >/dev/null || plan_skip "strace is not installed"
depth=$(pwd | tr -cd / | wc -c)

# at_most WHAT LIMIT COUNT
at_most() {
	echo "$1: $3, at most $2" >"$work/out"
	[ "$3" -gt 0 ] && [ "$3" -le "$2" ]
	result $? "$1: $3, at most $2"
}

# Every call of every process has a line; those that were interrupted by another
# process's have two.
calls() {
	grep -v -c -e 'resumed>' -e '+++' -e '---' "$1"
}

try() {
	# What the tests have on by default is for them.
	echo 'witness = off' >>"$work/$w/conf"
	if ! (as $w strace -f -o "$work/$w/trace" "$tool" run $under \
		/bin/true) >"$work/out" 2>"$work/err"; then
		skip "calls" "strace cannot trace here: $(head -n 1 \
			"$work/err")"
		return
	fi
	limit=$cold_user
	[ $w = user ] || limit=$cold_root
	at_most "system calls of a command that is run" \
		$((limit + 30 * depth)) "$(calls "$work/$w/trace")"
	at_most "processes beside the tool" 3 $(($(cut -d ' ' -f 1 \
		"$work/$w/trace" | sort -u | wc -l) - 1))

	if ! command -v python3 >/dev/null; then
		skip "calls of a start" "python3 is not installed"
		return
	fi
	(as $w strace -f -o "$work/$w/trace" python3 "$here/calls-host.py" \
		"$lib" "$work/$w/conf" "$work/$w/omega") >/dev/null 2>&1
	result $? "a host prepares, and starts two commands"
	sed -n '/"\/omega-begin-2"/,/execve(/p' "$work/$w/trace" \
		>"$work/$w/start"
	limit=$start_user
	[ $w = user ] || limit=$start_root
	at_most "system calls of a start before execve" $limit \
		$(($(calls "$work/$w/start") - 1))
}

cold_user=1650
cold_root=2140
start_user=128
start_root=136
lib=$(cd "$top_builddir" && pwd)/.libs/libhosted.so
try_all try
