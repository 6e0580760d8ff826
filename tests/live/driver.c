/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * driver.c - see driver.h.
 */

#include "driver.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READ_BITS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)
#define CHANGE_BITS                                             \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE | \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME)

const char *
driver_build_dir(void)
{
	const char *dir = getenv("top_builddir");

	return dir != NULL ? dir : ".";
}

bool
driver_open(struct driver *driver, const char *name)
{
	char path[PATH_MAX];
	void *handle;

	memset(driver, 0, sizeof(*driver));
	snprintf(path, sizeof(path), "%s/tests/built/plugins/%s.so",
	    driver_build_dir(), name);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (handle == NULL) {
		printf("# %s\n", dlerror());
		return false;
	}
	driver->plugin = dlsym(handle, "omega_sandbox_plugin");
	driver_be_host(driver);
	return driver->plugin != NULL;
}

void
driver_set(struct driver *driver, const char *name, const char *value)
{
	driver->options[driver->option_count++] =
	    (struct driver_option){name, value};
}

static void
add_atom(
    struct driver *driver, uint32_t kind, uint32_t access, const char *path)
{
	struct omega_sandbox_atom *atom = &driver->atoms[driver->atom_count++];
	struct stat st;

	memset(atom, 0, sizeof(*atom));
	atom->size = sizeof(*atom);
	atom->kind = kind;
	atom->access = access;
	atom->fd = -1;
	if (kind < OMEGA_SANDBOX_ATOM_METADATA)
		atom->flags = OMEGA_SANDBOX_ATOM_REQUIRED;
	if (path == NULL)
		return;
	atom->path = strdup(path);
	if (lstat(path, &st) != 0) {
		atom->flags |= OMEGA_SANDBOX_ATOM_ABSENT;
		return;
	}
	if (S_ISDIR(st.st_mode))
		atom->flags |= OMEGA_SANDBOX_ATOM_DIRECTORY;
	atom->device = st.st_dev;
	atom->inode = st.st_ino;
	atom->fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* Where a path leads; a name that is absent stays as it is. */
static const char *
lead(const char *path, char *real)
{
	char dir[PATH_MAX];
	char *slash;

	if (realpath(path, real) != NULL)
		return real;
	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	*slash = '\0';
	if (realpath(dir, real) == NULL)
		return path;
	strcat(real, path + (slash - dir));
	return real;
}

void
driver_deny(struct driver *driver, const char *path)
{
	char real[PATH_MAX + NAME_MAX];
	struct stat st;

	driver->spelled[driver->spelled_count++] = strdup(path);
	path = lead(path, real);
	add_atom(driver, OMEGA_SANDBOX_ATOM_PATH, READ_BITS, path);
	add_atom(driver, OMEGA_SANDBOX_ATOM_PATH, CHANGE_BITS, path);
	if (lstat(path, &st) != 0)
		return;
	add_atom(driver, OMEGA_SANDBOX_ATOM_METADATA, OMEGA_SANDBOX_ATOM_CHANGE,
	    path);
	add_atom(
	    driver, OMEGA_SANDBOX_ATOM_ALIASES, OMEGA_SANDBOX_ATOM_ALL, path);
	add_atom(driver, OMEGA_SANDBOX_ATOM_REPLACED_FILES,
	    OMEGA_SANDBOX_ATOM_ALL, path);
}

void
driver_keep(struct driver *driver, const char *path)
{
	char real[PATH_MAX];
	size_t i;

	if (realpath(path, real) == NULL)
		return;
	for (i = 0; i < driver->atom_count; i++)
		if (driver->atoms[i].path != NULL &&
		    strcmp(driver->atoms[i].path, real) == 0)
			return;
	add_atom(driver, OMEGA_SANDBOX_ATOM_PATH, CHANGE_BITS, real);
	add_atom(driver, OMEGA_SANDBOX_ATOM_METADATA, OMEGA_SANDBOX_ATOM_CHANGE,
	    real);
}

void
driver_default_policy(struct driver *driver, const char *data_dir)
{
	static const char *const system[] = {"/bin", "/sbin", "/usr/bin",
	    "/usr/sbin", "/usr/lib", "/usr/libexec", "/etc", "/boot", "/proc",
	    "/sys", "/dev", "/lib", "/lib32", "/lib64", "/libx32", "/usr/lib32",
	    "/usr/lib64", NULL};
	char path[PATH_MAX + NAME_MAX];
	char real[PATH_MAX + NAME_MAX];
	uint32_t kind;
	size_t i;

	snprintf(driver->data_dir, sizeof(driver->data_dir), "%s",
	    lead(data_dir, real));
	snprintf(path, sizeof(path), "%s/data", data_dir);
	driver_deny(driver, path);
	snprintf(path, sizeof(path), "%s/config.toml", data_dir);
	driver_deny(driver, path);
	for (i = 0; system[i] != NULL; i++)
		driver_keep(driver, system[i]);
	for (kind = OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS;
	     kind <= OMEGA_SANDBOX_ATOM_TERMINAL; kind++)
		add_atom(driver, kind, OMEGA_SANDBOX_ATOM_ALL, NULL);
	add_atom(driver, OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS,
	    OMEGA_SANDBOX_ATOM_ALL, NULL);
	snprintf(driver->socket, sizeof(driver->socket), "%.*s/socket",
	    (int)(strrchr(data_dir, '/') - data_dir), data_dir);
}

void
driver_deny_network(struct driver *driver)
{
	size_t i;

	add_atom(
	    driver, OMEGA_SANDBOX_ATOM_NETWORK, OMEGA_SANDBOX_ATOM_ALL, NULL);
	add_atom(
	    driver, OMEGA_SANDBOX_ATOM_FAMILIES, OMEGA_SANDBOX_ATOM_ALL, NULL);
	driver->unix_sockets = OMEGA_SANDBOX_UNIX_OWN;
	for (i = 0; i < driver->atom_count; i++)
		if (driver->atoms[i].kind ==
		    OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS)
			driver->atoms[i].flags |= OMEGA_SANDBOX_ATOM_REQUIRED;
}

void
driver_limit_changes(struct driver *driver)
{
	add_atom(driver, OMEGA_SANDBOX_ATOM_ELSEWHERE, CHANGE_BITS, NULL);
	add_atom(driver, OMEGA_SANDBOX_ATOM_METADATA, OMEGA_SANDBOX_ATOM_CHANGE,
	    NULL);
}

void
driver_grant_changes(struct driver *driver, const char *path)
{
	struct omega_sandbox_grant *grant;
	char real[PATH_MAX];
	struct stat st;

	if (realpath(path, real) == NULL || stat(real, &st) != 0) {
		printf("# no grant: %s: %s\n", path, strerror(errno));
		return;
	}
	grant = &driver->grants[driver->grant_count];
	grant->size = sizeof(*grant);
	grant->access = CHANGE_BITS;
	grant->flags = S_ISDIR(st.st_mode) ? OMEGA_SANDBOX_ATOM_DIRECTORY : 0;
	grant->fd = open(real, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	grant->path = strdup(real);
	grant->device = st.st_dev;
	grant->inode = st.st_ino;
	driver->grant_list[driver->grant_count++] = grant;
}

static bool
is_set(const struct driver *driver, const char *name, const char *value)
{
	size_t i;

	for (i = 0; i < driver->option_count; i++)
		if (strcmp(driver->options[i].name, name) == 0 &&
		    strcmp(driver->options[i].value, value) == 0)
			return true;
	return false;
}

static struct omega_sandbox_request
request_of(struct driver *driver)
{
	static const char *const devices[] = {"/dev/null", "/dev/zero",
	    "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", NULL};
	uint32_t mode = OMEGA_SANDBOX_DATA_DIR_AUTO;
	uint32_t hide = OMEGA_SANDBOX_HIDE_OWN;
	size_t found = 0;
	size_t count = 0;
	size_t i;

	if (is_set(driver, "data_dir_mode", "mask"))
		mode = OMEGA_SANDBOX_DATA_DIR_MASK;
	if (is_set(driver, "data_dir_mode", "shield"))
		mode = OMEGA_SANDBOX_DATA_DIR_SHIELD;
	if (is_set(driver, "hide_sockets", "none"))
		hide = OMEGA_SANDBOX_HIDE_NONE;
	for (i = 0; i < driver->option_count; i++)
		if (strcmp(driver->options[i].name, "allow_sockets") == 0)
			driver->allow_sockets[count++] =
			    driver->options[i].value;
	driver->allow_sockets[count] = NULL;
	if (driver->socket[0] != '\0')
		driver->sockets[found++] = driver->socket;
	for (i = 0; i < driver->option_count; i++)
		if (strcmp(driver->options[i].name, "sockets") == 0)
			driver->sockets[found++] = driver->options[i].value;
	driver->sockets[found] = NULL;
	driver->spelled[driver->spelled_count] = NULL;
	return (struct omega_sandbox_request){
	    .size = sizeof(struct omega_sandbox_request),
	    .devices = devices,
	    .data_dir = driver->data_dir[0] != '\0' ? driver->data_dir : NULL,
	    .spelled = driver->spelled,
	    .data_dir_mode = mode,
	    .hide_sockets = hide,
	    .allow_sockets = driver->allow_sockets,
	    .grants = driver->grant_list,
	    .grant_count = driver->grant_count,
	    .unix_sockets = driver->unix_sockets,
	    .sockets = driver->sockets};
}

int
driver_describe(struct driver *driver)
{
	struct omega_sandbox_request request = request_of(driver);
	const struct omega_sandbox_atom *atoms[DRIVER_MAX * 2];
	struct omega_sandbox_state *states[DRIVER_MAX * 2];
	size_t i;

	memset(driver->states, 0, sizeof(driver->states));
	for (i = 0; i < driver->atom_count; i++) {
		atoms[i] = &driver->atoms[i];
		states[i] = &driver->states[i];
		states[i]->size = sizeof(*states[i]);
	}
	return driver->plugin->describe(
	    &driver->host, &request, atoms, driver->atom_count, states);
}

int
driver_prepare(struct driver *driver)
{
	struct omega_sandbox_request request = request_of(driver);
	const struct omega_sandbox_atom *atoms[DRIVER_MAX * 2];
	struct omega_sandbox_atom share[DRIVER_MAX * 2];
	size_t count = 0;
	size_t i;
	int ret;

	driver_forget(driver);
	driver->explanation[0] = '\0';
	ret = driver_describe(driver);
	for (i = 0; ret == 0 && i < driver->atom_count; i++) {
		uint32_t bits =
		    driver->states[i].held | driver->states[i].partial;

		share[count] = driver->atoms[i];
		share[count].access &= bits;
		atoms[count] = &share[count];
		if (share[count].access != 0)
			count++;
	}
	if (ret == 0)
		ret = driver->plugin->apply(
		    &driver->host, &request, atoms, count, &driver->launch);
	if (ret < 0)
		driver_forget(driver);
	return ret;
}

const struct omega_sandbox_state *
driver_state(const struct driver *driver, uint32_t kind, const char *path)
{
	size_t i;

	for (i = 0; i < driver->atom_count; i++)
		if (driver->atoms[i].kind == kind &&
		    (path == NULL ||
			(driver->atoms[i].path != NULL &&
			    strcmp(driver->atoms[i].path, path) == 0)))
			return &driver->states[i];
	return NULL;
}

int
driver_look(const struct driver *driver)
{
	return driver->check(driver->check_state);
}

pid_t
driver_start(struct driver *driver, char *const argv[])
{
	size_t i;
	pid_t pid;
	int ret = 0;

	fflush(stdout);
	pid = fork();
	if (pid != 0)
		return pid < 0 ? -errno : pid;
	for (i = 0; ret == 0 && i < driver->step_count; i++) {
		ret = driver->steps[i].step(driver->steps[i].state);
		if (ret < 0)
			dprintf(2, "# step %s: %s\n", driver->steps[i].name,
			    strerror(-ret));
	}
	if (ret < 0)
		_exit(200);
	if (chdir("/") != 0)
		_exit(201);
	syscall(SYS_close_range, 3, ~0u, 0);
	execv(argv[0], argv);
	_exit(202);
}

int
driver_run(struct driver *driver, char *const argv[])
{
	pid_t pid = driver_start(driver, argv);
	int status;

	if (pid < 0)
		return 1000 - (int)pid;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1000 + errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void
driver_forget(struct driver *driver)
{
	while (driver->step_count > 0)
		free(driver->steps[--driver->step_count].state);
	while (driver->kept_count > 0)
		close(driver->kept[--driver->kept_count]);
	free(driver->check_state);
	driver->check = NULL;
	driver->check_state = NULL;
	driver->flags = 0;
}

void
driver_close(struct driver *driver)
{
	driver_forget(driver);
	while (driver->atom_count > 0) {
		struct omega_sandbox_atom *atom =
		    &driver->atoms[--driver->atom_count];

		if (atom->fd >= 0)
			close(atom->fd);
		free((char *)(uintptr_t)atom->path);
	}
	while (driver->spelled_count > 0)
		free((
		    char *)(uintptr_t)driver->spelled[--driver->spelled_count]);
	while (driver->grant_count > 0) {
		struct omega_sandbox_grant *grant =
		    &driver->grants[--driver->grant_count];

		close(grant->fd);
		free((char *)(uintptr_t)grant->path);
	}
	driver->option_count = 0;
	driver->data_dir[0] = '\0';
}
