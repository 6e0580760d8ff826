/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-trust-users.c - owners that a user namespace does not map.
 */

#include "harness.h"

#include <sys/mount.h>
#include <sys/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/rights.h"
#include "judging.h"
#include "path/trust.h"

/* ---- User namespaces ---------------------------------------------------- */

static bool
write_text(const char *path, const char *content)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, content, strlen(content)) ==
				 (ssize_t)strlen(content);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Judge where only the caller has a number, which is uid inside. */
static int
judge_in_namespace(const struct row *row, unsigned uid)
{
	struct row copy = *row;
	unsigned outside = getuid();

	/* A process that has changed its uid may not write to its /proc. */
	prctl(PR_SET_DUMPABLE, 1);
	if (unshare(CLONE_NEWUSER) != 0 ||
	    !write_text("/proc/self/uid_map", text("%u %u 1", uid, outside)))
		return CANNOT_MOUNT;
	return judging_judge(&copy);
}

static int
judge_as_namespace_root(void *arg)
{
	return judge_in_namespace(arg, 0);
}

static int
judge_as_namespace_user(void *arg)
{
	return judge_in_namespace(arg, getuid());
}

/* Nobody has a number, not even the caller. */
static int
judge_unmapped(void *arg)
{
	return unshare(CLONE_NEWUSER) != 0 ? CANNOT_MOUNT : judging_judge(arg);
}

static void
assert_judged_in_namespace(int (*fn)(void *), const struct row *row)
{
	struct row copy = *row;
	int status = in_user_child(fn, &copy);

	if (status == CANNOT_MOUNT)
		skip_because("user namespaces are forbidden here");
	assert_int_equal(status, 0);
}

static void
test_unmapped_owner_counts_as_root(void **state)
{
	struct row row = {.path = "/usr/bin/env", .is_roots = 1};

	(void)state;
	assert_judged_in_namespace(judge_as_namespace_root, &row);
	assert_judged_in_namespace(judge_as_namespace_user, &row);
	assert_judged_in_namespace(judge_unmapped, &row);
}

/* 65534 is an ordinary owner when there is no user namespace. */
static void
test_nobody_is_a_stranger_outside_of_a_namespace(void **state)
{
	const char *dir = judging_tree();
	struct row row = {.path = text("%s/a/b/file", dir),
	    .ret = -EPERM,
	    .code = OMEGA_SANDBOX_E_TRUST,
	    .part = "belongs to uid 65534"};
	struct omega_rights_map map;

	(void)state;
	judging_need_root();
	omega_rights_read_map(&map);
	if (map.is_namespace)
		skip_because("this is a user namespace already");
	judging_set_owner(row.path, 65534);
	judging_expect(&row);
	judging_expect_by_user(&row);
}

/* In a user namespace uid 0 is the caller, whatever it is called. */
static void
test_namespace_root_is_not_root(void **state)
{
	struct row row = {.is_roots = 0};
	const char *dir = judging_tree();

	(void)state;
	row.path = text("%s/a/b/file", dir);
	judging_need_root();
	judging_set_owner(dir, SPARE_UID);
	judging_set_owner(row.path, SPARE_UID);
	/* /tmp is sticky: what is in it must have an owner we know. */
	judging_set_owner(text("%s/..", dir), SPARE_UID);
	assert_judged_in_namespace(judge_as_namespace_root, &row);
	judging_set_owner(text("%s/..", dir), 0);
}

/*
 * Our own file, seen from where we have no number. It must not stand in /tmp,
 * where it would be refused for that: put it into a mount of its own.
 */
static int
judge_own_file_unmapped(void *arg)
{
	if (mount("tmpfs", "/mnt", "tmpfs", 0, "mode=755") != 0)
		return CANNOT_MOUNT;
	make_file("/mnt/file", "");
	judging_set_mode("/mnt/file", 0644);
	judging_set_owner("/mnt/file", SPARE_UID);
	if (setresgid(SPARE_UID, SPARE_UID, SPARE_UID) != 0 ||
	    setresuid(SPARE_UID, SPARE_UID, SPARE_UID) != 0)
		return 98;
	return judge_unmapped(arg);
}

static void
test_unmapped_owner_must_not_be_writable_for_us(void **state)
{
	struct row row = {.path = "/mnt/file",
	    .ret = -EPERM,
	    .code = OMEGA_SANDBOX_E_TRUST,
	    .part = "for we can write it"};
	int status;

	(void)state;
	judging_need_root();
	status = in_mount_child(judge_own_file_unmapped, &row);
	if (status == CANNOT_MOUNT)
		skip_because("mounts or user namespaces are forbidden here");
	assert_int_equal(status, 0);
}

static void
test_unmapped_owner_in_a_sticky_directory_is_refused(void **state)
{
	struct row row = {.path = text("%s/a/b/file", judging_tree()),
	    .ret = -EPERM,
	    .code = OMEGA_SANDBOX_E_TRUST,
	    .part = "belongs to a user unknown in this user namespace",
	    .also = "everybody can put files there"};

	(void)state;
	judging_need_root();
	if (strncmp(row.path, "/tmp/", 5) != 0)
		skip_because("the scratch directory is not in /tmp");
	assert_judged_in_namespace(judge_as_namespace_root, &row);
	/* The way back out of it is fine. */
	row = (struct row){.path = "/tmp/../etc/passwd", .is_roots = 1};
	assert_judged_in_namespace(judge_as_namespace_root, &row);
}

static void
assert_map(const char *uid_map, const char *overflow, bool is_namespace,
    bool has_unmapped, uid_t unmapped)
{
	struct omega_rights_map map;

	omega_rights_parse_map(&map, uid_map, overflow);
	assert_int_equal(map.is_namespace, is_namespace);
	assert_int_equal(map.has_unmapped, has_unmapped);
	assert_int_equal(map.unmapped, unmapped);
}

static void
test_map_tells_who_is_unmapped(void **state)
{
	(void)state;
	assert_map("         0          0 4294967295\n", "65534\n", false,
	    false, 65534);
	assert_map("0 1000 1\n", "65534\n", true, true, 65534);
	assert_map("0 1000 1\n", NULL, true, true, 65534);
	assert_map("0 1000 1\n", "junk", true, true, 65534);
	assert_map("0 1000 1\n", "99\n", true, true, 99);
	assert_map("1000 1000 1\n0 0 1\n", "65534", true, true, 65534);
	/* A container's usual range has a 65534 of its own. */
	assert_map("0 100000 65536\n", "65534\n", true, false, 65534);
	assert_map("0 100000 65534\n", "65534\n", true, true, 65534);
	assert_map("0 1000 1\n65534 65534 1\n", "65534", true, false, 65534);
	/* No map written yet: nobody has a number. */
	assert_map("", "65534", true, true, 65534);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_unmapped_owner_counts_as_root),
	    cmocka_unit_test(test_nobody_is_a_stranger_outside_of_a_namespace),
	    cmocka_unit_test(test_namespace_root_is_not_root),
	    cmocka_unit_test(test_unmapped_owner_must_not_be_writable_for_us),
	    cmocka_unit_test(
		test_unmapped_owner_in_a_sticky_directory_is_refused),
	    cmocka_unit_test(test_map_tells_who_is_unmapped),
	};

	return run_all(tests);
}
