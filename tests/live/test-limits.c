/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-limits.c - a child that wants more than its policy lets it have, and
 * the same child without the limit.
 */

#include "harness.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "launch/cgroup.h"
#include "spawning.h"
#include "twice.h"

static const char *self;

/* ---- What the child does ---------------------------------------------------
 */

/* Touch this many MiB. */
static int
take_memory(long amount)
{
	size_t size = (size_t)amount << 20;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	if (at == MAP_FAILED)
		return 3;
	for (i = 0; i < size; i += 4096)
		at[i] = 1;
	return 0;
}

static int
take_files(long amount)
{
	while (amount-- > 0)
		if (open("/dev/null", O_RDONLY) < 0)
			return errno == EMFILE ? 3 : 4;
	return 0;
}

/* All at the same time. */
static int
take_processes(long amount)
{
	int go[2];
	int status = 0;
	char byte;

	if (pipe(go) != 0)
		return 4;
	for (; amount > 0 && status == 0; amount--) {
		pid_t pid = fork();

		if (pid == 0) {
			close(go[1]);
			_exit(read(go[0], &byte, 1) == 0 ? 0 : 4);
		}
		if (pid < 0)
			status = errno == EAGAIN ? 3 : 4;
	}
	close(go[1]);
	close(go[0]);
	while (wait(NULL) > 0)
		continue;
	return status;
}

static int
take_time(long amount)
{
	struct rusage usage;

	do
		getrusage(RUSAGE_SELF, &usage);
	while (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec < amount);
	return 0;
}

static int
take_disk(long amount)
{
	char name[] = "/tmp/omega-limits-XXXXXX";
	int fd = mkstemp(name);
	int ret;

	signal(SIGXFSZ, SIG_IGN);
	if (fd < 0 || unlink(name) != 0)
		return 4;
	ret = ftruncate(fd, amount << 20);
	return ret == 0 ? 0 : (errno == EFBIG ? 3 : 4);
}

/* Descriptors: one more than there may be, by leave of the kernel. */
static int
take_more(long amount)
{
	struct rlimit limit = {(rlim_t)amount, (rlim_t)amount};

	if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
		return 0;
	return errno == EPERM ? 3 : 4;
}

/* Is this capability in one of the sets? */
static int
take_power(long number)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long long set;
	char line[256];
	int status = 3;

	if (file == NULL)
		return 4;
	while (fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "Cap%*3s: %llx", &set) == 1 &&
		    (set >> number & 1) != 0)
			status = 0;
	fclose(file);
	return status;
}

/* Each of two children takes the amount and holds it until the other has it
 * too, or could not have it. */
static int
take_memory_twice(long amount)
{
	_Atomic int *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int failed = 0;
	int status;
	int i;

	if (done == MAP_FAILED)
		return 4;
	for (i = 0; i < 2; i++)
		if (fork() == 0) {
			int ret = take_memory(amount);
			int waited = 0;

			atomic_fetch_add(done, 1);
			while (atomic_load(done) < 2 && wait_a_little(&waited))
				continue;
			_exit(ret);
		}
	while (wait(&status) > 0)
		if (status != 0) {
			failed++;
			atomic_fetch_add(done, 1);
		}
	return failed == 0 ? 0 : 3;
}

static const struct {
	const char *name;
	int (*take)(long);
} takes[] = {
    {"memory", take_memory},
    {"memory twice", take_memory_twice},
    {"files", take_files},
    {"processes", take_processes},
    {"time", take_time},
    {"disk", take_disk},
    {"more", take_more},
    {"power", take_power},
};

static int
take(const char *name, long amount)
{
	size_t i;

	for (i = 0; i < sizeof(takes) / sizeof(takes[0]); i++)
		if (strcmp(takes[i].name, name) == 0)
			return takes[i].take(amount);
	return 5;
}

/* ---- Under a policy --------------------------------------------------------
 */

static const char *backend = ""; /* a line of the configuration */

/* The status of the child, or 128 + its signal. */
static int
run_under(const char *base, const char *rules, const char *what, long amount)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox *sandbox = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_command *command = NULL;
	char conf[PATH_MAX];
	char number[24];
	FILE *file;
	int ret;

	snprintf(conf, sizeof(conf), "%s/sandbox.conf", base);
	file = fopen(conf, "w");
	if (file == NULL)
		return 1000;
	fprintf(file,
	    "%saccept = { aliases, replaced_files, absent_paths, "
	    "outside_sockets, abstract_sockets, metadata, "
	    "outside_signals, launcher_sockets, limits }\n"
	    "policy p { %s }\n",
	    backend, rules);
	fclose(file);
	snprintf(number, sizeof(number), "%ld", amount);
	ret = omega_sandbox_open(conf, NULL, NULL, &sandbox, &error);
	if (ret == 0)
		ret = omega_sandbox_policy_new(sandbox, "p", &policy, &error);
	if (ret == 0)
		ret = omega_sandbox_policy_set(
		    policy, "data_dir", text("%s/omega", base), &error);
	if (ret == 0)
		ret = omega_sandbox_prepare(policy, &prepared, &error);
	if (ret == 0)
		ret =
		    omega_sandbox_command_new(prepared, self, &command, &error);
	if (ret == 0)
		ret = omega_sandbox_command_add_arg(command, "take", NULL);
	if (ret == 0)
		ret = omega_sandbox_command_add_arg(command, what, NULL);
	if (ret == 0)
		ret = omega_sandbox_command_add_arg(command, number, NULL);
	if (ret == 0)
		ret = omega_sandbox_run(command, &end, &error);
	if (ret < 0)
		fprintf(stderr, "# %s\n", error.text);
	omega_sandbox_command_unref(command);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
	if (ret < 0)
		return 1000 - ret;
	return end.signal != 0 ? 128 + end.signal : end.status;
}

#define CHECK(faults, condition)                                              \
	do {                                                                  \
		if (!(condition)) {                                           \
			fprintf(                                              \
			    stderr, "# line %d: %s\n", __LINE__, #condition); \
			(faults)++;                                           \
		}                                                             \
	} while (0)

/* Is memory, and are processes, held for all together here? */
static bool
has_group(unsigned limit)
{
	char dir[PATH_MAX];

	return (omega_cgroup_find(dir) & limit) != 0;
}

static int
memory(void *base)
{
	int faults = 0;

	CHECK(faults, run_under(base, "", "memory", 700) == 0);
	CHECK(faults, run_under(base, "max_memory = 1G", "memory", 400) == 0);
	CHECK(faults, run_under(base, "max_memory = 256M", "memory", 700) ==
			  (has_group(OMEGA_CGROUP_MEMORY) ? 128 + SIGKILL : 3));
	if (has_group(OMEGA_CGROUP_MEMORY)) {
		CHECK(faults, run_under(base, "max_memory = 512M",
				  "memory twice", 400) != 0);
	} else {
		fprintf(stderr, "# not tried: memory of all together; no "
				"control group is ours here\n");
		CHECK(faults, run_under(base, "max_memory = 512M",
				  "memory twice", 400) == 0);
	}
	return faults;
}

static int
files(void *base)
{
	int faults = 0;

	CHECK(faults, run_under(base, "", "files", 100) == 0);
	CHECK(faults, run_under(base, "max_open_files = 50", "files", 30) == 0);
	CHECK(
	    faults, run_under(base, "max_open_files = 50", "files", 100) == 3);
	return faults;
}

static int
processes(void *base)
{
	int faults = 0;

	CHECK(faults, run_under(base, "", "processes", 40) == 0);
	/* A resource limit does not bind root. */
	if (geteuid() == 0 && !has_group(OMEGA_CGROUP_PROCESSES)) {
		fprintf(stderr, "# not tried: processes of root; no control "
				"group is ours here\n");
		return faults;
	}
	CHECK(faults,
	    run_under(base, "max_processes = 20", "processes", 10) == 0);
	CHECK(faults,
	    run_under(base, "max_processes = 20", "processes", 40) == 3);
	return faults;
}

static int
processor_time(void *base)
{
	int faults = 0;
	int status;

	CHECK(faults, run_under(base, "", "time", 2) == 0);
	status = run_under(base, "max_cpu_seconds = 1s", "time", 4);
	CHECK(faults, status == 128 + SIGKILL || status == 128 + SIGXCPU);
	return faults;
}

static int
file_size(void *base)
{
	int faults = 0;

	CHECK(faults, run_under(base, "", "disk", 8) == 0);
	CHECK(faults, run_under(base, "max_file_size = 4M", "disk", 2) == 0);
	CHECK(faults, run_under(base, "max_file_size = 4M", "disk", 8) == 3);
	return faults;
}

/* Root of some containers has no CAP_SYS_RESOURCE; in a namespace of its own
 * it has one to be seen. */
static int
become_root(void)
{
	static const char map[] = "0 0 1";
	int fd;

	if (unshare(CLONE_NEWUSER) != 0)
		return -1;
	fd = open("/proc/self/uid_map", O_WRONLY);
	return write(fd, map, strlen(map)) > 0 ? close(fd) : -1;
}

/* Without a backend that takes it away. */
static int
not_raised(void *base)
{
	static const char rule[] = "max_open_files = 50";
	int faults = 0;

	backend = "backend = noop\n";
	CHECK(faults, run_under(base, "", "more", 51) == 0);
	CHECK(faults, run_under(base, rule, "more", 50) == 0);
	CHECK(faults, run_under(base, rule, "more", 51) == 3);
	if (geteuid() != 0)
		return faults;
	CHECK(faults, run_under(base, rule, "power", 24) == 3);
	if (become_root() != 0) {
		fprintf(stderr, "# not tried: no user namespace here\n");
		return faults;
	}
	CHECK(faults, run_under(base, "", "power", 24) == 0);
	CHECK(faults, run_under(base, rule, "power", 24) == 3);
	CHECK(faults, run_under(base, rule, "power", 0) == 0);
	return faults;
}

/* No group stays when its command has been collected. */
static int
nothing_left(void *base)
{
	char dir[PATH_MAX];
	char command[PATH_MAX + 64];
	int faults = 0;

	if (omega_cgroup_find(dir) == 0) {
		fprintf(stderr, "# not tried: no control group is ours here\n");
		return 0;
	}
	CHECK(faults, run_under(base, "max_memory = 1G", "memory", 1) == 0);
	snprintf(command, sizeof(command),
	    "! ls -d '%s'/omega-sandbox-* >/dev/null 2>&1", dir);
	CHECK(faults, system(command) == 0);
	return faults;
}

static void
test_memory(void **state)
{
	(void)state;
	if (is_sanitized())
		skip_because("a sanitizer's own memory is above the limits");
	twice(memory);
}

TWICE(files)
TWICE(processes)
TWICE(processor_time)
TWICE(file_size)
TWICE(not_raised)
TWICE(nothing_left)

int
main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_files),
	    cmocka_unit_test(test_processes),
	    cmocka_unit_test(test_processor_time),
	    cmocka_unit_test(test_file_size),
	    cmocka_unit_test(test_not_raised),
	    cmocka_unit_test(test_nothing_left),
	};

	if (argc == 4 && strcmp(argv[1], "take") == 0)
		return take(argv[2], strtol(argv[3], NULL, 10));
	self = realpath("/proc/self/exe", NULL);
	return run_all(tests);
}
