# SPDX-License-Identifier: MIT
#
# A network with one server in it, for scripts that have sourced set-up.sh and
# are in namespaces of their own: sourced, with $servers set as hosts-server.py
# has them, behind port 80. Leaves www.test and others, and wait_until.
server=
host=
trap 'kill $server $host 2>/dev/null; rm -rf "$work"' EXIT

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test \
	-addext 'subjectAltName=DNS:www.test,DNS:other.test' \
	-keyout "$work/key.pem" -out "$work/cert.pem" 2>"$work/err" ||
	plan_skip "openssl makes no certificate"
mkdir "$work/www" "$work/root" "$work/user"
chown 61951:61951 "$work/user"
chmod 644 "$work/cert.pem"
echo "hello from outside" >"$work/www/index.html"
head -c 3000000 /dev/zero | tr '\0' x >"$work/www/large"
if command -v git >/dev/null; then
	(cd "$work" && git init -q repo && cd repo &&
		git -c user.name=t -c user.email=t@test commit -q \
			--allow-empty -m first && cd .. &&
		git clone -q --bare repo www/repo.git && cd www/repo.git &&
		git update-server-info) >"$work/err" 2>&1
fi
unshare -n sh -c 'while ! ip link show v1 >/dev/null 2>&1; do sleep 0.1; done
	ip link set lo up
	ip address add 203.0.113.10/24 dev v1
	ip address add 10.77.0.5/24 dev v1
	ip link set v1 up
	exec python3 "$0" "$@"' "$top_srcdir/tests/live/hosts-server.py" "$work" \
	$servers >"$work/server.log" 2>&1 &
server=$!
ip link set lo up && ip link add v0 type veth peer name v1 &&
	ip link set v1 netns $server && ip address add 203.0.113.1/24 dev v0 &&
	ip address add 10.77.0.1/24 dev v0 && ip link set v0 up ||
	plan_skip "no network of our own"
python3 "$top_srcdir/tests/live/hosts-server.py" "$work" \
	3002:http 8080:http >"$work/host.log" 2>&1 &
host=$!
cat >"$work/etc-hosts" <<'END'
127.0.0.1 localhost
203.0.113.10 www.test other.test ssh.test a.wild.test x.y.wild.test bad.wild.test
127.0.0.1 evil.test
203.0.113.1 own.test
10.77.0.5 private.test
203.0.113.10 turning.test
10.77.0.5 granted.test
END
mount --bind "$work/etc-hosts" /etc/hosts || plan_skip "no hosts of our own"
echo "hosts: files dns" >"$work/nsswitch"
echo "nameserver 203.0.113.10" >"$work/resolv.conf"
mount --bind "$work/resolv.conf" "$(realpath /etc/resolv.conf)" ||
	plan_skip "no resolv.conf of our own"
grep -v "^hosts" /etc/nsswitch.conf >>"$work/nsswitch"
mount --bind "$work/nsswitch" /etc/nsswitch.conf
grep -v ":61951:" /etc/passwd >"$work/passwd"
echo "tester:x:61951:61951:t:/mnt/tester:/bin/sh" >>"$work/passwd"
mount --bind "$work/passwd" /etc/passwd &&
	mount -t tmpfs -o mode=755 none /mnt && mkdir /mnt/tester
[ ! -d /run/nscd ] || mount -t tmpfs none /run/nscd
# wait_until FILE: it is there.
wait_until() {
	tries=0
	while [ ! -e "$1" ] && [ $tries -lt 300 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
}
wait_until "$work/up-80"
wait_until "$work/up-3002"
