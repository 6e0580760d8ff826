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
echo "1..6"
for who in root user; do
	mkdir "$base/$who"
	[ "$who" = root ] || chown 61951:61951 "$base/$who"
	"as_$who" getent ahostsv4 www.test >"$base/said" 2>&1
	result $? "$who: a name outside"
	: >"$base/asked"
	"as_$who" "$tool" run --config "$base/sandbox.conf" --policy https \
		--data-dir "$base/$who/.omega" -- getent ahostsv4 www.test >"$base/said" 2>&1 &&
		grep -q "198.51.100.7" "$base/said"
	result $? "$who: a name under https"
	[ "$(sort -u "$base/asked")" = tcp ]
	result $? "$who: it was asked by TCP"
done
exit $status
