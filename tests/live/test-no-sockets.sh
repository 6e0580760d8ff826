#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Real programs without a network, with UNIX sockets of their own and without
# any: what needs none works with both; what needs some works with "own" and
# fails with "none", as sandbox.conf(5) says. As an ordinary user and as root.
# Prints TAP.
set -u
: "${top_builddir:=.}"
tool=$(cd "$top_builddir" && pwd)/omega-sandbox-built
base=$(mktemp -d /tmp/omega-none.XXXXXX) || exit 99
chmod 755 "$base"
trap 'rm -rf "$base"' EXIT
: >"$base/sandbox.conf"
number=0
status=0
result() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $who: $2"
	else
		echo "not ok $number - $who: $2"
		sed 's/^/# /' "$base/said"
		status=1
	fi
}
skip() {
	number=$((number + 1))
	echo "ok $number - $who: $1 # SKIP $2"
}

inside() {
	which=$1
	shift
	(cd "$base/$who" && HOME=$base/$who TERM=dumb timeout 100 $as "$tool" \
		run --config "$base/sandbox.conf" --net deny \
		--unix-sockets "$which" --data-dir "$base/$who/.omega" -- \
		sh -ec "$1" </dev/null >"$base/said" 2>&1)
}

# NAME PROGRAM works|fails SCRIPT: what comes of it without UNIX sockets.
try() {
	command -v "$2" >/dev/null || {
		skip "$1" "there is no $2"
		return
	}
	(cd "$base/$who" && HOME=$base/$who TERM=dumb timeout 100 \
		$as sh -ec "$4" </dev/null >"$base/said" 2>&1) || {
		skip "$1" "it does not work outside either"
		return
	}
	inside own "$4"
	result $? "$1 with sockets of its own"
	if [ "$3" = works ]; then
		inside none "$4"
		result $? "$1 without any"
	else
		! inside none "$4"
		result $? "$1 needs some"
	fi
}

pool() {
	cat <<END
cat >pool-$1.py <<'EOF'
import multiprocessing as mp
def square(x): return x * x
if __name__ == "__main__":
    mp.set_start_method("$1")
    with mp.Pool(2) as p: assert p.map(square, range(4)) == [0, 1, 4, 9]
EOF
$python pool-$1.py
END
}

python=/usr/bin/python3
all() {
	try "Python, fork" $python works "$(pool fork)"
	try "Python, spawn" $python works "$(pool spawn)"
	try "Python, forkserver" $python fails "$(pool forkserver)"
	try "Python, asyncio" $python works "$python -c '
import asyncio
async def main():
    p = await asyncio.create_subprocess_exec(\"echo\", \"x\", stdout=-1)
    assert (await p.communicate())[0] == b\"x\\n\"
asyncio.run(main())'"
	try "Node.js, child processes" node works 'echo "process.send(1)" >c.js
node -e "const c = require(\"child_process\"); c.execSync(\"true\");
c.fork(\"./c.js\").on(\"message\", m => process.exit(m - 1))"'
	try "Node.js, workers" node works 'node -e "
const {Worker} = require(\"worker_threads\");
new Worker(\"require(\\\"worker_threads\\\").parentPort.postMessage(1)\",
	{eval: true}).on(\"message\", m => process.exit(m - 1))"'
	try "make -j" make works 'printf "all: a b\na b:\n\t@\$(MAKE) -s -f s.mk \$@.o\n" >m.mk
printf "%%.o:\n\t@echo \$@\n" >s.mk; make -s -j4 -f m.mk'
	try "gcc" gcc works 'echo "int main(){return 0;}" >m.c; gcc m.c -o m; ./m'
	try "git" git works 'rm -rf g; git init -q g; cd g
git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x'
	try "sqlite" sqlite3 works 'rm -f d; sqlite3 d "pragma journal_mode=wal; create table t(a);"'
	try "users and hosts" getent works 'getent passwd root; getent hosts localhost'
	try "rsync" rsync works 'rm -rf a b; mkdir a; date >a/f; rsync -a a/ b/; cmp a/f b/f'
	try "tmux" tmux fails 'unset TMUX; export TMUX_TMPDIR=$PWD
tmux -f /dev/null new-session -d "sleep 60"; tmux ls; tmux kill-server'
	try "ssh-agent" ssh-agent fails 'rm -f ag; eval "$(ssh-agent -a "$PWD/ag")"; ssh-agent -k'
}

for who in root user; do
	as=
	if [ "$who" = root ]; then
		[ "$(id -u)" = 0 ] || continue
		mkdir "$base/root"
	else
		mkdir "$base/user"
		if [ "$(id -u)" = 0 ]; then
			as="setpriv --reuid 61951 --regid 61951 --clear-groups --inh-caps=-all"
			chown 61951:61951 "$base/user"
		fi
	fi
	all
done
echo "1..$number"
exit $status
