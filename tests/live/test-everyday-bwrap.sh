#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Everyday programs once more, started through bwrap: those that meet what it
# does otherwise. EVERYDAY="name..." tries others.
set -u
if [ ! -e "$top_builddir/.libs/bwrap.so" ] || [ ! -x /usr/bin/bwrap ]; then
	echo "1..0 # SKIP bwrap is not installed, or its backend was not built"
	exit 0
fi
EVERYDAY=${EVERYDAY:-"new_files atomic_save data_directory shielded_directory
	own_places git git_ssh python gcc node script openpty job_control
	devices shm servers signals strace proc_self queries shell vim
	root_chown root_read"}
EVERYDAY=$(echo $EVERYDAY)
EVERYDAY_BACKENDS=bwrap,seccomp
EVERYDAY_TOOL=$(cd "$top_builddir" && pwd)/omega-sandbox-built
export EVERYDAY EVERYDAY_BACKENDS EVERYDAY_TOOL
exec sh "$(dirname "$0")/test-everyday.sh"
