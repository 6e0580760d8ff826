#!/bin/sh
# SPDX-License-Identifier: MIT
#
# git_metadata = keep: a command leaves nothing that git outside would run, in
# repositories without a work tree, behind closed directories, by files that
# settings lead to, absent or not, those of the user too, or in linked worktrees;
# many repositories refuse nothing, and none closes a place outside of the work
# directory; and a link of somebody else is not followed. As root and as an
# ordinary user. Prints TAP.
set -u
. "$top_srcdir/tests/live/git-ground.sh"

# More of them: bare, closed, led to, linked, each with something to run.
make_more() {
	as "$w" sh -ec '
		git init -q --bare bare && git push -q bare main
		git init -q shut/repo && chmod 0 shut
		mkdir tools && echo "[user] name = b" >tools/settings
		echo "[user] name = c" >tools/second
		git config include.path ../tools/settings
		git config --file tools/settings include.path second
		git config "includeIf.onbranch:none.path" ../tools/third
		echo "[user] name = d" >tools/third
		git config --file tools/third include.path none/settings
		mkdir my-hooks && git -C nested config core.hooksPath \
			../my-hooks
		git init -q main-tree && git -C main-tree commit -q \
			--allow-empty -m t
		git -C main-tree config extensions.worktreeConfig true
		git -C main-tree worktree add -q ../linked
		git -C main-tree config core.hooksPath no/hooks
		git init -q out && git -C out config core.hooksPath /tmp
		git -C out config include.path /dev/shm
		git init -q out-link && rm -rf out-link/.git/hooks
		ln -s /tmp out-link/.git/hooks
	' 2>"$err"
}

attacks='
echo "[core] fsmonitor = evil" >>bare/config
echo x >bare/hooks/post-update
mv bare/config bare/c
mkdir -p bare/remotes && echo "URL: evil" >bare/remotes/origin
mkdir -p .git/remotes && echo "URL: evil" >.git/remotes/origin
mkdir -p .git/branches && echo evil >.git/branches/origin
chmod 755 shut && echo "[core] fsmonitor = evil" >>shut/repo/.git/config
mv shut open && chmod 755 open && echo x >>open/repo/.git/config
echo "[core] fsmonitor = evil" >>tools/settings
echo "[core] fsmonitor = evil" >>tools/second
echo "[core] fsmonitor = evil" >>tools/third
mv tools/settings tools/s
mv tools t
echo x >my-hooks/post-checkout
mv my-hooks m
mkdir -p tools/none && echo "[core] fsmonitor = evil" >tools/none/settings
mkdir -p main-tree/no/hooks && echo x >main-tree/no/hooks/pre-commit
mv out-link/.git/hooks out-link/.git/h
echo "[core] fsmonitor = evil" >>main-tree/.git/config
echo x >>main-tree/.git/worktrees/linked/config.worktree
mkdir -p main-tree/.git/hooks && echo x >main-tree/.git/hooks/pre-commit
echo "gitdir: /tmp" >linked/.git
'

# What settings lead to outside of the work directory stays as it was.
try_outside() {
	inside sh -ec 'f=$(mktemp /tmp/omega-out.XXXXXX) && rm "$f"
		f=$(mktemp /dev/shm/omega-out.XXXXXX) && rm "$f"' 2>"$err"
	result $? "$w: places outside are not closed by what leads there"
	as "$w" "$tool" describe --all --config "$home/sandbox.conf" \
		--data-dir "$home/omega" --agent g >"$err" 2>&1
	grep -q 'out/.git/config leads to /tmp, which is left alone' "$err"
	result $? "$w: and that is told"
}

# Settings of the user, in a home that is nobody's.
try_own_settings() {
	dir=$(getent passwd "$(id -u)" | cut -d: -f6)
	if [ "$w" = user ] || [ ! -w "$dir" ] || [ -n "$(ls -A "$dir")" ]; then
		return
	fi
	mkdir -p "$dir/.config/git" "$home/w/own"
	git config --file "$dir/.gitconfig" core.hooksPath .own-hooks
	git config --file "$dir/.gitconfig" include.path "$home/w/own/here"
	git config --file "$dir/.config/git/config" core.hooksPath \
		"$home/w/own/hooks"
	while read -r line; do
		! inside sh -ec "$line" >"$err" 2>&1
		result $? "$w cannot, by settings of the user: $line"
	done <<-END
		mkdir -p .own-hooks && echo x >.own-hooks/pre-commit
		mkdir -p nested/.own-hooks && echo x >nested/.own-hooks/x
		mv .own-hooks o
		echo "[core] fsmonitor = evil" >own/here
		mkdir -p own/hooks && echo x >own/hooks/pre-commit
		mv own o
	END
	rm -rf "$dir/.gitconfig" "$dir/.config"
}

# Links of a stranger above the work directory lead nowhere.
try_stranger() {
	if [ "$(id -u)" != 0 ]; then
		return
	fi
	ln -s "$home/w" "$work/.git"
	chown -h 61953 "$work/.git"
	as "$w" "$tool" run --config "$home/sandbox.conf" \
		--data-dir "$home/omega" --policy p -- true 2>"$err"
	result $? "$w: a link of a stranger refuses nothing"
	inside sh -c 'echo x >written' 2>"$err"
	result $? "$w: and closes nothing"
	rm -f "$work/.git"
}

# twin FROM TO: who is not root cannot copy what is closed.
twin() {
	chmod 755 "$1/shut"
	cp -a "$1" "$2"
	chmod 0 "$1/shut" "$2/shut"
}

try_many() {
	as "$w" sh -ec '
		git init -q many/0
		for i in $(seq 1 '"$1"'); do
			cp -R many/0 many/$i
		done
		mkdir many/0/out && ln -s /dev/shm many/0/out/.git' 2>"$err"
	inside sh -c 'echo x >written && git status' >"$err" 2>&1
	result $? "$w: $1 repositories refuse nothing"
	try_outside
	! inside sh -c "echo x >>many/$1/.git/config" 2>/dev/null
	result $? "$w: and the last of them is held"
	rm -rf "$home/w/many"
}

try() {
	w=$1
	if ! make_ground; then
		result 1 "$w: a repository"
		return
	fi
	if ! inside true 2>"$err"; then
		count=$((count + 1))
		echo "ok $count - $w # SKIP no command can be protected here:" \
			"$(head -n 1 "$err")"
		return
	fi
	if ! make_more; then
		result 1 "$w: repositories"
		return
	fi
	cat >>"$home/sandbox.conf" <<END
policy "p" {
	read_all = true
	write = { "{work_dir}", "/tmp" }
	git_metadata = deny
}
END
	twin "$home/w" "$home/twin"
	inside true 2>"$err"
	result $? "$w: whatever they lead to, a command starts"
	while read -r line; do
		rm -rf "$home/t2" 2>/dev/null || {
			chmod -R u+rwx "$home/t2"
			rm -rf "$home/t2"
		}
		twin "$home/twin" "$home/t2"
		as "$w" sh -ec "cd ../t2; $line" >"$err" 2>&1
		result $? "$w can outside: $line"
		! inside sh -ec "$line" >"$err" 2>&1
		result $? "$w cannot: $line"
	done <<END
$(each "$attacks")
END
	inside sh -ec 'git push bare HEAD:refs/heads/more
		git -C bare log --oneline more
		git -C nested commit --allow-empty -m n' >"$err" 2>&1
	result $? "$w: inside they are used as ever"
	as "$w" sh -ec 'git push bare HEAD:refs/heads/most
		git -C bare log --oneline most
		test "$(git -C bare rev-parse --is-bare-repository)" = true
		git -C linked status && git -C bare gc --quiet' >"$err" 2>&1
	result $? "$w: and outside"
	inside sh -c 'git init -q --bare fresh' 2>"$err"
	grep -q 'left behind: .*/fresh' "$err"
	result $? "$w: a new one without a work tree is told"
	try_outside
	try_own_settings
	try_stranger
	try_many 202
	chmod -R u+rwx "$home"
}

if [ "$(id -u)" = 0 ]; then
	try root
fi
try user
echo "1..$count"
