/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * registries.c - see registries.h.
 *
 * Of each file those lines are looked at that set something which names a
 * server, and in these every "http://HOST" and "https://HOST". What is written
 * in another way, or is no host, is passed over.
 */

#include "config.h"

#include "policy/registries.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/home.h"
#include "base/rights.h"
#include "path/place.h"
#include "path/trust.h"
#include "policy/places.h"

#define MAX_SIZE (64u << 10) /* of a file */
#define MAX_FILES 64 /* in a directory */

/* keys: what is set there; those in front of "|" take the place of the default
 * servers. "" is every line. */
struct manager {
	const char *name;
	const char *keys[8];
	const char *variables[4];
	const char *files[4];
	const char *defaults[4];
};

static const struct manager managers[] = {
    {"npm", {"registry", "|", ":registry"},
	{"npm_config_registry", "NPM_CONFIG_REGISTRY"},
	{"~/.npmrc", "/etc/npmrc", "/usr/etc/npmrc"},
	{"https://registry.npmjs.org"}},
    {"pip", {"index-url", "|", "extra-index-url"},
	{"PIP_INDEX_URL", "|", "PIP_EXTRA_INDEX_URL"},
	{"~/.config/pip/pip.conf", "~/.pip/pip.conf", "/etc/pip.conf"},
	{"https://pypi.org", "https://files.pythonhosted.org"}},
    {"cargo", {"|", "registry", "index"},
	{"|", "CARGO_REGISTRIES_CRATES_IO_INDEX"},
	{"~/.cargo/config.toml", "~/.cargo/config"},
	{"https://index.crates.io", "https://static.crates.io"}},
    {"go", {"GOPROXY"}, {"GOPROXY"}, {"~/.config/go/env"},
	{"https://proxy.golang.org", "https://sum.golang.org"}},
    {"apt", {""}, {NULL}, {"/etc/apt/sources.list", "/etc/apt/sources.list.d/"},
	{NULL}},
};

struct finding {
	struct omega_combined *combined;
	const struct manager *manager;
	omega_registries_take *take;
	void *arg;
	struct omega_buffer found; /* for the note */
	bool has_main; /* something in place of the defaults */
};

static int
take_one(struct finding *to, const char *text, bool is_main)
{
	struct omega_hosts_entry entry;
	const char *why;
	size_t at;

	if (omega_hosts_read(text, &entry, &at, &why) < 0)
		return 0;
	to->has_main |= is_main;
	if (to->found.text == NULL || strstr(to->found.text, text) == NULL)
		omega_buffer_print(
		    &to->found, "%s%s", to->found.len == 0 ? "" : ", ", text);
	return to->take(to->arg, &entry);
}

/* HOST or HOST:PORT of each URL in a text that ends at end. */
static int
take_urls(struct finding *to, const char *text, const char *end, bool is_main)
{
	char host[OMEGA_HOSTS_TEXT];
	int ret = 0;

	while (ret == 0 && text < end) {
		const char *from = text;
		const char *at;
		size_t scheme = strncasecmp(text, "https://", 8) == 0  ? 8
				: strncasecmp(text, "http://", 7) == 0 ? 7
								       : 0;
		size_t len;

		if (scheme == 0 || (size_t)(end - text) <= scheme) {
			text++;
			continue;
		}
		text += scheme;
		len = strcspn(text, "/ \t\r\n\"',|?#");
		if (len > (size_t)(end - text))
			len = (size_t)(end - text);
		for (at = text + len; at > text && at[-1] != '@'; at--)
			continue;
		len -= (size_t)(at - text);
		text = at + len;
		if (len == 0 || len > OMEGA_HOSTS_NAME)
			continue;
		/* A port that is written is that one; else the scheme's. */
		snprintf(host, sizeof(host), "%.*s%.*s",
		    memchr(at, ':', len) != NULL ? 0 : (int)scheme, from,
		    (int)len, at);
		ret = take_one(to, host, is_main);
	}
	return ret;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Does the line set it: KEY, or for ":KEY" anything that ends so? */
static bool
is_set(const char *line, const char *end, const char *key)
{
	const char *sign = line + strcspn(line, "=\n");
	size_t len = strlen(key);

	if (len == 0)
		return true;
	if (sign >= end)
		return false;
	while (sign > line && is_blank(sign[-1]))
		sign--;
	if (key[0] == ':')
		return (size_t)(sign - line) > len &&
		       strncasecmp(sign - len, key, len) == 0;
	return (size_t)(sign - line) == len && strncasecmp(line, key, len) == 0;
}

static int
take_line(struct finding *to, const char *line, const char *end)
{
	const char *const *keys = to->manager->keys;
	bool is_main = true;
	size_t i;

	while (line < end && is_blank(*line))
		line++;
	if (line == end || *line == '#' || *line == ';')
		return 0;
	for (i = 0; keys[i] != NULL; i++)
		if (strcmp(keys[i], "|") == 0)
			is_main = false;
		else if (is_set(line, end, keys[i]))
			return take_urls(to, line, end, is_main);
	return 0;
}

/* Can commands change it? Only what is the caller's own, and not even that
 * where a list or a deny keeps them from it. */
static bool
is_open(const struct omega_combined *combined, const char *path,
    const struct stat *st)
{
	struct omega_place place;
	size_t i;

	if (st->st_uid != geteuid())
		return false;
	if (omega_place_resolve(path, false, &place) < 0)
		return true;
	for (i = 0; i < combined->denies.count; i++) {
		const struct omega_combined_place *deny =
		    &combined->denies.list[i];
		const struct omega_combined_places one = {
		    (struct omega_combined_place *)(uintptr_t)deny, 1};

		if ((deny->access & OMEGA_SANDBOX_ATOM_WRITE) != 0 &&
		    omega_places_has(&one, place.text))
			return false;
	}
	return !combined->write.is_limited ||
	       omega_places_has(&combined->write.places, place.text);
}

static int
take_file(struct finding *to, const char *path)
{
	struct omega_sandbox_error why = OMEGA_SANDBOX_ERROR_INIT;
	char *text = malloc(MAX_SIZE + 2);
	char *line = text;
	struct stat st;
	ssize_t n = -1;
	int ret = text == NULL ? -ENOMEM : 0;
	int fd;

	fd =
	    ret < 0 ? -1 : omega_trust_open(path, OMEGA_TRUST_FILE, NULL, &why);
	if (fd >= 0 && fstat(fd, &st) == 0 && is_open(to->combined, path, &st))
		snprintf(why.text, sizeof(why.text),
		    "commands of this policy can change it");
	else if (fd >= 0)
		n = read(fd, text, MAX_SIZE + 1);
	if (n > (ssize_t)MAX_SIZE)
		snprintf(why.text, sizeof(why.text), "it is too long");
	if (why.text[0] != '\0')
		ret = omega_combine_add_note(to->combined,
		    "hosts: " OMEGA_REGISTRIES ": %s is passed over: %s", path,
		    why.text);
	else if (n >= 0)
		text[n] = '\0';
	while (ret == 0 && why.text[0] == '\0' && n > 0 && line < text + n) {
		size_t len = strcspn(line, "\n");

		ret = take_line(to, line, line + len);
		line += len + 1;
	}
	if (fd >= 0)
		close(fd);
	free(text);
	return ret;
}

/* One file, or all of a directory that apt would read. */
static int
take_files(struct finding *to, const char *path)
{
	char name[PATH_MAX];
	const struct dirent *entry;
	DIR *dir;
	int left = MAX_FILES;
	int ret = 0;

	if (path[strlen(path) - 1] != '/')
		return take_file(to, path);
	dir = opendir(path);
	while (ret == 0 && dir != NULL && left-- > 0 &&
	       (entry = readdir(dir)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');

		if (dot != NULL &&
		    (strcmp(dot, ".list") == 0 ||
			strcmp(dot, ".sources") == 0) &&
		    snprintf(name, sizeof(name), "%s%s", path, entry->d_name) <
			(int)sizeof(name))
			ret = take_file(to, name);
	}
	if (dir != NULL)
		closedir(dir);
	return ret;
}

static int
take_manager(struct finding *to)
{
	const struct manager *manager = to->manager;
	bool is_main = true;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < 4 && manager->variables[i] != NULL; i++) {
		const char *value = omega_rights_are_raised()
					? NULL
					: getenv(manager->variables[i]);

		if (strcmp(manager->variables[i], "|") == 0)
			is_main = false;
		else if (value != NULL)
			ret = take_urls(
			    to, value, value + strlen(value), is_main);
	}
	for (i = 0; ret == 0 && i < 4 && manager->files[i] != NULL; i++) {
		char *path = NULL;

		if (omega_home_expand(manager->files[i], &path) == 0)
			ret = take_files(to, path);
		free(path);
	}
	for (i = 0;
	     ret == 0 && !to->has_main && i < 4 && manager->defaults[i] != NULL;
	     i++)
		ret = take_one(to, manager->defaults[i], false);
	return ret;
}

int
omega_registries_find(
    struct omega_combined *combined, omega_registries_take *take, void *arg)
{
	struct finding to = {.combined = combined, .take = take, .arg = arg};
	char *found;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < sizeof(managers) / sizeof(managers[0]);
	     i++) {
		to.manager = &managers[i];
		to.has_main = false;
		to.found = (struct omega_buffer){.text = NULL};
		ret = take_manager(&to);
		found = omega_buffer_take(&to.found);
		if (ret == 0 && found != NULL && found[0] != '\0')
			ret = omega_combine_add_note(combined,
			    "hosts: " OMEGA_REGISTRIES " of %s: %s",
			    managers[i].name, found);
		free(found);
	}
	return ret;
}
