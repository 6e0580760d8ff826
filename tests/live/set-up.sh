# SPDX-License-Identifier: MIT
#
# For scripts that run the built tool as root and as an ordinary user: sourced,
# with $name set. Leaves $tool, $work (removed at the end) and the functions
# below; $w is who it is for, root or user.
tool=$(cd "$top_builddir" && pwd)/omega-sandbox-built
here=$(cd "$top_srcdir" && pwd)/tests/live
count=0

plan_skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

[ -x "$tool" ] || plan_skip "omega-sandbox-built was not built"
work=$(mktemp -d "/tmp/omega-$name.XXXXXX") || exit 99
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
trap 'exit 99' INT TERM HUP

# result STATUS TEXT
result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $w: $2"
	else
		echo "not ok $count - $w: $2"
		cat "$work/out" "$work/err" 2>/dev/null | sed 's/^/# /'
	fi
}

# skip TEXT REASON
skip() {
	count=$((count + 1))
	echo "ok $count - $w: $1 # SKIP $2"
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
	cd "$work/$who" && exec $prefix env -i PATH="$PATH" \
		HOME="$work/$who" "$@" </dev/null
}

# wait_for FILE TEXT: a minute at most.
wait_for() {
	tries=0
	while ! grep -q "$2" "$1" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -le 600 ] || return 1
		sleep 0.1
	done
}

# A place for $w, and $under, the options it takes: false, and skipped, where no
# command can be protected.
make_place() {
	mkdir -p "$work/$w/omega" "$work/$w/log"
	printf 'audit = "%s"\n' "$work/$w/log/audit" >"$work/$w/conf"
	[ "$w" = root ] || [ "$(id -u)" != 0 ] ||
		chown -R 61951:61951 "$work/$w"
	under="--config $work/$w/conf --data-dir $work/$w/omega"
	(as "$w" "$tool" run $under true) 2>"$work/err" && return
	skip everything "no command can be protected here: $(head -n 1 \
		"$work/err")"
	return 1
}

# try_all FUNCTION: with $w set, as everybody we can be; then the plan.
try_all() {
	for w in root user; do
		[ $w = user ] || [ "$(id -u)" = 0 ] || continue
		! make_place || "$1"
	done
	echo "1..$count"
}
