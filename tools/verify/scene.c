/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * scene.c - see verify.h.
 */

#include "config.h"

#include "verify.h"

#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/xattr.h>
#include <ftw.h>

/* ---- The tree ------------------------------------------------------------ */

static int
make_file(const char *path, const char *text)
{
	ssize_t len = (ssize_t)strlen(text);
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, (size_t)len) != len)
		ret = errno != 0 ? -errno : -EIO;
	close(fd);
	return ret;
}

/* A program, not a script: that would have to be read as well. */
static int
make_program(const char *path, const char *source)
{
	int from = open(source, O_RDONLY | O_CLOEXEC);
	int ret = 0;
	ssize_t n;
	int to;

	if (from < 0) {
		ret = make_file(path, "#!/bin/sh\nexit 0\n");
		return ret == 0 && chmod(path, 0700) != 0 ? -errno : ret;
	}
	to = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0700);
	if (to < 0)
		ret = -errno;
	while (ret == 0 && (n = sendfile(to, from, NULL, 1 << 20)) != 0)
		ret = n < 0 ? -errno : 0;
	if (to >= 0)
		close(to);
	close(from);
	return ret;
}

/* The names in it, with a mark as ls -F has: / a directory, * a program; - is
 * an empty file, and any other file has the secret in it. */

/* A directory with a secret, a program and another directory. */
#define HOARD(dir) dir "/", dir "/sub/", dir "/" ATTEMPT_SECRET, dir "/tool*"

static const char *const names[] = {"/", "run/", "above/", ATTEMPT_HOME "/",
    ATTEMPT_DATA_DIR "/", ATTEMPT_FREE "/",
    /* What preparing would make. */
    ATTEMPT_DATA_DIR "/skills/", ATTEMPT_DATA_DIR "/projects/",
    ATTEMPT_DATA_DIR "/stores/", HOARD(ATTEMPT_DATA_DIR "/data"), NULL};

/* Where commands of a policy with lists may work, with what they may not have
 * even there; and this program, which may be out of reach otherwise. The whole
 * data directory may be denied. */
static const char *const names_listed[] = {ATTEMPT_WORK "/",
    ATTEMPT_WORK_FREE "/", HOARD(ATTEMPT_WORK "/.git"),
    ATTEMPT_WORK "/.git/config.worktree-", /* preparing would make it */
    ATTEMPT_PROGRAM "*", ATTEMPT_LIBRARY "*", HOARD(ATTEMPT_DATA_DIR), NULL};

static const char *const names_configured[] = {
    HOARD(ATTEMPT_HOME "/blocked"), ATTEMPT_DATA_DIR "/config.toml", NULL};

static const char *const names_free[] = {"dir/", "mnt/", "file", NULL};

static int
make_name(const char *top, const char *name, const char *text)
{
	char *path = ATTEMPT_JOIN(top, name);
	char *mark = path + strlen(path) - 1;

	if (*mark == '/')
		return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : -errno;
	if (*mark != '*' && *mark != '-')
		return make_file(path, text);
	if (*mark == '-') {
		*mark = '\0';
		return make_file(path, "");
	}
	*mark = '\0';
	if (strcmp(name, ATTEMPT_LIBRARY "*") == 0)
		return verify_library(NULL) == NULL
			   ? 0
			   : make_program(path, verify_library(NULL));
	return make_program(path, strcmp(name, ATTEMPT_PROGRAM "*") == 0
				      ? "/proc/self/exe"
				      : "/bin/true");
}

static int
make_names(const char *top, const char *const *list, const char *text)
{
	int ret = 0;

	while (ret == 0 && *list != NULL)
		ret = make_name(top, *list++, text);
	return ret;
}

static int
make_free(const struct scene *scene)
{
	return make_names(scene->free, names_free, "free");
}

static int
remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type == FTW_DP || type == FTW_D || type == FTW_DNR) {
		if (rmdir(path) != 0 && errno == EBUSY)
			umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW);
		rmdir(path);
	} else {
		unlink(path);
	}
	return 0;
}

static int
remove_below(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return ftw->level == 0 ? 0 : remove_entry(path, st, type, ftw);
}

void
scene_remove(const char *path)
{
	nftw(path, remove_entry, 16, FTW_PHYS | FTW_DEPTH | FTW_MOUNT);
}

/* ---- What it was --------------------------------------------------------- */

/* nftw has no argument. */
static struct {
	FILE *out;
	const char *top;
} record;

static unsigned long
digest(const char *path)
{
	unsigned long sum = 5381;
	char text[256];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	n = fd < 0 ? 0 : read(fd, text, sizeof(text));
	while (n > 0)
		sum = sum * 33 + (unsigned char)text[--n];
	if (fd >= 0)
		close(fd);
	return sum;
}

static bool
begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Everything but the directory that is free to be used. */
static int
record_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	const char *name = path + strlen(record.top);
	const struct timespec none = {0, 0};
	/* A directory changes with what is in it; that is seen there. */
	bool is_busy = S_ISDIR(st->st_mode);
	struct timespec written = is_busy ? none : st->st_mtim;
	struct timespec changed = is_busy ? none : st->st_ctim;

	(void)type;
	(void)ftw;
	if (begins_with(name, "/" ATTEMPT_FREE) ||
	    begins_with(name, "/" ATTEMPT_WORK_FREE) ||
	    begins_with(name, "/run"))
		return 0;
	fprintf(record.out, "%s %o %u %u %lu %ld %ld.%09ld %ld.%09ld %lx %zd\n",
	    name, st->st_mode, st->st_uid, st->st_gid,
	    (unsigned long)st->st_ino, is_busy ? 0L : (long)st->st_size,
	    (long)written.tv_sec, written.tv_nsec, (long)changed.tv_sec,
	    changed.tv_nsec, S_ISREG(st->st_mode) ? digest(path) : 0,
	    listxattr(path, NULL, 0));
	return 0;
}

static char *
take_record(const char *top)
{
	size_t size = 0;
	char *text = NULL;

	record.out = open_memstream(&text, &size);
	record.top = top;
	if (record.out == NULL)
		return NULL;
	nftw(top, record_entry, 16, FTW_PHYS);
	fclose(record.out);
	return text;
}

static int
settle(struct scene *scene)
{
	free(scene->state);
	scene->state = take_record(scene->top);
	scene->hits = scene->shared != NULL ? scene->shared->hits : 0;
	return scene->state == NULL ? -ENOMEM : 0;
}

/* ---- The process outside ------------------------------------------------- */

static struct scene_shared *own_shared;

/* SIGUSR2 is sent by the tool: what came before has been counted by then. */
static void
count_signal(int number)
{
	if (number == SIGUSR2)
		own_shared->answers++;
	else
		own_shared->hits++;
}

/* Wait until the process has seen what was sent to it. */
static void
catch_up(const struct scene *scene)
{
	unsigned before = scene->shared->answers;
	int left;

	if (kill(scene->outside, SIGUSR2) != 0)
		return;
	for (left = 2000; left > 0 && scene->shared->answers == before; left--)
		usleep(left > 1900 ? 50 : 1000);
}

/* Have a file open under a number that attempts know. */
static void
hold(const char *path, int number)
{
	int fd = open(path, O_RDONLY);

	if (fd >= 0)
		dup2(fd, number);
}

static void
be_outside(const struct scene *scene, int ready)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	setpgid(0, 0);
	own_shared = scene->shared;
	signal(SIGUSR1, count_signal);
	signal(SIGUSR2, count_signal);
	signal(SIGPIPE, SIG_IGN);
	hold(ATTEMPT_JOIN(scene->top, ATTEMPT_DATA_DIR "/config.toml"),
	    ATTEMPT_FD_FILE);
	if (chdir(ATTEMPT_JOIN(scene->top, ATTEMPT_DATA_DIR "/data")) != 0)
		_exit(1);
	hold(ATTEMPT_SECRET, ATTEMPT_FD_DIR);
	if (write(ready, "x", 1) != 1)
		_exit(1);
	close(ready);
	for (;;)
		pause();
}

static void
stop_outside(struct scene *scene)
{
	if (scene->outside <= 0)
		return;
	kill(scene->outside, SIGKILL);
	waitpid(scene->outside, NULL, 0);
	scene->outside = 0;
}

static int
start_outside(struct scene *scene)
{
	int ends[2];
	char byte;
	int ret = 0;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	scene->shared->hits = 0;
	memcpy(scene->shared->token, scene->token, sizeof(scene->token));
	fflush(NULL);
	scene->outside = fork();
	if (scene->outside == 0) {
		close(ends[0]);
		be_outside(scene, ends[1]);
	}
	close(ends[1]);
	if (scene->outside < 0)
		ret = -errno;
	else if (read(ends[0], &byte, 1) != 1)
		ret = -ECHILD;
	close(ends[0]);
	return ret;
}

/* ---- All of it ----------------------------------------------------------- */

static int
build(struct scene *scene)
{
	int ret;

	ret = make_names(scene->top, names, scene->token);
	if (ret == 0 && scene->is_listed)
		ret = make_names(scene->top, names_listed, scene->token);
	if (ret == 0 && scene->has_config)
		ret = make_names(scene->top, names_configured, scene->token);
	if (ret == 0)
		ret = make_free(scene);
	if (ret == 0)
		ret = start_outside(scene);
	if (ret == 0)
		ret = settle(scene);
	return ret;
}

int
scene_make(struct scene *scene, const char *base, const char *name,
    const char *token, bool has_config, bool is_listed)
{
	memset(scene, 0, sizeof(*scene));
	snprintf(scene->token, sizeof(scene->token), "%s", token);
	if (snprintf(scene->top, sizeof(scene->top), "%s/%s", base, name) >=
	    (int)sizeof(scene->top) - 128)
		return -ENAMETOOLONG;
	scene->has_config = has_config;
	scene->is_listed = is_listed;
	snprintf(scene->free, sizeof(scene->free), "%.4000s/%s", scene->top,
	    is_listed ? ATTEMPT_WORK_FREE : ATTEMPT_FREE);
	scene->shared = mmap(NULL, sizeof(*scene->shared),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (scene->shared == MAP_FAILED) {
		scene->shared = NULL;
		return -errno;
	}
	return build(scene);
}

int
scene_use(struct scene *scene, const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.4000s/omega-verify-XXXXXX", dir);
	if (mkdtemp(path) == NULL)
		return -errno;
	if (scene->is_away)
		scene_remove(scene->free);
	strcpy(scene->free, path);
	scene->is_away = true;
	return make_free(scene);
}

bool
scene_is_changed(struct scene *scene)
{
	char *now;
	bool is_same;

	catch_up(scene);
	if (scene->shared->hits != scene->hits ||
	    strcmp(scene->shared->token, scene->token) != 0 ||
	    waitpid(scene->outside, NULL, WNOHANG) != 0)
		return true;
	now = take_record(scene->top);
	is_same = now != NULL && strcmp(now, scene->state) == 0;
	free(now);
	return !is_same;
}

int
scene_restore(struct scene *scene)
{
	bool is_changed = scene_is_changed(scene);

	/* The directory itself stays: it may be mounted inside. */
	nftw(scene->free, remove_below, 16, FTW_PHYS | FTW_DEPTH | FTW_MOUNT);
	if (!is_changed)
		return make_free(scene);
	stop_outside(scene);
	scene_remove(ATTEMPT_JOIN(scene->top, "above"));
	scene_remove(ATTEMPT_JOIN(scene->top, "above.moved"));
	return build(scene);
}

int
scene_replace(struct scene *scene, const char *path)
{
	const char *new = attempt_format(ATTEMPT_SPACE, "%s.new", path);
	const char *old = attempt_format(ATTEMPT_SPACE, "%s.old", path);
	struct stat st;
	bool is_dir = lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
	int ret;

	if (is_dir && mkdir(new, 0700) != 0)
		return -errno;
	ret = make_file(
	    is_dir ? ATTEMPT_JOIN(new, ATTEMPT_SECRET) : new, scene->token);
	if (ret == 0 &&
	    ((is_dir && rename(path, old) != 0) || rename(new, path) != 0))
		ret = -errno;
	return ret;
}

void
scene_end(struct scene *scene)
{
	if (scene->top[0] == '\0')
		return;
	stop_outside(scene);
	scene_remove(scene->top);
	if (scene->is_away)
		scene_remove(scene->free);
	free(scene->state);
	if (scene->shared != NULL)
		munmap(scene->shared, sizeof(*scene->shared));
	memset(scene, 0, sizeof(*scene));
}
