#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run --why, as root and as an ordinary user: what was refused is told with its
# rule and what would allow it, and nothing else is; and a command that is
# watched runs as any other, whatever happens to those who watch. Prints TAP.
set -u
name=why
. "$top_srcdir/tests/live/set-up.sh"

# why OPTION... -- COMMAND...: leaves $work/out, err and status.
why() {
	(as $w "$tool" run $under --policy "$policy" --why "$@") \
		>"$work/out" 2>"$work/err"
	status=$?
}

# The same under a policy of the caller's own.
mine() {
	(as $w "$tool" run $under --policy-file "$home/mine" --why "$@") \
		>"$work/out" 2>"$work/err"
}

# says TEXT: at the end, on standard error.
says() {
	grep -qF -e "$1" "$work/err"
}

# The watcher of this test's own run; the tool is its parent.
find_watcher() {
	tries=0
	while watcher=$(pgrep -x -P "$1" watcher); [ -z "$watcher" ]; do
		[ $((tries += 1)) -gt 300 ] && return 1
		sleep 0.1
	done
}

# upset SIGNAL: send it to the watcher while a command runs that counts.
upset() {
	rm -f "$work/$w/go" "$work/$w/n"
	(as $w "$tool" run $under --policy ours --why -- sh -c '
		while [ ! -e go ]; do sleep 0.1; done
		for i in 1 2 3 4 5; do cat conf >/dev/null && echo $i; done' \
		) >"$work/out" 2>"$work/err" &
	ours=$!
	find_watcher $ours || return 1
	kill "-$1" "$watcher"
	touch "$work/$w/go"
	wait $ours && [ "$(tail -n 1 "$work/out")" = 5 ]
}

try() {
	home=$work/$w
	# It is where they are, and not taken unasked for.
	under="$under --work-dir $home"
	policy=ours
	touch "$work/out" "$work/err"
	mkdir -p "$home/other/sub" "$home/other/a b;c" "$home/secret" \
		"$home/in" "$home/hidden"
	echo key >"$home/hidden/key"
	echo kept >"$home/kept"
	cat >"$home/mine" <<END
policy "mine" {
	read_all = true
	write = { "{work_dir}", "$work/out", "$work/err" }
	deny = { "$home/hidden" }
	deny_write = { "$home/kept" }
}
END
	echo key >"$home/secret/key"
	echo text >"$home/other/text"
	cat >"$home/conf" <<END
audit = "$home/log/audit"
policy "ours" {
	read_all = true
	write = { "{work_dir}/in", "$work/out", "$work/err" }
	deny = { "$home/secret" }
	network = deny
}
policy "few" {
	read = { "/usr", "/bin", "/lib", "/lib64", "/etc" }
	write = { "$work/out", "$work/err" }
}
END
	[ "$w" = root ] || [ "$(id -u)" != 0 ] || chown -R 61951:61951 "$home"
	list=$(grep -n 'write =' "$home/conf" | cut -d: -f1)
	deny=$(grep -n 'deny = {' "$home/conf" | cut -d: -f1)

	why -- sh -c 'echo x >in/new && cat other/text'
	[ $status = 0 ] && [ "$(cat "$work/out")" = text ] &&
		says "nothing was refused"
	result $? "nothing refused, nothing told"

	why -- sh -c 'echo x >other/new; echo y >other/text; echo z >other/text'
	says "write    $home/other/new and 1 more, 3 times" &&
		says "by write ($home/conf:$list)" &&
		says "would be allowed by --write $home/other"
	result $? "writing: how often, by which rule, what would allow it"

	why -- sh -c 'echo x >~/lone'
	says "write    $home/lone" && says "no narrow option allows it"
	result $? "all of a home is no advice"

	why -- sh -c 'echo x >other/text; rm other/sub/x; mkdir other/sub/y'
	says "would be allowed by --write $home/other/text \
--write $home/other/sub" && ! says "$home/other/sub/x" &&
		why --write "$home/other/text" --write "$home/other/sub" -- \
			sh -c 'echo text >other/text; mkdir other/sub/y' &&
		says "nothing was refused" && rmdir "$home/other/sub/y"
	result $? "the file itself, or the directory of what is made"

	why -- sh -c 'echo x >"other/a b;c/n"'
	says "would be allowed by --write '$home/other/a b;c'"
	result $? "what is to be typed is quoted"

	mine -- sh -c 'cat hidden/key; echo x >>kept'
	says "read     $home/hidden/key" && says "--read $home/hidden" &&
		says "write    $home/kept, 1 time" && says "--write $home/kept" &&
		! says "no option"
	result $? "what a policy that was chosen denies can be granted"
	mine --read "$home/hidden" --write "$home/kept" -- \
		sh -c 'cat hidden/key && echo x >>kept && mv kept other/k &&
		mv other/k kept' && says "nothing was refused"
	result $? "by what is told"

	mine -- sh -c 'echo y >new; mv new kept'
	says "write    $home/kept, " && says "--write $home/kept"
	result $? "a name that is mounted on was refused too"

	policy=few
	why -- cat other/text
	policy=ours
	says "would be allowed by --read $home/other/text"
	result $? "of what is read no more than the file"

	why -- sh -c 'mkdir other/sub other/made; rm other/text; rm -f other/no
		mv other/text in/text; ln -s a other/link; chmod 600 other/text'
	says "write    $home/other/made" && says "other/made and 2 more" &&
		[ "$(cat "$home/other/text")" = text ]
	result $? "what is there already, or absent, was not refused"

	why -- sh -c 'cat secret/key; cat secret/none; ls secret'
	says "read     $home/secret" && says "($home/conf:$deny)" &&
		says "no option allows it" && ! says "$home/secret/none"
	result $? "reading what a rule denies"

	why -- sh -c 'echo x >/etc/omega-why; cat /etc/passwd >/dev/null
		echo x >/dev/null; cat /proc/self/status >/dev/null'
	if [ $w = root ]; then
		says "write    /etc/omega-why" && says "by /etc (built in)" &&
			says "no option allows it" &&
			[ "$(grep -c '^  [a-z]' "$work/err")" = 1 ]
	else
		says "nothing was refused"
	fi
	result $? "the system; what the user may not do anyway is not told"

	if command -v python3 >/dev/null; then
		why -- python3 -c 'import socket
for a in "192.0.2.1", "127.0.0.1":
	try: socket.socket().connect((a, 81))
	except OSError: pass'
		says "connect  192.0.2.1:81, 1 time" && says "by network (" &&
			! says 127.0.0.1
		result $? "the network"
		mine --net deny -- python3 -c 'import socket
socket.socket().connect(("192.0.2.1", 81))'
		says "by network (--net)" && says "by leaving out --net"
		result $? "which the command line denies"
	else
		skip "the network" "no python3 here"
		skip "which the command line denies" "no python3 here"
	fi

	why --json -- sh -c 'echo x >other/new; exit 3'
	[ $status = 3 ] && grep -q '"refused": \[' "$work/out" &&
		grep -qF "\"path\": \"$home/other/new\"" "$work/out" &&
		grep -qF "\"allow\": \"--write $home/other\"" "$work/out"
	result $? "as JSON, supervised"

	why --timeout 20 -- sh -c 'echo x >other/new'
	says "write    $home/other/new, 1 time"
	result $? "supervised"

	why -- sh -c 'i=0
		while [ $i -lt 40 ]; do mkdir other/$i/a; echo >/nowhere-$i/a
			echo >other/d$i; i=$((i + 1)); done'
	[ "$(grep -c '' "$work/err")" -lt 160 ] &&
		[ "$(sed '1,/why:/d' "$work/err" | grep -c '')" -le 22 ]
	result $? "at most a screen"

	why -- ./nothing-here
	[ $status = 127 ] && ! says "why:"
	result $? "a command that is not there"

	why -- sh -c 'kill -9 $$'
	[ $status = 137 ]
	result $? "a command that a signal ends"

	if command -v script >/dev/null; then
		for act in 'echo x >other/new; exit 1' 'exit 1' \
			'echo x >other/new; exit 0'; do
			(as $w env LC_ALL=C script -qec "$tool run $under \
				--policy ours -- sh -c '$act'" /dev/null) 2>&1
			echo "that was $act"
		done >"$work/err"
		[ "$(grep -c 'run --why' "$work/err")" = 1 ] &&
			sed '/that was/q' "$work/err" | grep -q 'run --why'
		result $? "a hint on a terminal, after a failure with a refusal"
	else
		skip "a hint on a terminal" "no script here"
	fi

	upset KILL && says "is not known"
	result $? "who watches is killed: the command goes on"

	upset STOP
	result $? "who watches is stopped: the command goes on"
	kill -CONT "$watcher" 2>/dev/null

	# What is left running goes on when the tool has ended.
	rm -f "$home/in/late"
	why -- sh -c '(sleep 2; cat conf >in/late) >/dev/null 2>&1 &'
	tries=0
	while [ ! -s "$home/in/late" ] && [ $((tries += 1)) -le 300 ]; do
		sleep 0.1
	done
	[ -s "$home/in/late" ]
	result $? "what it leaves running goes on"
	tries=0
	while pgrep -x watch-keeper >/dev/null && [ $((tries += 1)) -le 100 ]; do
		sleep 0.1
	done
	! pgrep -x watch-keeper >/dev/null
	result $? "and nobody stays who watches"

	(as $w env GITHUB_TOKEN=x "$tool" run $under --policy ours --why -- \
		true) >"$work/out" 2>"$work/err"
	says 'not passed on: GITHUB_TOKEN (--env NAME passes one on)'
	result $? "a variable that was removed is told"
	(as $w env GITHUB_TOKEN=x "$tool" run $under --policy ours --json \
		--why -- true) 2>"$work/err" | cat >"$work/out"
	tr -d ' \n' <"$work/out" |
		grep -q '"removed_variables":\["GITHUB_TOKEN"\]'
	result $? "and is in the list"
}

try_all try
