#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The backend bwrap and the program it uses: which file it believes, what it
# asks of it, and what comes of versions that know less, of a host that gives no
# network, and of one where nobody else can make namespaces. Stand-ins for the
# program are scripts of root's, so it needs root.
set -u
tool=$(cd "${top_builddir:-.}" && pwd)/omega-sandbox-built
real=/usr/bin/bwrap
count=0
result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		sed 's/^/# /' "$work/out" | cut -c 1-300
		echo "not ok $count - $2"
	fi
}
skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}
[ -x "$tool" ] && [ -e "${tool%/*}/.libs/bwrap.so" ] || {
	echo "1..0 # SKIP bwrap.so was not built"
	exit 0
}
[ "$(id -u)" = 0 ] || {
	echo "1..0 # SKIP only root makes files of root's"
	exit 0
}
# /tmp is everybody's to write, so nothing below it is believed.
work=$(mktemp -d /run/omega-bwrap.XXXXXX) || exit 99
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/data" "$work/data/data"
echo 'a = 1' >"$work/data/config.toml"
echo secret >"$work/data/data/memory.db"
# No argument may name it, so scripts do.
echo "cat $work/data/data/memory.db" >"$work/peek"
echo "ls $work/data/data" >"$work/list"

# conf PATH: have the backend use this program.
conf() {
	echo "plugin \"bwrap\" { program = \"$1\" }" >"$work/sandbox.conf"
}
# found: what is said of it, in one line.
found() {
	"$tool" list --config "$work/sandbox.conf" 2>&1 | grep '^bwrap' \
		>"$work/out"
	grep -q "$1" "$work/out"
}
run() {
	"$tool" run --config "$work/sandbox.conf" --data-dir "$work/data" \
		--backend bwrap,seccomp "$@" >"$work/out" 2>&1
}
listed() {
	"$tool" run --config "$work/sandbox.conf" --data-dir "$work/data" \
		--backend bwrap,seccomp --policy listed "$@" 2>&1 |
		cat >"$work/out"
}

# ---- Which file is believed ------------------------------------------------

conf "$work/nothing"
found "unusable.*nothing is not there"
result $? "one that is not there"
conf bwrap
found "unusable.*not absolute"
result $? "one that is looked for in PATH"
conf "$work"
found "unusable.*no regular file"
result $? "a directory"
cp /bin/true "$work/bwrap"
conf "$work/bwrap"
chmod 775 "$work/bwrap"
found "unusable.*written by others"
result $? "one that a group can write"
chmod 755 "$work/bwrap"
chown 1 "$work/bwrap"
found "unusable.*not belong to root"
result $? "one of somebody else's"
chown 0 "$work/bwrap"
mkdir -m 777 "$work/open"
cp "$work/bwrap" "$work/open/bwrap"
conf "$work/open/bwrap"
found "unusable.*$work/open can be written by others"
result $? "one in a directory of everybody's"
conf "$work/bwrap"
found "unusable.*has no --args"
result $? "one that is no bwrap"
rm "$work/bwrap"

# ---- Old versions ----------------------------------------------------------

# stub VERSION LACKS [LINE]: answers like that version; else it is the real one,
# which must not be asked for what it would not know.
stub() {
	cat >"$work/stub" <<END
#!/bin/sh
# Each option by itself, as the help has them.
case \${1-} in
--version) echo "bubblewrap $1"; exit 0 ;;
--help) $real --help | grep -v -e '$2'; exit 0 ;;
esac
args=\$(tr '\\000' '\\n' </proc/self/fd/"\$2")
echo "\$args" >"$work/args.new"
mv "$work/args.new" "$work/args"
echo "\$args" | grep -qx -e '$2' && {
	echo "bwrap: Unknown option $2" >&2
	exit 1
}
${3-}
exec $real "\$@"
END
	chmod 755 "$work/stub"
	conf "$work/stub"
}
if ! "$real" --bind / / --unshare-pid --proc /proc true 2>"$work/out"; then
	skip "everything that starts something" "bwrap cannot be used here"
	echo "1..$count"
	exit 0
fi
stub 0.4.1 --perms
found "usable.*0\.4\.1"
result $? "0.4.1 can be used"
run -- sh "$work/peek"
[ $? = 1 ] && grep -q '^cat: .*memory.db: No such file' "$work/out"
result $? "0.4.1: what is denied is not read"
run -- sh "$work/list" && ! grep -q . "$work/out" &&
	! grep -qx -e --perms "$work/args"
result $? "0.4.1: nor listed, without --perms"
run -- sh -c 'echo it works' && grep -q 'it works' "$work/out"
result $? "0.4.1: commands run"
stub 0.3.0 --die-with-parent
found "unusable.*0\.3\.0.*has no --die-with-parent"
result $? "one that lacks what is needed says so"
stub 0.8.0 --nothing
run -- sh "$work/list"
[ $? != 0 ] && grep -q '^ls: .*denied' "$work/out" &&
	grep -qx -e --perms "$work/args"
result $? "0.8.0: what is denied has no mode"

# ---- What is passed --------------------------------------------------------

run -- env true && grep -qx -e --die-with-parent "$work/args" &&
	grep -qx -e --unshare-pid "$work/args" &&
	grep -qx -e --cap-drop "$work/args"
result $? "processes of its own, which end with it, without capabilities"
cp /bin/true "$work/--bind"
(cd "$work" && run -- ./--bind)
result $? "a program with the name of an option"
echo 'env_allow = { "LD_*" }' >>"$work/sandbox.conf"
LD_LIBRARY_PATH=$work run -- sh -c 'test -z "${LD_LIBRARY_PATH-}"'
result $? "variables of the loader do not reach bwrap"
run -- sh -c 'unshare -U true || unshare -m true' && false
[ $? = 1 ] && grep -q 'not permitted' "$work/out"
result $? "no namespace is made inside"
run --net deny -- cat /proc/net/dev && grep -q lo: "$work/out" &&
	[ "$(grep -c : "$work/out")" = 1 ]
result $? "network = deny: one of its own"
mkdir "$work/granted"
cat >>"$work/sandbox.conf" <<END
policy "listed" { write = {"$work/granted"} }
END
listed -- sh -c "echo x >$work/granted/new && cat $work/granted/new
	echo x >$work/elsewhere; echo x >/dev/null; echo x >/dev/shm/omega-x"
grep -qx x "$work/out" && [ -e "$work/granted/new" ] &&
	[ ! -e "$work/elsewhere" ] && [ ! -e /dev/shm/omega-x ]
result $? "a write list: what is on it, and nothing else"
echo mine >"$work/given"
listed -- sh -c 'echo x >/proc/self/fd/0' <"$work/given"
[ "$(cat "$work/given")" = mine ] && grep -q 'use a pipe' "$work/out"
result $? "a write list: nor by a descriptor that was given for reading"
"$tool" run --config "$work/sandbox.conf" --data-dir "$work/data" \
	--backend bwrap,landlock,seccomp -- true >"$work/out" 2>&1
[ $? = 125 ] && grep -q 'keep bwrap from mounting' "$work/out"
result $? "beside landlock it is refused, with the reason"
run -- cat <"$work/data/config.toml"
[ $? = 125 ] && grep -q 'use a pipe' "$work/out"
result $? "a hidden file is not given as a descriptor"
run -- true </etc/passwd
[ $? = 125 ] && grep -q 'use a pipe' "$work/out"
result $? "nor one of a system directory that the caller could change"
run -- sh -c 'kill -9 1; ps ax | wc -l' && [ "$(cat "$work/out")" -lt 9 ]
result $? "processes outside are not seen"
: >"$work/out"
touch "$work/data/left"
run --timeout 20 -- sh -c "(sleep 99; rm $work/data/left) & exit 0"
result $? "what is left in the background does not hold it up"

# ---- Another file, no network ----------------------------------------------

stub 0.8.0 --nothing 'echo "$args" | grep -qx -e --unshare-net && {
echo "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted" >&2
exit 1; }'
found " usable"
result $? "without a network of its own it can be used"
run -- true
result $? "by policies that leave the network alone"
"$tool" describe --all --config "$work/sandbox.conf" --data-dir "$work/data" \
	--backend bwrap --net deny >"$work/out" 2>&1
grep -q 'bwrap: no network of its own: .*RTM_NEWADDR' "$work/out"
result $? "and the others are told why not"
run --net deny -- sh -c 'cat /proc/net/dev' && ! grep -q lo: "$work/out"
[ $? != 0 ] || ! grep -q eth "$work/out"
result $? "seccomp alone then refuses sockets"
stub 0.8.0 --nothing 'echo "bwrap: No permissions to create new namespace" >&2
exit 1'
found "unusable.*No permissions to create"
result $? "where it cannot make namespaces its words are the reason"

# ---- Set-user-ID -----------------------------------------------------------

cp "$real" "$work/suid"
chmod 4755 "$work/suid"
conf "$work/suid"
chmod 644 "$work/sandbox.conf"
user() {
	setpriv --reuid 61951 --regid 61951 --clear-groups --inh-caps=-all \
		env -i PATH=/usr/bin:/bin HOME="$work/home" "$@"
}
mkdir "$work/home"
chown 61951:61951 "$work/home"
if user "$work/suid" --bind / / --unshare-pid true 2>"$work/out" &&
	user test -x "$tool"; then
	(cd / && user mkdir -p "$work/home/.omega/data" &&
		user sh -c "echo secret >$work/home/.omega/data/x" &&
		user "$tool" run --config "$work/sandbox.conf" --backend \
			bwrap,seccomp --data-dir "$work/home/.omega" \
			-- sh -c 'stat -c %U /etc/passwd
			cat ~/.omega/data/x; unshare -U true && echo made
			kill -0 '$$' && echo seen; echo end') >"$work/out" 2>&1
	grep -qx root "$work/out" && grep -qx end "$work/out" &&
		! grep -qx -e secret -e made -e seen "$work/out"
	result $? "a set-user-ID bwrap holds the same, and owners are seen"
else
	skip "a set-user-ID bwrap" "set-user-ID programs do not work here"
fi

# ---- auto ------------------------------------------------------------------

# Root of a user namespace in which no other can be made, and which may not
# change owners: so namespace is out, and bwrap needs none.
conf "$real"
cat >"$work/inside" <<END
echo 0 >/proc/sys/user/max_user_namespaces || exit 99
setpriv --bounding-set=-chown "$tool" "\$@"
END
unshare -Ur sh "$work/inside" list --config "$work/sandbox.conf" \
	>"$work/out" 2>&1
if grep -q '^namespace *unusable' "$work/out" &&
	grep -q '^bwrap *usable' "$work/out"; then
	unshare -Ur sh "$work/inside" run --config "$work/sandbox.conf" \
		--data-dir "$work/data" -- sh "$work/peek" >"$work/out" 2>&1
	[ $? = 1 ] && grep -q '^cat: .*Permission denied' "$work/out"
	result $? "auto: it protects where namespace cannot be used"
	unshare -Ur sh "$work/inside" describe --all --config "$work/sandbox.conf" \
		--data-dir "$work/data" >"$work/out" 2>&1
	grep -q 'by bwrap' "$work/out" && grep -q 'by seccomp' "$work/out"
	result $? "auto: with seccomp beside it"
else
	sed 's/^/# /' "$work/out"
	skip "auto" "such a host cannot be made here"
fi
echo "1..$count"
