#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Can verify fail? Every child step, mount operation, right, scope, port right
# and filter entry of the backends is left out in turn (see mutate.h), and
# verify has to notice: by finding a claim false, or because no command starts.
# What nobody can notice is counted by groups, each with its reason. Of the many
# that are alike a share is tried, as who runs this; OMEGA_TEST_MUTATIONS=all
# tries every one, started by root as root and as a user.
set -u
tool=$top_builddir/omega-sandbox-mutant
mutants=$top_builddir/tests/mutants
LC_ALL=C
export LC_ALL

rm -rf "$mutants"
mkdir -p "$mutants"
chmod go-w "$mutants"
for name in namespace landlock seccomp; do
	cp "$top_builddir/.libs/mutant-$name.so" "$mutants/$name.so"
done
cp "$top_builddir/mutant-builder" "$mutants/omega-sandbox-namespace"
cp "$top_builddir/libexec/omega-sandbox-init" "$mutants/"

# Not in /tmp: others work there, and with complement = true every new name in
# a directory above the data means another preparation.
tmp=$(mktemp -d "$top_builddir/tests/mutation-XXXXXX") || exit 99
tmp=$(cd "$tmp" && pwd -P)
trap 'rm -rf "$tmp" "$mutants"' EXIT
trap 'exit 99' HUP INT TERM
chmod 755 "$tmp"
# Without the witness, which would find many of them first: it is verify that
# has to notice.
echo 'witness = off' >"$tmp/plain.conf"
cat >"$tmp/open.conf" <<'END'
fail_closed = false
witness = off
policy "ports" {
	connect = { 443 }
	bind = { 8080 }
}
policy "alone" { fork = false }
policy "run" { execute = { "/usr", "/bin", "/lib", "/sbin", "PROGRAM" } }
END
sed -i "s|PROGRAM|$top_builddir|" "$tmp/open.conf"
cat >"$tmp/complement.conf" <<'END'
fail_closed = false
witness = off
plugin "landlock" { complement = true }
END
chmod go-w "$tmp"/*.conf

# tell SETTING VERB...: with one of the stacks that show what is left out.
tell() {
	setting=$1
	verb=$2
	shift 2
	set -- --data-dir "$home/.omega" "$@"
	case $setting in
	stack | shared) set -- --config "$tmp/plain.conf" "$@" ;;
	landlock) set -- --config "$tmp/complement.conf" "$@" ;;
	*) set -- --config "$tmp/open.conf" "$@" ;;
	esac
	case $setting in
	namespace | landlock | seccomp) set -- --backend "$setting" "$@" ;;
	deny) set -- --net deny "$@" ;;
	unix) set -- --net unix-only --backend seccomp "$@" ;;
	alone) set -- --policy alone --backend seccomp "$@" ;;
	ports | run) set -- --policy "$setting" "$@" ;;
	esac
	# The host's mounts are seen elsewhere, as init systems have it.
	if [ "$setting" = shared ]; then
		unshare -m --propagation shared $as "$tool" "$verb" "$@"
	else
		$as "$tool" "$verb" "$@"
	fi
}
settings="stack namespace landlock seccomp deny unix alone ports run"

# Who holds it alone, so that no other layer hides that it is missing; else
# the first setting in which it was seen.
setting() {
	case $1 in
	# Each is a part of the guarantee about signals, or tracing.
	"entry prlimit64 "* | "entry clone 8000" | "entry clone3 "* | \
	"entry fcntl "* | \
	"entry perf_event_open "* | "scope 1") echo stack ;;
	"right 0") echo run ;;
	"right "* | "scope "* | "step landlock"*) echo landlock ;;
	"step seccomp") echo seccomp ;;
	"step setns network") echo deny ;;
	"part "*) echo unix ;;
	"builder no-nesting" | "step capabilities") echo namespace ;;
	"builder slave") echo shared ;;
	"entry "*) if grep -qxF "seccomp	$1" "$tmp/list"; then
			echo seccomp
		else
			first_setting "$1"
		fi ;;
	*) first_setting "$1" ;;
	esac
}

first_setting() {
	awk -F "\t" -v what="$1" '$2 == what { print $1; exit }' "$tmp/list"
}

# May who runs this write to it, or move it, at all?
may_change() {
	case $1 in
	pin) $as test -w "${2%/*}/" ;;
	read-only-top) $as test -w "$2" ;;
	# ns_last_pid is open to all by its mode, and a matter of privilege.
	*) $as test -w "$2" || { $as test -d "$2" &&
		[ -n "$($as find "$2" -xdev -writable ! -type l \
			! -name ns_last_pid -print -quit 2>/dev/null)" ]; } ;;
	esac
}

# Nothing to see for verify, and why: one line for a whole group.
equivalent() {
	case $who,$1 in
	"user,builder slave")
		echo "mounts in a user's namespace are slaves by themselves"
		return ;;
	"user,op devices /dev")
		echo "all devices but harmless ones, which are not a user's" \
			"without a sandbox either"
		return ;;
	"user,builder nodev")
		echo "nodes of devices elsewhere, which a user cannot make"
		return ;;
	"user,step capabilities" | "user,step landlock capabilities")
		echo "what a user has in a namespace, exec takes away"
		return ;;
	"user,entry ioctl 541c" | "user,right 15")
		echo "consoles and settings of devices, which are not a" \
			"user's without a sandbox either"
		return ;;
	esac
	case $1 in
	# Claimed in part; that it was found and is closed is shown.
	"op hide $home/.omega-verify-"*) return 1 ;;
	"op pin-socket $home/.omega-verify-"*)
		echo "the way to sockets of programs outside, which are closed" \
			"where they are found" ;;
	"op hide "* | "op pin-socket "*)
		echo "sockets of other programs, and the way to them: verify" \
			"knocks only at its own" ;;
	"op pin /bin" | "op pin /sbin" | "op pin /lib" | "op pin /lib"[3x6]*)
		echo "links of the system: to replace them would do harm;" \
			"links of its own are tried" ;;
	"op deny /proc/keys" | "op deny /proc/kmsg" | "op deny /proc/kcore")
		echo "files of /proc that are hidden beyond what is claimed" ;;
	"op show "*) echo "devices that commands have" ;;
	"op copy "*) echo "copies for ssh's sake, which protect nothing" ;;
	"builder masks-read-only")
		echo "masks are nobody's and of mode 000 as well as read-only" ;;
	"right 11")
		echo "nodes of disks, which take a capability that no command" \
			"has: see the step" ;;
	"right 13")
		echo "refer: the kernel forbids it where it is not handled" ;;
	"entry perf_event_open 4")
		echo "samples of a control group: one would be needed to try" ;;
	"entry perf_event_open "*)
		[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ] ||
			return 1
		echo "samples of all processes, which this kernel refuses too" ;;
	"entry foreign "*)
		echo "calls that this instruction set does not have" ;;
	"op pin "* | "op read-only"*)
		kind=${1#op }
		may_change "${kind%% *}" "${1#op * }" && return 1
		echo "places where this user may change nothing anyway" ;;
	*) return 1 ;;
	esac
}

number=0
ok() { # ok NAME STATUS [FILE]
	number=$((number + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		[ $# -lt 3 ] || sed 's/^/# /' "$3"
	fi
}

# Others make names in directories above the data, and with complement = true
# each means another preparation: when there were too many, once more.
patiently() { # patiently FILE SETTING VERB...
	file=$1
	shift
	for try in 1 2 3 4 5; do
		tell "$@" >"$file" 2>&1 && return 0
		status=$?
		grep -q 'keeps changing' "$file" || return "$status"
	done
	return "$status"
}

one() { # one NUMBER MUTATION
	OMEGA_TEST_MUTATION=$2
	export OMEGA_TEST_MUTATION
	patiently "$tmp/out/$1" "$(setting "$2")" verify --first
	echo "$?" >"$tmp/out/$1.status"
}

# Is this one beyond the share of its kind?
is_surplus() {
	[ "${OMEGA_TEST_MUTATIONS-}" != all ] || return 1
	case $1 in
	"op "*) kind=${1#op } kind="op ${kind%% *}" ;;
	*) kind=${1%% *} ;;
	esac
	echo "$kind" >>"$tmp/kinds"
	[ "$(grep -cxF "$kind" "$tmp/kinds")" -gt 1 ]
}

# How it was noticed; fails when it was not.
judge() { # judge MUTATION NUMBER
	status=$(cat "$tmp/out/$2.status")
	if [ "$status" = 1 ]; then
		echo "a claim is false"
	elif [ "$status" = 2 ] &&
		grep '^nothing could be tried: ' "$tmp/out/$2" |
		grep -qv 'not installed\|keeps changing'; then
		echo "no command starts"
	elif [ "$status" = 2 ] &&
		grep -q 'cannot use its own files: [a-z]*: [a-z ]*: ' \
			"$tmp/out/$2"; then
		echo "a step of a backend fails, and no command starts"
	elif [ "$status" = 2 ] &&
		grep -q 'nothing works outside either' "$tmp/out/$2"; then
		echo "the host is hurt"
	elif [ "$1" = "right 0" ] && grep -q \
		'^  open .*nothing can be run but.*work: execve' "$tmp/out/$2"; then
		# Claimed in part, and so never false: but it is shown.
		echo "what was refused works"
	elif [ "${1#op hide }" != "$1" ] && grep -q \
		'^  open .*path sockets .*work: connect, connect by' \
		"$tmp/out/$2"; then
		echo "a socket that was found can be reached"
	else
		echo "not noticed, exit $status"
		return 1
	fi
}

# go_through WHO: all of it, with $as and $home set.
go_through() {
	mkdir -p "$home/.omega/data" "$tmp/out"
	echo secret >"$home/.omega/data/memory.db"
	echo secret >"$home/.omega/config.toml"
	chmod -R go-w "$home"
	[ -z "$as" ] || chown -R 12345:12345 "$home"
	: >"$tmp/list"
	: >"$tmp/kinds"
	: >"$tmp/made"
	: >"$tmp/groups"
	# With nothing left out all is well; and what there is to leave out is
	# listed.
	for stack in $settings; do
		: >"$tmp/seen"
		chmod 666 "$tmp/seen"
		# Preparing is enough, and costs less.
		set -- run -- true
		[ "${OMEGA_TEST_MUTATIONS-}" != all ] &&
			[ "$stack" != stack ] || set -- verify
		OMEGA_TEST_MUTATION=list:$tmp/seen
		export OMEGA_TEST_MUTATION
		patiently "$tmp/base" "$stack" "$@"
		ok "$who, $stack, complete: $1 is content" $? "$tmp/base"
		sort -u "$tmp/seen" | sed "s/^/$stack	/" >>"$tmp/list"
	done
	cut -f 2- "$tmp/list" | sort -u >"$tmp/todo"
	made=0
	same=0
	left=0
	noticed=0
	while read -r what; do
		if why=$(equivalent "$what"); then
			same=$((same + 1))
			echo "$why" >>"$tmp/groups"
			continue
		fi
		if is_surplus "$what"; then
			left=$((left + 1))
			continue
		fi
		made=$((made + 1))
		echo "$what" >>"$tmp/made"
		one "$made" "$what" </dev/null &
		[ $((made % (jobs + 1))) != 0 ] || wait
	done <"$tmp/todo"
	wait
	index=0
	while read -r what; do
		index=$((index + 1))
		seen=$(judge "$what" "$index")
		status=$?
		[ "$status" != 0 ] || noticed=$((noticed + 1))
		ok "$who, without $(echo "$what" | sed "s|$home|~|"): $seen" \
			"$status" "$tmp/out/$index"
	done <"$tmp/made"
	# One of each kind; of devices a user may have none.
	[ "$made" -ge 8 ] && grep -q "^step " "$tmp/made"
	ok "$who: there was something to leave out" $?
	sort "$tmp/groups" | uniq -c | while read -r count why; do
		echo "# $who, not noticeable: $count $why"
	done
	echo "# $who: $made mutations made, $noticed noticed," \
		"$((made - noticed)) not; $same not noticeable," \
		"$left left for OMEGA_TEST_MUTATIONS=all"
	rm -rf "$tmp/out" "$home"
}

jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
who=root
as=
home=$tmp/home
[ "$(id -u)" = 0 ] || who=user
go_through
if [ "$(id -u)" = 0 ] && [ "${OMEGA_TEST_MUTATIONS-}" = all ]; then
	who=user
	as="setpriv --reuid 12345 --regid 12345 --clear-groups --inh-caps=-all"
	home=$tmp/user
	if $as test -x "$tool"; then
		go_through
	else
		number=$((number + 1))
		echo "ok $number - as a user # SKIP out of a user's reach:" \
			"$top_builddir"
	fi
fi
echo "1..$number"
