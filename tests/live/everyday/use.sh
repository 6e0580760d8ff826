#!/bin/sh
# SPDX-License-Identifier: MIT
#
# use.sh NAME: one piece of everyday work, here and now. The functions are in
# the files beside it, which ones there are in "list".
#
# The work. $HOME is the user's, $D the data directory, $W an empty directory
# in $HOME, $T one in /tmp. Any command that fails is a failure.
set -eu
for file in files git languages terminals processes network system root; do
	. "$(dirname "$0")/$file.sh"
done
umask 022
W=$HOME/w
T=$(mktemp -d /tmp/everyday.XXXXXX)
trap 'cd /; rm -rf "$T"' EXIT
rm -rf "$W"
mkdir "$W"
export W T
cd "$W"
"use_$1" </dev/null
