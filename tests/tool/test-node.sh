#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bindings/node against the tool as it was built.
set -u
: "${top_srcdir:=.}" "${top_builddir:=.}"
node=$(command -v node) || {
	echo "1..0 # SKIP node is not installed"
	exit 0
}
version=$(node --version)
major=${version#v}
if [ "${major%%.*}" -lt 18 ]; then
	echo "1..0 # SKIP node $version is older than 18"
	exit 0
fi
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/omega/data" "$work/bin"
echo secret >"$work/omega/data/secret"
{
	echo "data_dir = \"$work/omega\""
	echo 'policy "shut" { write = {} }'
	cat "$top_srcdir/etc/shipped/groups.conf" \
		"$top_srcdir/etc/shipped/policies.conf"
} >"$work/sandbox.conf"
# As if it were installed: found in PATH, with this configuration.
cat >"$work/bin/omega-sandbox" <<END
#!/bin/sh
case \$* in *--config*) ;; *) set -- "\$@" --config "$work/sandbox.conf" ;; esac
exec "$(cd "$top_builddir" && pwd)/omega-sandbox-built" "\$@"
END
chmod 755 "$work/bin/omega-sandbox"
# The sources may be read-only.
mkdir -p "$work/bindings/node"
cp "$top_srcdir/bindings/cases.json" "$work/bindings"
for name in README.md examples index.d.mts index.d.ts index.js index.mjs \
	package.json test tsconfig.json; do
	cp -R "$top_srcdir/bindings/node/$name" "$work/bindings/node/"
done
chmod -R u+w "$work/bindings"
modules=$top_srcdir/bindings/node/node_modules
[ ! -d "$modules" ] ||
	ln -s "$(cd "$modules" && pwd)" "$work/bindings/node/node_modules"
tap=
node --test-reporter=tap -e 0 2>/dev/null && tap=--test-reporter=tap
cd "$work/bindings/node" || exit 99
PATH=$work/bin:$PATH OMEGA_TEST_DATA_DIR=$work/omega \
	"$node" $tap test/index.test.js
