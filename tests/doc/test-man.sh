#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The manual pages against what they describe: names and prototypes of the
# header, options of the tool's help texts, and the rules of mdoc(7). And what
# other documents say of names and numbers that are in the sources.
set -u
top=${top_srcdir:-$(dirname "$0")/../..}
cc=${CC:-cc}
header=$top/core/include/omega/sandbox.h
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
count=0

# result NAME FAULTS: one line of TAP; faults are shown, one per line.
result() {
	count=$((count + 1))
	if [ -z "$2" ]; then
		echo "ok $count - $1"
	else
		echo "$2" | sed 's/^/# /'
		echo "not ok $count - $1"
	fi
}

skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

synopsis() {
	awk '/^\.Sh / { on = /^\.Sh SYNOPSIS/ } on' "$@"
}

# missing_in FILE: those names of standard input that are no word of FILE.
missing_in() {
	while read -r name; do
		grep -qw -e "$name" "$1" || echo "missing: $name"
	done
}

without_comments() {
	awk '{
		while ((i = index($0, "/*")) > 0 || in_comment) {
			if (in_comment) i = 1
			j = index(substr($0, i), "*/")
			in_comment = j == 0
			if (in_comment) { $0 = substr($0, 1, i - 1); break }
			$0 = substr($0, 1, i - 1) substr($0, i + j + 1)
		}
		print
	}' "$1"
}

pages3=$(ls "$top"/man/*.3)
tool_page=$top/man/omega-sandbox.1
synopsis $pages3 >"$work/synopsis"
cat $pages3 >"$work/text"
without_comments "$header" >"$work/header"

# ---- The library ----------------------------------------------------------

names=$(sed -n 's/^[ 	]*\(omega_sandbox_[a-z_]*\);$/\1/p' \
	"$top/core/libomega-sandbox.sym")
faults=$(echo "$names" | missing_in "$work/synopsis")
[ -n "$names" ] || faults="no names found in the symbol file"
result "every exported function is in a SYNOPSIS" "$faults"

names=$(grep -oE 'omega_sandbox_[a-z_]+\(' "$work/header" | tr -d '(' |
	sort -u)
faults=$(echo "$names" | missing_in "$work/synopsis")
[ -n "$names" ] || faults="no functions found in the header"
result "every function of the header is in a SYNOPSIS" "$faults"

names=$(sed -n 's/^#define \(OMEGA_SANDBOX_[A-Z_]*\).*/\1/p' "$header" |
	grep -vx OMEGA_SANDBOX_H | sort -u)
faults=$(echo "$names" | missing_in "$work/synopsis")
result "every macro of the header is in a SYNOPSIS" "$faults"

names=$(grep -oE '(struct|enum) omega_sandbox[a-z_]*' "$work/header" |
	awk '{ print $2 }' | sort -u)
faults=$(echo "$names" | missing_in "$work/synopsis")
result "every type of the header is in a SYNOPSIS" "$faults"

names=$(grep -oE 'OMEGA_SANDBOX_[A-Z_]+ =' "$work/header" |
	awk '{ print $1 }' | sort -u)
faults=$(echo "$names" | missing_in "$work/text")
result "every constant of the header is explained" "$faults"

# One row of the table of options on a line.
tr '\n' ' ' <"$top/core/conf/option.c" | sed 's/\[OMEGA_OPTION_/\
&/g' | sed -n 's/^\[OMEGA_OPTION_[A-Z_]*\] = {"\([a-z_]*\)"/\1 /p' >"$work/options"
page=$top/man/sandbox.conf.5
faults=$(awk '{ print $1 }' "$work/options" | missing_in "$page")
[ -s "$work/options" ] || faults="no options found in the table"
result "every option of the table is in sandbox.conf(5)" "$faults"

# Titles of sections, and what stands in them besides.
sed -n 's/^ *\[OMEGA_SCAN_[A-Z]*\] = {\("[a-z", ]*\)NULL},*$/\1/p' \
	"$top/core/conf/named.c" | tr -d '", ' | grep -q . &&
	sed -n 's/^ *\[OMEGA_SCAN_[A-Z]*\] = {\("[a-z", ]*\)NULL},*$/\1/p' \
		"$top/core/conf/named.c" | tr -d '",' | tr ' ' '\n' |
	cat - "$work/options" | awk 'NF { print $1 }' >"$work/keys"
faults=$(sed -nE 's/^\.It Cm ([a-z_]+) (Oc )?No =.*/\1/p' "$page" |
	sort -u | missing_in "$work/keys")
result "every option of sandbox.conf(5) is one" "$faults"

faults=$(sed -n 's/.*{OMEGA_SANDBOX_ATOM_[A-Z_]*, "\([a-z_]*\)", true.*/\1/p' \
	"$top/core/conf/kinds.c" | missing_in "$page")
result "every kind that accept takes is in sandbox.conf(5)" "$faults"

awk '/MERGE\(ONCE\)/ { print $1 }' "$work/options" | sort >"$work/once"
sed -n 's/^\.It Cm \(.*\) Ta in one file only$/\1/p' "$page" |
	tr -s ', ' '\n\n' | sort >"$work/said"
result "sandbox.conf(5) tells which options one file only may set" \
	"$(diff "$work/once" "$work/said")"

for page in $pages3; do
	awk '/^\.Sh / { on = /^\.Sh NAME/ }
	    on && /^\.Nm omega_/ { print $2 }' "$page"
done | sort >"$work/in-name"
awk '$1 == ".Fo" || $1 == ".Fn" { print $2 }' "$work/synopsis" |
	grep -vxE "omega_sandbox_(event|fault|log|output)_fn" | sort >"$work/in-synopsis"
result "NAME and SYNOPSIS of the pages agree, no function twice" \
	"$(diff "$work/in-name" "$work/in-synopsis")"

# Declared once more as the pages have them: a difference is a conflict.
{
	echo '#include <omega/sandbox.h>'
	sed 's/"//g' "$work/synopsis" | awk '
	$1 == ".Ft" { sub(/^\.Ft /, ""); type = $0 }
	$1 == ".Fn" { print type " " $2 "(" $3 ");" }
	$1 == ".Fo" { name = $2; list = "" }
	$1 == ".Fa" { sub(/^\.Fa /, ""); list = list (list == "" ? "" : ", ") $0 }
	$1 == ".Fc" { print type " " name "(" list ");" }'
} >"$work/prototypes.c"

# The examples, as a reader would copy them.
awk -v dir="$work" '
$1 == ".\\\"" && $2 == "begin" && $3 == "example" {
	file = dir "/example-" $4 ".c"; next
}
$1 == ".\\\"" && $2 == "end" { file = "" }
file != "" && !/^\.(Bd|Ed)/ {
	gsub(/\\e/, "\\"); sub(/^\\&/, ""); print > file
}' $pages3

if echo 'int x;' >"$work/try.c" && $cc -fsyntax-only "$work/try.c" \
	2>/dev/null; then
	for file in "$work"/prototypes.c "$work"/example-*.c; do
		faults=$($cc -fsyntax-only -Wall -Wextra -Werror \
			-I"$top/core/include" "$file" 2>&1) && faults=
		result "$(basename "$file") compiles" "$faults"
	done
	[ -f "$work/example-host.c" ] || result "there is an example host" no
else
	skip "prototypes and examples compile" "no C compiler"
fi

# ---- The tool -------------------------------------------------------------

tool=${top_builddir:-.}/omega-sandbox
verbs=$("$tool" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ -n "$verbs" ] || result "the verbs are found" "none in $tool --help"
for verb in $verbs; do
	"$tool" "$verb" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p' |
		grep -vx help | sort >"$work/in-help"
	synopsis "$tool_page" | awk -v verb="$verb" '
	$1 == ".Nm" { first = 1; next }
	first { on = $1 == ".Cm" && $2 == verb; first = 0 }
	on && match($0, /Fl -[a-z-]+/) {
		print substr($0, RSTART + 4, RLENGTH - 4)
	}' | sort >"$work/in-page"
	result "SYNOPSIS and help of $verb have the same options" \
		"$(diff "$work/in-help" "$work/in-page")"
done

awk '/^\.Sh / { on = /^\.Sh OPTIONS/ } on && /^\.It Fl -/ { print $3 }' \
	"$tool_page" | sed 's/^-//' >"$work/explained"
faults=$(for verb in "" $verbs; do
	# shellcheck disable=SC2086
	"$tool" $verb --help | grep -oE -e '--[a-z][a-z-]*'
done | sed 's/^--//' | sort -u | while read -r name; do
	grep -qx -e "$name" "$work/explained" || echo "missing: --$name"
done)
[ -s "$work/explained" ] || faults="no options found in $tool_page"
result "every option of the help texts is explained" "$faults"

faults=$(for verb in "" $verbs; do
	# shellcheck disable=SC2086
	"$tool" $verb --help
done >"$work/help"; missing_in "$work/help" <"$work/explained")
result "every option that is explained is in a help text" "$faults"

echo "$verbs" | grep . | sort >"$work/verbs"
result "omega-sandbox(1) has the verbs there are, each twice" "$(
	sed -n '/^\.Sh DESCRIPTION/,/^\.Sh OPTIONS/s/^\.It Cm //p' "$tool_page" |
		sort | diff "$work/verbs" -
	sed -n '/^\.Sh VERBS/,/^\.Sh ENV/s/^\.Ss //p' "$tool_page" |
		sort | diff "$work/verbs" -)"

# ---- All pages ------------------------------------------------------------

# One number in the header, in the page and in the test that measures it.
numbers=$(cat "$header" "$top/man/omega-sandbox-path.3" \
	"$top/tests/unit/test-path-caller.c" | tr -s '\n\t *' ' ' |
	grep -oiE 'about [0-9]+ KiB"? ?(of stack|; some)' | awk '{ print $2 }')
faults=$(echo "$numbers" | sort -u | tail -n +2)
[ "$(echo "$numbers" | wc -l)" = 4 ] ||
	faults="not found four times:
$numbers"
result "the stack a path check needs is the same number everywhere" "$faults"

faults=$(for page in "$top"/man/*.[1-8]; do
	grep -qE "(^|[ 	/])$(basename "$page")( |	|\\\\|$)" \
		"$top/man/Makemodule.am" || echo "not listed: $page"
done)
result "every page is installed" "$faults"

backends=$(cd "$top/plugins" && ls -d */ | tr -d /)
faults=$(for name in $backends; do
	grep -q "omega-sandbox-$name\\.8" \
		"$top/plugins/$name/Makemodule.am" &&
		[ -f "$top/plugins/$name/omega-sandbox-$name.8" ] ||
		echo "no page: $name"
done)
result "every backend has a page that is installed" "$faults"

# The line of names below the box of the core, in both pictures.
for file in README.md doc/architecture.md; do
	awk '/^    \+-+\|/ { on = 1 } on && /^ +[a-z][a-z]+ / {
		for (i = 1; i <= NF; i++) print $i; exit }' "$top/$file" |
		sort >"$work/drawn"
	result "the picture of $file has the backends there are" \
		"$(echo "$backends" | sort | diff "$work/drawn" -)"
done

# What "list policies" prints there: name, description, file and line.
awk '$1 == "policy" { name = $2; line = FNR; gsub(/"/, "", name) }
$1 == "description" && name != "" {
	split($0, part, "\""); n = FILENAME; sub(/.*\//, "", n)
	printf "%-16s %s (/usr/share/omega/sandbox/%s:%d)\n",
	    name, part[2], n, line
	name = ""
}' "$top/etc/shipped/agents.conf" "$top/etc/shipped/policies.conf" \
	>"$work/policies"
[ "$(wc -l <"$work/policies")" -ge 6 ] || echo "too few" >>"$work/policies"
sed -n '/^    \$ omega-sandbox list policies/,/^$/{/^    [a-z]/s/^ *//p;}' \
	"$top/README.md" >"$work/shown"
result "README.md lists the policies there are, each at its line" \
	"$(diff "$work/policies" "$work/shown")"

result "omega-sandbox(1) lists agents at their lines" "$(
	for name in generic claude; do
		line=$(grep -n "^agent \"$name\"" \
			"$top/etc/shipped/agents.conf" | cut -d: -f1)
		grep -q "agents.conf:$line)" "$top/man/omega-sandbox.1" ||
			echo "$name is at line $line"
	done)"

result "omega-sandbox(7) has every page" "$(
	cd "$top" && ls man/*.[1-8] plugins/*/*.8 |
		sed 's|.*/\(.*\)\.\(.\)$|\1 \2|' | grep -vx 'omega-sandbox 7' |
		while read -r page; do
			grep -qx "\.It Xr $page" man/omega-sandbox.7 ||
				echo "missing: $page"
		done)"

# groff(1) nests them: the first quote ends behind the last word.
result "no line of a page has two quotations" "$(
	cd "$top" && grep -nE '^\.(.* )?([DSQ]q|Ql) .* ([DSQ]q|Ql) ' \
		man/*.[1-8] plugins/*/*.8)"

for page in "$top"/man/*.[1-8] "$top"/plugins/*/*.8; do
	name="$(basename "$page") is clean mdoc"
	if command -v mandoc >/dev/null; then
		# Which other pages are installed is not a matter of ours.
		result "$name" "$(mandoc -Tlint "$page" 2>&1 |
			grep -vE 'referenced manual not found|mandoc\.db')"
	else
		skip "$name" "mandoc is not installed"
	fi
	# Names of functions are too long for the width of other terminals.
	name="$(basename "$page") is clean for groff"
	if [ -e /usr/share/groff/current/tmac/mdoc.tmac ] ||
		ls /usr/share/groff/*/tmac/mdoc.tmac >/dev/null 2>&1; then
		result "$name" "$(groff -ww -rLL=100n -mandoc -Tutf8 "$page" 2>&1 \
			>/dev/null)"
	else
		skip "$name" "groff's macros are not installed"
	fi
done

echo "1..$count"
