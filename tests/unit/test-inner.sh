#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The code between clone and exec may run in the host's memory while other
# threads hold any lock there is: it must call nothing from a library. Look
# at what its object files leave undefined.
set -u
objects=$top_builddir/core/run/.libs/libomega_sandbox_la
objects="$objects-inner.o $objects-renew.o"
name=test_inner_calls_no_library

echo 1..1
# shellcheck disable=SC2086
undefined=$(nm -u $objects 2>/dev/null) || {
	echo "ok 1 - $name # SKIP no $objects, or no nm"
	exit 0
}
case $undefined in
*__asan* | *__tsan* | *__ubsan* | *__sanitizer* | *__gcov* | *__llvm*)
	echo "ok 1 - $name # SKIP instrumented build"
	exit 0
	;;
esac
case $(uname -m) in
aarch64 | x86_64) ;;
*)
	echo "ok 1 - $name # SKIP system calls go through libc on this machine"
	exit 0
	;;
esac
rest=$(echo "$undefined" | sed -n 's/^ *U //p' | grep -vxE \
	'__stack_chk_(fail|guard)|_GLOBAL_OFFSET_TABLE_|omega_renew')
if [ -z "$rest" ]; then
	echo "ok 1 - $name"
else
	echo "# needs:" $rest
	echo "not ok 1 - $name"
fi
