/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-trust.c - who can change what we are about to believe:
 * core/load/trust.c, idmap-linux.c and secure.c.
 *
 * Every tree is the test's own. What needs files of another user is done as
 * root and otherwise skipped; the judgement itself is then asked for as root,
 * as an ordinary user, and in a user namespace.
 */

#include "harness.h"

#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/idmap.h"
#include "load/secure.h"
#include "load/trust.h"

/* Neither root nor the spare user. */
#define STRANGER 61952

/* One question and its answer. Checked in whatever child is right. */
struct row {
	const char *path;
	enum omega_trust_type type;
	int ret; /* 0 for any descriptor */
	int code; /* 0: error is not touched */
	const char *part; /* of the message */
	const char *also; /* of the message, or NULL */
	int is_roots; /* -1: do not care */
};

static int
judge(void *arg)
{
	const struct row *row = arg;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	int before = count_descriptors();
	bool is_roots = false;
	int ret = omega_trust_open(row->path, row->type, &is_roots, &error);
	bool ok = row->ret == 0 ? ret >= 0 : ret == row->ret;

	ok = ok && error.code == row->code;
	if (row->part != NULL)
		ok = ok && strstr(error.text, row->part) != NULL;
	if (row->also != NULL)
		ok = ok && strstr(error.text, row->also) != NULL;
	if (ret >= 0 && row->is_roots >= 0)
		ok = ok && is_roots == (row->is_roots == 1);
	if (ret >= 0) {
		ok = ok && (fcntl(ret, F_GETFD) & FD_CLOEXEC) != 0;
		ok = ok && (fcntl(ret, F_GETFL) & O_ACCMODE) == O_RDONLY;
		close(ret);
	}
	ok = ok && count_descriptors() == before;
	if (!ok)
		print_error("%s: returned %d, code %d, root's %d, '%s'\n",
		    row->path, ret, error.code, is_roots, error.text);
	return ok ? 0 : 1;
}

static void
assert_judged(const struct row *row)
{
	struct row copy = *row;

	assert_int_equal(in_child(judge, &copy), 0);
}

static void
assert_judged_by_user(const struct row *row)
{
	struct row copy = *row;

	assert_int_equal(in_user_child(judge, &copy), 0);
}

static void
assert_trusted(const char *path, enum omega_trust_type type)
{
	struct row row = {.path = path, .type = type, .is_roots = -1};

	assert_judged(&row);
}

static void
assert_refused(const char *path, enum omega_trust_type type, const char *part,
    const char *also)
{
	struct row row = {.path = path,
	    .type = type,
	    .ret = -EPERM,
	    .code = OMEGA_SANDBOX_E_TRUST,
	    .part = part,
	    .also = also};

	assert_judged(&row);
}

static void
assert_missing(const char *path)
{
	struct row row = {.path = path, .ret = -ENOENT};

	assert_judged(&row);
}

static void
set_mode(const char *path, mode_t mode)
{
	if (chmod(path, mode) != 0)
		fail_msg("chmod %s: %s", path, strerror(errno));
}

static void
set_owner(const char *path, uid_t uid)
{
	if (lchown(path, uid, uid) != 0)
		fail_msg("chown %s: %s", path, strerror(errno));
}

static void
need_root(void)
{
	if (geteuid() != 0)
		skip_because("only root can make files of another user");
}

/* A tree of our own that nothing is wrong with: DIR/a/b/file. */
static char *
good_tree(void)
{
	static char dir[PATH_MAX];
	mode_t saved = umask(022);

	snprintf(dir, sizeof(dir), "%s", scratch_dir());
	set_mode(dir, 0755);
	make_file(text("%s/a/b/file", dir), "content");
	umask(saved);
	set_mode(text("%s/a/b/file", dir), 0644);
	return dir;
}

/* ---- What is trusted ---------------------------------------------------- */

static void
test_good_file_is_opened_for_reading(void **state)
{
	const char *dir = good_tree();
	char content[16] = "";
	int fd;

	(void)state;
	fd = omega_trust_open(
	    text("%s/a/b/file", dir), OMEGA_TRUST_FILE, NULL, NULL);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, content, sizeof(content) - 1), 7);
	assert_string_equal(content, "content");
	close(fd);
}

static void
test_good_directory_is_opened(void **state)
{
	const char *dir = good_tree();

	(void)state;
	assert_trusted(text("%s/a/b", dir), OMEGA_TRUST_DIRECTORY);
	assert_trusted("/", OMEGA_TRUST_DIRECTORY);
}

static void
test_spelling_does_not_matter(void **state)
{
	const char *dir = good_tree();

	(void)state;
	assert_trusted(text("/%s//a/./b/../b/file", dir), OMEGA_TRUST_FILE);
	assert_trusted(text("/../..%s/a/b/file", dir), OMEGA_TRUST_FILE);
	assert_trusted(text("%s/a/b//", dir), OMEGA_TRUST_DIRECTORY);
	assert_trusted(text("%s/a/b/.", dir), OMEGA_TRUST_DIRECTORY);
	assert_trusted(text("%s/a/b/..", dir), OMEGA_TRUST_DIRECTORY);
	assert_trusted("/..", OMEGA_TRUST_DIRECTORY);
}

static void
test_roots_files_are_good_for_everybody(void **state)
{
	struct row row = {.path = "/etc/passwd", .is_roots = 1};

	(void)state;
	if (access(row.path, R_OK) != 0)
		skip_because("no /etc/passwd here");
	assert_judged(&row);
	assert_judged_by_user(&row);
}

static void
test_own_files_are_good_but_not_roots(void **state)
{
	const char *dir = good_tree();
	struct row row = {
	    .path = text("%s/a/b/file", dir), .is_roots = geteuid() == 0};

	(void)state;
	assert_judged(&row);
	if (geteuid() != 0)
		return;
	set_owner(text("%s/a/b/file", dir), SPARE_UID);
	row.is_roots = 0;
	assert_judged_by_user(&row);
	set_owner(text("%s/a/b/file", dir), 0);
	set_owner(text("%s/a", dir), SPARE_UID);
	assert_judged_by_user(&row);
}

static void
test_unreadable_directory_is_walked_through(void **state)
{
	const char *dir = good_tree();
	struct row row = {.path = text("%s/a/b/file", dir), .is_roots = -1};

	(void)state;
	set_mode(text("%s/a", dir), 0711);
	set_mode(text("%s/a/b", dir), 0711);
	assert_judged_by_user(&row);
}

/* ---- What is not there -------------------------------------------------- */

static void
test_missing_is_told_apart_from_wrong(void **state)
{
	const char *dir = good_tree();

	(void)state;
	assert_missing(text("%s/a/b/none", dir));
	assert_missing(text("%s/a/none/file", dir));
	assert_missing(text("%s/none/../a/b/file", dir));
}

static void
test_behind_a_link_missing_is_still_missing(void **state)
{
	const char *dir = good_tree();

	(void)state;
	make_link("a/b", text("%s/link", dir));
	assert_missing(text("%s/link/none", dir));
}

static void
test_link_to_nothing_is_not_missing(void **state)
{
	const char *dir = good_tree();
	struct row row = {.ret = -ENOLINK,
	    .code = OMEGA_SANDBOX_E_SYSTEM,
	    .part = "leads to",
	    .also = text("%s/a/gone", dir)};

	(void)state;
	make_link("a/gone", text("%s/link", dir));
	make_link("a/gone/file", text("%s/link2", dir));
	row.path = text("%s/link", dir);
	assert_judged(&row);
	row.path = text("%s/link2", dir);
	assert_judged(&row);
}

static void
test_wrong_arguments_are_system_errors(void **state)
{
	char name[NAME_MAX + 3];
	char path[2 * PATH_MAX];
	struct row row = {.code = OMEGA_SANDBOX_E_SYSTEM};

	(void)state;
	row.ret = -EINVAL;
	row.part = "not an absolute path";
	row.path = "";
	assert_judged(&row);
	row.path = "a/b";
	assert_judged(&row);
	assert_int_equal(
	    omega_trust_open(NULL, OMEGA_TRUST_FILE, NULL, NULL), -EINVAL);

	row.ret = -ENAMETOOLONG;
	row.part = "too long";
	memset(name, 'n', sizeof(name));
	name[0] = '/';
	name[sizeof(name) - 1] = '\0';
	row.path = name;
	assert_judged(&row);
	memset(path, '/', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	row.path = path;
	assert_judged(&row);
}

static void
test_what_may_not_be_read_is_a_system_error(void **state)
{
	const char *dir = good_tree();
	struct row row = {
	    .path = text("%s/a/b/file", dir),
	    .ret = -EACCES,
	    .code = OMEGA_SANDBOX_E_SYSTEM,
	};

	(void)state;
	set_mode(text("%s/a/b/file", dir), 0);
	row.part = "cannot open";
	row.also = row.path;
	assert_judged_by_user(&row);
	set_mode(text("%s/a/b", dir), 0);
	row.part = "cannot search";
	row.also = text("%s/a/b:", dir);
	assert_judged_by_user(&row);
}

/* ---- What is not of the right type -------------------------------------- */

static void
test_not_a_file_is_refused(void **state)
{
	const char *dir = good_tree();

	(void)state;
	assert_int_equal(mkfifo(text("%s/pipe", dir), 0600), 0);
	make_link("pipe", text("%s/link", dir));
	assert_refused(text("%s/pipe", dir), OMEGA_TRUST_FILE,
	    "is a named pipe, not a regular file", text("%s/pipe", dir));
	assert_refused(text("%s/link", dir), OMEGA_TRUST_FILE,
	    "is a named pipe, not a regular file", text("%s/pipe", dir));
	assert_refused(text("%s/a", dir), OMEGA_TRUST_FILE,
	    "is a directory, not a regular file", text("%s/a", dir));
	assert_refused("/", OMEGA_TRUST_FILE,
	    "/ is a directory, not a regular file", NULL);
	assert_refused("/dev/null", OMEGA_TRUST_FILE,
	    "is a device, not a regular file", NULL);
}

static void
test_not_a_directory_is_refused(void **state)
{
	const char *dir = good_tree();
	struct row row = {.path = text("%s/a/b/file/more", dir),
	    .ret = -ENOTDIR,
	    .code = OMEGA_SANDBOX_E_SYSTEM,
	    .part = "cannot enter",
	    .also = text("%s/a/b/file", dir)};

	(void)state;
	assert_refused(text("%s/a/b/file", dir), OMEGA_TRUST_DIRECTORY,
	    "is a regular file, not a directory", NULL);
	assert_refused(text("%s/a/b/file/", dir), OMEGA_TRUST_FILE,
	    "is a regular file, not a directory", NULL);
	assert_judged(&row);
	row.path = text("%s/a/b/file/..", dir);
	assert_judged(&row);
}

/* ---- Who can write it --------------------------------------------------- */

static void
test_writable_file_is_refused(void **state)
{
	const char *dir = good_tree();
	char *file = text("%s/a/b/file", dir);

	(void)state;
	set_mode(file, 0646);
	assert_refused(file, OMEGA_TRUST_FILE,
	    "can be written by everybody (mode 0646)",
	    text("chmod go-w %s", file));
	set_mode(file, 0664);
	assert_refused(file, OMEGA_TRUST_FILE, "can be written by its group",
	    text("(mode 0664); mend it with: chmod go-w %s", file));
}

static void
test_writable_parent_is_refused(void **state)
{
	const char *dir = good_tree();
	char *file = text("%s/a/b/file", dir);
	char *parent = text("%s/a/b", dir);
	char *above = text("%s/a", dir);

	(void)state;
	set_mode(parent, 0777);
	assert_refused(file, OMEGA_TRUST_FILE,
	    "can be written by everybody (mode 0777)",
	    text("chmod go-w %s", parent));
	assert_refused(parent, OMEGA_TRUST_DIRECTORY,
	    "can be written by everybody (mode 0777)", NULL);
	set_mode(parent, 0755);
	set_mode(above, 0775);
	assert_refused(file, OMEGA_TRUST_FILE, "can be written by its group",
	    text("chmod go-w %s", above));
}

/* One more user may write, by an access control list. */
static void
test_access_control_list_shows_in_the_mode(void **state)
{
	/* Version 2, then tag, permissions and id of: owner, user 61952,
	 * group, mask, others; least significant byte first. */
	static const unsigned char list[] = {2, 0, 0, 0, 0x01, 0, 6, 0, 0xff,
	    0xff, 0xff, 0xff, 0x02, 0, 6, 0, 0x00, 0xf2, 0, 0, 0x04, 0, 4, 0,
	    0xff, 0xff, 0xff, 0xff, 0x10, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, 0x20,
	    0, 4, 0, 0xff, 0xff, 0xff, 0xff};
	const char *dir = good_tree();
	char *file = text("%s/a/b/file", dir);

	(void)state;
	if (setxattr(file, "system.posix_acl_access", list, sizeof(list), 0) !=
	    0)
		skip_because("no access control lists: %s", strerror(errno));
	assert_refused(file, OMEGA_TRUST_FILE, "can be written by its group",
	    "(mode 0664)");
}

/* A wrong directory decides even over what is not there. */
static void
test_missing_in_a_writable_directory_is_refused(void **state)
{
	const char *dir = good_tree();

	(void)state;
	set_mode(text("%s/a", dir), 0777);
	assert_refused(text("%s/a/none", dir), OMEGA_TRUST_FILE,
	    "can be written by everybody", NULL);
}

static void
test_sticky_directory_is_good_for_our_entries(void **state)
{
	const char *dir = good_tree();

	(void)state;
	set_mode(text("%s/a/b", dir), 01777);
	assert_trusted(text("%s/a/b/file", dir), OMEGA_TRUST_FILE);
	set_mode(text("%s/a/b", dir), 01775);
	assert_trusted(text("%s/a/b/file", dir), OMEGA_TRUST_FILE);
	set_mode(text("%s/a", dir), 01777);
	assert_trusted(text("%s/a/b/file", dir), OMEGA_TRUST_FILE);
}

/* Its names are what such a directory is opened for. */
static void
test_sticky_directory_at_the_end_is_refused(void **state)
{
	const char *dir = good_tree();

	(void)state;
	set_mode(text("%s/a/b", dir), 01777);
	assert_refused(text("%s/a/b", dir), OMEGA_TRUST_DIRECTORY,
	    "can be written by everybody (mode 1777)", "chmod go-w");
}

static void
test_sticky_directory_does_not_excuse_the_file(void **state)
{
	const char *dir = good_tree();

	(void)state;
	set_mode(text("%s/a/b", dir), 01777);
	set_mode(text("%s/a/b/file", dir), 0666);
	assert_refused(text("%s/a/b/file", dir), OMEGA_TRUST_FILE,
	    "can be written by everybody (mode 0666)", NULL);
}

static void
test_hard_link_in_a_sticky_directory_is_refused(void **state)
{
	const char *dir = good_tree();

	(void)state;
	make_hard_link(text("%s/a/b/file", dir), text("%s/a/b/planted", dir));
	assert_trusted(text("%s/a/b/planted", dir), OMEGA_TRUST_FILE);
	set_mode(text("%s/a/b", dir), 01777);
	assert_refused(text("%s/a/b/planted", dir), OMEGA_TRUST_FILE,
	    "has 2 names", "use a copy");
}

/* ---- Whose it is -------------------------------------------------------- */

static void
test_strangers_file_is_refused(void **state)
{
	const char *dir = good_tree();
	char *file = text("%s/a/b/file", dir);

	(void)state;
	need_root();
	set_owner(file, STRANGER);
	assert_refused(file, OMEGA_TRUST_FILE,
	    "belongs to uid 61952, not to root;", text("chown root %s", file));
}

static void
test_strangers_parent_is_refused(void **state)
{
	const char *dir = good_tree();
	char *above = text("%s/a", dir);

	(void)state;
	need_root();
	set_owner(above, STRANGER);
	assert_refused(text("%s/a/b/file", dir), OMEGA_TRUST_FILE,
	    text("%s belongs to uid 61952", above),
	    text("chown root %s", above));
	assert_refused(text("%s/a/b", dir), OMEGA_TRUST_DIRECTORY,
	    "belongs to uid 61952", NULL);
}

static void
test_user_is_told_who_it_is(void **state)
{
	const char *dir = good_tree();
	char *file = text("%s/a/b/file", dir);
	struct row row = {.path = file,
	    .ret = -EPERM,
	    .code = OMEGA_SANDBOX_E_TRUST,
	    .part = "belongs to uid 61952, not to root or to the caller "
		    "(uid 61951)",
	    .also = text("chown root %s", file)};

	(void)state;
	need_root();
	set_owner(file, STRANGER);
	assert_judged_by_user(&row);
}

static void
test_strangers_entry_in_a_sticky_directory_is_refused(void **state)
{
	const char *dir = good_tree();

	(void)state;
	need_root();
	set_mode(text("%s/a", dir), 01777);
	set_owner(text("%s/a/b", dir), STRANGER);
	assert_refused(text("%s/a/b/file", dir), OMEGA_TRUST_FILE,
	    text("%s/a/b belongs to uid 61952", dir), NULL);
}

/* The effective user is who opens files, so it is the one who counts. */
static int
judge_as_effective_user(void *arg)
{
	if (seteuid(SPARE_UID) != 0)
		return 98;
	return judge(arg);
}

static void
test_effective_user_is_the_caller(void **state)
{
	const char *dir = good_tree();
	struct row row = {.path = text("%s/a/b/file", dir), .is_roots = 0};

	(void)state;
	need_root();
	set_owner(row.path, SPARE_UID);
	assert_int_equal(in_child(judge_as_effective_user, &row), 0);
	row.ret = -EPERM;
	row.code = OMEGA_SANDBOX_E_TRUST;
	assert_judged(&row);
}

/* ---- Symbolic links ----------------------------------------------------- */

static void
test_links_in_good_directories_are_followed(void **state)
{
	const char *dir = good_tree();

	(void)state;
	make_link("b/file", text("%s/a/relative", dir));
	make_link(text("%s/a/b/file", dir), text("%s/a/absolute", dir));
	make_link("../a/./b//", text("%s/a/dir", dir));
	make_link("dir/file", text("%s/a/twice", dir));
	assert_trusted(text("%s/a/relative", dir), OMEGA_TRUST_FILE);
	assert_trusted(text("%s/a/absolute", dir), OMEGA_TRUST_FILE);
	assert_trusted(text("%s/a/dir/file", dir), OMEGA_TRUST_FILE);
	assert_trusted(text("%s/a/twice", dir), OMEGA_TRUST_FILE);
	assert_trusted(text("%s/a/dir", dir), OMEGA_TRUST_DIRECTORY);
	assert_trusted(text("%s/a/dir/..", dir), OMEGA_TRUST_DIRECTORY);
}

static void
test_way_of_a_link_is_checked(void **state)
{
	const char *dir = good_tree();

	(void)state;
	make_file(text("%s/open/file", dir), "");
	set_mode(text("%s/open", dir), 0777);
	make_link("../open/file", text("%s/a/link", dir));
	make_link(text("%s/open/../a/b/file", dir), text("%s/a/out", dir));
	assert_refused(text("%s/a/link", dir), OMEGA_TRUST_FILE,
	    text("%s/open can be written by everybody", dir), NULL);
	assert_refused(text("%s/a/out", dir), OMEGA_TRUST_FILE,
	    text("%s/open can be written by everybody", dir), NULL);
}

static void
test_link_in_a_writable_directory_is_not_followed(void **state)
{
	const char *dir = good_tree();

	(void)state;
	make_link("../a/b/file", text("%s/open/link", dir));
	set_mode(text("%s/open", dir), 0777);
	assert_refused(text("%s/open/link", dir), OMEGA_TRUST_FILE,
	    text("%s/open can be written by everybody", dir), NULL);
}

static void
test_link_in_a_sticky_directory_must_be_ours(void **state)
{
	const char *dir = good_tree();

	(void)state;
	make_link("../a/b/file", text("%s/open/link", dir));
	set_mode(text("%s/open", dir), 01777);
	assert_trusted(text("%s/open/link", dir), OMEGA_TRUST_FILE);
	need_root();
	set_owner(text("%s/open/link", dir), STRANGER);
	assert_refused(text("%s/open/link", dir), OMEGA_TRUST_FILE,
	    "is a symbolic link that belongs to uid 61952",
	    text("chown -h root %s/open/link", dir));
}

static void
test_too_many_links_are_refused(void **state)
{
	const char *dir = good_tree();
	struct row row = {.ret = -ELOOP,
	    .code = OMEGA_SANDBOX_E_SYSTEM,
	    .part = "cannot follow"};
	int i;

	(void)state;
	make_link("loop", text("%s/a/loop", dir));
	row.path = text("%s/a/loop", dir);
	assert_judged(&row);

	make_link("b/file", text("%s/a/l0", dir));
	for (i = 1; i <= 40; i++)
		make_link(text("l%d", i - 1), text("%s/a/l%d", dir, i));
	assert_trusted(text("%s/a/l39", dir), OMEGA_TRUST_FILE);
	row.path = text("%s/a/l40", dir);
	assert_judged(&row);
}

/* Each link makes the rest longer; the buffer has an end. */
static void
test_growing_links_are_refused(void **state)
{
	const char *dir = good_tree();
	char target[4000];
	struct row row = {.path = text("%s/a/grow", dir),
	    .ret = -ENAMETOOLONG,
	    .code = OMEGA_SANDBOX_E_SYSTEM,
	    .part = "cannot follow"};
	size_t i;

	(void)state;
	for (i = 0; i + 2 < sizeof(target); i += 2)
		memcpy(target + i, "./", 2);
	memcpy(target, "grow/", 5);
	target[i] = '\0';
	make_link(target, row.path);
	assert_judged(&row);
}

/* ---- Messages ----------------------------------------------------------- */

static void
test_command_is_quoted_for_the_shell(void **state)
{
	const char *dir = good_tree();

	(void)state;
	make_file(text("%s/it's $(odd)", dir), "");
	set_mode(text("%s/it's $(odd)", dir), 0666);
	assert_refused(text("%s/it's $(odd)", dir), OMEGA_TRUST_FILE,
	    text("chmod go-w '%s/it'\\''s $(odd)'", dir), NULL);
}

static void
test_command_is_whole_or_not_there(void **state)
{
	char path[600];
	char name[200];
	const char *dir = good_tree();

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(path, sizeof(path), "%s/%s/%s", dir, name, name);
	make_file(path, "");
	set_mode(path, 0666);
	assert_refused(path, OMEGA_TRUST_FILE, path, "chmod go-w (that path)");
}

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
	return judge(&copy);
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
	return unshare(CLONE_NEWUSER) != 0 ? CANNOT_MOUNT : judge(arg);
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
	struct row row = {.path = "/etc/passwd", .is_roots = 1};

	(void)state;
	if (access(row.path, R_OK) != 0)
		skip_because("no /etc/passwd here");
	assert_judged_in_namespace(judge_as_namespace_root, &row);
	assert_judged_in_namespace(judge_as_namespace_user, &row);
	assert_judged_in_namespace(judge_unmapped, &row);
}

/* 65534 is an ordinary owner when there is no user namespace. */
static void
test_nobody_is_a_stranger_outside_of_a_namespace(void **state)
{
	const char *dir = good_tree();
	struct row row = {.path = text("%s/a/b/file", dir),
	    .ret = -EPERM,
	    .code = OMEGA_SANDBOX_E_TRUST,
	    .part = "belongs to uid 65534"};
	struct omega_idmap map;

	(void)state;
	need_root();
	omega_idmap_read(&map);
	if (map.is_namespace)
		skip_because("this is a user namespace already");
	set_owner(row.path, 65534);
	assert_judged(&row);
	assert_judged_by_user(&row);
}

/* In a user namespace uid 0 is the caller, whatever it is called. */
static void
test_namespace_root_is_not_root(void **state)
{
	struct row row = {.is_roots = 0};
	const char *dir = good_tree();

	(void)state;
	row.path = text("%s/a/b/file", dir);
	need_root();
	set_owner(dir, SPARE_UID);
	set_owner(row.path, SPARE_UID);
	/* /tmp is sticky: what is in it must have an owner we know. */
	set_owner(text("%s/..", dir), SPARE_UID);
	assert_judged_in_namespace(judge_as_namespace_root, &row);
	set_owner(text("%s/..", dir), 0);
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
	set_mode("/mnt/file", 0644);
	set_owner("/mnt/file", SPARE_UID);
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
	need_root();
	status = in_mount_child(judge_own_file_unmapped, &row);
	if (status == CANNOT_MOUNT)
		skip_because("mounts or user namespaces are forbidden here");
	assert_int_equal(status, 0);
}

static void
test_unmapped_owner_in_a_sticky_directory_is_refused(void **state)
{
	struct row row = {.path = text("%s/a/b/file", good_tree()),
	    .ret = -EPERM,
	    .code = OMEGA_SANDBOX_E_TRUST,
	    .part = "belongs to a user unknown in this user namespace",
	    .also = "everybody can put files there"};

	(void)state;
	need_root();
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
	struct omega_idmap map;

	omega_idmap_parse(&map, uid_map, overflow);
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

/* ---- Raised privileges -------------------------------------------------- */

static void
test_ordinary_process_is_not_raised(void **state)
{
	(void)state;
	errno = E2BIG;
	assert_false(omega_secure_is_raised());
	assert_int_equal(errno, E2BIG);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_good_file_is_opened_for_reading),
	    cmocka_unit_test(test_good_directory_is_opened),
	    cmocka_unit_test(test_spelling_does_not_matter),
	    cmocka_unit_test(test_roots_files_are_good_for_everybody),
	    cmocka_unit_test(test_own_files_are_good_but_not_roots),
	    cmocka_unit_test(test_unreadable_directory_is_walked_through),
	    cmocka_unit_test(test_missing_is_told_apart_from_wrong),
	    cmocka_unit_test(test_behind_a_link_missing_is_still_missing),
	    cmocka_unit_test(test_link_to_nothing_is_not_missing),
	    cmocka_unit_test(test_wrong_arguments_are_system_errors),
	    cmocka_unit_test(test_what_may_not_be_read_is_a_system_error),
	    cmocka_unit_test(test_not_a_file_is_refused),
	    cmocka_unit_test(test_not_a_directory_is_refused),
	    cmocka_unit_test(test_writable_file_is_refused),
	    cmocka_unit_test(test_writable_parent_is_refused),
	    cmocka_unit_test(test_access_control_list_shows_in_the_mode),
	    cmocka_unit_test(test_missing_in_a_writable_directory_is_refused),
	    cmocka_unit_test(test_sticky_directory_is_good_for_our_entries),
	    cmocka_unit_test(test_sticky_directory_at_the_end_is_refused),
	    cmocka_unit_test(test_sticky_directory_does_not_excuse_the_file),
	    cmocka_unit_test(test_hard_link_in_a_sticky_directory_is_refused),
	    cmocka_unit_test(test_strangers_file_is_refused),
	    cmocka_unit_test(test_strangers_parent_is_refused),
	    cmocka_unit_test(test_user_is_told_who_it_is),
	    cmocka_unit_test(
		test_strangers_entry_in_a_sticky_directory_is_refused),
	    cmocka_unit_test(test_effective_user_is_the_caller),
	    cmocka_unit_test(test_links_in_good_directories_are_followed),
	    cmocka_unit_test(test_way_of_a_link_is_checked),
	    cmocka_unit_test(test_link_in_a_writable_directory_is_not_followed),
	    cmocka_unit_test(test_link_in_a_sticky_directory_must_be_ours),
	    cmocka_unit_test(test_too_many_links_are_refused),
	    cmocka_unit_test(test_growing_links_are_refused),
	    cmocka_unit_test(test_command_is_quoted_for_the_shell),
	    cmocka_unit_test(test_command_is_whole_or_not_there),
	    cmocka_unit_test(test_unmapped_owner_counts_as_root),
	    cmocka_unit_test(test_nobody_is_a_stranger_outside_of_a_namespace),
	    cmocka_unit_test(test_namespace_root_is_not_root),
	    cmocka_unit_test(test_unmapped_owner_must_not_be_writable_for_us),
	    cmocka_unit_test(
		test_unmapped_owner_in_a_sticky_directory_is_refused),
	    cmocka_unit_test(test_map_tells_who_is_unmapped),
	    cmocka_unit_test(test_ordinary_process_is_not_raised),
	};

	return run_all(tests);
}
