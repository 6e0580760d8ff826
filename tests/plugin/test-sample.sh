#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The sample plugin is built as a stranger would: outside of the tree, with a
# plain Makefile, against what "make install" has put into a staging
# directory. Then it goes through the real loader. The example of the manual
# page does the same. The documents that were installed have no link that leads
# nowhere. Prints TAP.
set -u
: "${top_srcdir:=.}" "${top_builddir:=.}" "${CC:=cc}"
: "${PKG_CONFIG:=pkg-config}"

echo 1..7
if ! command -v "$PKG_CONFIG" >/dev/null; then
	for n in 1 2 3 4 5 6 7; do
		echo "ok $n # SKIP no pkg-config here"
	done
	exit 0
fi

umask 022
stage=$(mktemp -d) || exit 1
trap 'rm -rf "$stage"' EXIT
chmod 755 "$stage"

number=0
failed=0

# try NAME COMMAND...: its output is shown only when it fails.
try() {
	number=$((number + 1))
	name=$1
	shift
	if "$@" >"$stage/log" 2>&1; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		sed 's/^/# /' "$stage/log"
		failed=1
	fi
}

# Not as a part of the make that runs the tests.
plain_make() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make "$@"
}

try "everything installs into a staging directory" \
	plain_make -C "$top_builddir" install DESTDIR="$stage/root"

# Those to other files, without the part behind #.
links() {
	find "$stage/root" -name README.md | grep -q . || return 1
	find "$stage/root" -name '*.md' | while read -r file; do
		grep -o ']([^)#:]*[)#]' "$file" | sed 's/^](//; s/[)#]$//' |
			while read -r link; do
				[ -e "$(dirname "$file")/$link" ] ||
					echo "${file##*/}: $link"
			done
	done >"$stage/broken"
	cat "$stage/broken"
	[ ! -s "$stage/broken" ]
}
try "every link of an installed document leads somewhere" links

# What pkg-config says, moved below the staging directory.
pc=$(find "$stage/root" -name omega-sandbox-plugin.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
staged=$PKG_CONFIG
for variable in includedir libdir plugindir; do
	value=$("$PKG_CONFIG" --variable=$variable omega-sandbox-plugin)
	staged="$staged --define-variable=$variable=$stage/root$value"
done
plugindir=$($staged --variable=plugindir omega-sandbox-plugin)

# As it was installed.
cp -R "$(find "$stage/root" -path '*/examples/plugin')" "$stage/sample"
chmod -R u+w "$stage/sample"

try "the sample builds with a plain Makefile, without warnings" \
	plain_make -C "$stage/sample" CC="$CC" PKG_CONFIG="$staged" \
	CFLAGS="-O2 -Wall -Wextra -Werror"
try "and installs itself into the plugin directory" \
	plain_make -C "$stage/sample" CC="$CC" PKG_CONFIG="$staged" install

says() {
	"$top_builddir/load-plugin" "$plugindir" sample >"$stage/said" || return
	cat "$stage/said"
	grep -q '^name: sample$' "$stage/said" &&
		grep -q '^usable: 1$' "$stage/said" &&
		grep -qE '^terminal: (held|root may write.*)$' "$stage/said"
}
try "the loader takes it" says

# A plugin of this ABI is refused by nobody but a Makefile that wants another.
other_abi() {
	! plain_make -C "$stage/sample" \
		PKG_CONFIG="$staged --define-variable=plugin_abi=2.0" all &&
		grep -q 'this plugin is for ABI 1, not 2.0' "$stage/log"
}
try "another ABI stops the build with a reason" other_abi

# The first literal block behind EXAMPLES.
from_manual() {
	awk '/^\.Sh EXAMPLES/ { at = 1 } at && /^\.Ed/ { exit }
		on { print } at && /^\.Bd/ { on = 1 }' \
		"$top_srcdir/man/omega-sandbox-plugin.7" >"$stage/bare.c" || return
	# What it says is meant for a shell: letters can be behind a backslash.
	eval "set -- $($staged --cflags omega-sandbox-plugin)"
	# shellcheck disable=SC2086
	$CC "$@" -Wall -Wextra -Werror -fPIC \
		-shared -fvisibility=hidden -Wl,-z,defs \
		-o "$plugindir/bare.so" "$stage/bare.c" &&
		"$top_builddir/load-plugin" "$plugindir" bare
}
try "the example of the manual page builds and loads" from_manual

exit $failed
