#!/bin/sh
# SPDX-License-Identifier: MIT
#
# omega-sandbox check, as a person or a script sees it: exits, texts, JSON.
# TAP; $top_builddir says where the tool is.
set -u
tool=${top_builddir:?}/omega-sandbox
LC_ALL=C
export LC_ALL

base=$(cd "${TMPDIR:-/tmp}" && pwd -P) || exit 99
tmp=$(mktemp -d "$base/omega-check-XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM
dir=$tmp/omega
mkdir -p "$dir/data" "$dir/skills" "$tmp/free"
echo secret >"$dir/data/memory.db"
echo secret >"$dir/config.toml"
echo secret >"$tmp/app.toml"
echo harmless >"$tmp/free/plain"
ln -s "$dir/data" "$tmp/link"
ln "$dir/config.toml" "$tmp/hard"
nl='
'

number=0
ok() { # ok NAME STATUS
	number=$((number + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		sed 's/^/# out: /' "$tmp/out"
		sed 's/^/# err: /' "$tmp/err"
	fi
}

skip() { # skip NAME REASON
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

run() { # run ARGUMENT...: leaves status, $tmp/out and $tmp/err
	"$tool" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

check() { # check ACCESS ARGUMENT...: with our own data directory
	access=$1
	shift
	run check "$access" --data-dir "$dir" "$@"
}

has() { # has TEXT: the output says so
	grep -qF -e "$1" "$tmp/out"
}

lines() { # lines NUMBER: the output has so many
	[ "$(wc -l <"$tmp/out")" -eq "$1" ]
}

is_quiet() { # nothing on standard error
	[ ! -s "$tmp/err" ]
}

# ---- exits ----------------------------------------------------------------

check read "$tmp/free/plain"
[ $status -eq 0 ] && lines 1 && has "read allowed $tmp/free/plain" && is_quiet
ok test_free_path_exits_0 $?

check read "$dir/data/memory.db"
[ $status -eq 1 ] && lines 1 && has "read blocked $dir/data/memory.db" &&
	is_quiet
ok test_blocked_path_exits_1 $?

check write "$tmp/free/new" && check write /etc/passwd
[ $status -eq 1 ] && has "write blocked /etc/passwd"
ok test_system_file_is_blocked_for_writing $?

check read /etc/passwd
[ $status -eq 0 ] && has "read allowed /etc/passwd"
ok test_system_file_is_free_for_reading $?

check read free/plain
[ $status -eq 1 ] && has "not an absolute path"
ok test_relative_path_is_blocked $?

check read ''
[ $status -eq 1 ] && has "not an absolute path"
ok test_empty_path_is_blocked $?

check write "$tmp/free/a" "$tmp/free/b" "$tmp/free/c"
[ $status -eq 0 ] && lines 3
ok test_several_free_paths_exit_0 $?

check write "$tmp/free/a" "$dir/data/x" "$tmp/free/c"
[ $status -eq 1 ] && lines 3 && has "allowed $tmp/free/a" &&
	has "blocked $dir/data/x" && has "allowed $tmp/free/c"
ok test_one_blocked_path_of_several_exits_1 $?

check read --config-path "$tmp/app.toml" "$tmp/app.toml"
[ $status -eq 1 ] && has "$tmp/app.toml"
ok test_config_path_is_blocked $?

check read "$tmp/app.toml"
[ $status -eq 0 ]
ok test_config_path_that_is_not_given_is_free $?

home=$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6)
case $home in
/*)
	run check read "$home/.omega/data/x"
	[ $status -eq 1 ] && has "$home/.omega/data (built in)"
	ok test_data_dir_is_in_the_home_directory_by_default $?
	;;
*)
	run check read "$tmp/free/plain"
	[ $status -eq 2 ] && grep -q -e --data-dir "$tmp/err"
	ok test_data_dir_must_be_given_without_a_home_directory $?
	;;
esac

# ---- why ------------------------------------------------------------------

check read "$dir/data/memory.db"
[ $status -eq 1 ] && has "protected by $dir/data (built in)"
ok test_text_names_the_rule $?

check write /etc/passwd
has "protected by /etc (built in)"
ok test_text_names_the_built_in_rule $?

check read "$tmp/link/new"
[ $status -eq 1 ] && has "leads to $dir/data/new" &&
	has "$dir/data (built in)"
ok test_text_says_where_a_link_leads $?

check read "$tmp/hard"
[ $status -eq 1 ] && has "hard link" && has "$dir/config.toml (built in)"
ok test_text_says_hard_link $?

ln -s loop "$tmp/loop"
check read "$tmp/loop"
[ $status -eq 1 ] && has "cannot be found out"
ok test_text_says_that_it_is_undecided $?

# ---- odd paths ------------------------------------------------------------

check read "$tmp/two${nl}lines" "$dir/data/two${nl}lines"
[ $status -eq 1 ] && lines 2 && has 'two\x0alines'
ok test_newline_in_a_path_does_not_break_lines $?

esc=$(printf 'a\033[31mb\001')
check read "$tmp/$esc"
[ $status -eq 0 ] && lines 1 && has 'a\x1b[31mb\x01'
ok test_terminal_escapes_are_not_printed $?

# CSI as one byte and as U+009B, right-to-left override, no width, a tag.
esc=$(printf 'a\233b\302\233c\342\200\256d\342\200\213\363\240\201\201')
check read "$tmp/$esc"
[ $status -eq 0 ] && lines 1 && has 'a\x9bb\u009bc\u202ed\u200b\ue0041'
ok test_treacherous_characters_are_not_printed $?
check read "--frog$esc" "$tmp"
[ $status -eq 2 ] && grep -qF 'froga\x9bb\u009bc\u202ed' "$tmp/err"
ok test_nor_in_errors $?
umlaut=$(printf 'gr\303\274n \360\237\220\270')
check read "$tmp/$umlaut"
[ $status -eq 0 ] && lines 1 && has "$umlaut"
ok test_other_letters_are $?

ln -s "$dir/data/two${nl}lines" "$tmp/to-two"
check read "$tmp/to-two"
[ $status -eq 1 ] && lines 1 && has 'two\x0alines'
ok test_newline_in_a_target_does_not_break_lines $?

check read -- --data-dir
[ $status -eq 1 ] && has "read blocked --data-dir"
ok test_path_like_an_option_is_a_path_behind_two_dashes $?

# ---- JSON -----------------------------------------------------------------

json() { # json EXPRESSION: true for the output, which is j
	python3 -c "
import json, sys
j = json.load(open(sys.argv[1], encoding='utf-8'))
r = j['results']
sys.exit(0 if ($1) else 1)" "$tmp/out"
}

json_case() { # json_case NAME STATUS EXPRESSION, after the run
	if ! command -v python3 >/dev/null 2>&1; then
		skip "$1" "python3 is not here to read JSON"
		return
	fi
	[ $status -eq "$2" ] && is_quiet && json "$3" 2>>"$tmp/err"
	ok "$1" $?
}

check read --json "$tmp/free/plain"
json_case test_json_says_what_is_free 0 "j['access'] == 'read' and
j['blocked'] is False and len(r) == 1 and r[0]['blocked'] is False and
r[0]['path'] == '$tmp/free/plain' and r[0]['reason'] == 'none' and
'rule' not in r[0] and 'origin' not in r[0] and
r[0]['resolved'] == '$tmp/free/plain'"

check write --json "$tmp/free/x" "$tmp/link/new" "$tmp/hard" rel /etc/x
json_case test_json_says_why_for_every_path 1 "j['access'] == 'write' and
j['blocked'] is True and len(r) == 5 and
[x['blocked'] for x in r] == [False, True, True, True, True] and
[x['reason'] for x in r] == ['none', 'resolved-name', 'hard-link',
    'undecided', 'name'] and
r[1]['rule'] == '$dir/data' and r[1]['origin'] == 'built in' and
r[1]['resolved'] == '$dir/data/new' and
r[2]['rule'] == '$dir/config.toml' and
'rule' not in r[3] and r[3]['error'] and r[4]['rule'] == '/etc'"

check read --json "$tmp/two${nl}lines" "$(printf 'a\\"b')"
json_case test_json_quotes_odd_characters 1 \
	"r[0]['path'] == '$tmp/two\\nlines' and r[1]['path'] == 'a\\\\\"b'"

check read --json "$(printf '/tmp/\344\303\244')"
json_case test_json_shows_bytes_that_are_no_text 0 \
	"r[0]['path'].startswith('/tmp/\\ufffd')"

# ---- usage ----------------------------------------------------------------

run --help
[ $status -eq 0 ] && has usage && has check && is_quiet
ok test_help_of_the_tool $?

run check --help
[ $status -eq 0 ] && has "usage: omega-sandbox check" && has --data-dir &&
	has --config-path && has --json && is_quiet
ok test_help_of_the_verb $?

run --version
[ $status -eq 0 ] && lines 1 && has "omega-sandbox "
ok test_version $?

fails() { # fails NAME ARGUMENT...: exit 2, one line on standard error
	name=$1
	shift
	run "$@"
	[ $status -eq 2 ] && [ ! -s "$tmp/out" ] &&
		[ "$(wc -l <"$tmp/err")" -ge 1 ]
	ok "$name" $?
}

fails test_no_verb_exits_2
fails test_unknown_verb_exits_2 frobnicate
fails test_check_without_access_exits_2 check
fails test_unknown_policy_exits_2 check read --policy none \
	--data-dir "$dir" /tmp/x
fails test_check_without_path_exits_2 check read --data-dir "$dir"
fails test_unknown_access_exits_2 check append --data-dir "$dir" /tmp/x
fails test_unknown_option_exits_2 check read --frobnicate /tmp/x
fails test_unknown_short_option_exits_2 check read -x /tmp/x
fails test_option_without_argument_exits_2 check read /tmp/x --data-dir
fails test_relative_data_dir_exits_2 check read --data-dir omega /tmp/x
fails test_empty_data_dir_exits_2 check read --data-dir '' /tmp/x
fails test_relative_config_path_exits_2 check read --data-dir "$dir" \
	--config-path app.toml /tmp/x

# Nothing can be in a data directory that is a loop; the loop itself is kept.
run check read --data-dir "$tmp/loop" "$tmp/loop/data/x"
[ $status -eq 1 ] && run check read --data-dir "$tmp/loop" /tmp/x
[ $status -eq 0 ]
ok test_data_dir_in_a_loop_is_kept_itself $?

run check read --data-dir "two${nl}lines" /tmp/x
[ $status -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
ok test_error_stays_on_one_line $?

if [ -w /dev/full ]; then
	"$tool" check read --data-dir "$dir" "$tmp/free/plain" \
		>/dev/full 2>"$tmp/err"
	[ $? -eq 2 ] && grep -q 'cannot write' "$tmp/err"
	ok test_answer_that_cannot_be_written_exits_2 $?
else
	skip test_answer_that_cannot_be_written_exits_2 "there is no /dev/full"
fi

echo "1..$number"
