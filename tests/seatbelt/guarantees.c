/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * guarantees.c - see guarantees.h.
 */

#include "guarantees.h"

#include <stdint.h>
#include <string.h>

#define HOME "/Users/u"
#define DIR HOME "/.omega"
#define DATA DIR "/data"
#define CONFIG DIR "/config.toml"
#define ALL OMEGA_SANDBOX_ATOM_ALL

/* ---- Policies -------------------------------------------------------------
 */

void
guarantees_make_default(struct judge_case *one)
{
	judge_add_default(one, DATA, CONFIG);
	texts_add(&one->sockets, "/Users/u/run/own.sock");
}

/* What can be read, changed and run by lists, with a deny among it. */
static void
make_lists(struct judge_case *one)
{
	guarantees_make_default(one);
	judge_add(one, OMEGA_SANDBOX_ATOM_ELSEWHERE, JUDGE_READ, 0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_ELSEWHERE, JUDGE_CHANGE, 0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_METADATA, OMEGA_SANDBOX_ATOM_CHANGE,
	    0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_EXECUTE, ALL, 0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_PATH, JUDGE_READ, 0, HOME "/w/hid");
	judge_grant(one, JUDGE_READ | JUDGE_CHANGE, HOME);
	judge_grant(one, JUDGE_READ | OMEGA_SANDBOX_ATOM_RUN, "/usr");
}

/* The default, and something that may be written but not read. */
static void
make_hidden(struct judge_case *one)
{
	guarantees_make_default(one);
	judge_add(one, OMEGA_SANDBOX_ATOM_PATH, JUDGE_READ, 0, HOME "/w/hid");
	judge_add(one, OMEGA_SANDBOX_ATOM_FORK, ALL, 0, NULL);
}

static const char *const absent_names[] = {
    HOME "/gone/key", HOME "/link/key", NULL};

static size_t
anchor_at_home(const char *path)
{
	(void)path;
	return strlen(HOME);
}

/* Something denied that is absent, and that has another name by a link. */
static void
make_absent(struct judge_case *one)
{
	guarantees_make_default(one);
	judge_add(one, OMEGA_SANDBOX_ATOM_ABSENT_PATHS, ALL,
	    OMEGA_SANDBOX_ATOM_ABSENT, HOME "/gone/key");
	one->request.unreadable = absent_names;
	one->request.unchangeable = absent_names;
	one->anchor = anchor_at_home;
	texts_add(&one->links, HOME "/link");
}

static void
make_network_denied(struct judge_case *one)
{
	guarantees_make_default(one);
	judge_add(one, OMEGA_SANDBOX_ATOM_NETWORK, ALL, 0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_FAMILIES, ALL, 0, NULL);
	one->request.unix_sockets = OMEGA_SANDBOX_UNIX_OWN;
}

static const char *const some_sockets[] = {"/Users/u/run/own.sock", NULL};

static void
make_network_but_a_socket(struct judge_case *one)
{
	make_network_denied(one);
	one->request.allow_sockets = some_sockets;
}

static void
make_unix_only(struct judge_case *one)
{
	guarantees_make_default(one);
	judge_add(one, OMEGA_SANDBOX_ATOM_NETWORK,
	    ALL | OMEGA_SANDBOX_ATOM_CREATE, 0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_FAMILIES, ALL, 0, NULL);
}

static const uint16_t some_ports[] = {80, 443};
static const uint16_t one_port[] = {8080};

static void
make_ports(struct judge_case *one)
{
	guarantees_make_default(one);
	judge_add(one, OMEGA_SANDBOX_ATOM_CONNECT,
	    ALL | OMEGA_SANDBOX_ATOM_CREATE, 0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_BIND, ALL | OMEGA_SANDBOX_ATOM_CREATE,
	    0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_LISTEN, ALL, 0, NULL);
	one->request.connect = (struct omega_sandbox_ports){some_ports, 2};
	one->request.bind = (struct omega_sandbox_ports){one_port, 1};
}

/* Ports of UDP alone; TCP is as usual. */
static void
make_udp_ports(struct judge_case *one)
{
	guarantees_make_default(one);
	judge_add(one, OMEGA_SANDBOX_ATOM_CONNECT_UDP,
	    ALL | OMEGA_SANDBOX_ATOM_CREATE, 0, NULL);
	one->request.connect_udp = (struct omega_sandbox_ports){some_ports, 2};
}

static const uint16_t some_udp_ports[] = {53, 443};

static void
make_ports_and_names(struct judge_case *one)
{
	make_udp_ports(one);
	judge_add(one, OMEGA_SANDBOX_ATOM_CONNECT,
	    ALL | OMEGA_SANDBOX_ATOM_CREATE, 0, NULL);
	one->request.connect = (struct omega_sandbox_ports){some_ports, 2};
	one->request.connect_udp =
	    (struct omega_sandbox_ports){some_udp_ports, 2};
}

/* ---- Questions ------------------------------------------------------------
 */

#define READS                                                \
	"file-read-data file-read-metadata file-read-xattr " \
	"file-map-executable process-exec file-clone"
#define CHANGES                                                \
	"file-write-data file-write-create file-write-unlink " \
	"file-write-mode file-write-owner file-write-flags "   \
	"file-write-times file-write-xattr file-write-acl "    \
	"file-write-setugid file-link file-mount"
#define META                                                 \
	"file-write-mode file-write-owner file-write-flags " \
	"file-write-times file-write-xattr file-write-acl "  \
	"file-write-setugid"

static const struct row data_rows[] = {
    {'n', READS " " CHANGES, DATA " " DATA "/memory.db " DATA "/a/b " CONFIG,
	{0}},
    {'n', "file-write-unlink file-clone file-mount", "/Users " HOME " " DIR,
	{0}},
    {'n', "file-write-create", "/Users " HOME " " DIR, {.type = "SYMLINK"}},
    {'n', "file-write-create", "/Users " HOME " " DIR, {.type = "DIRECTORY"}},
    {'n', "network-outbound", DATA "/s " CONFIG, {.protocol = "unix"}},
    {'y',
	"file-read-data file-read-metadata file-write-data "
	"file-write-create file-write-unlink file-write-mode file-link "
	"file-clone process-exec",
	DIR "/workspace/x " DIR "/database " CONFIG ".bak " HOME "/x "
	    "/private/tmp/x /usr/local/bin/x",
	{0}},
    {'y', "file-read-data file-write-data file-write-mode", HOME " " DIR, {0}},
};

static const struct row system_rows[] = {
    {'n', CHANGES,
	"/System /System/x /bin /bin/ls /sbin/x /usr/bin/x /usr/sbin/x "
	"/usr/lib/x /usr/libexec/x /private/etc /private/etc/hosts /etc/hosts "
	"/Library /Library/x /dev/disk0 /dev/rdisk0",
	{0}},
    {'y', "file-read-data process-exec", "/bin/ls /usr/bin/x /System/x", {0}},
    {'y', "file-write-data file-read-data",
	"/dev/null /dev/zero /dev/random /dev/urandom /dev/tty /dev/ptmx "
	"/dev/ttys000 /dev/fd/3",
	{0}},
    {'y', CHANGES, "/usr/local/x /binaries/x /Systems/x /opt/x", {0}},
};

static const struct row trace_rows[] = {
    {'n', "mach-priv-task-port", NONE, {.target = "others"}},
    {'y', "mach-priv-task-port", NONE, {.target = "same-sandbox"}},
    {'y', "mach-priv-task-port", NONE, {.target = "self"}},
};

static const struct row launch_rows[] = {
    {'n', "lsopen appleevent-send job-creation", NONE, {0}},
    {'n', "mach-lookup", NONE,
	{.name = "com.apple.coreservices.launchservicesd"}},
    {'n', "network-outbound",
	"/var/run/docker.sock /private/var/run/docker.sock " HOME
	"/.docker/run/docker.sock " HOME "/.docker/desktop/docker.sock " HOME
	"/.colima/default/docker.sock " HOME "/.orbstack/run/docker.sock " HOME
	"/.rd/docker.sock " HOME "/.lima/default/sock/docker.sock "
	"/private/var/folders/x/T/podman/podman-machine-default-api.sock "
	"/run/containerd/containerd.sock /private/tmp/tmux-501/default " HOME
	"/.screen/1.tty " HOME "/.emacs.d/server/server "
	"/private/var/folders/x/T/emacs501/server /Users/u/run/own.sock",
	{.protocol = "unix"}},
    {'y', "network-outbound",
	"/private/var/run/mDNSResponder " HOME "/x.sock /private/tmp/x/s",
	{.protocol = "unix"}},
    {'y', "network-outbound network-bind network-inbound", NONE,
	{.protocol = "tcp", .port = 443}},
    {'y', "mach-lookup", NONE, {.name = "com.apple.logd"}},
};

static const struct row signal_rows[] = {
    {'n', "signal", NONE, {.target = "others"}},
    {'y', "signal", NONE, {.target = "same-sandbox"}},
    {'y', "signal", NONE, {.target = "self"}},
};

static const struct row terminal_rows[] = {
    {'n', "file-ioctl", "/dev/tty /dev/ttys000", {.name = "TIOCSTI"}},
    {'y', "file-ioctl", "/dev/tty /dev/ttys000", {.name = "TIOCGETA"}},
    {'y', "file-ioctl", "/dev/tty /dev/ttys000", {.name = "TIOCSETA"}},
};

static const struct row key_rows[] = {
    {'n', "mach-lookup", NONE, {.name = "com.apple.SecurityServer"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.securityd"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.securityd.xpc"}},
    {'y', "mach-lookup", NONE, {.name = "com.apple.trustd.agent"}},
};

static const struct row list_rows[] = {
    {'n', READS " " CHANGES, DATA " " DATA "/memory.db " CONFIG, {0}},
    {'n', "file-read-data file-read-xattr file-map-executable",
	"/opt/x /private/etc/hosts /private/tmp/x /Users/v/x", {0}},
    {'n', CHANGES, "/opt/x /private/tmp/x /Users/v/x /usr/bin/x /usr/local/x",
	{0}},
    {'n', "process-exec", HOME "/x /opt/x " HOME "/w/hid", {0}},
    {'n', "file-write-unlink file-clone file-mount", "/Users " HOME " " DIR,
	{0}},
    {'n', "file-write-create", HOME " " DIR, {.type = "SYMLINK"}},
    {'n', "file-write-create", HOME " " DIR, {.type = "DIRECTORY"}},
    {'n',
	"file-read-data file-read-metadata file-clone file-link "
	"file-write-unlink " META,
	HOME "/w/hid " HOME "/w/hid/x", {0}},
    {'y', "file-write-data file-write-create", HOME "/w/hid " HOME "/w/hid/x",
	{0}},
    {'y',
	"file-read-data file-write-data file-write-create file-write-unlink "
	"file-link file-clone " META,
	HOME "/x " DIR "/workspace/x", {0}},
    {'y', "file-write-data file-write-mode", HOME " " DIR, {0}},
    {'y', "file-read-data file-map-executable process-exec",
	"/usr/bin/x /usr/lib/x", {0}},
    {'y', "file-read-metadata", "/opt/x /private /Users/v", {0}},
    {'y', "file-read-data", "/ /dev/null /dev/urandom", {0}},
    {'y', "file-write-data", "/dev/null /dev/tty /dev/ttys001", {0}},
    {'n', "file-write-data", "/dev/disk0", {0}},
    {'n', "file-ioctl", "/dev/tty", {.name = "TIOCSTI"}},
    {'y', "file-ioctl", "/dev/tty", {.name = "TIOCGETA"}},
    {'n', "signal mach-priv-task-port", NONE, {.target = "others"}},
    {'y', "signal mach-priv-task-port process-info-pidinfo mach-task-name",
	NONE, {.target = "self"}},
    {'n', "lsopen appleevent-send job-creation", NONE, {0}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.SecurityServer"}},
    {'y', "mach-lookup", NONE, {.name = "com.apple.logd"}},
    {'y',
	"process-fork sysctl-read ipc-posix-sem ipc-sysv-shm iokit-open "
	"iokit-get-properties mach-register pseudo-tty user-preference-read",
	NONE, {0}},
    {'y', "network-outbound network-inbound network-bind", NONE,
	{.protocol = "tcp", .port = 443}},
    {'n', "network-outbound", "/private/var/run/docker.sock",
	{.protocol = "unix"}},
    {'y', "system-socket", NONE, {.name = "AF_ROUTE"}},
};

static const struct row hidden_rows[] = {
    {'n', READS " file-write-unlink file-link " META,
	HOME "/w/hid " HOME "/w/hid/x", {0}},
    {'y', "file-write-data file-write-create", HOME "/w/hid " HOME "/w/hid/x",
	{0}},
    {'n', "file-write-unlink", HOME "/w", {0}},
};

static const struct row absent_rows[] = {
    {'n', READS " " CHANGES,
	HOME "/gone/key " HOME "/gone/key/x " HOME "/link/key " HOME
	     "/link/key/x",
	{0}},
    {'n', "network-outbound", HOME "/gone/key/s " HOME "/link/key",
	{.protocol = "unix"}},
    {'n', "file-write-create file-write-unlink file-clone file-mount",
	HOME "/gone " HOME "/GONE " HOME "/Gone " HOME "/link",
	{.type = "DIRECTORY"}},
    {'n', "file-write-create", HOME "/GONE/KEY " HOME "/gone/Key/x", {0}},
    {'y',
	"file-read-data file-write-create file-write-unlink file-clone "
	"process-exec",
	HOME "/gonex " HOME "/x/gone/key " HOME "/gone/x " HOME "/x", {0}},
};

static const struct row fork_rows[] = {
    {'n', "process-fork", NONE, {0}},
    {'y', "process-exec", "/usr/bin/x", {0}},
};

#define INTERNET "network-outbound network-inbound network-bind"

static const struct row denied_rows[] = {
    {'n', INTERNET, NONE, {.protocol = "tcp", .port = 443}},
    {'n', INTERNET, NONE, {.protocol = "udp", .port = 53}},
    {'n', "network-outbound", "/private/var/run/mDNSResponder " HOME "/x.sock",
	{.protocol = "unix"}},
    {'n', "system-socket", NONE, {.name = "AF_ROUTE"}},
    {'n', "system-socket", NONE, {.name = "AF_SYSTEM"}},
    {'n', "system-socket", NONE, {.name = "AF_VSOCK"}},
    {'y', "system-socket", NONE, {.name = "AF_UNIX"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.nsurlsessiond"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.dnssd.service"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.trustd"}},
};

static const struct row but_socket_rows[] = {
    {'n', INTERNET, NONE, {.protocol = "tcp", .port = 443}},
    {'n', "network-outbound", "/private/var/run/mDNSResponder " HOME "/x.sock",
	{.protocol = "unix"}},
    {'y', "network-outbound", "/Users/u/run/own.sock", {.protocol = "unix"}},
    {'n', "system-socket", NONE, {.name = "AF_ROUTE"}},
};

static const struct row unix_rows[] = {
    {'n', INTERNET, NONE, {.protocol = "tcp", .port = 443}},
    {'n', INTERNET, NONE, {.protocol = "udp", .port = 53}},
    {'n', "network-outbound", "/private/var/run/mDNSResponder",
	{.protocol = "unix"}},
    {'y', "network-outbound network-bind", HOME "/x.sock",
	{.protocol = "unix"}},
    {'n', "system-socket", NONE, {.name = "AF_INET"}},
    {'n', "system-socket", NONE, {.name = "AF_INET6"}},
    {'n', "system-socket", NONE, {.name = "AF_ROUTE"}},
    {'y', "system-socket", NONE, {.name = "AF_UNIX"}},
};

static const struct row port_rows[] = {
    {'y', "network-outbound", NONE, {.protocol = "tcp", .port = 443}},
    {'y', "network-outbound", NONE, {.protocol = "tcp", .port = 80}},
    {'n', "network-outbound", NONE, {.protocol = "tcp", .port = 22}},
    {'n', "network-outbound", NONE, {.protocol = "udp", .port = 443}},
    {'n', "network-outbound", NONE, {.protocol = "icmp"}},
    {'y', "network-bind network-inbound", NONE,
	{.protocol = "tcp", .port = 8080}},
    {'n', "network-bind network-inbound", NONE,
	{.protocol = "tcp", .port = 443}},
    {'n', "network-bind network-inbound", NONE, {.protocol = "tcp"}},
    {'n', "network-bind network-inbound", NONE,
	{.protocol = "udp", .port = 8080}},
    {'y', "network-outbound", HOME "/x.sock", {.protocol = "unix"}},
    {'n', "network-outbound", "/private/var/run/mDNSResponder",
	{.protocol = "unix"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.nsurlsessiond"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.dnssd.service"}},
    {'y', "mach-lookup", NONE, {.name = "com.apple.trustd"}},
};

static const struct row udp_rows[] = {
    {'y', INTERNET, NONE, {.protocol = "tcp", .port = 22}},
    {'y', "network-outbound", NONE, {.protocol = "udp", .port = 443}},
    {'n', "network-outbound", NONE, {.protocol = "udp", .port = 53}},
    {'y', "network-bind", NONE, {.protocol = "udp", .port = 53}},
    {'n', INTERNET, NONE, {.protocol = "icmp"}},
    {'n', "network-outbound", "/private/var/run/mDNSResponder",
	{.protocol = "unix"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.nsurlsessiond"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.dnssd.service"}},
};

static const struct row name_rows[] = {
    {'y', "network-outbound", NONE, {.protocol = "tcp", .port = 443}},
    {'n', "network-outbound", NONE, {.protocol = "tcp", .port = 53}},
    {'y', "network-outbound", NONE, {.protocol = "udp", .port = 53}},
    {'y', "network-outbound", "/private/var/run/mDNSResponder",
	{.protocol = "unix"}},
    {'y', "mach-lookup", NONE, {.name = "com.apple.dnssd.service"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.nsurlsessiond"}},
    {'n', INTERNET, NONE, {.protocol = "icmp"}},
};

#define ROWS(rows) rows, sizeof(rows) / sizeof(rows[0])

const struct part parts[] = {
    {"the agent's data and configuration cannot be read, listed, changed, "
     "moved",
	guarantees_make_default, ROWS(data_rows)},
    {"the system directories cannot be changed, metadata included",
	guarantees_make_default, ROWS(system_rows)},
    {"processes outside cannot be traced", guarantees_make_default,
	ROWS(trace_rows)},
    {"known ways to start programs outside, and the caller's sockets, are "
     "closed",
	guarantees_make_default, ROWS(launch_rows)},
    {"processes outside get no signals and wait for no lease",
	guarantees_make_default, ROWS(signal_rows)},
    {"nothing is typed into the caller's terminal", guarantees_make_default,
	ROWS(terminal_rows)},
    {"the caller's keys cannot be used", guarantees_make_default,
	ROWS(key_rows)},
    {"lists: nothing but what they have is read, changed, run", make_lists,
	ROWS(list_rows)},
    {"single places denied for reading or writing", make_hidden,
	ROWS(hidden_rows)},
    {"single places denied for reading or writing", make_absent,
	ROWS(absent_rows)},
    {"no other process is started", make_hidden, ROWS(fork_rows)},
    {"no network, or UNIX sockets only", make_network_denied,
	ROWS(denied_rows)},
    {"no network, or UNIX sockets only", make_network_but_a_socket,
	ROWS(but_socket_rows)},
    {"no network, or UNIX sockets only", make_unix_only, ROWS(unix_rows)},
    {"ports", make_ports, ROWS(port_rows)},
    {"ports", make_udp_ports, ROWS(udp_rows)},
    {"ports", make_ports_and_names, ROWS(name_rows)},
};

const size_t part_count = sizeof(parts) / sizeof(parts[0]);
