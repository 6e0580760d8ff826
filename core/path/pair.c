/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pair.c - from a path somebody wants protected to the rules for it.
 */

#include "config.h"

#include "path/pair.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "path/text.h"

int
omega_pair_make(const char *path, struct omega_pair *pair)
{
	int ret;

	ret = omega_text_check(path);
	if (ret < 0)
		return ret;
	pair->spelled_len = omega_text_clean(path, pair->spelled);
	pair->place.len = pair->spelled_len;
	memcpy(pair->place.text, pair->spelled, pair->spelled_len + 1);
	ret = omega_place_resolve(path, false, &pair->place);
	return ret < 0 ? ret : 0;
}

static int
make_below(const char *dir, const char *name, struct omega_pair *pair)
{
	char path[PATH_MAX];
	long len;

	len = omega_text_join(path, dir, strlen(dir), name, strlen(name));
	return len < 0 ? (int)len : omega_pair_make(path, pair);
}

/*
 * The same when dir is clean, and open as fd without a link having been met:
 * one statx instead of a walk. 1 when the name is a link after all.
 */
static int
make_in_open_dir(const char *dir, size_t dir_len, int fd, const char *name,
    struct omega_pair *pair)
{
	struct omega_place *place = &pair->place;
	long len;
	int ret;

	len = omega_text_join(place->text, dir, dir_len, name, strlen(name));
	if (len < 0)
		return (int)len;
	place->len = (size_t)len;
	place->anchor = place->len;
	memcpy(pair->spelled, place->text, place->len + 1);
	pair->spelled_len = place->len;
	ret = omega_kernel_stat(fd, name, &place->object);
	if (ret == 0)
		return S_ISLNK(place->object.mode) ? 1 : 0;
	if (ret != -ENOENT)
		return ret;
	place->anchor -= strlen(name) + 1;
	if (place->anchor == 0)
		place->anchor = 1;
	return omega_kernel_stat(fd, "", &place->object);
}

int
omega_pair_make_data(
    const char *data_dir, struct omega_pair *data, struct omega_pair *config)
{
	char clean[PATH_MAX];
	size_t len;
	int ret;
	int fd;

	ret = omega_text_check(data_dir);
	if (ret < 0)
		return ret;
	len = omega_text_clean(data_dir, clean);
	ret = 1;
	fd = omega_kernel_open_plain(data_dir, O_DIRECTORY);
	if (fd >= 0)
		ret = make_in_open_dir(clean, len, fd, "data", data);
	if (ret == 1)
		ret = make_below(data_dir, "data", data);
	if (ret == 0) {
		ret = 1;
		if (fd >= 0)
			ret = make_in_open_dir(
			    clean, len, fd, "config.toml", config);
		if (ret == 1)
			ret = make_below(data_dir, "config.toml", config);
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

size_t
omega_pair_rules(const struct omega_pair *pair, const struct omega_rule *like,
    struct omega_rule *rules)
{
	const struct omega_place *place = &pair->place;
	size_t count = 0;

	/* Other names are looked for from where the rule really leads. */
	rules[count] = *like;
	rules[count].text = place->text;
	rules[count].len = place->len;
	rules[count].mount = place->object.mount;
	count++;
	if (place->len != pair->spelled_len ||
	    memcmp(place->text, pair->spelled, place->len) != 0) {
		rules[count] = *like;
		rules[count].text = pair->spelled;
		rules[count].len = pair->spelled_len;
		rules[count].guarded = false;
		count++;
	}
	return count;
}
