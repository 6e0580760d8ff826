#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What packagers get: version numbers that agree, packages with the names that
# the product's messages have, the same lists of files for Debian and for rpm,
# and in them everything that is installed, once. TAP.
set -u
: "${top_srcdir:=.}" "${top_builddir:=.}"
LC_ALL=C
export LC_ALL
deb=$top_srcdir/debian
spec=$top_srcdir/packaging/omega-sandbox.spec
umask 022
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
count=0

# result NAME FAULTS: one line of TAP; faults are shown, one per line.
result() {
	count=$((count + 1))
	if [ -z "$2" ]; then
		echo "ok $count - $1"
	else
		echo "$2" | sed 's/^/# /'
		echo "not ok $count - $1"
	fi
}

# ---- Versions --------------------------------------------------------------

version=$(sed -n 's/^AC_INIT(\[[^]]*\], \[\([^]]*\)\].*/\1/p' \
	"$top_srcdir/configure.ac")
same() { # WHERE WHAT
	[ "$2" = "$version" ] || echo "$1: '$2', not $version"
}
number=$(echo "$version" | awk -F. '{ print $1 * 10000 + $2 * 100 + $3 }')
result "one version everywhere" "$(
	[ -n "$version" ] || echo "none in configure.ac"
	same NEWS "$(sed -n '1s/^omega-sandbox \([^ ]*\) .*/\1/p' \
		"$top_srcdir/NEWS")"
	same debian/changelog "$(sed -n \
		'1s/^omega-sandbox (\(.*\)-[^-]*) .*/\1/p' "$deb/changelog")"
	same "Version of the spec" "$(sed -n 's/^Version: *//p' "$spec")"
	same "%changelog of the spec" "$(sed -n \
		'/^%changelog/,$s/^\* .* - \(.*\)-[^-]*$/\1/p' "$spec" | head -n 1)"
	same bindings/node "$(sed -n 's/^  "version": "\(.*\)",*/\1/p' \
		"$top_srcdir/bindings/node/package.json")"
	same bindings/python "$(sed -n 's/^version = "\(.*\)"/\1/p' \
		"$top_srcdir/bindings/python/pyproject.toml")"
	same omega_sandbox.__version__ "$(sed -n \
		's/^__version__ = "\(.*\)"/\1/p' \
		"$top_srcdir/bindings/python/src/omega_sandbox/__init__.py")"
	same "the tool" "$("$top_builddir/omega-sandbox" --version |
		sed -n '1s/.* \([0-9][0-9.]*\).*/\1/p')"
	grep -qx "#define OMEGA_SANDBOX_VERSION $number" \
		"$top_srcdir/core/include/omega/sandbox.h" ||
		echo "sandbox.h: OMEGA_SANDBOX_VERSION is not $number"
	same "directory of the helper programs" "$(strings -a \
		"$top_builddir/.libs/libomega-sandbox.so" 2>/dev/null |
		sed -n 's|^/.*/omega-sandbox/\([0-9][0-9.]*\)$|\1|p' | head -n 1)"
)"

result "NEWS has the newest first" "$(
	sed -n 's/^omega-sandbox \([0-9.]*\) .*/\1/p' "$top_srcdir/NEWS" \
		>"$work/news"
	sort -Vru "$work/news" | diff "$work/news" -)"

set -- $(sed -n 's/.*LIB_VERSION_INFO\], \[\(.*\)\].*/\1/p' \
	"$top_srcdir/configure.ac" | tr : ' ')
soname=$(($1 - $3))
result "the library's package is named after its file" "$(
	grep -qx "Package: libomega-sandbox$soname" "$deb/control" ||
		echo "no libomega-sandbox$soname in debian/control"
	grep -q "^libomega-sandbox.so.$soname libomega-sandbox$soname " \
		"$deb/libomega-sandbox$soname.symbols" ||
		echo "nor in debian/libomega-sandbox$soname.symbols")"

sed -n 's/^OMEGA_SANDBOX_\([0-9.]*\) {.*/\1/p' \
	"$top_srcdir/core/libomega-sandbox.sym" | while read -r node; do
	case $node in
	*.*.*) echo " (symver)OMEGA_SANDBOX_$node $node" ;;
	*) echo " (symver)OMEGA_SANDBOX_$node $node.0" ;;
	esac
done | sort >"$work/nodes"
result "every node of the symbol file has its line for Debian" "$(
	grep '^ ' "$deb/libomega-sandbox$soname.symbols" | sort |
		diff "$work/nodes" -
	[ -s "$work/nodes" ] || echo "no nodes")"

# ---- Packages --------------------------------------------------------------

# As core/load/shipped.c has the names.
shipped=$(tr '\n' ' ' <"$top_srcdir/core/load/shipped.c" |
	sed 's/.*omega_shipped\[\] = {\([^}]*\)NULL}.*/\1/' | tr -d '",')
result "a package for every backend, with the name that is told" "$(
	[ -n "$shipped" ] || echo "no backends found"
	for name in $shipped; do
		grep -qx "Package: omega-sandbox-$name" "$deb/control" &&
			[ -f "$deb/omega-sandbox-$name.install" ] ||
			echo "omega-sandbox-$name is not in debian/"
		# For the Mac.
		[ "$name" != seatbelt ] || continue
		grep -qx "%package $name" "$spec" &&
			grep -qx "%files $name" "$spec" ||
			echo "omega-sandbox-$name is not in the spec"
	done
	for name in $(sed -n 's/^Package: omega-sandbox-//p' "$deb/control"); do
		case " $shipped " in
		*" $name "*) ;;
		*) echo "omega-sandbox-$name: nothing ever names it" ;;
		esac
	done)"

list_of() { # FILE: its lines without comments
	sed -e '/^#/d' -e '/^$/d' "$1"
}

# The lists of the spec, by Debian's names of packages and places.
awk -v so="$soname" '
/^%(package|description|prep|build|install|changelog)/ { on = 0 }
/^%files/ {
	on = 1
	name = $2 == "" ? "omega-sandbox" : "omega-sandbox-" $2
	if ($2 == "-n") name = $3
	if ($2 == "libs") name = "libomega-sandbox" so
	if ($2 == "devel") name = "libomega-sandbox-dev"
	next
}
on && NF && !/^%dir/ { print name, $NF }' "$spec" | sed \
	-e 's|%{_sysconfdir}|etc|' -e 's|%{_bindir}|usr/bin|' \
	-e 's|%{_includedir}|usr/include|' -e 's|%{_libdir}|usr/lib/*|' \
	-e 's|%{plugindir}|usr/lib/*/omega/sandbox|' \
	-e 's|%{helperdir}|usr/lib/*/omega-sandbox/*|' \
	-e 's|%{pythondir}|usr/lib/python3/dist-packages|' \
	-e 's|%{_mandir}|usr/share/man|' -e 's|%{_datadir}|usr/share|' \
	-e 's|%{name}|omega-sandbox|' \
	-e 's|zsh/site-functions|zsh/vendor-completions|' \
	-e '/man[0-9]\/[^*]/s|\*$||' -e '/[ /]COPYING$/d' |
	sort >"$work/rpm"
for file in "$deb"/*.install; do
	name=$(basename "$file" .install)
	list_of "$file" | sed "s/^/$name /"
done | sort >"$work/deb"
grep -v '^omega-sandbox-seatbelt ' "$work/deb" >"$work/deb-linux"
result "Debian and rpm have the same files in the same packages" \
	"$(diff "$work/deb-linux" "$work/rpm")"

result "what packages are made with is in the tarball" "$(
	cd "$top_srcdir" || exit
	for file in debian/*.install debian/*.lintian-overrides debian/tests/*; do
		grep -q "^	$file\( \|\$\)" packaging/Makemodule.am ||
			echo "$file is not"
	done)"

# ---- What is installed -----------------------------------------------------

env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" install \
	DESTDIR="$work/root" >"$work/log" 2>&1
# As both do beside that.
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null &&
	python3 -B "$top_srcdir/bindings/python/backend.py" \
		"$work/root/usr/lib/python3/dist-packages" >>"$work/log" 2>&1
value() { # VARIABLE, as make has it
	printf 'include Makefile\nomega-value:\n\t@echo "$(%s)"\n' "$1" |
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
		make -s -C "$top_builddir" -f - omega-value
}
# Each by the name it has in a package.
(cd "$work/root" && find . \( -type f -o -type l \) ! -name '*.la') |
	sed -e 's|^\.||' \
	-e 's|^/\(usr/lib/python3/\)|\1|' \
	-e "s|^$(value pkglibexecdir)/|usr/lib/ARCH/omega-sandbox/$version/|" \
	-e "s|^$(value plugindir)/|usr/lib/ARCH/omega/sandbox/|" \
	-e "s|^$(value libdir)/|usr/lib/ARCH/|" \
	-e "s|^$(value sysconfdir)/|etc/|" -e "s|^$(value bindir)/|usr/bin/|" \
	-e "s|^$(value includedir)/|usr/include/|" \
	-e "s|^$(value docdir)/|usr/share/doc/omega-sandbox/|" \
	-e "s|^$(value mandir)/|usr/share/man/|" \
	-e "s|^$(value zshcompletiondir)/|usr/share/zsh/vendor-completions/|" \
	-e "s|^$(value datadir)/|usr/share/|" | sort >"$work/files"
list_of "$deb/not-installed" | sed 's/^/none /' >>"$work/deb"
# matches PATTERN FILE: as dh_install has them: a star for what has no slash, and
# directories whole.
matches() {
	case $2 in
	$1 | $1/*) ;;
	*) return 1 ;;
	esac
	case $1 in
	*'*'*) [ "$(echo "$1" | tr -cd /)" = "$(echo "$2" | tr -cd /)" ] ;;
	esac
}
result "everything that is installed is in one package" "$(
	[ "$(wc -l <"$work/files")" -ge 30 ] || cat "$work/log"
	while read -r file; do
		in=
		while read -r name pattern; do
			! matches "$pattern" "$file" || in="$in $name"
		done <"$work/deb"
		case $in in
		"") echo "$file: in none" ;;
		" "*" "*) echo "$file: in$in" ;;
		esac
	done <"$work/files")"

# And the other way round, but for backends that were not built here.
result "everything that is in a package is installed" "$(
	while read -r name pattern; do
		is_there=
		while read -r file; do
			matches "$pattern" "$file" && is_there=1 && break
		done <"$work/files"
		case $name in
		python3-*) [ -d "$work/root/usr/lib/python3" ] || is_there=1 ;;
		omega-sandbox-*) [ -e "$top_builddir/${name#omega-sandbox-}.la" ] ||
			is_there=1 ;;
		esac
		[ -n "$is_there" ] || echo "$name: $pattern"
	done <"$work/deb")"

# The tour that installed packages are tried by is README.md's beginning.
awk '/^```/ { if (inside) exit; inside = 1; next }
	inside && (/^\$/ || /^a command/) { sub(/^\$ /, ""); print }' \
	"$top_srcdir/README.md" >"$work/shown"
result "the tour of the packages is README.md's" "$(
	[ "$(wc -l <"$work/shown")" -eq 4 ] || echo "README.md has another beginning"
	while read -r line; do
		grep -qF "$line" "$top_srcdir/packaging/tour.sh" ||
			echo "not in packaging/tour.sh: $line"
	done <"$work/shown")"

echo "1..$count"
