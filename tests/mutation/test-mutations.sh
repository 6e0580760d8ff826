#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Can verify fail? Every child step, mount operation, right, scope and filter
# entry of the backends is left out in turn (see mutate.h), and verify has to
# notice: by finding a claim false, or because no command starts. What nobody
# can notice is named below with the reason. Of the many that are alike a share
# is tried; OMEGA_TEST_MUTATIONS=all tries every one.
set -u
tool=$top_builddir/omega-sandbox-mutant
mutants=$top_builddir/tests/mutants
LC_ALL=C
export LC_ALL

if [ "$(id -u)" != 0 ]; then
	echo "1..0 # SKIP only root may do what the backends keep it from"
	exit 0
fi
rm -rf "$mutants"
mkdir -p "$mutants"
chmod go-w "$mutants"
for name in namespace landlock seccomp; do
	cp "$top_builddir/.libs/mutant-$name.so" "$mutants/$name.so"
done
cp "$top_builddir/mutant-builder" "$mutants/omega-sandbox-namespace"

# Not in /tmp: others work there, and with complement = true every new name in
# a directory above the data means another preparation.
tmp=$(mktemp -d "$top_builddir/tests/mutation-XXXXXX") || exit 99
tmp=$(cd "$tmp" && pwd -P)
trap 'rm -rf "$tmp" "$mutants"' EXIT
trap 'exit 99' HUP INT TERM
home=$tmp/home
mkdir -p "$home/.omega/data" "$tmp/out"
echo secret >"$home/.omega/data/memory.db"
echo secret >"$home/.omega/config.toml"
echo 'fail_closed = false' >"$tmp/open.conf"
cat >"$tmp/complement.conf" <<'END'
fail_closed = false
plugin "landlock" { complement = true }
END
chmod -R go-w "$tmp"

# verify SETTING: with one of the stacks that show what is left out.
verify() {
	set -- "$1" verify --first --data-dir "$home/.omega"
	case $1 in
	stack) shift; "$tool" "$@" ;;
	namespace) shift; "$tool" "$@" --config "$tmp/open.conf" \
		--backend namespace ;;
	landlock) shift; "$tool" "$@" --config "$tmp/complement.conf" \
		--backend landlock ;;
	seccomp) shift; "$tool" "$@" --config "$tmp/open.conf" \
		--backend seccomp ;;
	esac
}

# Who holds it alone, so that no other layer hides that it is missing.
setting() {
	case $1 in
	# Each is half of the guarantee about signals.
	"entry prlimit64 "* | "scope 1") echo stack ;;
	"entry "* | "step seccomp") echo seccomp ;;
	"right "* | "scope "* | "step landlock"*) echo landlock ;;
	"builder no-nesting" | "step capabilities") echo namespace ;;
	*) echo stack ;;
	esac
}

# Nothing to see for verify, and why.
equivalent() {
	case $1 in
	"op hide "*.omega-verify-*/early*) return 1 ;;
	"op hide "*) echo "a socket of others; verify's own stands for it" ;;
	"op pin-socket "*)
		echo "shows only in the command after the next preparation" ;;
	"op pin /bin" | "op pin /sbin" | "op pin /lib" | "op pin /lib"[3x6]*)
		echo "a link of the system: replacing it would do harm" ;;
	"op deny /proc/keys" | "op deny /proc/kmsg" | "op deny /proc/kcore")
		echo "reading it is no part of a guarantee" ;;
	"op deny /dev/kmsg" | "op deny /dev/loop0")
		return 1 ;;
	"op deny /dev/"*)
		echo "one of many alike, or opening it has consequences" ;;
	"op copy "*) echo "for ssh's sake, protects nothing" ;;
	"builder masks-read-only")
		echo "the masks are nobody's and of mode 000 as well" ;;
	"builder slave") echo "keeps mounts from the host, not from inside" ;;
	"builder nodev")
		echo "nodes outside /dev are no part of a guarantee" ;;
	"right 0") echo "execute: a file is opened for reading as well" ;;
	"right 13") echo "refer: not handling it forbids it always" ;;
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

# With nothing left out all is well; and what there is to leave out is listed.
for stack in stack namespace landlock seccomp; do
	OMEGA_TEST_MUTATION=list:$tmp/list verify $stack \
		>"$tmp/base" 2>&1
	ok "$stack, complete: every claim holds" $? "$tmp/base"
done
sort -u "$tmp/list" >"$tmp/todo"

one() { # one NUMBER MUTATION
	OMEGA_TEST_MUTATION=$2 verify "$(setting "$2")" >"$tmp/out/$1" 2>&1
	echo "$?" >"$tmp/out/$1.status"
}

# Is this one beyond the share of its kind?
is_surplus() {
	[ "${OMEGA_TEST_MUTATIONS-}" != all ] || return 1
	case $1 in
	"op "*) kind=${1#op } kind="op ${kind%% *}" ;;
	"right "*) kind=right ;;
	*) return 1 ;;
	esac
	echo "$kind" >>"$tmp/kinds"
	[ "$(grep -cxF "$kind" "$tmp/kinds")" -gt 2 ]
}

made=0
same=0
left=0
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
: >"$tmp/made"
while read -r what; do
	if why=$(equivalent "$what"); then
		same=$((same + 1))
		echo "# not noticeable: $what: $why" |
			sed "s|$home|~|"
		continue
	fi
	if is_surplus "$what"; then
		left=$((left + 1))
		continue
	fi
	made=$((made + 1))
	echo "$what" >>"$tmp/made"
	one "$made" "$what" &
	[ $((made % (jobs + 1))) != 0 ] || wait
done <"$tmp/todo"
wait

noticed=0
index=0
while read -r what; do
	index=$((index + 1))
	status=$(cat "$tmp/out/$index.status")
	case $status in
	1) noticed=$((noticed + 1)); seen="a claim is false" ;;
	2) noticed=$((noticed + 1)); seen="no command starts" ;;
	*)
		seen="not noticed, exit $status"
		# The backend's own trial failed: it promises nothing.
		if grep -q ': 0 hold,' "$tmp/out/$index"; then
			noticed=$((noticed + 1))
			seen="nothing is claimed"
			status=1
		fi
		;;
	esac
	[ "$status" = 1 ] || [ "$status" = 2 ]
	ok "without $(echo "$what" | sed "s|$home|~|"): $seen" $? \
		"$tmp/out/$index"
done <"$tmp/made"
[ "$made" -gt 20 ]
ok "there was something to leave out" $?
echo "# $made mutations made, $noticed noticed, $((made - noticed)) not;" \
	"$same not noticeable, $left left for OMEGA_TEST_MUTATIONS=all"
echo "1..$number"
