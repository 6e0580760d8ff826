#!/bin/sh
# SPDX-License-Identifier: MIT
#
# omega-sandbox explain, as a person and a script see it: rules with file and
# line, links, relative paths, and who holds what. Needs the three Linux
# backends; prints TAP.
set -u
: "${top_builddir:=.}"
tool=$(cd "$top_builddir" && pwd)/omega-sandbox-built
LC_ALL=C
export LC_ALL
number=0

base=$(mktemp -d /var/tmp/omega-explain.XXXXXX) || exit 99
base=$(cd "$base" && pwd -P)
trap 'rm -rf "$base"' EXIT
trap 'exit 99' HUP INT TERM
mkdir -p "$base/work/in" "$base/omega/data" "$base/denied" "$base/outside"
echo x >"$base/work/in/file"
echo x >"$base/denied/file"
ln -s in/file "$base/work/link"
ln -s ../denied/file "$base/work/way"
ln -s loop "$base/work/loop"
cat >"$base/sandbox.conf" <<END
policy "lists" {
	read = { "/usr", "/bin", "/lib", "{work_dir}" }
	write = { "{work_dir}" }
	execute = {
		"/usr/bin/env"
	}
	deny = {
		"$base/denied",
		"$base/absent",
		"{work_dir}/absent"
	}
}
policy "denies" {
	deny_write = { "$base/denied" }
}
policy "hides" {
	deny_read = { "$base/denied" }
}
policy "reads" {
	read = { "/usr", "/bin", "/lib", "{work_dir}" }
}
END
cat >"$base/strict.conf" <<END
accept = {}
policy "lists" {
	write = { "{work_dir}" }
	unix_sockets = none
}
policy "denies" {
	write = { "{work_dir}" }
	unix_sockets = none
	deny_read = { "$base/denied" }
}
END
echo 'allow_devices = { "/dev" }' >"$base/given.conf"

ok() { # ok STATUS NAME
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		sed 's/^/# /' "$base/said"
	fi
}

ask() { # ask POLICY PATH...
	policy=$1
	shift
	(cd "$base/work" && exec "$tool" explain --config "$base/sandbox.conf" \
		--policy "$policy" --data-dir "$base/omega" \
		--work-dir "$base/work" "$@") >"$base/said" 2>&1
}

line() { # line TEXT NAME: a line of the answer
	grep -qxF -e "$1" "$base/said"
	ok $? "$2"
}

has() { # has TEXT NAME: part of the answer
	grep -qF -e "$1" "$base/said"
	ok $? "$2"
}

# The answer about ACCESS: its line, and the one below.
about() {
	sed -n "/^  $1 /{p;n;/^           /p;}" "$base/said"
}

ask denies /
if grep -q 'not enforced' "$base/said"; then
	echo "1..0 # SKIP the backends do not work here"
	exit 0
fi

ask lists "$base/work/in/file"
ok $? "explain exits 0"
line "$base/work/in/file" "a path of its own has one name"
line "  read     allowed" "a file on the lists can be read"
line "  write    allowed" "and written"
line "  execute  denied by execute ($base/sandbox.conf:4)" \
	"but not run: the list and its line"
about execute | grep -q 'partly enforced by landlock: nothing can be run but'
ok $? "which is held in part"

# Something else is mounted where it was.
ask hides "$base/denied/file"
line "  write    denied by $base/denied ($base/sandbox.conf:17)" \
	"what is hidden cannot be written"
about write | grep -q ' enforced by namespace: .*/denied cannot be read$'
ok $? "and why"
ask hides "$base/outside"
line "  write    allowed" "what is beside it can"
ask reads "$base/outside"
line "  write    allowed" "and so can what only a list keeps from being read"

ask lists in/file
line "$base/work/in/file" "a relative path is meant from here"
ask lists link
line "$base/work/link -> $base/work/in/file" "a link is shown with its end"
line "  write    allowed" "and judged by it"
ask lists way
line "$base/work/way -> $base/denied/file" "a link to a denied place"
line "  read     denied by $base/denied ($base/sandbox.conf:8)" \
	"is denied by the line of the place"
about read | grep -q '^           enforced by '
ok $? "and that is enforced"

# Nothing speaks of what is absent, but the lists lack it.
for path in "$base/absent" "$base/absent/below"; do
	ask lists "$path"
	line "$path, which does not exist" "what is absent is called so"
	line "  read     denied by $base/absent ($base/sandbox.conf:9)" \
		"an absent place: ${path##*/}"
	about read | grep -q 'enforced by .*: nothing can be read but'
	ok $? "is kept by the list of what can be read"
	about write | grep -q '  enforced by .*: nothing can be changed but'
	ok $? "and by that of what can be changed"
done
ask lists absent
line "  write    denied by $base/work/absent ($base/sandbox.conf:10)" \
	"an absent place below a list"
about write | grep -q 'nothing can be changed'
ok $((! $?)) "is not kept by the list that has it"

ask lists "$base/outside" /usr/bin/env
line "  read     denied by read ($base/sandbox.conf:2)" "a place on no list"
about read | grep -q 'enforced by .*: nothing can be read but'
ok $? "is kept by the list"
has "  execute  allowed" "a program on the list"
has "(built in)" "a system directory is denied by what is built in"

# What every program needs of /dev works, and so it is said.
ask denies /dev/null /dev/pts/0 /dev/shm/x
ok "$(grep -c '^  write    denied' "$base/said")" "harmless devices, no lists"
ask denies /dev/kvm
line "  write    denied by /dev (built in)" "another device"

# What is not among them is not there inside, and so it is not readable.
for device in kmsg loop0 input console; do
	[ -e "/dev/$device" ] || continue
	! (cd "$base/work" && exec "$tool" run --config "$base/sandbox.conf" \
		--policy denies --data-dir "$base/omega" \
		--work-dir "$base/work" test -e "/dev/$device") 2>"$base/said"
	ok $? "/dev/$device is not there inside"
	ask denies "/dev/$device"
	line "/dev/$device, which is not in the /dev that commands have" \
		"that is said"
	line "  read     denied by /dev (built in)" "and nobody can read it"
	about read | grep -q 'enforced by namespace'
	ok $? "by whom, too"
	"$tool" explain --config "$base/given.conf" --data-dir "$base/omega" \
		"/dev/$device" >"$base/said" 2>&1
	line "  read     allowed" "unless it is given"
	ask denies --backend landlock "/dev/$device"
	line "  read     allowed" "or there is no other /dev"
done
ask lists /dev/null /dev/zero
ok "$(grep -c -e '^  write    denied' -e '^  read     denied' "$base/said")" \
	"harmless devices are on every list"
ask lists /dev/shm/x
line "  write    denied by write ($base/sandbox.conf:3)" \
	"shared memory is not"

# What Landlock is not asked about is said where there is such a list.
for policy in lists denies; do
	"$tool" describe --config "$base/sandbox.conf" --policy "$policy" \
		--data-dir "$base/omega" --work-dir "$base/work" \
		>"$base/said" 2>&1
	grep -q '^note: outside the list of what can be read, names ' \
		"$base/said"
	found=$?
	[ "$policy" = lists ] || found=$((! found))
	ok $found "describe, policy $policy: what can be learned is said"
done

ask denies "$base/denied/file"
line "  read     allowed" "what is denied for writing can be read"
line "  write    denied by $base/denied ($base/sandbox.conf:14)" \
	"and not written"

ask lists loop
ok $? "a loop of links is no error"
line "  read     unknown: where it leads cannot be found out: \
Too many levels of symbolic links" "but nobody knows"

# The same for scripts.
if command -v python3 >/dev/null; then
	ask lists --json way loop "$base/absent"
	ok $? "explain --json exits 0"
	python3 - >"$base/fault" 2>&1 <<END
import json, sys
base = "$base"
way, loop, absent = json.load(open(base + "/said"))
conf = base + "/sandbox.conf"
assert way["path"] == base + "/work/way", way
assert way["resolved"] == base + "/denied/file", way
for access in "read", "write", "execute":
    assert way[access]["allowed"] is False, way
    assert (way[access]["origin"], way[access]["line"]) == (conf, 8), way
    assert way[access]["rule"] == base + "/denied", way
    assert way[access]["state"] == "enforced", way
    assert way[access]["backends"], way
assert loop["read"] == {"allowed": False,
    "error": "Too many levels of symbolic links"}, loop
assert absent["read"]["state"] == "enforced", absent
assert absent["read"]["guarantee"].startswith("nothing can be read"), absent
END
	status=$?
	cat "$base/fault" >>"$base/said"
	ok $status "and its JSON has all of it"
else
	number=$((number + 1))
	echo "ok $number - explain --json # SKIP python3 is missing"
fi

# Of /proc the entries of a user's own processes are as ever; root has none.
as=
[ "$(id -u)" != 0 ] || as="setpriv --reuid 61951 --regid 61951 --clear-groups"
chmod 755 "$base"
(cd / && exec $as env HOME=/nonexistent "$tool" explain --data-dir \
	/nonexistent/omega /proc/self/comm \
	/proc/sys/kernel/hostname) >"$base/said" 2>&1
[ "$(grep -c 'write    allowed' "$base/said")" = 1 ] &&
	[ "$(grep -c 'write    denied by /proc' "$base/said")" = 1 ]
ok $? "a user's processes in /proc, and the machine"

# What sandbox.conf(5) says of accept = {}.
strict() { # strict OPTION...: 0 when a command starts
	"$tool" run --config "$base/strict.conf" --data-dir "$base/omega" \
		--work-dir "$base/work" "$@" -- true </dev/null 2>&1 |
		cat >"$base/said"
	[ ! -s "$base/said" ]
}
strict --policy lists
ok $? "with nothing accepted a command starts where all is enforced"
strict --policy denies
[ $? = 1 ] && grep -q 'add "replaced_files" to accept' "$base/said"
ok $? "and not where a path is denied"
echo 'fail_closed = false' >>"$base/strict.conf"
strict --policy denies
[ $? = 1 ] && grep -q 'warning: running with less' "$base/said"
ok $? "which is a warning when it need not be enforced"

ask lists
[ $? = 2 ] && grep -q 'no path given' "$base/said"
ok $? "without a path it is an error"
ask lists ''
[ $? = 2 ] && grep -q 'a PATH is empty' "$base/said"
ok $? "so is an empty one"
mkdir "$base/gone"
(cd "$base/gone" && rmdir "$base/gone" && exec "$tool" explain \
	--config "$base/sandbox.conf" x) >"$base/said" 2>&1
[ $? = 2 ] && grep -q "'x' is taken from the current directory" "$base/said"
ok $? "and a relative one where there is no directory"
ask nonsense /
[ $? = 2 ] && grep -q nonsense "$base/said"
ok $? "so is a policy that is not there"
echo "1..$number"
