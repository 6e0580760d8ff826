/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * judging.c - see judging.h.
 */

#include "judging.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/rights.h"
#include "path/trust.h"

int
judging_judge(void *arg)
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

void
judging_expect(const struct row *row)
{
	struct row copy = *row;

	assert_int_equal(in_child(judging_judge, &copy), 0);
}

void
judging_expect_by_user(const struct row *row)
{
	struct row copy = *row;

	assert_int_equal(in_user_child(judging_judge, &copy), 0);
}

void
judging_trusted(const char *path, enum omega_trust_type type)
{
	struct row row = {.path = path, .type = type, .is_roots = -1};

	judging_expect(&row);
}

void
judging_refused(const char *path, enum omega_trust_type type, const char *part,
    const char *also)
{
	struct row row = {.path = path,
	    .type = type,
	    .ret = -EPERM,
	    .code = OMEGA_SANDBOX_E_TRUST,
	    .part = part,
	    .also = also};

	judging_expect(&row);
}

void
judging_missing(const char *path)
{
	struct row row = {.path = path, .ret = -ENOENT};

	judging_expect(&row);
}

void
judging_set_mode(const char *path, mode_t mode)
{
	if (chmod(path, mode) != 0)
		fail_msg("chmod %s: %s", path, strerror(errno));
}

void
judging_set_owner(const char *path, uid_t uid)
{
	if (lchown(path, uid, uid) != 0)
		fail_msg("chown %s: %s", path, strerror(errno));
}

void
judging_need_root(void)
{
	if (geteuid() != 0)
		skip_because("only root can make files of another user");
}

char *
judging_tree(void)
{
	mode_t saved = umask(022);
	char *dir = scratch_dir();

	judging_set_mode(dir, 0755);
	make_file(text("%s/a/b/file", dir), "content");
	umask(saved);
	judging_set_mode(text("%s/a/b/file", dir), 0644);
	return dir;
}
