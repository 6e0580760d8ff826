#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The plugin page against the plugin header: whatever an author can write must
# be explained, and the ABI of the header must have its entry. Prints TAP.
set -u
: "${top_srcdir:=.}" "${CC:=cc}"
header=$top_srcdir/core/include/omega/sandbox-plugin.h
page=$top_srcdir/man/omega-sandbox-plugin.7
code=$(mktemp) || exit 1
trap 'rm -f "$code"' EXIT
status=0

# The header without comments and without what it includes.
# shellcheck disable=SC2086
grep -v '^#include' "$header" | $CC -E -P -x c - >"$code" 2>/dev/null

# result NUMBER NAME, with the names that must be in the page on stdin.
result() {
	faults=
	count=0
	for word in $(cat); do
		count=$((count + 1))
		grep -qw -e "$word" "$page" || faults="$faults $word"
	done
	[ "$count" != 0 ] || faults="found nothing to look for"
	if [ -z "$faults" ]; then
		echo "ok $1 - $2"
	else
		echo "not ok $1 - $2"
		echo "# missing:$faults"
		status=1
	fi
}

echo 1..4
# Named in full or, in lists, without what they all begin with.
grep -oE 'OMEGA_SANDBOX_[A-Z_]+ =' "$code" |
	sed -E -e 's/ =$//' \
	-e 's/^OMEGA_SANDBOX_(ATOM|PHASE|SERVICE)_//' \
	-e 's/^OMEGA_SANDBOX_OPTION_(INT|STRING|LIST)$/\1/' |
	result 1 "every constant is explained"
grep -oE '^struct omega_sandbox_[a-z]+ \{' "$code" | awk '{ print $2 }' |
	grep -vE '_(state|probe)$' | # by the name of their argument
	result 2 "every structure is named"
awk '/^struct .*\{/ { on = 1; next } /^\}/ { on = 0 } on' "$code" |
	grep -oE '(\(\*[a-z_]+\)|[a-z_]+(\[[0-9]+\])?;)' |
	grep -oE '[a-z_]+' | sort -u | grep -vxE 'reserved|core' |
	result 3 "every field is explained"
abi=$(sed -n 's/^#define OMEGA_SANDBOX_PLUGIN_ABI_M[A-Z]* \([0-9]*\)u$/\1/p' \
	"$header" | paste -sd. -)
if awk '/^\.Sh / { on = /ABI HISTORY/ } on' "$page" |
	grep -qx -e "\.It $abi"; then
	echo "ok 4 - the history has ABI $abi"
else
	echo "not ok 4 - the history has ABI $abi"
	status=1
fi
exit $status
