/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * fuzz-path.c - arbitrary texts as path, data_dir and config_path.
 *
 * The input is up to three texts with a zero byte between them; "@" stands
 * for the root of a small tree that is made at the start. Without a second
 * text the data directory is @/o, without a third there is no config_path.
 *
 * Built with -fsanitize=fuzzer this is a libFuzzer target. With
 * FUZZ_STANDALONE defined it is a plain program that runs over the files and
 * directories named on its command line and prints TAP.
 */

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "reference.h"

/* Longer than any text the system takes, with room to double every byte. */
#define TEXT_SIZE (4 * PATH_MAX)

/* The reference takes its time; long paths are for the other rules. */
#define REFERENCE_MAX 1024

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct question {
	char path[TEXT_SIZE];
	char data_dir[TEXT_SIZE];
	char config_path[TEXT_SIZE];
	const char *config; /* config_path, or NULL */
};

static char root[PATH_MAX];
static char usual_dir[2 * PATH_MAX];		/* @/o */
static struct omega_sandbox_guard *usual_guard; /* for it alone */
static bool can_compare;			/* with the reference */

/* ---- The tree ----------------------------------------------------------- */

static int
remove_entry(
    const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)type;
	(void)place;
	return remove(path);
}

static void
remove_tree(void)
{
	omega_sandbox_guard_free(usual_guard);
	usual_guard = NULL;
	nftw(root, remove_entry, 16, FTW_PHYS | FTW_DEPTH);
}

static void
give_up(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	_exit(2);
}

static const char *
below_root(char path[2 * PATH_MAX], const char *name)
{
	snprintf(path, 2 * PATH_MAX, "%s/%s", root, name);
	return path;
}

static void
make_tree(void)
{
	static const char *const dirs[] = {
	    "o", "o/data", "o/data/sub", "pub", "pub/dir", "home", "home/dir"};
	static const char *const files[] = {"o/data/secret", "o/data/sub/db",
	    "o/config.toml", "ext.toml", "pub/file", "pub/dir/file"};
	static const char *const links[][2] = {{"o", "l"}, {"o/data", "dl"},
	    {"o/data/new", "dang"}, {"pub/new", "pubnew"}, {"loop", "loop"},
	    {"pub/dir/..", "up"}, {"../../o/data", "pub/dir/in"},
	    {"/proc/self/root", "slash"}, {"../o/data", "home/data"},
	    {"dangling", "home/config.toml"}};
	static const char *const hard[][2] = {{"o/data/secret", "hard"},
	    {"o/config.toml", "pub/conf"}, {"pub/file", "pub/twin"},
	    {"ext.toml", "home/ext"}};
	char old[2 * PATH_MAX];
	char path[2 * PATH_MAX];
	size_t i;

	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (mkdir(below_root(path, dirs[i]), 0755) != 0)
			give_up(dirs[i]);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (mknod(below_root(path, files[i]), S_IFREG | 0644, 0) != 0)
			give_up(files[i]);
	for (i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (symlink(links[i][0], below_root(path, links[i][1])) != 0)
			give_up(links[i][1]);
	for (i = 0; i < sizeof(hard) / sizeof(hard[0]); i++)
		if (link(below_root(old, hard[i][0]),
			below_root(path, hard[i][1])) != 0)
			give_up(hard[i][1]);
}

static void
start(void)
{
	const char *tmp = getenv("TMPDIR");
	char base[PATH_MAX];

	if (realpath(tmp != NULL ? tmp : "/tmp", base) == NULL)
		give_up("TMPDIR");
	snprintf(
	    root, sizeof(root), "%.*s/omega-fuzz-XXXXXX", PATH_MAX / 2, base);
	if (mkdtemp(root) == NULL)
		give_up(root);
	atexit(remove_tree);
	make_tree();
	snprintf(usual_dir, sizeof(usual_dir), "%s/o", root);
	if (omega_sandbox_guard_new(usual_dir, NULL, &usual_guard, NULL) != 0)
		give_up(usual_dir);
	can_compare =
	    reference_knows_volume("/") && reference_knows_volume(root);
}

/* ---- The question ------------------------------------------------------- */

/* Take one text, "@" replaced. Returns how many bytes were used. */
static size_t
take_text(const uint8_t *data, size_t size, char *out)
{
	size_t len = 0;
	size_t used = 0;

	while (used < size && data[used] != '\0') {
		char c = (char)data[used++];

		/* What does not fit is too long to be opened anyway. */
		if (len + strlen(root) + 1 >= PATH_MAX + NAME_MAX)
			continue;
		if (c == '@') {
			strcpy(out + len, root);
			len += strlen(root);
		} else {
			out[len++] = c;
		}
	}
	out[len] = '\0';
	return used < size ? used + 1 : size;
}

static void
take_question(const uint8_t *data, size_t size, struct question *question)
{
	size_t used = take_text(data, size, question->path);

	question->config = NULL;
	if (used == size) {
		strcpy(question->data_dir, usual_dir);
		return;
	}
	data += used;
	size -= used;
	used = take_text(data, size, question->data_dir);
	if (used == size)
		return;
	take_text(data + used, size - used, question->config_path);
	question->config = question->config_path;
}

/* ---- What must hold ----------------------------------------------------- */

static void
check(bool holds, const char *rule, const struct question *question,
    const char *path)
{
	if (holds)
		return;
	fprintf(stderr, "broken: %s\npath        \"%s\"\n", rule, path);
	fprintf(stderr, "data_dir    \"%s\"\nconfig_path \"%s\"\n",
	    question->data_dir,
	    question->config != NULL ? question->config : "(none)");
	remove_tree();
	abort();
}

static bool
is_blocked(const struct question *question, bool is_write, const char *path)
{
	return is_write
		   ? omega_sandbox_is_write_blocked(path, question->data_dir)
		   : omega_sandbox_is_read_blocked(
			 path, question->data_dir, question->config);
}

static void
check_guard(const struct question *question, bool is_write, bool blocked)
{
	const char *config = is_write ? NULL : question->config;
	struct omega_sandbox_guard *guard = usual_guard;
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
	bool by_guard;
	int ret = 0;

	if (config != NULL || strcmp(question->data_dir, usual_dir) != 0)
		ret = omega_sandbox_guard_new(
		    question->data_dir, config, &guard, NULL);
	by_guard = omega_sandbox_guard_is_blocked(guard,
	    is_write ? OMEGA_SANDBOX_WRITE : OMEGA_SANDBOX_READ, question->path,
	    &verdict);
	check(ret == 0 || by_guard, "no guard means blocked", question,
	    question->path);
	check(
	    by_guard == blocked, "the guard agrees", question, question->path);
	check(by_guard == (verdict.reason != OMEGA_SANDBOX_NOT_BLOCKED),
	    "the reason fits", question, question->path);
	if (guard != usual_guard)
		omega_sandbox_guard_free(guard);
}

/* Spellings of the same path. */
static void
check_variants(const struct question *question, bool is_write, bool blocked)
{
	char variant[2 * TEXT_SIZE];
	const char *at;
	size_t len = 0;

	if (!blocked || question->path[0] != '/')
		return;
	snprintf(variant, sizeof(variant), "%s/", question->path);
	check(is_blocked(question, is_write, variant), "\"/\" frees nothing",
	    question, variant);
	snprintf(variant, sizeof(variant), "%s/.", question->path);
	check(is_blocked(question, is_write, variant), "\"/.\" frees nothing",
	    question, variant);
	for (at = question->path; *at != '\0'; at++) {
		variant[len++] = *at;
		if (*at == '/')
			variant[len++] = *at;
	}
	variant[len] = '\0';
	check(is_blocked(question, is_write, variant), "\"//\" frees nothing",
	    question, variant);
}

static bool
is_really_below(const char *path, const char *protected)
{
	char there[PATH_MAX];
	char base[PATH_MAX];
	size_t len;

	if (realpath(path, there) == NULL || realpath(protected, base) == NULL)
		return false;
	len = strlen(base);
	return strncmp(there, base, len) == 0 &&
	       (there[len] == '\0' || there[len] == '/' || len == 1);
}

/* What the C library finds below the protected data is blocked. */
static void
check_realpath(const struct question *question, bool blocked)
{
	char data[TEXT_SIZE + 16];
	char config[TEXT_SIZE + 16];

	if (blocked || question->path[0] != '/' || question->data_dir[0] != '/')
		return;
	snprintf(data, sizeof(data), "%s/data", question->data_dir);
	snprintf(config, sizeof(config), "%s/config.toml", question->data_dir);
	check(!is_really_below(question->path, data), "data is protected",
	    question, question->path);
	check(!is_really_below(question->path, config),
	    "config.toml is protected", question, question->path);
}

/* /proc changes under our feet: only what stays wrong is wrong. */
static void
check_reference(const struct question *question, bool is_write)
{
	const char *config = is_write ? NULL : question->config;
	bool expected = false;
	bool actual = true;
	int i;

	for (i = 0; i < 3 && expected != actual; i++) {
		actual = is_blocked(question, is_write, question->path);
		expected = reference_is_blocked(
		    is_write, question->path, question->data_dir, config);
	}
	check(expected == actual,
	    actual ? "allowed, says the reference"
		   : "blocked, says the reference",
	    question, question->path);
}

static void
check_access(const struct question *question, bool is_write)
{
	bool blocked = is_blocked(question, is_write, question->path);

	if (question->path[0] != '/' || question->data_dir[0] != '/')
		check(blocked, "empty and relative are blocked", question,
		    question->path);
	check_guard(question, is_write, blocked);
	check_variants(question, is_write, blocked);
	check_realpath(question, blocked);
	if (can_compare && strlen(question->path) < REFERENCE_MAX)
		check_reference(question, is_write);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct question question;

	if (root[0] == '\0')
		start();
	take_question(data, size, &question);
	check_access(&question, false);
	check_access(&question, true);
	return 0;
}

/* ---- Without libFuzzer -------------------------------------------------- */

#ifdef FUZZ_STANDALONE

static int count;

static int
run_file(const char *path, const struct stat *st, int type, struct FTW *place)
{
	uint8_t *data;
	int fd;
	ssize_t n;

	(void)place;
	if (type != FTW_F)
		return 0;
	data = malloc((size_t)st->st_size + 1);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (data == NULL || fd < 0)
		give_up(path);
	n = read(fd, data, (size_t)st->st_size);
	if (n < 0)
		give_up(path);
	close(fd);
	/* A broken rule aborts; this line then tells which input it was. */
	fprintf(stderr, "# %s\n", path);
	LLVMFuzzerTestOneInput(data, (size_t)n);
	free(data);
	printf("ok %d - %s\n", ++count, path + place->base);
	return 0;
}

int
main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (nftw(argv[i], run_file, 16, FTW_PHYS) != 0)
			give_up(argv[i]);
	printf("1..%d\n", count);
	return 0;
}

#endif
