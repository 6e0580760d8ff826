#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A command can be started however the library was compiled: the part that
# makes the child is built with every compiler there is and what it may be told
# to do with frames, branches and the whole program at once, and used each
# time. For the other architecture as well, as far as it can be run here.
# TAP; $top_srcdir and $top_builddir from make.
set -u
src=${top_srcdir:?}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM

number=0
ok() { # ok NAME: as it says in $tmp/said, which is empty when all is well
	number=$((number + 1))
	if [ ! -s "$tmp/said" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		sed 's/^/# /' "$tmp/said"
	fi
}

skip() { # skip NAME REASON
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

run() {
	timeout 60 "$tmp/cloned"
}

compile() { # compile ARGUMENT...
	# shellcheck disable=SC2086
	$cc -D_GNU_SOURCE -I"$top_builddir" -I"$src/core" \
		-I"$src/core/include" "$@"
}

# Once for each compiler: what is needed and not looked at here.
compile_rest() { # compile_rest [FLAG]
	compile -O ${1-} -c "$src/core/child/clone.c" -o "$tmp/stack.o" &&
		compile -O ${1-} -c "$src/core/child/end-linux.c" -o "$tmp/end.o"
}

built() { # built FLAG...
	compile "$@" "$src/tests/support/cloned.c" \
		"$src/core/child/clone-linux.c" \
		"$src/core/child/clone-call-linux.S" "$tmp/stack.o" \
		"$tmp/end.o" -o "$tmp/cloned"
}

try() { # try FLAG...: build and run it
	rm -f "$tmp/cloned"
	if ! built "$@" >"$tmp/out" 2>&1 || ! run >>"$tmp/out" 2>&1 ||
		grep -qvx "$allowed" "$tmp/out"; then
		echo "$cc $*"
		cat "$tmp/out"
	fi >>"$tmp/said"
}

try_level() { # try_level LEVEL BRANCHES...
	level=$1
	shift
	: >"$tmp/said"
	for lto in "" $has_lto; do
		for frame in -fomit-frame-pointer -fno-omit-frame-pointer; do
			for branches in "$@"; do
				# shellcheck disable=SC2086
				try "$level" $lto "$frame" "$branches"
			done
		done
	done
	ok "$cc $level"
}

links_empty() { # links_empty [FLAG]
	# shellcheck disable=SC2086
	echo 'int main(void) { return 0; }' |
		$cc ${1-} -x c - -o "$tmp/empty" 2>/dev/null
}

# Link time optimisation may need a linker that is not there.
find_lto() {
	has_lto=-flto
	links_empty -flto && return
	has_lto=
	echo "# $cc: -flto does not link here"
}

try_compiler() { # try_compiler BRANCHES...
	find_lto
	compile_rest
	for level in -O0 -O1 -O2 -O3; do
		try_level "$level" "$@"
	done
}

# What a program without the assembly is marked with, one with it is too.
marks() {
	LC_ALL=C "${objects}readelf" -n "$1" | grep -oE 'IBT|SHSTK|BTI|PAC' |
		sort | tr '\n' ' '
}

try_marks() { # try_marks FLAG
	: >"$tmp/said"
	echo 'int main(void) { return 0; }' |
		$cc "$1" -x c - -o "$tmp/empty" 2>>"$tmp/said"
	compile_rest "$1" && built "$1" >>"$tmp/said" 2>&1
	[ "$(marks "$tmp/cloned")" = "$(marks "$tmp/empty")" ] || {
		echo "without: $(marks "$tmp/empty")"
		echo "with:    $(marks "$tmp/cloned")"
	} >>"$tmp/said"
	# The start files need not be marked; then the object must be.
	$cc "$1" -c "$src/core/child/clone-call-linux.S" -o "$tmp/call.o"
	[ "$(marks "$tmp/call.o")" = "$2" ] ||
		echo "object: $(marks "$tmp/call.o")" >>"$tmp/said"
	ok "$cc $1: the marks stay"
}

allowed=nothing
objects=
case $(uname -m) in
x86_64)
	flags="-fcf-protection=none -fcf-protection=full"
	marked="-fcf-protection=full"
	expected="IBT SHSTK "
	other=aarch64
	;;
aarch64)
	flags="-mbranch-protection=none -mbranch-protection=standard"
	marked="-mbranch-protection=standard"
	expected="BTI PAC "
	other=x86_64
	;;
*)
	flags=-fno-common # no assembly there; the C library starts it
	marked=
	other=none
	;;
esac
tried=" "
for cc in gcc clang "${CC:-cc}"; do
	case $tried in *" ${cc##* } "*) continue ;; esac
	tried="$tried${cc##* } "
	# shellcheck disable=SC2086
	if $cc --version >"$tmp/out" 2>&1; then
		try_compiler $flags
		[ -z "$marked" ] || try_marks "$marked" "$expected"
	else
		skip "$cc" "no such compiler here"
	fi
done

cc=$other-linux-gnu-gcc
objects=$other-linux-gnu-
if ! command -v "$cc" >/dev/null; then
	skip "built for $other" "no $cc here"
elif ! links_empty; then
	skip "built for $other" "$cc links nothing: no C library for it here"
else
	case $other in
	x86_64)
		flags="-fcf-protection=none -fcf-protection=full"
		try_marks -fcf-protection=full "IBT SHSTK "
		;;
	aarch64)
		flags="-mbranch-protection=none -mbranch-protection=standard"
		try_marks -mbranch-protection=standard "BTI PAC "
		;;
	esac
	if command -v "qemu-$other" >/dev/null; then
		# It knows no clone3: what is left is the C library's way.
		allowed="lending: not here"
		run() { timeout 60 "qemu-$other" "$tmp/cloned"; }
		has_lto=
		: >"$tmp/said"
		for level in -O0 -O2; do
			for branches in $flags; do
				try -static "$level" "$branches"
			done
		done
		ok "built for $other, run by qemu"
	else
		skip "built for $other, run by qemu" "no qemu-$other here"
	fi
fi
echo "1..$number"
