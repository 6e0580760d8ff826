#!/bin/sh
# SPDX-License-Identifier: MIT
#
# build.sh [BUILD-DIR]: the library, the tool and the plugins for macOS, made
# on Linux, for both kinds of Mac. Says whether it links, and looks at what
# comes out: exported and undefined symbols. Nothing of it is run.
#
# The compiler and the sources of libraries go into a cache directory below
# ~/.cache; the build goes into build-darwin/ of the tree, or BUILD-DIR.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/omega-sandbox/darwin
work=${1:-$top/build-darwin}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

die() {
	echo "darwin: $*" >&2
	exit 1
}

say() {
	echo "darwin: $*" >&2
}

. "$here/fetch.sh"
. "$here/libs.sh"

# make_tools: the compiler under names without blanks, for $target.
make_tools() {
	bin=$cache/bin/$target
	mkdir -p "$bin" "$cache/zig"
	for tool in cc ar ranlib; do
		flags=
		[ $tool != cc ] || flags="-target $target"
		cat >"$bin/$tool.new" <<END
#!/bin/sh
# zig's linker makes no bundles; a dynamic library is loaded just as well.
for word; do
	shift
	[ "\$word" != -bundle ] || word=-dynamiclib
	set -- "\$@" "\$word"
done
ZIG_GLOBAL_CACHE_DIR='$cache/zig' ZIG_LOCAL_CACHE_DIR='$cache/zig' \\
	exec '$zig' $tool $flags "\$@"
END
		chmod +x "$bin/$tool.new"
		mv "$bin/$tool.new" "$bin/$tool"
	done
}

# configure_target HOST: once; the Makefile sees to itself from then on.
configure_target() {
	[ ! -f "$dir/Makefile" ] || return 0
	mkdir -p "$dir"
	(cd "$dir" && PKG_CONFIG_LIBDIR=$libs/lib/pkgconfig "$top/configure" \
		-q --host="$1" --prefix=/usr/local --sysconfdir=/etc \
		--enable-tests=no --enable-werror \
		CC="$bin/cc" AR="$bin/ar" RANLIB="$bin/ranlib" \
		DSYMUTIL=: lt_cv_prog_gnu_ld=no) \
		>"$dir/configure.out" 2>&1 || {
		cat "$dir/configure.out" >&2
		die "configure --host=$1 failed"
	}
}

# build_target TARGET HOST CPU
build_target() {
	target=$1
	dir=$work/$target
	libs=$cache/lib/$target
	make_tools
	build_libs
	configure_target "$2"
	make -s -C "$dir" -j"$jobs" all || die "$target: does not build"
	look_at "$3"
}

# look_at CPU: the files themselves, and what our own reader says of them.
look_at() {
	tool=.libs/omega-sandbox
	[ -e "$dir/$tool" ] || tool=omega-sandbox
	plugins=$(cd "$dir" && ls .libs/*.so)
	for name in $wanted; do
		case $plugins in
		*".libs/$name.so"*) ;;
		*) die "$target: there is no $name.so" ;;
		esac
	done
	# shellcheck disable=SC2086
	python3 "$here/symbols.py" "$top" "$dir" "$1" \
		.libs/libomega-sandbox.0.dylib "$tool" $plugins ||
		die "$target: these are not the symbols there should be"
	[ "$1" = "$own_cpu" ] && answer=shared || answer=foreign
	for plugin in $plugins; do
		said=$("$work/ask" object "$dir/$plugin")
		[ "$said" = "$answer" ] ||
			die "$target: $plugin: $said, not $answer"
	done
	[ "$1" = "$own_cpu" ] || return 0
	said=$("$work/ask" object "$dir/$tool")
	[ "$said" = damaged ] || die "$target: $tool: $said"
	said=$("$work/ask" loader "$dir/$tool")
	[ "$said" = /usr/lib/dyld ] || die "$target: $tool: loader $said"
}

# make_ask: our reader of such files, for the machine that builds.
make_ask() {
	: >"$work/config.h"
	${BUILD_CC:-cc} -D_GNU_SOURCE -I"$work" -I"$top/core" \
		-I"$top/core/include" -o "$work/ask" \
		"$here/ask.c" "$top/core/base/macho.c" \
		"$top/core/load/object-macho.c" "$top/core/launch/interpreter-macho.c"
	case $(uname -m) in
	aarch64 | arm64) own_cpu=arm64 ;;
	*) own_cpu=$(uname -m) ;;
	esac
}

[ -x "$top/configure" ] || (cd "$top" && ./autogen.sh >/dev/null 2>&1) ||
	die "autoreconf failed; run ./autogen.sh to see why"
mkdir -p "$cache" "$work"
command -v flex >/dev/null || die "flex is missing"
fetch_zig
fetch_sources libconfuse jansson
# The plugins there must be.
wanted="noop seatbelt"
make_ask
build_target aarch64-macos aarch64-apple-darwin arm64
build_target x86_64-macos x86_64-apple-darwin x86_64
say "both build and link; nothing was run"
