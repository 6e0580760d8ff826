#!/bin/sh
# SPDX-License-Identifier: MIT
#
# learn with programs that people use, in a work directory that the policy gives
# only in part: each fails, is learnt, and passes under what learn printed. As
# root and as an ordinary user. Prints TAP.
set -u
name=learn
. "$top_srcdir/tests/live/set-up.sh"

# program NAME TOOLS SCRIPT: SCRIPT is run in the home; it says what it made by
# its exit. Between runs everything is put back.
program() {
	for needed in $2; do
		command -v "$needed" >/dev/null || {
			skip "$1" "there is no $needed"
			return
		}
	done
	rm -rf "$home/t"
	cp -Rp "$home/begin" "$home/t"
	printf '%s\n' "set -e" "$3" >"$home/script"
	chmod a+r "$home/script"
	(as $w timeout 60 "$tool" run $under --policy base -- sh script) \
		>"$work/out" 2>"$work/err"
	[ $? != 0 ]
	result $? "$1 fails under the policy"
	rm -rf "$home/t"
	cp -Rp "$home/begin" "$home/t"
	(as $w timeout 100 "$tool" learn $under --policy base -- sh script) \
		>"$work/out" 2>"$work/err"
	result $? "$1 is learnt"
	sed -n '/^policy "learnt-/,$p' "$work/out" >"$work/policy"
	cat "$home/conf" "$work/policy" >"$home/conf2"
	rm -rf "$home/t"
	cp -Rp "$home/begin" "$home/t"
	(as $w timeout 60 "$tool" run --config "$home/conf2" --data-dir \
		"$home/omega" --work-dir "$home" --policy learnt-sh -- \
		sh script) >"$work/out" 2>"$work/err"
	passed=$?
	[ $passed = 0 ] || cat "$work/policy" >>"$work/err"
	result $passed "and passes under what was learnt"
}

try() {
	home=$work/$w
	under="$under --work-dir $home"
	touch "$work/out" "$work/err"
	mkdir -p "$home/begin/pkg" "$home/begin/c"
	cat >>"$home/conf" <<END
group "credentials" { paths = { "$home/none" } }
group "persistence" { paths = { "$home/none" } }
policy "base" {
	read_all = true
	write = { "$work/out", "$work/err", "/dev/shm" }
	network = deny
}
END
	echo '{ "name": "x", "version": "1.0.0", "scripts": { "test":
		"node -e \"require('\'fs\'').writeFileSync('\'report\'', '\'ok\'')\""
		} }' >"$home/begin/pkg/package.json"
	echo 'int main(void) { return 0; }' >"$home/begin/c/main.c"
	printf 'main: main.o\n\t$(CC) -o $@ main.o\n' >"$home/begin/c/Makefile"
	printf 'install: main\n\tmkdir -p out && cp main out/\n' \
		>>"$home/begin/c/Makefile"
	(cd "$home/begin" && git init -q repo && git -C repo -c user.name=n \
		-c user.email=e commit -q --allow-empty -m m) 2>/dev/null
	[ "$w" = root ] || [ "$(id -u)" != 0 ] || chown -R 61951:61951 "$home"

	program "git clone" git 'git clone -q t/repo t/clone
		git -C t/clone log --oneline | grep -q m'
	program "npm test" "npm node" 'cd t/pkg && npm test --silent
		grep -q ok report'
	program "a web server and curl" "python3 curl" '
		python3 -m http.server --bind 127.0.0.1 --directory t 8123 \
			>t/log 2>&1 & server=$!
		i=0; until curl -sf -o t/got http://127.0.0.1:8123/c/main.c
		do sleep 0.2; i=$((i + 1)); [ $i -lt 50 ]; done
		kill $server; cmp t/got t/c/main.c'
	program "make and cc" "make cc" 'make -s -C t/c install && t/c/out/main'
	program "vim" vim 'vim -u NONE -es -c "%s/0/1/" -c "wq" t/c/main.c \
			</dev/null
		grep -q 1 t/c/main.c'
}

try_all try
