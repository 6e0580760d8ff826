#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What tests may count on, and how in-world ends. It is started through in-world
# itself, like every test, and starts it once more inside. Prints TAP.
set -u
: "${top_builddir:=.}" "${top_srcdir:=.}"
world=$top_builddir/in-world
[ -x "$world" ] || {
	echo "1..0 # SKIP in-world was not built"
	exit 0
}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT

number=0
result() { # result STATUS NAME
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		sed 's/^/# /' "$tmp/said" 2>/dev/null
	fi
}

skip() { # skip NAME REASON
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# Everything a caller may have set, against us.
hostile() {
	(
		umask 077
		ulimit -S -n 40
		trap '' HUP PIPE
		exec env HOME=/nonexistent TMPDIR=/nonexistent LC_ALL=tr_TR \
			LANG=C.UTF-8 XDG_CONFIG_HOME=/hostile \
			XDG_RUNTIME_DIR=/hostile XDG_DATA_HOME=/hostile \
			SSH_AUTH_SOCK=/hostile TMUX=/hostile,1,0 MAKEFLAGS=k \
			GIT_DIR=/hostile CDPATH=/hostile ENV=/hostile \
			BASH_ENV=/hostile LD_LIBRARY_PATH=/hostile \
			OMEGA_TEST_KEPT=yes TZ=Asia/Tokyo \
			"$@"
	)
}

if "$world" true | grep -q '^# no world'; then
	"$world" true >"$tmp/said"
	for name in ends files clone processes network killed; do
		skip "$name" "$(sed 's/^# //' "$tmp/said")"
	done
	echo "1..$number"
	exit 0
fi

echo somebody >"/tmp/somebody.$$"
"$world" sh -c 'ls -A /tmp /var/tmp /dev/shm; ls -A "$HOME"' >"$tmp/said" 2>&1
# The build, where it is below one of them, has to be there.
first=$(cd "$top_builddir" && pwd -P |
	sed 's|^\(/var\)*/[^/]*/||; s|/.*||')
! grep -vxF -e "$first" "$tmp/said" | grep -v '^/.*:$' | grep -q .
result $? "directories that people fill are empty"
rm "/tmp/somebody.$$"

# One that was built below what is covered, by a name with more than ASCII.
clone=$tmp/ö/clone
mkdir -p "$clone/build"
echo source >"$clone/source"
echo beside >"$tmp/ö/beside"
# shellcheck disable=SC2086
${CC:-cc} -D_GNU_SOURCE -I"$top_srcdir/tests/world" \
	-I"$top_srcdir/tests/support" -DWORLD_SRCDIR="\"$clone\"" \
	-DWORLD_BUILDDIR="\"$clone/build\"" "$top_srcdir"/tests/world/*.c \
	"$top_srcdir/tests/support/trees.c" -o "$clone/build/in-world" \
	>"$tmp/said" 2>&1 &&
	(cd "$clone/build" && ./in-world sh -c 'cat ../source; ls ../..') \
		>"$tmp/said" 2>&1
printf 'source\nclone\n' | cmp - "$tmp/said"
result $? "a clone in /tmp stays in sight, and nothing beside it"

hostile "$world" env >"$tmp/said" 2>&1
! grep -E '/hostile|nonexistent|tr_TR|UTF-8|Tokyo|MAKEFLAGS' "$tmp/said" &&
	grep -qx OMEGA_TEST_KEPT=yes "$tmp/said" &&
	grep -qx LC_ALL=C "$tmp/said" && grep -q '^HOME=/' "$tmp/said"
result $? "of the environment only what is meant for tests is left"

# shellcheck disable=SC2016
hostile "$world" sh -c 'umask; ulimit -S -n; stat -c %a /run/sshd
	[ -d "$HOME" ] && cd && pwd
	grep -E "^Sig(Blk|Ign)" /proc/self/status' >"$tmp/said" 2>&1
cat >"$tmp/wanted" <<END2
0022
1024
755
$("$world" sh -c 'cd && pwd')
SigBlk:	0000000000000000
SigIgn:	0000000000000000
END2
cmp "$tmp/wanted" "$tmp/said"
result $? "mask, limits, home and signals are ordinary"

sleep 60 &
other=$!
# shellcheck disable=SC2016
"$world" sh -c 'ps -A -o pid= | wc -l; test $$ = 2' >"$tmp/said" 2>&1 &&
	[ "$(cat "$tmp/said")" -le 5 ]
result $? "there are no other processes"
kill $other

"$world" sh -c 'cat /proc/net/unix | wc -l
	cat /proc/sys/kernel/hostname; getent hosts localhost' >"$tmp/said" 2>&1 &&
	[ "$(head -n 1 "$tmp/said")" = 1 ] && grep -qx omega-test "$tmp/said"
result $? "nobody else has sockets, and localhost is known"

# shellcheck disable=SC2016
"$world" sh -c 'getent passwd "$(id -u)" && ! getent passwd 61951 &&
	test -w "$HOME" && test "$HOME" = ~' >"$tmp/said" 2>&1
result $? "we are known, the spare user is not"

"$world" sh -c 'exit 7'
[ $? = 7 ]
result $? "an exit status comes through"

# shellcheck disable=SC2016
"$world" sh -c 'kill -9 $$'
[ $? = 137 ]
result $? "and so does the end by a signal"

"$world" /nonexistent/program 2>"$tmp/said"
[ $? = 127 ] && grep -q 'No such file' "$tmp/said"
result $? "a program that is not there is named"

"$world" printf 'ok 1 - a\n  b\n' >"$tmp/said"
printf 'ok 1 - a\n  b\n' | cmp - "$tmp/said"
result $? "output is passed on as it is"

# The test may clean up, and its status is what counts.
# shellcheck disable=SC2016
"$world" sh -c 'trap "echo cleaned; exit 5" TERM; echo ready
	while :; do sleep 0.1; done' >"$tmp/said" 2>&1 &
pid=$!
for _ in $(seq 600); do
	! grep -q ready "$tmp/said" || break
	sleep 0.1
done
kill $pid
wait $pid
[ $? = 5 ] && grep -q cleaned "$tmp/said"
result $? "SIGTERM reaches the test"

# Whatever the test has started holds the pipe open until it has ended.
# shellcheck disable=SC2016
mkfifo "$tmp/pipe"
"$world" sh -c 'setsid sleep 300 & echo started; setsid sleep 300' \
	>"$tmp/pipe" 2>&1 &
pid=$!
exec 5<"$tmp/pipe"
read -r line <&5
kill -9 $pid
timeout 60 cat <&5 >/dev/null
[ $? = 0 ] && [ "$line" = started ]
result $? "when in-world is killed nothing is left"
exec 5<&-

"$world" sh -c 'sleep 300 >&- 2>&- & exit 0'
[ $? = 0 ]
result $? "nor when the test has left something behind"

# Whom "./dev test --neighbour" asks in. Here he disturbs nobody else.
neighbour=$top_srcdir/tests/world/neighbour.py
count() { ls -AR /run /tmp /var/tmp | wc -l; }
is_here() { ps -A -o args= | grep -q '[n]eighbour\.py'; }
# shellcheck disable=SC2016
look='[ -S /tmp/omega-neighbour/@ ] || exit 1
[ "$(ls /tmp/.X11-unix | wc -l)" -ge 66000 ] || exit 2
[ "$(ps -A -o stat= | grep -c Z)" -ge 300 ] || exit 3
exec "$1" sh -c "ls -A /tmp; ps -A -o args=; cat /proc/net/unix; exit 6"'
if command -v python3 >/dev/null; then
	: >"$tmp/up" >"$tmp/said"
	before=$(count)
	python3 "$neighbour" sh -c "$look" sh "$world" >"$tmp/said" 2>&1
	[ $? = 6 ] && ! grep -q neighbour "$tmp/said" && [ "$(count)" = "$before" ]
	result $? "the neighbour is not seen in a world, and leaves nothing"
	python3 "$neighbour" sh -c "echo up >$tmp/up; sleep 1" \
		>"$tmp/said" 2>&1 &
	pid=$!
	for _ in $(seq 600); do
		[ ! -s "$tmp/up" ] || break
		sleep 0.1
	done
	kill -9 $pid
	for _ in $(seq 600); do
		is_here || break
		sleep 0.1
	done
	[ -s "$tmp/up" ] && ! is_here && [ "$(count)" = "$before" ]
	result $? "not even when he is killed"
else
	skip "the neighbour leaves nothing" "there is no python3"
fi

echo "1..$number"
