/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ward.c - see ward.h.
 */

#include "ward.h"

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "trees.h"

static void
set_address(struct sockaddr_un *at, const char *path)
{
	memset(at, 0, sizeof(*at));
	at->sun_family = AF_UNIX;
	/* The longest has no NUL behind it. */
	memcpy(at->sun_path, path, strnlen(path, sizeof(at->sun_path)));
}

int
ward_listen(const char *path)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un at;

	set_address(&at, path);
	unlink(path);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(fd, 64) != 0 || chmod(path, 0666) != 0)
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
	return fd;
}

int
ward_listen_in(const char *dir, const char *name)
{
	int back = open(".", O_PATH | O_CLOEXEC);
	int fd = -1;

	if (back >= 0 && chdir(dir) == 0)
		fd = ward_listen(name);
	if (back < 0 || fchdir(back) != 0)
		fprintf(stderr, "# %s: %s\n", dir, strerror(errno));
	close(back);
	return fd;
}

static int
reach_by(const char *path, int type)
{
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	struct sockaddr_un to;
	socklen_t size = sizeof(to);
	int error = 0;

	set_address(&to, path);
	if (path[0] == '@') { /* abstract */
		to.sun_path[0] = '\0';
		size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				   strlen(path));
	}
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, size) != 0)
		error = errno;
	close(fd);
	return error;
}

static int
reach(const char *path)
{
	int error = reach_by(path, SOCK_STREAM);

	return error == EPROTOTYPE ? reach_by(path, SOCK_DGRAM) : error;
}

/* Bind by a relative name, go elsewhere if told to, say so, and stay. */
static int
stay(const char *what, const char *where)
{
	int fd = ward_listen_in(where, "resident");

	if (fd < 0 || chdir("/") != 0)
		return 1;
	if (strcmp(what, "remove") == 0)
		unlink(text("%s/resident", where));
	if (write(1, "x\n", 2) != 2)
		return 1;
	for (;;)
		pause();
}

int
ward_main(int argc, char **argv, int *status)
{
	if (argc == 3 && strcmp(argv[1], "connect") == 0)
		*status = reach(argv[2]);
	else if (argc == 4 && strcmp(argv[1], "stay") == 0)
		*status = stay(argv[2], argv[3]);
	else
		return 0;
	return 1;
}

/* Every value of a rule, or none of a rule that is NULL. */
static int
set_all(struct omega_sandbox_policy *policy, const char *rule,
    const char *const *values, struct omega_sandbox_error *error)
{
	int ret = 0;

	for (; ret == 0 && rule != NULL && *values != NULL; values++)
		ret = omega_sandbox_policy_set(policy, rule, *values, error);
	return ret;
}

static struct omega_sandbox_prepared *
prepare(struct ward *ward, const char *dir, const char *backend,
    const char *rule, const char *const *values)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_policy *policy = NULL;

	if (omega_sandbox_policy_new(ward->sandbox, NULL, &policy, &error) <
		0 ||
	    omega_sandbox_policy_set(policy, "data_dir", dir, &error) < 0 ||
	    set_all(policy, rule, values, &error) < 0 ||
	    (backend != NULL && omega_sandbox_policy_set(
				    policy, "backend", backend, &error) < 0) ||
	    omega_sandbox_prepare(policy, &prepared, &error) < 0)
		snprintf(ward->error, sizeof(ward->error), "%s", error.text);
	omega_sandbox_policy_unref(policy);
	return prepared;
}

bool
ward_open_with(struct ward *ward, const char *base, const char *lines,
    const char *rule, const char *const *values)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	const char *conf = text("%s/sandbox.conf", base);
	const char *dir = text("%s/.omega", base);
	FILE *file;

	memset(ward, 0, sizeof(*ward));
	file = fopen(conf, "w");
	if (file == NULL || fputs(lines, file) < 0 || fclose(file) != 0)
		return false;
	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		return false;
	if (omega_sandbox_open(conf, NULL, NULL, &ward->sandbox, &error) < 0) {
		fprintf(stderr, "# open: %s\n", error.text);
		return false;
	}
	ward->outside = prepare(ward, dir, "noop", NULL, NULL);
	ward->inside = prepare(ward, dir, NULL, rule, values);
	return ward->inside != NULL && ward->outside != NULL;
}

bool
ward_open(
    struct ward *ward, const char *base, const char *lines, const char *network)
{
	const char *values[] = {network, NULL};
	bool is_open = strcmp(network, "allow") == 0;

	return ward_open_with(
	    ward, base, lines, is_open ? NULL : "network", values);
}

void
ward_close(struct ward *ward)
{
	omega_sandbox_prepared_unref(ward->inside);
	omega_sandbox_prepared_unref(ward->outside);
	omega_sandbox_unref(ward->sandbox);
	memset(ward, 0, sizeof(*ward));
}

bool
ward_claims(const struct ward *ward, const char *kind)
{
	struct omega_sandbox_guarantee guarantee = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(ward->inside);
	bool is_held = false;
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &guarantee) == 0; i++)
		if (strcmp(guarantee.kind, kind) == 0)
			is_held = guarantee.state == OMEGA_SANDBOX_ENFORCED;
	omega_sandbox_report_unref(report);
	return is_held;
}

bool
ward_says(const struct ward *ward, const char *words)
{
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(ward->inside);
	bool is_there =
	    strstr(omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT),
		words) != NULL;

	omega_sandbox_report_unref(report);
	return is_there;
}

static struct omega_sandbox_command *
make_command(struct omega_sandbox_prepared *prepared, char *const argv[])
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *command = NULL;
	int i;

	if (omega_sandbox_command_new(prepared, *argv, &command, &error) < 0) {
		fprintf(stderr, "# command: %s\n", error.text);
		return NULL;
	}
	must(omega_sandbox_command_set(command, "dir", "/", NULL) == 0);
	/* What they have of the test's own may be a file nobody may write. */
	for (i = 0; i < 3; i++)
		if (omega_sandbox_command_set_stdio(
			command, i, OMEGA_SANDBOX_STDIO_NULL, -1, NULL) < 0)
			fprintf(stderr, "# descriptor %d\n", i);
	while (*++argv != NULL)
		must(omega_sandbox_command_add_arg(command, *argv, NULL) == 0);
	return command;
}

static int
run(struct omega_sandbox_prepared *prepared, char *const argv[])
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = make_command(prepared, argv);
	int ret;

	if (command == NULL)
		return 1000;
	ret = omega_sandbox_run(command, &end, &error);
	omega_sandbox_command_unref(command);
	if (ret < 0) {
		fprintf(stderr, "# run: %s\n", error.text);
		return 1000 - ret;
	}
	return end.signal != 0 ? 128 + end.signal : end.status;
}

/* This very program. */
static char *
self(void)
{
	char *path = harness_keep(PATH_MAX);

	if (readlink("/proc/self/exe", path, PATH_MAX - 1) < 0)
		path[0] = '\0';
	return path;
}

int
ward_connect(struct omega_sandbox_prepared *prepared, const char *path)
{
	static char word[] = "connect";
	char *argv[] = {self(), word, (char *)(uintptr_t)path, NULL};

	return run(prepared, argv);
}

int
ward_check_held(struct ward *ward, const char *path)
{
	int faults = 0;
	int status;

	status = ward_connect(ward->outside, path);
	CHECK(faults, status == 0, "%s outside: %d", path, status);
	status = ward_connect(ward->inside, path);
	CHECK(faults, status == EACCES, "%s inside: %d", path, status);
	return faults;
}

int
ward_shell(struct omega_sandbox_prepared *prepared, const char *script)
{
	static char shell[] = "/bin/sh";
	static char option[] = "-c";
	char *argv[] = {shell, option, (char *)(uintptr_t)script, NULL};

	return run(prepared, argv);
}

struct omega_sandbox_child *
ward_resident(struct omega_sandbox_prepared *prepared, const char *what,
    const char *where)
{
	static char word[] = "stay";
	char *argv[] = {self(), word, (char *)(uintptr_t)what,
	    (char *)(uintptr_t)where, NULL};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *command = make_command(prepared, argv);
	struct omega_sandbox_child *child = NULL;
	struct pollfd wait = {.events = POLLIN};
	char byte;

	if (command == NULL)
		return NULL;
	if (omega_sandbox_command_set_stdio(
		command, 1, OMEGA_SANDBOX_STDIO_PIPE, -1, NULL) < 0 ||
	    omega_sandbox_spawn(command, &child, &error) < 0) {
		fprintf(stderr, "# spawn: %s\n", error.text);
		child = NULL;
	}
	omega_sandbox_command_unref(command);
	if (child == NULL)
		return NULL;
	/* Stays open: what it says later goes nowhere. */
	wait.fd = omega_sandbox_child_take_stdio(child, 1);
	if (poll(&wait, 1, PATIENCE_MS) != 1 || read(wait.fd, &byte, 1) != 1) {
		fprintf(stderr, "# the resident did not begin\n");
		ward_end(child);
		return NULL;
	}
	return child;
}

void
ward_end(struct omega_sandbox_child *child)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;

	if (child == NULL)
		return;
	omega_sandbox_child_signal(child, SIGKILL);
	if (omega_sandbox_child_wait(child, PATIENCE_MS, &end, &error) < 0)
		fprintf(stderr, "# wait: %s\n", error.text);
	omega_sandbox_child_free(child);
}

int
ward_as_that(const struct ward_as *as, int (*fn)(void *))
{
	char *base = text("%s", as->base);

	return as->uid == 0 ? fn(base) : in_user_child(fn, base);
}

static int
with_own_mounts(void *arg)
{
	int (**fn)(void *) = ((void **)arg)[0];

	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return CANNOT_MOUNT;
	return (*fn)(((void **)arg)[1]);
}

void
ward_twice_in_mounts(int (*fn)(void *))
{
	static const uid_t uids[] = {0, SPARE_UID};
	struct ward_as as;
	size_t i;

	if (geteuid() != 0)
		skip_because("only root can mount what others see");
	for (i = 0; i < 2; i++) {
		void *both[] = {&fn, &as};
		int status;

		as.uid = uids[i];
		twice_scratch(as.base, sizeof(as.base), as.uid);
		status = in_child(with_own_mounts, both);
		if (status == CANNOT_MOUNT)
			skip_because("cannot mount here");
		if (status != 0)
			fail_msg("%d faults as uid %lu", status,
			    (unsigned long)as.uid);
	}
}

int
ward_own_run(void)
{
	return trees_cover("/run", "mode=755") == 0 ? 0 : CANNOT_MOUNT;
}

int
ward_own_ground(const struct ward_as *as)
{
	if (unshare(CLONE_NEWNET) != 0 || trees_cover("/tmp", "mode=1777") != 0)
		return CANNOT_MOUNT;
	/* The base may have been there. */
	trees_make_dir(as->base);
	if (mount("ground", as->base, "tmpfs", 0, "mode=755") != 0 ||
	    chown(as->base, as->uid, as->uid) != 0)
		return CANNOT_MOUNT;
	return 0;
}
