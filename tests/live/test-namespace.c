/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-namespace.c - the namespace backend against the real kernel, as root
 * and as an ordinary user: everything a child might try, each attempt also
 * shown to work outside, and what must go on working.
 */

#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <errno.h>
#include <fcntl.h>
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

/* One world, one list of attempts, with an option set if there is one. */
static int
go_through(const char *base, const struct attempt *list, const char *option,
    const char *value)
{
	struct driver driver;
	struct world world;
	int faults = 0;

	if (!driver_open(&driver, "namespace"))
		return 1;
	if (option != NULL)
		driver_set(&driver, option, value);
	world_make(&world, base, ".omega");
	if (prepare(&driver, world.dir) < 0)
		faults = 1;
	else
		faults = world_try_all(&driver, &world, list);
	driver_close(&driver);
	world_end(&world);
	return faults;
}

static int
probe(void *base)
{
	struct omega_sandbox_probe answer = {.size = sizeof(answer)};
	struct driver driver;
	int faults = 0;
	int ret;

	(void)base;
	if (!driver_open(&driver, "namespace"))
		return 1;
	ret = driver.plugin->probe(&driver.host, &answer);
	CHECK(faults, ret == 0, "%s", strerror(-ret));
	CHECK(faults, answer.is_usable == 1, "%s", answer.reason);
	/* And with a builder that is not there. */
	memset(&answer, 0, sizeof(answer));
	driver.helper = "/nowhere";
	ret = driver.plugin->probe(&driver.host, &answer);
	CHECK(faults, ret == 0 && answer.is_usable == 0, "%d", ret);
	CHECK(faults, strstr(answer.reason, "installed") != NULL, "%s",
	    answer.reason);
	return faults;
}

static int
attacks_on_masked_data(void *base)
{
	return go_through(base, attempts_on_data, "data_dir_mode", "mask");
}

static int
attacks_on_shielded_data(void *base)
{
	return go_through(base, attempts_on_data, "data_dir_mode", "shield");
}

static int
tricks_with_mounts(void *base)
{
	return go_through(base, attempts_on_mounts, NULL, NULL) +
	       go_through(base, attempts_on_mounts, "data_dir_mode", "shield");
}

static int
attacks_on_the_system(void *base)
{
	return go_through(base, attempts_on_system, NULL, NULL);
}

static int
everyday_use(void *base)
{
	return go_through(base, attempts_of_use, NULL, NULL) +
	       go_through(base, attempts_of_use, "data_dir_mode", "shield");
}

/* A file that is not there, in the data directory: it stays absent. */
static int
absent_config(void *base)
{
	static const char *const ways[] = {
	    "write config.toml", "replace config.toml", NULL};
	const struct omega_sandbox_state *state;
	struct driver driver;
	struct world world;
	char path[2 * PATH_MAX];
	int faults = 0;
	int i;

	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	snprintf(path, sizeof(path), "%s/config.toml", world.dir);
	unlink(path);
	if (prepare(&driver, world.dir) < 0)
		return 1;
	state = driver_state(&driver, OMEGA_SANDBOX_ATOM_PATH, path);
	CHECK(faults,
	    state->held == (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST),
	    "%s", state->why);
	for (i = 0; ways[i] != NULL; i++) {
		int inside = world_try(&driver, &world, ways[i]);

		CHECK(faults, inside == EROFS || inside == EXDEV, "%s: %d",
		    ways[i], inside);
		CHECK(faults, access(path, F_OK) != 0, "%s made it", ways[i]);
	}
	CHECK(faults, world_try(&driver, &world, "save in the workspace") == 0,
	    "workspace");
	CHECK(faults, driver_look(&driver) == 0, "changed without a reason");
	/* The host makes it: not seen by this one, and the next is new. */
	close(open(path, O_CREAT | O_WRONLY, 0600));
	CHECK(faults, world_read(&driver, path) == ENOENT, "seen");
	CHECK(faults, driver_look(&driver) == 1, "not noticed");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

/* Until it has become the program with this word. */
static void
wait_for_start(pid_t pid, const char *word)
{
	int waited = 0;

	do {
		char path[64];
		char text[2 * PATH_MAX] = "";
		ssize_t len;
		int fd;

		snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		len = read(fd, text, sizeof(text) - 1);
		close(fd);
		if (len > 0 &&
		    memmem(text, (size_t)len, word, strlen(word)) != NULL)
			return;
	} while (wait_a_little(&waited));
}

/* The host replaces config.toml under a command that runs. */
static int
replaced(const char *base, const char *mode, int expected_open)
{
	static char attempt[] = "attempt";
	static char name[] = "wait and read";
	char self[PATH_MAX];
	struct driver driver;
	struct world world;
	char path[2 * PATH_MAX];
	char other[2 * PATH_MAX];
	char *argv[] = {self, attempt, name, world.dir, NULL};
	int faults = 0;
	int status;
	int fd;
	pid_t pid;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len < 0 ? 0 : len] = '\0';
	if (!driver_open(&driver, "namespace"))
		return 1;
	driver_set(&driver, "data_dir_mode", mode);
	world_make(&world, base, ".omega");
	if (prepare(&driver, world.dir) < 0)
		return 1;
	snprintf(path, sizeof(path), "%s/config.toml", world.dir);
	CHECK(faults,
	    (driver_state(&driver, OMEGA_SANDBOX_ATOM_REPLACED_FILES, path)
		    ->held != 0) == !expected_open,
	    "%s says the opposite", mode);
	pid = driver_start(&driver, argv);
	wait_for_start(pid, name);
	snprintf(other, sizeof(other), "%s/workspace/new", world.dir);
	fd = open(other, O_CREAT | O_WRONLY, 0600);
	CHECK(faults, write(fd, SECRET, strlen(SECRET)) > 0, "write");
	close(fd);
	CHECK(faults, rename(other, path) == 0, "%s", strerror(errno));
	snprintf(other, sizeof(other), "%s/workspace/go", world.dir);
	close(open(other, O_CREAT | O_WRONLY, 0600));
	waitpid(pid, &status, 0);
	CHECK(faults, (WEXITSTATUS(status) == 0) == expected_open,
	    "%s: a running command: %s", mode, strerror(WEXITSTATUS(status)));
	CHECK(faults, driver_look(&driver) == 1, "%s: not noticed", mode);
	/* One that comes now, unasked: it sees for itself. */
	status = world_read(&driver, path);
	CHECK(faults, status == (expected_open ? 200 : EACCES),
	    "%s: unasked: %d", mode, status);
	driver_close(&driver);
	driver_set(&driver, "data_dir_mode", mode);
	if (prepare(&driver, world.dir) < 0)
		return faults + 1;
	CHECK(faults, world_read(&driver, path) == EACCES,
	    "%s: the next command", mode);
	driver_close(&driver);
	world_end(&world);
	return faults;
}

/* The host removes config.toml and makes it anew, perhaps as the same inode. */
static int
remade_config(void *base)
{
	struct driver driver;
	struct world world;
	char path[2 * PATH_MAX];
	int faults = 0;

	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	if (prepare(&driver, world.dir) < 0)
		return 1;
	snprintf(path, sizeof(path), "%s/config.toml", world.dir);
	unlink(path);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	CHECK(faults, driver_look(&driver) == 1, "not noticed");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

static int
replaced_config(void *base)
{
	return replaced(base, "mask", 1) + replaced(base, "shield", 0);
}

/* Nothing is there yet: what is needed is made, config.toml is not. */
static int
absent_data_dir(void *base)
{
	static const char *const made[] = {
	    "data", "workspace", "skills", "projects", "stores", NULL};
	struct driver driver;
	char dir[PATH_MAX];
	char path[2 * PATH_MAX];
	struct stat st;
	int faults = 0;
	int i;

	if (!driver_open(&driver, "namespace"))
		return 1;
	snprintf(dir, sizeof(dir), "%s/new", (const char *)base);
	driver_default_policy(&driver, dir);
	CHECK(faults, driver_describe(&driver) == 0, "describe");
	CHECK(faults, access(dir, F_OK) != 0, "describe made it");
	CHECK(faults, driver_prepare(&driver) == 0, "%s", driver.explanation);
	for (i = 0; made[i] != NULL; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, made[i]);
		CHECK(faults,
		    stat(path, &st) == 0 && (st.st_mode & 07777) == 0700, "%s",
		    made[i]);
	}
	snprintf(path, sizeof(path), "%s/config.toml", dir);
	CHECK(faults, access(path, F_OK) != 0, "config.toml was made");
	driver_close(&driver);
	return faults;
}

/* Root's in there, as /proc/PID/status has it; an ordinary user has none. */
#define ROOT_HAS "00000000000000fb"
#define USER_HAS "0000000000000000"

/* What a copy of grep in base has, once it runs. */
static int
capabilities(void *base)
{
	struct driver nothing = {.plugin = NULL};
	struct driver driver;
	struct world world;
	char program[PATH_MAX];
	char file[] = "/proc/self/status";
	char quiet[] = "-q";
	char wanted[64];
	char *argv[] = {program, quiet, wanted, file, NULL};
	static const char *const sets[] = {"Prm", "Eff", "Amb", NULL};
	int faults = 0;
	int i;

	snprintf(program, sizeof(program), "%s/../grep", (const char *)base);
	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	if (prepare(&driver, world.dir) < 0)
		return 1;
	/* Outside the file gives CAP_NET_RAW and CAP_SYS_ADMIN. */
	snprintf(wanted, sizeof(wanted), "CapPrm:.*%s",
	    geteuid() == 0 ? "ff" : "202000");
	if (access(program, F_OK) == 0)
		CHECK(faults, driver_run(&nothing, argv) == 0, "outside");
	else
		strcpy(program, "/bin/grep");
	for (i = 0; sets[i] != NULL; i++) {
		snprintf(wanted, sizeof(wanted), "Cap%s:.*%s", sets[i],
		    geteuid() == 0 && i < 2 ? ROOT_HAS : USER_HAS);
		CHECK(faults, driver_run(&driver, argv) == 0, "%s", wanted);
	}
	driver_close(&driver);
	world_end(&world);
	return faults;
}

/* A program whose file has capabilities; only root can make one. */
static void
test_capabilities(void **state)
{
	static const uint32_t caps[] = {
	    0x02000001, 1u << 13 | 1u << 21, 0, 0, 0};
	char base[PATH_MAX];
	char program[PATH_MAX];

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_dir());
	snprintf(program, sizeof(program), "%.*s/../grep", PATH_MAX - 16, base);
	if (geteuid() == 0 &&
	    system(text("cp /bin/grep %s && chmod 755 %s", program, program)) ==
		0 &&
	    setxattr(program, "security.capability", caps, sizeof(caps), 0) !=
		0)
		unlink(program);
	if (geteuid() == 0)
		assert_int_equal(in_child(capabilities, base), 0);
	snprintf(base, sizeof(base), "%s", scratch_dir());
	assert_int_equal(in_user_child(capabilities, base), 0);
	unlink(program);
}

TWICE(probe)
TWICE(attacks_on_masked_data)
TWICE(attacks_on_shielded_data)
TWICE(tricks_with_mounts)
TWICE(attacks_on_the_system)
TWICE(everyday_use)
TWICE(absent_config)
TWICE(replaced_config)
TWICE(remade_config)
TWICE(absent_data_dir)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_probe),
	    cmocka_unit_test(test_attacks_on_masked_data),
	    cmocka_unit_test(test_attacks_on_shielded_data),
	    cmocka_unit_test(test_tricks_with_mounts),
	    cmocka_unit_test(test_attacks_on_the_system),
	    cmocka_unit_test(test_everyday_use),
	    cmocka_unit_test(test_absent_config),
	    cmocka_unit_test(test_replaced_config),
	    cmocka_unit_test(test_remade_config),
	    cmocka_unit_test(test_absent_data_dir),
	    cmocka_unit_test(test_capabilities),
	};
	int status = attempts_main(argc, argv);

	if (status >= 0)
		_exit(status); /* no sanitizer's last words in a sandbox */
	world_set_program("/proc/self/exe");
	return run_all(tests);
}
