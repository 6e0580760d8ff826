/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * seatbelt.c - the backend for macOS: a sandbox profile, and sandbox-exec in
 * front of the command.
 *
 * Elsewhere it cannot be used and says so. What the command line would be on a
 * Mac it tells everywhere, to one who asks for no more than to see it.
 */

#include <omega/sandbox-plugin.h>

#include <sys/stat.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "ways.h"

/* Would what is asked be done, or only shown? */
static int
is_shown(const struct omega_sandbox_request *request)
{
	return (request->flags & OMEGA_SANDBOX_REQUEST_PREVIEW) != 0;
}

static int
seatbelt_probe(
    const struct omega_sandbox_host *host, struct omega_sandbox_probe *probe)
{
	(void)host;
	apply_probe(probe);
	return 0;
}

/* Everybody asks these for names and tells them what is to be logged. */
static int
is_service(const char *path)
{
	return strcmp(path, "/var/run/mDNSResponder") == 0 ||
	       strcmp(path, "/private/var/run/mDNSResponder") == 0 ||
	       strcmp(path, "/var/run/syslog") == 0 ||
	       strcmp(path, "/private/var/run/syslog") == 0;
}

/* The sockets of others, as far as they are to be hidden. What is shown on
 * another system knows none. */
static int
find_sockets(const struct omega_sandbox_request *request, struct texts *sockets)
{
	struct texts bound = {.list = NULL};
	size_t i;
	int ret;

	if (request->hide_sockets != OMEGA_SANDBOX_HIDE_OWN ||
	    PROFILE_FIELD(request, unix_sockets) != OMEGA_SANDBOX_UNIX_ALL ||
	    (is_shown(request) && !apply_is_here()))
		return 0;
	ret = apply_find_sockets(&bound);
	for (i = 0; i < bound.count; i++) {
		char *real = realpath(bound.list[i], NULL);

		if (is_service(bound.list[i])) {
			free(real);
			continue;
		}
		if (ways_refuse(bound.list[i]) != NULL && ret == 0)
			ret = -EILSEQ;
		texts_find(sockets, bound.list[i]);
		if (real != NULL)
			texts_find(sockets, real);
		free(real);
	}
	texts_drop(&bound);
	return ret;
}

/* What is protected, and what is listed, by the names it goes by. */
static int
find_names(const struct omega_sandbox_request *request, struct texts *names)
{
	const char *const *path = request->spelled;
	size_t i;

	for (; path != NULL && *path != NULL; path++)
		texts_find(names, *path);
	for (i = 0; i < request->grant_count; i++) {
		path = PROFILE_FIELD(request->grants[i], spelled);
		for (; path != NULL && *path != NULL; path++)
			texts_find(names, *path);
	}
	if (request->data_dir != NULL) {
		texts_add(names, "%s/data", request->data_dir);
		texts_add(names, "%s/config.toml", request->data_dir);
	}
	return names->error;
}

/* The links on the ways to it. */
static int
find_links(const struct omega_sandbox_request *request, struct texts *links)
{
	struct texts names = {.list = NULL};
	size_t i;
	int ret;

	ret = find_names(request, &names);
	for (i = 0; ret == 0 && i < names.count; i++)
		ret = ways_add_links(links, names.list[i]);
	texts_drop(&names);
	return ret;
}

static int
seatbelt_describe(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_state *const *states)
{
	struct texts sockets = {.list = NULL};
	struct texts links = {.list = NULL};
	struct holds_view view = {.request = request, .links = &links};
	size_t i;
	int ret;

	(void)host;
	if (!apply_is_here() && !is_shown(request)) {
		for (i = 0; i < count; i++)
			snprintf(states[i]->why, sizeof(states[i]->why),
			    "sandbox profiles are a matter of macOS");
		return 0;
	}
	view.sockets = find_sockets(request, &sockets);
	ret = find_links(request, &links);
	for (i = 0; ret == 0 && i < count; i++)
		holds_say(&view, atoms[i], states[i]);
	texts_drop(&sockets);
	texts_drop(&links);
	return ret;
}

/* How much of the path is there. */
static size_t
find_anchor(const char *path)
{
	char *copy = strdup(path);
	size_t len = 0;
	struct stat st;
	char *slash;

	if (copy == NULL)
		return 0; /* all of it may be spelled otherwise */
	while ((slash = strrchr(copy, '/')) != NULL && slash != copy) {
		*slash = '\0';
		if (lstat(copy, &st) == 0) {
			len = strlen(copy);
			break;
		}
	}
	free(copy);
	return len;
}

static void
explain(struct omega_sandbox_launch *launch, int error)
{
	if (error == -EILSEQ)
		launch->explain(launch, "a name that is not UTF-8 cannot be "
					"said in a sandbox profile");
	else if (error == -E2BIG)
		launch->explain(launch, "the profile is larger than what a "
					"program can be given");
}

static int
add_words(struct omega_sandbox_launch *launch, const struct profile *profile)
{
	size_t i;
	int ret;

	ret = launch->add_word(launch, APPLY_PROGRAM);
	if (ret == 0)
		ret = launch->add_word(launch, "-p");
	if (ret == 0)
		ret = launch->add_word(launch, profile->text);
	for (i = 0; ret == 0 && i < profile->count; i++) {
		char *word = NULL;

		if (asprintf(&word, "P%zu=%s", i, profile->values[i]) < 0)
			return -ENOMEM;
		ret = launch->add_word(launch, "-D");
		if (ret == 0)
			ret = launch->add_word(launch, word);
		free(word);
	}
	return ret;
}

/* A step: the process takes the packed profile on. */
static int
confine_self(const void *packed)
{
	const char **params = profile_unpack(packed);
	int ret;

	if (params == NULL)
		return -ENOMEM;
	ret = apply_to_self(packed, params);
	free(params);
	return ret;
}

/* For a process that is to be confined itself, or to become the command. */
static int
set_self(struct omega_sandbox_launch *launch, const struct profile *profile)
{
	size_t size = 0;
	void *packed;
	int ret;

	if (!apply_has_self() || !OMEGA_SANDBOX_HAS(launch, set_self))
		return 0;
	packed = profile_pack(profile, &size);
	if (packed == NULL)
		return -ENOMEM;
	ret = launch->set_self(launch, confine_self, packed, size);
	free(packed);
	return ret;
}

/* Have the ways looked at before every start. */
static int
add_check(struct omega_sandbox_launch *launch,
    const struct omega_sandbox_request *request)
{
	struct texts names = {.list = NULL};
	void *packed = NULL;
	size_t size = 0;
	int ret;

	ret = find_names(request, &names);
	if (ret == 0) {
		packed = ways_pack(&names, &size);
		ret = packed == NULL
			  ? -ENOMEM
			  : launch->add_check(launch, ways_check, packed, size);
	}
	free(packed);
	texts_drop(&names);
	return ret;
}

static int
seatbelt_apply(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch)
{
	struct texts sockets = {.list = NULL};
	struct texts links = {.list = NULL};
	const struct profile_source source = {.request = request,
	    .atoms = atoms,
	    .count = count,
	    .links = &links,
	    .sockets = &sockets,
	    .anchor = find_anchor,
	    .is_absent_out = apply_is_here()};
	struct profile profile = {.text = NULL};
	size_t i;
	int ret;

	(void)host;
	if (!apply_is_here() && !is_shown(request)) {
		launch->explain(
		    launch, "sandbox profiles are a matter of macOS");
		return -ENOSYS;
	}
	/* What could not be found was not promised. */
	find_sockets(request, &sockets);
	ret = find_links(request, &links);
	if (ret == 0)
		ret = profile_make(&source, &profile);
	if (ret == 0)
		ret = add_words(launch, &profile);
	if (ret == 0 && !is_shown(request))
		ret = set_self(launch, &profile);
	if (ret == 0 && !is_shown(request))
		ret = add_check(launch, request);
	for (i = 0; ret == 0 && i < count; i++)
		ret = launch->hold(launch, atoms[i], atoms[i]->access);
	if (ret < 0)
		explain(launch, ret);
	profile_drop(&profile);
	texts_drop(&sockets);
	texts_drop(&links);
	return ret;
}

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    .abi_version = OMEGA_SANDBOX_PLUGIN_ABI,
    .struct_size = sizeof(struct omega_sandbox_plugin),
    .flags = OMEGA_SANDBOX_PLUGIN_PREFIX | OMEGA_SANDBOX_PLUGIN_PREVIEWS,
    .name = "seatbelt",
    .description = "macOS sandbox profiles: places, sockets, processes",
    .probe = seatbelt_probe,
    .describe = seatbelt_describe,
    .apply = seatbelt_apply,
};
