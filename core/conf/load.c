/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * load.c - sandbox.conf and sandbox.d: found, believed, read. See conf.h.
 *
 * Everything is opened by omega_trust_open(), which looks at owners and modes
 * on the way; what is parsed is what that descriptor has.
 */

#include "config.h"

#include "conf/conf.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/home.h"
#include "base/list.h"
#include "base/rights.h"
#include "conf/faults.h"
#include "conf/named.h"
#include "conf/scan.h"
#include "path/trust.h"

const struct omega_conf_paths omega_conf_installed = {
    .file = OMEGA_SYSCONFDIR "/omega/sandbox.conf",
    .dropin = OMEGA_SYSCONFDIR "/omega/sandbox.d",
    .is_explicit = false,
    .shipped = OMEGA_DATADIR "/omega/sandbox",
    .user = ".config/omega/sandbox.conf",
};

int
omega_conf_system_error(
    struct omega_sandbox_error *error, const char *path, int sys_errno)
{
	if (sys_errno == ENOMEM)
		return omega_error_memory(error);
	omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, sys_errno, "%s: %s",
	    path, strerror(sys_errno));
	omega_error_file(error, path, 0);
	return OMEGA_SANDBOX_E_SYSTEM;
}

int
omega_conf_read_all(int fd, char **content, size_t *len)
{
	const size_t size = OMEGA_SCAN_MAX_BYTES + 1;
	char *buffer;
	size_t used = 0;
	ssize_t got = 1;
	int ret;

	buffer = malloc(size);
	if (buffer == NULL)
		return -ENOMEM;
	while (got != 0 && used < size) {
		got = read(fd, buffer + used, size - used);
		if (got < 0 && errno != EINTR) {
			ret = -errno;
			free(buffer);
			return ret;
		}
		if (got > 0)
			used += (size_t)got;
	}
	*content = buffer;
	*len = used;
	return 0;
}

static int
note_changeable(struct omega_conf *conf, const char *path,
    struct omega_sandbox_error *error)
{
	size_t i;

	for (i = 0; i < conf->changeable.count; i++)
		if (strcmp(conf->changeable.items[i].text, path) == 0)
			return 0;
	if (omega_list_add(&conf->changeable, path, NULL, 0) < 0)
		return omega_error_memory(error);
	return 0;
}

/*
 * Of what is not there the directory it would be in, which is ours as well: a
 * directory can be kept as it is, an absent name not by every backend. Where
 * that is not there either, the name.
 */
static int
note_absent(struct omega_conf *conf, const char *path,
    struct omega_sandbox_error *error)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	struct stat st;

	if (slash == NULL || slash == path ||
	    (size_t)(slash - path) >= sizeof(dir))
		return note_changeable(conf, path, error);
	memcpy(dir, path, (size_t)(slash - path));
	dir[slash - path] = '\0';
	if (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode))
		return note_changeable(conf, path, error);
	return note_changeable(conf, dir, error);
}

/* Could nobody with our rights put something at path, which is not there? */
static bool
is_kept_absent(const char *path)
{
	char parent[PATH_MAX];
	bool is_roots = false;
	int fd = -ENOENT;

	if (strlen(path) >= sizeof(parent))
		return false;
	strcpy(parent, path);
	while (fd == -ENOENT) {
		struct omega_sandbox_error ignored = OMEGA_SANDBOX_ERROR_INIT;
		char *slash = strrchr(parent, '/');

		if (slash == NULL || parent[1] == '\0')
			return false;
		slash[slash == parent ? 1 : 0] = '\0';
		fd = omega_trust_open(
		    parent, OMEGA_TRUST_DIRECTORY, &is_roots, &ignored);
	}
	if (fd < 0)
		return false;
	close(fd);
	return is_roots && !omega_rights_override();
}

/* What was opened: a file, or a directory that its entries are opened from. */
struct opened {
	int fd; /* -1: it is missing */
	bool is_roots;
};

/*
 * Open what may be missing. in (or NULL) is the directory it is in. Notes what
 * could be changed. Returns 0 or a code.
 */
static int
open_place(struct omega_conf *conf, const struct opened *in, const char *path,
    enum omega_trust_type type, struct opened *place,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_error fault = OMEGA_SANDBOX_ERROR_INIT;
	bool is_roots = in != NULL && in->is_roots;
	int ret;

	place->fd = -1;
	ret = in == NULL
		  ? omega_trust_open(path, type, &is_roots, &fault)
		  : omega_trust_open_in(in->fd, path, type, &is_roots, &fault);
	if (ret == -ENOENT)
		return is_kept_absent(path) ? 0
					    : note_absent(conf, path, error);
	if (ret < 0 && fault.code == OMEGA_SANDBOX_OK)
		return omega_conf_system_error(error, path, -ret);
	if (ret < 0) {
		omega_error_file(&fault, path, 0);
		omega_error_copy(error, &fault);
		return fault.code;
	}
	*place = (struct opened){ret, is_roots};
	if (is_roots && !omega_rights_override())
		return 0;
	return note_changeable(conf, path, error);
}

/* One file; a missing one is fine unless it is required. */
static int
load_file(struct omega_conf *conf, const struct opened *in, const char *path,
    enum omega_trust_type type, bool is_required,
    struct omega_sandbox_error *error)
{
	struct opened place = {-1, false};
	char *content = NULL;
	size_t len = 0;
	int ret;

	if (omega_faults_begin(conf->faults, path) < 0)
		return omega_error_memory(error);
	ret = open_place(conf, in, path, type, &place, error);
	if (ret < 0)
		goto out;
	if (place.fd < 0 && is_required) {
		ret = omega_error_conf(error, path, 0, "there is no such file");
		goto out;
	}
	if (place.fd < 0)
		goto out;
	ret = omega_conf_read_all(place.fd, &content, &len);
	if (ret < 0) {
		ret = omega_conf_system_error(error, path, -ret);
		goto out;
	}
	ret = omega_conf_parse(conf, path, content, len, error);
out:
	free(content);
	if (place.fd >= 0)
		close(place.fd);
	return omega_faults_keep(conf->faults, ret, error);
}

static bool
is_dropin(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > 5 &&
	       strcmp(name + len - 5, ".conf") == 0;
}

/* The full names of all drop-ins. 0 or negative errno. */
static int
list_dropins(DIR *dir, const char *path, struct omega_conf_list *found)
{
	char full[PATH_MAX];
	struct dirent *entry;

	for (;;) {
		errno = 0;
		entry = readdir(dir);
		if (entry == NULL)
			return -errno;
		if (!is_dropin(entry->d_name))
			continue;
		if ((size_t)snprintf(full, sizeof(full), "%s/%s", path,
			entry->d_name) >= sizeof(full))
			return -ENAMETOOLONG;
		if (omega_list_add(found, full, NULL, 0) < 0)
			return -ENOMEM;
	}
}

static int
load_dropins(struct omega_conf *conf, const char *path,
    struct omega_sandbox_error *error)
{
	struct omega_conf_list found = {NULL, 0};
	struct opened place = {-1, false};
	DIR *dir = NULL;
	size_t i;
	int ret;

	ret =
	    open_place(conf, NULL, path, OMEGA_TRUST_DIRECTORY, &place, error);
	if (ret < 0 || place.fd < 0)
		goto out;
	dir = fdopendir(place.fd);
	if (dir == NULL) {
		ret = omega_conf_system_error(error, path, errno);
		goto out;
	}
	ret = list_dropins(dir, path, &found);
	if (ret < 0) {
		ret = omega_conf_system_error(error, path, -ret);
		goto out;
	}
	omega_list_sort(&found);
	for (i = 0; i < found.count && ret == 0; i++)
		ret = load_file(conf, &place, found.items[i].text,
		    OMEGA_TRUST_FILE, true, error);
out:
	omega_list_clear(&found);
	if (dir != NULL)
		closedir(dir);
	else if (place.fd >= 0)
		close(place.fd);
	return omega_faults_keep(conf->faults, ret, error);
}

/* The explicit file may be named from the working directory. */
static int
load_explicit(struct omega_conf *conf, const char *path,
    struct omega_sandbox_error *error)
{
	char full[2 * PATH_MAX];
	char dir[PATH_MAX];

	if (path[0] == '\0')
		return omega_error_set(error, OMEGA_SANDBOX_E_CONFIG, 0,
		    "the name of the configuration file is empty");
	if (path[0] == '/')
		return load_file(
		    conf, NULL, path, OMEGA_TRUST_FILE, true, error);
	if (getcwd(dir, sizeof(dir)) == NULL)
		return omega_conf_system_error(error, path, errno);
	/* Outside our root the kernel says "(unreachable)/...". */
	if (dir[0] != '/')
		return omega_conf_system_error(error, path, ENOENT);
	if ((size_t)snprintf(full, sizeof(full), "%s/%s", dir, path) >=
	    sizeof(full))
		return omega_conf_system_error(error, path, ENAMETOOLONG);
	return load_file(conf, NULL, full, OMEGA_TRUST_FILE, true, error);
}

/* ---- The user's own ------------------------------------------------------
 */

/*
 * Can nothing be there, or only what a stranger has put there? Many homes can
 * be written by a group, and a command can open any of them to everybody: what
 * others do there is no reason to refuse.
 */
static bool
is_nobodys(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
	return st.st_uid != 0 && st.st_uid != geteuid();
}

static int
warn(struct omega_conf *conf, const char *text)
{
	return omega_list_add(&conf->warnings, text, NULL, 0);
}

/*
 * There is no file. Its directory is kept, and made before the first command:
 * one who could write there would write what the next is refused for.
 */
static int
note_users(struct omega_conf *conf, const char *path, const char *dir,
    struct omega_sandbox_error *error)
{
	struct stat st;

	if (is_kept_absent(path))
		return 0;
	if (lstat(path, &st) == 0) {
		char text[PATH_MAX + 80];

		snprintf(text, sizeof(text),
		    "%s belongs to uid %lu, not to you: it is not read", path,
		    (unsigned long)st.st_uid);
		if (warn(conf, text) < 0)
			return omega_error_memory(error);
	}
	if (stat(dir, &st) != 0) {
		conf->users_dir = strdup(dir);
		if (conf->users_dir == NULL)
			return omega_error_memory(error);
	}
	return note_changeable(conf, dir, error);
}

/* The file of the user whose rights a command would have. */
static int
load_users(struct omega_conf *conf, const char *name,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_error said = OMEGA_SANDBOX_ERROR_INIT;
	char path[PATH_MAX];
	char dir[PATH_MAX];
	struct stat st;
	char *home = NULL;
	int ret;

	ret = omega_home(&home);
	if (ret == -ENOENT)
		return 0; /* nobody who could have one */
	if (ret < 0)
		return omega_conf_system_error(error, name, -ret);
	ret = snprintf(path, sizeof(path), "%s/%s", home, name);
	free(home);
	if (ret >= (int)sizeof(path))
		return omega_conf_system_error(error, name, ENAMETOOLONG);
	snprintf(
	    dir, sizeof(dir), "%.*s", (int)(strrchr(path, '/') - path), path);
	if (lstat(path, &st) != 0 && errno == EACCES &&
	    omega_trust_reopen(path, &said) && warn(conf, said.text) < 0)
		return omega_error_memory(error);
	if (is_nobodys(path))
		return note_users(conf, path, dir, error);
	ret = note_changeable(conf, dir, error);
	return ret < 0 ? ret
		       : load_file(conf, NULL, path, OMEGA_TRUST_TIGHTENING,
			     true, error);
}

void
omega_conf_make_users_dir(const struct omega_conf *conf)
{
	char parent[PATH_MAX];

	if (conf->users_dir == NULL)
		return;
	snprintf(parent, sizeof(parent), "%.*s",
	    (int)(strrchr(conf->users_dir, '/') - conf->users_dir),
	    conf->users_dir);
	/* What cannot be made is told with what is absent. */
	(void)mkdir(parent, 0700);
	(void)mkdir(conf->users_dir, 0700);
}

static int
load_all(struct omega_conf *conf, const struct omega_conf_paths *paths,
    struct omega_sandbox_error *error)
{
	int ret = 0;

	conf->rank = OMEGA_CONF_SHIPPED;
	if (paths->shipped != NULL)
		ret = load_dropins(conf, paths->shipped, error);
	conf->rank = OMEGA_CONF_ADMIN;
	if (ret < 0)
		return ret;
	if (paths->is_explicit)
		return load_explicit(conf, paths->file, error);
	ret =
	    load_file(conf, NULL, paths->file, OMEGA_TRUST_FILE, false, error);
	if (ret == 0 && paths->dropin != NULL)
		ret = load_dropins(conf, paths->dropin, error);
	conf->rank = OMEGA_CONF_USER;
	if (ret == 0 && paths->user != NULL)
		ret = load_users(conf, paths->user, error);
	return ret;
}

int
omega_conf_load(const struct omega_conf_paths *paths, struct omega_conf **conf,
    struct omega_sandbox_error *error)
{
	struct omega_conf *made;
	int ret;

	made = omega_conf_new();
	if (made == NULL)
		return omega_error_memory(error);
	made->faults = paths->faults;
	made->believes_shipped = true;
	ret = load_all(made, paths, error);
	if (ret == 0)
		ret = omega_named_check(made, error);
	if (ret < 0)
		omega_conf_free(made);
	else
		*conf = made;
	return ret;
}
