/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * family-darwin.c - see family.h.
 */

#include "config.h"

#include "run/family.h"

#include <sys/event.h>
#include <sys/mman.h>
#include <errno.h>
#include <libproc.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* More processes than macOS lets there be. What is not used takes no
 * memory. */
#define MOST 65536u

int
omega_family_open(struct omega_family *family, int events, bool is_session)
{
	void *list;
	void *all;

	*family = (struct omega_family){
	    .events = events, .self = getpid(), .is_session = is_session};
	list = mmap(NULL, MOST * sizeof(*family->list), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANON, -1, 0);
	if (list == MAP_FAILED)
		return -errno;
	all = mmap(NULL, MOST * sizeof(*family->all), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANON, -1, 0);
	if (all == MAP_FAILED)
		return -errno;
	family->list = list;
	family->all = all;
	return 0;
}

/* One that has ended and was not collected yet is not there. */
static bool
look_at(pid_t pid, struct proc_bsdinfo *info)
{
	return proc_pidinfo(pid, PROC_PIDTBSDINFO, 0, info, sizeof(*info)) ==
	       (int)sizeof(*info);
}

static uint64_t
start_of(const struct proc_bsdinfo *info)
{
	return info->pbi_start_tvsec * 1000000 + info->pbi_start_tvusec;
}

static struct omega_family_member *
find(struct omega_family *family, pid_t pid)
{
	uint32_t i;

	for (i = 0; i < family->count; i++)
		if (family->list[i].pid == pid)
			return &family->list[i];
	return NULL;
}

/* To hear of its forks at once; that it may have ended meanwhile is seen by
 * the next look. */
static void
watch(const struct omega_family *family, pid_t pid)
{
	struct kevent event;

	EV_SET(&event, (uintptr_t)pid, EVFILT_PROC, EV_ADD | EV_CLEAR,
	    NOTE_FORK | NOTE_EXIT, 0, NULL);
	kevent(family->events, &event, 1, NULL, 0, NULL);
}

static bool
is_ours(struct omega_family *family, const struct proc_bsdinfo *info)
{
	pid_t parent = (pid_t)info->pbi_ppid;
	const struct omega_family_member *member;

	if (parent == family->self)
		return true;
	member = find(family, parent);
	if (member != NULL && member->turn == family->turn)
		return true;
	return family->is_session &&
	       getsid((pid_t)info->pbi_pid) == family->self;
}

/* One of all processes. True: a member that this look has not found yet. */
static bool
note(struct omega_family *family, pid_t pid)
{
	struct omega_family_member *member;
	struct proc_bsdinfo info;

	if (pid <= 1 || pid == family->self)
		return false;
	member = find(family, pid);
	if (member != NULL && member->turn == family->turn)
		return false;
	if (!look_at(pid, &info))
		return false;
	if (member != NULL && member->start == start_of(&info)) {
		member->turn = family->turn;
		return true;
	}
	if (!is_ours(family, &info))
		return false;
	if (member == NULL) {
		if (family->count == MOST)
			return false;
		member = &family->list[family->count++];
	}
	*member = (struct omega_family_member){
	    .pid = pid, .turn = family->turn, .start = start_of(&info)};
	watch(family, pid);
	return true;
}

void
omega_family_look(struct omega_family *family)
{
	bool has_more = true;
	uint32_t kept = 0;
	int count;
	uint32_t i;
	int at;

	family->turn++;
	/* Children may be listed before their parents. */
	while (has_more) {
		has_more = false;
		count = proc_listpids(PROC_ALL_PIDS, 0, family->all,
			    (int)(MOST * sizeof(*family->all))) /
			(int)sizeof(*family->all);
		for (at = 0; at < count; at++)
			if (note(family, family->all[at]))
				has_more = true;
	}
	for (i = 0; i < family->count; i++)
		if (family->list[i].turn == family->turn)
			family->list[kept++] = family->list[i];
	family->count = kept;
}

uint32_t
omega_family_signal(struct omega_family *family, int first, int second)
{
	struct proc_bsdinfo info;
	uint32_t sent = 0;
	uint32_t i;

	omega_family_look(family);
	for (i = 0; i < family->count; i++) {
		const struct omega_family_member *member = &family->list[i];

		if (!look_at(member->pid, &info) ||
		    start_of(&info) != member->start)
			continue;
		if (kill(member->pid, first) == 0)
			sent++;
		if (second != 0)
			kill(member->pid, second);
	}
	return sent;
}
