#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The public face: every installed header compiles by itself, in C99 and C++;
# the library exports what its symbol file says and the plugins export their
# one object, no more and no less. TAP.
set -u
src=${top_srcdir:?}
build=${top_builddir:?}
LC_ALL=C
export LC_ALL

tmp=$(mktemp -d "${TMPDIR:-/tmp}/omega-headers-XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM

number=0
ok() { # ok NAME STATUS: $tmp/log tells more
	number=$((number + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		sed 's/^/# /' "$tmp/log"
	fi
	: >"$tmp/log"
}

skip() { # skip NAME REASON
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

warnings='-pedantic -Wall -Wextra -Werror'
: >"$tmp/log"

# compile NAME COMPILER OPTION... FILE, where CC may be several words
compile() {
	name=$1
	shift
	# shellcheck disable=SC2086
	"$@" $warnings -I"$src/core/include" -c -o "$tmp/o.o" \
		>"$tmp/log" 2>&1
	ok "$name" $?
}

# ---- headers --------------------------------------------------------------

for header in "$src"/core/include/omega/*.h; do
	base=$(basename "$header" .h)
	id=$(echo "$base" | tr - _)
	printf '#include <omega/%s.h>\n#include <omega/%s.h>\nint here;\n' \
		"$base" "$base" >"$tmp/alone.c"
	cp "$tmp/alone.c" "$tmp/alone.cc"
	# shellcheck disable=SC2086
	compile "test_${id}_compiles_alone_as_c99" \
		${CC:-cc} -std=c99 "$tmp/alone.c"
	if command -v g++ >/dev/null 2>&1; then
		compile "test_${id}_compiles_alone_as_cxx" \
			g++ -std=c++11 "$tmp/alone.cc"
	else
		skip "test_${id}_compiles_alone_as_cxx" "there is no g++"
	fi
done

cat >"$tmp/use.c" <<'EOF'
#include <omega/sandbox.h>
struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
struct omega_sandbox_section section = OMEGA_SANDBOX_SECTION_INIT;
struct omega_sandbox_backend backend = OMEGA_SANDBOX_BACKEND_INIT;
struct omega_sandbox_platform platform = OMEGA_SANDBOX_PLATFORM_INIT;
struct omega_sandbox_guarantee guarantee = OMEGA_SANDBOX_GUARANTEE_INIT;
struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
EOF
cp "$tmp/use.c" "$tmp/use.cc"
# shellcheck disable=SC2086
compile test_initialisers_compile_as_c99 ${CC:-cc} -std=c99 "$tmp/use.c"
if command -v g++ >/dev/null 2>&1; then
	compile test_initialisers_compile_as_cxx g++ -std=c++11 "$tmp/use.cc"
else
	skip test_initialisers_compile_as_cxx "there is no g++"
fi

grep -o '^.*\bomega_sandbox_[a-z_]*(' "$src/core/include/omega/sandbox.h" |
	grep -v '^ \*' | grep -v '^typedef' |
	sed -n 's/.*\(omega_sandbox_[a-z_]*\)($/\1/p' | sort -u >"$tmp/declared"
sed -n 's/^[ 	]*\(omega_sandbox_[a-z_]*\);$/\1/p' \
	"$src/core/libomega-sandbox.sym" | sort -u >"$tmp/listed"
[ -s "$tmp/listed" ] && diff "$tmp/declared" "$tmp/listed" >"$tmp/log"
ok test_symbol_file_lists_what_the_header_declares $?

# Whatever is offered is tried somewhere.
find "$src/tests" -name '*.c' -exec grep -ohw 'omega_sandbox_[a-z_]*' {} + |
	sort -u >"$tmp/called"
[ -s "$tmp/called" ] && comm -23 "$tmp/listed" "$tmp/called" >"$tmp/log"
[ -s "$tmp/called" ] && [ ! -s "$tmp/log" ]
ok test_every_function_is_named_in_a_test $?

# ---- rows that belong to an enumeration ------------------------------------

sed -n 's/^\tOMEGA_SANDBOX_E_\([A-Z_]*\) = .*/\1/p' \
	"$src/core/include/omega/sandbox.h" >"$tmp/codes"
[ -s "$tmp/codes" ] && while read -r code; do
	name=$(echo "$code" | tr '[:upper:]' '[:lower:]')
	grep -q "ROW($code, \"$name\")" "$src/tools/rpc/answer.c" ||
		echo "$code: not in tools/rpc/answer.c"
	grep -q "\"$name\"" "$src/doc/rpc.schema.json" ||
		echo "$code: not in doc/rpc.schema.json"
done <"$tmp/codes" >"$tmp/log" && [ ! -s "$tmp/log" ]
ok test_every_code_has_its_name_in_answers $?

sed -n 's/^\t\(OMEGA_LIMIT_[A-Z_]*\),$/\1/p' "$src/core/launch/limits.h" \
	>"$tmp/limits"
[ -s "$tmp/limits" ] && while read -r limit; do
	for file in core/launch/limits.c core/policy/rule-atoms.c; do
		grep -q "\[$limit\] = " "$src/$file" || echo "$limit: not in $file"
	done
done <"$tmp/limits" >"$tmp/log" && [ ! -s "$tmp/log" ]
ok test_every_limit_has_its_rows $?

# ---- exported symbols -----------------------------------------------------

exported() { # exported FILE: defined dynamic symbols but version nodes
	nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' |
		sed 's/@.*//' | sort -u
}

lib=$build/.libs/libomega-sandbox.so
if ! command -v nm >/dev/null 2>&1; then
	skip test_library_exports_its_symbol_file "there is no nm"
elif [ ! -e "$lib" ]; then
	skip test_library_exports_its_symbol_file "no shared library was built"
else
	exported "$lib" >"$tmp/exported"
	[ -s "$tmp/exported" ] && diff "$tmp/listed" "$tmp/exported" >"$tmp/log"
	ok test_library_exports_its_symbol_file $?
fi

plugins=0
for plugin in "$build"/.libs/*.so; do
	case $plugin in
	*/lib*.so | */mutant-*.so | */\*.so) continue ;;
	esac
	plugins=$((plugins + 1))
	name=$(basename "$plugin" .so)
	exported "$plugin" >"$tmp/exported"
	echo omega_sandbox_plugin | diff - "$tmp/exported" >"$tmp/log"
	ok "test_plugin_${name}_exports_one_symbol" $?
	[ -d "$src/plugins/$name" ] && [ -s "$src/plugins/$name/README.md" ]
	ok "test_plugin_${name}_has_its_room_and_readme" $?
	! nm -D --undefined-only "$plugin" | grep omega_ >"$tmp/log"
	ok "test_plugin_${name}_needs_nothing_of_the_core" $?
done
if [ $plugins -eq 0 ]; then
	skip test_plugins_export_one_symbol "no plugin was built"
fi

echo "1..$number"
