#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Names that are absent in the work directory of an agent, and that its profile
# lets nobody make, stay absent: whatever a command does, with another one beside
# it, when the tool is killed, and when it leaves processes behind. Afterwards
# nothing is left. As root and as an ordinary user. Prints TAP.
set -u
name=planted
. "$top_srcdir/tests/live/set-up.sh"

run() {
	as "$w" sh -c 'cd w && exec "$0" "$@"' "$tool" run $under --agent g -- "$@"
}

# fresh: a repository with a file of somebody and an empty directory of theirs.
fresh() {
	rm -rf "$work/$w/w"
	(as "$w" sh -c 'mkdir -p w/.idea && cd w && git init -q . &&
		echo x >kept') || return
	# What git_metadata makes, stays.
	(run true) 2>"$work/err" || return
	listing >"$work/before"
}

listing() {
	(cd "$work/$w/w" && find . -path ./.git -prune -o -print | LC_ALL=C sort)
}

# clean TEXT: soon there is nothing else than before.
clean() {
	tries=0
	while listing >"$work/out" && ! cmp -s "$work/out" "$work/before"; do
		tries=$((tries + 1))
		[ $tries -le 300 ] || break
		sleep 0.1
	done
	cmp -s "$work/out" "$work/before"
	result $? "$1"
}

# What a command tries; says which of them worked.
cat >"$work/attack" <<'END'
try() {
	"$@" 2>/dev/null && echo "WORKED: $*"
}
content() {
	echo evil >"$1"
}
for n in .mcp.json .vscode .claude/settings.json .claude/hooks; do
	try content $n
	try content $n/x
	try mkdir $n/x
	try rmdir $n
	try ln -sfn /tmp $n/l
	try mv $n /tmp/away.$$
	try mv $n other.$$
	mkdir -p evil.$$ && try mv -T evil.$$ $n
	try rm -rf $n
	try chmod 777 $n
	try ln -sfT /tmp $n
	rm -rf evil.$$
done
try mv .claude other.$$
try rmdir .claude
try rm -rf .claude
try umount .vscode
try git clean -qfdx .vscode .claude
# Who has a lock keeps nobody from removing it.
(command -v flock >/dev/null && flock -n .vscode sleep 1; true) &
rm -rf other.$$ /tmp/away.$$
echo tried
wait
END

attack() {
	run sh "$work/attack" >"$work/out" 2>"$work/err"
}

# nothing_worked TEXT
nothing_worked() {
	grep -q tried "$work/out" && ! grep -q WORKED "$work/out"
	result $? "$1"
}

# begin NAME COMMAND...: in the background, until $work/NAME.go is there. Its
# number in $pid.
begin() {
	id=$1
	shift
	rm -f "$work/$w/$id.go"
	(run sh -c "echo begun; i=0; while ! [ -e ../$id.go ] && [ \$i -lt 600 ]
		do sleep 0.1; i=\$((i + 1)); done
		$*; echo over" >"$work/$id.out" 2>&1) &
	pid=$!
	wait_for "$work/$id.out" begun
}

go() {
	: >"$work/$w/$1.go"
}

# The tool itself, not a shell around it.
kill_tool() {
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
}

alone() {
	fresh
	result $? "there is a place"
	[ -d "$work/$w/w/.idea" ] && [ ! -e "$work/$w/w/.vscode" ]
	result $? "afterwards nothing is left but what was there"
	(as "$w" "$tool" describe $under --work-dir "$work/$w/w" --agent g) \
		>"$work/out" 2>"$work/err"
	tr '\n' ' ' <"$work/out" | tr -s ' ' |
		grep -q '4 of the names that are absent are in the work'
	result $? "describe says so"
	(run git status --porcelain) >"$work/out" 2>"$work/err"
	! grep -v kept "$work/out" >/dev/null
	result $? "git does not see them"
	(attack)
	nothing_worked "nothing can be planted"
	clean "and nothing is left"
	(run sh -c 'echo x >.claude/notes') 2>"$work/err"
	[ "$(cat "$work/$w/w/.claude/notes")" = x ] &&
		[ "$(stat -c %a "$work/$w/w/.claude")" = 755 ]
	result $? "what may be written beside them stays"
	rm -rf "$work/$w/w/.claude"
	clean "and that alone"
}

two() {
	fresh
	begin one "sh $work/attack"
	first=$pid
	begin two true
	go two
	wait "$pid"
	(attack)
	nothing_worked "with another one beside it nothing is planted"
	begin two true
	go one
	wait "$first"
	cp "$work/one.out" "$work/out"
	nothing_worked "nor by the one that began first"
	go two
	wait "$pid"
	clean "after two at once nothing is left"
	i=0
	while [ $i -lt 6 ]; do
		(run sh "$work/attack") >"$work/six.$i" 2>/dev/null &
		i=$((i + 1))
	done
	wait
	cat "$work"/six.* >"$work/out"
	rm "$work"/six.*
	nothing_worked "six at once plant nothing"
	clean "and nothing is left of them"
}

killed() {
	fresh
	begin one "sh $work/attack"
	kill_tool
	sleep 0.3
	go one
	tries=0
	while ! grep -q over "$work/one.out" && [ $tries -lt 50 ] &&
		pgrep -f "$work/attack" >/dev/null; do
		tries=$((tries + 1))
		sleep 0.1
	done
	! grep WORKED "$work/one.out" >"$work/out"
	result $? "what outlives a killed tool plants nothing"
	clean "and when it has ended nothing is left"
	begin one true
	first=$pid
	begin two "sh $work/attack"
	second=$pid
	pid=$first
	kill_tool
	go one
	sleep 0.3
	go two
	wait "$second"
	cp "$work/two.out" "$work/out"
	nothing_worked "nor does one beside a killed one"
	clean "and nothing is left of both"
	# It goes on in the background when the tool has ended.
	rm -f "$work/$w/late.go" "$work/late.out"
	(run sh -c "(setsid sh -c 'i=0; while ! [ -e ../late.go ] &&
		[ \$i -lt 600 ]; do sleep 0.1; i=\$((i + 1)); done
		sh $work/attack' >../late.out 2>&1 </dev/null &)") \
		>"$work/out" 2>"$work/err"
	go late
	wait_for "$work/$w/late.out" tried
	cp "$work/$w/late.out" "$work/out"
	nothing_worked "what is left running plants nothing"
	clean "and when it has ended nothing is left"
}

# What other people, and keepers that were killed, have there.
found() {
	fresh
	(as "$w" sh -c 'cd w && mkdir .vscode .claude && chmod +t .vscode &&
		ln -s ../elsewhere .claude/hooks && mkdir ../elsewhere')
	(attack)
	[ -d "$work/$w/w/.idea" ] && [ ! -e "$work/$w/w/.vscode" ] &&
		[ -L "$work/$w/w/.claude/hooks" ] &&
		[ -z "$(ls -A "$work/$w/elsewhere")" ]
	result $? "links lead nowhere, and what was left once is removed"
	rm -rf "$work/$w/w/.claude" "$work/$w/elsewhere"
	begin one true
	(as "$w" sh -c 'echo mine >w/.vscode/settings.json')
	go one
	wait "$pid"
	tries=0
	while [ "$(stat -c %a "$work/$w/w/.vscode")" != 755 ] &&
		[ $tries -lt 50 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	[ "$(cat "$work/$w/w/.vscode/settings.json")" = mine ] &&
		[ "$(stat -c %a "$work/$w/w/.vscode")" = 755 ]
	result $? "what somebody outside puts in one stays"
	fresh
	(as "$w" sh -c 'cd w && exec "$0" "$@"' "$tool" run $under --agent g \
		--backend none -- sh -c 'echo x >.vscode/x; rm -rf .mcp.json
		echo evil >.mcp.json') 2>"$work/err"
	grep -q 'left behind: .*/w/.vscode:' "$work/err" &&
		grep -q 'left behind: .*/w/.mcp.json:' "$work/err"
	result $? "what nobody holds is told afterwards"
}

try() {
	cat >>"$work/$w/conf" <<END
plugin "bwrap" { program = "/none" }
agent "g" {
	read_all = true
	write = { "{work_dir}", "$work/$w/w", "$work/$w", "/tmp" }
	deny_write = {
		"{work_dir}/.git/hooks", "{work_dir}/.git/config",
		"{work_dir}/.mcp.json", "{work_dir}/.vscode",
		"{work_dir}/.idea", "{work_dir}/.claude/settings.json",
		"{work_dir}/.claude/hooks"
	}
	git_metadata = keep
	network = allow
}
END
	command -v git >/dev/null || {
		skip everything "there is no git"
		return
	}
	alone
	two
	killed
	found
}

try_all try
