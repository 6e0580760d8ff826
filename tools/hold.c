/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * hold.c - see run.h.
 *
 * A mount needs something to be mounted on. So an empty directory is made where
 * a name is to stay absent, before the policy is prepared, and removed when no
 * command is left. A process of its own does both, the keeper: it sees us end
 * however that is, and by an inotify watch on a file system that only these
 * commands have mounted, the last of them.
 *
 * The sticky bit, which mkdir sets at once, says that a directory is one of
 * these. Every keeper has a shared lock on those it uses; who can make it an
 * exclusive one is the last. What a keeper left behind that was killed is used
 * and removed by the next one. Nothing but empty directories is ever removed.
 */

#include "config.h"

#include "run.h"

#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <time.h>

#include "tool.h"

#define MAX_NAMES 256 /* with the directories on the way to them */
#define MAX_TRIES 16
#define END_MS 500 /* how long we wait for the keeper */
#define MARK S_ISVTX

/* With an empty directory there the agent does not start: it is told only. */
static const struct {
	const char *agent;
	const char *path;
} told[] = {
    {"opencode", ".opencode"}, /* it wants to write there if it exists */
    {"opencode", "opencode.json"},
    {"aider", ".aider.conf.yml"},
};

/* A name, or a directory on the way to one; the first is the work directory. */
struct held {
	char *path; /* from the work directory */
	int fd; /* or -1 */
	int parent;
	bool is_ours;
	bool was_absent;
	bool is_told;
};

static struct held list[MAX_NAMES];
static size_t count;
static int channel = -1; /* to the keeper */
static int ends = -1; /* inotify, shared with the keeper */
static struct omega_sandbox_prepared *watched;

static const char *
last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static bool
is_marked(const struct stat *st)
{
	return S_ISDIR(st->st_mode) && (st->st_mode & MARK) != 0 &&
	       st->st_uid == geteuid();
}

/* ---- The keeper ---------------------------------------------------------- */

static bool
is_there(const struct held *held)
{
	struct stat st;
	struct stat named;

	return fstat(held->fd, &st) == 0 &&
	       fstatat(held->parent, last_of(held->path), &named,
		   AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_dev == named.st_dev && st.st_ino == named.st_ino;
}

/* Make it or take it; what is there already and not ours is only opened. */
static void
take(struct held *held)
{
	const struct timespec moment = {.tv_nsec = 2000000};
	const char *name = last_of(held->path);
	struct stat st;
	int tries;

	for (tries = 0; held->parent >= 0 && tries < MAX_TRIES; tries++) {
		mkdirat(held->parent, name, 0777 | MARK);
		held->fd = openat(held->parent, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (held->fd < 0 && errno != ENOENT)
			return;
		if (held->fd < 0)
			continue;
		if (fstat(held->fd, &st) != 0 || !is_marked(&st))
			return;
		held->is_ours = true;
		if (flock(held->fd, LOCK_SH | LOCK_NB) == 0 && is_there(held))
			return;
		/* Somebody is removing it. */
		close(held->fd);
		held->fd = -1;
		held->is_ours = false;
		nanosleep(&moment, NULL);
	}
}

static void
take_all(void)
{
	size_t i;
	size_t j;

	list[0].fd =
	    open(list[0].path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	for (i = 1; i < count; i++) {
		size_t len = (size_t)(last_of(list[i].path) - list[i].path);

		list[i].parent = list[0].fd;
		for (j = 1; len > 0 && j < i; j++)
			if (strlen(list[j].path) == len - 1 &&
			    strncmp(list[j].path, list[i].path, len - 1) == 0)
				list[i].parent = list[j].fd;
		if (!list[i].is_told)
			take(&list[i]);
	}
}

/* Those below come before those above them. */
static void
remove_all(void)
{
	struct stat st;

	for (; count > 1; count--) {
		const struct held *held = &list[count - 1];

		if (!held->is_ours || flock(held->fd, LOCK_EX | LOCK_NB) != 0 ||
		    !is_there(held))
			continue;
		/* With something in it, it is one as any other. */
		if (unlinkat(held->parent, last_of(held->path), AT_REMOVEDIR) !=
			0 &&
		    fstat(held->fd, &st) == 0)
			fchmod(held->fd, st.st_mode & 07777 & ~(mode_t)MARK);
	}
}

/* Are the file systems still mounted that were watched? */
static bool
has_commands(void)
{
	char text[4096];
	ssize_t len;
	int fd;

	snprintf(text, sizeof(text), "/proc/self/fdinfo/%d", ends);
	fd = open(text, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text));
	if (fd >= 0)
		close(fd);
	return len > 0 && memmem(text, (size_t)len, "inotify wd:", 11) != NULL;
}

static void
keep(void)
{
	char bytes[4096];
	sigset_t all;
	int null = open("/dev/null", O_RDWR);
	int fd;

	/* A terminal that is kept open would not end. */
	for (fd = 0; fd <= 2; fd++)
		dup2(null, fd);
	for (fd = 3; fd < 1024; fd++)
		if (fd != channel && fd != ends)
			close(fd);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	take_all();
	if (write(channel, "", 1) == 1)
		while (read(channel, bytes, 1) > 0)
			continue;
	while (has_commands() && read(ends, bytes, sizeof(bytes)) > 0)
		continue;
	remove_all();
	_exit(0);
}

/* ---- Ourselves ----------------------------------------------------------- */

/* With the directories on the way, which come first. */
static void
add(const char *path, bool was_absent)
{
	const char *slash = strchr(path, '/');
	size_t i;

	for (;;) {
		char *text = strndup(path,
		    slash != NULL ? (size_t)(slash - path) : strlen(path));

		for (i = 1; text != NULL && i < count; i++)
			if (strcmp(list[i].path, text) == 0)
				break;
		if (text == NULL || i == MAX_NAMES || i < count) {
			free(text);
		} else {
			list[count++] =
			    (struct held){.path = text, .fd = -1, .parent = -1};
			list[i].was_absent = was_absent && slash == NULL;
		}
		if (slash == NULL)
			return;
		slash = strchr(slash + 1, '/');
	}
}

/* What is absent, and what others hold. Of git, whatever must be there is made
 * when the policy is prepared. */
static void
look(const struct omega_sandbox_report *report)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	size_t len = strlen(list[0].path);
	struct stat st;
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &line) == 0; i++) {
		bool is_absent = strcmp(line.kind, "absent_paths") == 0;

		if (line.path == NULL ||
		    strncmp(line.path, list[0].path, len) != 0 ||
		    line.path[len] != '/' ||
		    strstr(line.path + len, "/.git/") != NULL ||
		    strncmp(line.origin, "git metadata", 12) == 0)
			continue;
		if (is_absent ? line.state != OMEGA_SANDBOX_ENFORCED
			      : lstat(line.path, &st) == 0 && is_marked(&st))
			add(line.path + len + 1, is_absent);
	}
}

size_t
hold_look(const struct omega_sandbox_report *report, const char *agent)
{
	char work_dir[PATH_MAX];
	size_t absent = 0;
	size_t i;
	size_t j;

	count = 0;
	if (tool_work_dir() == NULL ||
	    realpath(tool_work_dir(), work_dir) == NULL)
		return 0;
	list[0] = (struct held){.path = strdup(work_dir), .fd = -1};
	if (list[0].path == NULL)
		return 0;
	count = 1;
	look(report);
	for (i = 1; i < count; i++) {
		for (j = 0; j < sizeof(told) / sizeof(told[0]); j++)
			list[i].is_told |=
			    strcmp(told[j].agent, agent) == 0 &&
			    strcmp(told[j].path, list[i].path) == 0;
		absent += list[i].was_absent && !list[i].is_told;
	}
	return absent;
}

void
hold_begin(struct omega_sandbox_policy *policy, const char *agent)
{
	struct omega_sandbox_report *report = NULL;
	int pair[2];
	char byte;
	pid_t pid;

	if (omega_sandbox_describe(policy, &report, NULL) < 0)
		return;
	hold_look(report, agent);
	omega_sandbox_report_unref(report);
	if (count < 2 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return;
	ends = inotify_init1(IN_CLOEXEC);
	pid = fork();
	if (pid == 0) {
		/* Nobody's child, and in nobody's group. */
		channel = pair[1];
		setsid();
		if (fork() == 0)
			keep();
		_exit(0);
	}
	close(pair[1]);
	channel = pair[0];
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (read(channel, &byte, 1) != 1)
		tool_error("warning: %s: names that are absent there cannot be "
			   "held",
		    list[0].path);
}

void
hold_watch(struct omega_sandbox_prepared *prepared)
{
	struct stat own;
	struct stat host;
	char path[64];
	int master;
	int slave;

	if (prepared != NULL)
		watched = prepared;
	if (channel < 0 || watched == NULL ||
	    omega_sandbox_prepared_open_terminal(
		watched, &master, &slave, NULL) < 0)
		return;
	/* Where commands have no terminals of their own they are of a kind
	 * that ends with us. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", master);
	if (fstat(master, &own) == 0 && stat("/dev/ptmx", &host) == 0 &&
	    own.st_dev != host.st_dev)
		inotify_add_watch(ends, path, IN_DELETE_SELF);
	close(master);
	close(slave);
}

void
hold_end(void)
{
	struct pollfd set = {.fd = channel, .events = POLLIN};
	struct stat st;
	char path[2 * PATH_MAX];
	size_t i;

	if (channel >= 0) {
		shutdown(channel, SHUT_WR);
		poll(&set, 1, END_MS);
	}
	for (i = 1; i < count; i++) {
		snprintf(
		    path, sizeof(path), "%s/%s", list[0].path, list[i].path);
		if (list[i].was_absent && lstat(path, &st) == 0 &&
		    !is_marked(&st))
			tool_error("left behind: %s: programs outside obey "
				   "what is in it; look at it first",
			    path);
	}
}
