/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * join.c - see plan.h.
 *
 * In the namespaces the child has every capability over them. It gives up all
 * that the command is not to have, but for one, which execve takes: a command
 * that is already there could otherwise trace the newcomer, which still has
 * the host's descriptors, as one with no more capabilities than itself.
 */

#include "plan.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What root needs for its daily work; in there it acts on files only. */
#define KEPT                                                                 \
	(1ull << CAP_CHOWN | 1ull << CAP_DAC_OVERRIDE | 1ull << CAP_FOWNER | \
	    1ull << CAP_FSETID | 1ull << CAP_KILL | 1ull << CAP_SETUID |     \
	    1ull << CAP_SETGID)

int
join_step(const void *state)
{
	static const int types[] = {
	    CLONE_NEWUSER, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWNS};
	const struct join_state *join = state;
	size_t i;

	for (i = 0; i < JOIN_COUNT; i++)
		if (join->fds[i] >= 0 && setns(join->fds[i], types[i]) != 0)
			return -errno;
	return 0;
}

int
join_keep(const struct build *build, const int *which,
    struct omega_sandbox_launch *launch, struct join_state *join)
{
	size_t i;

	for (i = 0; i < JOIN_COUNT; i++) {
		const int fd = which[i] < 0 ? -1 : build->fds[which[i]];

		join->fds[i] = fd < 0 ? -1 : launch->keep_fd(launch, fd);
		if (fd >= 0 && join->fds[i] < 0)
			return join->fds[i];
	}
	return 0;
}

/* One more, which acts on nothing in there. */
#define SURPLUS CAP_WAKE_ALARM

/*
 * What execve is to leave. In a plain mount namespace they would be
 * capabilities over the machine, and those already there are kept off the
 * newcomer by other means.
 */
struct limit_state {
	uint64_t kept;
	uint64_t surplus;
};

/*
 * Without new privileges execve gives nothing the process does not have, so
 * neither a file's capabilities nor uid 0 bring any back; what is not in the
 * bounding set goes. To empty that set would take forty calls.
 */
static int
limit_step(const void *state)
{
	const struct limit_state *limit = state;
	const uint64_t left = limit->kept | limit->surplus;
	const int is_marked = /* which what is not inherited would end */
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, SURPLUS, 0, 0) == 1;
	struct __user_cap_header_struct header = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {
	    {.effective = (uint32_t)left, .permitted = (uint32_t)left},
	    {.effective = (uint32_t)(left >> 32),
		.permitted = (uint32_t)(left >> 32),
		.inheritable = is_marked ? CAP_TO_MASK(SURPLUS) : 0}};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    (limit->surplus != 0 &&
		prctl(PR_CAPBSET_DROP, SURPLUS, 0, 0, 0) != 0) ||
	    syscall(SYS_capset, &header, data) != 0)
		return -errno;
	return 0;
}

int
join_mark(void)
{
	struct __user_cap_header_struct header = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct all[2] = {
	    {~0u, ~0u, 0}, {~0u, ~0u, CAP_TO_MASK(SURPLUS)}};

	if (syscall(SYS_capset, &header, all) != 0 ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, SURPLUS, 0, 0) != 0)
		return -errno;
	return 0;
}

/*
 * A place and what it was. Device and inode do not tell: a file system may
 * give the number of a removed file to the next one, so its birth counts too,
 * or its last change where births are not known.
 */
struct seen {
	uint64_t device;
	uint64_t inode; /* 0: nothing was there, or nothing could be seen */
	int64_t seconds; /* then, why */
	uint32_t nanoseconds;
	uint32_t how; /* enum how */
	size_t size; /* of the path that follows, with its end; 0: the last */
};

enum how {
	AS_IT_IS = 0,
	WITH_CHANGES = 0x1, /* the time is that of the last change */
	AT_THE_END = 0x2, /* of links, which may lead nowhere yet */
	FOR_MANY = 0x4 /* same: so are its entries, that follow up to a FOR_MANY
			* without a path */
};

/* Directories of the system that seldom change, with many that are watched. */
static const char *const steady[] = {"/", "/usr", "/usr/share", "/var/lib"};
#define STEADY (sizeof(steady) / sizeof(steady[0]))
#define SETTLED 2 /* seconds: how exact a time of change may not be */

static void
look_at(const char *path, uint32_t how, struct seen *seen)
{
	const int follow = (how & AT_THE_END) != 0 ? 0 : AT_SYMLINK_NOFOLLOW;
	const struct statx_timestamp *time;
	struct statx at;

	memset(seen, 0, sizeof(*seen));
	seen->how = how;
	seen->size = strlen(path) + 1;
	if (statx(AT_FDCWD, path, follow | AT_NO_AUTOMOUNT,
		STATX_BASIC_STATS | STATX_BTIME, &at) != 0) {
		/* A directory that is closed may have got it. */
		seen->seconds = errno == ENOTDIR ? ENOENT : errno;
		return;
	}
	time = (how & WITH_CHANGES) == 0 && (at.stx_mask & STATX_BTIME) != 0
		   ? &at.stx_btime
		   : &at.stx_ctime;
	seen->device = makedev(at.stx_dev_major, at.stx_dev_minor);
	seen->inode = at.stx_ino;
	seen->seconds = time->tv_sec;
	seen->nanoseconds = time->tv_nsec;
}

static int
is_same(const struct seen *then, const char *path)
{
	struct seen now;

	look_at(path, then->how, &now);
	return then->device == now.device && then->inode == now.inode &&
	       then->seconds == now.seconds &&
	       then->nanoseconds == now.nanoseconds;
}

/* In the parent: is all that is covered still what it was? */
static int
look(const void *state)
{
	const char *at = state;
	struct seen seen;
	int is_passed = 0; /* entries of what has not changed */

	for (;; at += seen.size) {
		memcpy(&seen, at, sizeof(seen));
		at += sizeof(seen);
		if (seen.size == 0)
			return 0;
		if ((seen.how & FOR_MANY) != 0)
			is_passed = at[0] != '\0' && is_same(&seen, at);
		else if (!is_passed && !is_same(&seen, at))
			return 1;
	}
}

/* What is looked at, while it is collected. */
struct watch {
	struct texts list; /* of struct seen, each with its path */
	struct texts entries[STEADY]; /* the same, of each of those */
	struct seen above[STEADY];
	struct taken taken;
};

static int
add(struct watch *watch, const struct seen *seen, const char *path)
{
	struct texts *list = &watch->list;
	char parent[PATH_MAX];
	size_t i;
	int ret;

	if (seen->how == AS_IT_IS && seen->size > sizeof("/")) {
		places_parent(path, parent);
		for (i = 0; i < STEADY; i++)
			if (strcmp(parent, steady[i]) == 0)
				list = &watch->entries[i];
	}
	ret = texts_append(list, seen, sizeof(*seen));
	return ret == 0 ? texts_append(list, path, seen->size) : ret;
}

static void
look_above(struct watch *watch)
{
	const time_t now = time(NULL);
	size_t i;

	for (i = 0; i < STEADY; i++) {
		look_at(steady[i], WITH_CHANGES | FOR_MANY, &watch->above[i]);
		if (watch->above[i].seconds > now - SETTLED)
			watch->above[i].inode = 0; /* is not the same */
	}
}

/* Each of them before its entries. */
static int
add_entries(struct watch *watch)
{
	const struct seen over = {.how = FOR_MANY, .size = 1};
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < STEADY; i++) {
		struct texts *entries = &watch->entries[i];

		if (entries->bytes == NULL)
			continue;
		ret = add(watch, &watch->above[i], steady[i]);
		if (ret == 0)
			ret = texts_append(
			    &watch->list, entries->bytes, entries->size);
		if (ret == 0)
			ret = add(watch, &over, "");
	}
	return ret;
}

static int
add_seen(struct watch *watch, const char *path, uint32_t how)
{
	struct seen seen;

	look_at(path, how, &seen);
	return add(watch, &seen, path);
}

/*
 * A protected path that is not there yet. Nobody holds those outside the data
 * directory, so their atoms are not ours; but once they are there they are to
 * be masked for the next command.
 */
static int
add_if_absent(struct watch *watch, const char *path)
{
	struct seen seen;

	if (taken_at(&watch->taken, path, strlen(path)) != 0)
		return 0;
	look_at(path, AS_IT_IS, &seen);
	if (seen.inode != 0) /* a link, which may lead nowhere */
		look_at(path, AT_THE_END, &seen);
	return seen.inode == 0 ? add(watch, &seen, path) : 0;
}

/* Once; the path must stay as it is. */
static int
add_once(struct watch *watch, const char *path, uint32_t how)
{
	int ret;

	if (taken_at(&watch->taken, path, strlen(path)) != 0)
		return 0;
	ret = taken_add(&watch->taken, path, 1);
	return ret == 0 ? add_seen(watch, path, how) : ret;
}

/* Of what is kept that which is in nothing that is. */
static int
is_watched(const struct setup *setup, const struct omega_sandbox_atom *atom)
{
	char parent[PATH_MAX];

	if (atom->path == NULL || setup_is_denied(atom) ||
	    atom->kind == OMEGA_SANDBOX_ATOM_ABSENT_PATHS)
		return atom->path != NULL;
	places_parent(atom->path, parent);
	return setup_has(setup, atom->path, SETUP_KEPT) &&
	       !setup_is_below(setup, parent, SETUP_KEPT);
}

static int
watch_all(const struct setup *setup, struct watch *watch)
{
	const char *link = setup->links.bytes;
	const char *absent = setup->absent.bytes;
	size_t i;
	int ret;

	ret = add_once(watch, "/", AS_IT_IS);
	for (i = 0; ret == 0 && i < setup->dir_count; i++)
		ret = add_once(watch, setup->dirs[i].path,
		    setup->dirs[i].is_shielded ? WITH_CHANGES : AS_IT_IS);
	/* One that is given may have come. */
	if (ret == 0 && setup->request.allow_devices != NULL)
		ret = add_once(watch, REQUEST_DEV, WITH_CHANGES);
	if (ret == 0 &&
	    (plan_uses_tcp(&setup->request) || hosts_are_listed(setup)))
		ret = add_seen(
		    watch, REQUEST_RESOLVER, WITH_CHANGES | AT_THE_END);
	for (i = 0; ret == 0 && i < setup->count; i++)
		if (is_watched(setup, setup->atoms[i]))
			ret = add_once(watch, setup->atoms[i]->path, AS_IT_IS);
	for (; ret == 0 && absent != NULL && *absent != '\0';
	     absent += strlen(absent) + 1)
		ret = add_if_absent(watch, absent);
	for (i = 0; ret == 0 && i < setup->request.grant_count; i++)
		if (setup->is_limited &&
		    setup_is_open(setup->request.grants[i]))
			ret = add_seen(
			    watch, setup->request.grants[i]->path, AS_IT_IS);
	for (; ret == 0 && link != NULL && *link != '\0';
	     link += strlen(link) + 1)
		ret = add_seen(watch, link, AS_IT_IS);
	return ret;
}

int
join_watch(const struct setup *setup, struct omega_sandbox_launch *launch)
{
	const struct seen last = {.size = 0};
	struct watch watch = {.list = {.bytes = NULL}};
	size_t i;
	int ret;

	look_above(&watch);
	ret = watch_all(setup, &watch);
	if (ret == 0)
		ret = add_entries(&watch);
	if (ret == 0)
		ret = add(&watch, &last, "");
	if (ret == 0)
		ret = launch->add_check(
		    launch, look, watch.list.bytes, watch.list.size);
	free(watch.list.bytes);
	for (i = 0; i < STEADY; i++)
		free(watch.entries[i].bytes);
	taken_drop(&watch.taken);
	return ret;
}

static int
add_limit(const struct setup *setup, const struct build *build,
    struct omega_sandbox_launch *launch)
{
	struct limit_state limit = {.kept = 0};

	if (!setup_is_plain(setup))
		limit.surplus = 1ull << SURPLUS;
	/* Without an id of their own the masks open to DAC_OVERRIDE. */
	if (!setup_is_plain(setup) && setup->caller.is_root &&
	    build->reply.has_spare)
		limit.kept = KEPT;
	return launch->add_step(launch, OMEGA_SANDBOX_PHASE_CAPABILITIES,
	    "capabilities", limit_step, &limit, sizeof(limit));
}

/* Tell what is inside at path. */
static int
stand_in(const struct build *build, const char *path,
    struct omega_sandbox_launch *launch)
{
	int fd;
	int ret;

	fd = openat(build->fds[REQUEST_FD_ROOT], path + 1,
	    O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESTALE : -errno;
	ret = launch->stand_in(launch, path, fd);
	close(fd);
	return ret;
}

static int
add_stand_ins(const struct build *build, const struct ops *ops,
    struct omega_sandbox_launch *launch)
{
	size_t i;
	int ret = 0;

	if (!OMEGA_SANDBOX_HAS(launch, stand_in))
		return 0;
	if (build->reply.has_dev) {
		ret = stand_in(build, REQUEST_DEV, launch);
		if (ret == 0)
			ret = stand_in(build, REQUEST_PTS, launch);
	}
	for (i = 0; ret == 0 && i < ops->count; i++)
		if (ops->list[i].type == REQUEST_COPY)
			ret = stand_in(build, ops->list[i].path, launch);
	return ret;
}

int
join_add(const struct setup *setup, const struct build *build,
    const struct ops *ops, struct omega_sandbox_launch *launch)
{
	const int which[] = {setup_is_plain(setup) ? -1 : REQUEST_FD_USER,
	    REQUEST_FD_NETWORK, REQUEST_FD_IPC, REQUEST_FD_MOUNT};
	uint32_t flags = OMEGA_SANDBOX_LAUNCH_SHARES;
	struct join_state join;
	int ret;

	/* Said to be held because another backend would separate. */
	if (setup_is_plain(setup) &&
	    (setup->request.flags & OMEGA_SANDBOX_REQUEST_SEPARATED) != 0)
		flags |= OMEGA_SANDBOX_LAUNCH_NEEDS_SEPARATION;
	ret = join_keep(build, which, launch, &join);
	if (ret == 0)
		ret = add_stand_ins(build, ops, launch);
	if (ret == 0)
		ret = launch->add_step(launch, OMEGA_SANDBOX_PHASE_JOIN,
		    "setns", join_step, &join, sizeof(join));
	if (ret == 0)
		ret = add_limit(setup, build, launch);
	return ret == 0 ? launch->set_flags(launch, flags) : ret;
}

/*
 * When the host replaces a masked file by rename, the kernel takes the mask
 * away first and the old name afterwards, and on a busy machine there is half
 * a second between the two. The parent's look finds the old file under the
 * old name and nothing to complain about; only who is inside can see that the
 * mask is gone.
 */

#define MOUNT_ROOT 0x2000u /* STATX_ATTR_MOUNT_ROOT */

/* What cannot be reached need not be covered. */
static int
is_covered(const char *path)
{
	struct statx at;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
		STATX_TYPE, &at) != 0)
		return errno == EACCES;
	return (at.stx_attributes & MOUNT_ROOT) != 0;
}

/* A child step: plain calls only. */
static int
witness_step(const void *state)
{
	const char *path = state;

	for (; *path != '\0'; path += strlen(path) + 1)
		if (!is_covered(path))
			return -ESTALE;
	return 0;
}

int
join_witness(const struct setup *setup, const struct ops *ops,
    struct omega_sandbox_launch *launch)
{
	struct texts list = {.bytes = NULL};
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < setup->dir_count; i++)
		if (setup->dirs[i].is_shielded)
			ret = texts_add(&list, setup->dirs[i].path);
	/* Masks; what is in a shield goes with that. */
	for (i = 0; ret == 0 && i < ops->count; i++)
		if (ops->list[i].type == REQUEST_DENY &&
		    setup_has(setup, ops->list[i].path, SETUP_DENIED))
			ret = texts_add(&list, ops->list[i].path);
	if (ret == 0 && list.size > 0)
		ret = launch->add_step(launch, OMEGA_SANDBOX_PHASE_WITNESS,
		    "witness", witness_step, list.bytes, list.size + 1);
	free(list.bytes);
	return ret;
}
