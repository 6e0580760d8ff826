# SPDX-License-Identifier: MIT
#
# git-ground.sh - read by test-git.sh and test-git-planted.sh: a repository with
# a remote and others in it, and commands in it, as root and as a user.
set -u
tool=$(cd "$top_builddir" && pwd)/omega-sandbox-built
if [ ! -x "$tool" ] || ! command -v git >/dev/null; then
	echo "1..0 # SKIP omega-sandbox-built was not built, or there is no git"
	exit 0
fi
count=0
work=$(mktemp -d "$(pwd)/omega-git.XXXXXX") || exit 99
err=$(mktemp /tmp/omega-git.XXXXXX) || exit 99
chmod 666 "$err"
trap 'rm -rf "$work" "$err"' EXIT
chmod 755 "$work"

result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		sed 's/^/# /' "$err" 2>/dev/null
	fi
}

# as WHO COMMAND...: in the repository, as root or as a user root becomes.
as() {
	who=$1
	shift
	prefix=
	if [ "$who" = user ] && [ "$(id -u)" = 0 ]; then
		prefix="setpriv --reuid 61951 --regid 61951 --clear-groups
			--inh-caps=-all"
	fi
	# shellcheck disable=SC2086
	(cd "$work/$who/w" && exec $prefix env -i PATH="$PATH" \
		HOME="$work/$who" GIT_CONFIG_NOSYSTEM=1 "$@" </dev/null)
}

inside() {
	as "$w" "$tool" run --config "$home/sandbox.conf" \
		--data-dir "$home/omega" --agent g -- "$@"
}

# A repository with a remote, one below it, a module, and a pointer.
make_ground() {
	home=$work/$w
	mkdir -p "$home/w" "$home/omega/data"
	[ "$w" = root ] || [ "$(id -u)" != 0 ] || chown -R 61951:61951 "$home"
	cat >"$home/sandbox.conf" <<END
agent "g" {
	description = "a stand-in"
	write = { "{work_dir}", "/tmp", "/dev/shm", "$home/remote" }
	git_metadata = keep
}
END
	chmod 644 "$home/sandbox.conf"
	as "$w" sh -ec '
		git config --global user.email a@b
		git config --global user.name a
		git config --global protocol.file.allow always
		git config --global init.defaultBranch main
		git init -q --bare ../remote
		git init -q . && git remote add origin ../remote
		echo 1 >f && git add f && git commit -qm 1
		git push -q -u origin main
		git init -q ../module && git -C ../module commit -q \
			--allow-empty -m m
		git submodule -q add ../module module
		git commit -qm module
		git init -q nested && git -C nested commit -q --allow-empty -m n
	' 2>"$err"
}

each() {
	printf '%s\n' "$1" | sed '/^$/d'
}
