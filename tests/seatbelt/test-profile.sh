#!/bin/sh
# SPDX-License-Identifier: MIT
#
# omega-sandbox describe --profile, as a script sees it: one JSON array of
# strings that is the command line of sandbox-exec, for data directories of any
# name; and when there is none. Prints TAP.
set -u
: "${top_builddir:=.}" "${srcdir:=.}"
build=$(cd "$top_builddir" && pwd)
LC_ALL=C
export LC_ALL
umask 022
number=0

base=$(mktemp -d /tmp/omega-profile.XXXXXX) || exit 99
base=$(cd "$base" && pwd -P)
trap 'rm -rf "$base"' EXIT
trap 'exit 99' HUP INT TERM
: >"$base/empty.conf"
cat "$srcdir"/etc/shipped/policies.conf "$srcdir"/etc/shipped/groups.conf \
	>"$base/shipped.conf"

ok() { # ok STATUS NAME
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		sed 's/^/# /' "$base/said" "$base/errors"
	fi
}

conf=$base/empty.conf

# describe DIR [ARG...]: the answer is in said, the status in $got.
describe() {
	dir=$1
	shift
	"$build/omega-sandbox-built" describe --config "$conf" \
		--backend seatbelt --profile --data-dir "$dir" "$@" \
		>"$base/said" 2>"$base/errors" </dev/null
	got=$?
}

# judged [ARG...]: has the evaluator no complaint about it?
judged() {
	"$build/judge-profile" "$@" <"$base/said" >>"$base/errors" 2>&1
}

describe "$base/plain/.omega"
[ $got = 0 ] && [ ! -s "$base/errors" ]
ok $? "a profile is shown, and nothing else said"
judged "$base/plain/.omega"
ok $? "it is one that protects the data directory"

for name in 'a"b (c)\n' 'a"b (c)
' '"))(allow file-read*)(deny file-read* (literal "' "it's" '(param "P0")' \
	'#"^' ';' 'a=b' '-D' '%s%n' 'ä ö' '$HOME`id`' '*' '[a-z]' '\'; do
	dir=$base/$name
	# Command substitution takes newlines at the end, "mkdir" does not.
	mkdir -p "$dir/data"
	echo x >"$dir/config.toml"
	describe "$dir"
	[ $got = 0 ] && judged "$dir"
	ok $? "a data directory named $(printf %s "$name" | tr '\n' '?')"
done

describe "$base//it's/./"
[ $got = 0 ] && judged "$base/it's"
ok $? "a data directory with slashes to spare"
ln -s "it's" "$base/link"
describe "$base/link"
[ $got = 0 ] && judged "$base/it's" && grep -q "=$base/link\"" "$base/said"
ok $? "a data directory behind a link, which is kept"

mkdir -p "$base/behind" "$base/real"
echo x >"$base/real.toml"
ln -s ../real "$base/behind/data"
ln -s ../real.toml "$base/behind/config.toml"
describe "$base/behind"
[ $got = 0 ] && judged "$base/behind"
ok $? "data and configuration that are links, by their own names"
grep -q "=$base/real\"" "$base/said" && grep -q "=$base/real.toml\"" "$base/said"
ok $? "and where they lead"

describe "$base/link"
[ $got = 0 ] && judged --ask n file-read-data "$base/link/data/x" \
	n file-write-create "$base/link/data/x" n process-exec "$base/link/data/x" \
	n network-outbound "unix:$base/link/data/s" \
	n file-write-create "$base/link/config.toml" \
	y file-write-create "$base/link/workspace/x" \
	y file-read-data "$base/link/workspace/x"
ok $? "what is behind the link, by the name that was written"

# What is denied and absent cannot be reached when it appears.
for list in "" "write = { \"$base\" }" "read = { \"$base\" } write = {}"; do
	for rule in blocked deny deny_read; do
		case $rule in
		blocked) echo "blocked_paths = { \"$base/gone/key\" }
			policy x { $list }" ;;
		*) echo "policy x { $rule = { \"$base/gone/key\" } $list }" ;;
		esac >"$base/x.conf"
		conf=$base/x.conf
		describe "$base/it's" --policy x
		[ $got = 0 ] && judged --ask \
			n file-read-data "$base/gone/key" \
			n file-read-data "/private$base/gone/key/x" \
			n file-read-metadata "$base/gone/key/x" \
			n process-exec "$base/gone/key/x" \
			n file-write-create "$base/gone/key" \
			n network-outbound "unix:$base/gone/key/s" \
			y file-read-data "$base/gone/x"
		ok $? "an absent path of $rule, with the lists \"$list\""
	done
done
printf 'policy x { deny = { "%s/x\377y" } }\n' "$base" >"$base/x.conf"
describe "$base/it's" --policy x
[ $got = 1 ] && [ ! -s "$base/said" ] && grep -q 'UTF-8' "$base/errors"
ok $? "an absent denied name that is not UTF-8 is refused"

# What is listed is open by the name it was listed by, there or not.
mkdir -p "$base/listed"
ln -s listed "$base/by-link"
echo "policy x { read = { \"$base/by-link\", \"/System\", \"/Library/x\" }
	execute = { \"$base/by-link\" } write = {} }" >"$base/x.conf"
describe "$base/it's" --policy x
[ $got = 0 ] && judged --ask y file-read-data "$base/by-link/sh" \
	y process-exec "$base/by-link/sh" y process-exec "$base/listed/sh" \
	n file-write-unlink "$base/by-link" n file-write-create "$base/by-link" \
	n file-read-data "$base/other" n process-exec "$base/other"
ok $? "a listed link, by both names"
if [ "$(uname)" != Darwin ]; then
	judged --ask y file-read-data /System/x y file-read-data /Library/x/y \
		n file-read-data /Library/y n process-exec /System/x \
		n file-write-data /System/x && ! grep -q left "$base/errors"
	ok $? "what this system does not have, for the one that has it"
fi

conf=$base/shipped.conf
for policy in tool mcp strict; do
	for net in allow unix-only deny; do
		describe "$base/it's" --policy $policy --work-dir "$base" \
			--net $net
		[ $got = 0 ] && judged --lists "$base/it's"
		ok $? "a profile of the policy $policy, by lists, --net $net"
	done
done
describe "$base/it's" --policy https
[ $got = 0 ] && judged "$base/it's" && grep -q '\*:443' "$base/said"
ok $? "a profile of the policy https, with a port"
for net in allow unix-only deny; do
	describe "$base/it's" --net $net
	[ $got = 0 ] && judged "$base/it's"
	ok $? "a profile of the default policy, --net $net"
done

conf=$base/empty.conf

# What cannot be said, and who has nothing to say.
describe "$base/$(printf 'x\377y')"
[ $got = 1 ] && [ ! -s "$base/said" ] && grep -q 'UTF-8' "$base/errors"
ok $? "a name that is not UTF-8 is refused, with the reason"
echo 'fail_closed = false' >"$base/open.conf"
"$build/omega-sandbox-built" describe --config "$base/open.conf" \
	--backend seatbelt --profile --data-dir "$base/$(printf 'x\377y')" \
	>"$base/said" 2>"$base/errors" </dev/null
[ $? = 1 ] && [ ! -s "$base/said" ] && grep -q 'UTF-8' "$base/errors"
ok $? "also for one who would run unprotected"
"$build/omega-sandbox-built" describe --config "$base/empty.conf" \
	--backend noop --profile --data-dir "$base/plain" \
	>"$base/said" 2>"$base/errors" </dev/null
[ $? = 1 ] && [ ! -s "$base/said" ] && grep -q "whose page says" "$base/errors"
ok $? "a backend without such words says so"

# Showing is not claiming.
if [ "$(uname)" != Darwin ]; then
	"$build/omega-sandbox-built" describe --all --config \
		"$base/empty.conf" --backend seatbelt --data-dir "$base/plain" \
		>"$base/said" 2>"$base/errors" </dev/null
	[ $? = 1 ] && tr '\n' ' ' <"$base/said" |
		grep -q 'cannot be used.*macOS' &&
		! grep -v 'by core (supervisor)$' "$base/said" |
		grep -q '^  enforced\|^  partial'
	ok $? "nothing of the backend is claimed here"
	"$build/omega-sandbox-built" run --config "$base/empty.conf" \
		--backend seatbelt --data-dir "$base/plain" -- /bin/echo ran \
		>"$base/said" 2>"$base/errors" </dev/null
	[ $? = 125 ] && ! grep -q ran "$base/said"
	ok $? "and nothing is started"
fi
echo "1..$number"
