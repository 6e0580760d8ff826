#!/bin/sh
# SPDX-License-Identifier: MIT
#
# House rules a script can see: white space, line length, and who may call
# what; who may include what is test-rooms.sh's. Prints one line per fault; exit
# 1 when there is one.
set -u
cd "${1:-.}" || exit 2
status=0

fault() {
	echo "check-syntax: $*"
	status=1
}

sources=$(find core plugins tools tests bench examples \
	-name '*.[chS]' 2>/dev/null | sort)
for f in $sources; do
	grep -nE '[ 	]+$' "$f" /dev/null && fault "$f: trailing white space"
	awk -v f="$f" '{
		line = $0
		gsub(/\t/, "        ", line)
		if (length(line) > 80) { print f ":" FNR ": " length(line); bad = 1 }
	} END { exit bad }' "$f" || fault "$f: lines over 80 columns"
	head -n 1 "$f" | grep -q 'SPDX-License-Identifier: MIT' ||
		fault "$f: no licence line"
done

# One door each for the dynamic loader and libconfuse.
grep -nE '\bdl(open|sym|close)\(' $(find core -name '*.c' ! -name dl.c) &&
	fault "dlopen outside dl.c"
grep -n '<confuse\.h>' \
	$(find core plugins tools -name '*.[ch]' ! -path core/conf/confuse.c) &&
	fault "libconfuse outside core/conf/confuse.c"
# The library has no voice of its own.
grep -nE '\b(printf|puts|perror|exit|abort)\(' \
	$(find core plugins -name '*.c') &&
	fault "the library prints or exits"
# It reads no environment but PATH, to find a program, and what package managers
# are told there, for @registries.
grep -nE '\bgetenv\(' \
	$(find core plugins -name '*.c' ! -path 'core/launch/command.c' \
		! -path 'core/policy/registries.c') &&
	fault "the library reads the environment"

# Every file says its licence, or REUSE.toml does.
if [ -e .git ] && git ls-files >/dev/null 2>&1; then
	said=$(sed -n 's/^    "\(.*\)",$/\1/p' REUSE.toml | sed 's/\*\*/*/g')
	git ls-files -z | xargs -0 grep -L 'SPDX-License-Identifier: MIT' |
		while read -r f; do
			set -f
			for pattern in $said; do
				# shellcheck disable=SC2254
				case $f in $pattern) continue 2 ;; esac
			done
			echo "check-syntax: $f: no licence line, nor in REUSE.toml"
		done | grep . && status=1
fi
top_srcdir=. sh tests/unit/test-rooms.sh | grep '^#' && status=1
exit $status
