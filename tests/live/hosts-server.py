# SPDX-License-Identifier: MIT
"""Servers for test-hosts.sh: DIR PORT[:KIND]...; kinds: http, tls, banner, proxy, and
silent: UDP that nobody answers.

Each answers with files of DIR/www and notes in DIR/seen what it was asked."""
import http.server
import socket
import ssl
import sys
import threading

base = sys.argv[1]


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *args):
        super().__init__(*args, directory=base + "/www")

    def log_message(self, text, *args):
        with open(base + "/seen", "a") as out:
            out.write("%s %s %s\n" % (self.server.server_port,
                                      self.headers.get("Host"), self.path))

    def do_POST(self):
        size = int(self.headers.get("Content-Length", 0))
        count = len(self.rfile.read(size))
        if self.headers.get("Transfer-Encoding") == "chunked":
            while (size := int(self.rfile.readline(), 16)) > 0:
                count += len(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
        text = b"%d bytes\n" % count
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
    request_queue_size = 200

    def server_bind(self):
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


def banner(port):
    listening = socket.create_server(("::", port), family=socket.AF_INET6,
                                     dualstack_ipv6=True)
    while True:
        peer, _ = listening.accept()
        peer.sendall(b"SSH-2.0-test\r\n")
        peer.sendall(b"you said " + peer.recv(100))
        peer.close()


def copy(a, b):
    try:
        while part := a.recv(65536):
            b.sendall(part)
        b.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def tunnel(peer):
    head = b""
    while b"\r\n\r\n" not in head:
        head += peer.recv(1)
    target = head.split()[1].decode()
    with open(base + "/seen", "a") as out:
        out.write("proxy %s\n" % target)
    if not head.startswith(b"CONNECT ") or target.startswith("private"):
        peer.sendall(b"HTTP/1.1 407 No\r\n\r\n")
        peer.close()
        return
    host, _, port = target.rpartition(":")
    there = socket.create_connection((host.strip("[]"), int(port)))
    for byte in b"HTTP/1.1 200 OK\r\nVia: test\r\n\r\n":
        peer.sendall(bytes([byte]))
    threading.Thread(target=copy, args=(peer, there)).start()
    copy(there, peer)


def proxy(port):
    listening = socket.create_server(("::", port), family=socket.AF_INET6,
                                     dualstack_ipv6=True)
    while True:
        threading.Thread(target=tunnel, args=(listening.accept()[0],)).start()


for word in sys.argv[2:]:
    port, _, kind = word.partition(":")
    if kind == "banner":
        target, args = banner, (int(port),)
    elif kind == "proxy":
        target, args = proxy, (int(port),)
    elif kind == "silent":
        silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        silent.bind(("0.0.0.0", int(port)))
        continue
    else:
        server = Server(("::", int(port)), Handler)
        if kind == "tls":
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(base + "/cert.pem", base + "/key.pem")
            server.socket = context.wrap_socket(server.socket,
                                                server_side=True)
        target, args = server.serve_forever, ()
    threading.Thread(target=target, args=args).start()
open(base + "/up-" + sys.argv[2].partition(":")[0], "w").close()
