#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the namespace plugin ships beside its code: one exported symbol, a
# manual page with the sections of every plugin, an AppArmor profile that
# AppArmor's own parser takes.
set -u
dir=${top_srcdir:-.}/plugins/namespace
built=${top_builddir:-.}
number=0

ok() { # STATUS NAME
	number=$((number + 1))
	if [ "$1" = 0 ]; then echo "ok $number - $2"; else
		echo "not ok $number - $2"; fi
}

skip() { # NAME REASON
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

echo 1..6

symbols=$(nm -D --defined-only "$built/.libs/namespace.so" |
	awk '$2 ~ /[A-Z]/ { print $3 }')
[ "$symbols" = omega_sandbox_plugin ]
ok $? "the plugin exports one symbol"

missing=
for section in NAME DESCRIPTION 'WHAT IS ENFORCED' 'WHAT IS NOT' \
	REQUIREMENTS OPTIONS EXAMPLES DIAGNOSTICS 'SEE ALSO'; do
	grep -q "^\.Sh $section\$" "$dir/omega-sandbox-namespace.8" ||
		missing="$missing $section"
done
[ -z "$missing" ]
ok $? "the manual page has every section"

grep -q '^## What is enforced' "$dir/README.md" &&
	grep -q '^## What is not' "$dir/README.md"
ok $? "the README says what is enforced and what is not"

profile=$built/omega-sandbox-namespace.apparmor
grep -q '^profile omega-sandbox-namespace /.*/omega-sandbox-namespace flags=(unconfined) {$' \
	"$profile" && grep -q '^  userns,$' "$profile"
ok $? "the profile names the installed builder and gives it userns"

name="AppArmor takes the profile"
PATH=$PATH:/sbin:/usr/sbin
if ! command -v apparmor_parser >/dev/null; then
	skip "$name" "no apparmor_parser"
	skip "and not a wrong one" "no apparmor_parser"
else
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	cp "$profile" "$work/profile"
	# Before version 4 there is neither this ABI nor the rule.
	if [ ! -e /etc/apparmor.d/abi/4.0 ]; then
		echo "# apparmor_parser is older than 4: without the userns rule"
		sed -e '/^abi /d' -e '/^  userns,/d' "$profile" >"$work/profile"
	fi
	apparmor_parser --skip-kernel-load --skip-cache "$work/profile" \
		>"$work/log" 2>&1
	status=$?
	sed 's/^/# /' "$work/log"
	ok $status "$name"
	sed 's/^}/  no such rule,\n}/' "$work/profile" >"$work/wrong"
	! apparmor_parser --skip-kernel-load --skip-cache "$work/wrong" \
		>/dev/null 2>&1
	ok $? "and not a wrong one"
fi
