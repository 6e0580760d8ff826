#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The profiles of agents with the real programs, by ./dev agents: try.sh TOOL,
# where that is installed. Each is taken from npm once, into AGENTS_DIR or a
# directory below ~/.cache, and then started in a home that has never seen it:
# first start on a terminal, state that is found again, what it is told of MCP
# servers, and git in its work directory; as root and as an ordinary user, whose
# homes are those of a passwd(5) of this script's own, in a mount namespace.
# Prints TAP; where npm is not reached it says so.
set -u
tool=${1-omega-sandbox}
dir=${AGENTS_DIR-$HOME/.cache/omega-sandbox-agents}
packages="@anthropic-ai/claude-code @openai/codex @google/gemini-cli opencode-ai"
count=0
status=0

result() { # result STATUS TEXT
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $w: $2"
	else
		echo "not ok $count - $w: $2"
		sed 's/^/# /' "$work/out" | tail -n 20
		status=1
	fi
}

plan_skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

[ "$(id -u)" = 0 ] || plan_skip "only root can give them homes of their own"
[ -n "${AGENTS_APART-}" ] ||
	AGENTS_APART=1 exec unshare -m --propagation private sh "$0" "$@"
for program in npm node tmux git setpriv; do
	command -v $program >/dev/null || plan_skip "there is no $program"
done
for name in claude codex gemini opencode; do
	[ -e "$dir/node_modules/.bin/$name" ] && continue
	mkdir -p "$dir"
	# shellcheck disable=SC2086
	npm install --silent --no-fund --no-audit --prefix "$dir" $packages \
		>"$dir/log" 2>&1 ||
		plan_skip "npm: $(grep -m 1 -i err "$dir/log")"
done
work=$(mktemp -d /var/tmp/omega-agents.XXXXXX) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
chmod 755 "$work"
uid=61951
{
	grep -v '^root:' /etc/passwd
	echo "root:x:0:0::$work/root:/bin/sh"
	echo "agent:x:$uid:$uid::$work/user:/bin/sh"
} >"$work/passwd"
mount --bind "$work/passwd" /etc/passwd || exit 99

# as COMMAND...: in the work directory, with the home of $w.
as() {
	prefix=
	[ "$w" != user ] ||
		prefix="setpriv --reuid $uid --regid $uid --clear-groups"
	# shellcheck disable=SC2086
	(cd "$home/w" && exec $prefix env -i PATH="$PATH" HOME="$home" \
		TERM=xterm-256color LANG=C.UTF-8 "$@" </dev/null)
}

# inside AGENT ARG...: the program itself, in its sandbox.
inside() {
	agent=$1
	shift
	as timeout 120 "$tool" run --config "$home/conf" \
		--data-dir "$home/.omega" --agent "$agent" -- \
		"$(readlink -f "$dir/node_modules/.bin/$agent")" "$@" \
		>"$work/out" 2>&1
}

sh_inside() { # sh_inside AGENT SCRIPT
	as timeout 120 "$tool" run --config "$home/conf" \
		--data-dir "$home/.omega" --agent "$1" -- sh -ec "$2" \
		>"$work/out" 2>&1
}

# screen AGENT PATTERN: it gets so far on a terminal.
screen() {
	socket=$home/tmux.$1
	as tmux -S "$socket" new-session -d -x 110 -y 40 "
		'$tool' run --config '$home/conf' --data-dir '$home/.omega' \
		--agent $1 -- \
		'$(readlink -f "$dir/node_modules/.bin/$1")'; sleep 60"
	tries=0
	found=1
	while [ $found != 0 ] && [ $tries -lt 60 ]; do
		sleep 1
		tries=$((tries + 1))
		as tmux -S "$socket" capture-pane -p >"$work/out" 2>&1
		grep -qE "$2" "$work/out" && found=0
	done
	as tmux -S "$socket" kill-server 2>/dev/null
	return $found
}

# Nothing of ours is left in the work directory, soon after the last has ended.
is_clean() {
	tries=0
	while [ -n "$(find "$home/w" -path "$home/w/.git" -prune -o \
		-perm -1000 -print | head -n 1)" ] && [ $tries -lt 100 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	[ -z "$(find "$home/w" -perm -1000 | tee "$work/out")" ]
}

try_git() { # try_git AGENT
	sh_inside "$1" 'git status --short
		echo '"$1"' >one && git add one && git commit -qm one
		echo '"$1"' >two && git add two && git commit -qm '"$1"'
		git rebase -q --root --exec true && echo x >>one
		git stash -q && git stash pop -q && git checkout -q one
		git push -q bare.git HEAD:refs/heads/'"$1"'
		git clone -q bare.git -b '"$1"' inner && rm -rf inner
		git log --oneline | grep -q '"$1"''
	result $? "$1: git in the work directory"
	! sh_inside "$1" 'echo evil >.git/hooks/pre-commit'
	result $? "$1: but not what git runs"
	! sh_inside "$1" 'echo "{}" >.mcp.json'
	result $? "$1: nor what others would obey"
	[ -z "$(as git status --porcelain | grep -v bare.git)" ] && is_clean
	result $? "$1: nothing is left in it"
}

try() {
	home=$work/$w
	mkdir -p "$home/w"
	: >"$home/conf"
	(cd "$home/w" && git init -q -b main . &&
		git init -q --bare bare.git &&
		git config user.name n && git config user.email n@example.org &&
		echo bare.git >.gitignore && git add .gitignore &&
		git commit -qm begin)
	[ "$w" != user ] || chown -R $uid:$uid "$home"
	if ! as "$tool" run --config "$home/conf" --data-dir "$home/.omega" \
		-- true >"$work/out" 2>&1; then
		count=$((count + 1))
		echo "ok $count - $w # SKIP $(head -n 1 "$work/out")"
		return
	fi
	screen claude 'Choose the text style|Let.s get started|Welcome to Claude'
	result $? "claude: first start"
	inside claude mcp add ours -- /bin/true &&
		inside claude mcp get ours && grep -q /bin/true "$work/out"
	result $? "claude: an MCP server is kept"
	inside claude -p hello
	grep -q 'Please run /login' "$work/out"
	result $? "claude: it wants to be signed in, and nothing else"
	screen codex 'Sign in with ChatGPT'
	result $? "codex: first start"
	screen codex 'Sign in with ChatGPT'
	result $? "codex: second start"
	inside codex login status
	grep -q 'Not logged in' "$work/out"
	result $? "codex: its state is found again"
	screen gemini 'Do you trust|How would you like to authenticate|Get started'
	result $? "gemini: first start"
	inside gemini mcp add -s user ours /bin/true &&
		inside gemini mcp list && grep -q /bin/true "$work/out"
	result $? "gemini: an MCP server is kept"
	inside opencode debug config && grep -q schema "$work/out" &&
		inside opencode session list
	result $? "opencode: first start, and its state"
	for agent in claude codex gemini opencode; do
		try_git $agent
	done
}

for w in root user; do
	try
done
echo "1..$count"
exit $status
