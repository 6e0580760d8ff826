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
                    [--append WORDS] [--limit SECONDS] [--jobs N] [--resume]
                    [--fresh]
       ./dev matrix --list

Without --kernel all of tests/matrix/kernels. Without --tests and --cmd verify
and the live tests, as root and as a user; when all kernels of the list have
ended well with the same sources, doc/kernels.md is written. What a machine said
is in build/matrix/NAME: console, and one .tap for each test. The exit status is
0 when everything went well on every kernel asked for.

  --tests NAMES    only these of the tests, as root, and no verify; NAME:PATTERN
                   is a part of one
  --cmd COMMAND    run this shell command there instead, as root, in the tree
                   ($MATRIX_BUILD: what was built; files it leaves in
                   $MATRIX_RESULTS come back to build/matrix/NAME-command)
  --append WORDS   more for the kernel's command line (cgroup_no_v1=all)
  --limit SECONDS  end a machine after that (default 7200)
  --jobs N         that many machines at a time (default 1)
  --resume         leave out kernels that ended well with the same sources
                   (documents may differ)
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
limit=7200
is_fresh=
is_resumed=
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
	--resume) is_resumed=1 ;;
	--list) grep -v '^#' "$here/kernels"; exit 0 ;;
	-h | --help) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
	shift
done
for number in "$limit" "$jobs"; do
	case $number in
	0* | *[!0-9]*) usage >&2; exit 2 ;;
	esac
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

# build_for ARCH: $build_dir, with the tests built that may run.
build_for() {
	if [ "$1" = "$native" ]; then
		build_dir=$top/build
	else
		build_dir=$top/build-$1
		cross_configure "$1"
	fi
	make -s -C "$build_dir" --no-print-directory print-matrix-tests \
		>"$build_dir/matrix-tests"
	# Another processor gets few tests, so no more are built.
	set -- "$1" check TESTS=
	[ "$1" = "$native" ] || set -- "$1" tests/built.stamp $(. "$build_dir/matrix-tests"
		echo "$few_tests $tests" | tr ' ' '\n' | sed 's/:.*//' | sort -u)
	arch=$1
	shift
	{
		make_in "$build_dir" all && make_in "$build_dir" install &&
			make_in "$build_dir" "$@"
	} >"$work/build-$arch.log" 2>&1 || {
		tail -n 30 "$work/build-$arch.log" >&2
		die "the tests could not be built for $arch"
	}
}

make_in() {
	dir=$1
	shift
	make -s -C "$dir" -j"$(getconf _NPROCESSORS_ONLN)" "$@"
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

# name_sources: $sources, a name for all that is built and run here.
name_sources() {
	sources=$(cd "$top" && list_sources | grep -zv \
		-e '^doc/' -e '^man/' -e '\.md$' -e '^NEWS$' | LC_ALL=C sort -z |
		xargs -0 sha256sum 2>/dev/null | sha256sum | cut -c 1-16)
}

# What a machine ended well with; the same again needs no second run.
name_run() {
	echo "$sources $kernel_version $abi $line $append"
}

# The machine's whole task in one script, on its last disk.
make_task() {
	rm -rf "$result"
	mkdir -p "$result/task"
	echo "$top" >"$result/task/top"
	{
		echo "export MATRIX_BUILD='$build_dir' MATRIX_KIND='$kind'"
		echo "export MATRIX_ABI='$abi' MATRIX_TESTS='$tests'"
		echo "${command:-exec sh tests/matrix/guest/run-tests}"
	} >"$result/task/command"
	tar -cf "$result/disk" -C "$result/task" .
	truncate -s 64M "$result/disk"
	rm -r "$result/task"
}

# ready_arch: once for all kernels of $arch.
ready_arch() {
	[ "$ready" != "$arch" ] || return 0
	fetch_root "$arch"
	fetch_emulator "$arch"
	make_root_disk
	build_for "$arch"
	make_tree_disk "$build_dir"
	ready=$arch
}

# try_kernel: one machine from start to result; 0: all went well. A signal to
# this shell ends the machine too.
try_kernel() {
	say "$name: Linux $kernel_version, at most $limit seconds;" \
		"see $result/console"
	begun=$(date +%s)
	boot_kernel "$arch" "$line $append" >"$result/console" 2>&1 &
	machine_pid=$!
	trap 'kill "$machine_pid" 2>/dev/null; exit 1' HUP INT TERM
	wait "$machine_pid" || true
	took=$(($(date +%s) - begun))
	sed -i 's/\r$//' "$result/console"
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

# start_kernel: in the background; who ends hands the turn back.
start_kernel() {
	(
		exec 3<&- 9>&-
		! try_kernel || name_run >"$result/$good"
		echo >&8
	) &
	machines="$machines $!"
}

end_machines() {
	trap - EXIT HUP INT TERM
	# shellcheck disable=SC2086
	[ -z "$machines" ] || kill $machines 2>/dev/null || true
	wait
}

is_wanted() {
	[ -z "$kernels" ] || echo "$kernels" | tr ' ' '\n' |
		grep -qxF -- "$name"
}

# What is left of a part of the tests is not the whole.
good=good
[ -z "$tests" ] || good=good-part
mkdir -p "$cache" "$work"
# Machines may run beside each other, of other trees too; what they start from
# is made by one at a time.
exec 9>"$cache/lock"
known=$(grep -v '^#' "$here/kernels" | awk '{ print $1 }')
for name in $kernels; do
	echo "$known" | grep -qxF -- "$name" || die "no kernel $name in the list"
done
mkfifo "$work/turns.$$"
exec 8<>"$work/turns.$$"
rm "$work/turns.$$"
yes '' | head -n "$jobs" >&8
machines=
trap end_machines EXIT
trap 'exit 1' HUP INT TERM
name_sources
failed=
whole=1
ready=
for which in native other; do
	# Descriptor 3, so that nothing below eats the list.
	while read -r name suite kind abi line <&3; do
		[ "$kind" = "$which" ] || continue
		if [ "$kind" = native ]; then arch=$native; else arch=$other; fi
		result=$work/$name${command:+-command}
		is_wanted || continue
		flock 9
		fetch_kernel "$suite" "$arch"
		if [ -n "$is_resumed" ] && [ -z "$command" ] &&
			[ "$(cat "$result/$good" 2>/dev/null)" = "$(name_run)" ]
		then
			flock -u 9
			say "$name: ended well before"
			continue
		fi
		ready_arch
		make_initramfs
		make_modules_disk
		make_task
		flock -u 9
		read -r turn <&8
		start_kernel
	done 3<<END
$(grep -v '^#' "$here/kernels")
END
done
# shellcheck disable=SC2086
wait $machines
machines=

# Everything that was asked for; and is there now a whole table?
while read -r name suite kind abi line <&3; do
	if [ "$kind" = native ]; then arch=$native; else arch=$other; fi
	result=$work/$name${command:+-command}
	# Known from above when it was asked for.
	if is_wanted; then
		[ -s "$result/$good" ] || failed="$failed $name"
	fi
	[ "$(cut -d ' ' -f 1 "$work/$name/good" 2>/dev/null)" = "$sources" ] ||
		whole=
done 3<<END
$(grep -v '^#' "$here/kernels")
END
if [ -n "$whole" ] && [ -z "$tests$command$failed" ]; then
	python3 "$here/table.py" "$here/kernels" "$work" >"$work/kernels.md"
	sed -n '/^## Sockets/,$p' "$top/doc/kernels.md" >>"$work/kernels.md"
	cp "$work/kernels.md" "$top/doc/kernels.md"
	say "doc/kernels.md is written"
fi
[ -z "$failed" ] || die "not as it should be on:$failed"
say "as it should be on: ${kernels:-all kernels}"
