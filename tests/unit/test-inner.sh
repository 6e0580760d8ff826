#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The code between clone and exec may run in the host's memory while other
# threads hold any lock there is: it must call nothing from a library. Look
# at what its object files leave undefined.
set -u
count=0
status=0

# check NAME [SYMBOL]: the file core/child/NAME.c needs nothing but SYMBOL.
check() {
	count=$((count + 1))
	name=test_$1_calls_no_library
	object=$top_builddir/core/child/.libs/libomega_sandbox_la-$1.o
	undefined=$(nm -u "$object" 2>/dev/null) || {
		echo "ok $count - $name # SKIP no $object, or no nm"
		return
	}
	case $undefined in
	*__asan* | *__tsan* | *__ubsan* | *__sanitizer* | *__gcov* | *__llvm*)
		echo "ok $count - $name # SKIP instrumented build"
		return
		;;
	esac
	case $(uname -m) in
	aarch64 | x86_64) ;;
	*)
		echo "ok $count - $name # SKIP system calls go through libc here"
		return
		;;
	esac
	rest=$(echo "$undefined" | sed 's/^ *U //' | grep -vxE \
		"__stack_chk_(fail|guard)|_GLOBAL_OFFSET_TABLE_|${2-}|")
	if [ -z "$rest" ]; then
		echo "ok $count - $name"
	else
		echo "# needs:" $rest
		echo "not ok $count - $name"
		status=1
	fi
}

echo 1..5
check inner 'omega_witness_run|omega_inner_(look|renew|watch)|omega_calls_[a-z_]*'
check calls-linux
check inner-linux
check witness 'omega_touch_[a-z_]*'
check witness-linux
exit $status
