#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Everyday programs at real work inside "omega-sandbox run" with the default
# policy, as an ordinary user and as root. Every piece of work is done outside
# first: what does not work there is skipped, what works there must work inside.
#
# The work itself is in everyday/.
#
# EVERYDAY="name..." limits it to some, EVERYDAY_TOOL=FILE tries another tool,
# EVERYDAY_BACKENDS=LIST other backends than the usual ones. What a backend is
# known not to give is in everyday/lost-NAME.
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
mkdir "$top/uses"
cp "$(dirname "$0")"/everyday/* "$top/uses/"
chmod 755 "$top/uses"
chmod 644 "$top/uses"/*

# The tool: the twin of the installed one, whose plugins are in tests/stage.
tool=${EVERYDAY_TOOL-}
if [ -z "$tool" ]; then
	tool=$(cd "$top_builddir" && pwd)/omega-sandbox-testable
	stage=$(cd "$top_builddir" && pwd)/tests/stage
	libs=$top_builddir/.libs
	helper=$top_builddir/libexec/omega-sandbox-namespace
	for need in "$libs/namespace.so" "$libs/landlock.so" \
		"$libs/seccomp.so" "$helper"; do
		[ -e "$need" ] || {
			echo "1..0 # SKIP ${need##*/} was not built"
			exit 0
		}
	done
	rm -rf "$stage"
	mkdir -p "$stage/plugins" "$stage/libexec" "$stage/etc/omega"
	cp "$libs/namespace.so" "$libs/landlock.so" "$libs/seccomp.so" \
		"$stage/plugins/"
	[ ! -e "$libs/bwrap.so" ] || cp "$libs/bwrap.so" "$stage/plugins/"
	cp "$helper" "${helper%/*}/omega-sandbox-init" "$stage/libexec/"
	chmod -R go-w,a+rX "$stage"
fi

backends=${EVERYDAY_BACKENDS:-auto}
lost=" $(cat "$top/uses/lost-${backends%%,*}" 2>/dev/null | tr '\n' ' ') "

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
		for tries in $(seq 600); do
			! grep -q 'Server listening' "$top/sshd.log" || return 0
			kill -0 "$sshd" 2>/dev/null || break
			sleep 0.1
		done
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
	as "$1" "$tool" run --backend "$backends" --data-dir "$top/$1/$data" -- \
		sh "$top/uses/use.sh" "$2"
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
		as "$1" "$tool" run --backend "$backends" \
			--data-dir "$top/$1/.omega" -- true >"$top/log" 2>&1 || {
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
end = time.time() + 300
while time.time() < end and not os.path.exists(sys.argv[2]):
    time.sleep(0.1)' "$top/$1/sockets/s" "$top/calm" &
	server=$!
	for i in $(seq 600); do
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
		as "$1" "$tool" run --backend "$backends" --data-dir "$top/$1/.omega" -- \
			mv "$2" "$3" >"$top/log" 2>&1
		as "$1" "$tool" run --backend "$backends" --data-dir "$top/$1/.omega" -- \
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
	if ! as "$kind" "$tool" describe --backend "$backends" \
		--data-dir "$top/$kind/.omega" \
		>"$top/log" 2>&1; then
		skip "$kind" "$(head -n 1 "$top/log")"
		continue
	fi
	# It is one: the same words, and the secret stays one.
	as "$kind" "$tool" run --backend "$backends" \
		--data-dir "$top/$kind/.omega" -- \
		cat "$top/$kind/.omega/data/memory.db" >"$top/log" 2>&1
	if grep -q secret "$top/log" ||
		! as "$kind" grep -q secret "$top/$kind/.omega/data/memory.db"; then
		not_ok "$kind: the sandbox is one"
	else
		ok "$kind: the sandbox is one"
	fi
	[ "${lost#* busy_sockets }" != "$lost" ] || busy_sockets "$kind"
	moved_socket "$kind"
	while read -r use whose needs title; do
		case " ${EVERYDAY:-$use} " in
		*" $use "*) ;;
		*) continue ;;
		esac
		[ "$whose" = all ] || [ "$whose" = "$kind" ] || continue
		missing=
		if ! has "$needs"; then
			skip "$kind: $title" "$missing"
		elif ! as "$kind" sh "$top/uses/use.sh" "$use" \
			>"$top/log" 2>&1; then
			[ -z "${EVERYDAY-}" ] || sed 's/^/# /' "$top/log"
			skip "$kind: $title" "does not work outside either"
		elif [ "${lost#* "$use" }" != "$lost" ]; then
			if sandboxed "$kind" "$use" >"$top/log" 2>&1; then
				not_ok "$kind: $title works: it is not lost"
			else
				skip "$kind: $title" "not with $backends"
			fi
		elif sandboxed "$kind" "$use" >"$top/log" 2>&1; then
			ok "$kind: $title"
		else
			not_ok "$kind: $title ($use)"
		fi
	done <"$top/uses/list"
done
echo "1..$count"
