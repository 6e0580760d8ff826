#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The JSON protocol, and the two hosts in Python that examples/ has.
set -u
: "${top_srcdir:=.}" "${top_builddir:=.}"
if ! command -v python3 >/dev/null || ! python3 -c 'import json, ctypes' \
	2>/dev/null; then
	echo "1..0 # SKIP python3 with json and ctypes is not installed"
	exit 0
fi
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/omega/data"
echo secret >"$work/omega/data/secret"
echo secret >"$work/omega/data/memory.db"
cat >"$work/sandbox.conf" <<END
data_dir = "$work/omega"
policy "shut" { write = {} }
policy "kept" { deny_write = { "$work/kept/dir", "$work/kept/file" } }
policy "inside" { write = { "{work_dir}" } }
tier "low" { policy = "shut" }
agent "writer" { write = { "{work_dir}" } }
END
python3 "$top_srcdir/tests/tool/rpc.py" \
	"$top_builddir/omega-sandbox-built" "$work/sandbox.conf" \
	"$top_srcdir/doc/rpc.schema.json" \
	"$top_srcdir/examples/python/rpc_client.py" "$work/omega" \
	"$top_srcdir/examples/python/ctypes_host.py" \
	"$top_builddir/.libs/libhosted.so" "$top_srcdir/bindings/cases.json"
