/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-open.c - omega_sandbox_open_checked opens like open(2) what is
 * free. What is protected is test-path-open-refused.c's, races are
 * test-path-race.c's.
 */

#include "guarded-open.h"

#include <sys/stat.h>
#include <sys/un.h>
#include <sys/socket.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

static void
assert_fails(const char *path, int flags, int sys_errno)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	int before = count_descriptors();
	int fd = 4711;

	assert_int_equal(omega_sandbox_open_checked(
			     guard, path, flags, 0640, &fd, NULL, &error),
	    OMEGA_SANDBOX_E_SYSTEM);
	assert_int_equal(error.sys_errno, sys_errno);
	assert_int_equal(fd, -1);
	assert_int_equal(count_descriptors(), before);
}

/* ---- what is free ------------------------------------------------------- */

static void
test_free_file_is_opened_and_read(void **state)
{
	char content[64] = "";
	int fd = must_open(in_root(&home, "free/plain"), O_RDONLY);

	(void)state;
	assert_int_equal(read(fd, content, sizeof(content)), strlen(HARMLESS));
	assert_string_equal(content, HARMLESS);
	assert_int_equal(write(fd, "x", 1), -1);
	close(fd);
}

static void
test_free_file_is_opened_for_writing(void **state)
{
	const char *path = in_root(&home, "free/plain");
	int fd = must_open(path, O_WRONLY | O_APPEND);

	(void)state;
	assert_int_equal(write(fd, "+", 1), 1);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_WRONLY);
	close(fd);
	assert_content(path, HARMLESS "+");
	fd = must_open(path, O_RDWR | O_TRUNC);
	assert_int_equal(write(fd, "new", 3), 3);
	close(fd);
	assert_content(path, "new");
}

static void
test_links_to_free_places_are_followed(void **state)
{
	int fd;

	(void)state;
	make_link("free", in_root(&home, "l"));
	make_link("l/plain", in_root(&home, "m"));
	fd = must_open(in_root(&home, "l/plain"), O_RDONLY);
	close(fd);
	fd = must_open(in_root(&home, "m"), O_RDWR);
	close(fd);
	fd = must_open(in_root(&home, "l/../free/./plain"), O_RDONLY);
	close(fd);
	fd = must_open(in_dir(&home, "data/../workspace/note"), O_RDONLY);
	close(fd);
}

static void
test_directory_is_opened(void **state)
{
	int fd = must_open(in_root(&home, "free"), O_RDONLY | O_DIRECTORY);

	(void)state;
	assert_int_equal(faccessat(fd, "plain", R_OK, 0), 0);
	close(fd);
	fd = must_open(in_root(&home, "free/"), O_RDONLY);
	close(fd);
	fd = must_open("/", O_RDONLY);
	close(fd);
}

static void
test_system_file_is_opened_for_reading_only(void **state)
{
	int fd = must_open("/dev/null", O_RDONLY);

	(void)state;
	close(fd);
	fd = must_open("/proc/self/status", O_RDONLY);
	close(fd);
	fd = must_open("/etc/passwd", O_RDONLY);
	close(fd);
	assert_refused("/dev/null", O_WRONLY, OMEGA_SANDBOX_BY_NAME);
	assert_refused("/etc/passwd", O_RDWR, OMEGA_SANDBOX_BY_NAME);
	assert_refused(
	    "/etc/passwd", O_RDONLY | O_TRUNC, OMEGA_SANDBOX_BY_NAME);
	assert_refused(
	    "/etc/omega-none", O_RDONLY | O_CREAT, OMEGA_SANDBOX_BY_NAME);
}

static void
test_new_file_is_made_with_its_mode(void **state)
{
	const char *path = in_root(&home, "free/new");
	mode_t mask = umask(027);
	struct stat st;
	int fd = -1;

	(void)state;
	assert_int_equal(omega_sandbox_open_checked(guard, path,
			     O_WRONLY | O_CREAT, 0666, &fd, NULL, NULL),
	    OMEGA_SANDBOX_OK);
	umask(mask);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	/* A second time it exists, and keeps its content. */
	fd = must_open(path, O_RDWR | O_CREAT);
	close(fd);
	assert_content(path, "x");
	assert_fails(path, O_RDWR | O_CREAT | O_EXCL, EEXIST);
}

static void
test_new_file_is_made_where_a_dangling_link_leads(void **state)
{
	int fd;

	(void)state;
	make_link("free/later", in_root(&home, "l"));
	make_link("l", in_root(&home, "m"));
	make_link("free", in_root(&home, "d"));
	fd = must_open(in_root(&home, "m"), O_WRONLY | O_CREAT);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	assert_content(in_root(&home, "free/later"), "x");
	fd = must_open(in_root(&home, "d/other"), O_WRONLY | O_CREAT | O_EXCL);
	close(fd);
	assert_true(exists(in_root(&home, "free/other")));
	/* O_EXCL takes no link, O_NOFOLLOW neither. */
	make_link("free/never", in_root(&home, "n"));
	assert_fails(in_root(&home, "n"), O_WRONLY | O_CREAT | O_EXCL, EEXIST);
	assert_fails(
	    in_root(&home, "n"), O_WRONLY | O_CREAT | O_NOFOLLOW, ELOOP);
	assert_false(exists(in_root(&home, "free/never")));
}

static void
test_nofollow_refuses_links_and_takes_files(void **state)
{
	int fd;

	(void)state;
	make_link("free/plain", in_root(&home, "l"));
	make_link("free", in_root(&home, "d"));
	assert_fails(in_root(&home, "l"), O_RDONLY | O_NOFOLLOW, ELOOP);
	fd = must_open(in_root(&home, "d/plain"), O_RDONLY | O_NOFOLLOW);
	close(fd);
	fd = must_open(in_root(&home, "l"), O_RDONLY);
	close(fd);
}

/* ---- as open(2) has it -------------------------------------------------- */

/* Try both on a path of its own tree, and compare what came of it. */
static bool
opens_alike(const char *name, int flags)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	const char *path = in_root(&home, name);
	int ours = -1;
	int theirs;
	int expected;
	int got;
	bool made = !exists(path);

	/* Non-blocking, or a pipe would wait for its other end. */
	flags |= O_NONBLOCK | O_CLOEXEC;
	theirs = open(path, flags, 0600);
	expected = theirs < 0 ? errno : 0;
	if (theirs >= 0)
		close(theirs);
	if (made && expected == 0)
		unlink(path);
	unlink(in_root(&home, "free/nothing"));
	got = omega_sandbox_open_checked(
		  guard, path, flags, 0600, &ours, NULL, &error) == 0
		  ? 0
		  : error.sys_errno;
	if (ours >= 0)
		close(ours);
	if (made && got == 0)
		unlink(path);
	unlink(in_root(&home, "free/nothing"));
	if (got == expected)
		return true;
	printf("# %s, flags 0%o: %s, open(2): %s\n", name, (unsigned)flags,
	    strerror(got), strerror(expected));
	return false;
}

static void
test_answers_are_those_of_open(void **state)
{
	static const char *const names[] = {"plain", "plain/", "plain/x", "sub",
	    "sub/", "none", "none/", "none/x", "link", "link/", "dirlink",
	    "dirlink/", "dirlink/plain", "dangling", "dangling/", "dangling/x",
	    "pipe", "socket", "sub/..", "sub/../plain", "", "/"};
	static const int accesses[] = {O_RDONLY, O_WRONLY, O_RDWR};
	static const int further[] = {0, O_CREAT, O_CREAT | O_EXCL, O_TRUNC,
	    O_NOFOLLOW, O_DIRECTORY, O_DIRECTORY | O_NOFOLLOW,
	    O_CREAT | O_NOFOLLOW, O_CREAT | O_TRUNC, O_APPEND};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t i;
	size_t j;
	size_t k;
	int wrong = 0;

	(void)state;
	make_link("plain", in_root(&home, "free/link"));
	make_link("sub", in_root(&home, "free/dirlink"));
	make_file(in_root(&home, "free/sub/plain"), "");
	make_link("nothing", in_root(&home, "free/dangling"));
	assert_int_equal(mkfifo(in_root(&home, "free/pipe"), 0600), 0);
	assert_int_equal(chdir(in_root(&home, "free")), 0);
	strcpy(address.sun_path, "socket");
	assert_int_equal(
	    bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(chdir("/"), 0);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (j = 0; j < sizeof(accesses) / sizeof(accesses[0]); j++)
			for (k = 0; k < sizeof(further) / sizeof(further[0]);
			     k++)
				if (!opens_alike(text("free/%s", names[i]),
					accesses[j] | further[k]))
					wrong++;
	close(listener);
	assert_int_equal(wrong, 0);
}

static int
open_without_permission(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	int fd;

	(void)arg;
	child_expect(
	    omega_sandbox_open_checked(guard, in_root(&home, "free/mine"),
		O_RDONLY, 0, &fd, NULL, &error) == OMEGA_SANDBOX_E_SYSTEM);
	child_expect(error.sys_errno == EACCES);
	child_expect(omega_sandbox_open_checked(guard,
			 in_root(&home, "free/ro"), O_WRONLY | O_TRUNC, 0, &fd,
			 NULL, &error) == OMEGA_SANDBOX_E_SYSTEM);
	child_expect(error.sys_errno == EACCES);
	child_expect(
	    omega_sandbox_open_checked(guard, in_root(&home, "locked/x"),
		O_RDONLY, 0, &fd, NULL, &error) == OMEGA_SANDBOX_E_SYSTEM);
	child_expect(error.sys_errno == EACCES);
	child_expect(
	    omega_sandbox_open_checked(guard, in_root(&home, "free/ro"),
		O_RDONLY, 0, &fd, NULL, &error) == OMEGA_SANDBOX_OK);
	return 0;
}

static void
test_permissions_of_the_file_system_still_count(void **state)
{
	(void)state;
	make_file(in_root(&home, "free/mine"), HARMLESS);
	make_file(in_root(&home, "free/ro"), HARMLESS);
	make_file(in_root(&home, "locked/x"), HARMLESS);
	assert_int_equal(chmod(in_root(&home, "free/mine"), 0), 0);
	assert_int_equal(chmod(in_root(&home, "free/ro"), 0444), 0);
	assert_int_equal(chmod(in_root(&home, "locked"), 0), 0);
	assert_int_equal(in_user_child(open_without_permission, NULL), 0);
	assert_content(in_root(&home, "free/ro"), HARMLESS);
}

static void
test_flags_that_are_not_taken_are_an_argument_error(void **state)
{
	static const int flags[] = {O_PATH, O_PATH | O_DIRECTORY,
	    O_TMPFILE | O_RDWR, O_TMPFILE | O_WRONLY, O_DIRECT, O_ASYNC,
	    O_ACCMODE, O_CREAT | O_DIRECTORY, 1 << 30};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		int before = count_descriptors();
		int fd = 4711;

		assert_int_equal(
		    omega_sandbox_open_checked(guard, in_root(&home, "free"),
			flags[i], 0600, &fd, NULL, &error),
		    OMEGA_SANDBOX_E_ARGUMENT);
		assert_int_equal(error.code, OMEGA_SANDBOX_E_ARGUMENT);
		assert_int_equal(fd, -1);
		assert_int_equal(
		    omega_sandbox_open_checked(guard, in_dir(&home, "data"),
			flags[i], 0600, &fd, NULL, &error),
		    OMEGA_SANDBOX_E_ARGUMENT);
		assert_int_equal(count_descriptors(), before);
	}
}

#define fresh(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_free_file_is_opened_and_read),
	    fresh(test_free_file_is_opened_for_writing),
	    fresh(test_links_to_free_places_are_followed),
	    fresh(test_directory_is_opened),
	    fresh(test_system_file_is_opened_for_reading_only),
	    fresh(test_new_file_is_made_with_its_mode),
	    fresh(test_new_file_is_made_where_a_dangling_link_leads),
	    fresh(test_nofollow_refuses_links_and_takes_files),
	    fresh(test_answers_are_those_of_open),
	    fresh(test_permissions_of_the_file_system_still_count),
	    fresh(test_flags_that_are_not_taken_are_an_argument_error),
	};

	return run_all(tests);
}
