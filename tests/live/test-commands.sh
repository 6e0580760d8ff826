#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The environment of commands, arguments and the audit log with the backends
# as they were built, as root and as an ordinary user.
set -u
tool=$(cd "$top_builddir" && pwd)/omega-sandbox-built
if [ ! -x "$tool" ]; then
	echo "1..0 # SKIP omega-sandbox-built was not built"
	exit 0
fi
# Here plugins and helper are opened to be written, and whoever executes what is
# open for that fails: in mounts of our own they are copies.
if [ "$(id -u)" = 0 ] && [ -z "${OMEGA_TEST_APART-}" ] &&
	unshare -m true 2>/dev/null; then
	OMEGA_TEST_APART=yes exec unshare -m sh "$0"
fi
count=0
work=$(mktemp -d /tmp/omega-commands.XXXXXX) || exit 99
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

built=$(cd "$top_builddir/tests/built" && pwd)
is_own=
if [ -n "${OMEGA_TEST_APART-}" ] && cp -a "$built" "$work/built" &&
	mount --bind "$work/built" "$built"; then
	is_own=yes
	trap 'umount "$built"; rm -rf "$work"' EXIT
fi

result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		sed 's/^/# /' "$work/err" 2>/dev/null
	fi
}

skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

# as WHO COMMAND...: as root, or as a user that root becomes.
as() {
	who=$1
	shift
	prefix=
	if [ "$who" = user ] && [ "$(id -u)" = 0 ]; then
		prefix="setpriv --reuid 61951 --regid 61951 --clear-groups
			--inh-caps=-all"
	fi
	# shellcheck disable=SC2086
	(cd "$work/$who" && exec $prefix env -i PATH="$PATH" \
		HOME="$work/$who" GITHUB_TOKEN=hush SSH_AUTH_SOCK=/run/agent \
		PLAIN=yes "$@" </dev/null)
}

# Inside there is no second one, and it says so last, whatever failed first.
try_nested() {
	for how in default hidden; do
		nested="$tool run --config $home/nested.conf
			--data-dir $home/omega --policy $how --"
		as "$w" $nested $nested true >"$work/out" 2>"$work/err"
		[ $? = 125 ] && tail -n 1 "$work/err" |
			grep -q 'inside of a sandbox already.*without it'
		result $? "$w: a second one inside ($how) is refused with the cause"
	done
	as "$w" "$tool" run --policy none -- true 2>"$work/err"
	! grep -q 'sandbox already' "$work/err"
	result $? "$w: outside that is no cause"
}

# try WHO: everything, with its own configuration and log.
try() {
	w=$1
	home=$work/$w
	mkdir -p "$home/omega/data" "$home/log"
	echo secret >"$home/omega/data/x"
	printf 'audit = "%s"\n' "$home/log/audit.log" >"$home/sandbox.conf"
	echo 'policy "hidden" { deny = { "{data_dir}" } }' >"$home/nested.conf"
	printf 'check_arguments = true\n' >"$home/checked.conf"
	[ "$w" = root ] || [ "$(id -u)" != 0 ] ||
		chown -R 61951:61951 "$home"
	run="$tool run --config $home/sandbox.conf --data-dir $home/omega --"
	checked="$tool run --config $home/checked.conf --data-dir $home/omega
		--"
	if ! as "$w" $run true 2>"$work/err"; then
		skip "$w" "no command can be protected here: $(head -n 1 \
			"$work/err")"
		return
	fi

	try_nested

	# Outside the same is there.
	as "$w" env | grep -q '^GITHUB_TOKEN=hush$'
	result $? "$w: the token is there outside"
	as "$w" $run env >"$work/out" 2>"$work/err"
	result $? "$w: env runs"
	! grep -qE 'GITHUB_TOKEN|SSH_AUTH_SOCK' "$work/out"
	result $? "$w: token and agent do not reach it"
	grep -q '^PLAIN=yes$' "$work/out"
	result $? "$w: the rest does"

	# What is read by the next command. Root's commands could write what
	# is root's alone: they are kept from plugins and helpers as well.
	for attempt in 'echo "enabled = false" >>"$CONF"' 'rm "$CONF"' \
		'mv "$CONF" "$CONF.1"' ': >>"$PLUGIN"' ': >>"$HELPER"' \
		': >>"$PLUGIN.new"'; do
		set -- env CONF="$home/sandbox.conf" \
			PLUGIN="$built/plugins/seccomp.so" \
			HELPER="$built/libexec/omega-sandbox-namespace"
		as "$w" "$@" $run sh -c "$attempt" >/dev/null 2>&1
		[ $? != 0 ] && [ "$(wc -l <"$home/sandbox.conf")" = 1 ]
		result $? "$w: inside not: $attempt"
		[ "$w" = root ] || continue
		case $attempt in
		*CONF*) ;;
		*)
			[ -n "$is_own" ] || {
				skip "$w: outside: $attempt" "no own mounts"
				continue
			}
			;;
		esac
		cp -p "$home/sandbox.conf" "$home/kept.conf"
		as "$w" "$@" sh -c "$attempt" 2>"$work/err"
		result $? "$w: outside: $attempt"
		mv "$home/kept.conf" "$home/sandbox.conf"
		rm -f "$home/sandbox.conf.1" "$built/plugins/seccomp.so.new"
	done

	as "$w" cat "$home/omega/data/x" >/dev/null 2>"$work/err"
	result $? "$w: the secret can be read outside"
	as "$w" $checked cat omega/data/x >"$work/out" 2>"$work/err"
	[ $? = 125 ] && grep -q 'argument 1' "$work/err"
	result $? "$w: refused by its argument"
	as "$w" $run cat "$home/omega/data/x" >"$work/out" 2>"$work/err"
	[ $? = 1 ] && [ ! -s "$work/out" ]
	result $? "$w: and kept by the backends without that"

	# Nobody inside changes what is written about them, by any way; outside
	# the same works on another log.
	log=$home/log/audit.log
	before=$(wc -l <"$log")
	for attempt in 'echo x >>"$LOG"' 'echo x >"$LOG"' 'rm "$LOG"' \
		'mv "$LOG" "$LOG.1"' 'mv "$DIR" "$DIR.1"' \
		'truncate -s 0 "$LOG"' 'ln -f "$OTHER" "$LOG"'; do
		rm -rf "$home/there" "$home/there.1"
		mkdir "$home/there"
		echo x >"$home/there/audit.log"
		echo x >"$home/other"
		[ "$w" = root ] || [ "$(id -u)" != 0 ] ||
			chown -R 61951:61951 "$home/there" "$home/other"
		as "$w" env LOG="$home/there/audit.log" DIR="$home/there" \
			OTHER="$home/other" sh -c "$attempt" 2>"$work/err"
		result $? "$w: outside: $attempt"
		as "$w" env LOG="$log" DIR="$home/log" OTHER="$home/other" \
			$run sh -c "$attempt" >/dev/null 2>&1
		[ $? != 0 ] && [ "$(wc -l <"$log")" = $((before + 1)) ]
		result $? "$w: inside not: $attempt"
		before=$(wc -l <"$log")
	done
	as "$w" sh -c "echo x >>'$log' && mv '$log' '$log.1'" 2>"$work/err"
	result $? "$w: outside it can be changed and moved"
	as "$w" $run true 2>"$work/err" && [ "$(wc -l <"$log")" = 1 ]
	result $? "$w: and is made anew then"
	rm -f "$log" "$log.1"

	# A shell opens its redirections before the sandbox is there.
	mkdir -p "$home/list"
	printf 'policy "listed" { write = { "%s/list" } }\n' "$home" \
		>"$home/listed.conf"
	[ "$w" = root ] || [ "$(id -u)" != 0 ] ||
		chown -R 61951:61951 "$home/list" "$home/listed.conf"
	listed="$tool run --config $home/listed.conf --policy listed
		--data-dir $home/omega --"
	as "$w" sh -c "$(echo $listed) true 2>/dev/null >list/in"
	result $? "$w: output to what a list has"
	as "$w" sh -c "$(echo $listed) true >out" 2>"$work/err"
	[ $? = 125 ] && grep -q 'descriptor 1 may write' "$work/err"
	result $? "$w: output to what it has not is refused, and why"
}

if [ "$(id -u)" = 0 ]; then
	try root
fi
try user
echo "1..$count"
