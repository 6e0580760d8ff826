/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-stack.c - the default policy as it is kept on this kernel: the library
 * with the stack it chooses by itself, as root and as an ordinary user. Every
 * attempt is first made with noop, where it must work, and then inside, where
 * it must fail with the error that is written down here.
 */

#include "harness.h"

#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "escapes.h"
#include "stack-errors.h"
#include "twice.h"
#include "world.h"

/* ---- The library as the driver of world.c ---------------------------------
 */

/* Made for one world: the stack, and nothing at all. */
struct stack {
	struct omega_sandbox *sandbox;
	struct omega_sandbox_prepared *inside;
	struct omega_sandbox_prepared *outside;
	struct driver in; /* world.c's view of the two */
	struct driver out;
};

static struct omega_sandbox_prepared *
prepare(struct omega_sandbox *sandbox, const char *dir, const char *backend)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_policy *policy = NULL;

	if (omega_sandbox_policy_new(sandbox, NULL, &policy, &error) < 0 ||
	    omega_sandbox_policy_set_data_dir(policy, dir, &error) < 0 ||
	    (backend != NULL && omega_sandbox_policy_set_backend(
				    policy, backend, &error) < 0) ||
	    omega_sandbox_prepare(policy, &prepared, &error) < 0)
		fprintf(stderr, "# prepare: %s\n", error.text);
	omega_sandbox_policy_unref(policy);
	return prepared;
}

/* With these lines as the configuration. */
static bool
stack_open(
    struct stack *stack, const char *base, const char *dir, const char *lines)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char path[PATH_MAX + 32];
	FILE *file;

	memset(stack, 0, sizeof(*stack));
	snprintf(path, sizeof(path), "%s/sandbox.conf", base);
	file = fopen(path, "w");
	if (file == NULL || fputs(lines, file) < 0 || fclose(file) != 0)
		return false;
	if (omega_sandbox_open(path, NULL, NULL, &stack->sandbox, &error) < 0) {
		fprintf(stderr, "# open: %s\n", error.text);
		return false;
	}
	stack->outside = prepare(stack->sandbox, dir, "noop");
	stack->inside = prepare(stack->sandbox, dir, NULL);
	stack->in.host.core = stack->inside;
	stack->out.host.core = stack->outside;
	return stack->inside != NULL && stack->outside != NULL;
}

static void
stack_close(struct stack *stack)
{
	omega_sandbox_prepared_unref(stack->inside);
	omega_sandbox_prepared_unref(stack->outside);
	omega_sandbox_unref(stack->sandbox);
	memset(stack, 0, sizeof(*stack));
}

static struct omega_sandbox_command *
make_command(struct omega_sandbox_prepared *prepared, char *const argv[])
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *command = NULL;

	if (omega_sandbox_command_new(prepared, *argv, &command, &error) < 0) {
		fprintf(stderr, "# command: %s\n", error.text);
		return NULL;
	}
	omega_sandbox_command_set_dir(command, "/");
	while (*++argv != NULL)
		omega_sandbox_command_add_arg(command, *argv);
	return command;
}

/* What world.c calls: the status, 128 + signal, or 1000 - code. */
int
driver_run(struct driver *driver, char *const argv[])
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_exit end = OMEGA_SANDBOX_EXIT_INIT;
	struct omega_sandbox_command *command =
	    make_command(driver->host.core, argv);
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

/* ---- What is expected -----------------------------------------------------
 */

static bool
is_expected(const char *name, int error)
{
	const struct expected *at = expectations;
	const struct expected *end =
	    at + sizeof(expectations) / sizeof(*expectations);
	size_t i;

	for (; at < end; at++)
		for (i = 0; at->names[i] != NULL; i++)
			if (strcmp(at->names[i], name) == 0)
				return at->errors[0] == error ||
				       at->errors[1] == error;
	return false;
}

/* ---- What is claimed ------------------------------------------------------
 */

/* Kernels differ in these: the report says what is held on this one. */
static const struct {
	const char *kind;
	const char *names[8];
} depends[] = {
    {"outside_signals", {"kill", "tgkill", "pidfd_send_signal", "killpg",
			    "signal by F_SETOWN", NULL}},
    {"abstract_sockets", {"abstract socket", NULL}},
    {"late_sockets", {"connect to a late socket", NULL}},
};

static bool
is_enforced(struct omega_sandbox_prepared *prepared, const char *kind)
{
	struct omega_sandbox_guarantee guarantee = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	bool is_held = false;
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &guarantee) == 0; i++)
		if (strcmp(guarantee.kind, kind) == 0)
			is_held = guarantee.state == OMEGA_SANDBOX_ENFORCED;
	omega_sandbox_report_unref(report);
	return is_held;
}

/* Does the report say that this cannot be done? */
static bool
is_claimed(struct omega_sandbox_prepared *prepared, const char *name)
{
	size_t i;
	size_t j;

	for (i = 0; i < sizeof(depends) / sizeof(*depends); i++)
		for (j = 0; depends[i].names[j] != NULL; j++)
			if (strcmp(depends[i].names[j], name) == 0)
				return is_enforced(prepared, depends[i].kind);
	return true;
}

/* ---- Going through a list --------------------------------------------------
 */

/* Changes a world just made; gives what the attempts are about. */
typedef void arrange_fn(struct world *world, char *subject, size_t size);

struct course {
	const struct attempt *list;
	const char *lines; /* of the configuration */
	arrange_fn *arrange; /* or NULL: about the data directory */
	const char *behind; /* more of them: the subject, then this */
	bool is_changed; /* the data is not what world_make made */
};

static int
listen_abstract(const char *name)
{
	struct sockaddr_un at;
	socklen_t size = escapes_abstract(name, &at);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&at, size) != 0 || listen(fd, 8) != 0)
		fprintf(stderr, "# abstract: %s\n", strerror(errno));
	return fd;
}

static int
try_one(struct driver *driver, struct world *world, const char *name,
    const char *subject)
{
	static char attempt[] = "attempt";
	char self[PATH_MAX] = "";
	char *argv[] = {self, attempt, (char *)(uintptr_t)name,
	    (char *)(uintptr_t)subject, world->arg, NULL};

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1000;
	return driver_run(driver, argv);
}

static int
start_world(struct world *world, const char *base, const struct course *course,
    char *subject)
{
	world_make(world, base, ".omega");
	snprintf(subject, PATH_MAX, "%s", world->dir);
	if (course->arrange != NULL)
		course->arrange(world, subject, PATH_MAX);
	return listen_abstract(world->dir);
}

static bool
has_outside(const struct world *world)
{
	return waitpid(world->outside, NULL, WNOHANG) == 0;
}

/* What is not claimed works inside as it does outside, and says so. It is done
 * to a world of its own: the process there may not live on. */
static int
check_unclaimed(struct stack *stack, const char *base,
    const struct course *course, const char *name)
{
	char subject[PATH_MAX];
	struct world world;
	int faults = 0;
	int inside;
	int fd = start_world(&world, base, course, subject);

	inside = try_one(&stack->in, &world, name, subject);
	CHECK(faults, inside == 0, "%s: not claimed, inside: %d", name, inside);
	printf("# %s: not claimed on this kernel, and not held\n", name);
	close(fd);
	world_end(&world);
	return faults;
}

static int
go_through(const char *base, const struct course *course)
{
	const struct attempt *list = course->list;
	bool is_root = geteuid() == 0;
	char subject[PATH_MAX];
	char twin_subject[PATH_MAX];
	char twin_base[PATH_MAX];
	char lines[4 * PATH_MAX];
	struct stack stack;
	struct world world;
	int faults = 0;
	int held = 0;
	int fd;

	fd = start_world(&world, base, course, subject);
	snprintf(lines, sizeof(lines), "%s%s%s", course->lines,
	    course->behind != NULL ? subject : "",
	    course->behind != NULL ? course->behind : "");
	if (!stack_open(&stack, base, world.dir, lines))
		return 1;
	snprintf(twin_base, sizeof(twin_base), "%.*s/twin", PATH_MAX - 8, base);
	mkdir(twin_base, 0755);
	for (; list->name != NULL; list++) {
		struct world twin;
		int outside;
		int inside;
		int twin_fd;

		if (list->for_root != 0 && (list->for_root == 1) != is_root)
			continue;
		twin_fd = start_world(&twin, twin_base, course, twin_subject);
		outside = try_one(&stack.out, &twin, list->name, twin_subject);
		close(twin_fd);
		world_end(&twin);
		if (list->kind == ATTEMPTS_MAYBE && outside != 0)
			printf("# %s: cannot be shown here: %s\n", list->name,
			    strerror(outside));
		else
			CHECK(faults, outside == 0, "%s: outside: %s",
			    list->name, strerror(outside));
		if (!is_claimed(stack.inside, list->name)) {
			faults += check_unclaimed(
			    &stack, twin_base, course, list->name);
			continue;
		}
		inside = try_one(&stack.in, &world, list->name, subject);
		if (getenv("OMEGA_TEST_VERBOSE") != NULL)
			fprintf(stderr, "# %-34s outside %s, inside %s\n",
			    list->name, strerror(outside), strerror(inside));
		if (list->kind == ATTEMPTS_USE)
			CHECK(faults, inside == 0, "%s: inside: %s", list->name,
			    strerror(inside));
		else if (list->kind == ATTEMPTS_MAYBE && outside == inside)
			continue; /* the machine does not have it */
		else
			CHECK(faults, is_expected(list->name, inside),
			    "%s: inside: %d", list->name, inside);
		held += inside != 0;
		CHECK(faults, course->is_changed || world_is_whole(&world),
		    "%s: the data changed", list->name);
		CHECK(faults, has_outside(&world), "%s: killed a process",
		    list->name);
	}
	/* Nothing was done to the next command's protection either. */
	stack_close(&stack);
	if (!stack_open(&stack, base, world.dir, lines))
		faults++;
	else
		CHECK(faults,
		    try_one(&stack.in, &world, "read", world.dir) == EACCES,
		    "the next command");
	printf("# %s: %d attempts held\n", is_root ? "root" : "user", held);
	fflush(stdout);
	stack_close(&stack);
	close(fd);
	world_end(&world);
	return faults;
}

#define SHIELD "data_dir_mode = shield\n"

static int
data(void *base)
{
	const struct course known = {attempts_on_data, "", NULL, NULL, false};
	const struct course more = {escapes_data, "", NULL, NULL, false};

	return go_through(base, &known) + go_through(base, &more);
}

static int
shielded_data(void *base)
{
	const struct course known = {
	    attempts_on_data, SHIELD, NULL, NULL, false};
	const struct course more = {escapes_data, SHIELD, NULL, NULL, false};

	return go_through(base, &known) + go_through(base, &more);
}

static int
mounts(void *base)
{
	const struct course course = {
	    attempts_on_mounts, "", NULL, NULL, false};

	return go_through(base, &course);
}

static int
system_directories(void *base)
{
	const struct course known = {attempts_on_system, "", NULL, NULL, false};
	const struct course more = {escapes_system, "", NULL, NULL, false};

	return go_through(base, &known) + go_through(base, &more);
}

static int
processes_outside(void *base)
{
	const struct course course = {escapes_outside, "", NULL, NULL, false};

	return go_through(base, &course);
}

static int
everyday_use(void *base)
{
	const struct course course = {attempts_of_use, "", NULL, NULL, false};

	return go_through(base, &course);
}

/* ---- config.toml -----------------------------------------------------------
 */

static void
without_config(struct world *world, char *subject, size_t size)
{
	char path[2 * PATH_MAX];

	(void)subject;
	(void)size;
	snprintf(path, sizeof(path), "%s/config.toml", world->dir);
	if (unlink(path) != 0)
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
}

static void
put_secret(const char *path)
{
	FILE *file = fopen(path, "w");

	if (file == NULL || fputs(SECRET, file) < 0 || fclose(file) != 0)
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
}

static int
absent_config(void *base)
{
	const struct course course = {
	    escapes_absent, "", without_config, NULL, true};
	char path[2 * PATH_MAX];
	struct stack stack;
	struct world world;
	int faults = go_through(base, &course);

	snprintf(path, sizeof(path), "%s/w/home/.omega/config.toml",
	    (const char *)base);
	CHECK(faults, access(path, F_OK) != 0, "it was made");
	/* The host makes it between two commands. */
	world_make(&world, base, ".omega");
	unlink(path);
	if (!stack_open(&stack, base, world.dir, ""))
		return faults + 1;
	CHECK(faults,
	    try_one(&stack.in, &world, "read config.toml", world.dir) == ENOENT,
	    "absent");
	put_secret(path);
	CHECK(faults,
	    try_one(&stack.out, &world, "read config.toml", world.dir) == 0,
	    "outside");
	CHECK(faults,
	    try_one(&stack.in, &world, "read config.toml", world.dir) == EACCES,
	    "made by the host, it is seen");
	stack_close(&stack);
	world_end(&world);
	return faults;
}

/* The host replaces it by rename between two commands. */
static int
replaced(const char *base, const char *lines)
{
	char path[2 * PATH_MAX];
	char other[2 * PATH_MAX];
	struct stack stack;
	struct world world;
	int faults = 0;
	int i;

	world_make(&world, base, ".omega");
	if (!stack_open(&stack, base, world.dir, lines))
		return 1;
	snprintf(path, sizeof(path), "%s/config.toml", world.dir);
	snprintf(other, sizeof(other), "%s/config.new", world.dir);
	for (i = 0; i < 3; i++) {
		int inside =
		    try_one(&stack.in, &world, "read config.toml", world.dir);

		CHECK(faults, inside == EACCES, "time %d: %d", i, inside);
		inside =
		    try_one(&stack.in, &world, "write config.toml", world.dir);
		CHECK(faults, inside == EACCES, "time %d: %d", i, inside);
		CHECK(faults,
		    try_one(
			&stack.out, &world, "read config.toml", world.dir) == 0,
		    "outside");
		put_secret(other);
		CHECK(faults, rename(other, path) == 0, "%s", strerror(errno));
	}
	stack_close(&stack);
	world_end(&world);
	return faults;
}

static int
replaced_config(void *base)
{
	return replaced(base, "") + replaced(base, SHIELD);
}

/* ---- Other denied places, and the way there ---------------------------------
 */

static void
with_another(struct world *world, char *subject, size_t size)
{
	snprintf(subject, size, "%.*s/elsewhere", PATH_MAX - 32, world->home);
	mkdir(subject, 0755);
	strcat(subject, "/secret");
	put_secret(subject);
}

static int
other_places(void *base)
{
	const struct course external = {
	    escapes_denied, "config_file = \"", with_another, "\"\n", false};
	const struct course blocked = {escapes_denied, "blocked_paths = {\"",
	    with_another, "\"}\n", false};

	return go_through(base, &external) + go_through(base, &blocked);
}

static void
with_link(struct world *world, char *subject, size_t size)
{
	char real[PATH_MAX + 8];

	(void)subject;
	(void)size;
	snprintf(real, sizeof(real), "%s/real", world->home);
	if (rename(world->dir, real) != 0 || symlink("real", world->dir) != 0)
		fprintf(stderr, "# %s: %s\n", real, strerror(errno));
}

static int
symbolic_link(void *base)
{
	const struct course link = {escapes_link, "", with_link, NULL, false};
	const struct course known = {
	    attempts_on_data, "", with_link, NULL, false};

	return go_through(base, &link) + go_through(base, &known);
}

/* ---- The caller's terminal, descriptors and sockets -------------------------
 */

static int
terminal(void *base)
{
	const struct course course = {escapes_terminal, "", NULL, NULL, false};
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int slave;

	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 ||
	    setsid() < 0)
		return 1;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) != 0 ||
	    dup2(slave, STDIN_FILENO) != 0)
		return 1;
	return go_through(base, &course);
}

/* Open in the host, not close-on-exec: not in the command. */
static int
descriptors(void *base)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_exit end = OMEGA_SANDBOX_EXIT_INIT;
	struct omega_sandbox_command *command;
	char self[PATH_MAX] = "";
	char *argv[] = {self, NULL};
	struct stack stack;
	struct world world;
	int faults = 0;
	int status;
	int inside;
	int fd;
	pid_t pid;

	world_make(&world, base, ".omega");
	if (!stack_open(&stack, base, world.dir, "") ||
	    readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	fd = open(world.dir, O_RDONLY | O_DIRECTORY);
	pid = fork();
	if (pid == 0) {
		execl(self, self, "attempt", "inherited directory", world.dir,
		    (char *)NULL);
		_exit(250);
	}
	waitpid(pid, &status, 0);
	CHECK(faults, status == 0, "outside: %d", status);
	inside = try_one(&stack.in, &world, "inherited directory", world.dir);
	CHECK(faults, inside == EBADF, "inside: %d", inside);
	/* Neither as one of the three, nor handed over. */
	command = make_command(stack.inside, argv);
	if (omega_sandbox_command_set_stdio(
		command, 0, OMEGA_SANDBOX_STDIO_FD, fd) == 0)
		CHECK(faults, omega_sandbox_run(command, &end, &error) < 0,
		    "a directory as standard input");
	omega_sandbox_command_unref(command);
	command = make_command(stack.inside, argv);
	if (omega_sandbox_command_pass_fd(command, fd, 5) == 0)
		CHECK(faults, omega_sandbox_run(command, &end, &error) < 0,
		    "a directory as descriptor 5");
	omega_sandbox_command_unref(command);
	close(fd);
	stack_close(&stack);
	world_end(&world);
	return faults;
}

static int
listen_at(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%.100s", path);
	unlink(path);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(fd, 8) != 0 || chmod(path, 0666) != 0)
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
	return fd;
}

/* Given back by the administrator, one and not the other. */
static int
own_sockets(void *base)
{
	char one[PATH_MAX];
	char two[PATH_MAX];
	char three[PATH_MAX];
	char lines[3 * PATH_MAX];
	struct stack stack;
	struct world world;
	int faults = 0;
	int inside;
	int wanted;
	int fds[3];

	world_make(&world, base, ".omega");
	snprintf(one, sizeof(one), "%s/one", (const char *)base);
	snprintf(two, sizeof(two), "%s/two", (const char *)base);
	fds[0] = listen_at(one);
	fds[1] = listen_at(two);
	snprintf(lines, sizeof(lines), "allow_sockets = {\"%s\"}\n", two);
	if (!stack_open(&stack, base, world.dir, lines))
		return 1;
	CHECK(faults, try_one(&stack.out, &world, "connect", one) == 0,
	    "outside");
	inside = try_one(&stack.in, &world, "connect", one);
	CHECK(faults, inside == EACCES, "inside: %d", inside);
	inside = try_one(&stack.in, &world, "connect", two);
	CHECK(faults, inside == 0, "allowed: %d", inside);
	/* One more, bound after preparing. */
	snprintf(three, sizeof(three), "%s/three", (const char *)base);
	fds[2] = listen_at(three);
	wanted =
	    is_claimed(stack.inside, "connect to a late socket") ? EACCES : 0;
	CHECK(faults, try_one(&stack.out, &world, "connect", three) == 0,
	    "outside");
	inside = try_one(&stack.in, &world, "connect", three);
	CHECK(faults, inside == wanted, "late: %d, not %d", inside, wanted);
	printf("# a socket bound later is %s\n",
	    wanted != 0 ? "refused" : "not claimed on this kernel, and open");
	close(fds[0]);
	close(fds[1]);
	close(fds[2]);
	stack_close(&stack);
	world_end(&world);
	return faults;
}

/* Open a device for reading, by a program that does just that. */
static int
open_device(struct driver *driver, char *path)
{
	static char program[] = "/bin/sh";
	static char flag[] = "-c";
	static char script[] = "exec 3<\"$0\"";
	char *argv[] = {program, flag, script, path, NULL};

	return driver_run(driver, argv);
}

/* Devices root loses, one of them given back. An ordinary user may open none
 * of these to begin with. */
static int
devices(void *base)
{
	static char one[] = "/dev/loop-control";
	static char two[] = "/dev/fuse";
	struct stack stack;
	struct world world;
	int faults = 0;

	if (geteuid() != 0 || access(one, R_OK) != 0 ||
	    access(two, R_OK) != 0) {
		fprintf(stderr, "# not tried: %s and %s cannot be opened\n",
		    one, two);
		return 0;
	}
	world_make(&world, base, ".omega");
	if (!stack_open(
		&stack, base, world.dir, "allow_devices = { \"/dev/fuse\" }\n"))
		return 1;
	CHECK(faults, open_device(&stack.out, one) == 0, "outside");
	CHECK(faults, open_device(&stack.out, two) == 0, "outside");
	CHECK(faults, open_device(&stack.in, one) != 0, "inside");
	CHECK(faults, open_device(&stack.in, two) == 0, "allowed");
	stack_close(&stack);
	world_end(&world);
	return faults;
}

/* Sockets of services, which everybody may connect to; in a /run of ours. */
static int
ask_launchers(void *arg)
{
	static const char *const paths[] = {"/run/docker.sock",
	    "/run/dbus/system_bus_socket", "/run/containerd/containerd.sock",
	    "/run/podman/podman.sock", "/run/libvirt/libvirt-sock",
	    "/run/snapd.socket", "/run/systemd/private", "/var/run/docker.sock",
	    NULL};
	struct stack stack;
	struct world world;
	int faults = 0;
	int i;

	world_make(&world, arg, ".omega");
	if (!stack_open(&stack, arg, world.dir, ""))
		return 1;
	for (i = 0; paths[i] != NULL; i++) {
		char path[64];
		int inside;

		/* The system bus starts nothing for an ordinary user. */
		if (geteuid() != 0 && strstr(paths[i], "system_bus") != NULL)
			continue;
		snprintf(path, sizeof(path), "%s", paths[i]);
		CHECK(faults, try_one(&stack.out, &world, "connect", path) == 0,
		    "%s: outside", path);
		inside = try_one(&stack.in, &world, "connect", path);
		CHECK(faults, inside == EACCES, "%s: inside: %d", path, inside);
	}
	/* Who answers questions about names stays, on every kernel. */
	CHECK(faults,
	    try_one(&stack.in, &world, "connect", "/run/nscd/socket") == 0,
	    "a lookup service is out of reach");
	if (geteuid() == 0) {
		static const char bus[] = "/run/user/61951/bus";
		int inside;

		CHECK(faults,
		    try_one(&stack.out, &world, "connect as its user", bus) ==
			0,
		    "outside");
		/* The user of the mask is not one to become. */
		inside = try_one(&stack.in, &world, "connect as its user", bus);
		CHECK(faults, inside == EINVAL || inside == EACCES,
		    "the bus of a user: %d", inside);
		inside = try_one(&stack.in, &world, "connect", bus);
		CHECK(
		    faults, inside == EACCES, "the bus of a user: %d", inside);
	}
	stack_close(&stack);
	world_end(&world);
	return faults;
}

static int
with_launchers(void *arg)
{
	static const char *const paths[] = {"docker.sock",
	    "dbus/system_bus_socket", "containerd/containerd.sock",
	    "podman/podman.sock", "libvirt/libvirt-sock", "snapd.socket",
	    "systemd/private", "nscd/socket", NULL};
	char path[64];
	int i;

	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("run", "/run", "tmpfs", 0, "mode=755") != 0)
		return CANNOT_MOUNT;
	for (i = 0; paths[i] != NULL; i++) {
		snprintf(path, sizeof(path), "/run/%s", paths[i]);
		if (strchr(paths[i], '/') != NULL) {
			*strrchr(path, '/') = '\0';
			mkdir(path, 0755);
			path[strlen(path)] = '/';
		}
		listen_at(path);
	}
	mkdir("/run/user", 0755);
	mkdir("/run/user/61951", 0755); /* SPARE_UID */
	listen_at("/run/user/61951/bus");
	if (chown("/run/user/61951/bus", SPARE_UID, SPARE_UID) != 0)
		return 1;
	return ((const char *)arg)[PATH_MAX] == 'u'
		   ? in_user_child(ask_launchers, arg)
		   : ask_launchers(arg);
}

static void
test_launchers(void **state)
{
	char base[PATH_MAX + 1];
	int status;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root can make sockets in /run");
	twice_scratch(base, PATH_MAX, 0);
	base[PATH_MAX] = 'r';
	status = in_child(with_launchers, base);
	if (status == CANNOT_MOUNT)
		skip_because("cannot mount a /run of our own");
	assert_int_equal(status, 0);
	twice_scratch(base, PATH_MAX, SPARE_UID);
	base[PATH_MAX] = 'u';
	assert_int_equal(in_child(with_launchers, base), 0);
}

/* One more /proc, as chroots have it; and one more of the kernel's knobs. */
static int
with_second_proc(void *base)
{
	static const char *const knobs[] = {
	    "proc/sys/kernel/core_pattern", "sys/kernel/mm/ksm/run", NULL};
	char path[2 * PATH_MAX];
	struct stack stack;
	struct world world;
	int faults = 0;
	int i;

	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return CANNOT_MOUNT;
	snprintf(path, sizeof(path), "%s/proc", (const char *)base);
	mkdir(path, 0755);
	if (mount("proc", path, "proc", 0, NULL) != 0)
		return CANNOT_MOUNT;
	snprintf(path, sizeof(path), "%s/sys", (const char *)base);
	mkdir(path, 0755);
	if (mount("sys", path, "sysfs", 0, NULL) != 0)
		return CANNOT_MOUNT;
	world_make(&world, base, ".omega");
	if (!stack_open(&stack, base, world.dir, ""))
		return 1;
	for (i = 0; knobs[i] != NULL; i++) {
		int inside;

		snprintf(
		    path, sizeof(path), "%s/%s", (const char *)base, knobs[i]);
		if (try_one(&stack.out, &world, "denied: write", path) != 0) {
			printf("# %s: cannot be shown here\n", knobs[i]);
			continue;
		}
		inside = try_one(&stack.in, &world, "denied: write", path);
		CHECK(faults, inside == EROFS, "%s: %d", knobs[i], inside);
	}
	stack_close(&stack);
	world_end(&world);
	return faults;
}

static void
test_second_proc(void **state)
{
	char base[PATH_MAX];
	int status;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root can write there");
	twice_scratch(base, sizeof(base), 0);
	status = in_child(with_second_proc, base);
	if (status == CANNOT_MOUNT)
		skip_because("cannot mount a second /proc");
	assert_int_equal(status, 0);
}

/* ---- One that stays, against those that come --------------------------------
 */

static int
besiege(struct omega_sandbox_prepared *prepared, struct world *world,
    bool is_apart, int rounds, int *seen)
{
	static char attempt[] = "attempt";
	static char name[] = "resident";
	static char silent[] = "resident against the host";
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_exit end = OMEGA_SANDBOX_EXIT_INIT;
	struct omega_sandbox_command *command;
	struct omega_sandbox_child *child = NULL;
	struct driver driver = {.plugin = NULL};
	char self[PATH_MAX] = "";
	char path[2 * PATH_MAX];
	char *argv[] = {self, attempt, name, world->dir, world->arg, NULL};
	char program[] = "/bin/true";
	char *quick[] = {program, NULL};
	int faults = 0;
	int i;

	driver.host.core = prepared;
	if (!is_apart)
		argv[2] = silent;
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	command = make_command(prepared, argv);
	if (omega_sandbox_spawn(command, &child, &error) < 0) {
		fprintf(stderr, "# spawn: %s\n", error.text);
		return 1;
	}
	omega_sandbox_command_unref(command);
	snprintf(path, sizeof(path), "%s/workspace/ready", world->dir);
	for (i = 0; i < 500 && access(path, F_OK) != 0; i++)
		usleep(10000);
	for (i = 0; i < rounds; i++)
		CHECK(faults, driver_run(&driver, quick) == 0, "round %d", i);
	snprintf(path, sizeof(path), "%s/workspace/stop", world->dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	CHECK(faults, omega_sandbox_child_wait(child, 10000, &end, &error) >= 0,
	    "%s", error.text);
	omega_sandbox_child_free(child);
	*seen = end.signal != 0 ? 128 + end.signal : end.status;
	return faults;
}

static int
next_command(void *base)
{
	struct stack stack;
	struct world world;
	bool is_apart;
	int faults = 0;
	int seen = 0;

	world_make(&world, base, ".omega");
	if (!stack_open(&stack, base, world.dir, ""))
		return 1;
	/* Landlock keeps commands apart, where it is used: with signals. */
	is_apart = is_claimed(stack.inside, "kill");
	if (!is_apart)
		printf("# commands are not kept apart from each other here\n");
	faults +=
	    besiege(stack.inside, &world, is_apart, harness_rounds(300), &seen);
	CHECK(faults, seen == EPERM, "inside: %d", seen);
	world_end(&world);
	world_make(&world, base, ".omega");
	faults += besiege(stack.outside, &world, true, 20, &seen);
	CHECK(faults, seen == 0, "outside: %d", seen);
	stack_close(&stack);
	world_end(&world);
	return faults;
}

TWICE(data)
TWICE(shielded_data)
TWICE(mounts)
TWICE(system_directories)
TWICE(processes_outside)
TWICE(everyday_use)
TWICE(absent_config)
TWICE(replaced_config)
TWICE(other_places)
TWICE(symbolic_link)
TWICE(terminal)
TWICE(descriptors)
TWICE(own_sockets)
TWICE(devices)
TWICE(next_command)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_data),
	    cmocka_unit_test(test_shielded_data),
	    cmocka_unit_test(test_mounts),
	    cmocka_unit_test(test_system_directories),
	    cmocka_unit_test(test_processes_outside),
	    cmocka_unit_test(test_everyday_use),
	    cmocka_unit_test(test_absent_config),
	    cmocka_unit_test(test_replaced_config),
	    cmocka_unit_test(test_other_places),
	    cmocka_unit_test(test_symbolic_link),
	    cmocka_unit_test(test_terminal),
	    cmocka_unit_test(test_descriptors),
	    cmocka_unit_test(test_own_sockets),
	    cmocka_unit_test(test_devices),
	    cmocka_unit_test(test_next_command),
	    cmocka_unit_test(test_launchers),
	    cmocka_unit_test(test_second_proc),
	};
	int status = escapes_main(argc, argv);

	if (status >= 0)
		return status;
	return run_all(tests);
}
