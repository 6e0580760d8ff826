#!/bin/sh
# SPDX-License-Identifier: MIT
#
# omega-sandbox verify with the backends as they were built: every claim holds,
# as root and as a user; what is not claimed is shown; nothing is left behind.
set -u
tool=$top_builddir/omega-sandbox-mutant
mutants=$top_builddir/tests/mutants
LC_ALL=C
export LC_ALL
rm -rf "$mutants"
mkdir -p "$mutants"
chmod go-w "$mutants"
for name in namespace landlock seccomp noop; do
	[ ! -f "$top_builddir/.libs/$name.so" ] ||
		cp "$top_builddir/.libs/$name.so" "$mutants/"
done
cp "$top_builddir/libexec/omega-sandbox-namespace" \
	"$top_builddir/libexec/omega-sandbox-init" "$mutants/"
base=$(cd "${TMPDIR:-/tmp}" && pwd -P) || exit 99
tmp=$(mktemp -d "$base/omega-verify-XXXXXX") || exit 99
trap 'rm -rf "$tmp" "$mutants"' EXIT
trap 'exit 99' HUP INT TERM
chmod 755 "$tmp"
number=0

ok() { # ok NAME STATUS
	number=$((number + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		sed 's/^/# /' "$tmp/out" "$tmp/err"
	fi
}

skip() { # skip NAME REASON
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

make_home() { # make_home DIR
	mkdir -p "$1/.omega/data"
	echo secret >"$1/.omega/data/memory.db"
	echo secret >"$1/.omega/config.toml"
}


look() { # look DIR: what is there, and of files when they were written
	find "$1" -mindepth 1 \( -type f -printf '%p %T@ %s\n' \
		-o -printf '%p\n' \) | sort
}

# try NAME STATUS PREFIX... -- ARG...: verify ends so and leaves all as it was.
try() {
	name=$1
	want=$2
	home=$3
	shift 3
	look "$home" >"$tmp/before"
	"$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = "$want" ]
	ok "$name (exit $status)" $?
	look "$home" >"$tmp/after"
	cmp -s "$tmp/before" "$tmp/after"
	ok "$name: nothing is left behind, and no file was written" $?
}

says() { # says NAME TEXT
	grep -qE -e "$2" "$tmp/out"
	ok "$1" $?
}

says_not() {
	! grep -qE -e "$2" "$tmp/out"
	ok "$1" $?
}

# The last line has every line above it.
sum_is_right() {
	tail -n 1 "$tmp/out" | tr -c '0-9\n' ' ' | {
		read -r all _ a b c d e f &&
			[ "$all" = $((a + b + c + d + e + f)) ]
	}
	ok "and the numbers add up" $?
}

for kind in user root; do
	home=$tmp/$kind
	make_home "$home"
	as=
	if [ "$kind" = root ] && [ "$(id -u)" != 0 ]; then
		skip "as root" "not root"
		continue
	fi
	if [ "$kind" = user ] && [ "$(id -u)" = 0 ]; then
		as="setpriv --reuid 12345 --regid 12345 --clear-groups
			--inh-caps=-all"
		chown -R 12345:12345 "$home"
		if ! $as test -x "$tool"; then
			skip "as a user" "the build directory is out of reach"
			continue
		fi
	fi
	# shellcheck disable=SC2086
	$as "$tool" describe --data-dir "$home/.omega" >"$tmp/out" 2>"$tmp/err"
	if [ $? != 0 ]; then
		skip "as $kind" "$(head -n 1 "$tmp/out" "$tmp/err")"
		continue
	fi
	# shellcheck disable=SC2086
	try "every claim holds as $kind" 0 "$home" \
		$as "$tool" verify --data-dir "$home/.omega"
	says "the data is tried where it is" \
		"^  holds .*/$kind/.omega/data cannot be read.*all refused"
	says "and on a copy" "^  holds .*~/agent/data cannot be read"
	says "the count comes last" " 0 FALSE, .* 0 untried, [1-9][0-9]* on copy$"
	sum_is_right
	says_not "no claim is false" "^  FALSE"
	# shellcheck disable=SC2086
	try "noop claims nothing as $kind" 0 "$home" \
		$as "$tool" verify --data-dir "$home/.omega" --backend noop
	says "what works is shown" \
		"^  open .*data cannot be read; claimed not enforced.* work: read"
	says_not "and nothing is claimed" "claimed enforced"
	# shellcheck disable=SC2086
	try "JSON as $kind" 0 "$home" \
		$as "$tool" verify --json --data-dir "$home/.omega"
	python3 - "$tmp/out" <<'END' >>"$tmp/err" 2>&1
import json, sys
root = json.load(open(sys.argv[1]))
assert root["exit"] == 0 and root["fault"] is None
assert root["summary"]["FALSE"] == 0 and root["summary"]["holds"] > 10
for line in root["guarantees"]:
    if line["verdict"] == "holds":
        assert any(t["outside"]["seen"] == "worked" for t in line["tries"])
        assert all(t["inside"]["seen"] != "worked" for t in line["tries"])
END
	ok "each that holds had an attempt that works outside" $?
done

# Policies with lists and without a network, in a place that none allows; the
# build may be below /tmp.
lists=$(mktemp -d /srv/omega-verify-XXXXXX 2>/dev/null ||
	mktemp -d "$HOME/omega-verify-XXXXXX") || exit 99
lists=$(cd "$lists" && pwd -P)
trap 'rm -rf "$tmp" "$lists" "$mutants"' EXIT
make_home "$lists"
{
	cat "$top_srcdir"/etc/shipped/*.conf
	cat <<'END'
policy "few" {
	fork = false
	connect = { 443 }
	bind = { 8080 }
	max_open_files = 64
	max_file_size = 100000
}
END
} >"$lists/sandbox.conf"
chmod -R go-w "$lists"
for asked in "--policy tool" "--policy mcp" "--policy strict" \
	"--net unix-only" "--policy few" "--policy agent"; do
	# Each costs seconds; these four are about most.
	case ${OMEGA_TEST_MUTATIONS-}$asked in
	all* | *tool | *strict | *few | *agent) ;;
	*) continue ;;
	esac
	set -- --config "$lists/sandbox.conf" --data-dir "$lists/.omega" $asked
	if ! "$tool" describe "$@" >"$tmp/out" 2>"$tmp/err"; then
		skip "verify $asked" "$(head -n 1 "$tmp/out" | cut -c 1-200)"
		continue
	fi
	try "every claim of $asked holds" 0 "$lists" "$tool" verify "$@"
	says "$asked: nothing is false or untried" " 0 FALSE, .* 0 untried,"
	case $asked in
	*strict) says "reading elsewhere is tried" \
		"^  holds .*nothing can be read but .*all refused" ;;
	*tool) says "and changing" \
		"^  holds .*nothing can be changed but .*all refused" ;;
	*unix-only) says "and making sockets" \
		"^  holds .*no Internet socket can be made" ;;
	*few) says "and new processes" \
		"^  holds .*no other process can be started"
		says "and limits" "^  holds .*64 open files at most" ;;
	esac
done

# A backend of another package that does nothing of what it says.
cp "$top_builddir/tests/mock/.libs/mock-good.so" "$mutants/"
make_home "$tmp/liar"
cat >"$tmp/liar/sandbox.conf" <<'END'
accept = { keyring, outside_sockets }
witness = off
END
try "a claim that is false is exit 1" 1 "$tmp/liar" \
	"$tool" verify --first --config "$tmp/liar/sandbox.conf" \
	--backend mock-good --data-dir "$tmp/liar/.omega"
says "with what worked" \
	"^  FALSE .*/data cannot be read; claimed enforced by mock-good.* work: "
says "and it is counted" " 1 FALSE"
rm "$mutants/mock-good.so"

# The copies are beside the data, and there everything is allowed.
make_home "$tmp/within"
cat >"$tmp/within/sandbox.conf" <<END
policy "within" { write = { "$tmp/within" } }
END
chmod -R go-w "$tmp/within"
set -- --config "$tmp/within/sandbox.conf" --policy within \
	--data-dir "$tmp/within/.omega"
if "$tool" describe "$@" >"$tmp/out" 2>"$tmp/err"; then
	try "a claim that cannot be tried is exit 2" 2 "$tmp/within" \
		"$tool" verify "$@"
	says "with the reason" "^  untried .*nothing can be changed but"
	says_not "which is no false claim" "^  FALSE"
else
	skip "a claim that cannot be tried" "$(head -n 1 "$tmp/out" |
		cut -c 1-200)"
fi

# A refusal cannot be tried: seccomp alone does not protect the data.
make_home "$tmp/refused"
"$tool" verify --backend seccomp --data-dir "$tmp/refused/.omega" \
	>"$tmp/out" 2>"$tmp/err"
[ $? = 2 ]
ok "a policy that is refused is exit 2" $?
says "with the reason" "nothing could be tried: .*cannot be read"

"$tool" verify extra >"$tmp/out" 2>"$tmp/err"
[ $? = 2 ]
ok "an argument is a usage error" $?

# What is for tests only is not in what is shipped.
! grep -lq OMEGA_TEST_MUTATION "$top_builddir"/.libs/namespace.so \
	"$top_builddir"/.libs/landlock.so "$top_builddir"/.libs/seccomp.so \
	"$top_builddir"/.libs/libomega-sandbox.so* \
	"$top_builddir"/libexec/omega-sandbox-namespace >"$tmp/out" 2>"$tmp/err"
ok "the shipped objects leave nothing out" $?
grep -lq OMEGA_TEST_MUTATION "$top_builddir"/.libs/mutant-namespace.so \
	>"$tmp/out" 2>"$tmp/err"
ok "and one that does would be found" $?
echo "1..$number"
