/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * harness.c - see harness.h.
 */

#include "harness.h"

#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trees.h"

#define SKIP_MARK "omega-skip: "

bool
wait_a_little(int *waited)
{
	if (*waited >= PATIENCE_MS)
		return false;
	usleep(10000);
	*waited += 10;
	return true;
}

int
harness_rounds(int many)
{
	return getenv("OMEGA_TEST_SLOW") != NULL ? many / 20 + 1 : many;
}

void
harness_note_skip(const char *format, ...)
{
	va_list args;

	fputs(SKIP_MARK, stdout);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

/*
 * cmocka before 1.1.6 reports a skipped test as "not ok" and drops the
 * reason. Pass its output on, with such lines put right.
 */
static void
pass_on(FILE *in)
{
	char line[8192];
	char reason[1024] = "";
	int number;

	while (fgets(line, sizeof(line), in) != NULL) {
		const char *mark = strstr(line, SKIP_MARK);

		if (mark != NULL) {
			snprintf(reason, sizeof(reason), "%.*s",
			    (int)strcspn(mark + strlen(SKIP_MARK), "\n"),
			    mark + strlen(SKIP_MARK));
			continue;
		}
		if (strstr(line, "# SKIP") != NULL && reason[0] != '\0' &&
		    (sscanf(line, "not ok %d", &number) == 1 ||
			sscanf(line, "ok %d", &number) == 1)) {
			printf("ok %d # SKIP %s\n", number, reason);
			reason[0] = '\0';
			continue;
		}
		fputs(line, stdout);
		fflush(stdout);
	}
	fflush(stdout);
}

/* What was given away, until the program ends; a forked child has a list of
 * its own. */
struct piece {
	struct piece *next;
	_Alignas(max_align_t) unsigned char bytes[];
};

static struct piece *_Atomic pieces;

void *
harness_keep(size_t size)
{
	struct piece *piece = calloc(1, sizeof(*piece) + size);

	if (piece == NULL)
		abort();
	piece->next = atomic_load(&pieces);
	while (!atomic_compare_exchange_weak(&pieces, &piece->next, piece))
		;
	return piece->bytes;
}

__attribute__((destructor)) static void
free_pieces(void)
{
	struct piece *piece = atomic_exchange(&pieces, NULL);

	while (piece != NULL) {
		struct piece *next = piece->next;

		free(piece);
		piece = next;
	}
}

char *
text(const char *format, ...)
{
	va_list args;
	char *made;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0)
		abort();
	made = harness_keep((size_t)len + 1);
	va_start(args, format);
	vsnprintf(made, (size_t)len + 1, format, args);
	va_end(args);
	return made;
}

char *
text_in(const char *dir, const char *words)
{
	const char *at = strstr(words, "%D");

	return at == NULL ? text("%s", words)
			  : text("%.*s%s%s", (int)(at - words), words, dir,
				text_in(dir, at + 2));
}

char *
file_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st = {.st_size = 0};
	char *content;
	size_t got = 0;
	ssize_t n = 1;

	if (fd < 0 || fstat(fd, &st) != 0)
		st.st_size = 0;
	content = harness_keep((size_t)st.st_size + 1);
	while (fd >= 0 && n > 0 && got < (size_t)st.st_size) {
		n = read(fd, content + got, (size_t)st.st_size - got);
		got += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	return content;
}

static char scratch_root[PATH_MAX];

static int
remove_entry(
    const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)place;
	if (type == FTW_DNR)
		chmod(path, 0700);
	return remove(path);
}

static int
open_up(const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)place;
	if (type == FTW_D || type == FTW_DNR)
		chmod(path, 0700);
	return 0;
}

static void
remove_scratch(void)
{
	if (scratch_root[0] == '\0')
		return;
	nftw(scratch_root, open_up, 16, FTW_PHYS);
	nftw(scratch_root, remove_entry, 16, FTW_PHYS | FTW_DEPTH);
}

static int
run_group(const struct CMUnitTest *tests, size_t count)
{
	int failed;

	setenv("CMOCKA_MESSAGE_OUTPUT", "TAP", 0);
	if (getenv("OMEGA_TEST_ONLY") != NULL)
		cmocka_set_test_filter(getenv("OMEGA_TEST_ONLY"));
	failed = _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
	fflush(stdout);
	remove_scratch();
	return failed == 0 ? 0 : 1;
}

int
harness_run(const struct CMUnitTest *tests, size_t count)
{
	int out[2];
	int status;
	pid_t pid;
	FILE *in;

	if (getenv("OMEGA_TEST_NO_FORK") != NULL)
		return run_group(tests, count);
	if (pipe(out) != 0)
		return 1;
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return 1;
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		close(out[1]);
		setvbuf(stdout, NULL, _IOLBF, 0);
		exit(run_group(tests, count));
	}
	close(out[1]);
	in = fdopen(out[0], "r");
	if (in == NULL)
		return 1;
	pass_on(in);
	fclose(in);
	if (waitpid(pid, &status, 0) != pid)
		return 1;
	if (WIFSIGNALED(status))
		printf("Bail out! killed by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void
make_scratch_root(const char *where)
{
	char base[PATH_MAX];

	if (realpath(where, base) == NULL)
		fail_msg("no temporary directory: %s", strerror(errno));
	snprintf(scratch_root, sizeof(scratch_root), "%.*s/omega-test-XXXXXX",
	    PATH_MAX - 64, base);
	if (mkdtemp(scratch_root) == NULL)
		fail_msg("mkdtemp: %s", strerror(errno));
	chmod(scratch_root, 0755);
}

void
scratch_outside_tmp(void)
{
	const char *home = getenv("HOME");
	char here[PATH_MAX] = "/tmp";

	if (realpath(".", here) == NULL || trees_is_below(here, "/tmp") ||
	    trees_is_below(here, "/var/tmp") ||
	    trees_is_below(here, "/dev/shm"))
		snprintf(here, sizeof(here), "%s", home != NULL ? home : "/");
	make_scratch_root(here);
}

char *
scratch_dir(void)
{
	static int number;
	char *dir;

	if (scratch_root[0] == '\0') {
		const char *tmp = getenv("TMPDIR");

		make_scratch_root(tmp != NULL ? tmp : "/tmp");
	}
	dir = text("%s/%d", scratch_root, number++);
	make_dir(dir);
	chmod(dir, 0777);
	return dir;
}

static void
make_parents(const char *path)
{
	char copy[PATH_MAX];
	char *slash;

	snprintf(copy, sizeof(copy), "%s", path);
	for (slash = strchr(copy + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0755);
		*slash = '/';
	}
}

void
make_dir(const char *path)
{
	make_parents(path);
	if (mkdir(path, 0755) != 0 && errno != EEXIST)
		fail_msg("mkdir %s: %s", path, strerror(errno));
}

void
make_file(const char *path, const char *content)
{
	FILE *file;

	make_parents(path);
	file = fopen(path, "w");
	if (file == NULL || fputs(content, file) < 0 || fclose(file) != 0)
		fail_msg("write %s: %s", path, strerror(errno));
}

void
make_link(const char *target, const char *path)
{
	make_parents(path);
	if (symlink(target, path) != 0)
		fail_msg("symlink %s: %s", path, strerror(errno));
}

void
make_hard_link(const char *existing, const char *path)
{
	make_parents(path);
	if (link(existing, path) != 0)
		fail_msg("link %s: %s", path, strerror(errno));
}

void
harness_say_need(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: not so: %s (errno %d)\n", file, line, condition,
	    errno);
}

int
in_child(int (*fn)(void *), void *arg)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		fail_msg("fork: %s", strerror(errno));
	if (pid == 0) {
		/* Not the parent's scratch, and none of cmocka's jumps. */
		scratch_root[0] = '\0';
		status = fn(arg);
		remove_scratch();
		_exit(status);
	}
	if (waitpid(pid, &status, 0) != pid)
		fail_msg("waitpid: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct call {
	int (*fn)(void *);
	void *arg;
};

static int
drop_and_call(void *arg)
{
	struct call *call = arg;

	if (getuid() == 0 &&
	    (setgroups(0, NULL) != 0 ||
		setresgid(SPARE_UID, SPARE_UID, SPARE_UID) != 0 ||
		setresuid(SPARE_UID, SPARE_UID, SPARE_UID) != 0 ||
		/* As programs are that this user starts. */
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0))
		return 98;
	return call->fn(call->arg);
}

int
in_user_child(int (*fn)(void *), void *arg)
{
	struct call call = {fn, arg};

	return in_child(drop_and_call, &call);
}

static bool
write_text(const char *path, const char *content)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, content, strlen(content)) ==
				 (ssize_t)strlen(content);

	if (fd >= 0)
		close(fd);
	return ok;
}

static int
mount_and_call(void *arg)
{
	struct call *call = arg;
	uid_t uid = getuid();
	gid_t gid = getgid();

	if (unshare(CLONE_NEWNS) != 0) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
			return CANNOT_MOUNT;
		write_text("/proc/self/setgroups", "deny");
		if (!write_text(
			"/proc/self/uid_map", text("0 %u 1", (unsigned)uid)) ||
		    !write_text(
			"/proc/self/gid_map", text("0 %u 1", (unsigned)gid)))
			return CANNOT_MOUNT;
	}
	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0)
		return CANNOT_MOUNT;
	return call->fn(call->arg);
}

int
in_mount_child(int (*fn)(void *), void *arg)
{
	struct call call = {fn, arg};

	return in_child(mount_and_call, &call);
}

int
count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = -1; /* the one of the directory itself */

	if (dir == NULL)
		fail_msg("/proc/self/fd: %s", strerror(errno));
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count - 2;
}

pid_t
newest_process(void)
{
	char text[128] = "";
	const char *at;
	int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) <= 0)
		text[0] = '\0';
	close(fd);
	at = strrchr(text, ' ');
	return at == NULL ? 0 : (pid_t)strtol(at, NULL, 10);
}

/* Under a sanitizer, looking for leaks at every exit takes seconds, and most
 * tests start children; valgrind looks for leaks instead. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}
