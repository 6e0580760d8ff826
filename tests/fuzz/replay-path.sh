#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs fuzz-path's checks over its seeds, without libFuzzer.
exec "$top_builddir/replay-path" "$top_srcdir/tests/fuzz/corpus-path"
