/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-namespace-hosts.c - the namespace backend in unusual surroundings:
 * links, odd names, other mounts, many mounts, hosts with threads, and hosts
 * that are killed.
 */

#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/capability.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "world.h"

/* Everything below runs in a child: as root, then as a user. */
#define TWICE(name)                                                \
	static void test_##name(void **state)                      \
	{                                                          \
		char base[PATH_MAX];                               \
		(void)state;                                       \
		snprintf(base, sizeof(base), "%s", scratch_dir()); \
		if (geteuid() == 0)                                \
			assert_int_equal(in_child(name, base), 0); \
		snprintf(base, sizeof(base), "%s", scratch_dir()); \
		assert_int_equal(in_user_child(name, base), 0);    \
	}

/* The same in a mount namespace of its own, where it may mount. */
#define MOUNTING(name)                                             \
	static void test_##name(void **state)                      \
	{                                                          \
		char base[PATH_MAX];                               \
		int status;                                        \
		(void)state;                                       \
		snprintf(base, sizeof(base), "%s", scratch_dir()); \
		status = in_mount_child(name, base);               \
		if (status == CANNOT_MOUNT)                        \
			skip_because("mounting is forbidden");     \
		assert_int_equal(status, 0);                       \
	}

static int
prepare(struct driver *driver, const char *dir)
{
	int ret;

	driver_default_policy(driver, dir);
	ret = driver_prepare(driver);
	if (ret < 0)
		fprintf(stderr, "# prepare: %s: %s\n", strerror(-ret),
		    driver->explanation);
	return ret;
}

static int
shell(struct driver *driver, const char *command)
{
	static char sh[] = "/bin/sh";
	static char c[] = "-c";
	char *argv[] = {sh, c, (char *)(uintptr_t)command, NULL};

	return driver_run(driver, argv);
}

/* Move the real thing aside and leave a link. */
static void
make_link_of(const char *path, char *real)
{
	strcpy(real, text("%s.real", path));
	if (rename(path, real) != 0 || symlink(real, path) != 0)
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
}

static int
links(void *base)
{
	static const char *const which[] = {"", "/data", "/config.toml", NULL};
	struct driver driver;
	struct world world;
	char link[2 * PATH_MAX];
	char real[2 * PATH_MAX];
	int faults = 0;
	int i;

	for (i = 0; which[i] != NULL; i++) {
		if (!driver_open(&driver, "namespace"))
			return 1;
		world_make(&world, base, ".omega");
		snprintf(link, sizeof(link), "%s%s", world.dir, which[i]);
		make_link_of(link, real);
		if (prepare(&driver, world.dir) < 0)
			return 1;
		CHECK(faults, world_try(&driver, &world, "read") == EACCES,
		    "%s: data", link);
		CHECK(faults,
		    world_try(&driver, &world, "read config.toml") == EACCES,
		    "%s: config", link);
		CHECK(faults,
		    shell(&driver, text("mv %s %s.x", link, link)) != 0,
		    "%s: moved", link);
		CHECK(faults,
		    shell(&driver, text("mv %s %s.x", real, real)) != 0,
		    "%s: moved", real);
		CHECK(faults,
		    shell(&driver, text("ln -sfn /tmp %s", link)) != 0,
		    "%s: bent", link);
		CHECK(faults, shell(&driver, "exit 0") == 0, "shell");
		CHECK(faults, driver_look(&driver) == 0, "%s: changed", link);
		unlink(link);
		CHECK(faults, symlink("/tmp", link) == 0, "symlink");
		CHECK(faults, driver_look(&driver) == 1, "%s: unseen", link);
		driver_close(&driver);
		world_end(&world);
	}
	return faults;
}

static int
odd_names(void *base)
{
	char longest[NAME_MAX + 1];
	const char *names[] = {"with space", "new\nline", "back\\slash\t\"'",
	    "\xc3\xa4\xff", longest, NULL};
	struct driver driver;
	struct world world;
	int faults = 0;
	int i;

	memset(longest, 'n', NAME_MAX);
	longest[NAME_MAX] = '\0';
	for (i = 0; names[i] != NULL; i++) {
		if (!driver_open(&driver, "namespace"))
			return 1;
		world_make(&world, base, names[i]);
		if (prepare(&driver, world.dir) < 0)
			return 1;
		CHECK(faults, world_try(&driver, &world, "read") == EACCES,
		    "%s", names[i]);
		CHECK(faults,
		    world_try(&driver, &world, "rename the data directory") !=
			0,
		    "%s", names[i]);
		CHECK(faults,
		    world_try(&driver, &world, "save in the workspace") == 0,
		    "%s", names[i]);
		driver_close(&driver);
		world_end(&world);
	}
	return faults;
}

/* More places than the default ones. */
static int
other_places(void *base)
{
	struct driver driver;
	struct world world;
	char path[2 * PATH_MAX];
	int faults = 0;

	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	snprintf(path, sizeof(path), "%s/keys", world.home);
	CHECK(faults, mkdir(path, 0755) == 0, "mkdir");
	driver_deny(&driver, path);
	snprintf(path, sizeof(path), "%s/deep", world.home);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/deep/conf", world.home);
	close(open(path, O_CREAT | O_WRONLY, 0644));
	driver_keep(&driver, path);
	if (prepare(&driver, world.dir) < 0)
		return 1;
	CHECK(faults, shell(&driver, text("ls %s/keys", world.home)) != 0,
	    "listed");
	CHECK(
	    faults, shell(&driver, text("cat %s", path)) == 0, "not readable");
	CHECK(
	    faults, shell(&driver, text("echo x >>%s", path)) != 0, "written");
	CHECK(faults, shell(&driver, text("mv %s %s.x", path, path)) != 0,
	    "moved");
	CHECK(faults, shell(&driver, text("rm -f %s", path)) != 0, "removed");
	CHECK(faults,
	    shell(&driver, text("mv %s/deep %s/d", world.home, world.home)) !=
		0,
	    "moved with all");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

static int
hard_link(void *base)
{
	const struct omega_sandbox_state *state;
	struct driver driver;
	struct world world;
	char path[2 * PATH_MAX];
	char other[2 * PATH_MAX];
	int faults = 0;

	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	snprintf(path, sizeof(path), "%s/data/memory.db", world.dir);
	snprintf(other, sizeof(other), "%s/other", world.home);
	CHECK(faults, link(path, other) == 0, "link");
	if (prepare(&driver, world.dir) < 0)
		return 1;
	snprintf(path, sizeof(path), "%s/data", world.dir);
	state = driver_state(&driver, OMEGA_SANDBOX_ATOM_ALIASES, path);
	CHECK(faults, state->held == 0 && state->partial != 0, "not told");
	CHECK(faults, strstr(state->why, "memory.db has 2 names") != NULL, "%s",
	    state->why);
	snprintf(path, sizeof(path), "%s/config.toml", world.dir);
	state = driver_state(&driver, OMEGA_SANDBOX_ATOM_ALIASES, path);
	CHECK(faults, state->held != 0, "%s", state->why);
	driver_close(&driver);
	world_end(&world);
	return faults;
}

static int
sockets(void *base)
{
	const struct omega_sandbox_state *state;
	struct driver driver;
	struct world world;
	char path[2 * PATH_MAX];
	int faults = 0;

	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	snprintf(path, sizeof(path), "%s/socket", world.home);
	driver_set(&driver, "allow_sockets", path);
	if (prepare(&driver, world.dir) < 0)
		return 1;
	CHECK(faults, world_try(&driver, &world, "connect to a socket") == 0,
	    "an allowed one is hidden");
	driver_close(&driver);
	driver_set(&driver, "hide_sockets", "none");
	if (prepare(&driver, world.dir) < 0)
		return 1;
	state =
	    driver_state(&driver, OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS, NULL);
	CHECK(faults, state->held == 0 && state->partial == 0, "held");
	CHECK(faults, world_try(&driver, &world, "connect to a socket") == 0,
	    "hidden all the same");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

static int
count_mounts(void)
{
	FILE *file = fopen("/proc/self/mountinfo", "r");
	int count = 0;
	int c;

	while (file != NULL && (c = getc(file)) != EOF)
		count += c == '\n';
	if (file != NULL)
		fclose(file);
	return count;
}

/* The same data under another name, and a piece of it. */
static int
other_mounts(void *base)
{
	struct driver driver;
	struct world world;
	char path[2 * PATH_MAX];
	char piece[2 * PATH_MAX];
	int faults = 0;

	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	snprintf(path, sizeof(path), "%s/alias", world.top);
	mkdir(path, 0755);
	CHECK(faults, mount(world.home, path, NULL, MS_BIND, NULL) == 0, "%s",
	    strerror(errno));
	snprintf(piece, sizeof(piece), "%s/piece", world.top);
	close(open(piece, O_CREAT | O_WRONLY, 0600));
	snprintf(path, sizeof(path), "%s/data/memory.db", world.dir);
	CHECK(faults, mount(path, piece, NULL, MS_BIND, NULL) == 0, "%s",
	    strerror(errno));
	CHECK(faults, attempts_read_secret(piece) == 0, "not shown");
	if (prepare(&driver, world.dir) < 0)
		return 1;
	CHECK(faults, world_read(&driver, piece) == EACCES, "piece");
	snprintf(
	    path, sizeof(path), "%s/alias/.omega/data/memory.db", world.top);
	CHECK(faults, attempts_read_secret(path) == 0, "not shown");
	CHECK(faults, world_read(&driver, path) == EACCES, "alias");
	snprintf(path, sizeof(path), "%s/alias/.omega/config.toml", world.top);
	CHECK(faults, world_read(&driver, path) == EACCES, "alias");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

/* Nothing comes back to a host whose mounts are shared. */
static int
shared_mounts(void *base)
{
	struct driver driver;
	struct world world;
	char path[2 * PATH_MAX];
	int before;
	int faults = 0;

	if (mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL) != 0)
		return CANNOT_MOUNT;
	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	before = count_mounts();
	if (prepare(&driver, world.dir) < 0)
		return 1;
	CHECK(faults, count_mounts() == before, "mounts came back");
	CHECK(faults, world_try(&driver, &world, "read") == EACCES, "read");
	/* What the host mounts over the data lands under the mask. */
	snprintf(path, sizeof(path), "%s/data", world.dir);
	CHECK(faults, mount("t", path, "tmpfs", 0, NULL) == 0, "mount");
	CHECK(faults, world_try(&driver, &world, "list") == EACCES, "list");
	umount2(path, MNT_DETACH);
	driver_close(&driver);
	world_end(&world);
	return faults;
}

static int
many_mounts(void *base)
{
	struct driver driver;
	struct world world;
	char path[2 * PATH_MAX];
	int faults = 0;
	int i;

	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	for (i = 0; i < 500; i++) {
		snprintf(path, sizeof(path), "%s/m%d", world.home, i);
		mkdir(path, 0755);
		if (mount("t", path, "tmpfs", 0, NULL) != 0)
			return CANNOT_MOUNT;
	}
	if (prepare(&driver, world.dir) < 0)
		return 1;
	CHECK(faults, world_try(&driver, &world, "read") == EACCES, "read");
	CHECK(faults, world_try(&driver, &world, "save in the workspace") == 0,
	    "workspace");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

static int
descriptors(void *base)
{
	struct driver driver;
	struct world world;
	int rounds = harness_rounds(200);
	int before;
	int faults = 0;
	int i;

	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	if (prepare(&driver, world.dir) < 0)
		return 1;
	driver_forget(&driver);
	before = count_descriptors();
	for (i = 0; i < rounds; i++) {
		/* Every tenth fails. */
		driver.helper = i % 10 == 9 ? "/bin/true" : NULL;
		CHECK(faults, (driver_prepare(&driver) == 0) == (i % 10 != 9),
		    "%s", driver.explanation);
		driver_forget(&driver);
	}
	CHECK(faults, count_descriptors() == before, "%d, then %d", before,
	    count_descriptors());
	CHECK(faults, waitpid(-1, NULL, WNOHANG) == 0, "a builder is left");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

static void *
idle(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static int
host_with_threads(void *base)
{
	struct driver driver;
	struct world world;
	pthread_t threads[8];
	int faults = 0;
	int i;

	for (i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, idle, NULL);
	prctl(PR_SET_DUMPABLE, 0);
	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	if (prepare(&driver, world.dir) < 0)
		return 1;
	CHECK(faults, world_try(&driver, &world, "read") == EACCES, "read");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

/* Root as a container has it, then without what mapping root takes. */
static int
weak_root(void *base)
{
	struct __user_cap_header_struct head = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	struct omega_sandbox_probe answer = {.size = sizeof(answer)};
	struct driver driver;
	struct world world;
	int faults = 0;

	if (geteuid() != 0)
		return 0;
	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0);
	syscall(SYS_capget, &head, data);
	data[0].effective &= ~(1u << CAP_SYS_ADMIN);
	data[0].permitted &= ~(1u << CAP_SYS_ADMIN);
	CHECK(faults, syscall(SYS_capset, &head, data) == 0, "capset");
	if (prepare(&driver, world.dir) < 0)
		return 1;
	CHECK(faults, world_try(&driver, &world, "read") == EACCES, "read");
	CHECK(faults, world_try(&driver, &world, "raw disk") != 0, "disk");
	CHECK(faults, world_try(&driver, &world, "write in /etc") == EROFS,
	    "write");
	CHECK(faults, world_try(&driver, &world, "save in the workspace") == 0,
	    "workspace");
	driver_close(&driver);
	prctl(PR_CAPBSET_DROP, CAP_SETFCAP, 0, 0, 0);
	data[0].effective &= ~(1u << 31);
	data[0].permitted &= ~(1u << 31);
	CHECK(faults, syscall(SYS_capset, &head, data) == 0, "capset");
	CHECK(
	    faults, driver.plugin->probe(&driver.host, &answer) == 0, "probe");
	CHECK(faults, answer.is_usable == 0 && answer.reason[0] != '\0',
	    "usable without CAP_SETFCAP");
	world_end(&world);
	return faults;
}

/* How many processes have this name? */
static int
count_processes(const char *name)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int count = 0;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		char path[PATH_MAX];
		char comm[32] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (file == NULL)
			continue;
		if (fgets(comm, sizeof(comm), file) != NULL &&
		    strncmp(comm, name, strlen(name)) == 0)
			count++;
		fclose(file);
	}
	if (dir != NULL)
		closedir(dir);
	return count;
}

/* Hosts that are killed while they prepare. */
static int
killed_hosts(void *base)
{
	struct driver driver;
	struct world world;
	int before = count_mounts();
	int waited = 0;
	int faults = 0;
	int i;

	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	driver_default_policy(&driver, world.dir);
	for (i = 0; i < 60; i++) {
		pid_t pid = fork();

		if (pid == 0)
			for (;;)
				driver_prepare(&driver);
		usleep((useconds_t)(i * 150));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	while (count_processes("omega-sandbox-n") > 0 && wait_a_little(&waited))
		continue;
	CHECK(faults, count_processes("omega-sandbox-n") == 0, "processes");
	CHECK(faults, count_mounts() == before, "mounts");
	CHECK(faults, world_is_whole(&world), "the data changed");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

TWICE(links)
TWICE(odd_names)
TWICE(other_places)
TWICE(hard_link)
TWICE(sockets)
TWICE(descriptors)
TWICE(host_with_threads)
TWICE(weak_root)
TWICE(killed_hosts)
MOUNTING(other_mounts)
MOUNTING(shared_mounts)
MOUNTING(many_mounts)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_links),
	    cmocka_unit_test(test_odd_names),
	    cmocka_unit_test(test_other_places),
	    cmocka_unit_test(test_hard_link),
	    cmocka_unit_test(test_sockets),
	    cmocka_unit_test(test_descriptors),
	    cmocka_unit_test(test_host_with_threads),
	    cmocka_unit_test(test_weak_root),
	    cmocka_unit_test(test_killed_hosts),
	    cmocka_unit_test(test_other_mounts),
	    cmocka_unit_test(test_shared_mounts),
	    cmocka_unit_test(test_many_mounts),
	};
	int status = attempts_main(argc, argv);

	if (status >= 0)
		_exit(status); /* no sanitizer's last words in a sandbox */
	world_set_program("/proc/self/exe");
	return run_all(tests);
}
