/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * join.c - see join.h.
 *
 * In the namespaces the child has every capability over them. It gives up all
 * that the command is not to have, but for one, which execve takes: a command
 * that is already there could otherwise trace the newcomer, which still has
 * the host's descriptors, as one with no more capabilities than itself.
 */

#include "join.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <linux/capability.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lists.h"
#include "request.h"
#include "ways.h"

/* What root needs for its daily work; in there it acts on files only. */
#define KEPT                                                                 \
	(1ull << CAP_CHOWN | 1ull << CAP_DAC_OVERRIDE | 1ull << CAP_FOWNER | \
	    1ull << CAP_FSETID | 1ull << CAP_KILL | 1ull << CAP_SETUID |     \
	    1ull << CAP_SETGID)

struct join_state {
	int user_fd; /* -1: a plain mount namespace */
	int mount_fd;
	int network_fd; /* -1: the host's */
	int ipc_fd; /* the same */
};

static int
join_step(const void *state)
{
	const struct join_state *join = state;

	if ((join->user_fd >= 0 && setns(join->user_fd, CLONE_NEWUSER) != 0) ||
	    (join->network_fd >= 0 &&
		(setns(join->network_fd, CLONE_NEWNET) != 0 ||
		    setns(join->ipc_fd, CLONE_NEWIPC) != 0)) ||
	    setns(join->mount_fd, CLONE_NEWNS) != 0)
		return -errno;
	return 0;
}

/*
 * In a plain mount namespace they are capabilities over the machine, and those
 * already there are kept off the newcomer by other means.
 */
static int
give_up_step(const void *state)
{
	struct __user_cap_header_struct head = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{.effective = 0}};

	(void)state;
	/* Without new privileges execve gives none of them back. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_capset, &head, none) != 0)
		return -errno;
	return 0;
}

/* The one more, which acts on nothing in there. */
#define SURPLUS CAP_WAKE_ALARM

/* What execve is to leave. */
struct limit_state {
	uint64_t kept;
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
	const uint64_t left = limit->kept | 1ull << SURPLUS;
	struct __user_cap_header_struct header = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {
	    {.effective = (uint32_t)left, .permitted = (uint32_t)left},
	    {.effective = (uint32_t)(left >> 32),
		.permitted = (uint32_t)(left >> 32)}};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_CAPBSET_DROP, SURPLUS, 0, 0, 0) != 0 ||
	    syscall(SYS_capset, &header, data) != 0)
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
	uint32_t path; /* offset among the texts */
	uint32_t how; /* enum how */
	uint32_t reserved;
};

enum how {
	AS_IT_IS = 0,
	WITH_CHANGES = 0x1, /* the time is that of the last change */
	AT_THE_END = 0x2 /* of links, which may lead nowhere yet */
};

struct seen_list {
	uint32_t count;
	uint32_t text_at; /* offset of the texts */
};

static void
look_at(const char *path, uint32_t how, struct seen *seen)
{
	const int follow = (how & AT_THE_END) != 0 ? 0 : AT_SYMLINK_NOFOLLOW;
	const struct statx_timestamp *time;
	struct statx at;

	memset(seen, 0, sizeof(*seen));
	seen->how = how;
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

/* In the parent: is all that is masked still what it was? */
static int
look(const void *state)
{
	const struct seen_list *list = state;
	const struct seen *seen = (const void *)(list + 1);
	const char *texts = (const char *)state + list->text_at;
	uint32_t i;

	for (i = 0; i < list->count; i++)
		if (!is_same(&seen[i], texts + seen[i].path))
			return 1;
	return 0;
}

/* The list while it is made. */
struct watch {
	struct seen *seen;
	size_t count;
	char *texts;
	size_t text_size;
	struct taken taken;
};

static int
add_seen(struct watch *watch, const char *path, uint32_t how)
{
	size_t len = strlen(path) + 1;
	struct seen *seen;
	char *texts;

	seen = reallocarray(watch->seen, watch->count + 1, sizeof(*seen));
	if (seen == NULL)
		return -ENOMEM;
	watch->seen = seen;
	texts = realloc(watch->texts, watch->text_size + len);
	if (texts == NULL)
		return -ENOMEM;
	watch->texts = texts;
	seen += watch->count;
	look_at(path, how, seen);
	seen->path = (uint32_t)watch->text_size;
	memcpy(texts + watch->text_size, path, len);
	watch->text_size += len;
	watch->count++;
	return 0;
}

/* Where links lead, unless something is there. */
static int
add_if_absent(struct watch *watch, const char *path)
{
	const size_t text_size = watch->text_size;
	int ret = add_seen(watch, path, AT_THE_END);

	if (ret == 0 && watch->seen[watch->count - 1].inode != 0) {
		watch->count--;
		watch->text_size = text_size;
	}
	return ret;
}

static int
add_link(void *arg, const char *link)
{
	return add_seen(arg, link, AS_IT_IS);
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

/*
 * Protected paths that are not there yet. Nobody holds those outside the data
 * directory, so their atoms are not ours; but once they are there they are to
 * be masked for the next command.
 */
static int
watch_absent(const struct setup *setup, struct watch *watch)
{
	const char *const *at;
	struct ways_known known = {.len = 0};
	char absent[PATH_MAX] = "";
	int ret = 0;

	if (setup->request.spelled == NULL)
		return 0;
	for (at = setup->request.spelled; ret == 0 && *at != NULL; at++) {
		/* As long as this is not there, nothing below it is. */
		if (absent[0] != '\0' && places_is_below(*at, absent))
			continue;
		if (ways_absent(&known, *at, absent))
			ret = add_seen(watch, absent, AS_IT_IS);
		else
			ret = add_if_absent(watch, *at);
	}
	return ret;
}

static int
watch_all(const struct setup *setup, struct watch *watch)
{
	size_t i;
	int ret;

	ret = add_once(watch, "/", AS_IT_IS);
	for (i = 0; ret == 0 && i < setup->dir_count; i++)
		ret = add_once(watch, setup->dirs[i].path,
		    setup->dirs[i].is_shielded ? WITH_CHANGES : AS_IT_IS);
	/* One that is given may have come. */
	if (ret == 0 && setup->request.allow_devices != NULL)
		ret = add_once(watch, REQUEST_DEV, WITH_CHANGES);
	for (i = 0; ret == 0 && i < setup->count; i++) {
		const struct omega_sandbox_atom *atom = setup->atoms[i];

		if (setup_is_denied(atom) ||
		    (atom->kind == OMEGA_SANDBOX_ATOM_ABSENT_PATHS &&
			atom->path != NULL))
			ret = add_once(watch, atom->path, AS_IT_IS);
	}
	if (ret == 0)
		ret = watch_absent(setup, watch);
	for (i = 0; ret == 0 && i < setup->request.grant_count; i++)
		if (setup->is_limited &&
		    lists_is_open(setup->request.grants[i]))
			ret = add_seen(
			    watch, setup->request.grants[i]->path, AS_IT_IS);
	return ret == 0 ? ways_each_link(setup, add_link, watch) : ret;
}

int
join_watch(const struct setup *setup, struct omega_sandbox_launch *launch)
{
	struct watch watch = {.seen = NULL};
	struct seen_list *list = NULL;
	size_t size;
	int ret;

	ret = watch_all(setup, &watch);
	if (ret < 0)
		goto out;
	size = sizeof(*list) + watch.count * sizeof(*watch.seen);
	list = malloc(size + watch.text_size);
	ret = -ENOMEM;
	if (list == NULL)
		goto out;
	list->count = (uint32_t)watch.count;
	list->text_at = (uint32_t)size;
	memcpy(list + 1, watch.seen, watch.count * sizeof(*watch.seen));
	memcpy((char *)list + size, watch.texts, watch.text_size);
	ret = launch->add_check(launch, look, list, size + watch.text_size);
out:
	free(watch.seen);
	free(watch.texts);
	taken_drop(&watch.taken);
	free(list);
	return ret;
}

static int
add_limit(const struct setup *setup, const struct build *build,
    struct omega_sandbox_launch *launch)
{
	struct limit_state limit = {.kept = 0};

	/* Without an id of their own the masks open to DAC_OVERRIDE. */
	if (setup->caller.is_root && build->reply.has_spare)
		limit.kept = KEPT;
	return launch->add_step(launch, OMEGA_SANDBOX_PHASE_CAPABILITIES,
	    "capabilities", setup_is_plain(setup) ? give_up_step : limit_step,
	    &limit, sizeof(limit));
}

int
join_add(const struct setup *setup, const struct build *build,
    struct omega_sandbox_launch *launch)
{
	uint32_t flags = OMEGA_SANDBOX_LAUNCH_SHARES;
	struct join_state join = {
	    .user_fd = -1, .network_fd = -1, .ipc_fd = -1};
	int ret;

	/* Said to be held because another backend would separate. */
	if (setup_is_plain(setup) &&
	    (setup->request.flags & OMEGA_SANDBOX_REQUEST_SEPARATED) != 0)
		flags |= OMEGA_SANDBOX_LAUNCH_NEEDS_SEPARATION;
	if (!setup_is_plain(setup)) {
		join.user_fd =
		    launch->keep_fd(launch, build->fds[REQUEST_FD_USER]);
		if (join.user_fd < 0)
			return join.user_fd;
	}
	join.mount_fd = launch->keep_fd(launch, build->fds[REQUEST_FD_MOUNT]);
	if (join.mount_fd < 0)
		return join.mount_fd;
	if (build->fds[REQUEST_FD_NETWORK] >= 0) {
		join.network_fd =
		    launch->keep_fd(launch, build->fds[REQUEST_FD_NETWORK]);
		if (join.network_fd < 0)
			return join.network_fd;
		join.ipc_fd =
		    launch->keep_fd(launch, build->fds[REQUEST_FD_IPC]);
		if (join.ipc_fd < 0)
			return join.ipc_fd;
	}
	if (build->fds[REQUEST_FD_DEV] >= 0 &&
	    OMEGA_SANDBOX_HAS(launch, stand_in)) {
		ret = launch->stand_in(
		    launch, REQUEST_DEV, build->fds[REQUEST_FD_DEV]);
		if (ret == 0)
			ret = launch->stand_in(
			    launch, REQUEST_PTS, build->fds[REQUEST_FD_PTS]);
		if (ret < 0)
			return ret;
	}
	ret = launch->add_step(launch, OMEGA_SANDBOX_PHASE_JOIN, "setns",
	    join_step, &join, sizeof(join));
	if (ret == 0)
		ret = add_limit(setup, build, launch);
	return ret == 0 ? launch->set_flags(launch, flags) : ret;
}
