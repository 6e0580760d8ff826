/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * audit.c - see audit.h.
 */

#include "config.h"

#include "audit/audit.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/leased.h"
#include "launch/env.h"
#include "path/trust.h"

#ifdef LOG_AUTHPRIV
#define FACILITY LOG_AUTHPRIV
#else
#define FACILITY LOG_AUTH
#endif

/* Room that must be there before a command is started: its line, with the
 * longest arguments that are written (record.c), fits in. */
#define ROOM ((off_t)192 * 1024)

/* Others may have no part in the file, but a group may read it. */
#define FOREIGN_MODE (S_IWGRP | S_IXGRP | S_IRWXO)

/* What to do about a file that is somebody else's. */
#define OWN_FILE                                                              \
	"each user has to have a file of their own: begin its name with ~/, " \
	"or have {uid} in it, or let audit be syslog"

void
omega_audit_init(struct omega_audit *audit, const struct omega_conf *conf,
    const struct omega_log *log)
{
	audit->conf = conf;
	audit->log = log;
	pthread_mutex_init(&audit->lock, NULL);
	audit->fd = -1;
	audit->is_torn = false;
}

void
omega_audit_close(struct omega_audit *audit)
{
	if (audit->conf == NULL)
		return;
	if (audit->fd >= 0)
		close(audit->fd);
	audit->fd = -1;
	pthread_mutex_destroy(&audit->lock);
}

bool
omega_audit_is_on(const struct omega_audit *audit)
{
	return audit->conf != NULL &&
	       (omega_conf_audit_file(audit->conf)->text != NULL ||
		   omega_conf_is_audit_syslog(audit->conf));
}

__attribute__((format(printf, 4, 5))) static int
fail(const struct omega_audit *audit, struct omega_sandbox_error *error,
    int sys_errno, const char *format, ...)
{
	const struct omega_conf_text *at = omega_conf_audit_file(audit->conf);
	char why[600];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	omega_error_set(error, OMEGA_SANDBOX_E_REFUSED, sys_errno,
	    "the audit log %.200s (%.100s:%u) cannot be written: %s", at->text,
	    at->file, at->line, why);
	omega_error_file(error, at->file, at->line);
	return OMEGA_SANDBOX_E_REFUSED;
}

/*
 * Give ourselves back what was taken: a command can close its user's own files
 * and directories. Is it worth another try?
 */
static bool
give_back(struct omega_audit *audit, int dir, const char *name, mode_t mode)
{
	struct stat st;

	if (fstatat(dir, name, &st, 0) != 0 || st.st_uid != geteuid() ||
	    (st.st_mode & mode) == mode ||
	    fchmodat(dir, name, (st.st_mode & 07777) | mode, 0) != 0)
		return false;
	omega_log_say(audit->log, LOG_WARNING, 0,
	    "%s of the audit log was closed to its owner (mode %04o): opened "
	    "again",
	    name, (unsigned)st.st_mode & 07777);
	return true;
}

/* The way to the directory of the file was closed. */
static bool
open_way(struct omega_audit *audit, const char *dir)
{
	struct omega_sandbox_error said = OMEGA_SANDBOX_ERROR_INIT;
	bool is_open =
	    omega_trust_reopen(omega_conf_audit_file(audit->conf)->text, &said);

	if (is_open)
		omega_log_say(audit->log, LOG_WARNING, 0, "%s", said.text);
	return give_back(audit, AT_FDCWD, dir, S_IRWXU) || is_open;
}

/* The directory of the file, trusted; name is set to the rest. */
static int
open_dir(struct omega_audit *audit, const char **name,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_error why = OMEGA_SANDBOX_ERROR_INIT;
	const char *path = omega_conf_audit_file(audit->conf)->text;
	char dir[PATH_MAX];
	size_t len;
	int fd;

	*name = strrchr(path, '/') + 1;
	len = (size_t)(*name - path);
	if (len >= sizeof(dir) || (*name)[0] == '\0')
		return fail(audit, error, EINVAL, "this is not a file's name");
	memcpy(dir, path, len);
	dir[len > 1 ? len - 1 : len] = '\0';
	fd = omega_trust_open(dir, OMEGA_TRUST_DIRECTORY, NULL, &why);
	if (fd == -EACCES && open_way(audit, dir))
		fd = omega_trust_open(dir, OMEGA_TRUST_DIRECTORY, NULL, &why);
	if (fd == -ENOENT)
		return fail(audit, error, ENOENT,
		    "there is no directory %.200s; make it", dir);
	if (fd < 0)
		return fail(audit, error, -fd, "%.500s", why.text);
	return fd;
}

/* Is it a file that nobody but us can have made or can change? */
static int
check_file(struct omega_audit *audit, const struct stat *st,
    struct omega_sandbox_error *error)
{
	if (!S_ISREG(st->st_mode))
		return fail(audit, error, EINVAL, "it is not a regular file");
	if (st->st_uid != geteuid())
		return fail(audit, error, EPERM,
		    "it belongs to user %lu, not to %lu; " OWN_FILE,
		    (unsigned long)st->st_uid, (unsigned long)geteuid());
	if ((st->st_mode & FOREIGN_MODE) != 0)
		return fail(audit, error, EPERM,
		    "it is open to others (mode %04o); chmod 600 it",
		    (unsigned)st->st_mode & 07777);
	if (st->st_nlink != 1)
		return fail(audit, error, EMLINK, "it has other names");
	return 0;
}

/*
 * Does the file end within a line? Another process may be writing one just
 * now, so it must stay as it is for a while.
 */
static bool
ends_torn(int fd)
{
	const struct timespec moment = {0, 5000000};
	off_t size = -1;
	int looks;

	for (looks = 0; looks < 3; looks++) {
		struct stat st;
		char last = '\0';

		if (fstat(fd, &st) != 0 || st.st_size == 0)
			return false;
		if (pread(fd, &last, 1, st.st_size - 1) == 1 && last == '\n')
			return false;
		if (st.st_size != size)
			looks = 0;
		size = st.st_size;
		nanosleep(&moment, NULL);
	}
	return true;
}

/* It could not be opened or made. */
static int
fail_open(
    struct omega_audit *audit, int sys_errno, struct omega_sandbox_error *error)
{
	if (sys_errno == EACCES)
		return fail(audit, error, sys_errno,
		    "user %lu may not write or make it; " OWN_FILE,
		    (unsigned long)geteuid());
	return fail(audit, error, sys_errno, "%s",
	    sys_errno == ELOOP ? "it is a symbolic link"
			       : omega_leased_words(sys_errno));
}

static int
open_in(struct omega_audit *audit, int dir, const char *name)
{
	static const int flags =
	    O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NOCTTY;
	int fd = omega_leased_open(dir, name, flags, 0600);
	struct stat st;
	bool is_back;

	if (fd >= 0 || errno != EACCES)
		return fd;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		is_back = give_back(audit, dir, ".", S_IRWXU);
	else
		is_back = S_ISREG(st.st_mode) &&
			  give_back(audit, dir, name, S_IRUSR | S_IWUSR);
	errno = EACCES;
	return is_back ? omega_leased_open(dir, name, flags, 0600) : -1;
}

static int
open_file(struct omega_audit *audit, struct omega_sandbox_error *error)
{
	const char *name;
	struct stat st;
	int dir;
	int fd;
	int ret;

	dir = open_dir(audit, &name, error);
	if (dir < 0)
		return dir;
	fd = open_in(audit, dir, name);
	ret = errno;
	close(dir);
	if (fd < 0)
		return fail_open(audit, ret, error);
	if (fstat(fd, &st) != 0)
		ret = fail(audit, error, errno, "%s", strerror(errno));
	else
		ret = check_file(audit, &st, error);
	if (ret < 0) {
		close(fd);
		return ret;
	}
	audit->fd = fd;
	audit->dev = st.st_dev;
	audit->ino = st.st_ino;
	audit->is_torn = ends_torn(fd);
	return 0;
}

/* Open it, again when the name leads to another file by now. What is open stays
 * so when the way to it was closed: a command may have done that. */
static int
see_file(struct omega_audit *audit, struct omega_sandbox_error *error)
{
	struct stat st;
	bool is_same;

	if (audit->fd < 0)
		return open_file(audit, error);
	if (lstat(omega_conf_audit_file(audit->conf)->text, &st) != 0)
		is_same = errno == EACCES;
	else
		is_same = st.st_dev == audit->dev && st.st_ino == audit->ino;
	if (!is_same) {
		close(audit->fd);
		audit->fd = -1;
	}
	return audit->fd >= 0 ? 0 : open_file(audit, error);
}

/* Blocks behind the end of the file, so that a line written when a command has
 * ended finds room. 0 or an errno. */
static int
reserve(int fd)
{
	struct rlimit limit;
	struct statvfs fs;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return errno;
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY &&
	    (uintmax_t)st.st_size + ROOM > (uintmax_t)limit.rlim_cur)
		return EFBIG;
	if ((off_t)st.st_blocks * 512 >= st.st_size + ROOM)
		return 0;
#ifdef FALLOC_FL_KEEP_SIZE
	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, st.st_size, ROOM) == 0)
		return 0;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return errno;
#endif
	if (fstatvfs(fd, &fs) != 0)
		return errno;
	return (uintmax_t)fs.f_bavail * fs.f_frsize < (uintmax_t)ROOM ? ENOSPC
								      : 0;
}

/*
 * One write. A limit of the process on the size of files ends it with an
 * errno, as a full disk does, and not with a signal. 0 or an errno.
 */
static int
append(struct omega_audit *audit, const char *line)
{
	struct iovec parts[3] = {
	    {.iov_base = (void *)(uintptr_t) "\n", .iov_len = audit->is_torn},
	    {.iov_base = (void *)(uintptr_t)line, .iov_len = strlen(line)},
	    {.iov_base = (void *)(uintptr_t) "\n", .iov_len = 1}};
	size_t len = parts[0].iov_len + parts[1].iov_len + parts[2].iov_len;
	sigset_t signal;
	sigset_t pending;
	sigset_t before;
	ssize_t written;
	int taken;
	int ret = 0;

	sigemptyset(&signal);
	sigaddset(&signal, SIGXFSZ);
	sigemptyset(&pending);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &signal, &before);
	do {
		written = writev(audit->fd, parts, 3);
	} while (written < 0 && errno == EINTR);
	if (written < 0)
		ret = errno;
	else if ((size_t)written != len)
		ret = ENOSPC;
	if (ret == EFBIG && sigismember(&pending, SIGXFSZ) != 1) {
		sigpending(&pending);
		if (sigismember(&pending, SIGXFSZ) == 1)
			sigwait(&signal, &taken);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (written > 0)
		audit->is_torn = (size_t)written != len;
	return ret;
}

/* What a failure comes to, told outside of the lock: to who has an error for
 * it, else once in the log until a line can be written again. */
static int
settle(struct omega_audit *audit, int ret,
    const struct omega_sandbox_error *why, struct omega_sandbox_error *error)
{
	bool is_warning =
	    omega_conf_is(audit->conf, OMEGA_OPTION_AUDIT_FAILURE);
	bool was_told = atomic_exchange(&audit->is_told, ret < 0);

	if (ret < 0 && !was_told && (is_warning || error == NULL))
		omega_log_say(audit->log, is_warning ? LOG_WARNING : LOG_ERR,
		    OMEGA_SANDBOX_E_REFUSED, "%s", why->text);
	if (ret == 0 || is_warning)
		return 0;
	omega_error_copy(error, why);
	return ret;
}

int
omega_audit_ready(struct omega_audit *audit, struct omega_sandbox_error *error)
{
	struct omega_sandbox_error why = OMEGA_SANDBOX_ERROR_INIT;
	int full;
	int ret;

	if (!omega_audit_is_on(audit) ||
	    omega_conf_audit_file(audit->conf)->text == NULL)
		return 0;
	pthread_mutex_lock(&audit->lock);
	ret = see_file(audit, &why);
	if (ret == 0) {
		full = reserve(audit->fd);
		if (full != 0)
			ret = fail(audit, &why, full, "%s", strerror(full));
	}
	pthread_mutex_unlock(&audit->lock);
	return settle(audit, ret, &why, error);
}

int
omega_audit_check(struct omega_audit *audit, struct omega_sandbox_error *error)
{
	const struct omega_conf_text *at = omega_conf_audit_file(audit->conf);
	const char *name;
	struct stat st;
	int dir;
	int ret = 0;

	if (!omega_audit_is_on(audit) || at->text == NULL)
		return 0;
	dir = open_dir(audit, &name, error);
	if (dir < 0)
		return dir;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		ret = check_file(audit, &st, error);
	else if (errno != ENOENT || faccessat(dir, ".", W_OK, AT_EACCESS) != 0)
		ret = fail_open(audit, errno, error);
	close(dir);
	/* What is root's is for everybody, and a file has one owner. */
	if (ret < 0 || !omega_conf_is(audit->conf, OMEGA_OPTION_AUDIT) ||
	    stat(at->file, &st) != 0 || st.st_uid != 0)
		return ret;
	omega_error_set(error, OMEGA_SANDBOX_E_CONFIG, 0,
	    "%.200s:%u: the audit log %.200s is one file, and commands of "
	    "every user but %lu are %s; " OWN_FILE,
	    at->file, at->line, at->text, (unsigned long)geteuid(),
	    omega_conf_is(audit->conf, OMEGA_OPTION_AUDIT_FAILURE)
		? "not written down"
		: "refused");
	omega_error_file(error, at->file, at->line);
	return OMEGA_SANDBOX_E_CONFIG;
}

int
omega_audit_write(struct omega_audit *audit, const char *line,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_error why = OMEGA_SANDBOX_ERROR_INIT;
	int ret = 0;
	int full;

	if (omega_conf_is_audit_syslog(audit->conf))
		syslog(FACILITY | LOG_INFO, "omega-sandbox audit: %s", line);
	if (omega_conf_audit_file(audit->conf)->text == NULL)
		return 0;
	pthread_mutex_lock(&audit->lock);
	ret = see_file(audit, &why);
	if (ret == 0) {
		full = append(audit, line);
		if (full != 0)
			ret = fail(audit, &why, full, "%s", strerror(full));
	}
	pthread_mutex_unlock(&audit->lock);
	return settle(audit, ret, &why, error);
}

/* sandbox.conf(5) has the same list; keep them in step. */
static const char *const built_in[] = {"-*password*=*", "-*password* *",
    "-*passwd*=*", "-*passwd* *", "-*passphrase*=*", "-*passphrase* *",
    "-*token*=*", "-*token* *", "-*secret*=*", "-*secret* *", "-*api-key*=*",
    "-*api-key* *", "-*api_key*=*", "-*api_key* *", "-*apikey*=*",
    "-*apikey* *", "*_key=*", "*_token=*", "*secret*=*", "*password*=*",
    "authorization:*", "bearer *", "x-api-key:*", "sk-*", "ghp_*", "gho_*",
    "ghs_*", "github_pat_*", "glpat-*", "xoxb-*", "xoxp-*", "akia*", NULL};

/* A first word, a blank and a star. */
static bool
is_pair(const char *pattern, size_t len)
{
	return len > 2 && strcmp(pattern + len - 2, " *") == 0;
}

/* The shortest beginning of the argument that the pattern without its last
 * star fits; all of it when it does not. */
static size_t
keep_beginning(const char *pattern, size_t len, const char *argument)
{
	size_t all = strlen(argument);
	char last = len > 1 ? pattern[len - 2] : '*';
	size_t i;

	if (!omega_env_fits(pattern, len, argument, all, true))
		return all;
	for (i = 0; i < all; i++) {
		/* Only where its last letter can be. */
		if (i > 0 && last != '*' && last != '?' &&
		    (argument[i - 1] | 0x20) != (last | 0x20))
			continue;
		if (omega_env_fits(pattern, len - 1, argument, i, true))
			return i;
	}
	return all;
}

static size_t
keep_by(const char *pattern, const char *before, const char *argument)
{
	size_t len = strlen(pattern);
	size_t all = strlen(argument);

	if (is_pair(pattern, len) && before != NULL &&
	    omega_env_fits(pattern, len - 2, before, strlen(before), true))
		return 0;
	if (pattern[len - 1] == '*')
		return keep_beginning(pattern, len, argument);
	return omega_env_fits(pattern, len, argument, all, true) ? 0 : all;
}

size_t
omega_audit_shown(const struct omega_conf_list *patterns, const char *before,
    const char *argument)
{
	size_t keep = strlen(argument);
	size_t found;
	size_t i;

	for (i = 0; built_in[i] != NULL; i++) {
		found = keep_by(built_in[i], before, argument);
		keep = found < keep ? found : keep;
	}
	for (i = 0; i < patterns->count; i++) {
		found = keep_by(patterns->items[i].text, before, argument);
		keep = found < keep ? found : keep;
	}
	return keep;
}
