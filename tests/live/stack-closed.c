/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-closed.c - other names of the data that cannot be looked at when a
 * command is prepared: behind a directory that the command before has closed,
 * or too long to be told.
 */

#include "stack.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The search for sockets masks what it finds closed, too. */
#define LINES                                                            \
	"hide_sockets = none\n"                                          \
	"accept = {metadata, outside_signals, abstract_sockets, "        \
	"late_sockets, aliases, replaced_files, absent_paths, execute, " \
	"launcher_sockets}\n"

#define LONG_NAME 200 /* bytes of each name on a long way */

struct host {
	const char *dir; /* the data directory, below top */
	const char *closed; /* directories of the caller's, below top */
	/* Directory below top and what is behind it. */
	const char *names[10][2];
	int (*arrange)(const struct host *host);
	const char *blocked; /* below top, or NULL */
	bool is_told; /* nobody knows what is in a closed directory */
	bool is_user;
	char base[PATH_MAX];
	char top[PATH_MAX];
};

static char *
in_top(const struct host *host, const char *name)
{
	return escapes_in(host->top, name);
}

static int
try_in(struct driver *driver, const struct host *host, const char *what,
    const char *dir, const char *behind)
{
	struct world world = {.outside = 0};

	snprintf(world.arg, sizeof(world.arg), "%s", behind);
	return stack_try(driver, &world, what, in_top(host, dir));
}

/* All directories of the list get this mode. Faults. */
static int
set_modes(struct driver *driver, const struct host *host, const char *mode)
{
	char list[256];
	char *save = NULL;
	char *name;
	int faults = 0;

	snprintf(list, sizeof(list), "%s", host->closed);
	for (name = strtok_r(list, " ", &save); name != NULL;
	     name = strtok_r(NULL, " ", &save)) {
		int ret = try_in(driver, host, "closed: close", name, mode);

		CHECK(faults, ret == 0, "%s: mode %s: %d", name, mode, ret);
	}
	return faults;
}

static int
try_names(struct stack *stack, const struct host *host, const char *mode)
{
	int faults = 0;
	size_t i;
	int ret;

	for (i = 0; host->names[i][0] != NULL; i++) {
		const char *dir = host->names[i][0];
		const char *behind = host->names[i][1];

		ret = try_in(&stack->in, host, "closed: read", dir, behind);
		CHECK(faults, ret == EACCES, "%s %s/%s: read: %d", mode, dir,
		    behind, ret);
		ret = try_in(&stack->in, host, "closed: change", dir, behind);
		CHECK(faults, ret == EACCES, "%s %s/%s: change: %d", mode, dir,
		    behind, ret);
		ret = try_in(&stack->out, host, "closed: read", dir, behind);
		CHECK(faults, ret == 0, "%s %s/%s: outside: %d", mode, dir,
		    behind, ret);
		set_modes(&stack->out, host, mode);
	}
	return faults;
}

static bool
claims_names(struct omega_sandbox_prepared *prepared)
{
	struct omega_sandbox_guarantee claim = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	bool is_claimed = true;
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &claim) == 0; i++)
		if (strcmp(claim.kind, "aliases") == 0 &&
		    strcmp(claim.path, "/dev") != 0 &&
		    claim.state != OMEGA_SANDBOX_ENFORCED) {
			printf("# %s\n", claim.why);
			is_claimed = false;
		}
	omega_sandbox_report_unref(report);
	return is_claimed;
}

static int
go_through(void *arg)
{
	static const char *const modes[] = {"0", "0666", "0311", "0755"};
	const struct host *host = arg;
	char lines[2 * PATH_MAX] = LINES;
	char dir[2 * PATH_MAX];
	struct stack stack;
	int faults = 0;
	size_t i;

	snprintf(dir, sizeof(dir), "%s", in_top(host, host->dir));
	if (host->blocked != NULL)
		snprintf(lines, sizeof(lines),
		    "%sblocked_paths = {\"%.4000s\"}\n", LINES,
		    in_top(host, host->blocked));
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!stack_open(&stack, host->base, dir, lines))
			return faults + 1;
		faults += set_modes(&stack.in, host, modes[i]);
		stack_close(&stack);
		if (!stack_open(&stack, host->base, dir, lines))
			return faults + 1;
		CHECK(faults,
		    claims_names(stack.inside) ==
			!(host->is_told && host->is_user && i < 2),
		    "%s: what is claimed", modes[i]);
		faults += try_names(&stack, host, modes[i]);
		set_modes(&stack.out, host, "0755");
		stack_close(&stack);
	}
	return faults;
}

static int
bind_to(const struct host *host, const char *from, const char *to)
{
	return mount(in_top(host, from), in_top(host, to), NULL, MS_BIND, NULL);
}

static int
overlay_at(
    const struct host *host, const char *low, const char *up, const char *point)
{
	char options[4 * PATH_MAX];

	snprintf(options, sizeof(options),
	    "lowerdir=%s/%s,upperdir=%s/%s,workdir=%s/%s-work", host->top, low,
	    host->top, up, host->top, up);
	return mount("o", in_top(host, point), "overlay", 0, options);
}

/* Mounts and overlays of the data, in x and y. */
static int
arrange_names(const struct host *host)
{
	return bind_to(host, "real", "x/alt") ||
	       bind_to(host, "real/dd/data", "x/piece") ||
	       bind_to(host, "real/dd/config.toml", "x/file") ||
	       bind_to(host, "real", "y/alt") ||
	       overlay_at(host, "real", "up", "x/merged") ||
	       overlay_at(host, "y/alt", "up2", "shown");
}

/* The data is in an overlay, and its layer is below x and at y/alt. */
static int
arrange_layers(const struct host *host)
{
	return bind_to(host, "real", "x/alt") ||
	       bind_to(host, "real", "y/alt") ||
	       overlay_at(host, "x/alt", "up", "shown");
}

/* One can be named, one is too long with what is behind it, one by itself. */
static char ways[3][2 * PATH_MAX];

static int
arrange_long(const struct host *host)
{
	char name[LONG_NAME + 1];
	char way[2 * PATH_MAX] = "x";
	size_t total = strlen(host->top) + strlen("/x/alt");
	int mounted = 0;

	if (chdir(in_top(host, "x")) != 0)
		return -1;
	while (mounted < 3) {
		size_t left = PATH_MAX - 1 - total - 1;
		size_t len = LONG_NAME;

		if (mounted < 2 && left < 2 * LONG_NAME)
			len = left > LONG_NAME ? left - LONG_NAME : left;
		memset(name, 'n', len);
		name[len] = '\0';
		total += len + 1;
		snprintf(
		    way + strlen(way), sizeof(way) - strlen(way), "/%s", name);
		if (mkdir(name, 0755) != 0 || chdir(name) != 0 ||
		    mkdir("alt", 0755) != 0 ||
		    (host->is_user && lchown(".", SPARE_UID, SPARE_UID) != 0))
			return -1;
		if (total < PATH_MAX - 1 - 2 * LONG_NAME ||
		    (mounted == 1 && total < PATH_MAX - 1))
			continue;
		if (mount(in_top(host, "real"), "alt", NULL, MS_BIND, NULL) !=
		    0)
			return -1;
		snprintf(ways[mounted++], sizeof(ways[0]), "%.8000s/alt",
		    way);
	}
	return chdir("/");
}

static int
make_all(const struct host *host)
{
	static const char *const dirs[] = {"real", "real/dd", "real/dd/data",
	    "real/dd/workspace", "x", "x/alt", "x/piece", "x/merged", "y",
	    "y/alt", "shown", "up", "up-work", "up2", "up2-work"};
	char command[2 * PATH_MAX];
	size_t i;

	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (mkdir(in_top(host, dirs[i]), 0755) != 0)
			return -1;
	stack_put_secret(in_top(host, "real/dd/" DB));
	stack_put_secret(in_top(host, "real/dd/" CONFIG));
	stack_put_secret(in_top(host, "x/file"));
	snprintf(command, sizeof(command), "chown -R %d:%d '%.4000s'",
	    SPARE_UID, SPARE_UID, host->top);
	return host->is_user ? system(command) : 0;
}

static int
in_host(void *arg)
{
	struct host *host = arg;

	snprintf(
	    host->top, sizeof(host->top), "%.*s/top", PATH_MAX - 8, host->base);
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mkdir(host->top, 0755) != 0 ||
	    mount("t", host->top, "tmpfs", 0, "mode=755") != 0)
		return CANNOT_MOUNT;
	if (make_all(host) != 0)
		return 1;
	if (host->arrange(host) != 0)
		return CANNOT_MOUNT;
	return host->is_user ? in_user_child(go_through, host)
			     : go_through(host);
}

/* As root, to whom nothing is closed, and as an ordinary user. */
static void
go_twice(struct host *host)
{
	int status;
	int i;

	if (geteuid() != 0)
		skip_because("only root can mount what is looked for");
	for (i = 0; i < 2; i++) {
		host->is_user = i != 0;
		twice_scratch(host->base, sizeof(host->base),
		    host->is_user ? SPARE_UID : 0);
		status = in_child(in_host, host);
		if (status == CANNOT_MOUNT)
			skip_because("cannot mount an overlay");
		if (status != 0)
			fail_msg("as %s: %d faults",
			    host->is_user ? "a user" : "root", status);
	}
}

static void
test_closed_names(void **state)
{
	struct host host = {.dir = "real/dd",
	    .closed = "x y",
	    .names = {{"x", "alt/dd/data/memory.db"},
		{"x", "alt/dd/config.toml"}, {"x", "piece/memory.db"},
		{"x", "file"}, {"x", "merged/dd/data/memory.db"},
		{"x", "merged/dd/config.toml"}, {"y", "alt/dd/data/memory.db"},
		{"shown", "dd/data/memory.db"}},
	    .is_told = true,
	    .arrange = arrange_names};

	(void)state;
	go_twice(&host);
}

static void
test_closed_layers(void **state)
{
	struct host host = {.dir = "shown/dd",
	    .closed = "x",
	    .names = {{"x", "alt/dd/data/memory.db"},
		{"x", "alt/dd/config.toml"}, {"y", "alt/dd/data/memory.db"},
		{"real", "dd/config.toml"}},
	    .is_told = true,
	    .arrange = arrange_layers};

	(void)state;
	go_twice(&host);
}

static void
test_long_names(void **state)
{
	static const char behind[] = "dd/data/memory.db";
	struct host host = {.dir = "real/dd",
	    .closed = "x",
	    .names = {{ways[0], behind}, {ways[1], behind}, {ways[2], behind}},
	    .arrange = arrange_long};

	(void)state;
	go_twice(&host);
}

/*
 * A denied path was absent, and one command closed the directory it is made in
 * then. Masked, or nothing is started.
 */
static int
closed_absent(void *base)
{
	struct host host = {.dir = "home/dd", .closed = "home/x"};
	char lines[2 * PATH_MAX];
	struct stack stack;
	int faults = 0;
	int ret;

	snprintf(host.top, sizeof(host.top), "%s", (const char *)base);
	if (mkdir(in_top(&host, "home"), 0755) != 0 ||
	    mkdir(in_top(&host, "home/dd"), 0755) != 0 ||
	    mkdir(in_top(&host, "home/x"), 0755) != 0)
		return 1;
	snprintf(lines, sizeof(lines), "%sblocked_paths = {\"%.4000s\"}\n",
	    LINES, in_top(&host, "home/x/secret"));
	if (!stack_open(&stack, base, in_top(&host, host.dir), lines))
		return 1;
	ret = try_in(&stack.in, &host, "closed: read", "home/x", "secret");
	CHECK(faults, ret == ENOENT, "absent: %d", ret);
	stack_put_secret(in_top(&host, "home/x/secret"));
	faults += set_modes(&stack.out, &host, "0");
	ret = try_in(&stack.in, &host, "closed: read", "home/x", "secret");
	CHECK(faults, ret == EACCES || (geteuid() != 0 && ret > 1000),
	    "there, and closed: %d", ret);
	ret = try_in(&stack.out, &host, "closed: read", "home/x", "secret");
	CHECK(faults, ret == 0, "outside: %d", ret);
	stack_close(&stack);
	return faults;
}

/*
 * What is protected is named by a link, or is one, and what is closed is the
 * directory of the link, or one that it leads through.
 */
static int
closed_links(void *base)
{
	struct host hosts[] = {{.dir = "home/x/link",
				   .closed = "home/x",
				   .names = {{"home/real", "data/memory.db"},
				       {"home/real", "config.toml"},
				       {"home/x", "link/config.toml"}},
				   .is_told = true},
	    {.dir = "home/dd",
		.closed = "home/x",
		.names = {{"home/dd", "config.toml"},
		    {"home/x", "data/memory.db"}},
		.is_told = true},
	    {.dir = "home/real",
		.closed = "home/x",
		.names = {{"home/real", "config.toml"},
		    {"home/elsewhere", "secret"}, {"home/x", "other"}},
		.blocked = "home/x/other",
		.is_told = true},
	    {.dir = "home/y/x/link",
		.closed = "home/y",
		.names = {{"home/real", "data/memory.db"},
		    {"home/real", "config.toml"}},
		.is_told = true}};
	static const char *const dirs[] = {"home", "home/real",
	    "home/real/data", "home/real/workspace", "home/dd", "home/x",
	    "home/x/data", "home/elsewhere", "home/y", "home/y/x"};
	static const char *const secrets[] = {"home/real/" DB,
	    "home/real/" CONFIG, "home/dd/" CONFIG, "home/x/" DB,
	    "home/elsewhere/secret"};
	int faults = 0;
	size_t i;

	for (i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		snprintf(hosts[i].base, PATH_MAX, "%s", (const char *)base);
		snprintf(hosts[i].top, PATH_MAX, "%s", (const char *)base);
		hosts[i].is_user = geteuid() != 0;
	}
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (mkdir(in_top(hosts, dirs[i]), 0755) != 0)
			return 1;
	for (i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++)
		stack_put_secret(in_top(hosts, secrets[i]));
	if (symlink("../real", in_top(hosts, "home/x/link")) != 0 ||
	    symlink("../../real", in_top(hosts, "home/y/x/link")) != 0 ||
	    symlink("../elsewhere/secret", in_top(hosts, "home/x/other")) !=
		0 ||
	    symlink("../x/data", in_top(hosts, "home/dd/data")) != 0)
		return 1;
	for (i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
		faults += go_through(&hosts[i]);
	return faults;
}

TWICE(closed_absent)
TWICE(closed_links)

const struct CMUnitTest stack_closed_tests[] = {
    cmocka_unit_test(test_closed_names),
    cmocka_unit_test(test_closed_layers),
    cmocka_unit_test(test_long_names),
    cmocka_unit_test(test_closed_absent),
    cmocka_unit_test(test_closed_links),
    {NULL, NULL, NULL, NULL, NULL},
};
