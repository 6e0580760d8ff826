# SPDX-License-Identifier: MIT
#
# libconfuse and jansson for macOS, static, out of Debian's source packages.
# Their own build systems ask for more tools (gettext) than their few files
# are worth. Sourced by build.sh.

# compile_all ARCHIVE FLAG... -- FILE...: one static library of them.
compile_all() {
	archive=$1
	shift
	flags=
	while [ "$1" != -- ]; do
		flags="$flags $1"
		shift
	done
	shift
	objects=
	for file in "$@"; do
		object=$libs/obj/${file##*/}.o
		# shellcheck disable=SC2086
		"$bin/cc" -O2 -fvisibility=hidden -w $flags \
			-c "$file" -o "$object" || die "cannot compile $file"
		objects="$objects $object"
	done
	rm -f "$archive"
	# shellcheck disable=SC2086
	"$bin/ar" rcs "$archive" $objects
}

build_confuse() {
	src=$cache/src/libconfuse/src
	flex -Pcfg_yy -o"$libs/obj/lexer.c" "$src/lexer.l"
	compile_all "$libs/lib/libconfuse.a" -I"$src" -D_GNU_SOURCE \
		-DPACKAGE='"confuse"' -DPACKAGE_VERSION='"3.3"' \
		-DPACKAGE_STRING='"libConfuse"' -DHAVE_UNISTD_H=1 \
		-DHAVE_STRING_H=1 -DHAVE_STRINGS_H=1 -DHAVE_SYS_STAT_H=1 \
		-DHAVE_FMEMOPEN=1 -DHAVE_STRCASECMP=1 -DHAVE_STRDUP=1 \
		-DHAVE_STRNDUP=1 -DHAVE_SETENV=1 -DHAVE_UNSETENV=1 \
		-- "$src/confuse.c" "$src/reallocarray.c" "$libs/obj/lexer.c"
	cp "$src/confuse.h" "$libs/include/"
	cat >"$libs/lib/pkgconfig/libconfuse.pc" <<END
Name: libconfuse
Description: for macOS
Version: 3.3
Cflags: -I$libs/include
Libs: -L$libs/lib -lconfuse
END
}

build_jansson() {
	src=$cache/src/jansson/src
	sed -e 's/@json_inline@/inline/' -e 's/@json_have_long_long@/1/' \
		-e 's/@json_have_localeconv@/1/' \
		-e 's/@json_have_atomic_builtins@/1/' \
		-e 's/@json_have_sync_builtins@/1/' \
		"$src/jansson_config.h.in" >"$libs/include/jansson_config.h"
	cp "$src/jansson.h" "$libs/include/"
	# What it asks for is said on the command line.
	: >"$libs/obj/jansson_private_config.h"
	compile_all "$libs/lib/libjansson.a" -I"$libs/include" -I"$libs/obj" \
		-I"$src" -DHAVE_UNISTD_H=1 -DHAVE_SYS_TIME_H=1 -DHAVE_SYS_TYPES_H=1 \
		-DHAVE_STDINT_H=1 -DHAVE_FCNTL_H=1 -DHAVE_OPEN=1 \
		-DHAVE_CLOSE=1 -DHAVE_READ=1 -DHAVE_GETPID=1 \
		-DHAVE_GETTIMEOFDAY=1 -DHAVE_LOCALE_H=1 -DHAVE_LOCALECONV=1 \
		-DHAVE_STRTOLL=1 -DHAVE_LONG_LONG_INT=1 -DUSE_URANDOM=1 \
		-DHAVE_SCHED_H=1 -DHAVE_SCHED_YIELD=1 \
		-DHAVE_ATOMIC_BUILTINS=1 -DHAVE_SYNC_BUILTINS=1 \
		-DINITIAL_HASHTABLE_ORDER=3 -- "$src"/*.c
	cat >"$libs/lib/pkgconfig/jansson.pc" <<END
Name: jansson
Description: for macOS
Version: 2.14
Cflags: -I$libs/include
Libs: -L$libs/lib -ljansson
END
}

# build_libs: both into $libs, once per target and compiler.
build_libs() {
	[ ! -e "$libs/done" ] || return 0
	say "$target: libconfuse and jansson"
	rm -rf "$libs"
	mkdir -p "$libs/include" "$libs/lib/pkgconfig" "$libs/obj"
	build_confuse
	build_jansson
	touch "$libs/done"
}
