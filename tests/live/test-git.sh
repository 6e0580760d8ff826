#!/bin/sh
# SPDX-License-Identifier: MIT
#
# git_metadata = keep with a real git: everyday work goes on inside, nothing
# that git outside obeys can be changed, in the repository and in those below
# it, and what is left is told. As root and as an ordinary user. Prints TAP.
set -u
. "$top_srcdir/tests/live/git-ground.sh"

# What must not succeed inside, and does outside in a copy.
attacks='
echo evil >.git/commondir
rm -f .git/commondir; ln -s x .git/commondir
mv .git/commondir .git/x
echo "[core] fsmonitor = evil" >>.git/config
git config core.fsmonitor evil
git config --worktree core.fsmonitor evil
echo x >>.git/config.worktree
mv .git/config .git/c
echo x >.git/hooks/post-checkout
mv .git/hooks .git/h
echo "* filter=x" >>.git/info/attributes
mv .git/info .git/i
mkdir .git/modules/evil
echo x >>.git/modules/module/config
mkdir .git/worktrees/evil
echo /x >>.git/objects/info/alternates
mv .git .g
rm -rf .git/hooks && test ! -e .git/hooks
echo "[core] fsmonitor = evil" >>nested/.git/config
echo evil >nested/.git/commondir
echo x >nested/.git/hooks/pre-commit
mv nested/.git nested/.g
mv nested n
echo gitdir: /tmp >module/.git
mv module/.git module/g
rm module/.git
mv module m
'

# What goes on. The last line undoes what would disturb the next round.
uses='
git status
echo 2 >f && git add f && git commit -m 2
git commit --amend -m 3
git checkout -b side && echo 4 >g && git add g && git commit -m 4
git checkout main && git merge --no-edit side
git checkout -b other HEAD~1 && echo 5 >h && git add h && git commit -m 5
GIT_SEQUENCE_EDITOR=true git rebase -i main
echo 6 >>f && git stash && git stash pop && git checkout f
git fetch && git push origin main && git pull --ff-only origin main
git reset --hard HEAD~1 && git cherry-pick ORIG_HEAD
git revert --no-edit HEAD
git bisect start HEAD HEAD~2 && git bisect good && git bisect reset
git tag t && git notes add -m note && git branch -D side
git gc --quiet && git repack -adq && git fsck
git log --oneline && git diff HEAD~1 && git blame f
git -C nested commit --allow-empty -m more && git -C nested gc --quiet
'

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
	test "$(as "$w" git status --porcelain 2>/dev/null | grep -v nested/)" \
		= "" 2>"$err"
	result $? "$w: the work tree is as it was"
	while read -r line; do
		inside sh -ec "$line" >"$err" 2>&1
		result $? "$w works: $line"
	done <<END
$(each "$uses")
END
	cp -a "$home/w" "$home/twin"
	while read -r line; do
		rm -rf "$home/t2"
		cp -a "$home/twin" "$home/t2"
		# Outside it can be done: else the attempt is none.
		as "$w" sh -ec "cd ../t2
			git config extensions.worktreeConfig true
			$line" >"$err" 2>&1
		result $? "$w can outside: $line"
		! inside sh -ec "$line" >"$err" 2>&1
		result $? "$w cannot: $line"
	done <<END
$(each "$attacks")
END
	rm -rf "$home/t2" "$home/twin"

	# What nobody can hold is told; what was there before is not.
	inside true 2>"$err"
	! grep -q 'left behind' "$err"
	result $? "$w: nothing is left, nothing is said"
	inside sh -c 'mkdir .git/rebase-merge &&
		echo "exec evil" >.git/rebase-merge/git-rebase-todo' 2>"$err"
	grep -q 'left behind: .*/.git/rebase-merge/git-rebase-todo' "$err"
	result $? "$w: a rebase under way is told"
	inside true 2>"$err"
	! grep -q 'left behind' "$err"
	result $? "$w: and is not told again"
	inside sh -c 'sleep 1; echo "exec evil" \
		>>.git/rebase-merge/git-rebase-todo' 2>"$err"
	grep -q 'left behind' "$err"
	result $? "$w: unless it was changed"
	inside git init -q deep/er 2>"$err"
	grep -q 'left behind: .*/deep/er/.git' "$err"
	result $? "$w: a new repository is told"
	# Outside all is well.
	rm -rf "$home/w/.git/rebase-merge" "$home/w/deep"
	as "$w" sh -ec 'git status && git commit --allow-empty -m o &&
		git worktree add ../tree && git -C ../tree status &&
		git config x.y z && git gc --quiet &&
		git clone . ../clone && git submodule update' >"$err" 2>&1
	result $? "$w: git outside is as ever"
}

if [ "$(id -u)" = 0 ]; then
	try root
fi
try user
echo "1..$count"
