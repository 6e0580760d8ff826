#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A command puts a link in the place of a directory on the way to its work
# directory: the next one, named as before, writes nothing where that leads. A
# link that no command could have made is followed. Prints TAP.
set -u
: "${top_builddir:=.}"
tool=$(cd "$top_builddir" && pwd)/omega-sandbox-built
base=$(mktemp -d /tmp/omega-work.XXXXXX) || exit 99
trap 'chmod -R u+rwx "$base"; rm -rf "$base"' EXIT
number=0
status=0
result() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		status=1
	fi
}

mkdir -p "$base/open/a/job" "$base/home/job" "$base/real/job"
ln -s real "$base/link"
cat >"$base/conf" <<END
policy "p" {
	read_all = true
	write = { "{work_dir}", "$base/open" }
}
END
run() {
	dir=$1
	shift
	said=$("$tool" run --config "$base/conf" --policy p \
		--work-dir "$dir" -- sh -c "$*" 2>&1)
}
if ! run "$base/real/job" "echo x >$base/real/job/x"; then
	echo "# $said"
	echo "1..0 # SKIP no command starts here"
	exit 0
fi
run "$base/link/job" "echo x >$base/real/job/linked"
result $? "a link that no command could make is followed"
run "$base/open/a/job" "echo x >$base/open/a/job/x"
result $? "a command writes its work directory"
run "$base/open/a/job" "cd $base/open && mv a b && ln -s $base/home a"
result $? "and puts a link above it"
run "$base/open/a/job" "echo x >$base/home/job/absolute"
[ ! -e "$base/home/job/absolute" ]
result $? "the next one writes nothing where that leads"
(cd "$base/open" && run a/job "echo x >$base/home/job/relative")
[ ! -e "$base/home/job/relative" ]
result $? "nor does one with a relative name"
(cd "$base/open" && run ../open/a/../home/job \
	"echo x >$base/home/job/up")
[ ! -e "$base/home/job/up" ]
result $? "nor through the directory above it"
# shellcheck disable=SC2164
(cd "$base/open/a/job" && "$tool" run --config "$base/conf" --policy p -- \
	sh -c "echo x >$base/home/job/current" 2>&1 | cat >/dev/null)
[ ! -e "$base/home/job/current" ]
result $? "nor one that is started there"
"$tool" describe --all --config "$base/conf" --policy p \
	--work-dir "$base/open/a/job" 2>&1 |
	grep -q "$base/open/a is a link, and a command may have made it"
result $? "and the report says why"
# Who is not root can be kept out of his own.
as=
[ "$(id -u)" != 0 ] || as="setpriv --reuid 61951 --regid 61951 --clear-groups"
mkdir -p "$base/user/w/sub"
[ -z "$as" ] || chown -R 61951 "$base/user"
chmod 755 "$base"
closing() { # closing DIRECTORY COMMAND...
	dir=$1
	shift
	said=$($as env HOME="$base/user" "$tool" run --config "$base/conf" \
		--data-dir "$base/user/omega" --policy p \
		${dir:+--work-dir "$dir"} -- sh -c "$*" 2>&1)
	ended=$?
	echo "$said" >"$base/said"
	return $ended
}
# Who is in a directory stays there when it is closed.
(cd "$base/user/w" && closing "" "chmod 0 ." && closing "" "echo x >again")
result $? "a work directory that was closed is opened again"
(cd "$base/user" && closing "$base/user/w" "cd w; chmod 0 sub; chmod 0 ." &&
	closing "$base/user/w/sub" "echo x >w/sub/again")
result $? "and one on the way to it"
grep -q "warning: $base/user/w was closed" "$base/said"
result $? "which is told"
echo "1..$number"
exit $status
