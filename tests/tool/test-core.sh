#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The verbs run, status, list, describe and config, as a person uses them. The
# tool is built once more with its plugins and configuration in tests/stage.
set -u
tool=$top_builddir/omega-sandbox-testable
stage=$top_builddir/tests/stage
rm -rf "$stage"
mkdir -p "$stage/plugins" "$stage/etc/omega/sandbox.d" "$stage/home/data" \
	"$stage/libexec"
chmod -R go-w "$stage"
echo secret >"$stage/home/data/memory.db"
cp "$top_builddir/.libs/noop.so" "$stage/plugins/"
[ "$(uname)" != Linux ] ||
	cp "$top_builddir/libexec/omega-sandbox-init" "$stage/libexec/"
conf=$stage/etc/omega/sandbox.conf
count=0
out=$stage/out
err=$stage/err

ok() {
	count=$((count + 1))
	echo "ok $count - $1"
}

not_ok() {
	count=$((count + 1))
	echo "not ok $count - $1"
	sed 's/^/# out: /' "$out"
	sed 's/^/# err: /' "$err"
}

# expect NAME STATUS -- ARG...: run the tool, compare the exit status.
expect() {
	name=$1
	want=$2
	shift 3
	"$tool" "$@" >"$out" 2>"$err"
	got=$?
	if [ "$got" = "$want" ]; then
		ok "$name"
	else
		not_ok "$name (exit $got, not $want)"
	fi
}

# says NAME FILE TEXT: the last run wrote TEXT there.
says() {
	if grep -qF -- "$3" "$2"; then
		ok "$1"
	else
		not_ok "$1: no '$3'"
	fi
}

# once NAME TEXT: in one line of the error output.
once() {
	if [ "$(grep -cF -- "$2" "$err")" = 1 ]; then
		ok "$1"
	else
		not_ok "$1: not one '$2'"
	fi
}

silent() {
	if [ ! -s "$2" ]; then
		ok "$1"
	else
		not_ok "$1: something was written"
	fi
}

# again NAME: what config show prints comes to the same when it is read.
again() {
	"$tool" config show 2>"$err" | grep -v '^# /' >"$stage/shown.conf"
	chmod 644 "$stage/shown.conf"
	"$tool" config show --config "$stage/shown.conf" 2>"$err" |
		grep -v '^# /' >"$out"
	if cmp -s "$stage/shown.conf" "$out"; then
		ok "$1"
	else
		not_ok "$1"
	fi
}

d="--data-dir $stage/home"

# Nothing is configured, only noop is there: refused, and the file says why.
expect "run without a backend that protects is refused" 125 -- \
	run $d -- touch "$stage/ran"
says "the refusal names the guarantee" "$err" "cannot be read"
says "and the package to install" "$err" "omega-sandbox-landlock"
silent "and prints nothing on standard output" "$out"
[ ! -e "$stage/ran" ] && ok "and nothing ran" || not_ok "it ran"

expect "naming noop runs it" 0 -- run $d --backend noop -- sh -c 'echo hi'
says "its output is passed through" "$out" "hi"
says "with a warning" "$err" "UNPROTECTED"
expect "none means noop" 0 -- run $d --backend none -- true
expect "the command's own status is the exit" 7 -- \
	run $d --backend noop -- sh -c 'exit 7'
expect "a signal is 128 and its number" 143 -- \
	run $d --backend noop -- sh -c 'kill -TERM $$'
expect "not found is 127" 127 -- run $d --backend noop -- no-such-program
says "and named" "$err" "no-such-program"
touch "$stage/plain"
chmod 644 "$stage/plain"
expect "not executable is 126" 126 -- run $d --backend noop -- "$stage/plain"
PATH=$stage "$tool" run $d --backend noop -- plain >"$out" 2>"$err"
[ $? = 126 ] && ok "nor is it where PATH leads" || not_ok "found by PATH"
says "or the way there is closed" "$err" "a directory of PATH cannot be searched"
echo true >"$stage/script"
chmod 755 "$stage/script"
expect "a script that says not what reads it is 126" 126 -- \
	run $d --backend noop -- "$stage/script"
says "and it is told what it needs" "$err" "a script begins with the program"
A_TOKEN=hush expect "run --verbose" 0 -- run $d --backend noop --verbose -- true
says "names what is not passed on" "$err" "not passed on: A_TOKEN (--env NAME"
A_TOKEN=hush expect "run" 0 -- run $d --backend noop -- true
grep -q "not passed on" "$err" && not_ok "without it does not" ||
	ok "without it does not"
expect "options end at the command" 0 -- \
	run $d --backend noop sh -c 'test "$1" = --json' sh --json
expect "an unknown option is 125" 125 -- run --frobnicate -- true
grep -q "did you mean" "$err" && not_ok "nothing is like it" ||
	ok "and like no other"
expect "a slip of the pen is 125" 125 -- run --tiemout=3 -- true
says "and told" "$err" "'--tiemout=3'; did you mean --timeout? see"
expect "one of another verb" 2 -- list --jsn
says "is told too" "$err" "did you mean --json?"
expect "an option of another verb only" 2 -- list --tiemout 3
grep -q "did you mean" "$err" && not_ok "is not meant" || ok "is not meant"
expect "options of later releases are unknown" 125 -- run --net deny -- true
expect "a switch with a value is 125" 125 -- run --verbose=1 -- true
says "and named" "$err" "'--verbose=1': this option takes no value"
expect "an option given twice is 125" 125 -- \
	run --policy tool --policy default -- true
says "and named" "$err" "--policy is given twice"
expect "an empty name of a policy is 125" 125 -- run --policy '' -- true
says "and told" "$err" "--policy needs a value"
for option in --timeout --max-output --net --unix-sockets; do
	expect "$option with nonsense is 125" 125 -- run $option frogs -- true
	says "and told by its name" "$err" "omega-sandbox: $option: "
done
expect "an empty command is 125" 125 -- run -- ''
says "and told" "$err" "the name of the command is empty"
expect "no command is 125" 125 -- run
expect "a backend that is not there is 125" 125 -- \
	run $d --backend landlock -- true
says "and its package is named" "$err" "omega-sandbox-landlock"
expect "a backend nobody has is 125" 125 -- \
	run $d --backend frobnicate -- true
says "and it is told where it was looked for" "$err" \
	"$stage/plugins/frobnicate.so does not exist"
grep -q omega-sandbox-frobnicate "$err" && not_ok "it is no package" ||
	ok "which no package is made up for"
expect "a slip of the pen is 125" 125 -- run $d --backend landlok -- true
says "and told" "$err" "did you mean 'landlock'?"
expect "a path is not a backend" 125 -- \
	run $d --backend ../evil -- true
expect "nor is an empty word of a list" 125 -- run $d --backend noop,, -- true
says "which is told" "$err" "a name in the list of backends is empty"
expect "a work directory that is a file is refused" 125 -- \
	run $d --work-dir "$stage/plain" --backend noop -- true
says "and that is said" "$err" "$stage/plain is not a directory"
expect "and so is a data directory" 125 -- \
	run --data-dir "$stage/plain" --backend noop -- true
says "and that is said" "$err" \
	"$stage/plain cannot be the data directory: it is not a directory"
expect "a relative data directory is refused" 125 -- \
	run --data-dir home --backend noop -- true
ln -s / "$stage/to-root"
for dir in / /etc /usr "$stage/to-root/usr/"; do
	expect "the data directory is not $dir" 125 -- \
		run --data-dir "$dir" --backend noop -- true
	says "and that is said" "$err" "cannot be the data directory"
done
printf '%s\n' 'log = none' 'data_dir = "/etc"' >"$stage/faulty.conf"
chmod 644 "$stage/faulty.conf"
expect "nor of a configuration" 2 -- config check --config "$stage/faulty.conf"
says "which is named with its line" "$err" \
	"$stage/faulty.conf:2: /etc cannot be the data directory"
expect "config check --json finds it" 2 -- \
	config check --json --config "$stage/faulty.conf"
says "for machines too" "$out" '"line": 2'
expect "describe does not describe it" 2 -- \
	describe --data-dir /etc --backend noop
(ulimit -S -n 6 && exec "$tool" run $d --backend noop -- true) \
	>"$out" 2>"$err"
[ $? = 125 ] && ok "too few descriptors are 125" || not_ok "descriptors"
says "and it is told what helps" "$err" "raise the limit: ulimit -n"
for kib in 64 200; do
	for verb in run describe check; do
		status=2
		[ "$verb" != run ] || status=125
		(ulimit -S -s $kib && exec "$tool" $verb) >"$out" 2>"$err"
		[ $? = $status ] && ok "$verb with a stack of $kib KiB" ||
			not_ok "$verb with a stack of $kib KiB"
		says "says what it needs" "$err" "ulimit -s 1024"
	done
done
expect "run --json" 3 -- run $d --backend noop --json -- sh -c 'exit 3'
says "has the exit" "$out" '"exit": 3'
says "and whether it was protected" "$out" '"sandbox_applied": false'
says "and what was not held, by kind" "$out" '"kind": "path"'
grep -q '"guarantees"' "$out" && not_ok "it has every guarantee" ||
	ok "but not every guarantee"
[ "$(wc -c <"$out")" -le 3072 ] && ok "within 3 KB" || not_ok "too long"
expect "run --json --all" 3 -- \
	run $d --backend noop --json --all -- sh -c 'exit 3'
says "has them" "$out" '"guarantees"'
expect "run --json has the output" 0 -- \
	run $d --backend noop --json -- sh -c 'echo out; echo err >&2'
says "of one stream" "$out" '"stdout": "out\n"'
says "and of the other" "$out" '"stderr": "err\n"'
expect "run --json has bytes that are no text" 0 -- \
	run $d --backend noop --json -- printf 'a\377b'
says "in base64" "$out" '"stdout_base64": "Yf9i"'

# Time and output have limits where somebody sets them.
expect "a time-out is 124" 124 -- \
	run $d --backend noop --timeout 5 -- sh -c 'echo begun; sleep 600'
says "its output was passed on" "$out" "begun"
says "and the reason is told" "$err" "its time was over"
expect "a time-out with --json is 124" 124 -- \
	run $d --backend noop --timeout 1s --json -- sh -c 'sleep 600'
says "and says so" "$out" '"timed_out": true'
expect "a time-out is a time" 125 -- \
	run $d --backend noop --timeout soon -- true
says "and the option is named" "$err" "timeout"
expect "output ends at the bound" 0 -- \
	run $d --backend noop --max-output 4 -- sh -c 'echo 123456789'
printf 1234 | cmp -s - "$out" && ok "and not before" || not_ok "the bound"
says "which is told" "$err" "output was dropped"
expect "the bound is for both outputs" 0 -- \
	run $d --backend noop --max-output 4 -- sh -c 'echo 12; echo 123 >&2'
[ "$(cat "$out")" = 12 ] && grep -q '^1omega-sandbox: some' "$err" &&
	ok "and not for each" || not_ok "the bound of both"
expect "the status passes by the bound" 7 -- \
	run $d --backend noop --max-output 1K -- sh -c 'exit 7'
if [ -w /dev/full ]; then
	"$tool" run $d --backend noop --max-output 1K -- echo lost \
		>/dev/full 2>"$err"
	[ $? = 125 ] && ok "output that cannot be written is no success" ||
		not_ok "a full disk"
	says "and why is told" "$err" "No space left on device"
fi
printf 'max_execution_time_secs = 5\nmax_output_bytes = 3\n' \
	>"$stage/limits.conf"
expect "the configuration limits a run" 124 -- \
	run $d --config "$stage/limits.conf" --backend noop --timeout 10m -- \
	sh -c 'echo begun; exec sleep 600'
printf beg | cmp -s - "$out" && ok "and its output" || not_ok "its output"
expect "describe says how a run is ended" 0 -- \
	describe $d --config "$stage/limits.conf" --backend noop
says "after how long" "$out" "after 5 seconds a run is ended"

# A descriptor on a directory reaches around every mask.
"$tool" run $d --backend noop -- cat <"$stage" >"$out" 2>"$err"
[ $? = 125 ] && ok "a directory as standard input is refused" ||
	not_ok "a directory as standard input"
# Other descriptors do not get through.
"$tool" run $d --backend noop -- sh -c 'cat <&7' 7<"$stage/home/data/memory.db" \
	>"$out" 2>"$err"
[ ! -s "$out" ] && ok "descriptor 7 is closed in the command" ||
	not_ok "descriptor 7 was passed on"

expect "describe of a refusal is 1" 1 -- describe $d
head -n 1 "$out" | grep -q '^a command is not started: ' &&
	ok "the verdict comes first" || not_ok "the verdict is not first"
says "describe counts what is not held" "$out" "not held ("
says "alike ones together" "$out" " places cannot be changed: "
expect "describe --all" 1 -- describe $d --all
says "lists what is not enforced" "$out" "  not enforced  /etc cannot be changed"
says "and says that a command is refused" "$out" "not started"
expect "describe with noop is 0" 0 -- describe $d --backend noop
expect "describe --json" 1 -- describe $d --json
says "is JSON" "$out" '"guarantees":['
expect "status" 1 -- status $d
says "status shows fail closed" "$out" "enabled, fail closed, "
says "status shows the platform" "$out" "platform:   "
head -n 1 "$out" | grep -q '^protected: *no$' &&
	ok "status does not claim protection" || not_ok "status: protected"
expect "status of what starts" 0 -- status $d --backend noop
[ "$(grep -c '^[a-z]' "$out")" -le 10 ] &&
	ok "has at most ten lines" || not_ok "status is long"
expect "status --json" 1 -- status $d --json
says "has the platform" "$out" '"landlock_abi"'
expect "list" 0 -- list
says "list shows noop" "$out" "noop"
says "list shows what is missing" "$out" "missing"
expect "list --json" 0 -- list --json
says "list --json has reasons" "$out" '"reason"'
echo "no plugin" >"$stage/plugins/seccomp.so"
expect "list with a damaged plugin" 0 -- list
says "list calls it broken" "$out" "seccomp    broken"
expect "list --json with a damaged plugin" 0 -- list --json
says "list --json has it too" "$out" '"broken": true'
rm -f "$stage/plugins/seccomp.so"

# Plugins of others: shown as they are, never loaded unless they are trusted.
cp "$top_builddir/tests/mock/.libs/mock-good.so" "$stage/plugins/mock-good.so"
cp "$top_builddir/tests/mock/.libs/mock-constructor.so" "$stage/plugins/mark.so"
cp "$stage/plugins/mock-good.so" "$stage/plugins/Not-a-name.so"
chmod 666 "$stage/plugins/mark.so"
OMEGA_MOCK_MARK=$stage/mark
export OMEGA_MOCK_MARK
expect "list with plugins of others" 0 -- list
says "list shows one of them" "$out" "mock-good  usable"
says "one that is not trusted is broken" "$out" "mark       broken"
says "for the reason that is told" "$out" "can be written by"
[ ! -e "$stage/mark" ] && ok "and was not loaded" || not_ok "it was loaded"
grep -q Not-a-name "$out" && not_ok "a name that is none" ||
	ok "what has no name of a plugin is none"
tail -n 2 "$out" | head -n 1 >"$err"
says "they come last" "$err" "mark "
expect "list --json with plugins of others" 0 -- list --json
says "list --json shows it" "$out" '"name": "mock-good"'
rm -f "$stage/plugins/mock-good.so" "$stage/plugins/mark.so" \
	"$stage/plugins/Not-a-name.so"
unset OMEGA_MOCK_MARK
expect "list of something unknown" 2 -- list frogs
expect "config show without a file" 0 -- config show
says "shows defaults" "$out" "fail_closed = true"
expect "config check without a file" 0 -- config check
expect "config path without a file" 1 -- config path
says "says that there is none" "$err" "no file was found"
for verb in run describe status list config check; do
	expect "$verb --help" 0 -- $verb --help
	says "$verb --help names it" "$out" "omega-sandbox $verb"
done
expect "unknown verb" 2 -- frobnicate
says "is told with those that are known" "$err" "the verbs are run, describe,"
expect "a slip of the pen for a verb" 2 -- descrbe
says "is told" "$err" "unknown verb 'descrbe'; did you mean describe?"
expect "also for a short one" 2 -- runn
says "is told" "$err" "did you mean run?"
for word in help --help -h; do
	expect "$word" 0 -- $word
	says "$word lists the verbs" "$out" "  describe "
done
"$tool" run --help >"$stage/run-help"
expect "help of a verb" 0 -- help run
cmp -s "$out" "$stage/run-help" && ok "is what its own --help is" ||
	not_ok "help run"
expect "help of no verb" 2 -- help descrbe
says "says so" "$err" "did you mean describe?"
expect "help of two" 2 -- help run list
"$tool" --version >"$stage/version"
for word in version -V; do
	expect "$word" 0 -- $word
	cmp -s "$out" "$stage/version" && ok "$word is as --version" ||
		not_ok "$word"
done
expect "an option before the verb" 2 -- --json list
says "is told where it belongs" "$err" "options come behind it"
expect "no verb" 2 --

# A configuration.
cat >"$conf" <<END
fail_closed = false
blocked_paths = {"$stage/etc/secret"}
END
chmod 644 "$conf"
echo hidden >"$stage/etc/secret"
expect "fail_closed = false runs it" 0 -- run $d -- true
says "with a warning" "$err" "fail_closed = false"
expect "config show with a file" 0 -- config show
says "shows the file's values" "$out" "fail_closed = false"
again "what config show prints can be read again"
expect "check knows the sandbox's own code before any is loaded" 1 -- \
	check write $d "$stage/plugins/noop.so" "$stage/plugins/new.so"
expect "check honours blocked_paths" 1 -- \
	check read $d "$stage/etc/secret"
says "and names file and line" "$out" "sandbox.conf, line 2"
: >"$stage/empty.conf"
expect "check --config replaces it" 0 -- \
	check read $d --config "$stage/empty.conf" "$stage/etc/secret"
cp "$stage/shown.conf" "$stage/etc/omega/sandbox.d/ignored.txt"
echo 'enabled = false' >"$stage/etc/omega/sandbox.d/10-off.conf"
chmod 644 "$stage/etc/omega/sandbox.d/10-off.conf"
expect "a drop-in can switch it off" 125 -- run $d -- true
says "which is told" "$err" "disabled"
rm "$stage/etc/omega/sandbox.d/10-off.conf"

# What a command gets, which ones are run, and what is written down.
A_TOKEN=hush
B_TOKEN=hush
LD_AUDIT=
export A_TOKEN B_TOKEN LD_AUDIT
expect "secrets do not reach a command" 0 -- run $d -- env
grep -qE '^(A_TOKEN|B_TOKEN|LD_AUDIT)=' "$out" && not_ok "they do" ||
	ok "nor do loader variables"
says "the rest does" "$out" "PATH="
cat >"$conf" <<END
backend = noop
env_allow = { B_TOKEN }
env_set = { "C_TOKEN=set" }
allowed_commands = { env, cat, true }
check_arguments = true
audit = "$stage/log/audit.log"
audit_mask = { "pin:*" }
END
mkdir -m 700 "$stage/log"
expect "variables are given back and set" 0 -- run $d -- env
says "by name" "$out" "B_TOKEN=hush"
says "with values" "$out" "C_TOKEN=set"
expect "describe names them" 0 -- describe $d
says "those that are removed" "$out" "note: environment: removed "
says "and given back, and set" "$out" "given back B_TOKEN; set C_TOKEN"
grep -q hush "$out" && not_ok "and their values" || ok "without values"
unset A_TOKEN B_TOKEN LD_AUDIT
expect "another command than those allowed is 125" 125 -- \
	run $d -- touch "$stage/ran"
says "with the rule" "$err" "sandbox.conf:4"
[ ! -e "$stage/ran" ] && ok "and is not run" || not_ok "it ran"
cp /bin/true "$stage/true"
expect "a copy of one under its name is another" 125 -- \
	run $d -- "$stage/true"
expect "an argument that names what is blocked is 125" 125 -- \
	run $d -- cat "--x=$stage/home/data/memory.db"
says "with the argument and the rule" "$err" "argument 1 names "
says "which is built in" "$err" "(built in)"
silent "and nothing is read" "$out"
expect "a command that is written down" 0 -- run $d -- true pin:1234
tail -n 1 "$stage/log/audit.log" >"$out"
says "as one line" "$out" '"event":"run"'
says "with a mask" "$out" '"pin:***"'
grep -c . "$stage/log/audit.log" >"$out"
says "one line for each, refusals too" "$out" 5
chmod 777 "$stage/log"
expect "a log others can replace stops everything" 125 -- run $d -- true
says "with the remedy" "$err" "chmod"
once "said once" "audit log"
echo 'audit_failure = warn' >>"$conf"
expect "unless it is to be a warning" 0 -- run $d -- true
once "which is given once" "audit log"

printf '\nblocked_paths = { "/" }\n' >"$conf"
expect "the root directory cannot be blocked" 125 -- run $d -- true
says "which is said by file, line and rule" "$err" \
	"sandbox.conf:2: blocked_paths: / is the root directory"
printf 'policy "p" {\n\tdeny_write = { "/" }\n}\n' >"$conf"
expect "nor denied" 125 -- run --policy p $d -- true
says "which is said too" "$err" \
	"sandbox.conf:2: deny_write: / is the root directory"

echo 'fail_closd = true' >"$conf"
expect "a misspelt option stops everything" 125 -- run $d -- true
says "with file, line and option" "$err" "sandbox.conf:1"
says "by name" "$err" "fail_closd"
expect "also check" 2 -- check read $d /tmp/x
expect "config check finds it" 2 -- config check
cat >>"$conf" <<'END'
blocked_paths = {
	"~/sec/*.pem"
}
plugin "landlok" { x = 1 }
plugin "landlock" { complement = maybe }
plugin "noop" { speed = 3 }
backend = { noop, secomp }
END
echo 'nothing = here' >"$stage/etc/omega/sandbox.d/60-too.conf"
expect "config check finds all there is" 2 -- config check
sed -n "s|^omega-sandbox: config: $stage/etc/omega/\([^ ]*\): .*|\1|p" "$err" |
	tr '\n' ' ' >"$out"
says "by file and line" "$out" "sandbox.conf:1 sandbox.conf:3 sandbox.conf:5 \
sandbox.conf:7 sandbox.conf:8 sandbox.d/60-too.conf:1 "
says "a pattern in a path" "$err" "name the directory ~/sec itself"
says "a plugin nobody has" "$err" "did you mean 'landlock'?"
says "and a backend" "$err" "did you mean 'seccomp'?"
expect "config check --json finds them too" 2 -- config check --json
says "with file" "$out" "\"file\": \"$conf\""
says "and line" "$out" '"line": 8'
says "and a verdict" "$out" '"ok": false'
silent "and says nothing else" "$err"
rm "$stage/etc/omega/sandbox.d/60-too.conf"
printf 'backend = noop\nplugin "landlock" { complement = true }\n' >"$conf"
expect "a section of a backend that is not installed is fine" 0 -- config check
expect "config check --json of what is right" 0 -- config check --json
says "says so" "$out" '"ok": true'
printf 'allowed_commands = {\n"sh",\n"sh -c",\n"/no/such/program" }\n' \
	>"$conf"
expect "allowed_commands that are none" 0 -- config check
once "are told" "sandbox.conf:3: allowed_commands: there is no program 'sh -c'"
once "by path too" "sandbox.conf:4: allowed_commands: there is no program '/no"
[ "$(grep -c warning "$err")" = 2 ] && ok "and no others" || not_ok "others"
printf 'data_dir = "/a\\x24{HOME}\\t[*]"\n' >"$conf"
expect "config show of what is hard to write" 0 -- config show
says "shows it as it was written" "$out" 'data_dir = "/a\x24{HOME}\t[*]"'
again "which can be read again"
echo 'fail_closd = true' >"$conf"
echo 'backend = "noop"' >"$conf"
chmod 666 "$conf"
expect "a configuration others can write is refused" 125 -- run $d -- true
says "with the remedy" "$err" "chmod"
chmod 644 "$conf"
expect "noop named in the configuration" 0 -- run $d -- true
# The library's public functions, with this configuration.
"$top_builddir/test-protected" >"$out" 2>"$err"
status=$?
for line in $(sed -n 's/^ok [0-9]* - /ok:/p; s/^not ok [0-9]* - /not_ok:/p' \
	"$out" | tr ' ' '_'); do
	case $line in
	ok:*) ok "${line#ok:}" ;;
	*) not_ok "${line#not_ok:}" ;;
	esac
done
[ "$status" = 0 ] && ok "the public functions" || not_ok "the public functions"
chmod 777 "$stage/plugins"
expect "a plugin directory others can write is refused" 125 -- run $d -- true
says "with its name" "$err" "plugins"
chmod 755 "$stage/plugins"
echo 'plugin "noop" { speed = 3 }' >>"$conf"
expect "an option the plugin does not take is refused" 125 -- run $d -- true
says "with line" "$err" "sandbox.conf:2"
expect "a missing --config is an error" 125 -- \
	run $d --config "$stage/none.conf" -- true
echo 'allow_root = false' >"$conf"
echo 'fail_closed = false' >>"$conf"
if [ "$(id -u)" = 0 ]; then
	expect "allow_root = false refuses root" 125 -- run $d -- true
	says "and says so" "$err" "allow_root"
else
	expect "allow_root = false does not concern others" 0 -- run $d -- true
fi

# Policies: what is shipped, and what an administrator adds.
shipped=$stage/share/omega/sandbox
mkdir -p "$shipped"
cp "$top_srcdir"/etc/shipped/*.conf "$shipped/"
chmod -R go-w,u+w "$stage/share"
cat >"$conf" <<'END'
fail_closed = false
floor = "house"
policy "house" {
	description = "what holds for everybody"
	extends = "tool"
}
policy "mcp" {
	description = "ours"
}
tier "local" {
	sandbox = false
}
END
echo 'floor = "mcp"' >"$stage/etc/omega/sandbox.d/50-more.conf"
expect "list policies" 0 -- list policies
for name in default tool mcp strict https agent house; do
	says "list policies has $name" "$out" "$name "
done
says "with its description and where it is" "$out" \
	"what holds for everybody ($conf:3)"
says "the administrator's beats the product's" "$out" "ours ($conf:7)"
says "those of the product are found" "$out" "($shipped/policies.conf:"
expect "list agents" 0 -- list agents
for name in generic claude codex gemini aider opencode openclaw; do
	says "list agents has $name" "$out" "$name "
done
expect "list groups" 0 -- list groups
says "list groups has credentials" "$out" "credentials "
says "list groups has persistence" "$out" "persistence "
expect "list tiers" 0 -- list tiers
says "a tier has its policy" "$out" "; policy strict ($shipped/tiers.conf:"
says "or none" "$out" "; no sandbox ($conf:10)"
expect "list policies --json" 0 -- list policies --json
says "list --json has the place" "$out" "\"file\": \"$conf\""
says "list --json has what is extended" "$out" '"extends": "tool"'
expect "list tiers --json" 0 -- list tiers --json
says "list tiers --json has the switch" "$out" '"sandbox": false'
expect "only one list" 2 -- list agents groups
expect "config show with policies" 0 -- config show
says "config show has every file" "$out" \
	"# $stage/etc/omega/sandbox.d/50-more.conf"
says "those of the product too" "$out" "# $shipped/policies.conf"
says "config show has floors" "$out" "floor = { house, mcp }"
says "config show has policies" "$out" 'policy "house" {'
says "and where they are" "$out" "# $conf:3"
again "and can be read again"
expect "config show --json with policies" 0 -- config show --json
says "config show --json has floors" "$out" '"policy": "house"'
says "config show --json has files" "$out" "50-more.conf\""
expect "config path with policies" 0 -- config path
says "config path has the first file" "$out" "$conf"
says "config path has every file" "$out" \
	"$stage/etc/omega/sandbox.d/50-more.conf"
ls "$shipped"/*.conf >"$err"
head -n "$(wc -l <"$err")" "$out" | cmp -s - "$err" &&
	ok "those of the product first" || not_ok "the product's are not first"
expect "config path --json" 0 -- config path --json
says "config path --json has those too" "$out" "$shipped/tiers.conf"
says "config path --json has files" "$out" "50-more.conf\""
expect "config of something unknown" 2 -- config frogs
says "is named" "$err" "not 'frogs'"
expect "config check takes no file as a word" 2 -- config check "$conf"
says "but says how" "$err" "--config FILE"
expect "config check with policies" 0 -- config check
says "names every file" "$out" "50-more.conf: no fault found"
echo 'policy "bad" {
	deny = { "@credentails" }
}' >>"$conf"
expect "config check finds a fault in a policy" 2 -- config check
says "with file and line" "$err" \
	"$conf:14: there is no group '@credentails'; did you mean 'credentials'?"
: >"$conf"
rm "$stage/etc/omega/sandbox.d/50-more.conf"
expect "a policy that is not there is refused" 125 -- \
	run $d --backend noop --policy none -- true
says "with those that are" "$err" "there is no policy 'none'; known: "
expect "nor is one that is misspelt" 125 -- \
	run $d --backend noop --policy stict -- true
says "which is told" "$err" "no policy 'stict'; did you mean 'strict'?"
expect "nor such an agent" 125 -- run $d --backend noop --agent cluade -- true
says "which is told" "$err" "no agent 'cluade'; did you mean 'claude'?"
expect "an agent that is not there is refused" 125 -- \
	run $d --backend noop --agent none -- true
says "with those that are" "$err" "claude, claude-online, codex"
expect "describe an agent under a policy" 0 -- \
	describe $d --backend noop --policy mcp --agent claude \
	--work-dir "$stage/home"
[ "$(wc -l <"$out")" -le 50 ] && ok "is short" || not_ok "is long"
awk 'length > 80 && NF > 1 && $0 !~ /^ *[^ ]*$/ { exit 1 }' "$out" &&
	ok "and has 80 columns" || not_ok "and is wide"
expect "all of it" 0 -- \
	describe $d --backend noop --policy mcp --agent claude \
	--work-dir "$stage/home" --all
says "has where a rule is from" "$out" "$shipped/"
expect "run --json under an agent" 0 -- \
	run $d --backend noop --agent claude --work-dir "$stage/home" \
	--json -- true
[ "$(wc -c <"$out")" -le 3072 ] && ok "has 3 KB" || not_ok "is long"
rm -rf "$stage"
echo "1..$count"
