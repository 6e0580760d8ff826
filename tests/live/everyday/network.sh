# SPDX-License-Identifier: MIT
#
# Everyday work, see use.sh: sockets, servers and clients.

use_servers() {
	python3 - <<'END'
import os, socket, threading
def talk(family, where, kind=socket.SOCK_STREAM):
    s = socket.socket(family, kind)
    s.bind(where); s.listen(1)
    def serve():
        c, _ = s.accept(); c.sendall(b"hi"); c.close()
    t = threading.Thread(target=serve); t.start()
    c = socket.socket(family, kind); c.connect(s.getsockname())
    assert c.recv(2) == b"hi"; t.join()
w = os.environ["W"]
talk(socket.AF_UNIX, w + "/socket")
talk(socket.AF_UNIX, "/tmp/everyday.%d" % os.getpid())
os.unlink("/tmp/everyday.%d" % os.getpid())
talk(socket.AF_UNIX, "\0everyday.%d" % os.getpid())
talk(socket.AF_UNIX, w + "/packets", socket.SOCK_SEQPACKET)
talk(socket.AF_INET, ("127.0.0.1", 0))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(("127.0.0.1", 0))
u.sendto(b"x", u.getsockname()); assert u.recv(1) == b"x"
a, b = socket.socketpair(); r, _ = os.pipe()
socket.send_fds(a, [b"x"], [r]); assert len(socket.recv_fds(b, 1, 1)[1]) == 1
socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).bind((0, 0))
END
}

use_server_processes() {
	cd "$W"
	echo served >page
	: >log
	python3 -u -m http.server --bind 127.0.0.1 0 >>log 2>&1 &
	server=$!
	for i in $(seq 200); do
		port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' log)
		test -z "$port" || break
		sleep 0.3
	done
	got=$(python3 -c 'import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1]).read().decode().strip())' \
		"http://localhost:$port/page")
	kill "$server"
	test "$got" = served
}

use_curl() {
	cd "$W"
	echo served >page
	: >log
	python3 -u -m http.server --bind 127.0.0.1 0 >>log 2>&1 &
	server=$!
	for i in $(seq 200); do
		port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' log)
		test -z "$port" || break
		sleep 0.3
	done
	got=$(curl -sf "http://127.0.0.1:$port/page")
	kill "$server"
	test "$got" = served
	test "$(curl -sf "file://$W/page")" = served
}

use_tcp_outside() {
	python3 -c 'import os, socket
s = socket.create_connection(("127.0.0.1", int(os.environ["SSH_PORT"])))
assert s.recv(4) == b"SSH-"'
}

use_ping() {
	ping -c 1 -W 1 127.0.0.1
}
