#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Boots Debian's kernels in qemu and runs the live tests there. Started by
# "./dev matrix", which has built everything for this machine; what it needs
# for the other architecture it compiles itself.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/omega-sandbox/matrix
work=$top/build/matrix

usage() {
	cat <<'END'
usage: ./dev matrix [--kernel NAME]... [--tests "NAME..." | --cmd COMMAND]
                    [--append WORDS] [--limit SECONDS] [--jobs N] [--fresh]
       ./dev matrix --list

Without --kernel all of tests/matrix/kernels. Without --cmd the live tests as
root and as a user, and then doc/kernels.md is written (all kernels only).

  --tests NAMES    only these of the tests, as root; NAME:PATTERN
                   is a part of one
  --cmd COMMAND    run this shell command there instead, as root, in the tree
                   ($MATRIX_BUILD: what was built; files it leaves in
                   $MATRIX_RESULTS come back to build/matrix/NAME-command)
  --append WORDS   more for the kernel's command line (cgroup_no_v1=all)
  --limit SECONDS  end a machine after that (default 3600)
  --jobs N         that many machines at a time (default 1)
  --fresh          ask Debian for newer kernels and packages
END
}

say() {
	echo "matrix: $*" >&2
}

die() {
	say "$*"
	exit 1
}

kernels=
tests=
command=
append=
limit=3600
is_fresh=
jobs=1
while [ $# -gt 0 ]; do
	case $1 in
	--kernel | --tests | --cmd | --append | --limit | --jobs)
		[ $# -ge 2 ] || { usage >&2; exit 2; }
		case $1 in
		--kernel) kernels="$kernels $2" ;;
		--tests) tests=$2 ;;
		--cmd) command=$2 ;;
		--append) append=$2 ;;
		--limit) limit=$2 ;;
		--jobs) jobs=$2 ;;
		esac
		shift
		;;
	--fresh) is_fresh=1 ;;
	--list) grep -v '^#' "$here/kernels"; exit 0 ;;
	-h | --help) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
	shift
done

# Images have files of root in them.
root_mode=root
if [ "$(id -u)" != 0 ]; then
	[ -n "${FAKEROOTKEY-}" ] || die "please run as root, or under fakeroot"
	root_mode=chrootless
fi

. "$here/fetch.sh"
. "$here/image.sh"
. "$here/boot.sh"

native=$(dpkg --print-architecture)
case $native in
arm64) other=amd64 ;;
amd64) other=arm64 ;;
*) die "no kernels for $native here, only for arm64 and amd64" ;;
esac

# build_for ARCH: $build_dir, with every test built.
build_for() {
	if [ "$1" = "$native" ]; then
		build_dir=$top/build
	else
		build_dir=$top/build-$1
		cross_configure "$1"
	fi
	make -s -C "$build_dir" -j"$(getconf _NPROCESSORS_ONLN)" all >&2
	make -s -C "$build_dir" install >/dev/null
	make -s -C "$build_dir" -j"$(getconf _NPROCESSORS_ONLN)" check TESTS= \
		>"$work/build-$1.log" 2>&1 || {
		tail -n 30 "$work/build-$1.log" >&2
		die "the tests could not be built for $1"
	}
	make -s -C "$build_dir" --no-print-directory print-matrix-tests \
		>"$build_dir/matrix-tests"
}

cross_configure() {
	triplet=$(gnu_name "$1")
	command -v "$triplet-gcc" >/dev/null || die "$triplet-gcc is missing;
please install gcc-$(echo "$triplet" | tr _ -)"
	[ ! -f "$build_dir/Makefile" ] || return 0
	say "$1: configuring"
	mkdir -p "$build_dir"
	(
		cd "$build_dir"
		PKG_CONFIG_LIBDIR=$root_dir/usr/lib/$triplet/pkgconfig
		PKG_CONFIG_SYSROOT_DIR=$root_dir
		export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
		../configure -q --host="$triplet" --prefix="$build_dir/inst" \
			CC="$triplet-gcc --sysroot=$root_dir" PKG_CONFIG=pkg-config
	) >"$work/configure-$1.log" 2>&1 || {
		cat "$work/configure-$1.log" >&2
		die "configure for $1 failed"
	}
}

# The machine's whole task in one script, on its last disk.
make_task() {
	rm -rf "$result"
	mkdir -p "$result/task"
	echo "$top" >"$result/task/top"
	{
		echo "export MATRIX_BUILD='$build_dir'"
		echo "export MATRIX_ABI='$abi' MATRIX_TESTS='$tests'"
		echo "${command:-exec sh tests/matrix/guest/run-tests}"
	} >"$result/task/command"
	tar -cf "$result/disk" -C "$result/task" .
	truncate -s 64M "$result/disk"
	rm -r "$result/task"
}

# ready_kernel: all that the machine starts from.
ready_kernel() {
	result=$work/$name${command:+-command}
	fetch_kernel "$suite" "$arch"
	make_initramfs
	make_modules_disk
	make_task
}

# try_kernel: one line of the list, from start to result. 0: all went well.
try_kernel() {
	say "$name: Linux $kernel_version, at most $limit seconds"
	begun=$(date +%s)
	boot_kernel "$arch" "$line $append" >"$result/console" 2>&1 || true
	took=$(($(date +%s) - begun))
	tar -xf "$result/disk" -C "$result" 2>/dev/null || true
	rm -f "$result/disk"
	if [ ! -s "$result/status" ]; then
		tail -n 20 "$result/console" >&2
		say "$name: no result after $took seconds;" \
			"see $result/console"
		return 1
	fi
	if [ -n "$command" ]; then
		awk '/^matrix: finished/ { exit } is_on { print }
			/^matrix: / { is_on = 1 }' "$result/console"
	else
		grep -E '^(FAIL|SKIP|#|not ok)|passed,' "$result/console" || true
	fi
	say "$name: status $(cat "$result/status") after $took seconds"
	[ "$(cat "$result/status")" = 0 ]
}

mkdir -p "$cache" "$work"
# Machines may run beside each other; what they start from is made by one.
exec 9>"$work/lock"
known=$(grep -v '^#' "$here/kernels" | awk '{ print $1 }')
for name in $kernels; do
	echo "$known" | grep -qxF -- "$name" || die "no kernel $name in the list"
done
failed=
tried=
running=0
for which in native other; do
	is_ready=
	# Descriptor 3, so that nothing below eats the list.
	while read -r name suite kind abi line <&3; do
		[ "$kind" = "$which" ] || continue
		[ -z "$kernels" ] || echo "$kernels" | tr ' ' '\n' |
			grep -qxF -- "$name" || continue
		if [ "$kind" = native ]; then arch=$native; else arch=$other; fi
		flock 9
		if [ -z "$is_ready" ]; then
			fetch_root "$arch"
			make_root_disk
			build_for "$arch"
			make_tree_disk "$build_dir"
			is_ready=1
		fi
		ready_kernel
		flock -u 9
		rm -f "$result/good"
		tried="$tried $name"
		{ ! try_kernel 3<&- 9>&- || touch "$result/good"; } &
		running=$((running + 1))
		[ "$running" -lt "$jobs" ] || { wait; running=0; }
	done 3<<END
$(grep -v '^#' "$here/kernels")
END
done
wait
for name in $tried; do
	[ -e "$work/$name${command:+-command}/good" ] || failed="$failed $name"
done
if [ -z "$kernels$tests$command" ]; then
	python3 "$here/table.py" "$here/kernels" "$work" >"$work/kernels.md"
	if [ -z "$failed" ]; then
		cp "$work/kernels.md" "$top/doc/kernels.md"
		say "doc/kernels.md is written"
	fi
fi
[ -z "$failed" ] || die "not as it should be on:$failed"
say "as it should be on: ${kernels:-all kernels}"
