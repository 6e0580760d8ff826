# SPDX-License-Identifier: MIT
#
# Everyday work, see use.sh: git, and what it needs of ssh.

git_identity() {
	git config --global user.name Everyday
	git config --global user.email everyday@localhost
	git config --global init.defaultBranch main
}

use_git() {
	git_identity
	git init -q "$W/one"
	cd "$W/one"
	echo 1 >file
	git add file
	git commit -qm first
	git clone -q "$W/one" "$W/two"
	git worktree add -q "$W/tree" -b other
	cd "$W/tree"
	echo 2 >>file
	git commit -qam second
	git -C "$W/one" merge -q other
	git -C "$W/two" pull -q
	test "$(wc -l <"$W/two/file")" = 2
	git -C "$W/one" worktree remove "$W/tree"
	git -C "$W/one" gc -q
	git -C "$W/one" fsck --strict
	git -C "$W/one" stash list
	git -C "$D/workspace" init -q repository
	rm -rf "$D/workspace/repository"
}

use_git_more() {
	git_identity
	git init -q "$W/one"
	cd "$W/one"
	printf '1\n2\n3\n' >file
	git add file
	git commit -qm first
	git checkout -qb side
	echo 4 >>file
	git commit -qam side
	git checkout -q main
	echo other >other
	git add other
	git commit -qm main
	git checkout -q side
	git rebase -q main
	test "$(git log --oneline | wc -l)" = 3
	echo dirty >>file
	git stash -q
	git stash pop -q
	git commit -q --amend -am amended
	printf '#!/bin/sh\ntouch hooked\n' >.git/hooks/post-commit
	chmod +x .git/hooks/post-commit
	git commit -q --allow-empty -m hooked
	test -e hooked
	git tag -am tag v1
	git archive v1 | tar -tf - | grep -qx file
	git bundle create -q "$W/bundle" --all
	git clone -q --bare "$W/bundle" "$W/bare"
	git -C "$W/bare" worktree add -q "$W/tree" side
	git -c protocol.file.allow=always submodule add -q "$W/bare" sub
	git clean -fdq
	git reflog expire --expire=now --all
	git grep -q other
}

use_git_ssh() {
	git_identity
	export GIT_SSH_COMMAND="ssh -i $SSH_IDENTITY -p $SSH_PORT \
-o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=$W/known"
	test ! -e /etc/ssh/ssh_config.d/20-everyday.conf ||
		ssh -G localhost | grep -qx 'serveraliveinterval 60'
	git clone -q "ssh://$SSH_USER@127.0.0.1$SSH_REPO" "$W/clone"
	cd "$W/clone"
	echo "$$" >>file
	git add file
	git commit -qm pushed
	git push -q origin HEAD
	git fetch -q
	$GIT_SSH_COMMAND "$SSH_USER@127.0.0.1" true
	echo sent >"$W/sent"
	scp -q -i "$SSH_IDENTITY" -P "$SSH_PORT" \
		-o UserKnownHostsFile="$W/known" "$W/sent" \
		"$SSH_USER@127.0.0.1:$W/received"
	test "$(cat "$W/received")" = sent
}

use_ssh_keys() {
	ssh-keygen -q -t ed25519 -N '' -f "$W/key"
	eval "$(ssh-agent -a "$W/agent")"
	ssh-add -q "$W/key"
	ssh-add -l
	ssh-agent -k
}
