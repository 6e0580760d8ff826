#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes ./configure from a git checkout; a release tarball has it already.
cd "$(dirname "$0")" && exec autoreconf -fi
