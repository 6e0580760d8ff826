#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Names of hosts under policy "https", by TCP: a name server of our own, in a
# network and with a resolv.conf of our own. As root and as an ordinary user.
# Prints TAP.
set -u
: "${top_builddir:=.}"
tool=$(cd "$top_builddir" && pwd)/omega-sandbox-built
if [ -z "${NAMES_PRIVATE-}" ]; then
	[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP needs root"; exit 0; }
	command -v python3 >/dev/null ||
		{ echo "1..0 # SKIP python3 is missing"; exit 0; }
	unshare -n -m --propagation private true 2>/dev/null ||
		{ echo "1..0 # SKIP no namespaces"; exit 0; }
	NAMES_PRIVATE=1 exec unshare -n -m --propagation private sh "$0" "$@"
fi
base=$(mktemp -d /tmp/omega-names.XXXXXX) || exit 99
chmod 755 "$base"
server=
cleanup() {
	[ -z "$server" ] || kill "$server" 2>/dev/null
	rm -rf "$base"
}
trap cleanup EXIT
number=0
status=0
result() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		sed 's/^/# /' "$base/said"
		status=1
	fi
}

# Without another address than the loopback's no name has one.
ip link set lo up && ip address add 198.51.100.1/32 dev lo || {
	echo "1..0 # SKIP ip is missing"
	exit 0
}
# The policy as it is shipped.
sed -n '/^policy "https"/,/^}/p' "${srcdir:-..}/etc/shipped/policies.conf" \
	>"$base/sandbox.conf"
# And one whose lists name the file alone.
cat >>"$base/sandbox.conf" <<'END'
policy "listed" {
	read = { "/usr", "/bin", "/sbin", "/lib", "/lib64", "/proc",
		"/etc/ld.so.cache", "/etc/nsswitch.conf", "/etc/hosts",
		"/etc/resolv.conf" }
	connect = { 53 }
}
END
echo "nameserver 127.0.0.1" >"$base/resolv.conf"
echo "options timeout:2 attempts:2" >>"$base/resolv.conf"
echo "hosts: files dns" >"$base/nsswitch.conf"
grep -v "^hosts" /etc/nsswitch.conf >>"$base/nsswitch.conf"
mount --bind "$base/resolv.conf" "$(realpath /etc/resolv.conf)" &&
	mount --bind "$base/nsswitch.conf" /etc/nsswitch.conf || {
	echo "1..0 # SKIP resolv.conf cannot be replaced"
	exit 0
}
# Who else would answer.
[ ! -d /run/nscd ] || mount -t tmpfs none /run/nscd

cat >"$base/server.py" <<'END'
import socket, struct, sys, threading
def answer(q):
    i = 12
    while q[i]: i += q[i] + 1
    is_a = q[i + 1:i + 3] == b"\0\1"
    a = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + bytes([198, 51, 100, 7])
    return (q[:2] + b"\x81\x80\0\1" + struct.pack(">H", is_a) + bytes(4) +
            q[12:i + 5] + (a if is_a else b""))
def note(how):
    with open(sys.argv[1] + "/asked", "a") as f: f.write(how + "\n")
def udp(s):
    while True:
        q, who = s.recvfrom(4096); note("udp"); s.sendto(answer(q), who)
def tcp(c):
    f = c.makefile("rb")
    while len(h := f.read(2)) == 2:
        note("tcp"); r = answer(f.read(struct.unpack(">H", h)[0]))
        c.sendall(struct.pack(">H", len(r)) + r)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(("127.0.0.1", 53))
t = socket.socket(); t.bind(("127.0.0.1", 53)); t.listen(50)
open(sys.argv[1] + "/up", "w").close()
threading.Thread(target=udp, args=(u,), daemon=True).start()
while True:
    threading.Thread(target=tcp, args=(t.accept()[0],), daemon=True).start()
END
python3 "$base/server.py" "$base" &
server=$!
i=0
while [ ! -e "$base/up" ] && [ $i -lt 600 ]; do
	sleep 0.1
	i=$((i + 1))
done

as_user() {
	setpriv --reuid 61951 --regid 61951 --clear-groups --inh-caps=-all "$@"
}
as_root() {
	"$@"
}
# POLICY [NAME=VALUE...] COMMAND...
inside() {
	policy=$1
	shift
	"as_$who" "$tool" run --config "$base/sandbox.conf" --policy "$policy" \
		--data-dir "$base/$who/.omega" -- "$@" >"$base/said" 2>&1
}
echo "1..13"
for who in root user; do
	mkdir "$base/$who"
	[ "$who" = root ] || chown 61951:61951 "$base/$who"
	"as_$who" getent ahostsv4 www.test >"$base/said" 2>&1
	result $? "$who: a name outside"
	: >"$base/asked"
	inside https getent ahostsv4 www.test && grep -q "198.51.100.7" "$base/said"
	result $? "$who: a name under https"
	# As for those who look into resolv.conf alone.
	for policy in https listed; do
		inside "$policy" env -u RES_OPTIONS getent ahostsv4 www.test &&
			grep -q "198.51.100.7" "$base/said"
		result $? "$who: a name under $policy, without the variable"
	done
	[ "$(sort -u "$base/asked")" = tcp ]
	result $? "$who: it was asked by TCP"
	inside default cmp /etc/resolv.conf "$base/resolv.conf"
	result $? "$who: without a list the file is the host's"
done

# The host changes it, and who was prepared before has the next command see it.
ask='{"id": 1, "policy": "https", "argv": ["cat", "/etc/resolv.conf"]}'
answers() {
	i=0
	while [ "$(wc -l <"$base/answers")" -lt "$1" ] && [ $i -lt 300 ]; do
		sleep 0.1
		i=$((i + 1))
	done
}
: >"$base/answers"
{
	echo "$ask"
	answers 1
	echo "# changed" >>"$base/resolv.conf"
	echo "$ask"
	answers 2
} | "$tool" rpc --config "$base/sandbox.conf" >>"$base/answers" 2>"$base/said"
sed -n 1p "$base/answers" | grep -q "use-vc" &&
	! sed -n 1p "$base/answers" | grep -q "# changed" &&
	sed -n 2p "$base/answers" | grep "# changed" | grep -q "use-vc"
result $? "a file that was changed, for the next command"
exit $status
