/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ground.c - see ground.h.
 */

#include "ground.h"

#include <sys/stat.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "reference.h"

/* Everything can be run and has something in it: what the kernel says about
 * it says something about the policy. */
static bool
put_file(const char *tree, const char *name)
{
	char path[PATH_MAX + 256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	file = fopen(path, "w");
	return file != NULL && fputs("content\n", file) >= 0 &&
	       fclose(file) == 0 && chmod(path, 0755) == 0;
}

static bool
put_dir(const char *tree, const char *name)
{
	char path[PATH_MAX + 256];

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	return mkdir(path, 0755) == 0 || errno == EEXIST;
}

static bool
put_link(const char *tree, const char *target, const char *name)
{
	char path[PATH_MAX + 256];

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	return symlink(target, path) == 0 || errno == EEXIST;
}

static bool
begin(struct ground *ground, const char *base)
{
	memset(ground, 0, sizeof(*ground));
	snprintf(ground->base, sizeof(ground->base), "%s", base);
	if (snprintf(ground->tree, sizeof(ground->tree), "%s/t", base) >=
	    (int)sizeof(ground->tree))
		return false;
	return put_dir(base, "t") && put_dir(base, "etc");
}

bool
ground_make(struct ground *ground, const char *base)
{
	static const char *const names[] = {"a/", "a/b/", "a/b/c/", "a/b/c/d/",
	    "w/", "w/sub/", "w/.git/", "o/", "o/data/", "s/", "a/f", "a/b/f",
	    "a/b/c/f", "a/b/c/d/f", "w/f", "w/sub/f", "w/.git/f", "o/data/f",
	    "o/config.toml", "o/f", "s/f", "s/twin", "f"};
	const char *tree = ground->tree;
	char twin[PATH_MAX];
	char hard[PATH_MAX];
	size_t i;

	if (!begin(ground, base))
		return false;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i][strlen(names[i]) - 1] == '/'
			? !put_dir(tree, names[i])
			: !put_file(tree, names[i]))
			return false;
	snprintf(twin, sizeof(twin), "%.4000s/s/twin", tree);
	snprintf(hard, sizeof(hard), "%.4000s/w/hard", tree);
	return put_link(tree, "a/b", "link") &&
	       put_link(tree, "a/f", "toward") &&
	       put_link(tree, "../s", "w/out") &&
	       put_link(tree, "a/none", "loose") &&
	       (link(twin, hard) == 0 || errno == EEXIST);
}

/* ---- Random ones ----------------------------------------------------------
 */

static unsigned
below(struct ground *ground, unsigned n)
{
	ground->random ^= ground->random << 13;
	ground->random ^= ground->random >> 7;
	ground->random ^= ground->random << 17;
	return (unsigned)(ground->random >> 33) % n;
}

/* Remember a name, below %T, as one to ask about. */
static bool
note(struct ground *ground, const char *name)
{
	if (ground->path_count == GROUND_MAX_PATHS ||
	    asprintf(&ground->paths[ground->path_count], "%%T/%s", name) < 0)
		return false;
	ground->path_count++;
	return true;
}

/* A file, a link, or nothing in a directory of the tree. */
static bool
grow_leaf(struct ground *ground, const char *dir, const char *const *dirs,
    unsigned dir_count)
{
	static const char *const names[] = {"f", "g", "h"};
	char name[256];
	char target[PATH_MAX];
	unsigned kind = below(ground, 8);

	snprintf(name, sizeof(name), "%s%s", dir, names[below(ground, 3)]);
	if (kind < 5)
		return put_file(ground->tree, name) && note(ground, name);
	if (kind < 7) {
		snprintf(target, sizeof(target), "%.3800s/%s", ground->tree,
		    dirs[below(ground, dir_count)]);
		snprintf(name, sizeof(name), "%sl%u", dir, below(ground, 3));
		return put_link(ground->tree, target, name) &&
		       note(ground, name);
	}
	snprintf(name, sizeof(name), "%sabsent%u", dir, below(ground, 2));
	return note(ground, name);
}

static bool
grow_tree(struct ground *ground)
{
	static const char *const dirs[] = {"a/", "a/b/", "a/b/c/", "a/d/", "w/",
	    "w/a/", "w/a/b/", "o/", "o/data/", "s/", "s/a/"};
	const unsigned count = sizeof(dirs) / sizeof(dirs[0]);
	unsigned i;

	for (i = 0; i < count; i++)
		if (!put_dir(ground->tree, dirs[i]))
			return false;
	if (!put_file(ground->tree, "o/config.toml"))
		return false;
	for (i = 0; i < count; i++) {
		char file[64];

		snprintf(file, sizeof(file), "%sf", dirs[i]);
		if (!put_file(ground->tree, file) || !note(ground, file) ||
		    !grow_leaf(ground, dirs[i], dirs, count))
			return false;
	}
	for (i = 0; i < 6; i++)
		if (!grow_leaf(ground, dirs[below(ground, count)], dirs, count))
			return false;
	return note(ground, "a") && note(ground, "s/a");
}

/* A path to write into a policy: of the tree, or the directory of one. */
static const char *
pick(struct ground *ground)
{
	char *path = text(
	    "%s", ground->paths[below(ground, (unsigned)ground->path_count)]);
	char *slash = strrchr(path, '/');

	if (slash - path > 2 && below(ground, 2) == 0)
		*slash = '\0';
	return path;
}

static void
add_rules(struct ground *ground, char *conf, size_t size)
{
	static const struct {
		const char *rule;
		unsigned chance; /* one in so many */
		unsigned most;
	} rules[] = {{"read", 2, 5}, {"write", 2, 5}, {"execute", 3, 4},
	    {"deny", 2, 3}, {"deny_read", 4, 2}, {"deny_write", 3, 3}};
	size_t used = strlen(conf);
	size_t i;
	unsigned j;
	unsigned count;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (below(ground, rules[i].chance) != 0)
			continue;
		count = below(ground, rules[i].most + 1);
		used += (size_t)snprintf(
		    conf + used, size - used, "%s = {", rules[i].rule);
		for (j = 0; j < count; j++)
			used += (size_t)snprintf(conf + used, size - used,
			    "%s \"%s\"", j == 0 ? "" : ",", pick(ground));
		used += (size_t)snprintf(conf + used, size - used, " }\n");
	}
}

bool
ground_grow(struct ground *ground, const char *base, uint64_t seed, char *conf,
    size_t size)
{
	if (!begin(ground, base))
		return false;
	ground->random = seed * 2654435761u + 88172645463325252u;
	if (!grow_tree(ground))
		return false;
	conf[0] = '\0';
	if (below(ground, 3) == 0) {
		snprintf(conf, size, "floor = f\npolicy f {\n");
		add_rules(ground, conf, size);
		strcat(conf, "}\n");
	}
	strcat(conf, "policy p {\n");
	add_rules(ground, conf, size);
	strcat(conf, "}\n");
	return true;
}

void
ground_clear(struct ground *ground)
{
	char command[PATH_MAX + 32];

	while (ground->path_count > 0)
		free(ground->paths[--ground->path_count]);
	snprintf(command, sizeof(command), "rm -rf '%s'", ground->tree);
	if (ground->tree[0] != '\0' && system(command) != 0)
		fprintf(stderr, "# %s is left behind\n", ground->tree);
}

/* ---- The policy -----------------------------------------------------------
 */

static void
fill(const struct ground *ground, const char *text, char *out, size_t size)
{
	size_t used = 0;

	for (; *text != '\0' && used + 1 < size; text++)
		if (text[0] == '%' && text[1] == 'T') {
			used += (size_t)snprintf(
			    out + used, size - used, "%s", ground->tree);
			text++;
		} else {
			out[used++] = *text;
		}
	out[used < size ? used : size - 1] = '\0';
}

void
ground_fill(const struct ground *ground, const char *text, char *path)
{
	fill(ground, text, path, PATH_MAX);
}

static bool
write_conf(const struct ground *ground, const char *conf, char *file)
{
	/* Whether some process of the machine has a socket with a relative
	 * name is not what this is about. */
	static const char accepted[] =
	    "accept = {metadata, outside_signals, abstract_sockets, "
	    "outside_sockets, aliases, replaced_files, absent_paths, execute, "
	    "launcher_sockets, outside_ipc}\n";
	char *content = malloc(65536);
	FILE *out;
	bool is_good;

	snprintf(file, PATH_MAX, "%.4000s/etc/sandbox.conf", ground->base);
	out = fopen(file, "w");
	if (content == NULL || out == NULL)
		return false;
	fill(ground, conf, content, 65536);
	is_good = fputs(accepted, out) >= 0 && fputs(content, out) >= 0;
	free(content);
	return fclose(out) == 0 && is_good;
}

bool
ground_open(struct ground *ground, const char *conf, const char *rule,
    const char *value)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char path[PATH_MAX];
	int ret;

	if (!write_conf(ground, conf, path))
		return false;
	ret = omega_sandbox_open(path, NULL, NULL, &ground->sandbox, &error);
	if (ret == 0)
		ret = omega_sandbox_policy_new(
		    ground->sandbox, "p", &ground->policy, &error);
	ground_fill(ground, "%T/o", path);
	if (ret == 0)
		ret = omega_sandbox_policy_set(
		    ground->policy, "data_dir", path, &error);
	ground_fill(ground, "%T/w", path);
	if (ret == 0)
		ret = omega_sandbox_policy_set(
		    ground->policy, "work_dir", path, &error);
	if (ret == 0 && rule != NULL) {
		ground_fill(ground, value, path);
		ret = omega_sandbox_policy_set(
		    ground->policy, rule, path, &error);
	}
	if (ret == 0)
		ret = omega_atoms_make(ground->policy, &ground->atoms, &error);
	if (ret == 0)
		ret = omega_sandbox_guard_new_for_policy(
		    ground->policy, &ground->guard, &error);
	if (ret != 0)
		printf("# %s\n# %s\n", conf, error.text);
	return ret == 0;
}

void
ground_close(struct ground *ground)
{
	omega_sandbox_guard_free(ground->guard);
	omega_atoms_drop(&ground->atoms);
	omega_sandbox_policy_unref(ground->policy);
	omega_sandbox_unref(ground->sandbox);
	ground->guard = NULL;
	ground->policy = NULL;
	ground->sandbox = NULL;
}

/* ---- The question ---------------------------------------------------------
 */

unsigned
ground_access(char letter)
{
	switch (letter) {
	case 'r':
		return OMEGA_SANDBOX_READ;
	case 'w':
		return OMEGA_SANDBOX_WRITE;
	default:
		return OMEGA_SANDBOX_EXECUTE;
	}
}

bool
ground_means(const struct ground *ground, unsigned access, const char *path,
    enum meaning *meaning)
{
	bool exists;
	char *place = reference_resolve(path, &exists);

	if (place == NULL)
		return false;
	*meaning = meaning_of(&ground->atoms, access, place);
	free(place);
	return true;
}

bool
ground_allows(const struct ground *ground, unsigned access, const char *path,
    struct omega_sandbox_verdict *verdict)
{
	return !omega_sandbox_guard_is_blocked(
	    ground->guard, access, path, verdict);
}
