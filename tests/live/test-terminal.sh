#!/bin/sh
# SPDX-License-Identifier: MIT
#
# "omega-sandbox run" on a terminal, driven through tmux, as root and as an
# ordinary user: programs that take the whole screen, Ctrl-Z and fg, another
# window size, Ctrl-C, jobs in the background. Once alone and once with a
# time-out, which puts a supervisor between.
set -u
tool=$(cd "$top_builddir" && pwd)/omega-sandbox-built
count=0
failed=

plan_skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

[ -x "$tool" ] || plan_skip "omega-sandbox-built was not built"
for program in tmux bash less stty; do
	command -v $program >/dev/null || plan_skip "there is no $program"
done
editor=
for program in vim vim.tiny vim.basic; do
	! command -v $program >/dev/null || {
		editor=$program
		break
	}
done
# A socket's name must be short.
work=$(mktemp -d /tmp/omega-tty.XXXXXX) || exit 99
chmod 755 "$work"

# as WHO COMMAND...: as root, or as a user that root becomes.
as() {
	who=$1
	shift
	prefix=
	if [ "$who" = user ] && [ "$(id -u)" = 0 ]; then
		prefix="setpriv --reuid 61951 --regid 61951 --clear-groups
			--inh-caps=-all"
	fi
	# shellcheck disable=SC2086
	(cd "$work/$who" && exec $prefix env -i PATH="$PATH" \
		HOME="$work/$who" SHELL=/bin/sh TERM=screen LC_ALL=C.UTF-8 \
		"$@" </dev/null)
}

tm() {
	as "$w" tmux -S "$work/$w/s" -f /dev/null "$@" 2>"$work/err"
}

finish() {
	for w in root user; do
		[ ! -S "$work/$w/s" ] || tm kill-server
	done
	# A server that is on its way out still writes there.
	tries=0
	until rm -rf "$work" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -le 100 ] || break
		sleep 0.1
	done
}
trap finish EXIT
trap 'exit 99' INT TERM HUP

# type WORD...: keys, by tmux's names.
type() {
	tm send-keys -t 0 "$@"
}

# wait_for WHAT COMMAND...: until it succeeds, a minute at most.
wait_for() {
	what=$1
	shift
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		if [ $tries -gt 600 ]; then
			failed=$what
			return 1
		fi
		sleep 0.1
	done
}

is_seen() {
	tm capture-pane -p -t 0 | grep -qF -- "$1"
}

# see TEXT: wait until it is on the screen.
see() {
	wait_for "no \"$1\" on the screen" is_seen "$1"
}

is_shell_in_front() {
	[ "$(tm display-message -p -t 0 '#{pane_current_command}')" = bash ]
}

is_other_in_front() {
	! is_shell_in_front
}

# What is typed before the shell has the terminal back may go to the program.
shell() {
	wait_for "the shell has not got the terminal back" is_shell_in_front
}

# An empty screen with a prompt.
fresh() {
	shell || return 1
	type C-u C-l
	type "clear; echo begin-\$((40 + 2))" Enter
	see begin-42
}

# status N: how the last one has ended.
status() {
	shell && type 'echo status=$?' Enter && see "status=$1"
}

result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $w$how: $2"
		return
	fi
	echo "not ok $count - $w$how: $2"
	echo "# $failed"
	tm capture-pane -p -t 0 | sed 's/^/# | /'
	# What is still there would disturb the rest.
	begin
}

skip() {
	count=$((count + 1))
	echo "ok $count - $w$how: $1 # SKIP $2"
}

# A session with a shell in it.
begin() {
	[ ! -S "$work/$w/s" ] || tm kill-server
	tm new-session -d -x 80 -y 24 \
		"env PS1='now> ' bash --norc --noprofile -i" || return 1
	tm set-option -g window-size manual
	tm resize-window -t 0 -x 80 -y 24
	type "set +H; bind 'set enable-bracketed-paste off'" Enter
	fresh
}

use_less() {
	fresh && type "$run less lines" Enter && see 'line 23' || return 1
	type C-z && see Stopped || return 1
	fresh && type fg Enter && see 'line 23' || return 1
	# As large as the window.
	tm resize-window -t 0 -x 100 -y 40 && see 'line 39' || return 1
	# Then line 10 is there again; a key that comes in between can be lost.
	tm resize-window -t 0 -x 80 -y 24 && see 'line 10' || return 1
	type C-z && see Stopped || return 1
	fresh && type fg Enter && see 'line 23' || return 1
	type q && fresh && type 'jobs; echo jobs=$?' Enter && see jobs=0 || return 1
	! is_seen Stopped
}

use_vim() {
	rm -f "$work/$w/text"
	fresh && type "$run $editor -u NONE -i NONE -n text" Enter &&
		see '~' || return 1
	type ifirst Enter && see first || return 1
	type Escape && sleep 0.2
	# Vim stops its process group, of which it can reach only itself.
	type C-z && see Stopped || return 1
	fresh && type fg Enter && see first || return 1
	type Gosecond Escape && see second && sleep 0.2
	type ':wq' Enter && fresh && type 'echo status=$?; cat text' Enter &&
		see second || return 1
	[ "$(grep -c . "$work/$w/text")" = 2 ] || failed="what was typed is lost"
	grep -q second "$work/$w/text"
}

# The size that a program is told of.
use_window_size() {
	fresh && type "$run sh -c 'trap \"stty size\" WINCH; stty size; \
while :; do sleep 0.1; done'" Enter && see '24 80' || return 1
	tm resize-window -t 0 -x 90 -y 31 && see '31 90' || return 1
	type C-c
	tm resize-window -t 0 -x 80 -y 24
	status 130
}

use_interrupt() {
	fresh && type "$run sh -c 'trap \"echo ca\"\"ught; exit 3\" INT; \
echo u\"\"p; while :; do sleep 0.1; done'" Enter && see up || return 1
	type C-c && see caught || return 1
	status 3
}

# One that does not mind: nor does the tool.
use_ignored_interrupt() {
	fresh && type "$run sh -c 'trap \"\" INT; echo u\"\"p; read x; \
echo got-\$x'" Enter && see up || return 1
	type C-c && sleep 0.5
	type word Enter && see got-word || return 1
	status 0
}

# It wants to read and is not in the foreground.
use_background() {
	fresh && type "$run cat &" Enter || return 1
	# The shell tells with its next prompt.
	tries=0
	while ! is_seen Stopped; do
		tries=$((tries + 1))
		[ $tries -le 120 ] || return 1
		type Enter
		sleep 0.5
	done
	fresh && type fg Enter && wait_for "it is not in front" \
		is_other_in_front || return 1
	type hello Enter && see hello || return 1
	type C-d
	status 0
}

try() {
	w=$1
	mkdir "$work/$w"
	i=1
	while [ $i -le 60 ]; do
		echo "line $i"
		i=$((i + 1))
	done >"$work/$w/lines"
	mkdir "$work/$w/omega"
	echo >"$work/$w/conf"
	run="$tool run --config $work/$w/conf --data-dir $work/$w/omega"
	printf '#!/bin/sh\nexec %s "$@"\n' "$run" >"$work/$w/go"
	printf '#!/bin/sh\nexec %s --timeout 3600 "$@"\n' "$run" \
		>"$work/$w/go-limited"
	chmod 755 "$work/$w/go" "$work/$w/go-limited"
	[ "$w" = root ] || [ "$(id -u)" != 0 ] ||
		chown -R 61951:61951 "$work/$w"
	how=
	if ! as "$w" ./go true 2>"$work/err"; then
		skip everything "no command can be protected here: $(head -n 1 \
			"$work/err")"
		return
	fi
	if ! begin; then
		skip everything "tmux cannot be driven here: $(head -n 1 \
			"$work/err") $failed"
		return
	fi
	for how in "" ", with a time-out"; do
		run=./go
		[ -z "$how" ] || run=./go-limited
		use_less
		result $? "less, Ctrl-Z, fg, another size"
		if [ -n "$editor" ]; then
			use_vim
			result $? "vim, Ctrl-Z, fg"
		else
			skip "vim, Ctrl-Z, fg" "there is no vim"
		fi
		use_window_size
		result $? "the size of the window, Ctrl-C"
		use_interrupt
		result $? "Ctrl-C reaches the command, whose status counts"
		use_ignored_interrupt
		result $? "Ctrl-C that the command ignores"
		use_background
		result $? "a job in the background that reads"
	done
}

if [ "$(id -u)" = 0 ]; then
	try root
fi
try user
echo "1..$count"
