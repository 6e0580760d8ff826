#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Hosts by name (hosts = {...}) with real programs: a machine of our own beside
# a network with one server in it, as root and as an ordinary user. Prints TAP.
set -u
: "${top_builddir:=.}" "${top_srcdir:=..}"
if [ -z "${HOSTS_PRIVATE-}" ]; then
	[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP needs root"; exit 0; }
	for program in python3 ip curl openssl; do
		command -v $program >/dev/null ||
			{ echo "1..0 # SKIP $program is missing"; exit 0; }
	done
	unshare -n -m --propagation private true 2>/dev/null ||
		{ echo "1..0 # SKIP no namespaces"; exit 0; }
	HOSTS_PRIVATE=1 exec unshare -n -m --propagation private sh "$0" "$@"
fi
name=hosts
# shellcheck source=tests/live/set-up.sh
. "$top_srcdir/tests/live/set-up.sh"
servers="80:http 443:tls 8080:http 8081:http 22:banner 53:silent 3128:proxy"
# shellcheck source=tests/live/hosts-world.sh
. "$top_srcdir/tests/live/hosts-world.sh"

cat >"$work/sandbox.conf" <<'END'
policy "p" {
	hosts = { "WWW.test.", "*.wild.test:8080", "*.dead.test", "ssh.test:22",
	    "evil.test:8080", "own.test:8080", "private.test:8080",
	    "turning.test:8080", "localhost:3002", "203.0.113.10:8081" }
	deny_hosts = { "bad.wild.test" }
}
policy "granted" { hosts = { "granted.test:8080", "10.77.0.5:8080" } }
policy "listed" {
	read = { "/usr", "/bin", "/sbin", "/lib", "/lib64", "/proc",
	    "/etc/ld.so.cache", "/etc/resolv.conf", "/etc/ssl" }
	hosts = { "www.test" }
}
policy "any" { hosts = { "www.test" } names = any }
policy "closed" { network = deny }
policy "registries" { hosts = { "@registries" } write = { "/tmp" } }
policy "open-home" { hosts = { "@registries" } }
END
sed "1i audit = \"$work/audit-{uid}/log\"" "$work/sandbox.conf" \
	>"$work/audited.conf"
sed "1i hosts_proxy = \"http://203.0.113.10:3128\"" "$work/sandbox.conf" \
	>"$work/proxied.conf"
mkdir -m 700 "$work/audit-0" "$work/audit-61951"
chown 61951 "$work/audit-61951"
cat >"$work/speak.py" <<'END'
# HOST PORT TEXT: what comes back for the text.
import socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 8)
s.settimeout(8)
s.sendall(sys.argv[3].encode().decode("unicode_escape").encode("latin1"))
out = b""
while True:
    try:
        part = s.recv(65536)
    except ConnectionResetError:
        sys.exit("reset")
    if not part:
        break
    out += part
sys.stdout.buffer.write(out)
END
cat >"$work/hello.py" <<'END'
# NAME or "-": TLS with www.test that says this name, or none.
import socket, ssl, sys
c = ssl.create_default_context(cafile=sys.argv[2])
c.check_hostname = False
s = socket.create_connection(("www.test", 443), 8)
s = c.wrap_socket(s, server_hostname=None if sys.argv[1] == "-" else sys.argv[1])
s.sendall(b"GET / HTTP/1.0\r\nHost: www.test\r\n\r\n")
print(s.recv(9999) + s.recv(9999))
END
cat >"$work/slowly.py" <<'END'
import socket, time
s = socket.create_connection(("www.test", 80), 8)
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for byte in b"GET / HTTP/1.0\r\nHost: www.test\r\n\r\n":
    s.sendall(bytes([byte]))
    time.sleep(0.003)
print(s.makefile("rb").read())
END
cat >"$work/dead.py" <<'END'
# Names nobody answers for are looked up; how long does one take that is good?
import socket, time, urllib.request
waiting = []
for i in range(100):
    waiting.append(socket.socket())
    waiting[-1].setblocking(False)
    waiting[-1].connect_ex((socket.gethostbyname("n%d.dead.test" % i), 80))
time.sleep(0.3)
start = time.time()
urllib.request.urlopen("http://www.test/").read()
print("soon" if time.time() - start < 3 else "late")
END
cat >"$work/many.py" <<'END'
import resource, socket, time, urllib.request
resource.setrlimit(resource.RLIMIT_NOFILE,
                   (min(2000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
held = []
try:
    for i in range(1300):
        held.append(socket.create_connection(("www.test", 80), 5))
except OSError:
    pass
time.sleep(0.5)
for s in held:
    s.close()
time.sleep(0.5)
print("again:", urllib.request.urlopen("http://www.test/").read().decode())
END
cat >"$work/flood.py" <<'END'
# Questions without end, in all forms, and connections that say nothing; how
# long does one take that is good, and is a name found that was not asked for?
import os, random, socket, struct, time, urllib.request
random.seed(1)
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.connect(("198.18.0.1", 53))
udp.setblocking(False)
def name(*labels):
    return b"".join(bytes([len(l)]) + l for l in labels) + b"\0"
def question(text, count=1):
    return os.urandom(2) + struct.pack(">HHHHH", 0x100, count, 0, 0, 0) + text
odd = [b"\0\0\1\0\1", b"\xc0\x0c\0\1\0\1", b"\x3f" + b"a" * 10, b"\xff" * 300,
       name(b"www", b"test\0") + b"\0\1\0\1", name(b"www.test") + b"\0\1\0\1",
       name(b"WWW", b"TeST") + b"\0\xfb\0\1", name(*[b"a"] * 127) + b"\0\1\0\1",
       name(b"www", b"test", b"wild", b"test") + b"\0\1\0\1"]
tcp = []
for i in range(40):
    tcp.append(socket.create_connection(("198.18.0.1", 53), 5))
    tcp[-1].sendall(b"\x40")
for i in range(20000):
    text = (random.choice(odd) if i % 2 else
            name(b"%x" % i, b"wild", b"test") + b"\0\1\0\1")
    try:
        udp.send(question(text, random.choice((1, 1, 1, 0, 2, 65535))))
    except OSError:
        pass
silent = []
try:
    for i in range(300):
        silent.append(socket.create_connection(("www.test", 80), 5))
        silent[-1].sendall(b"\x16\x03\x01" if i % 2 else b"GET / HTT")
except OSError:
    pass
start = time.time()
urllib.request.urlopen("http://www.test/", timeout=20).read()
print("soon" if time.time() - start < 5 else "late")
for host, port in (("0.0.0.0", 8080), ("::", 8080), ("::ffff:127.0.0.1", 8080),
                   ("::ffff:203.0.113.10", 80), ("::ffff:203.0.113.1", 8080),
                   ("127.0.0.2", 8080), ("198.18.200.200", 80),
                   ("::ffff:198.18.0.1", 8080), ("64:ff9b::cb00:710a", 80)):
    try:
        s = socket.create_connection((host, port), 3)
        s.sendall(b"GET / HTTP/1.0\r\nHost: www.test\r\n\r\n")
        if s.recv(99):
            print("answered", host)
    except OSError:
        pass
END
cat >"$work/next.py" <<'END'
# Three commands of one host; the helper is killed before and while the second
# is there.
import json, os, subprocess, sys, time
tool, work = sys.argv[1:]
host = subprocess.Popen([tool, "rpc", "--config", work + "/sandbox.conf"],
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def kill():
    subprocess.run(["pkill", "-KILL", "-f", "^omega-sandbox-hosts"])
    time.sleep(0.3)
def run(script):
    host.stdin.write(json.dumps({"id": 1, "policy": "p", "data_dir":
        os.getcwd() + "/data", "argv": ["sh", "-c", script]}).encode() + b"\n")
    host.stdin.flush()
def came():
    return "hello" in json.loads(host.stdout.readline())["result"]["stdout"]
get = "curl -s --max-time 5 http://www.test/"
run(get)
seen = [came()]
run("touch second; while [ -e second ]; do sleep 0.1; done; " + get)
while not os.path.exists("second"):
    time.sleep(0.1)
kill()
os.unlink("second")
seen.append(came())
run(get)
seen.append(came())
print(*seen)
END
cat >"$work/twice.py" <<'END'
# Two commands of one host: the second is not told what the first was refused.
import json, os, subprocess, sys
tool, work = sys.argv[1:]
host = subprocess.Popen([tool, "rpc", "--config", work + "/sandbox.conf"],
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for name in "first.test", "second.test", "www.test":
    host.stdin.write(json.dumps({"id": 1, "policy": "p", "data_dir":
        os.getcwd() + "/data", "argv": ["getent", "hosts", name]}).encode()
        + b"\n")
    host.stdin.flush()
    result = json.loads(host.stdout.readline())["result"]
    print(name, [one["host"] for one in result.get("refused_hosts", [])])
END
chmod 644 "$work"/*.py "$work"/*.conf

# ---- Cases -------------------------------------------------------------------

policy=p
conf=sandbox.conf
# inside COMMAND...: its output in $work/out.
inside() {
	(as "$w" HTTPS_PROXY=http://127.0.0.1:9 "$tool" run \
		--config "$work/$conf" --policy "$policy" \
		--data-dir "$work/$w/data" -- \
		timeout 20 "$@") >"$work/out" 2>"$work/err"
}
# works TEXT EXPECTED COMMAND...
works() {
	text=$1
	expected=$2
	shift 2
	inside "$@" && grep -q -- "$expected" "$work/out"
	result $? "$text"
}
# fails TEXT COMMAND...: soon, also on a busy machine, and nothing of the answer
# is seen.
fails() {
	text=$1
	shift
	before=$(date +%s)
	inside "$@"
	ret=$?
	took=$(($(date +%s) - before))
	[ $ret != 0 ] && ! grep -q "hello" "$work/out" && [ $took -le 8 ]
	result $? "$text"
}
url() {
	curl=$1
	shift
	echo curl -s -S --max-time 10 "$@" "$curl"
}

for w in root user; do
	policy=p
	works "curl" hello $(url http://www.test/)
	works "curl, TLS" hello $(url https://www.test/ --cacert "$work/cert.pem")
	works "curl, three requests in one connection" hello \
		$(url http://www.test/ http://www.test/ http://www.test/)
	works "a body" "100000 bytes" sh -c \
		"head -c 100000 /dev/zero | curl -s --data-binary @- http://www.test/"
	works "a body in chunks" "100000 bytes" sh -c "head -c 100000 /dev/zero |
		curl -s -H 'Transfer-Encoding: chunked' -T - -X POST http://www.test/"
	works "a large file" 3000000 sh -c "curl -s http://www.test/large | wc -c"
	works "Python" hello python3 -c "import urllib.request as u
print(u.urlopen('http://www.test/').read())"
	if command -v wget >/dev/null; then
		works "wget" hello wget -q -O - http://www.test/
	else
		skip "wget" "wget is missing"
	fi
	if [ -f "$work/www/repo.git/info/refs" ]; then
		works "git clone" first sh -c "git clone -q http://www.test/repo.git \
			r1 && git -C r1 log"
		works "git clone, TLS" first sh -c "git -c \
			http.sslCAInfo=$work/cert.pem clone -q \
			https://www.test/repo.git r2 && git -C r2 log; rm -rf r1 r2"
	else
		skip "git clone" "git is missing"
		skip "git clone, TLS" "git is missing"
	fi
	if command -v node >/dev/null; then
		works "node" hello node -e \
			"fetch('http://www.test/').then(r=>r.text()).then(console.log)"
	else
		skip "node" "node is missing"
	fi
	works "below a wildcard" hello $(url http://a.wild.test:8080/)
	works "deep below it" hello $(url http://x.y.wild.test:8080/)
	works "who speaks first" "you said hi" \
		python3 "$work/speak.py" ssh.test 22 hi
	works "the host's own port" hello $(url http://localhost:3002/)
	works "an address" hello $(url http://203.0.113.10:8081/)
	works "own name" 127.0.0.1 sh -c 'getent hosts "$(hostname)"'
	works "IPv4 alone is asked for" 198.18 python3 -c "import socket as s
print(s.getaddrinfo('www.test', 80, s.AF_INET, 0, 0, s.AI_ADDRCONFIG))"
	works "the name of an address" www.test python3 -c "import socket as s
print(s.gethostbyaddr(s.gethostbyname('www.test')))"
	works "names by TCP" 198.18.1 python3 -c "import socket as s, struct
q = b'ab\1\0\0\1\0\0\0\0\0\0\3www\4test\0\0\1\0\1'
c = s.create_connection(('198.18.0.1', 53), 5)
for b in struct.pack('>H', len(q)) + q: c.sendall(bytes([b]))
r = c.recv(999); print(s.inet_ntoa(r[-4:]))"
	# So a program finds it that has read the host's resolv.conf.
	works "the host's name server is answered for" 198.18.1 python3 -c "
import socket as s
q = b'ab\1\0\0\1\0\0\0\0\0\0\3www\4test\0\0\1\0\1'
c = s.socket(s.AF_INET, s.SOCK_DGRAM); c.settimeout(5)
c.connect(('203.0.113.10', 53)); c.send(q[:7]); c.send(q)
r = c.recv(999); print(s.inet_ntoa(r[-4:]))"
	works "one byte at a time" hello python3 "$work/slowly.py"
	works "a listed name beside dead ones" soon python3 "$work/dead.py"
	works "more connections than there can be" "again: hello" \
		python3 "$work/many.py"
	works "questions and connections without end" soon \
		python3 "$work/flood.py"
	! grep -q answered "$work/out"
	result $? "addresses in other clothes"
	works "no proxy is told" none sh -c 'env | grep -i _proxy= || echo none'

	fails "a name that is not listed" $(url http://other.test/)
	fails "one that is listed and denied" $(url http://bad.wild.test:8080/)
	fails "what the wildcard is below" $(url http://wild.test:8080/)
	fails "another port" $(url http://www.test:8081/)
	fails "another port of those there are" $(url http://www.test:8080/)
	fails "the address of a name" $(url http://203.0.113.10/)
	fails "an address, another port" $(url http://203.0.113.10:8080/)
	fails "other addresses" $(url http://203.0.113.1:8080/)
	fails "IPv6" $(url "http://[2001:db8::1]:8080/")
	fails "a port of the host that is not listed" $(url http://127.0.0.1:8080/)
	fails "a name for the loopback" $(url http://evil.test:8080/)
	fails "a name for the host itself" $(url http://own.test:8080/)
	fails "a name for a private address" $(url http://private.test:8080/)
	fails "another Host" $(url http://www.test/ -H Host:other.test)
	fails "no Host" $(url http://www.test/ -H Host:)
	fails "another server name" \
		python3 "$work/hello.py" other.test "$work/cert.pem"
	fails "no server name" python3 "$work/hello.py" - "$work/cert.pem"
	works "the same with the right one" hello \
		python3 "$work/hello.py" www.test "$work/cert.pem"
	fails "TLS on port 80" $(url https://www.test:80/ -k)
	fails "something else on port 443" \
		python3 "$work/speak.py" www.test 443 "EHLO hello\\r\\n\\r\\n"
	fails "another Host behind an empty line, where the port is named" \
		python3 "$work/speak.py" a.wild.test 8080 \
		"\\r\\nGET / HTTP/1.0\\r\\nHost: other.test\\r\\n\\r\\n"
	# The answer to the first may have come before the reset.
	: >"$work/seen"
	inside python3 "$work/speak.py" www.test 80 \
"GET / HTTP/1.1\\r\\nHost: www.test\\r\\n\\r\\nGET /2 HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n"
	! grep -q other.test "$work/seen"
	result $? "another Host in the second request"
	: >"$work/seen"
	inside python3 "$work/speak.py" www.test 80 \
"GET / HTTP/1.1\\r\\nHost: www.test\\r\\nContent-Length: 38\\r\\n\\r\\nGET /2 HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n"
	! grep -q other.test "$work/seen"
	result $? "another Host in what comes with a request"
	for blank in t v x1f x85; do
		: >"$work/seen"
		inside python3 "$work/speak.py" a.wild.test 8080 \
"GET\\$blank/\\${blank}HTTP/1.1\\r\\nHost: other.test\\r\\nConnection: close\\r\\n\\r\\n"
		! grep -q other.test "$work/seen"
		result $? "another Host behind other blanks (\\$blank)"
	done
	fails "UDP" python3 -c "import socket as s
u = s.socket(s.AF_INET, s.SOCK_DGRAM); u.settimeout(2)
u.connect(('www.test', 443)); u.send(b'x'); u.send(b'x'); u.recv(9)"
	fails "a raw socket" python3 -c "import socket as s
s.socket(s.AF_INET, s.SOCK_RAW, s.IPPROTO_ICMP)"
	fails "the ways changed" ip address add 192.0.2.1/32 dev lo

	# The answer changes: what was good is looked at again.
	works "before it turns" hello $(url http://turning.test:8080/)
	sed 's/.* turning.test/127.0.0.1 turning.test/' "$work/etc-hosts" \
		>"$work/turned"
	cp "$work/etc-hosts" "$work/before"
	inside sh -c "curl -s --max-time 5 -o /dev/null http://turning.test:8080/
		touch $w-turn; sleep 3; curl -s --max-time 5 http://turning.test:8080/" &
	wait_until "$work/$w/$w-turn"
	cat "$work/turned" >"$work/etc-hosts"
	wait $!
	[ -e "$work/$w/$w-turn" ] && ! grep -q hello "$work/out"
	result $? "a name that turns to the loopback while it runs"
	cat "$work/before" >"$work/etc-hosts"

	# Whoever is left has the network as long as it is there.
	inside sh -c "(setsid sh -c 'sleep 1; curl -s http://www.test/ >later' \
		>/dev/null 2>&1 &)"
	sleep 3
	cp "$work/$w/later" "$work/out" 2>/dev/null
	grep -q hello "$work/out"
	result $? "a process that is left behind"

	# Nothing opens when the helper ends, and nobody takes half for all.
	inside sh -c "pkill -KILL -f '^omega-sandbox-hosts'
		curl -s --max-time 5 http://www.test/; touch $w-up
		sleep 1; curl -s --max-time 2 http://www.test/ >/dev/null
		touch $w-tried
		while [ ! -e $w-go ]; do sleep 0.1; done
		curl -s --max-time 5 http://www.test/ && echo opened" &
	wait_until "$work/$w/$w-up"
	for pid in $(pgrep -f '^omega-sandbox-hosts'); do
		cat "/proc/$pid/status"
	done >"$work/status"
	[ "$(grep -c '^NoNewPrivs:.*1' "$work/status")" = 2 ] &&
		[ "$(grep -c '^Seccomp:.*2' "$work/status")" = 1 ]
	confined=$?
	# It has no descriptor left for the next connection for a while.
	pid=$(sed -n 's/^Pid:.//p; /^Seccomp:.*2/q' "$work/status" | tail -n 1)
	prlimit --pid "$pid" --nofile=5: 2>"$work/err"
	wait_until "$work/$w/$w-tried"
	before=$(cut -d ' ' -f 14,15 "/proc/$pid/stat" | tr ' ' +)
	sleep 2
	used=$(($(cut -d ' ' -f 14,15 "/proc/$pid/stat" | tr ' ' +) - ($before)))
	pkill -KILL -f '^omega-sandbox-hosts'
	touch "$work/$w/$w-go"
	wait $!
	if (as "$w" "$tool" describe --config "$work/sandbox.conf" --data-dir \
		"$work/$w/data" --all) 2>&1 |
		grep -q "^ *enforced.*outside_signals"; then
		grep -q hello "$work/out"
		result $? "a command cannot kill the helper"
	else
		skip "a command cannot kill the helper" "signals are not held here"
	fi
	! grep -q opened "$work/out"
	result $? "the helper is killed"
	result $confined "it is confined itself"
	[ $used -lt 5 ]
	result $? "it waits for descriptors ($used ticks)"

	# And the next command of a host that goes on has another.
	(as "$w" python3 "$work/next.py" "$tool" "$work") \
		>"$work/out" 2>"$work/err"
	grep -q "True False True" "$work/out"
	result $? "after that the next command has another"

	# What was refused is said, everywhere.
	(as "$w" "$tool" run --config "$work/audited.conf" --policy p \
		--data-dir "$work/$w/data" --verbose -- sh -c '
		for url in http://other.test/ http://other.test/ \
			http://bad.wild.test:8080/ http://www.test:8080/ \
			http://private.test:8080/; do
			curl -s --max-time 5 "$url"
		done
		curl -s --max-time 5 -H Host:other.test http://www.test/
		getent hosts "a b.test"') >"$work/out" 2>"$work/err"
	grep -q "not reached: other.test, 2 times: it is not listed in hosts;\
 would be allowed by --allow-host other.test\$" "$work/err"
	result $? "--verbose: a name that is not listed"
	grep -q "not reached: bad.wild.test, 1 times: deny_hosts has it\$" \
		"$work/err"
	result $? "--verbose: one that is denied"
	grep -q "not reached: www.test:8080, .*not with this port; would" \
		"$work/err"
	result $? "--verbose: another port"
	grep -q "not reached: private.test:8080, .*this machine.s or private" "$work/err"
	result $? "--verbose: a private address"
	grep -q "not reached: www.test:80, .*another name was said" "$work/err"
	result $? "--verbose: another Host"
	grep -q '"refused_hosts":\[{"host":"other.test","count":2,"why":' \
		"$work"/audit-*/log
	result $? "the audit log has them"
	: >"$work/audit-0/log"
	(as "$w" "$tool" run --config "$work/sandbox.conf" --policy p \
		--data-dir "$work/$w/data" --json -- sh -c \
		"getent hosts other.test; true") 2>"$work/err" |
		python3 -c "import json, sys
host = json.load(sys.stdin)['refused_hosts'][0]
print(host['host'], host['port'], host['rule'], host['origin'].count('/') > 1,
    host['line'], host['allow'])" >"$work/out" 2>>"$work/err"
	grep -q "other.test None hosts True [0-9]* --allow-host other.test" \
		"$work/out"
	result $? "--json has them, with the rule"
	(as "$w" "$tool" run --config "$work/sandbox.conf" --policy p \
		--data-dir "$work/$w/data" --why -- sh -c \
		"getent hosts other.test; curl -s http://203.0.113.1:8080/") \
		>"$work/out" 2>"$work/err"
	grep -q "connect  203.0.113.1:8080 and 1 more, 2 times" "$work/err" &&
		grep -q -- "--allow-host other.test" "$work/err"
	result $? "--why has them"
	(as "$w" python3 "$work/twice.py" "$tool" "$work") \
		>"$work/out" 2>"$work/err"
	printf '%s\n' "first.test ['first.test']" "second.test ['second.test']" \
		"www.test []" | cmp -s - "$work/out"
	result $? "rpc has those of each command"
	python3 -c "for i in range(200): print('n%d.test' % i)" >"$work/many"
	(as "$w" "$tool" run --config "$work/sandbox.conf" --policy p \
		--data-dir "$work/$w/data" --verbose -- sh -c \
		"while read n; do getent ahostsv4 \$n; done <'$work/many'") \
		>"$work/out" 2>"$work/err"
	[ "$(grep -c "not reached: " "$work/err")" = 64 ] &&
		grep -q "not reached: \*, 137 times" "$work/err"
	result $? "no more than so many are told apart"
	(as "$w" "$tool" explain --config "$work/sandbox.conf" --policy p \
		--data-dir "$work/$w/data" www.test:443 www.test:8080 \
		bad.wild.test:8080 other.test:80 203.0.113.10:8081 \
		203.0.113.10:80) >"$work/out" 2>"$work/err"
	[ "$(grep -c "^  connect  allowed" "$work/out")" = 2 ] &&
		grep -A 1 "^bad.wild" "$work/out" |
			grep -q "denied by deny_hosts ($work/sandbox.conf:5)" &&
		grep -A 3 "^other.test" "$work/out" |
			grep -q "allowed by --allow-host other.test:80"
	result $? "explain"
	(as "$w" "$tool" explain --config "$work/sandbox.conf" --policy p \
		--data-dir "$work/$w/data" --allow-host other.test \
		other.test:80) >"$work/out" 2>"$work/err"
	grep -q "^  connect  allowed" "$work/out"
	result $? "explain, where it is granted"
	(as "$w" "$tool" run --config "$work/sandbox.conf" --policy p \
		--data-dir "$work/$w/data" --allow-host other.test -- \
		$(url http://other.test/ http://www.test/)) \
		>"$work/out" 2>"$work/err"
	[ "$(grep -c hello "$work/out")" = 2 ]
	result $? "--allow-host beside what the policy lists"
	(as "$w" "$tool" run --config "$work/sandbox.conf" --policy closed \
		--data-dir "$work/$w/data" --allow-host www.test -- \
		$(url http://www.test/)) >"$work/out" 2>"$work/err"
	grep -q hello "$work/out"
	result $? "--allow-host beside no network"

	# What package managers are told; only by files that commands leave
	# alone.
	home=$(getent passwd $([ $w = root ] && echo 0 || echo 61951) |
		cut -d : -f 6)
	if [ -d "$home" ] && mount -t tmpfs -o mode=755 none "$home"; then
		printf '%s\n' "; registry=http://no.test/" \
			"registry = http://www.test/npm/" >"$home/.npmrc"
		chown -R --reference="$work/$w" "$home"
		policy=registries
		works "@registries" hello $(url http://www.test/)
		fails "@registries, another" $(url http://other.test/)
		chmod 666 "$home/.npmrc"
		fails "@registries in what others can write" \
			$(url http://www.test/)
		chmod 644 "$home/.npmrc"
		policy=open-home
		fails "@registries in what commands can write" \
			$(url http://www.test/)
		(as "$w" "$tool" describe --config "$work/sandbox.conf" --policy \
			open-home --data-dir "$work/$w/data" --all) \
			>"$work/out" 2>&1
		grep -q "npmrc is passed over: commands of this policy can" \
			"$work/out" && grep -q registry.npmjs.org "$work/out"
		result $? "describe says so"
		policy=registries
		head -c 70000 /dev/zero | tr '\0' '\n' >>"$home/.npmrc"
		fails "@registries in what has no end" $(url http://www.test/)
		umount "$home"
	else
		skip "@registries" "no home of our own"
	fi

	# A proxy outside, of which programs know nothing.
	policy=p
	conf=proxied.conf
	: >"$work/seen"
	works "by a proxy" hello $(url http://www.test/)
	works "by a proxy, TLS" hello \
		$(url https://www.test/ --cacert "$work/cert.pem")
	works "by a proxy, an address" hello $(url http://203.0.113.10:8081/)
	works "by a proxy, who speaks first" "you said hi" \
		python3 "$work/speak.py" ssh.test 22 hi
	works "by a proxy, a large file" 3000000 sh -c \
		"curl -s http://www.test/large | wc -c"
	works "the host's own port, without" hello $(url http://localhost:3002/)
	fails "by a proxy, a name that is not listed" $(url http://other.test/)
	fails "by a proxy, another Host" $(url http://www.test/ -H Host:other.test)
	fails "the proxy itself" $(url http://203.0.113.10:3128/)
	fails "the proxy says no" $(url http://private.test:8080/)
	cp "$work/seen" "$work/out"
	grep -q "^proxy www.test:443" "$work/seen" &&
		grep -q "^proxy 203.0.113.10:8081" "$work/seen" &&
		! grep -q "^proxy.*other\|^proxy.*3002" "$work/seen"
	result $? "the proxy was asked for names"
	(as "$w" "$tool" run --config "$work/proxied.conf" --policy p \
		--data-dir "$work/$w/data" --verbose -- \
		$(url http://private.test:8080/)) >"$work/out" 2>"$work/err"
	grep -q "not reached: private.test:8080, 1 times: the proxy" "$work/err"
	result $? "--verbose: the proxy"
	conf=sandbox.conf

	policy=granted
	works "a private address that is listed beside the name" hello \
		$(url http://granted.test:8080/)
	policy=listed
	works "with a list of what can be read" hello $(url http://www.test/)
	policy=any
	works "another Host with names = any" hello \
		$(url http://www.test/ -H Host:other.test)
done
sleep 1
w=both
pgrep -f '^omega-sandbox-hosts' >"$work/out"
[ $? != 0 ]
result $? "no helper is left"
echo "1..$count"
