#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Is everything that would be installed still, bit for bit, what the build
# made? Tests work on copies; make runs this one after all the others.
#
# usage: test-products.sh record FILE NAME...  by make, before the first test:
#                                              the sums of what NAMEs stand for
#        test-products.sh                      the test
set -u

# What make's name stands for: a libtool library is what is in .libs, and so
# may a program be.
files_of() {
	[ -e "$1" ] || set -- "${srcdir:-.}/$1"
	dir=$(dirname "$1")
	base=$(basename "$1")
	echo "$1"
	case $base in
	*.la)
		names=$(sed -n "s/^library_names='\(.*\)'/\1/p" "$1")
		for part in $names; do
			echo "$dir/.libs/$part"
		done
		[ ! -e "$dir/.libs/${base}i" ] || echo "$dir/.libs/${base}i"
		;;
	*)
		[ ! -e "$dir/.libs/$base" ] || echo "$dir/.libs/$base"
		;;
	esac
}

record() { # record FILE NAME...
	to=$1
	shift
	for name; do
		files_of "$name"
	done | sort -u >"$to.names" || return
	: >"$to.tmp"
	while IFS= read -r file; do
		sha256sum "$file" >>"$to.tmp" || return
	done <"$to.names"
	rm "$to.names"
	mv "$to.tmp" "$to"
}

if [ "${1-}" = record ]; then
	shift
	record "$@"
	exit
fi

cd "${top_builddir:-.}" || exit 99
sums=tests/products.sums
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM
echo 1..3

# It would notice.
mkdir "$tmp/.libs"
echo "library_names='a.so'" >"$tmp/a.la"
echo one >"$tmp/.libs/a.so"
record "$tmp/sums" "$tmp/a.la" && sha256sum --status -c "$tmp/sums" &&
	echo two >"$tmp/.libs/a.so" && ! sha256sum --status -c "$tmp/sums" &&
	rm "$tmp/.libs/a.so" &&
	! sha256sum --status -c "$tmp/sums" 2>/dev/null &&
	echo "ok 1 - a file that is changed or gone is noticed" ||
	echo "not ok 1 - a file that is changed or gone is noticed"

# The plugins that were built, the library and the tool are among them.
for name in ${OMEGA_TEST_PLUGINS:-} libomega-sandbox.la; do
	grep -q "/.libs/${name%.la}.so" "$sums" || echo "# $name is missing"
done >"$tmp/missing"
grep -q '/omega-sandbox$' "$sums" || echo "# no tool" >>"$tmp/missing"
cat "$tmp/missing"
[ ! -s "$tmp/missing" ] &&
	echo "ok 2 - $(wc -l <"$sums") files are compared" ||
	echo "not ok 2 - some are not compared"

if sha256sum --quiet -c "$sums" >"$tmp/out" 2>&1; then
	echo "ok 3 - what would be installed is what was built"
else
	sed 's/^/# /' "$tmp/out"
	echo "# a test has written to it; make clean, then make again"
	echo "not ok 3 - what would be installed is what was built"
fi
