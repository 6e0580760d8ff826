#!/bin/sh
# SPDX-License-Identifier: MIT
#
# "omega-sandbox run" on a terminal, which is typed at by pty-drive.py, as root
# and as an ordinary user: programs that take the whole screen, keys that make
# signals, jobs, pipes, other window sizes; and what a hostile command can do to
# the others of its caller's session.
set -u
name=pty
. "$top_srcdir/tests/live/set-up.sh"
[ -x /usr/bin/python3 ] || plan_skip "there is no python3"
for program in bash less stty; do
	command -v $program >/dev/null || plan_skip "there is no $program"
done

try() {
	cp "$here/pty-drive.py" "$work/$w/drive"
	: >"$work/out"
	(as "$w" timeout 900 env OMEGA_TEST_ONLY="${OMEGA_TEST_ONLY-}" \
		/usr/bin/python3 -I drive "$tool" "$work/$w/conf" \
		"$work/$w/omega") >"$work/out" 2>"$work/err" ||
		{
			count=$((count + 1))
			echo "not ok - $w: the driver: $(tail -n 1 "$work/err")"
		}
	sed -E "s/^((not )?ok -) /\1 $w: /" "$work/out"
	count=$((count + $(grep -cE '^(not )?ok' "$work/out")))

	(as "$w" "$tool" describe --all $under --session keep) >"$work/out" \
		2>"$work/err" && grep -q "partial .*no signals" "$work/out" &&
		grep -q "partial .*typed into" "$work/out" &&
		grep -q "note: session: .*keep" "$work/out"
	result $? "describe says what session = keep leaves open"
	(as "$w" "$tool" describe --all $under) >"$work/out" 2>"$work/err" &&
		grep -q "note: session: .* of its own, made by the core" \
			"$work/out"
	result $? "describe says whose the session is"
	{
		cat "$work/$w/conf"
		echo "policy strictly { signals = false session = keep }"
	} >"$work/$w/own.conf"
	(as "$w" "$tool" run --config "$work/$w/own.conf" \
		--data-dir "$work/$w/omega" --policy strictly true) \
		>"$work/out" 2>"$work/err"
	[ $? = 125 ] && grep -q "session = keep" "$work/err"
	result $? "session = keep where no signals are required"

	# What verify tries of it works in the caller's session, and there alone.
	(as "$w" timeout 600 "$tool" verify $under --session keep) \
		>"$work/out" 2>"$work/err"
	grep -q "an orphaned group, SIGTTIN by the terminal, SIGWINCH" \
		"$work/out"
	result $? "verify sees what session = keep leaves open"
	(as "$w" timeout 600 "$tool" verify $under) >"$work/out" 2>"$work/err" &&
		grep -q "holds .*no signals.*claimed enforced" "$work/out"
	result $? "verify of signals in a session of its own"
}

try_all try
