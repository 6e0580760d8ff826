/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * plan.c - see setup.h.
 *
 * A place that must not be read has nothing mounted over it, one that must not
 * be changed is mounted onto itself read-only. The way to it is pinned wherever
 * a command could rename a part of it: a mount moves with its directory, so
 * the next command would look for the place in vain and protect nothing.
 *
 * bwrap takes names, looks for them when it starts, and mounts in the order it
 * is told: the outer before the inner.
 */

#include "setup.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEV "/dev"
#define PROC "/proc"

/* bwrap takes no more words than this. */
#define MAX_WORDS 8900

/* ---- The list -------------------------------------------------------------
 */

static int
add_op(struct plan *plan, enum plan_type type, const char *path, int is_dir)
{
	struct plan_op *op;

	if (plan->count == plan->room) {
		size_t room = plan->room * 2 + 64;

		op = realloc(plan->list, room * sizeof(*op));
		if (op == NULL)
			return -ENOMEM;
		plan->list = op;
		plan->room = room;
	}
	op = &plan->list[plan->count];
	*op = (struct plan_op){
	    .type = type, .is_dir = is_dir, .may_go = plan->may_go};
	op->path = strdup(path);
	if (op->path == NULL)
		return -ENOMEM;
	plan->count++;
	return 0;
}

int
plan_add(struct plan *plan, enum plan_type type, const char *path)
{
	struct stat st;

	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (lstat(path, &st) != 0)
		return setup_is_missing(errno) || errno == EACCES ? 0 : -errno;
	if (S_ISLNK(st.st_mode) || (path[1] == '\0' && type != PLAN_KEEP))
		return 0;
	if (!plan->may_go)
		plan_watch(plan, path, 0);
	return add_op(plan, type, path, S_ISDIR(st.st_mode));
}

int
plan_add_with_way(const struct setup *setup, struct plan *plan,
    enum plan_type type, const char *path)
{
	char at[PATH_MAX];
	char parent[PATH_MAX];
	int ret;

	ret = type == PLAN_PIN && path[1] == '\0' ? 0
						  : plan_add(plan, type, path);
	if (ret < 0)
		return ret;
	for (strcpy(at, path); ret == 0 && at[1] != '\0'; strcpy(at, parent)) {
		setup_parent(at, parent);
		if (parent[1] != '\0' && setup_can_rename(setup, parent))
			ret = plan_add(plan, PLAN_PIN, parent);
	}
	return ret;
}

void
plan_drop(struct plan *plan)
{
	while (plan->count > 0)
		free(plan->list[--plan->count].path);
	free(plan->list);
	args_drop(&plan->watched);
	memset(plan, 0, sizeof(*plan));
}

/* By names: what is above comes before. "/" is less than any other sign. */
static int
compare(const void *left, const void *right)
{
	const struct plan_op *a = left;
	const struct plan_op *b = right;
	const char *p = a->path;
	const char *q = b->path;

	while (*p == *q && *p != '\0') {
		p++;
		q++;
	}
	if (*p == *q)
		return (int)b->type - (int)a->type;
	if (*p == '\0' || *q == '\0')
		return *p == '\0' ? -1 : 1;
	if (*p == '/' || *q == '/')
		return *p == '/' ? -1 : 1;
	return (unsigned char)*p - (unsigned char)*q;
}

/* One for each place: the strongest. */
static void
settle(struct plan *plan)
{
	size_t used = 0;
	size_t i;

	qsort(plan->list, plan->count, sizeof(*plan->list), compare);
	for (i = 0; i < plan->count; i++)
		if (used > 0 && strcmp(plan->list[used - 1].path,
				    plan->list[i].path) == 0) {
			plan->list[used - 1].may_go &= plan->list[i].may_go;
			free(plan->list[i].path);
		} else {
			plan->list[used++] = plan->list[i];
		}
	plan->count = used;
}

/* ---- What is watched ------------------------------------------------------
 */

/* What is at a path, in a few letters; with is_close its names, too. */
static void
sign(const char *path, int is_close, char *text, size_t size)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		snprintf(text, size, "%c-%d", is_close ? '!' : '.', errno);
	else if (!is_close)
		snprintf(text, size, ".%o", st.st_mode & S_IFMT);
	else
		snprintf(text, size, "!%llx.%llx.%llx.%lx",
		    (unsigned long long)st.st_dev,
		    (unsigned long long)st.st_ino,
		    (unsigned long long)st.st_ctim.tv_sec,
		    (unsigned long)st.st_ctim.tv_nsec);
}

void
plan_watch(struct plan *plan, const char *path, int is_close)
{
	char text[80];

	sign(path, is_close, text, sizeof(text));
	args_add(&plan->watched, path, text, NULL);
}

/* Where the name leads, or why nowhere, into real[PATH_MAX]. */
static void
follow(const char *name, char *real)
{
	if (realpath(name, real) == NULL)
		snprintf(real, PATH_MAX, "-%d", errno);
}

/* A name that leads there by links. */
static void
watch_name(struct plan *plan, const char *name)
{
	char real[PATH_MAX];

	follow(name, real);
	args_add(&plan->watched, name, real, NULL);
}

int
plan_check(const void *watched)
{
	const char *path = watched;

	while (*path != '\0') {
		const char *was = path + strlen(path) + 1;
		char now[PATH_MAX];

		if (was[0] == '.' || was[0] == '!')
			sign(path, was[0] == '!', now, sizeof(now));
		else
			follow(path, now);
		if (strcmp(now, was) != 0)
			return 1;
		path = was + strlen(was) + 1;
	}
	return 0;
}

/* ---- What is to be done ---------------------------------------------------
 */

static int
add_atom(const struct setup *setup, struct plan *plan,
    const struct omega_sandbox_atom *atom)
{
	enum plan_type type = PLAN_KEEP;
	struct stat st;

	if (atom->path == NULL ||
	    (atom->kind != OMEGA_SANDBOX_ATOM_PATH &&
		atom->kind != OMEGA_SANDBOX_ATOM_METADATA &&
		atom->kind != OMEGA_SANDBOX_ATOM_ABSENT_PATHS))
		return 0;
	if (strcmp(atom->path, DEV) == 0 || strcmp(atom->path, PROC) == 0)
		return 0; /* new ones are there anyway */
	if (lstat(atom->path, &st) != 0) {
		if (!setup_is_missing(errno) || atom->inode != 0)
			return -ESTALE;
		plan_watch(plan, atom->path, 0);
		return plan_add_with_way(setup, plan, PLAN_PIN, atom->path);
	}
	if (atom->inode == 0 || atom->device != st.st_dev ||
	    atom->inode != st.st_ino)
		return -ESTALE;
	if (atom->kind == OMEGA_SANDBOX_ATOM_PATH &&
	    (atom->access & SETUP_SEEN) != 0)
		type = PLAN_DENY;
	return plan_add_with_way(setup, plan, type, atom->path);
}

static int
add_grants(const struct setup *setup, struct plan *plan)
{
	const struct omega_sandbox_request *request = &setup->request;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && setup->is_limited && i < request->grant_count;
	     i++) {
		const struct omega_sandbox_grant *grant = request->grants[i];
		struct stat st;

		if ((grant->access & SETUP_CHANGES) == 0 || grant->path == NULL)
			continue;
		if (lstat(grant->path, &st) != 0 ||
		    st.st_dev != grant->device || st.st_ino != grant->inode)
			return -ESTALE;
		ret = plan_add(plan, PLAN_OPEN, grant->path);
	}
	return ret;
}

/*
 * Links in "/" (bin, lib) lead to what is protected, and bwrap cannot mount on
 * a link. So for root, whose "/" is, that is read-only, and what is in it is
 * not.
 */
static int
add_root(const struct setup *setup, struct plan *plan)
{
	struct dirent *entry;
	DIR *stream;
	int ret;

	if (setup->uid != 0 || setup->is_limited)
		return 0;
	ret = plan_add(plan, PLAN_KEEP, "/");
	stream = opendir("/");
	if (stream == NULL)
		return -errno;
	while (ret == 0 && (entry = readdir(stream)) != NULL) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "/%s", entry->d_name);
		if (strcmp(path, "/.") != 0 && strcmp(path, "/..") != 0)
			ret = plan_add(plan, PLAN_PIN, path);
	}
	closedir(stream);
	plan_watch(plan, "/", 1);
	return ret;
}

/* What shows processes outside, or is the kernel's own to set, elsewhere. */
static int
add_mount(const struct setup *setup, struct plan *plan, const char *point,
    const char *type)
{
	static const char *const kernels[] = {"sysfs", "cgroup", "cgroup2",
	    "debugfs", "tracefs", "securityfs", "bpf", "configfs", "efivarfs",
	    "pstore", "binfmt_misc", "selinuxfs", "devpts", "fusectl",
	    "devtmpfs", NULL};
	int is_seen = strcmp(type, "proc") != 0 && strcmp(type, "mqueue") != 0;
	struct stat st;
	size_t i = 0;

	if (setup_is_below(point, PROC) || setup_is_below(point, DEV) ||
	    point[1] == '\0')
		return 0;
	while (kernels[i] != NULL && strcmp(type, kernels[i]) != 0)
		i++;
	if (is_seen && kernels[i] == NULL)
		return 0;
	if (lstat(point, &st) != 0 && errno == EACCES)
		return sockets_hide_behind(setup, plan, point);
	return plan_add(plan, is_seen ? PLAN_KEEP : PLAN_DENY, point);
}

/* Octal numbers behind "\", as the kernel writes blanks. */
static void
unescape(char *text)
{
	char *to = text;

	for (; *text != '\0'; to++)
		if (text[0] == '\\' && text[1] != '\0' && text[2] != '\0' &&
		    text[3] != '\0') {
			*to = (char)((text[1] - '0') << 6 |
				     (text[2] - '0') << 3 | (text[3] - '0'));
			text += 4;
		} else {
			*to = *text++;
		}
	*to = '\0';
}

static int
add_mounts(const struct setup *setup, struct plan *plan)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	if (file == NULL)
		return -errno;
	while (ret == 0 && getline(&line, &room, file) > 0) {
		char *point = line;
		char *type = strstr(line, " - ");
		int i;

		for (i = 0; point != NULL && i < 4; i++)
			point = strchr(point + 1, ' ');
		if (point == NULL || type == NULL)
			continue;
		point++;
		type += 3;
		point[strcspn(point, " ")] = '\0';
		type[strcspn(type, " ")] = '\0';
		unescape(point);
		ret = add_mount(setup, plan, point, type);
	}
	free(line);
	fclose(file);
	return ret;
}

int
plan_make(const struct setup *setup, struct plan *plan)
{
	static const char *const secrets[] = {
	    "/proc/kcore", "/proc/kmsg", "/proc/keys", NULL};
	const char *const *path;
	size_t i;
	int ret;

	ret = add_op(plan, PLAN_DEV, DEV, 1);
	if (ret == 0)
		ret = add_op(plan, PLAN_PROC, PROC, 1);
	for (i = 0; ret == 0 && i < setup->count; i++)
		ret = add_atom(setup, plan, setup->atoms[i]);
	if (ret == 0)
		ret = add_grants(setup, plan);
	if (ret == 0)
		ret = add_root(setup, plan);
	if (ret == 0 && setup->is_shielded) {
		ret = plan_add_with_way(
		    setup, plan, PLAN_SHIELD, setup->request.data_dir);
		plan_watch(plan, setup->request.data_dir, 1);
	}
	if (ret == 0)
		ret = add_mounts(setup, plan);
	plan->may_go = 1;
	if (ret == 0)
		ret = sockets_add(setup, plan);
	plan->may_go = 0;
	for (path = secrets; ret == 0 && setup->uid == 0 && *path != NULL;
	     path++)
		ret = plan_add(plan, PLAN_DENY, *path);
	/* What starts the next command. */
	if (ret == 0 && setup->uid == 0)
		ret = plan_add_with_way(
		    setup, plan, PLAN_KEEP, setup->program.path);
	plan_watch(plan, setup->program.path, 1);
	path = setup->request.spelled;
	for (; path != NULL && *path != NULL; path++)
		watch_name(plan, *path);
	settle(plan);
	return ret == 0 ? plan->watched.error : ret;
}

/* ---- Words for it ---------------------------------------------------------
 */

void
plan_compile_base(int with_network, struct args *args)
{
	args_add(args, "--unshare-pid", "--unshare-ipc", "--unshare-uts",
	    "--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL",
	    NULL);
	if (with_network)
		args_add(args, "--unshare-net", NULL);
}

struct compiler {
	const struct setup *setup;
	struct args *args;
	int is_closed; /* the mounts made last here are read-only */
};

static void
bind_to(struct args *args, int is_closed, const char *path)
{
	args_add(args, is_closed ? "--ro-bind" : "--bind", path, path, NULL);
}

/* An entry of a directory as it is, in another that is empty yet. */
static void
show(struct args *args, const char *how, const char *path)
{
	char target[PATH_MAX];
	struct stat st;
	ssize_t len;

	if (lstat(path, &st) != 0)
		return;
	if (!S_ISLNK(st.st_mode)) {
		args_add(args, how, path, path, NULL);
		return;
	}
	len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0)
		return;
	target[len] = '\0';
	args_add(args, "--symlink", target, path, NULL);
}

/* Is it one that --dev makes? */
static int
is_made(const char *path)
{
	static const char *const made[] = {"null", "zero", "full", "random",
	    "urandom", "tty", "stdin", "stdout", "stderr", "fd", "core", "pts",
	    "ptmx", "shm", "console", NULL};
	size_t i;

	for (i = 0; made[i] != NULL; i++)
		if (strcmp(path + sizeof(DEV), made[i]) == 0)
			return 1;
	return 0;
}

/* Links, and files of others; no device, and no socket. */
static void
show_others(struct args *args)
{
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *stream;

	stream = opendir(DEV);
	if (stream == NULL)
		return;
	while ((entry = readdir(stream)) != NULL) {
		snprintf(path, sizeof(path), DEV "/%s", entry->d_name);
		if ((entry->d_type == DT_LNK || entry->d_type == DT_SOCK ||
			entry->d_type == DT_REG) &&
		    !is_made(path))
			show(args, "--bind", path);
	}
	closedir(stream);
}

static void
compile_dev(const struct compiler *compiler)
{
	static const char *const memory[] = {
	    "/dev/shm", "/dev/hugepages", NULL};
	const char *const *item = compiler->setup->request.allow_devices;
	struct args *args = compiler->args;
	struct stat st;
	size_t i;

	for (i = 0; item != NULL && item[i] != NULL; i++)
		if (setup_is_below(DEV, item[i])) {
			args_add(args, "--dev-bind", DEV, DEV, NULL);
			return;
		}
	args_add(args, "--dev", DEV, NULL);
	for (i = 0; memory[i] != NULL; i++)
		if (lstat(memory[i], &st) == 0)
			bind_to(args, compiler->is_closed, memory[i]);
	if (lstat("/dev/mqueue", &st) == 0 && !compiler->is_closed)
		args_add(args, "--mqueue", "/dev/mqueue", NULL);
	show_others(args);
	for (; item != NULL && *item != NULL; item++)
		if (setup_is_below(*item, DEV) && !is_made(*item))
			show(args, "--dev-bind", *item);
}

/* The same directory without two of its names. */
static int
compile_shield(const struct compiler *compiler, const char *dir)
{
	struct args *args = compiler->args;
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *stream;

	stream = opendir(dir);
	if (stream == NULL)
		return -ESTALE;
	args_add(args, "--tmpfs", dir, NULL);
	while ((entry = readdir(stream)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0 ||
		    snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) >=
			(int)sizeof(path) ||
		    setup_is_left_out(compiler->setup, path))
			continue;
		show(args, compiler->is_closed ? "--ro-bind" : "--bind", path);
	}
	closedir(stream);
	return 0;
}

static void
compile_deny(const struct compiler *compiler, const struct plan_op *op)
{
	const int has_perms = compiler->setup->program.has_perms;
	struct args *args = compiler->args;

	/* A device is nothing on a mount without devices. */
	if (!op->is_dir) {
		if (op->may_go)
			args_add(args, PLAN_IF_THERE, op->path, "3", NULL);
		args_add(args, "--ro-bind", "/dev/null", op->path, NULL);
		return;
	}
	if (op->may_go)
		args_add(
		    args, PLAN_IF_THERE, op->path, has_perms ? "6" : "4", NULL);
	if (has_perms)
		args_add(args, "--perms", "0000", NULL);
	args_add(args, "--tmpfs", op->path, "--remount-ro", op->path, NULL);
}

/* Below the new /dev there is only what was put there. */
static int
is_gone(const struct setup *setup, const struct plan_op *op)
{
	const char *const *item = setup->request.allow_devices;
	struct stat st;

	if (op->type == PLAN_DEV || !setup_is_below(op->path, DEV) ||
	    setup_is_below(op->path, "/dev/shm") ||
	    setup_is_below(op->path, "/dev/hugepages") || is_made(op->path))
		return 0;
	for (; item != NULL && *item != NULL; item++)
		if (setup_is_below(op->path, *item))
			return 0;
	return lstat(op->path, &st) != 0 ||
	       (!S_ISREG(st.st_mode) && !S_ISSOCK(st.st_mode));
}

/* The operations at and below list[*next], which are all below one another.
 * is_closed is what holds around it. */
static int
compile_at(const struct compiler *around, const struct plan *plan, size_t *next)
{
	const struct plan_op *op = &plan->list[(*next)++];
	struct compiler compiler = *around;
	struct args *args = around->args;
	int ret = 0;

	if (op->path[1] == '\0') {
		/* "/" is closed at the end, and nothing below it. */
	} else if (op->type == PLAN_DENY) {
		compile_deny(&compiler, op);
	} else if (op->type == PLAN_DEV) {
		compile_dev(&compiler);
	} else if (op->type == PLAN_PROC) {
		args_add(args, "--proc", PROC, NULL);
		compiler.is_closed = 0;
	} else if (op->type == PLAN_SHIELD) {
		ret = compile_shield(&compiler, op->path);
	} else {
		if (op->type == PLAN_OPEN)
			compiler.is_closed = 0;
		if (op->type == PLAN_KEEP)
			compiler.is_closed = 1;
		if (op->may_go && !around->is_closed)
			args_add(args, PLAN_IF_THERE, op->path, "3",
			    compiler.is_closed ? "--ro-bind-try" : "--bind-try",
			    op->path, op->path, NULL);
		else if (!compiler.is_closed || !around->is_closed)
			bind_to(args, compiler.is_closed, op->path);
	}
	while (ret == 0 && *next < plan->count &&
	       setup_is_below(plan->list[*next].path, op->path)) {
		const struct plan_op *inner = &plan->list[*next];

		/* Nothing is below a mask. */
		if (op->type == PLAN_DENY || is_gone(around->setup, inner))
			(*next)++;
		else
			ret = compile_at(&compiler, plan, next);
	}
	if (op->type == PLAN_SHIELD || op->type == PLAN_DEV ||
	    op->path[1] == '\0' ||
	    (op->type == PLAN_PROC && around->setup->uid == 0))
		args_add(args, "--remount-ro", op->path, NULL);
	return ret;
}

int
plan_compile(
    const struct setup *setup, const struct plan *plan, struct args *args)
{
	struct compiler compiler = {
	    .setup = setup, .args = args, .is_closed = setup->is_limited};
	size_t next = 0;
	int ret = 0;

	bind_to(args, setup->is_limited, "/");
	while (ret == 0 && next < plan->count)
		ret = compile_at(&compiler, plan, &next);
	plan_compile_base(setup->wants_network, args);
	if (ret == 0)
		ret = args->error;
	return ret == 0 && args->count > MAX_WORDS ? -E2BIG : ret;
}
