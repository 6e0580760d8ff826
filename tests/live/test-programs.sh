#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Real programs at real work under the shipped policies tool, mcp and strict,
# under execute lists, and without /etc/passwd; through the tool, as an ordinary
# user and as root. What is left must work inside, what is taken must fail
# there, and all of it works outside. Prints TAP.
#
#   test-programs.sh              the test, as make check starts it
#   test-programs.sh --use NAME   one piece of work, here and now

# The work, in an empty directory $W below the work directory. $P has programs
# made for this. Any command that fails is a failure.

use_static() {
	test "$("$P/static")" = made
}

use_dynamic() {
	test "$("$P/dynamic")" = made
}

use_shell() {
	printf 'b\na\n' | sort | sed s/a/A/ >sorted
	test "$(cat sorted)" = "A
b"
	for f in $(seq 20); do
		echo "$f" >"file.$f"
	done
	find . -name 'file.*' | xargs rm
	f=$(mktemp)
	rm "$f"
}

use_python() {
	python3 - <<'END'
import ctypes, hashlib, json, os, socket, sqlite3, ssl, subprocess, tempfile
from concurrent.futures import ProcessPoolExecutor
assert subprocess.check_output(["sh", "-c", "echo $((6 * 7))"]) == b"42\n"
db = sqlite3.connect("base.db")
db.execute("pragma journal_mode = wal")
db.execute("create table t (n int)")
db.executemany("insert into t values (?)", [(n,) for n in range(100)])
db.commit()
assert db.execute("select sum(n) from t").fetchone() == (4950,)
with tempfile.TemporaryDirectory() as d:
    json.dump({"a": 1}, open(d + "/x", "w"))
with ProcessPoolExecutor(2) as pool:
    assert list(pool.map(abs, [-1, -2])) == [1, 2]
ctypes.CDLL(None).getpid()
END
}

use_venv() {
	python3 -m venv --without-pip venv
	echo 'def f(): return 42' >own.py
	venv/bin/python -c 'import own, sys
assert own.f() == 42 and sys.prefix != sys.base_prefix'
}

use_node() {
	cat >work.js <<'END'
const fs = require('fs'), cp = require('child_process');
const { Worker } = require('worker_threads');
fs.writeFileSync('x', 'x');
fs.readFile('x', (e, data) => {
	if (e || data != 'x') throw e;
	new Worker('process.exit(0)', { eval: true }).on('exit', () => {
		if (cp.execFileSync('echo', ['hi']) != 'hi\n')
			throw 'echo';
	});
});
END
	node work.js
}

use_git() {
	git init -q one
	cd one
	echo 1 >file
	git add file
	git commit -qm first
	git checkout -qb other
	echo 2 >>file
	git commit -qam second
	git checkout -q -
	git merge -q other
	test "$(git log --oneline | wc -l)" = 2
	git clone -q . ../two
	git -C ../two fsck --strict
}

use_gcc() {
	cat >main.c <<'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int n, char **v)
{
	(void)v;
	return printf("%.0f\n", sqrt(n * 16.0)) < 0;
}
END
	gcc -O2 -Wall -o main main.c -lm
	test "$(./main)" = 4
}

use_make() {
	printf 'all: a b c\n%%:\n\techo $@ >$@\n' >Makefile
	make -s -j3
	test "$(cat a b c | wc -l)" = 3
}

use_tar() {
	mkdir -p from/a
	echo x >from/a/x
	ln -s x from/a/y
	tar -czf from.tar.gz from
	mkdir to
	tar -xzf from.tar.gz -C to
	diff -r from to/from
}

# A server and its client, both in here.
use_loopback() {
	perl -e 'use IO::Socket::INET;
		my $s = IO::Socket::INET->new(Listen => 1,
			LocalAddr => "127.0.0.1") or die $!;
		if (fork == 0) {
			my $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1",
				PeerPort => $s->sockport) or die $!;
			print $c "hello";
			exit 0;
		}
		my $c = $s->accept or die $!;
		<$c> eq "hello" or die;
		wait;
		exit $?'
}

if [ "${1-}" = --use ]; then
	set -eu
	umask 022
	cd "$W"
	find . -mindepth 1 -delete
	"use_$2" </dev/null
	exit 0
fi

set -u
: "${top_builddir:=.}" "${srcdir:=.}"
tool=$(cd "$top_builddir" && pwd)/omega-sandbox-built
path=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin
number=0
who=nobody

base=$(mktemp -d /tmp/omega-programs.XXXXXX) || exit 99
chmod 755 "$base"
: >"$base/said"
chmod 666 "$base/said"
place=
server=
cleanup() {
	[ -z "$server" ] || kill "$server" 2>/dev/null
	rm -rf "$base" ${place:+"$place"}
}
trap cleanup EXIT
trap 'exit 99' HUP INT TERM PIPE
# Outside of /tmp, which every policy leaves, and of what strict reads.
for at in /srv /var/local /home "${HOME:-/nonexistent}"; do
	place=$(mktemp -d "$at/omega-programs.XXXXXX" 2>/dev/null) && break
done
[ -n "$place" ] || {
	echo "1..0 # SKIP no place for a work directory outside of /tmp"
	exit 0
}
chmod 755 "$place"
cp "$0" "$base/uses.sh"
chmod 755 "$base/uses.sh"

result() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $who: $2"
	else
		echo "not ok $number - $who: $2"
		sed 's/^/# /' "$base/said"
	fi
}

skip() {
	number=$((number + 1))
	echo "ok $number - $who: $1 # SKIP $2"
}

spare=
users=user
if [ "$(id -u)" = 0 ]; then
	for name in games news uucp daemon; do
		id "$name" >/dev/null 2>&1 && spare=$name && break
	done
	users="root${spare:+ user}"
fi

# as COMMAND...: as the one whose turn it is, in the work directory.
as() {
	prefix=
	login=$(id -un)
	if [ "$who" = user ] && [ "$(id -u)" = 0 ]; then
		login=$spare
		prefix="setpriv --reuid $spare --regid $(id -g "$spare")
			--clear-groups --inh-caps=-all"
	fi
	# shellcheck disable=SC2086
	(cd "$work" && exec timeout -k 5 120 $prefix env -i PATH="$path" \
		HOME="$place/$who/home" USER="$login" LOGNAME="$login" \
		LANG=C.UTF-8 SHELL=/bin/sh TERM=dumb W="$work/now" \
		P="$work/made" O="$place/$who/outside" PORT="$port" \
		GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@localhost \
		GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@localhost \
		"$@" </dev/null)
}

inside() {
	as "$tool" run --config "$base/sandbox.conf" \
		--data-dir "$place/$who/home/.omega" \
		--work-dir "$work" "$@" >"$base/said" 2>&1
}

works_outside() {
	as "$@" >"$base/said" 2>&1
}

# left OPTIONS NAME COMMAND...: works outside and inside.
left() {
	options=$1
	name=$2
	shift 2
	if ! works_outside "$@"; then
		skip "$name" "it does not work outside"
		return
	fi
	# shellcheck disable=SC2086
	inside $options -- "$@"
	result $? "$name, with $options"
}

# taken OPTIONS NAME COMMAND...: works outside, fails inside.
taken() {
	options=$1
	name=$2
	shift 2
	if ! works_outside "$@"; then
		skip "no $name" "it does not work outside"
		return
	fi
	# shellcheck disable=SC2086
	inside $options -- "$@"
	code=$?
	# 125 to 127: it was not even started.
	[ $code != 0 ] && [ $code != 125 ] && [ $code != 126 ] &&
		[ $code != 127 ]
	result $? "no $name, with $options"
}

# says TEXT NAME: the last run has said it.
says() {
	grep -qF -e "$1" "$base/said"
	result $? "$2"
}

uses="static dynamic shell python venv node git gcc make tar loopback"

# ---- The ground ------------------------------------------------------------

cat >"$base/main.c" <<'END'
#include <stdio.h>
#ifdef OWN
int own(void) { return 0; }
#else
#ifdef WITH_OWN
int own(void);
#else
static int own(void) { return 0; }
#endif
int main(void) { return own() || puts("made") < 0; }
#endif
END

# Programs of all kinds, in DIR; what cannot be made is skipped later.
make_programs() {
	mkdir -p "$1"
	gcc -static -o "$1/static" "$base/main.c" 2>/dev/null
	gcc -shared -fPIC -DOWN -o "$1/libown.so" "$base/main.c" 2>/dev/null
	gcc -DWITH_OWN -o "$1/dynamic" "$base/main.c" -L"$1" -lown \
		-Wl,-rpath,'$ORIGIN' 2>/dev/null
	printf '#!/bin/sh\necho made\n' >"$1/script"
	printf '#!%s\n' "$1/script" >"$1/twice"
	chmod 755 "$1/script" "$1/twice"
}

make_ground() {
	at=$place/$who
	mkdir -p "$at/home/.ssh" "$at/home/.omega/data" "$at/outside" \
		"$at/work/now" "$base/$who/now"
	echo key >"$at/home/.ssh/id_ed25519"
	echo text >"$at/home/plain"
	echo secret >"$at/home/.omega/data/memory.db"
	make_programs "$at/work/made"
	make_programs "$base/$who/made"
	if git init -q "$at/repository" 2>/dev/null; then
		(
			cd "$at/repository" || exit 1
			echo 1 >file
			git add file
			git -c user.name=A -c user.email=a@localhost \
				commit -qm first
			git worktree add -q "$at/tree" -b other
		)
	fi
	[ "$who" != user ] || [ "$(id -u)" != 0 ] ||
		chown -R "$spare:" "$at" "$base/$who"
	cat >>"$base/sandbox.conf" <<END
policy "own-$who" { extends = "tool" git_metadata = allow }
policy "git-$who" {
	extends = "tool"
	git_metadata = allow
	write = { "$at/repository/.git" }
}
policy "static-$who" { execute = { "$at/work/made/static" } }
policy "dynamic-$who" { execute = { "$at/work/made/dynamic" } }
policy "script-$who" { execute = { "$at/work/made/script" } }
policy "shell-$who" {
	execute = { "$at/work/made/script", "$at/work/made/twice", "/bin/sh" }
}
policy "unread-$who" { read = { "/usr", "/lib", "/lib64", "/bin", "/etc" } }
policy "unloaded-$who" { read = { "$at/work", "/etc" } }
policy "denied-$who" { deny = { "$at/work/made/static" } }
END
}

# A server outside, on a port of the loopback; it writes down which.
cat >"$base/server.pl" <<'END'
use IO::Socket::INET;
my $server = IO::Socket::INET->new(Listen => 50, LocalAddr => "127.0.0.1")
	or die $!;
open(my $file, ">", $ARGV[0]) or die $!;
print $file $server->sockport, "\n";
close($file);
while (my $client = $server->accept) { print $client "hello"; }
END
command -v perl >/dev/null || { echo "1..0 # SKIP perl is missing"; exit 0; }
perl "$base/server.pl" "$base/port" &
server=$!
for i in $(seq 600); do
	[ -s "$base/port" ] && break
	sleep 0.1
done
port=$(cat "$base/port")
fetch='use IO::Socket::INET; my $c = IO::Socket::INET->new(
	PeerAddr => "127.0.0.1", PeerPort => $ENV{PORT}) or die $!;
	read($c, my $text, 5) == 5 or die'

cat "$srcdir"/etc/shipped/policies.conf "$srcdir"/etc/shipped/groups.conf \
	>"$base/sandbox.conf"
echo 'blocked_paths = { "/etc/passwd" }' >"$base/passwd.conf"
for who in $users; do
	make_ground
done
chmod 644 "$base/sandbox.conf" "$base/passwd.conf"

# ---- The shipped policies --------------------------------------------------

# What every one of them takes.
taken_by() {
	taken "--policy $1" "file outside" sh -c 'echo x >"$O/new"'
	taken "--policy $1" "change outside" sh -c \
		'echo x >>"$HOME/plain"; chmod 600 "$HOME/plain"'
	taken "--policy $1" "file in the home directory" \
		sh -c 'echo x >"$HOME/new"'
	taken "--policy $1" "data" cat "$place/$who/home/.omega/data/memory.db"
}

try_presets() {
	for preset in tool strict mcp; do
		work=$place/$who/work
		[ $preset != mcp ] || work=$base/$who
		for use in $uses; do
			left "--policy $preset" "$use" \
				sh "$base/uses.sh" --use "$use"
		done
		taken_by $preset
	done
	work=$place/$who/work
	taken "--policy mcp" "file in the work directory" \
		sh -c 'echo x >now/file'
	left "--policy tool" "file of the home directory" \
		cat "$place/$who/home/plain"
	taken "--policy strict" "file of the home directory" \
		cat "$place/$who/home/plain"
	left "--policy mcp" "connection" perl -e "$fetch"
	left "--policy mcp --net allow" "connection" perl -e "$fetch"
	for options in "--policy tool" "--policy strict" "--net deny" \
		"--policy mcp --net deny" "--net unix-only" \
		"--policy tool --net allow"; do
		taken "$options" "connection" perl -e "$fetch"
	done
	left "--net deny" "server of its own" sh "$base/uses.sh" --use loopback
	taken "--net unix-only" "server of its own" \
		sh "$base/uses.sh" --use loopback
}

# ---- git -------------------------------------------------------------------

try_git() {
	commit='echo "$$" >>file && git commit -qam more'
	for tree in repository tree; do
		work=$place/$who/$tree
		[ -d "$work" ] || {
			skip "commit in a $tree" "git is missing"
			continue
		}
		taken "--policy tool" "commit in a $tree" sh -c "$commit"
		taken "--policy strict" "commit in a $tree" sh -c "$commit"
		left "--policy tool" "log of a $tree" git log --oneline
		taken "--policy strict" "look at the metadata of a $tree" \
			git log --oneline
		left "--policy git-$who" "commit in a $tree" sh -c "$commit"
		left "--policy git-$who" "log of a $tree" git log --oneline
		as git fsck --strict >"$base/said" 2>&1
		result $? "the $tree is whole"
	done
	# The metadata of the one is in its work directory, of the other not.
	work=$place/$who/repository
	[ -d "$work" ] || return
	left "--policy own-$who" "commit in a repository" sh -c "$commit"
	work=$place/$who/tree
	taken "--policy own-$who" "commit in a tree" sh -c "$commit"
	left "--policy own-$who" "log of a tree" git log --oneline
	work=$place/$who/work
}

# ---- execute lists ---------------------------------------------------------

# refused POLICY PROGRAM TEXT: exits 126 and says why.
refused() {
	if ! works_outside "$2"; then
		skip "no ${2##*/}" "it does not work outside"
		return
	fi
	inside --policy "$1" -- "$2"
	[ $? = 126 ]
	result $? "no ${2##*/}, with $1"
	says "$3" "and it says: $3"
	grep -qE "\(policy $base/sandbox.conf:[0-9]+\)" "$base/said"
	result $? "and where"
}

try_execute() {
	made=$work/made
	left "--policy static-$who" "static program" "$made/static"
	left "--policy dynamic-$who" "program and its loader" "$made/dynamic"
	left "--policy shell-$who" "script" "$made/script"
	left "--policy shell-$who" "script of a script" "$made/twice"
	refused "static-$who" "$made/dynamic" \
		"execute is not granted on $made/dynamic"
	refused "dynamic-$who" "$made/static" \
		"execute is not granted on $made/static"
	refused "script-$who" "$made/script" \
		"execute is not granted on its interpreter /bin/sh"
	refused "script-$who" "$made/static" \
		"execute is not granted on $made/static"
	refused "unread-$who" "$made/static" \
		"read is not granted on $made/static"
	refused "unloaded-$who" "$made/dynamic" "is not granted on its loader /"
	refused "denied-$who" "$made/static" \
		"$made/static is denied by \"$made/static\""
	left "--policy default" "static program" "$made/static"
	# What is not there is not there for another reason.
	inside --policy "static-$who" -- "$made/nothing"
	[ $? = 127 ] && grep -q 'not found' "$base/said"
	result $? "what is not there is not found"
}

# ---- /etc/passwd -----------------------------------------------------------

# blocked COMMAND...: with /etc/passwd blocked.
blocked() {
	as "$tool" run --config "$base/passwd.conf" \
		--data-dir "$place/$who/home/.omega" -- "$@" >"$base/said" 2>&1
}

try_passwd() {
	for use in static shell python git gcc tar; do
		if works_outside sh "$base/uses.sh" --use $use; then
			blocked sh "$base/uses.sh" --use $use
			result $? "$use without /etc/passwd"
		else
			skip "$use without /etc/passwd" \
				"it does not work outside"
		fi
	done
	blocked cat /etc/passwd
	[ $? = 1 ]
	result $? "no /etc/passwd"
	blocked sh -c 'echo x >>/etc/passwd'
	[ $? != 0 ]
	result $? "no change of /etc/passwd"
	if ! grep -qE '^passwd:[[:space:]]*files[[:space:]]*$' \
		/etc/nsswitch.conf 2>/dev/null; then
		skip "users have no names" "they are not in /etc/passwd only"
		return
	fi
	# What sandbox.conf(5) says that it breaks.
	blocked ls -ld "$work"
	uid=$(stat -c %u "$work")
	grep -qE "^[^ ]+ +[0-9]+ +$uid " "$base/said"
	result $? "ls -l shows numbers"
	blocked id
	grep -q "^uid=$uid " "$base/said"
	result $? "id shows numbers"
	for command in "whoami" "getent passwd $uid"; do
		# shellcheck disable=SC2086
		works_outside $command && ! blocked $command
		result $? "$command fails"
	done
	blocked sh -c 'test ~root = "~root"'
	result $? "~root is not expanded"
	if works_outside sh -c 'command -v ssh'; then
		blocked ssh -o BatchMode=yes -p "$port" 127.0.0.1
		says "No user exists for uid" "ssh does not start"
	fi
	if works_outside sh -c 'command -v git'; then
		blocked env -u GIT_AUTHOR_NAME -u GIT_COMMITTER_NAME git var \
			GIT_AUTHOR_IDENT
		result "$((! $?))" "git has no author but a configured one"
	fi
}

for who in $users; do
	work=$place/$who/work
	if ! as test -x "$tool"; then
		skip "everything" "the build directory is not to be seen"
		continue
	fi
	try_presets
	try_git
	try_execute
	try_passwd
done
echo "1..$number"
