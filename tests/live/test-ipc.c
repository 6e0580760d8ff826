/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-ipc.c - System V segments, semaphores and queues, and POSIX queues, of
 * programs outside: out of reach without a network, shared otherwise; a
 * command's own work. As root and as an ordinary user.
 */

#include "ward.h"

#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#define KIND "outside_ipc"
#define QUEUE "omega-test"
#define FILES "/tmp/queues"
#define KEY 0x6f6d6567

/* Not by the library, which has them in one of their own on old systems. */
static bool
can_send(long queue)
{
	return queue >= 0 &&
	       syscall(SYS_mq_timedsend, queue, "x", 1, 0, NULL) == 0;
}

/* Which of them can be had? Bits. */
static int
reach(void)
{
	long queue = syscall(SYS_mq_open, QUEUE, O_WRONLY, 0, NULL);
	int file = open(FILES "/" QUEUE, O_WRONLY | O_CLOEXEC);

	return (shmget(KEY, 0, 0) >= 0 ? 1 : 0) |
	       (semget(KEY, 0, 0) >= 0 ? 2 : 0) |
	       (msgget(KEY, 0) >= 0 ? 4 : 0) | (can_send(queue) ? 8 : 0) |
	       (can_send(file) ? 16 : 0);
}

/* Make all of them. Bits. */
static int
make(void)
{
	const long attr[8] = {0, 8, 8}; /* messages, and bytes of each */
	int flags = IPC_CREAT | 0600;

	return (shmget(KEY, 4096, flags) >= 0 ? 1 : 0) |
	       (semget(KEY, 1, flags) >= 0 ? 2 : 0) |
	       (msgget(KEY, flags) >= 0 ? 4 : 0) |
	       (syscall(SYS_mq_open, QUEUE, O_CREAT | O_WRONLY, 0600, attr) >= 0
		       ? 8
		       : 0);
}

static int
ask(void *base)
{
	struct ward ward;
	char self[PATH_MAX] = "";
	const char *reaches;
	int faults = 0;
	int status;

	need(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	reaches = text("exec '%s' reach", self);
	need(make() == 15);
	need(ward_open(&ward, base, "", "deny"));
	status = ward_shell(ward.outside, reaches);
	CHECK(faults, status == 31, "outside: %d", status);
	status = ward_shell(ward.inside, reaches);
	if (ward_claims(&ward, KIND))
		CHECK(faults, status == 0, "inside: %d", status);
	else
		CHECK(faults, false, "it is not claimed");
	status = ward_shell(ward.inside, text("exec '%s' make", self));
	CHECK(faults, status == 15, "one's own: %d", status);
	ward_close(&ward);
	/* Programs share memory with others on purpose. */
	need(ward_open(&ward, base, "", "allow"));
	status = ward_shell(ward.inside, reaches);
	CHECK(faults, status == 31, "with a network: %d", status);
	ward_close(&ward);
	return faults;
}

static int
shared(void *arg)
{
	if (ward_own_ground(arg) != 0 || unshare(CLONE_NEWIPC) != 0 ||
	    mkdir(FILES, 0755) != 0 ||
	    mount("queues", FILES, "mqueue", 0, NULL) != 0)
		return CANNOT_MOUNT;
	return ward_as_that(arg, ask);
}

TWICE_IN_MOUNTS(shared)

int
main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_shared),
	};
	int status;

	if (argc == 2 && strcmp(argv[1], "reach") == 0)
		return reach();
	if (argc == 2 && strcmp(argv[1], "make") == 0)
		return make();
	if (ward_main(argc, argv, &status))
		return status;
	return run_all(tests);
}
