#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Real programs under network and process rules, through the tool: what a rule
# leaves must work, what it takes must fail, and all of it works outside. As
# an ordinary user and as root. Prints TAP.
set -u
: "${top_builddir:=.}"
tool=$(cd "$top_builddir" && pwd)/omega-sandbox-built
number=0
status=0

# Anybody must be able to get here, also with a build in somebody's home.
base=$(mktemp -d /tmp/omega-net.XXXXXX) || exit 99
chmod 755 "$base"
server=
cleanup() {
	[ -z "$server" ] || kill "$server" 2>/dev/null
	rm -rf "$base"
}
trap cleanup EXIT

result() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $who: $2"
	else
		echo "not ok $number - $who: $2"
		sed 's/^/# /' "$base/said"
		status=1
	fi
}

skip() {
	number=$((number + 1))
	echo "ok $number - $who: $1 # SKIP $2"
}

# A server outside, on a port of the loopback; it writes down which.
cat >"$base/server.pl" <<'END'
use IO::Socket::INET;
my $server = IO::Socket::INET->new(Listen => 50, LocalAddr => "127.0.0.1")
	or die $!;
open(my $file, ">", $ARGV[0]) or die $!;
print $file $server->sockport, "\n";
close($file);
while (my $client = $server->accept) {
	my $line;
	do { $line = <$client> } while (defined $line && $line =~ /\S/);
	print $client "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello";
	close($client);
}
END
command -v perl >/dev/null || { echo "1..0 # SKIP perl is missing"; exit 0; }
perl "$base/server.pl" "$base/port" &
server=$!
for i in $(seq 600); do
	[ -s "$base/port" ] && break
	sleep 0.1
done
port=$(cat "$base/port")
cat >"$base/sandbox.conf" <<END
policy "there" { connect = { $port } }
policy "elsewhere" { connect = { 1 } }
policy "alone" { fork = false }
END

# as COMMAND...: as the one whose turn it is.
as() {
	if [ "$who" = user ] && [ "$(id -u)" = 0 ]; then
		setpriv --reuid 61951 --regid 61951 --clear-groups "$@"
	else
		"$@"
	fi
}

inside() {
	as env HOME="$base/$who" "$tool" run --config "$base/sandbox.conf" \
		--data-dir "$base/$who/omega" "$@" >"$base/said" 2>&1
}

# What does not work outside is skipped.
works_outside() {
	as "$@" >"$base/said" 2>&1
}

fetch="curl -s --noproxy * --max-time 10 http://127.0.0.1:$port/"
pair='use Socket; socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or die $!;
	syswrite($a, "x") == 1 or die $!; sysread($b, my $c, 1) == 1 or die $!'
node='require("fs").readFile("/etc/passwd", (e) => { if (e) throw e;
	require("child_process").execFile("true", (e) => { if (e) throw e; }) })'

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
		skip "$name" "it does not work outside"
		return
	fi
	# shellcheck disable=SC2086
	inside $options -- "$@"
	code=$?
	# 125: it was not even started.
	[ $code != 0 ] && [ $code != 125 ]
	result $? "no $name, with $options"
}

set -f # the star of curl's option is a word
for who in user root; do
	[ "$who" = user ] || [ "$(id -u)" = 0 ] || continue
	mkdir -p "$base/$who/omega"
	[ "$(id -u)" != 0 ] || [ "$who" = root ] ||
		chown -R 61951:61951 "$base/$who"
	# shellcheck disable=SC2086
	{
		left "--net allow" "page" $fetch
		taken "--net unix-only" "page" $fetch
		left "--policy there" "page" $fetch
		taken "--policy elsewhere" "page" $fetch
	}
	left "--net unix-only" "pair of sockets" perl -e "$pair"
	left "--net unix-only" "processes" sh -c 'test "$(echo a | cat)" = a'
	left "--net unix-only" "node without io_uring" node -e "$node"
	left "--policy there" "node without io_uring" node -e "$node"
	taken "--net unix-only" "list of interfaces" ip link
	taken "--policy there" "UDP" perl -e 'use Socket;
		socket(my $s, AF_INET, SOCK_DGRAM, 0) or die $!'
	left "--policy alone" "exec" sh -c 'exec ls /'
	taken "--policy alone" "pipeline" sh -c 'test "$(echo a | cat)" = a'
	left "--policy alone" "threads" node -e '
		require("fs").readFile("/etc/passwd", (e) => { if (e) throw e })'
	taken "--policy alone" "child of node" node -e "$node"
done
echo "1..$number"
exit $status
