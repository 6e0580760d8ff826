#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bindings/python against the library as it was built.
set -u
: "${top_srcdir:=.}" "${top_builddir:=.}"
if ! command -v python3 >/dev/null || ! python3 -c 'import json, ctypes' \
	2>/dev/null; then
	echo "1..0 # SKIP python3 with json and ctypes is not installed"
	exit 0
fi
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'; then
	echo "1..0 # SKIP $(python3 --version) is older than 3.9"
	exit 0
fi
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/omega/data"
echo secret >"$work/omega/data/secret"
{
	echo "data_dir = \"$work/omega\""
	echo 'policy "shut" { write = {} }'
	cat "$top_srcdir/etc/shipped/groups.conf" \
		"$top_srcdir/etc/shipped/policies.conf"
} >"$work/sandbox.conf"
# The sources may be read-only.
mkdir -p "$work/bindings/python"
cp "$top_srcdir/bindings/cases.json" "$work/bindings"
for name in README.md backend.py examples pyproject.toml src tests; do
	cp -R "$top_srcdir/bindings/python/$name" "$work/bindings/python/"
done
chmod -R u+w "$work/bindings"
library=$(cd "$top_builddir" && pwd)/.libs/libhosted.so
header=$(cd "$top_srcdir" && pwd)/core/include/omega/sandbox.h
cd "$work/bindings/python" || exit 99
OMEGA_SANDBOX_LIBRARY=$library OMEGA_SANDBOX_CONFIG=$work/sandbox.conf \
	OMEGA_TEST_DATA_DIR=$work/omega OMEGA_TEST_HEADER=$header \
	PYTHONDONTWRITEBYTECODE=1 \
	python3 tests/test_omega_sandbox.py "$@"
