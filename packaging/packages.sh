#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds the packages from a release tarball and tries them in clean systems of
# Debian: installed, used, without a backend, upgraded while a host runs, and
# purged, after which the file system has to be what it was. Root only; what the
# systems are made of is kept in build/packages, the packages too.
#
# usage: packages.sh [SUITE...]         build and try, in bookworm, trixie, sid
#        packages.sh --again            one more build of the last suite that was
#                                       built, as another user, elsewhere, in
#                                       another locale, time zone and umask: the
#                                       same, byte for byte?
#        packages.sh --rpm              rpmlint and rpmbuild of the spec
#        packages.sh --tarball          does it build without Autotools and git?
#
# OMEGA_PREVIOUS=DIR: packages to upgrade from. Without it, the new ones under an
# older number.
set -eu
umask 022
top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build
cache=$build/packages
version=$(sed -n 's/^AC_INIT(\[[^]]*\], \[\([^]]*\)\].*/\1/p' "$top/configure.ac")
# Of the same length, so that it can stand in its place in a program.
older=0.0.0
[ ${#older} = ${#version} ] || older=$(echo "$version" | sed 's/[0-9]/0/g')
passed=0
mkdir -p "$cache"

say() {
	echo "packages: $*"
}

die() {
	echo "packages: $*" >&2
	exit 1
}

# expect NAME COMMAND...: prints what it said when it fails.
expect() {
	what=$1
	shift
	if "$@" >"$cache/said" 2>&1; then
		say "ok: $what"
		passed=$((passed + 1))
	else
		cat "$cache/said" >&2
		die "failed: $what"
	fi
}

make_tarball() {
	tarball=$build/omega-sandbox-$version.tar.xz
	make -s -C "$build" dist >"$cache/dist.log" 2>&1 || {
		tail -n 20 "$cache/dist.log"
		die "make dist failed"
	}
}

# ---- Clean systems ---------------------------------------------------------

# Where this machine gets Debian from.
. "$top/tests/matrix/fetch.sh"

make_base() { # SUITE
	[ ! -s "$cache/$1.tar" ] || return 0
	say "$1: making a system"
	# Copies of the archive are behind at times.
	mmdebstrap --variant=minbase --format=tar \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		--aptopt='Acquire::Retries "3"' \
		"$1" "$cache/$1.tar.new" "$(source_line "$1")" \
		>"$cache/$1.log" 2>&1 || {
		tail -n 5 "$cache/$1.log"
		die "$1 could not be made"
	}
	mv "$cache/$1.tar.new" "$cache/$1.tar"
}

new_root() { # SUITE: $root is one
	root=$(mktemp -d "${TMPDIR:-/var/tmp}/omega-root-XXXXXX")
	chmod 755 "$root"
	tar -xf "$cache/$1.tar" -C "$root" --numeric-owner \
		--exclude='./dev/*'
	cp -L /etc/resolv.conf "$root/etc/resolv.conf"
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/packages"
}

root=
trap '[ -z "$root" ] || rm -rf --one-file-system "$root"' EXIT
trap 'exit 1' HUP INT TERM

old_root() {
	rm -rf --one-file-system "$root"
	root=
}

# inside COMMAND...: as root of $root, which is the root of a mount namespace
# and no chroot: in one there are no user namespaces. What it leaves running is
# ended.
inside() {
	unshare --mount --pid --ipc --fork --kill-child --propagation private \
		sh -ec '
		root=$1
		shift
		mount --bind "$root" "$root"
		cd "$root"
		mount -t proc proc proc
		mount --rbind /sys sys
		mount -t tmpfs -o mode=755 tmpfs dev
		for node in null zero full random urandom tty; do
			: >"dev/$node"
			mount --bind "/dev/$node" "dev/$node"
		done
		mkdir dev/pts dev/shm
		mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
		mount -t tmpfs -o mode=1777 tmpfs dev/shm
		ln -s pts/ptmx dev/ptmx
		ln -s /proc/self/fd dev/fd
		mount -t tmpfs -o mode=755 tmpfs run
		mount -t tmpfs -o mode=1777 tmpfs tmp
		pivot_root . mnt
		cd /
		umount -l /mnt
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
			TERM=dumb LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
			"$@"
		' inside "$root" "$@" </dev/null
}

apt_inside() {
	inside apt-get -qq -y -o Dpkg::Use-Pty=0 "$@"
}

# ---- Building --------------------------------------------------------------

# unpack DIR: the source package's tree below it.
unpack() {
	mkdir -p "$1"
	cp "$tarball" "$1/omega-sandbox_$version.orig.tar.xz"
	tar -xf "$tarball" -C "$1"
}

# What debian/tests/control tells to do with the installed packages, but for what
# takes minutes and is in the suite too.
autopkgtest_inside() {
	inside sh -ec 'cd "/build/omega-sandbox-$1"
		apt-get -qq -y -o Dpkg::Use-Pty=0 install \
			$(ls /build/*.deb | grep -v -e -dbgsym_)
		for test in $(sed -n "s/^Tests: //p" debian/tests/control |
			grep -vx everyday); do
			AUTOPKGTEST_TMP=$(mktemp -d)
			export AUTOPKGTEST_TMP
			"debian/tests/$test"
			rm -rf "$AUTOPKGTEST_TMP"
		done' tests "$version"
}

build_in() { # SUITE
	out=$cache/$1
	rm -rf "$out"
	mkdir -p "$out"
	new_root "$1"
	unpack "$root/build"
	say "$1: building"
	apt_inside update >"$out/build.log" 2>&1
	{
		apt_inside install --no-install-recommends dpkg-dev build-essential
		apt_inside -P nocheck build-dep --no-install-recommends \
			"/build/omega-sandbox-$version"
		inside chown -R nobody /build
		inside setpriv --reuid nobody --regid nogroup --clear-groups \
			sh -ec 'cd "/build/omega-sandbox-$1"
				DEB_BUILD_PROFILES=nocheck DEB_BUILD_OPTIONS="nocheck parallel=2" \
					dpkg-buildpackage -us -uc' build "$version"
	} >>"$out/build.log" 2>&1 || {
		tail -n 30 "$out/build.log"
		die "$1: the packages cannot be built"
	}
	find "$root/build" -maxdepth 1 -type f -exec cp {} "$out/" \;
	expect "$1: the tests of the source package pass" autopkgtest_inside
	grep -hE 'usable|guarantees,|tour went' "$cache/said" | sed 's/^/    /'
	if apt_inside install --no-install-recommends lintian \
		>>"$out/build.log" 2>&1; then
		expect "$1: lintian has no errors and no warnings" \
			inside setpriv --reuid nobody --regid nogroup --clear-groups \
			sh -c 'lintian --fail-on error,warning \
				/build/omega-sandbox_*.changes'
	fi
	old_root
	echo "$1" >"$cache/last"
}

# ---- Trying ----------------------------------------------------------------

# Everything there is, but for what apt, dpkg and ldconfig remember.
seen() { # FIND-ARG...
	(cd "$root" && find . -xdev \( -path ./var/lib/apt -o -path ./var/cache \
		-o -path ./var/log -o -path './var/lib/dpkg/*-old' \
		-o -path ./var/lib/dpkg/status -o -path ./etc/ld.so.cache \
		-o -path ./packages -o -path ./older \
		-o -path ./var/lib/dpkg/triggers \) -prune -o "$@")
}
look() { # FILE
	{
		seen -printf '%p %m %U:%G %y %l\n'
		seen -type f -printf "$root/%P\0" | xargs -0 sha256sum
	} | sort >"$1"
}

# The packages under another number, for want of older ones.
make_older() { # FROM TO
	mkdir -p "$2"
	for deb in "$1"/*.deb; do
		case $deb in
		*-dbgsym_*) continue ;;
		esac
		tree=$(mktemp -d "$cache/older-XXXXXX")
		dpkg-deb -R "$deb" "$tree/x"
		find "$tree/x" -depth -path "*/omega-sandbox/$version" \
			-execdir mv "$version" "$older" \;
		find "$tree/x" \( -name '*.so.*' -o -name '*.apparmor' \
			-o -path '*/apparmor.d/*' \) -type f -exec \
			sed -i "s|/omega-sandbox/$version|/omega-sandbox/$older|g" {} +
		sed -i "s/\([ (=]\)$version-/\1$older-/" "$tree/x/DEBIAN/control"
		(cd "$tree/x" && find . -type f ! -path './DEBIAN/*' \
			-printf '%P\0' | xargs -0 md5sum >DEBIAN/md5sums)
		dpkg-deb --root-owner-group -b "$tree/x" "$2" >/dev/null
		rm -rf "$tree"
	done
}

as_user="runuser -u tourist --"

names() { # DIR NAME...: the files of packages there
	dir=$1
	shift
	for name; do
		(cd "$root" && ls ".$dir/$name"_*.deb) | sed "s/^\.//"
	done
}

tour() { # WHAT
	expect "$suite: $1: the tour as root" inside sh /tour.sh
	grep -v '^\$ omega-sandbox run -- true' "$cache/said" | sed 's/^/    /'
	# shellcheck disable=SC2086
	expect "$suite: $1: the tour as a user" inside $as_user sh /tour.sh
}

# A host that runs while the packages are replaced: the first answer is a
# result, the second a refusal that says what to do.
upgrade_below_a_host() {
	inside sh -ec '
		mkfifo /tmp/in
		omega-sandbox rpc </tmp/in >/tmp/out &
		exec 3>/tmp/in
		request="{\"version\":1,\"id\":%d,\"argv\":[\"echo\",\"here\"]}\n"
		answers() {
			i=0
			while [ "$(grep -c . /tmp/out)" -lt "$1" ]; do
				i=$((i + 1))
				[ $i -lt 600 ] || exit 1
				sleep 0.1
			done
		}
		printf "$request" 1 >&3
		answers 1
		apt-get -qq -y -o Dpkg::Use-Pty=0 install "$@" >/dev/null
		# Another policy than the one it has prepared.
		printf "%s\n" "{\"version\":1,\"id\":2,\"argv\":[\"echo\"],\
\"policy\":\"https\"}" >&3
		answers 2
		exec 3>&-
		wait
		# What the library makes for whoever uses it.
		rm -rf /root/.omega
		rmdir /root/.config/omega /root/.config 2>/dev/null || :
		cut -c 1-100 /tmp/out | sed -n 1p
		sed -n 2p /tmp/out
		sed -n 1p /tmp/out | grep -q "\"exit\":0"
		sed -n 2p /tmp/out | grep "\"error\"" |
			grep -q "start this program again"
		! sed -n 2p /tmp/out | grep -q "\"exit\""
	' upgrade "$@"
}

try() { # SUITE
	suite=$1
	new_root "$1"
	cp "$top/packaging/tour.sh" "$root/tour.sh"
	mkdir "$root/packages" "$root/older"
	cp "$cache/$1"/*.deb "$root/packages/"
	rm -f "$root/packages/"*-dbgsym_*
	if [ -n "${OMEGA_PREVIOUS-}" ]; then
		cp "$OMEGA_PREVIOUS"/*.deb "$root/older/"
	else
		make_older "$cache/$1" "$root/older"
	fi
	apt_inside update >/dev/null 2>&1
	inside useradd -m tourist
	look "$cache/before"

	all=$(names /packages libomega-sandbox0 omega-sandbox \
		omega-sandbox-namespace omega-sandbox-landlock \
		omega-sandbox-seccomp)
	# shellcheck disable=SC2086
	expect "$suite: installs" apt_inside install $all
	tour "installed"
	for name in namespace landlock seccomp; do
		expect "$suite: omega-sandbox-$name is removed" \
			apt_inside remove "omega-sandbox-$name"
		expect "$suite: its absence is told with the package's name" \
			inside sh -c 'omega-sandbox list | tee /tmp/list &&
				grep "^$1 .*not installed; the package is omega-sandbox-$1\$" \
					/tmp/list' absent "$name"
		sed -n '$s/^/    /p' "$cache/said"
		if [ "$name" = namespace ]; then
			expect "$suite: without it nothing is started" \
				inside sh -c '! omega-sandbox run -- touch /tmp/ran &&
					[ ! -e /tmp/ran ]'
			grep 'not installed' "$cache/said" | sed 's/^/    /'
		fi
		# shellcheck disable=SC2046
		expect "$suite: and it is installed again" \
			apt_inside install $(names /packages "omega-sandbox-$name")
	done
	tour "with all of them again"
	# shellcheck disable=SC2046
	expect "$suite: noop and -dev install" apt_inside install \
		$(names /packages omega-sandbox-noop libomega-sandbox-dev)
	expect "$suite: everything is purged" \
		apt_inside purge --auto-remove 'omega-sandbox*' 'libomega-sandbox*'
	look "$cache/after"
	expect "$suite: and nothing is left" diff "$cache/before" "$cache/after"

	# Each backend alone, and what the tool then says of the others.
	for name in namespace landlock seccomp noop; do
		# shellcheck disable=SC2046
		expect "$suite: omega-sandbox-$name installs alone" \
			apt_inside install --no-install-recommends \
			$(names /packages libomega-sandbox0 "omega-sandbox-$name")
		# shellcheck disable=SC2046
		expect "$suite: with the tool" apt_inside install \
			--no-install-recommends $(names /packages omega-sandbox)
		expect "$suite: $name is usable, the others are absent" \
			inside sh -c 'omega-sandbox list >/tmp/list; cat /tmp/list
				grep -q "^$1 *usable" /tmp/list &&
				[ "$(grep -c " usable" /tmp/list)" = 1 ]' alone "$name"
		expect "$suite: purged" apt_inside purge --auto-remove \
			'omega-sandbox*' 'libomega-sandbox*'
	done

	older_ones=$(names /older libomega-sandbox0 omega-sandbox \
		omega-sandbox-namespace omega-sandbox-landlock \
		omega-sandbox-seccomp)
	# shellcheck disable=SC2086
	expect "$suite: an older version installs" apt_inside install $older_ones
	tour "older"
	echo '# changed' >>"$root/etc/omega/sandbox.conf"
	# shellcheck disable=SC2086
	expect "$suite: is upgraded below a host, which is refused" \
		upgrade_below_a_host $all
	sed 's/^/    /' "$cache/said"
	expect "$suite: the administrator's change is kept" \
		grep -qx '# changed' "$root/etc/omega/sandbox.conf"
	tour "upgraded"
	expect "$suite: everything is purged" \
		apt_inside purge --auto-remove 'omega-sandbox*' 'libomega-sandbox*'
	look "$cache/after"
	expect "$suite: and nothing is left" diff "$cache/before" "$cache/after"

	# shellcheck disable=SC2046
	expect "$suite: python3-omega-sandbox installs" apt_inside install \
		$(names /packages python3-omega-sandbox libomega-sandbox0 \
			omega-sandbox omega-sandbox-namespace \
			omega-sandbox-landlock omega-sandbox-seccomp)
	expect "$suite: and runs commands" inside $as_user python3 -c \
		'import omega_sandbox; assert omega_sandbox.run(["true"]).protected'
	old_root
}

# ---- The rest --------------------------------------------------------------

build_again() {
	suite=$(cat "$cache/last" 2>/dev/null) || die "build packages first"
	new_root "$suite"
	unpack "$root/home/another"
	say "$suite: building once more"
	{
		apt_inside update
		apt_inside install --no-install-recommends dpkg-dev build-essential
		apt_inside -P nocheck build-dep --no-install-recommends \
			"/home/another/omega-sandbox-$version"
		inside chown -R 4711:4711 /home/another
		inside setpriv --reuid 4711 --regid 4711 --clear-groups \
			env HOME=/nonexistent LC_ALL=POSIX LANG=de_DE.UTF-8 \
			TZ=Pacific/Auckland USER=another sh -ec 'umask 002
				cd "/home/another/omega-sandbox-$1"
				DEB_BUILD_PROFILES=nocheck DEB_BUILD_OPTIONS="nocheck parallel=1" \
					dpkg-buildpackage -b -us -uc' build "$version"
	} >"$cache/again.log" 2>&1 || {
		tail -n 30 "$cache/again.log"
		die "the second build failed"
	}
	for deb in "$cache/$suite"/*.deb; do
		expect "$(basename "$deb") is the same" \
			cmp "$deb" "$root/home/another/$(basename "$deb")"
	done
	old_root
}

build_rpm() {
	rpmlint -c "$top/packaging/rpmlint.toml" \
		"$top/packaging/omega-sandbox.spec" >"$cache/rpmlint" 2>&1 || {
		cat "$cache/rpmlint"
		die "rpmlint"
	}
	rm -rf "$cache/rpm"
	say "building the rpms"
	# What it needs is here as Debian packages, which rpm does not know.
	nice rpmbuild -tb --nodeps --define "_topdir $cache/rpm" \
		"$tarball" >"$cache/rpm.log" 2>&1 || {
		tail -n 30 "$cache/rpm.log"
		die "rpmbuild failed"
	}
	find "$cache/rpm/RPMS" -name '*.rpm' | sort | sed 's|.*/|    |'
	expect "rpmlint of spec and packages" rpmlint \
		-c "$top/packaging/rpmlint.toml" \
		"$top/packaging/omega-sandbox.spec" "$cache/rpm/RPMS"
	tail -n 2 "$cache/said"
}

build_tarball() {
	tree=$(mktemp -d "$cache/tarball-XXXXXX")
	tar -xf "$tarball" -C "$tree"
	mkdir "$tree/bin"
	for name in autoconf autoheader autoreconf automake aclocal libtoolize git; do
		printf '#!/bin/sh\necho "%s was called" >&2\nexit 1\n' $name \
			>"$tree/bin/$name"
		chmod 755 "$tree/bin/$name"
	done
	expect "the tarball builds without Autotools and git" \
		env PATH="$tree/bin:$PATH" nice sh -ec 'cd "$1"
			./configure -q --prefix=/usr --enable-tests=no
			make -s -j2
			make -s install DESTDIR="$1/to"
			test -x "$1/to/usr/bin/omega-sandbox"
			' tarball "$tree/omega-sandbox-$version"
	rm -rf "$tree"
}

case ${1-} in
--help)
	sed -n '/^# usage/,/^set/s/^#\( \|$\)//p' "$0"
	exit 0
	;;
esac
[ "$(id -u)" = 0 ] || die "only root can make other systems"
[ "${1-}" = --try ] || make_tarball
case ${1-} in
--again) build_again ;;
--rpm) build_rpm ;;
--tarball) build_tarball ;;
--try)
	shift
	for suite; do
		make_base "$suite"
		try "$suite"
	done
	;;
-*) die "usage: packages.sh [SUITE...] | --again | --rpm | --tarball" ;;
*)
	[ $# != 0 ] || set -- bookworm trixie sid
	for suite; do
		make_base "$suite"
		build_in "$suite"
		try "$suite"
	done
	;;
esac
echo "$passed passed, 0 failed"
