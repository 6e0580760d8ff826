#!/bin/sh
# SPDX-License-Identifier: MIT
#
# "omega-sandbox run" in place of the command, as root and as an ordinary user:
# signals that are sent to the tool, signals that its caller ignores, and what
# it says about the command. On a terminal: test-pty.sh.
set -u
name=stand-in
. "$top_srcdir/tests/live/set-up.sh"

# The signals that are ignored here, as the kernel shows them; without 32 and 33,
# which are libc's own, and ignored where posix_spawn has started this.
ignored() {
	mask=$(awk '/^SigIgn:/ { print $2 }' /proc/self/status)
	printf '%016x\n' $((0x$mask & ~0x180000000))
}

# sent SIGNAL OPTION...: it goes to the tool alone, and the command decides;
# also where whoever started this has it ignore the signal.
sent() {
	signal=$1
	shift
	: >"$work/out"
	(as $w env --default-signal=$signal $go "$@" -- \
		sh -c "trap 'exit 7' $signal; echo up
		while :; do sleep 0.1; done") >"$work/out" 2>"$work/err" &
	job=$!
	wait_for "$work/out" up
	kill -s $signal $job
	wait $job
	[ $? = 7 ]
}

# stopped OPTION...: without a terminal and a shell that would make it go on
# nothing stops, as without the tool.
stopped() {
	: >"$work/out"
	(as $w setsid -w $go "$@" -- sh -c 'trap "" TERM; echo $PPID up
		read -r x <"$1"; exit 7' sh "$work/fifo") \
		>"$work/out" 2>"$work/err" &
	job=$!
	wait_for "$work/out" up
	pid=$(pgrep -f -o "^$tool run .*$work/fifo")
	kill -s TSTP "$pid"
	timeout 60 sh -c 'echo x >"$1"' sh "$work/fifo" || kill -9 "$pid"
	wait $job
	[ $? = 7 ]
}

try() {
	go="$tool run $under"
	for signal in TERM HUP USR1 USR2; do
		sent $signal
		result $? "$signal is passed on"
		sent $signal --timeout 600
		result $? "$signal is passed on, with a time-out"
	done

	(as $w timeout 1 $go -- sh -c 'sleep 617.31; :') >"$work/out" 2>&1
	tries=0
	while pgrep -f '^sleep 617.31' >/dev/null && [ $((tries += 1)) -lt 100 ]
	do
		sleep 0.1
	done
	[ "$tries" -lt 100 ]
	result $? "timeout ends the command's children"

	rm -f "$work/fifo"
	mkfifo -m 666 "$work/fifo"
	stopped
	result $? "TSTP without a shell"
	stopped --timeout 600
	result $? "TSTP without a shell, with a time-out"

	# What is ignored stays so, and nothing else is. Who starts this in
	# the background has it ignore some already.
	for limit in "" "--timeout 600" "--json"; do
		(as $w nohup $go $limit -- sh -c 'kill -s HUP $$; echo alive') \
			>"$work/out" 2>"$work/err" && grep -q alive "$work/out"
		result $? "nohup run $limit"
		(trap '' USR2 && as $w $go $limit -- \
			grep SigIgn /proc/self/status) >"$work/out" 2>"$work/err" &&
			grep -q "$(trap '' USR2 && ignored)" "$work/out"
		result $? "run $limit: one is ignored"
		(as $w $go $limit -- grep SigIgn /proc/self/status) \
			>"$work/out" 2>"$work/err" &&
			grep -q "$(ignored)" "$work/out"
		result $? "run $limit: no other is ignored"
	done

	(as $w $go --context 'for "me"' true) 2>"$work/err" &&
		tail -n 1 "$work/$w/log/audit" |
		grep -q '"context":"for \\"me\\""'
	result $? "--context is in the audit log"
	(as $w $go true) 2>"$work/err" &&
		tail -n 1 "$work/$w/log/audit" | grep -q '"context":null'
	result $? "without it there is none"

	(as $w $go --verbose sh -c 'exit 3') >"$work/out" 2>"$work/err"
	[ $? = 3 ] && [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" = 1 ] &&
		grep -qE '^omega-sandbox: sh: exit 3 after [0-9.]+ s; protected:' \
			"$work/err"
	result $? "--verbose says it in one line"
	(as $w $go --verbose --timeout 1 sleep 600) >"$work/out" 2>"$work/err"
	[ $? = 124 ] && grep -q ', timed out; protected:' "$work/err"
	result $? "--verbose after a time-out"

	(as $w $go --dry-run touch "$work/$w/made") >"$work/out" 2>"$work/err" &&
		[ ! -e "$work/$w/made" ] &&
		(as $w "$tool" describe $under) 2>>"$work/err" |
		cmp -s - "$work/out"
	result $? "--dry-run is describe"
	(as $w $go --dry-run --backend frog touch x) >"$work/out" 2>"$work/err"
	[ $? = 125 ]
	result $? "--dry-run of what would be refused"
}

try_all try
