#!/bin/sh
# SPDX-License-Identifier: MIT
#
# doc/tour.md is what a session with the tool shows. Prints TAP.
set -u
out=$(mktemp) || exit 99
trap 'rm -f "$out"' EXIT
sh "$top_srcdir/tests/doc/tour.sh" >"$out" 2>&1
case $? in
0) ;;
77)
	echo "1..0 # SKIP no command can be protected: $(head -n 1 "$out")"
	exit 0 ;;
*)
	echo "not ok 1 - there is a session"
	sed 's/^/# /' "$out" ;;
esac
if diff -u "$top_srcdir/doc/tour.md" "$out" >"$out.diff"; then
	echo "ok 1 - the tour is as it is written"
else
	echo "not ok 1 - the tour is as it is written"
	sed 's/^/# /' "$out.diff"
fi
rm -f "$out.diff"
echo "1..1"
