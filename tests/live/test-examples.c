/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-examples.c - the policies of etc/examples on this kernel, as root and
 * as an ordinary user. Every attempt is made without a sandbox first, where it
 * succeeds.
 */

#include "harness.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "deeds.h"
#include "home.h"
#include "shipped.h"
#include "twice.h"

#define PYTHON "/usr/bin/python3"

struct ground {
	char base[PATH_MAX];
	char home[PATH_MAX];
	struct omega_sandbox *sandbox;
	struct omega_sandbox_prepared *prepared;
};

/* A home, and the policy of an example for it. */
static int
prepare(struct ground *g, const char *base, const char *file, const char *name)
{
	static const char *const files[] = {".profile", ".ssh/id_test",
	    "work/a", "work/.git/config", "project/a", "project/output/a",
	    ".omega/data/memory.db", ".omega/config.toml", ".omega/other",
	    NULL};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy = NULL;
	size_t i;

	memset(g, 0, sizeof(*g));
	snprintf(g->base, sizeof(g->base), "%s/%s", base, name);
	snprintf(g->home, sizeof(g->home), "%s/%s/home", base, name);
	need(mkdir(g->base, 0755) == 0 && mkdir(g->home, 0755) == 0);
	for (i = 0; files[i] != NULL; i++)
		need(deeds_put(g->home, files[i]) == 0);
	home_set(g->home);
	need(shipped_copy("etc/examples", text("%s/examples", g->base)) > 0);
	g->sandbox = shipped_open(
	    g->base, text("%s/examples/%s", g->base, file), OMEGA_PLUGINDIR);
	need(g->sandbox != NULL);
	if (omega_sandbox_policy_new(g->sandbox, name, &policy, &error) < 0 ||
	    omega_sandbox_policy_set(
		policy, "work_dir", text("%s/work", g->home), &error) < 0 ||
	    omega_sandbox_prepare(policy, &g->prepared, &error) < 0)
		fprintf(stderr, "# %s: %s\n", name, error.text);
	omega_sandbox_policy_unref(policy);
	need(g->prepared != NULL);
	return 0;
}

static void
drop(struct ground *g)
{
	omega_sandbox_prepared_unref(g->prepared);
	omega_sandbox_unref(g->sandbox);
}

/* A server of ours; its port. */
static int
serve(int *fd)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0 || bind(*fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(*fd, 64) < 0 ||
	    getsockname(*fd, (struct sockaddr *)&at, &len) < 0)
		return -1;
	return ntohs(at.sin_port);
}

struct deed {
	const char *script;
	bool is_tools; /* allowed under default-tool */
	bool is_servers; /* under mcp-server */
	bool is_strict; /* under strict-tool */
};

static const struct deed deeds[] = {
    {"echo x >work/new", true, false, true},
    {"rm -f work/a; echo x >work/a", true, false, true},
    {"t=$(mktemp) && rm $t", true, true, true},
    {"cat work/a /etc/passwd", true, true, true},
    {"echo x >>.profile", false, false, false},
    {"echo x >new", false, false, false},
    {"cat work/.git/config", false, false, false},
    {"echo x >work/.git/new", false, false, false},
    {"cat .omega/data/memory.db", false, false, false},
    {"cat .omega/other", false, false, false},
    {"cat .ssh/id_test", true, true, false},
};

static int
try_preset(const char *base, const char *name, size_t which)
{
	struct ground g;
	int server = -1;
	int faults = 0;
	int port;
	size_t i;

	need(prepare(&g, base, "presets.conf", name) == 0);
	for (i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++) {
		const bool allowed[] = {
		    deeds[i].is_tools, deeds[i].is_servers, deeds[i].is_strict};

		faults += deeds_judge(
		    name, g.prepared, g.home, deeds[i].script, allowed[which]);
	}
	port = serve(&server);
	need(port > 0);
	if (access(PYTHON, X_OK) == 0)
		faults += deeds_judge_by(PYTHON, name, g.prepared, g.home,
		    text("import socket; socket.create_connection("
			 "('127.0.0.1', %d), 5)",
			port),
		    which == 1);
	else
		printf("# no python3: the network is not tried\n");
	close(server);
	drop(&g);
	return faults;
}

static int
tools_are_held(void *arg)
{
	return try_preset(arg, "default-tool", 0);
}
TWICE(tools_are_held)

static int
servers_are_held(void *arg)
{
	return try_preset(arg, "mcp-server", 1);
}
TWICE(servers_are_held)

static int
strict_tools_are_held(void *arg)
{
	return try_preset(arg, "strict-tool", 2);
}
TWICE(strict_tools_are_held)

/* By python, since nothing else but node can be run. Where nobody listens a
 * connection that may be tried is refused by the other end. */
static const struct {
	const char *script;
	bool is_allowed;
} listed[] = {
    {"open('project/a').read()", true},
    {"open('project/output/new', 'w').write('x')", true},
    {"import tempfile; tempfile.TemporaryFile()", true},
    {"import json, ssl, sqlite3", true},
    {"open('project/new', 'w')", false},
    {"open('.profile').read()", false},
    {"open('work/a').read()", false},
    {"open('/etc/hostname').read()", false},
    {"import os; os.listdir('/home')", false},
    {"import subprocess; subprocess.run(['/bin/true'], check=True)", false},
    {"import subprocess, sys; subprocess.run([sys.executable, '-c', ''], "
     "check=True)",
	true},
    {"import errno, socket; s = socket.socket(); "
     "assert s.connect_ex(('127.0.0.1', 443)) in (0, errno.ECONNREFUSED)",
	true},
    {"import errno, socket; s = socket.socket(); "
     "assert s.connect_ex(('127.0.0.1', 444)) in (0, errno.ECONNREFUSED)",
	false},
    {"import socket; socket.socket().bind(('127.0.0.1', 0))", false},
    {"import socket; socket.socket(type=socket.SOCK_DGRAM)", false},
};

static int
lists_hold(void *arg)
{
	struct ground g;
	int faults = 0;
	size_t i;

	if (access(PYTHON, X_OK) != 0) {
		printf("# no " PYTHON ": the lists are not tried\n");
		return 0;
	}
	need(prepare(&g, arg, "allowlist.conf", "project") == 0);
	for (i = 0; i < sizeof(listed) / sizeof(listed[0]); i++)
		faults += deeds_judge_by(PYTHON, "project", g.prepared, g.home,
		    listed[i].script, listed[i].is_allowed);
	drop(&g);
	return faults;
}
TWICE(lists_hold)

static int
passwd_is_blocked(void *arg)
{
	struct ground g;
	int faults = 0;

	need(prepare(&g, arg, "blocked-paths.conf", "default") == 0);
	faults += deeds_judge("default", g.prepared, g.home, "true", true);
	faults += deeds_judge("default", g.prepared, g.home, "id -u", true);
	faults += deeds_judge(
	    "default", g.prepared, g.home, "cat /etc/passwd", false);
	/* Not root, whom systemd knows without the file. */
	faults += deeds_judge("default", g.prepared, g.home,
	    "getent passwd daemon | grep daemon", false);
	drop(&g);
	return faults;
}
TWICE(passwd_is_blocked)

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tools_are_held),
    cmocka_unit_test(test_servers_are_held),
    cmocka_unit_test(test_strict_tools_are_held),
    cmocka_unit_test(test_lists_hold),
    cmocka_unit_test(test_passwd_is_blocked),
};

int
main(void)
{
	scratch_outside_tmp();
	return run_all(tests);
}
