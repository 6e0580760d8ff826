#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What a person grants beside a policy: on the command line, by a policy's file
# and by the file of a project; what cannot be granted, and who forbids it; and
# which current directories are no work directory. Needs the Linux backends.
set -u
: "${top_builddir:=.}"
tool=$(cd "$top_builddir" && pwd)/omega-sandbox-built
LC_ALL=C
export LC_ALL
count=0

if [ ! -x "$tool" ]; then
	echo "1..0 # SKIP omega-sandbox-built was not built"
	exit 0
fi
base=$(mktemp -d /var/tmp/omega-grants.XXXXXX) || exit 99
base=$(cd "$base" && pwd -P)
said=$(mktemp -d /tmp/omega-grants.XXXXXX) || exit 99
home=$(getent passwd "$(id -u)" | cut -d: -f6)
trap 'rm -rf "$base" "$said" "$home/.config/omega/trusted"' EXIT
trap 'exit 99' HUP INT TERM
mkdir -p "$base/work/sub" "$base/omega/data" "$base/out" "$base/[x]*" \
	"$base/denied" "$base/secret"
echo data >"$base/omega/data/memory.db"
echo out >"$base/out/file"
echo secret >"$base/secret/file"
cat >"$base/sandbox.conf" <<END
policy "lists" {
	read = { "/usr", "/bin", "/lib", "/lib64", "/etc", "{work_dir}" }
	write = { "{work_dir}", "/tmp" }
	execute = { "/usr", "/bin", "/lib", "/lib64" }
	deny = { "$base/denied" }
}
policy "floor" {
	write = {
		"{work_dir}", "/tmp", "$base/[[]x][*]"
	}
	env_deny = { FORBIDDEN }
}
policy "broad" { write = { "$base/work", "$base/out", "/tmp" } }
policy "linked" { write = { "$base/work/link", "$base/work", "/tmp" } }
END
{
	cat <<END
floor = "house"
policy "house" {
	deny = { "@keys" }
	network = deny
}
group "keys" {
	paths = { "$base/secret" }
}
agent "helper" {
	description = "helps"
}
END
	cat "$base/sandbox.conf"
} >"$base/house.conf"
{
	echo 'floor = floor'
	cat "$base/sandbox.conf"
} >"$base/floor.conf"
cat >"$base/policy.conf" <<END
policy "mine" {
	extends = "base"
	deny_read = { "$base/secret" }
}
policy "base" {
	extends = "lists"
	write = { "$base/out" }
}
END
cat >"$base/open.conf" <<END
policy "open" {
	read_all = true
	write = { "{work_dir}", "/tmp" }
	deny_read = { "$base/secret" }
}
END
chmod -R go-w "$base"
# What a command writes to is checked too, and /tmp is on the lists.
out=$said/out
err=$said/err
cd "$base/work" || exit 99

result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		sed 's/^/# /' "$out" "$err"
	fi
}

# run OPTION... -- COMMAND...
run() {
	"$tool" run --config "$base/sandbox.conf" --data-dir "$base/omega" \
		--policy lists "$@" >"$out" 2>"$err"
}

if ! run -- true; then
	echo "1..0 # SKIP $(tail -n 1 "$err")"
	exit 0
fi

# ---- On the command line ----------------------------------------------------

run -- touch "$base/out/new"
[ $? != 0 ] && [ ! -e "$base/out/new" ]
result $? "what the policy does not list cannot be written"
run --write "$base/out" -- touch "$base/out/new" && [ -e "$base/out/new" ]
result $? "--write lets it be written"
run --write ../out -- sh -c "cat $base/out/file >$base/out/copy" &&
	[ -s "$base/out/copy" ]
result $? "a relative name too, and it can be read"
! run -- cat "$base/out/file" && run --read "$base/out" -- cat "$base/out/file"
result $? "--read lets it be read"
! run --read "$base/out" -- touch "$base/out/more" && [ ! -e "$base/out/more" ]
result $? "and not written"
cp /bin/true "$base/out/program"
! run --read "$base/out" -- "$base/out/program" &&
	run --execute "$base/out" -- "$base/out/program"
result $? "--execute lets it be run"
run --write "$base/out" --write "$base/[x]*" -- \
	touch "$base/out/both" "$base/[x]*/both" && [ -e "$base/[x]*/both" ]
result $? "several of them, and names that look like patterns"
A_TOKEN=hush B_TOKEN=hush run --env A_TOKEN --env C=set -- \
	sh -c 'echo $A_TOKEN,$B_TOKEN,$C' && [ "$(cat "$out")" = hush,,set ]
result $? "--env passes a variable on, or sets one"
run --write "$base/absent" -- true
[ $? = 125 ] && grep -q -- "--write $base/absent: No such file.*make it first" "$err"
result $? "what is not there is told"

# ---- What nobody grants himself ---------------------------------------------

run --write /etc -- true
[ $? = 125 ] &&
	grep -q -- "--write /etc cannot be granted: /etc is always" "$err"
result $? "the system directories are not granted"
run --read "$base/omega/data" -- cat "$base/omega/data/memory.db"
[ $? = 125 ] && grep -q "always protected" "$err" && ! grep -q '^data' "$out"
result $? "nor is the agent's data"
run --read "$base/denied" -- true
[ $? = 125 ] &&
	grep -q "denied forbids it ($base/sandbox.conf:5)" "$err"
result $? "nor what an administrator denies, which is told by file and line"
"$tool" run --config "$base/floor.conf" --data-dir "$base/omega" \
	--policy lists --write "$base/out" -- touch "$base/out/floor" \
	>"$out" 2>"$err"
[ $? = 125 ] && [ ! -e "$base/out/floor" ] &&
	grep -q "cannot be granted: .*($base/floor.conf:9)" "$err"
result $? "nor what a floor does not list, which is told by file and line"
"$tool" run --config "$base/floor.conf" --data-dir "$base/omega" \
	--policy lists --write "$base/[x]*" -- touch "$base/[x]*/floor" \
	>"$out" 2>"$err" && [ -e "$base/[x]*/floor" ]
result $? "what it lists is granted"
sed 's/^floor = .*/floor = broad/' "$base/floor.conf" >"$base/broad.conf"
ln -s "$base/out" link
! "$tool" run --config "$base/broad.conf" --data-dir "$base/omega" \
	--policy linked -- touch "$base/out/linked" >"$out" 2>"$err" &&
	[ ! -e "$base/out/linked" ]
result $? "nor does a list open by a link what a floor lists by its name"
rm link
FORBIDDEN=x "$tool" run --config "$base/floor.conf" \
	--data-dir "$base/omega" --policy lists --env FORBIDDEN -- \
	sh -c 'echo "<$FORBIDDEN>"' >"$out" 2>"$err"
[ "$(cat "$out")" = "<>" ] &&
	grep -q "not granted: the variable FORBIDDEN: $base/floor.conf:12" \
		"$err"
result $? "a floor keeps a variable, which is told by file and line"
run --env NO_SUCH_VARIABLE -- true
grep -q "warning: --env NO_SUCH_VARIABLE: there is no such" "$err"
result $? "a variable that is not set is told"
run --env -- true
[ $? = 125 ] && grep -q -- "--env needs a value before --" "$err"
result $? "what ends the options is no name"
"$tool" run --config "$base/house.conf" --data-dir "$base/omega" \
	--policy lists --read "$base/secret" -- true >"$out" 2>"$err"
[ $? = 125 ] && grep -q "secret forbids it ($base/house.conf:3)" "$err"
result $? "what a floor denies by a group is told by the line of the floor"
"$tool" run --config "$base/house.conf" --data-dir "$base/omega" \
	--policy default --allow-host www.test:443 -- true >"$out" 2>"$err"
[ $? = 125 ] &&
	grep -q -- "--allow-host www.test:443 cannot be granted: network \
forbids it ($base/house.conf:4)" "$err"
result $? "a host that a floor keeps is told"
"$tool" describe --config "$base/house.conf" --data-dir "$base/omega" \
	--policy lists --agent helper >"$out" 2>"$err"
grep -q "^policy lists, floor house, agent helper, held by" "$out"
result $? "describe names floors and agents"

# ---- Sockets ----------------------------------------------------------------

if command -v python3 >/dev/null; then
	python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
time.sleep(60)' "$base/out/agent" &
	agent=$!
	tries=0
	while [ ! -S "$base/out/agent" ] && [ $((tries += 1)) -le 300 ]; do
		sleep 0.1
	done
	run --write "$base/out/agent" -- true
	[ $? = 125 ] &&
		grep -q "allow_sockets = { \"$base/out/agent\" }" "$err"
	result $? "a socket is not granted as a file, and told how it is"
	kill $agent
	if command -v script >/dev/null; then
		SSH_AUTH_SOCK=$base/out/agent A_TOKEN=x script -qec "$tool run \
			--config $base/sandbox.conf --data-dir $base/omega \
			--policy lists -- true" /dev/null >"$out" 2>"$err"
		grep -q "not passed on: .*A_TOKEN" "$out" &&
			! grep -q SSH_AUTH_SOCK "$out"
		result $? "nor is its variable proposed"
	fi
fi

# ---- A policy by its path ---------------------------------------------------

by_file() {
	"$tool" run --config "$base/sandbox.conf" --data-dir "$base/omega" \
		--policy-file "$base/policy.conf" "$@" >"$out" 2>"$err"
}
by_open() {
	"$tool" run --config "$base/sandbox.conf" --data-dir "$base/omega" \
		--policy-file "$base/open.conf" "$@" >"$out" 2>"$err"
}
by_file -- touch "$base/out/filed" && [ -e "$base/out/filed" ] &&
	! by_file -- touch "$base/secret/file"
result $? "--policy-file has the first policy of a file, and what it extends"
! by_file -- cat "$base/secret/file" &&
	by_file --read "$base/secret" -- cat "$base/secret/file" &&
	grep -q secret "$out"
result $? "what it denies by name can be granted by name"
mkdir "$base/secret/sub"
echo other >"$base/secret/other"
echo deep >"$base/secret/sub/deep"
ln -s /usr "$base/secret/link"
cat >"$base/wide.conf" <<END
policy "wide" {
	read_all = true
	deny = { "$base/secret" }
}
END
wide() {
	"$tool" run --config "$base/sandbox.conf" --data-dir "$base/omega" \
		--policy-file "$base/wide.conf" "$@" >"$out" 2>"$err"
}
wide --read "$base/secret/sub/deep" -- cat "$base/secret/sub/deep" &&
	grep -q deep "$out"
result $? "and a part of it alone"
wide --read "$base/secret/file" -- sh -c "cat $base/secret/file && ls /usr
	cat $base/secret/other $base/secret/sub/deep; echo >$base/secret/new
	echo >>$base/secret/file; rm -f $base/secret/other"
grep -q secret "$out" && ! grep -q -e other -e deep "$out" &&
	[ -s "$base/secret/other" ] && [ ! -e "$base/secret/new" ] &&
	[ "$(cat "$base/secret/file")" = secret ]
result $? "not what is beside it, nor to be changed"
wide --write "$base/secret/file" -- true
[ $? = 125 ]
result $? "of which nothing is granted for writing"
ln -s "$base/secret" tok
by_open --read tok -- cat "$base/secret/file"
[ $? = 125 ] && ! grep -q '^secret' "$out" &&
	grep -q "it leads to $base/secret: name that" "$err"
result $? "and not by a link that a command may have made, which is told"
ln -s "$base/secret" "$base/kept"
by_open --read "$base/kept" -- cat "$base/secret/file" && grep -q secret "$out"
result $? "but by one that it may not"
rm tok "$base/kept"
cp "$base/policy.conf" "$base/work/policy.conf"
"$tool" run --config "$base/sandbox.conf" --data-dir "$base/omega" \
	--policy-file policy.conf -- sh -c 'echo x >>policy.conf' \
	>"$out" 2>"$err"
cmp -s "$base/policy.conf" policy.conf
result $? "a command cannot change it"
"$tool" run --config "$base/floor.conf" --data-dir "$base/omega" \
	--policy-file "$base/policy.conf" -- touch "$base/out/below" \
	>"$out" 2>"$err"
[ ! -e "$base/out/below" ]
result $? "and it is below every floor"
"$tool" run --policy-file nosuch -- true >"$out" 2>"$err"
[ $? = 125 ] && grep -q "policy-file nosuch: No such file" "$err" &&
	! grep -q granted "$err"
result $? "one that is not there is told"
by_file --policy lists -- true
[ $? = 125 ] && grep -q "give one of them" "$err"
result $? "it is given instead of --policy"
chmod go+w policy.conf
"$tool" run --config "$base/sandbox.conf" --policy-file policy.conf -- true \
	>"$out" 2>"$err"
[ $? = 125 ] && grep -q chmod "$err"
result $? "one that others can write is refused"
chmod go-w policy.conf
echo 'group "g" { paths = { "/x" } }' >>policy.conf
"$tool" run --config "$base/sandbox.conf" --policy-file policy.conf -- true \
	>"$out" 2>"$err"
[ $? = 125 ] && grep -q "policy.conf:9: .* no group sections" "$err"
result $? "as is one with something else in it"

# ---- The file of a project --------------------------------------------------

mine=.omega-sandbox.conf
printf 'allow_write = { "%s" }\nenv_allow = { A_TOKEN }\n' "$base/out" >$mine
run -- touch "$base/out/project"
[ ! -e "$base/out/project" ] && grep -q "its directory: omega-sandbox trust" "$err"
result $? "a project's file is not believed, and told how to"
"$tool" trust >"$out" 2>"$err" && A_TOKEN=hush run -- \
	sh -c "touch $base/out/project; echo \$A_TOKEN" &&
	[ -e "$base/out/project" ] && grep -q hush "$out" && [ ! -s "$err" ]
result $? "after trust it is"
run -- sh -c "echo >>$mine; mv $mine x; touch $home/.config/omega/trusted/x"
grep -q '^allow_write' $mine && [ "$(wc -l <$mine)" = 2 ] &&
	[ ! -e "$home/.config/omega/trusted/x" ]
result $? "a command changes neither it nor what is trusted"
cp $mine "$base/mine"
printf 'allow_write = { "%s", "%s" }\n' "$base/denied" "$base/absent" >$mine
"$tool" trust >"$out" 2>"$err"
run -- true
grep -q "not granted: $base/denied: $base/sandbox.conf:5 forbids" "$err" &&
	grep -q "allow_write: $base/absent does not exist" "$err"
result $? "what it grants in vain is told"
cp "$base/mine" $mine
"$tool" trust >"$out" 2>"$err"
echo '# more' >>$mine
run -- touch "$base/out/changed"
[ ! -e "$base/out/changed" ] && grep -q "not trusted as it is" "$err"
result $? "one that has changed is not believed"
"$tool" trust . >"$out" 2>"$err" && "$tool" trust --revoke >"$out" 2>"$err" &&
	! run -- touch "$base/out/changed"
result $? "trust can be taken back"
mkdir cfg
printf 'allow_read = { "%s" }\n' "$base/work/cfg" >$mine
"$tool" trust >"$out" 2>"$err"
by_open -- sh -c "mv cfg old && ln -s $base/secret cfg" && [ -L cfg ] &&
	! by_open -- cat "$base/secret/file" && ! grep -q '^secret' "$out"
result $? "a link in place of what it allows lifts no deny"
grep -q "not granted: .*/cfg is left out: .*/cfg is a link, and a" "$err"
result $? "and is told"
rm -r cfg old
printf 'allow_write = { "%s" }\n' "$base/out" >$mine
cp $mine sub/$mine
"$tool" trust >"$out" 2>"$err"
run --work-dir sub -- touch "$base/out/sub"
[ ! -e "$base/out/sub" ]
result $? "the same content elsewhere is another file"
echo 'policy "p" { }' >$mine
"$tool" trust >"$out" 2>"$err"
run -- true
[ $? = 125 ] && grep -q "$mine:1: a project's file has no sections" "$err"
result $? "sections have no place in it"
echo 'allow_writ = { "/x" }' >$mine
"$tool" trust >"$out" 2>"$err"
run -- true
[ $? = 125 ] && grep -q "did you mean 'allow_write'?" "$err"
result $? "and slips are told"
rm $mine
ln -s /etc/passwd $mine
"$tool" trust >"$out" 2>"$err"
[ $? = 2 ]
result $? "a link is not trusted"
rm $mine

# other KIND COMMAND...: makes something else of that name.
other() {
	kind=$1
	shift
	"$@"
	run -- touch done && [ -e done ] && grep -q "$mine is left out: it is" "$err"
	result $? "$kind in its place is left out, and a command starts"
	"$tool" trust >"$out" 2>"$err"
	[ $? = 2 ] && grep -q "$mine: it is not a regular file" "$err"
	result $? "and is not trusted"
	rm -rf $mine done
}
other "a named pipe" mkfifo $mine
other "a directory" mkdir $mine
other "a link" ln -s /etc/passwd $mine
other "a link to nothing" ln -s nothing $mine
other "a link to itself" ln -s $mine $mine
! command -v python3 >/dev/null || other "a socket" python3 -c "import socket
socket.socket(socket.AF_UNIX).bind('$mine')"
if [ "$(id -u)" != 0 ]; then
	echo >$mine
	chmod 0 $mine
	run -- true && grep -q "$mine is left out: Permission denied" "$err"
	result $? "as is what cannot be read"
	rm -f $mine
fi
mkdir gone
echo 'allow_read = { "/usr" }' >gone/$mine
before=$(ls "$home/.config/omega/trusted")
"$tool" trust gone >"$out" 2>"$err" && rm -r gone &&
	[ "$before" != "$(ls "$home/.config/omega/trusted")" ] &&
	"$tool" trust --revoke gone/ >"$out" 2>"$err" &&
	[ "$before" = "$(ls "$home/.config/omega/trusted")" ]
result $? "trust in a directory that is gone can be taken back"

# ---- The work directory -----------------------------------------------------

for dir in / "$home" /proc; do
	cd "$dir" || exit 99
	run -- true
	[ $? = 125 ] && grep -q -- "--work-dir" "$err"
	result $? "$dir is no work directory unless that is said"
	"$tool" run --config "$base/sandbox.conf" --data-dir "$base/omega" -- \
		true >"$out" 2>"$err"
	result $? "which does not matter to a policy without one"
done
cd / || exit 99
grep -q "is /: say which" "$err" || run -- true
grep -q "^omega-sandbox: the current directory is /: change to" "$err"
result $? "and it is told why"
cd "$home" && HOME=$base run --work-dir . -- true
result $? "one that is said is taken"
cd "$base/work" && HOME=$base/work run -- true
[ $? = 125 ] && grep -q "is a home" "$err"
result $? "HOME is a home"
echo "1..$count"
