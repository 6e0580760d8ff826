/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-degraded.c - hosts that lack something, as root and as a user. On each
 * the tool, with the backends that were built, either protects a command, and
 * then every attempt fails inside; or it refuses with 125, the reason and what
 * would change it. It never starts the command unprotected.
 */

#include "harness.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hosts.h"
#include "world.h"

#define REFUSED 125
#define MAX_TEXTS 6

enum outcome {
	STARTS, /* and is protected */
	IS_REFUSED,
	LEFT_OUT /* there is no such host for this caller */
};

struct degraded_host {
	const char *name;
	hosts_make *make;
	enum outcome outcomes[2]; /* root, user */
	/* What is said: by the refusal, or by describe where it starts. */
	const char *says[2][MAX_TEXTS];
	/* What everyday use loses there. */
	const char *loses[MAX_TEXTS];
	/* Where less than the default policy is asked for: what must fail. */
	const char *tries[MAX_TEXTS];
	const char *lines; /* of the configuration, or NULL */
	bool is_nested; /* the tool is started by the tool */
	bool is_hidden; /* the tool cannot be read, so it is not dumpable */
	bool has_no_root; /* for a user: root's number is unknown there */
};

static char self[PATH_MAX];

/* ---- Running the tool ---------------------------------------------------- */

/* Where the tool is, what it is given, what it says. */
struct stage {
	const struct degraded_host *host;
	char base[PATH_MAX];
	char tool[PATH_MAX];
	char conf[PATH_MAX];
	const char *dir; /* the data directory */
	bool is_user;
};

static char *
file_of(const struct stage *stage, const char *name)
{
	return text("%.*s/%s", PATH_MAX - 64, stage->base, name);
}

static void
read_all(const char *path, char *to, size_t size)
{
	FILE *file = fopen(path, "r");
	size_t len = 0;

	if (file != NULL) {
		len = fread(to, 1, size - 1, file);
		fclose(file);
	}
	to[len] = '\0';
}

/* Its exit; what it wrote is in the files out and err. */
static int
execute(const struct stage *stage, char *const argv[])
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int out = open(
		    file_of(stage, "out"), O_CREAT | O_TRUNC | O_WRONLY, 0644);
		int err = open(
		    file_of(stage, "err"), O_CREAT | O_TRUNC | O_WRONLY, 0644);

		if (dup2(out, 1) != 1 || dup2(err, 2) != 2)
			_exit(251);
		execv(argv[0], argv);
		_exit(252);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1000;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#define WORD(text) ((char *)(uintptr_t)(text))

/* tool VERB --config ... [-- COMMAND...], on a nested host twice. */
static int
use_tool(const struct stage *stage, const char *verb, char *const command[])
{
	char *argv[32];
	int levels = stage->host->is_nested ? 2 : 1;
	int count = 0;
	int i;

	for (i = 0; i < levels; i++) {
		argv[count++] = WORD(stage->tool);
		argv[count++] = WORD(i + 1 < levels ? "run" : verb);
		argv[count++] = WORD("--config");
		argv[count++] = WORD(stage->conf);
		argv[count++] = WORD("--data-dir");
		argv[count++] = WORD(stage->dir);
		argv[count++] =
		    WORD(i + 1 < levels || command != NULL ? "--" : "--all");
	}
	for (i = 0; command != NULL && command[i] != NULL; i++)
		argv[count++] = command[i];
	argv[count] = NULL;
	return execute(stage, argv);
}

/* Through the tool, or without it. */
static int
run_attempt(const struct stage *stage, const struct world *world,
    bool is_inside, const char *name)
{
	char *command[] = {self, WORD("attempt"), WORD(name), WORD(world->dir),
	    WORD(world->arg), NULL};

	return is_inside ? use_tool(stage, "run", command)
			 : execute(stage, command);
}

/* world.c wants one; its own runs are not used here. */
int
driver_run(struct driver *driver, char *const argv[])
{
	(void)driver;
	(void)argv;
	return 1000;
}

/* ---- Inside: every attempt, one after the other -------------------------- */

static const struct attempt *const all_attempts[] = {attempts_on_data,
    attempts_on_mounts, attempts_on_system, attempts_of_use, NULL};

static int
try_everything(const char *dir, const char *arg)
{
	bool is_root = geteuid() == 0;
	const struct attempt *at;
	size_t i;

	for (i = 0; all_attempts[i] != NULL; i++)
		for (at = all_attempts[i]; at->name != NULL; at++) {
			int status = 0;
			pid_t pid;

			if (at->for_root != 0 && (at->for_root == 1) != is_root)
				continue;
			fflush(stdout);
			pid = fork();
			if (pid == 0)
				_exit(at->fn(dir, arg));
			waitpid(pid, &status, 0);
			printf("%d %d %s\n", at->kind == ATTEMPTS_USE,
			    WIFEXITED(status) ? WEXITSTATUS(status) : 255,
			    at->name);
		}
	printf("end\n");
	fflush(stdout);
	return 0;
}

static bool
is_listed(const char *const *list, const char *name)
{
	size_t i;

	for (i = 0; i < MAX_TEXTS && list[i] != NULL; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

/* What try_everything has printed. */
static int
judge_attempts(const struct stage *stage)
{
	FILE *file = fopen(file_of(stage, "out"), "r");
	char line[256];
	char name[128];
	bool has_end = false;
	int faults = 0;
	int held = 0;
	int is_use;
	int status;

	while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
		has_end = strcmp(line, "end\n") == 0;
		if (sscanf(line, "%d %d %127[^\n]", &is_use, &status, name) !=
		    3)
			continue;
		if (getenv("OMEGA_TEST_VERBOSE") != NULL)
			fprintf(stderr, "# %s: %s: %s\n", stage->host->name,
			    name, strerror(status));
		if (is_use == 0)
			CHECK(faults, status != 0 && status < 200,
			    "%s: %s: inside: %d", stage->host->name, name,
			    status);
		else if (!is_listed(stage->host->loses, name))
			CHECK(faults, status == 0, "%s: %s: inside: %s",
			    stage->host->name, name, strerror(status));
		else
			CHECK(faults, status != 0, "%s: %s: it works",
			    stage->host->name, name);
		held += is_use == 0;
	}
	if (file != NULL)
		fclose(file);
	CHECK(faults, has_end && held > 50, "%s: only %d attempts",
	    stage->host->name, held);
	return faults;
}

/* ---- A host -------------------------------------------------------------- */

static int
check_texts(const struct stage *stage, const char *file, int status)
{
	const char *const *texts = stage->host->says[stage->is_user];
	char said[16384];
	int faults = 0;
	size_t i;

	read_all(file_of(stage, file), said, sizeof(said));
	for (i = 0; i < MAX_TEXTS && texts[i] != NULL; i++)
		CHECK(faults, strstr(said, texts[i]) != NULL,
		    "%s: %d, no \"%s\" in: %s", stage->host->name, status,
		    texts[i], said);
	return faults;
}

/* What is tried inside works outside: the data can be read and changed. */
static int
check_outside(const struct stage *stage)
{
	static const char *const names[] = {
	    "read", "write", "delete", "rename the data directory", NULL};
	char twin_base[PATH_MAX];
	int faults = 0;
	int status;
	size_t i;

	snprintf(twin_base, sizeof(twin_base), "%s", file_of(stage, "twin"));
	mkdir(twin_base, 0755);
	for (i = 0; names[i] != NULL; i++) {
		struct world twin;

		world_make(&twin, twin_base, "omega");
		status = run_attempt(stage, &twin, false, names[i]);
		CHECK(faults, status == 0, "%s: %s: outside: %d",
		    stage->host->name, names[i], status);
		world_end(&twin);
	}
	return faults;
}

/* Where a policy leaves some attempts open: those that it does not. */
static int
check_some(const struct stage *stage, const struct world *world)
{
	const char *const *names = stage->host->tries;
	int faults = 0;
	int status;
	size_t i;

	for (i = 0; i < MAX_TEXTS && names[i] != NULL; i++) {
		status = run_attempt(stage, world, true, names[i]);
		CHECK(faults, status != 0 && status < REFUSED, "%s: %s: %d",
		    stage->host->name, names[i], status);
	}
	return faults;
}

static int
check_protected(const struct stage *stage, const struct world *world)
{
	char *command[] = {
	    self, WORD("everything"), WORD(world->dir), WORD(world->arg), NULL};
	char said[4096];
	int faults = 0;
	int status;

	status = use_tool(stage, "run", command);
	read_all(file_of(stage, "err"), said, sizeof(said));
	CHECK(
	    faults, status == 0, "%s: %d: %s", stage->host->name, status, said);
	if (status != 0)
		return faults;
	faults += judge_attempts(stage);
	status = use_tool(stage, "describe", NULL);
	read_all(file_of(stage, "out"), said, sizeof(said));
	CHECK(faults, status == 0, "%s: describe: %d: %s", stage->host->name,
	    status, said);
	faults += check_texts(stage, "out", status);
	/* Nothing was done to the next one. */
	status = run_attempt(stage, world, true, "read");
	CHECK(faults, status == EACCES, "%s: next: %d", stage->host->name,
	    status);
	return faults;
}

static int
check_refused(const struct stage *stage, const struct world *world)
{
	char *mark = file_of(stage, "ran");
	char *command[] = {WORD("/bin/touch"), mark, NULL};
	int faults = 0;
	int status;

	status = use_tool(stage, "run", command);
	CHECK(faults, status == REFUSED, "%s: exit %d", stage->host->name,
	    status);
	if (getenv("OMEGA_TEST_VERBOSE") != NULL) {
		char said[4096];

		read_all(file_of(stage, "err"), said, sizeof(said));
		fprintf(stderr, "# %s: %s\n", stage->host->name, said);
	}
	faults += check_texts(stage, "err", status);
	CHECK(faults, access(mark, F_OK) != 0, "%s: it ran", stage->host->name);
	status = run_attempt(stage, world, true, "read");
	CHECK(faults, status == REFUSED, "%s: read: %d", stage->host->name,
	    status);
	return faults;
}

static bool
become_user(void)
{
	return geteuid() != 0 ||
	       (setgroups(0, NULL) == 0 &&
		   setresgid(SPARE_UID, SPARE_UID, SPARE_UID) == 0 &&
		   setresuid(SPARE_UID, SPARE_UID, SPARE_UID) == 0 &&
		   /* Lost with the uid, and needed to write uid_map. */
		   prctl(PR_SET_DUMPABLE, 1) == 0);
}

/* A copy that its user can run and not read. */
static bool
hide_tool(struct stage *stage)
{
	char copy[PATH_MAX];
	char *argv[] = {WORD("/bin/cp"), WORD(stage->tool), copy, NULL};

	snprintf(copy, sizeof(copy), "%s", file_of(stage, "tool"));
	if (execute(stage, argv) != 0 || chmod(copy, 0111) != 0)
		return false;
	snprintf(stage->tool, sizeof(stage->tool), "%s", copy);
	return true;
}

static int
on_host(void *arg)
{
	struct stage *stage = arg;
	struct world world;
	int faults;
	int ret;

	/* Away from the sockets of other tests, where that is possible. */
	if (geteuid() == 0 && unshare(CLONE_NEWNET) != 0)
		printf("# no network of its own: %s\n", strerror(errno));
	/* Single ids are mapped as they are, so the user comes first. */
	if (stage->is_user &&
	    (stage->host->make == hosts_one_id ||
		stage->host->make == hosts_mapped_root) &&
	    !become_user())
		return 98;
	ret = stage->host->make(stage->base);
	if (ret != 0)
		return ret;
	if (stage->is_user && stage->host->make != hosts_mapped_root &&
	    !become_user())
		return 98;
	if (stage->host->is_hidden && !hide_tool(stage))
		return 97;
	world_make(&world, stage->base, ".omega");
	stage->dir = world.dir;
	faults = check_outside(stage);
	if (stage->host->outcomes[stage->is_user] == STARTS &&
	    stage->host->tries[0] != NULL)
		faults += check_some(stage, &world);
	else if (stage->host->outcomes[stage->is_user] == STARTS)
		faults += check_protected(stage, &world);
	else
		faults += check_refused(stage, &world);
	CHECK(faults, world_is_whole(&world), "%s: the data changed",
	    stage->host->name);
	world_end(&world);
	return faults > 90 ? 90 : faults;
}

/* Does path lead through something that is not the user's, in a directory
 * where everybody may put things? */
static bool
is_shared_way(const char *path, uid_t uid)
{
	const char *slash = path;
	bool is_shared = false;
	struct stat st;

	do {
		slash = strchr(slash + 1, '/');
		if (stat(slash == NULL
			     ? path
			     : text("%.*s", (int)(slash - path), path),
			&st) != 0)
			fail_msg("%s: %s", path, strerror(errno));
		if (is_shared && st.st_uid != uid)
			return true;
		is_shared =
		    (st.st_mode & S_ISVTX) != 0 && (st.st_mode & 0022) != 0;
	} while (slash != NULL);
	return false;
}

/* As root (0) or as a user (1). */
static int
try_host(const struct degraded_host *host, int is_user)
{
	struct stage stage = {.host = host, .is_user = is_user != 0};
	struct degraded_host other = *host;
	uid_t uid = is_user && geteuid() == 0 ? SPARE_UID : geteuid();
	const char *dir = getenv("top_builddir");
	char build[PATH_MAX];
	FILE *file;
	int ret;

	if (host->outcomes[is_user] == LEFT_OUT || (!is_user && geteuid() != 0))
		return 0;
	snprintf(stage.base, sizeof(stage.base), "%s", scratch_dir());
	if (realpath(dir != NULL ? dir : ".", build) == NULL)
		fail_msg("%s: %s", dir, strerror(errno));
	/* Built below /tmp, nobody there can say whose it is. */
	if (is_user && host->has_no_root && is_shared_way(build, uid)) {
		other.outcomes[1] = IS_REFUSED;
		memset(other.says[1], 0, sizeof(other.says[1]));
		other.says[1][0] = "everybody can put files there";
		stage.host = &other;
	}
	snprintf(stage.tool, sizeof(stage.tool), "%.*s/omega-sandbox-built",
	    PATH_MAX - 32, build);
	/* In a directory that is trusted on every host. */
	snprintf(stage.conf, sizeof(stage.conf), "%.*s/test-degraded.conf",
	    PATH_MAX - 32, build);
	file = fopen(stage.conf, "w");
	if (file == NULL ||
	    /* bwrap would step in for what is lacking. */
	    fputs("plugin \"bwrap\" { program = \"/none\" }\n", file) < 0 ||
	    fputs(host->lines != NULL ? host->lines : "", file) < 0 ||
	    fclose(file) != 0)
		fail_msg("%s: %s", stage.conf, strerror(errno));
	if (chmod(stage.base, 0755) != 0 || chown(stage.base, uid, uid) != 0)
		fail_msg("%s: %s", stage.base, strerror(errno));
	ret = in_child(on_host, &stage);
	if (ret == HOSTS_CANNOT)
		printf("# %s, %s: such a host cannot be made here\n",
		    host->name, is_user ? "user" : "root");
	return ret;
}

#include "degraded-hosts.h"

static void
test_host(void **state)
{
	const struct degraded_host *host = *state;
	int as_root = try_host(host, 0);
	int as_user = try_host(host, 1);

	if ((as_root != 0 && as_root != HOSTS_CANNOT) ||
	    (as_user != 0 && as_user != HOSTS_CANNOT))
		fail_msg("%s: %d as root, %d as a user", host->name, as_root,
		    as_user);
	if (as_root == HOSTS_CANNOT || as_user == HOSTS_CANNOT)
		skip_because("such a host cannot be made here");
}

int
main(int argc, char **argv)
{
	struct CMUnitTest tests[sizeof(hosts) / sizeof(*hosts)];
	int status = attempts_main(argc, argv);
	size_t count = 0;
	size_t i;

	if (status >= 0)
		_exit(status); /* no sanitizer's last words in a sandbox */
	if (argc == 4 && strcmp(argv[1], "everything") == 0)
		_exit(try_everything(argv[2], argv[3]));
	if (realpath("/proc/self/exe", self) == NULL)
		return 1;
	/* All of them, or those whose name has the first argument in it. */
	for (i = 0; i < sizeof(hosts) / sizeof(*hosts); i++)
		if (argc < 2 || strstr(hosts[i].name, argv[1]) != NULL)
			tests[count++] =
			    (struct CMUnitTest){.name = hosts[i].name,
				.test_func = test_host,
				.initial_state = (void *)(uintptr_t)&hosts[i]};
	return harness_run(tests, count);
}
