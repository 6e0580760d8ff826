#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Which room of the source may know which: this is the table of it.
# What breaks a rule today is listed here by name. The lists only shrink: a
# breach that is not on its list fails, and so does an entry without a breach.
set -u
cd "${top_srcdir:-.}" || exit 99
LC_ALL=C
export LC_ALL
tmp=$(mktemp -d "${TMPDIR:-/tmp}/omega-rooms-XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM

tests=0
compare() { # compare NAME: $tmp/listed and $tmp/found are to be the same
	tests=$((tests + 1))
	sort "$tmp/listed" | sed '/^$/d' >"$tmp/want"
	sort "$tmp/found" >"$tmp/have"
	if cmp -s "$tmp/want" "$tmp/have"; then
		echo "ok $tests - $1"
		return
	fi
	comm -13 "$tmp/want" "$tmp/have" | sed 's/^/# not allowed: /'
	comm -23 "$tmp/want" "$tmp/have" |
		sed 's/^/# no longer there, take it off the list: /'
	echo "not ok $tests - $1"
}

count() { # lines that are the same, as "LINE NUMBER"
	sort | uniq -c | awk '{ print $2, $1 }'
}

# ---- Includes ---------------------------------------------------------------

# The rooms a room may include, beside itself.
cat >"$tmp/table" <<'END'
base
path	base
conf	base path
child	base
launch	base path child
run	base path child launch
audit	base path conf launch
load	base path conf audit
hosts	base
init	child run
policy	base path conf load launch run
plan	base path conf audit child launch load policy run
api	base path conf child launch load policy run plan
tools	base rpc verify watch
rpc	tools
verify	tools
watch	tools
bwrap
landlock
namespace
noop
seatbelt
seccomp
END

: >"$tmp/listed" # FILE HEADER

find core plugins tools -name '*.[chS]' ! -path 'core/include/*' |
	sort | xargs awk -v table="$tmp/table" '
BEGIN {
	while ((getline line < table) > 0) {
		n = split(line, word, /[ \t]+/)
		is_room[word[1]] = may[word[1], word[1]] = 1
		for (i = 2; i <= n; i++)
			may[word[1], word[i]] = 1
	}
}
FNR == 1 {
	n = split(FILENAME, part, "/")
	here = n > 2 ? part[2] : part[1]
	dir = FILENAME
	sub(/[^\/]*$/, "", dir)
	if (!(here in is_room))
		print FILENAME, "is in a room the table does not have"
}
/^#[ \t]*include[ \t]+["<]/ {
	header = $0
	gsub(/^[^"<]*["<]|[">].*$/, "", header)
	if (header == "omega/sandbox.h" && part[1] == "plugins")
		print FILENAME, header
	if ($0 ~ /</ || header == "config.h")
		next
	to = header
	if (to ~ /^\.\.\/core\/base\//)
		to = "base" # built into the tool as well
	else if (to ~ /^\.\.\//)
		to = part[1] == "tools" ? "tools" : "?"
	else if (!sub(/\/[^\/]*$/, "", to)) {
		# Beside the file, or at the root of its include path.
		root = part[1] == "plugins" ? "plugins/" here "/" : "tools/"
		if ((getline line < (dir header)) >= 0)
			to = here
		else if ((getline line < (root header)) >= 0)
			to = root == "tools/" ? "tools" : here
		else
			to = "?"
		close(dir header)
		close(root header)
	}
	if (!((here, to) in may))
		print FILENAME, header
}' >"$tmp/found" || echo "awk failed" >>"$tmp/found"
compare "rooms include those below them"

# ---- Public functions --------------------------------------------------------

: >"$tmp/listed"
sed -n 's/^[ 	]*\(omega_sandbox_[a-z0-9_]*\);$/^\1(/p' \
	core/libomega-sandbox.sym >"$tmp/public"
grep -f "$tmp/public" $(find core -name '*.c' ! -path 'core/api/*') /dev/null |
	sed 's/:.*//' | count >"$tmp/found"
compare "public functions are in core/api"

# ---- Names of backends -------------------------------------------------------

# In texts; comments may name whom they like.
names() { # names NAME... -- FILE...: of every text that has one, the file
	: >"$tmp/names"
	while [ "$1" != -- ]; do
		if [ "$1" = namespace ]; then # also the kernel's word
			printf '"%s"\n%s backend\nbackend %s\n' $1 $1 $1
		else
			echo "$1"
		fi >>"$tmp/names"
		shift
	done
	shift
	grep -vE '^[ 	]*( \* |#include)' "$@" /dev/null | sed 's,/[*].*,,' |
		grep -oE '^[^:]*:|"[^"]*"' |
		awk '/:$/ { file = $0; next } { print file $0 }' |
		grep -w -f "$tmp/names" | sed 's/:.*//'
}

# None.
: >"$tmp/listed"
# shipped.c and stack.c are the data: what is shipped, and what auto means.
names bwrap landlock namespace seccomp seatbelt noop -- \
	$(find core -name '*.[ch]' ! -path 'core/include/*' \
		! -path core/load/shipped.c ! -path core/plan/stack.c \
		! -path 'core/base/platform-*') | count >"$tmp/found"
compare "the core names no backend but as data"

# FILE NUMBER; an option of the program bwrap has the name of a backend.
cat >"$tmp/listed" <<'END'
plugins/bwrap/bwrap.c 1
plugins/bwrap/program.c 1
END
for room in bwrap landlock namespace noop seatbelt seccomp; do
	others=$(echo bwrap landlock namespace noop seatbelt seccomp |
		sed "s/$room//")
	names $others -- $(find plugins/$room -name '*.[ch]')
done | count >"$tmp/found"
compare "no plugin names another"
echo "1..$tests"
