#!/bin/sh
# SPDX-License-Identifier: MIT
#
# learn, as root and as an ordinary user: what it prints lets the same command
# pass, gives no more than that, and no secret. Prints TAP.
set -u
name=learn
. "$top_srcdir/tests/live/set-up.sh"

# learn OPTION... -- COMMAND...: leaves $work/out, err and status; the policy is
# the end of what is printed.
learn() {
	(as $w "$tool" learn $under --policy base "$@") \
		>"$work/out" 2>"$work/err"
	status=$?
	sed -n '/^policy "learnt-/,$p' "$work/out" >"$work/policy"
}

says() {
	grep -qF -e "$1" "$work/policy"
}

# again COMMAND...: under what was learnt.
again() {
	cat "$home/conf" "$work/policy" >"$home/conf2"
	(as $w "$tool" run --config "$home/conf2" --data-dir "$home/omega" \
		--work-dir "$home" \
		--policy "$(sed -n 's/^policy "\(.*\)" {/\1/p' "$work/policy")" \
		-- "$@") >"$work/out" 2>"$work/err"
}

# under_base COMMAND...: under what there was before.
under_base() {
	(as $w "$tool" run $under --policy base -- "$@") \
		>"$work/out" 2>"$work/err"
}

try() {
	home=$work/$w
	# It is where they are, and not taken unasked for.
	under="$under --work-dir $home"
	touch "$work/out" "$work/err"
	mkdir -p "$home/data/a" "$home/data/b" "$home/in" "$home/src" \
		"$home/secret"
	echo one >"$home/data/a/one"
	cat >"$home/conf" <<END
audit = "$home/log/audit"
group "credentials" { paths = { "$home/secret" } }
group "persistence" { paths = { "$home/rc" } }
policy "base" {
	read_all = true
	write = { "{work_dir}/in", "$work/out", "$work/err" }
	network = deny
}
END
	cat >>"$home/conf" <<END
agent "g" {
	read_all = true
	write = { "{work_dir}/in", "$work/out", "$work/err" }
}
END
	echo key >"$home/secret/key"
	echo rc >"$home/rc"
	[ "$w" = root ] || [ "$(id -u)" != 0 ] || chown -R 61951:61951 "$home"

	learn -- sh -c 'cat data/a/one >in/x'
	[ $status = 0 ] && says 'extends = "base"' && ! says '	write = {' &&
		! says 'network ='
	result $? "what is allowed already is not learnt"

	cat >"$home/in/s.sh" <<'END'
set -e
echo x >data/a/one
mkdir -p data/b/c && echo y >data/b/c/new
END
	under_base sh in/s.sh
	[ $? != 0 ]
	result $? "a script fails under the policy"
	learn -- sh in/s.sh
	[ $status = 0 ] && says '{work_dir}/data/a/one"' &&
		says '{work_dir}/data/b"' && ! says '{work_dir}/data"'
	result $? "and is learnt: a file that is edited, a directory for new ones"
	rm -rf "$home/data/b/c"
	again sh in/s.sh
	result $? "then it passes"
	again sh -c 'echo x >data/other' && false || [ ! -e "$home/data/other" ]
	result $? "and nothing beside it"

	learn -- sh -c 'cat secret/key; echo >>rc; echo z >data/b/z; exit 3'
	[ $status = 3 ] && ! grep -q '^key' "$work/out" &&
		says "$home/secret/key (read)" && says "$home/rc (written)" &&
		says 'deny = { "@credentials" }' && says '{work_dir}/data/b"'
	result $? "secrets are neither read nor granted, and told"

	mkdir "$home/secret/closed" && ln "$home/data/a/one" "$home/in/two"
	[ "$w" = root ] || [ "$(id -u)" != 0 ] ||
		chown 61951 "$home/secret/closed"
	chmod 0 "$home/secret/closed"
	learn -- sh -c 'cat in/two'
	[ $status = 0 ] && ! says "in/two"
	result $? "nor is what was read, though its other names are not known"
	rmdir "$home/secret/closed" && rm "$home/in/two"

	learn --merge "$home/learnt" -- sh -c 'echo x >data/a/one'
	learn --merge "$home/learnt" -- sh -c 'echo x >data/b/two'
	cp "$home/learnt" "$work/policy"
	[ $(grep -c '^policy' "$work/policy") = 1 ] && says 'data/a/one", #' &&
		says 'data/b", # written' && again sh -c '
			echo x >data/a/one && echo x >data/b/two'
	result $? "what was learnt before stays"

	learn --merge "$home/in/m" -- sh -c 'echo x >data/b/three
		rm -f in/m; ln -s ../secret/key in/m'
	[ $status = 0 ] && [ ! -L "$home/in/m" ] && ! grep -q key "$home/in/m" &&
		grep -q 'data/b", # written' "$home/in/m"
	result $? "a link in the file's place is neither read nor followed"
	rm -f "$home/in/m"
	learn --merge "$home/in/m" -- sh -c 'echo "backend = none" >in/m'
	[ $status = 0 ] && ! grep -q backend "$home/in/m" &&
		grep -q '^policy' "$home/in/m"
	result $? "nor is what the command wrote there"
	rm -f "$home/in/m"
	mkfifo "$home/in/m"
	learn --merge "$home/in/m" -- true
	[ $status = 125 ] && grep -q 'no plain file' "$work/err"
	result $? "and a pipe is no such file"
	learn -- sh -c 'mkdir "data/b/$(printf "n\033x\n y")"; echo x >data/b/*/w;
		mkdir "data/b/d"; echo y >"data/b/d/\${HOME}"'
	! grep -q "$(printf '\033')" "$work/out" && [ -s "$work/policy" ] &&
		again true
	result $? "names with control characters are shown by number"

	i=0
	while [ $i -lt 4 ]; do echo a >"$home/data/a/$i"; i=$((i + 1)); done
	chmod -R a+rwX "$home/data"
	learn -- sh -c 'for i in 0 1 2 3; do echo b >data/a/$i; done'
	says '{work_dir}/data/a"' && ! says data/a/1
	result $? "many in one directory become the directory"

	if command -v git >/dev/null; then
		(as $w git init -q in/repo) && (as $w git -C in/repo \
			-c user.name=n -c user.email=e commit -q \
			--allow-empty -m m)
		learn -- git clone -q in/repo src/clone
		[ $status = 0 ] && rm -rf "$home/src/clone" &&
			again git clone -q in/repo src/clone &&
			[ -d "$home/src/clone/.git" ]
		result $? "git clone"
	else
		skip "git clone" "no git here"
	fi
	if command -v make >/dev/null; then
		printf 'all: a.o b.o\n%%.o: %%.c\n\tcat $< >$@.tmp\n' \
			>"$home/src/Makefile"
		printf '\tmv $@.tmp $@\n' >>"$home/src/Makefile"
		touch "$home/src/a.c" "$home/src/b.c"
		learn -- make -s -C src
		[ $status = 0 ] && rm -f "$home"/src/*.o &&
			again make -s -C src && [ -e "$home/src/b.o" ]
		result $? "make"
	else
		skip "make" "no make here"
	fi

	(as $w env GITHUB_TOKEN=x "$tool" learn $under --agent g -- \
		sh -c 'echo x >data/b/z') >"$work/out" 2>"$work/err"
	cp "$work/out" "$work/policy"
	says '# beside the profile g' && says 'allow_write = {' &&
		says '{work_dir}/data/b/z", # written' && says GITHUB_TOKEN
	result $? "beside a profile: what is to be granted, and variables"
	cp "$work/out" "$home/.omega-sandbox.conf"
	[ "$w" = root ] || [ "$(id -u)" != 0 ] ||
		chown 61951 "$home/.omega-sandbox.conf"
	(as $w "$tool" run $under --agent g -- sh -c 'echo y >data/b/z') \
		>"$work/out" 2>"$work/err"
	if [ $? = 0 ] || (as $w "$tool" trust "$home") >"$work/out" 2>&1; then
		(as $w "$tool" run $under --agent g -- \
			sh -c 'echo y >data/b/z') >"$work/out" 2>"$work/err"
		result $? "and that is what the file of a project takes"
	else
		skip "the file of a project" "$(cat "$work/out")"
	fi
	(as $w "$tool" trust --revoke "$home") >/dev/null 2>&1
	rm -f "$home/.omega-sandbox.conf"

	learn --agent g --merge "$home/learnt" -- true
	[ $status = 125 ] && grep -q 'give one of them' "$work/err"
	result $? "what does not go together"

	learn
	[ $status = 125 ]
	result $? "without a command"
}

try_all try
