#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Colours of the tool: on a terminal and nowhere else, and not where NO_COLOR
# is set; and that they change nothing but the looks. And when verify prints.
set -u
tool=$(cd "$top_builddir" && pwd)/omega-sandbox-built
if [ ! -x "$tool" ]; then
	echo "1..0 # SKIP omega-sandbox-built was not built"
	exit 0
fi
if ! command -v script >/dev/null ||
	! script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	echo "1..0 # SKIP no terminal can be made: script(1) does not work here"
	exit 0
fi
count=0
work=$(mktemp -d /tmp/omega-colour.XXXXXX) || exit 99
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/omega/data"
: >"$work/conf"
esc=$(printf '\033')

result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		head -n 20 "$work/out" | cat -v | sed 's/^/# /'
	fi
}

# on_terminal VARIABLE... -- WORD...: the output of the tool, on a terminal.
on_terminal() {
	set_them=
	while [ "$1" != -- ]; do
		set_them="$set_them '$1'"
		shift
	done
	shift
	script -qec "env -i PATH='$PATH' HOME='$work' $set_them '$tool' $*" \
		/dev/null </dev/null | tr -d '\r' >"$work/out"
}

has_colours() {
	grep -q "$esc\[3[123]m" "$work/out"
}

has_escapes() {
	grep -q "$esc" "$work/out"
}

under="--config $work/conf --data-dir $work/omega"
# verify takes long; one claim is enough.
for words in "describe $under" "status $under" "list --config $work/conf" \
	"verify --first $under --backend noop" "run --dry-run $under"; do
	name=${words%% *}
	on_terminal TERM=xterm -- "$words"
	has_colours
	result $? "$name has colours on a terminal"
	sed "s/$esc\[[0-9]*m//g" "$work/out" >"$work/plain"
	env -i PATH="$PATH" HOME="$work" "$tool" $words \
		>"$work/out" 2>&1 </dev/null
	! has_escapes && [ -s "$work/out" ]
	result $? "$name has none elsewhere"
	# Two runs of verify have two places.
	if [ "$name" != verify ]; then
		cmp -s "$work/plain" "$work/out"
		result $? "$name says the same"
	fi
	for no in NO_COLOR=1 TERM=dumb; do
		on_terminal TERM=xterm $no -- "$words"
		[ -s "$work/out" ] && ! has_escapes
		result $? "$name with $no has none"
	done
	on_terminal TERM=xterm NO_COLOR= -- "$words"
	has_colours
	result $? "$name minds no empty NO_COLOR"
done

# JSON never has any, and on a terminal no letter that could be misread.
odd=$(printf '/\342\200\256x')
on_terminal TERM=xterm -- "explain --json $under '$odd'"
! has_escapes && grep -qF '/\u202Ex' "$work/out"
result $? "JSON on a terminal is plain ASCII"

# A line of verify comes as soon as it is known, and what ends verify lets it
# clean up. What it makes lies beside the data directory.
"$tool" verify $under >"$work/out" 2>&1 </dev/null &
verify=$!
tries=0
until grep -q '^  [a-z]' "$work/out" || [ $tries = 600 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
kill -USR2 $verify && grep -q '^  [a-z]' "$work/out" &&
	! grep -q ' guarantees, ' "$work/out"
result $? "verify prints lines before its end"
wait $verify
[ $? = 2 ] && grep -q interrupted "$work/out" &&
	[ -z "$(ls -d "$work"/.omega-verify-* 2>/dev/null)" ]
result $? "ended by SIGUSR2 it has removed what it made"
echo "1..$count"
