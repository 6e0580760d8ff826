#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A plugin keeps to its room: it includes the public plugin header, its own
# files and the system's, it exports one symbol, and it links neither the core
# nor another plugin. Prints TAP.
set -u
: "${top_srcdir:=.}" "${top_builddir:=.}" "${CC:=cc}" "${OMEGA_TEST_PLUGINS:=}"

number=0
status=0

# result NAME FAULTS: ok when there are none.
result() {
	number=$((number + 1))
	if [ -z "$2" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		echo "$2" | sed 's/^/# /'
		status=1
	fi
}

skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# Everything a source includes that is not the system's own, by the compiler's
# word rather than by reading #include lines. Of another system's sys/ headers
# compilers disagree whether they are to be made (-MG).
included_by() {
	# shellcheck disable=SC2086
	$CC -I"$top_srcdir/core/include" -MM -MG "$1" |
		sed -e 's/^[^:]*://' -e 's/\\$//' | tr ' ' '\n' | grep '\.h$' |
		grep -v '^sys/'
}

for dir in "$top_srcdir"/plugins/*/; do
	name=$(basename "$dir")
	own=$(cd "$dir" && pwd)
	public=$(cd "$top_srcdir/core/include/omega" && pwd)/sandbox-plugin.h
	faults=
	seen=0
	for source in "$dir"*.c; do
		[ -f "$source" ] || continue
		for header in $(included_by "$source"); do
			case $header in
			*/*)
				real=$(cd "$(dirname "$header")" 2>/dev/null &&
					pwd)/$(basename "$header")
				;;
			*)
				real=$own/$header
				;;
			esac
			case $real in
			"$public") seen=1 ;;
			"$own"/*) ;;
			*) faults="$faults$source includes $header
" ;;
			esac
		done
	done
	[ "$seen" = 1 ] || faults="${faults}no source includes the plugin header"
	result "$name includes nothing private" "$faults"
done

for la in $OMEGA_TEST_PLUGINS; do
	name=${la%.la}
	file=$top_builddir/.libs/$name.so
	if ! command -v nm >/dev/null; then
		skip "$name exports one symbol" "no nm here"
		continue
	fi
	exported=$(nm -D --defined-only "$file" | awk '{ print $NF }')
	faults=
	[ "$exported" = omega_sandbox_plugin ] || faults="exports: $exported"
	result "$name exports one symbol" "$faults"
done

for la in $OMEGA_TEST_PLUGINS; do
	name=${la%.la}
	file=$top_builddir/.libs/$name.so
	if ! command -v objdump >/dev/null; then
		skip "$name links no library of ours" "no objdump here"
		continue
	fi
	faults=$(objdump -p "$file" | grep -E 'NEEDED.*omega|RPATH|RUNPATH')
	result "$name links no library of ours" "$faults"
done

echo "1..$number"
exit $status
