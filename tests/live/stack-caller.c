/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-caller.c - the caller's terminal and descriptors, another /proc.
 */

#include "stack.h"

#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

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
	return stack_go_through(base, &course);
}

/*
 * Terminals of others cannot be opened by name. One that was made for commands
 * has a name inside, and so has the one in use.
 */
static int
names_of_terminals(void *base)
{
	static char shell[] = "/bin/sh";
	static char flag[] = "-c";
	static char names[] =
	    "test ! -e \"$0\" && test -c \"$(tty)\" && echo x >\"$(tty)\"";
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command;
	int others[32];
	char *argv[] = {shell, flag, names, NULL, NULL};
	struct stack stack;
	struct world world;
	int master = -1;
	int slave = -1;
	int faults = 0;
	size_t i;

	/* Numbers that the two made inside do not have. */
	for (i = 0; i < 32; i++) {
		others[i] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (others[i] < 0 || unlockpt(others[i]) != 0)
			return 1;
	}
	argv[3] = ptsname(others[31]);
	slave = open(argv[3], O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0 || dup2(slave, STDIN_FILENO) != 0)
		return 1;
	world_make(&world, base, ".omega");
	if (!stack_open(&stack, base, world.dir, ""))
		return 1;
	for (i = 0; i < 2; i++) {
		command = stack_command(stack.inside, argv);
		if (omega_sandbox_command_set_stdio(
			command, 0, OMEGA_SANDBOX_STDIO_FD, slave, NULL) != 0 ||
		    omega_sandbox_run(command, &end, &error) != 0)
			faults++;
		CHECK(faults, end.status == 0, "%s: %d, %s",
		    i == 0 ? "in use" : "made for it", end.status, error.text);
		omega_sandbox_command_unref(command);
		close(slave);
		if (i == 0)
			CHECK(faults,
			    omega_sandbox_prepared_open_terminal(
				stack.inside, &master, &slave, &error) == 0,
			    "%s", error.text);
	}
	close(master);
	for (i = 0; i < 32; i++)
		close(others[i]);
	stack_close(&stack);
	world_end(&world);
	return faults;
}

/* Open in the host, not close-on-exec: not in the command. */
static int
descriptors(void *base)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
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
	inside = stack_try(&stack.in, &world, "inherited directory", world.dir);
	CHECK(faults, inside == EBADF, "inside: %d", inside);
	/* Neither as one of the three, nor handed over. */
	command = stack_command(stack.inside, argv);
	if (omega_sandbox_command_set_stdio(
		command, 0, OMEGA_SANDBOX_STDIO_FD, fd, NULL) == 0)
		CHECK(faults, omega_sandbox_run(command, &end, &error) < 0,
		    "a directory as standard input");
	omega_sandbox_command_unref(command);
	command = stack_command(stack.inside, argv);
	if (omega_sandbox_command_pass_fd(command, fd, 5, NULL) == 0)
		CHECK(faults, omega_sandbox_run(command, &end, &error) < 0,
		    "a directory as descriptor 5");
	omega_sandbox_command_unref(command);
	close(fd);
	stack_close(&stack);
	world_end(&world);
	return faults;
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
		if (stack_try(&stack.out, &world, "denied: write", path) != 0) {
			printf("# %s: cannot be shown here\n", knobs[i]);
			continue;
		}
		inside = stack_try(&stack.in, &world, "denied: write", path);
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

/*
 * The host gives a file it has open for reading: root one of /etc, a user its
 * own configuration of the sandbox.
 */
#define GIVEN "/etc/omega-test-given"

static int
given_file(void *base)
{
	const struct course course = {
	    escapes_given, "#bcd\n", NULL, NULL, false};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command;
	char program[] = "/bin/true";
	char *argv[] = {program, NULL};
	char path[PATH_MAX];
	struct stack stack;
	struct world world;
	int faults;
	int fd;
	int ret;

	snprintf(path, sizeof(path), "%.*s/sandbox.conf", PATH_MAX - 32,
	    (const char *)base);
	if (geteuid() == 0)
		snprintf(path, sizeof(path), GIVEN);
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);
	if (fd < 0 || write(fd, "#bcd\n", 5) != 5 ||
	    dup2(open(path, O_RDONLY), STDIN_FILENO) != 0 ||
	    lseek(STDIN_FILENO, 1, SEEK_SET) != 1)
		return 1;
	faults = stack_go_through(base, &course);
	/* One that may write is not for the command. */
	world_make(&world, base, ".omega");
	if (!stack_open(&stack, base, world.dir, ""))
		return faults + 1;
	command = stack_command(stack.inside, argv);
	must(omega_sandbox_command_set_stdio(
		 command, 1, OMEGA_SANDBOX_STDIO_FD, fd, NULL) == 0);
	ret = omega_sandbox_run(command, &end, &error);
	CHECK(
	    faults, ret == OMEGA_SANDBOX_E_REFUSED, "%d: %s", ret, error.text);
	CHECK(faults, strstr(error.text, "descriptor ") != NULL, "%s",
	    error.text);
	omega_sandbox_command_unref(command);
	command = stack_command(stack.outside, argv);
	must(omega_sandbox_command_set_stdio(
		 command, 1, OMEGA_SANDBOX_STDIO_FD, fd, NULL) == 0);
	CHECK(faults, omega_sandbox_run(command, &end, &error) == 0,
	    "outside: %s", error.text);
	omega_sandbox_command_unref(command);
	close(fd);
	if (geteuid() == 0)
		unlink(path);
	stack_close(&stack);
	world_end(&world);
	return faults;
}

/* Run /bin/true with path open as its standard output, or input. */
static int
run_with(struct omega_sandbox_prepared *prepared, const char *path, int flags,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command;
	char program[] = "/bin/true";
	char *argv[] = {program, NULL};
	int fd = open(path, flags | O_CLOEXEC);
	int ret;

	command = stack_command(prepared, argv);
	must(omega_sandbox_command_set_stdio(command, flags == O_RDONLY ? 0 : 1,
		 OMEGA_SANDBOX_STDIO_FD, fd, NULL) == 0);
	ret = omega_sandbox_run(command, &end, error);
	omega_sandbox_command_unref(command);
	close(fd);
	return ret;
}

/* What is hidden from the command it cannot be given either: what it may read
 * it could open again for writing. */
static int
given_hidden(void *base)
{
	static const char *const names[] = {DB, CONFIG, "data/tool"};
	static const char *const modes[] = {"", SHIELD};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct stack stack;
	struct world world;
	int faults = 0;
	size_t i;

	for (i = 0; i < 6; i++) {
		const char *path;
		int ret;

		world_make(&world, base, ".omega");
		if (!stack_open(&stack, base, world.dir, modes[i / 3]))
			return faults + 1;
		path = escapes_in(world.dir, names[i % 3]);
		ret = run_with(stack.outside, path, O_WRONLY, &error);
		CHECK(faults, ret == 0, "%s: outside: %s", path, error.text);
		ret = run_with(stack.inside, path, O_WRONLY | O_APPEND, &error);
		CHECK(faults, ret == OMEGA_SANDBOX_E_REFUSED, "%s: %d", path,
		    ret);
		CHECK(faults, strstr(error.text, "may write") != NULL, "%s",
		    error.text);
		ret = run_with(stack.inside, path, O_RDWR, &error);
		CHECK(faults, ret == OMEGA_SANDBOX_E_REFUSED, "%s: %d", path,
		    ret);
		ret = run_with(stack.inside, path, O_RDONLY, &error);
		CHECK(faults, ret == OMEGA_SANDBOX_E_REFUSED, "%s: %d", path,
		    ret);
		CHECK(faults, strstr(error.text, "hidden") != NULL, "%s",
		    error.text);
		path = escapes_in(world.dir, "workspace/file");
		ret = run_with(stack.inside, path, O_RDWR, &error);
		CHECK(faults, ret == 0, "%s: %s", path, error.text);
		stack_close(&stack);
		world_end(&world);
	}
	return faults;
}

/* Nor by the name that another mount gives it. */
static int
given_by_other_mount(void *base)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char other[PATH_MAX + 16];
	struct stack stack;
	struct world world;
	int faults = 0;
	int ret;

	world_make(&world, base, ".omega");
	snprintf(other, sizeof(other), "%s/other", (const char *)base);
	if (mkdir(other, 0755) != 0 ||
	    mount(world.dir, other, NULL, MS_BIND, NULL) != 0)
		return CANNOT_MOUNT;
	if (!stack_open(&stack, base, world.dir, ""))
		return 1;
	ret = run_with(stack.outside, escapes_in(other, DB), O_RDONLY, &error);
	CHECK(faults, ret == 0, "outside: %s", error.text);
	ret = run_with(stack.inside, escapes_in(other, DB), O_RDONLY, &error);
	CHECK(faults, ret == OMEGA_SANDBOX_E_REFUSED, "%d", ret);
	CHECK(faults, strstr(error.text, "hidden") != NULL, "%s", error.text);
	/* What has no name any more, as a here-document, hides nothing. */
	ret = run_with(stack.inside, escapes_in(other, "workspace/file"),
	    O_RDONLY, &error);
	CHECK(faults, ret == 0, "%s", error.text);
	stack_close(&stack);
	world_end(&world);
	umount2(other, MNT_DETACH);
	return faults;
}

static void
test_given_by_other_mount(void **state)
{
	char base[PATH_MAX];
	int faults;

	(void)state;
	twice_scratch(base, sizeof(base), geteuid());
	faults = in_mount_child(given_by_other_mount, base);
	if (faults == CANNOT_MOUNT)
		skip_because("mounting is forbidden");
	assert_int_equal(faults, 0);
}

/* /dev/null as the library opens it. */
static int
given_null(void *base)
{
	static char attempt[] = "attempt";
	static char name[] = "given: chmod";
	static char dir[] = "/";
	char self[PATH_MAX] = "";
	char *argv[] = {self, attempt, name, dir, NULL};
	struct stack stack;
	struct world world;
	int faults = 0;
	int i;

	world_make(&world, base, ".omega");
	if (!stack_open(&stack, base, world.dir, "") ||
	    readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	for (i = 0; i < 2; i++) {
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
		struct omega_sandbox_command *command =
		    stack_command(i == 0 ? stack.outside : stack.inside, argv);

		must(omega_sandbox_command_set_stdio(
			 command, 0, OMEGA_SANDBOX_STDIO_NULL, -1, NULL) == 0);
		CHECK(faults, omega_sandbox_run(command, &end, &error) == 0,
		    "%s", error.text);
		omega_sandbox_command_unref(command);
		if (geteuid() == 0)
			CHECK(faults, end.status == (i == 0 ? 0 : EROFS),
			    "%d: %d", i, end.status);
		else
			CHECK(faults, end.status != 0, "%d", i);
	}
	stack_close(&stack);
	world_end(&world);
	return faults;
}

TWICE(given_file)
TWICE(given_hidden)
TWICE(given_null)
TWICE(terminal)
TWICE(names_of_terminals)
TWICE(descriptors)

const struct CMUnitTest stack_caller_tests[] = {
    cmocka_unit_test(test_terminal),
    cmocka_unit_test(test_names_of_terminals),
    cmocka_unit_test(test_descriptors),
    cmocka_unit_test(test_given_file),
    cmocka_unit_test(test_given_hidden),
    cmocka_unit_test(test_given_by_other_mount),
    cmocka_unit_test(test_given_null),
    cmocka_unit_test(test_second_proc),
    {NULL, NULL, NULL, NULL, NULL},
};
