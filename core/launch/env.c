/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * env.c - see env.h.
 */

#include "config.h"

#include "launch/env.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static char
fold(char c)
{
	return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

static bool
is_same(char a, char b, bool is_folded)
{
	return a == b || (is_folded && fold(a) == fold(b));
}

/* One star at a time: on a mismatch the last one takes a byte more. */
bool
omega_env_fits(const char *pattern, size_t pattern_len, const char *text,
    size_t len, bool is_folded)
{
	size_t at = 0;
	size_t p = 0;
	size_t star = 0; /* behind the last star; 0: none yet */
	size_t mark = 0;

	/* Most patterns differ from most texts at the end already. */
	if (len > 0 && pattern_len > 0 && pattern[pattern_len - 1] != '*' &&
	    pattern[pattern_len - 1] != '?' &&
	    !is_same(pattern[pattern_len - 1], text[len - 1], is_folded))
		return false;
	while (at < len) {
		if (p < pattern_len && pattern[p] == '*') {
			star = ++p;
			mark = at;
		} else if (p < pattern_len &&
			   (pattern[p] == '?' ||
			       is_same(pattern[p], text[at], is_folded))) {
			p++;
			at++;
		} else if (star != 0) {
			p = star;
			at = ++mark;
		} else {
			return false;
		}
	}
	while (p < pattern_len && pattern[p] == '*')
		p++;
	return p == pattern_len;
}

static bool
fits(const char *pattern, const char *name, size_t len, bool is_folded)
{
	return omega_env_fits(pattern, strlen(pattern), name, len, is_folded);
}

/* Longer names are rare, and looked at as they are. */
#define LONGEST 256

/*
 * Every variable of every start is held against every pattern, so that most of
 * them must be passed over by their first or last letter. name is in capitals.
 */
static bool
fits_built_in(
    const struct omega_env_pattern *pattern, const char *name, size_t len)
{
	const char *text = pattern->text;
	size_t rest = pattern->len - 1;

	if (text[0] != '*')
		return text[0] == name[0] &&
		       omega_env_fits(text, rest + 1, name, len, false);
	if (text[rest] != '*') /* at the end, and nothing open before that */
		return text[rest] == name[len - 1] && len >= rest &&
		       memcmp(name + len - rest, text + 1, rest) == 0;
	return memmem(name, len, text + 1, rest - 1) != NULL;
}

enum omega_env_class
omega_env_class_of(const char *name, size_t len)
{
	const struct omega_env_pattern *pattern;
	char capitals[LONGEST];
	size_t i;

	if (len == 0)
		return OMEGA_ENV_PLAIN;
	for (i = 0; i < len && i < sizeof(capitals); i++)
		capitals[i] = fold(name[i]);
	for (pattern = omega_env_patterns; pattern->text != NULL; pattern++)
		if (len <= sizeof(capitals)
			? fits_built_in(pattern, capitals, len)
			: fits(pattern->text, name, len, true))
			return pattern->class;
	return OMEGA_ENV_PLAIN;
}

static bool
has(const struct omega_env_list *list, const char *name, size_t len,
    bool is_folded)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (fits(list->texts[i], name, len, is_folded))
			return true;
	return false;
}

/* Does a place other than this one (place_count: any) deny the name? */
static bool
is_denied(const struct omega_env *env, size_t but, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < env->place_count; i++)
		if (i != but && has(&env->places[i].deny, name, len, true) &&
		    !has(&env->places[i].allow, name, len, false))
			return true;
	return false;
}

static bool
is_allowed(const struct omega_env *env, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < env->place_count; i++)
		if (has(&env->places[i].allow, name, len, false))
			return true;
	return false;
}

/*
 * Does the value name a socket that was granted? Alone, as
 * "unix:path=PATH,...", "unix://PATH" or "PATH,...": whole, not as a part of
 * another path.
 */
static bool
is_granted(const struct omega_env *env, const char *value)
{
	size_t i;

	if (env->is_socket_open)
		return true;
	for (i = 0; i < env->sockets.count; i++) {
		const char *path = env->sockets.texts[i];
		const char *at = value;

		while ((at = strstr(at, path)) != NULL) {
			const char *end = at + strlen(path);
			bool is_start =
			    at == value || at[-1] == '=' || at[-1] == ':' ||
			    (at - value >= 3 && memcmp(at - 3, "://", 3) == 0);

			if (is_start && (*end == '\0' || *end == ','))
				return true;
			at++;
		}
	}
	return false;
}

static bool
is_set_by(const struct omega_env *env, const char *name, size_t len)
{
	size_t i;
	size_t j;

	for (i = 0; i < env->place_count; i++)
		for (j = 0; j < env->places[i].set.count; j++) {
			const char *text = env->places[i].set.texts[j];

			if (strncmp(text, name, len) == 0 && text[len] == '=' &&
			    omega_env_is_set(env, i, j))
				return true;
		}
	return false;
}

bool
omega_env_is_set(const struct omega_env *env, size_t place, size_t set)
{
	const char *text = env->places[place].set.texts[set];
	size_t len = strcspn(text, "=");
	size_t i;
	size_t j;

	if (is_denied(env, place, text, len))
		return false;
	for (i = 0; i <= place; i++)
		for (j = 0; j < (i < place ? env->places[i].set.count : set);
		     j++)
			if (strncmp(env->places[i].set.texts[j], text,
				len + 1) == 0 &&
			    !is_denied(env, i, text, len))
				return false;
	return true;
}

enum omega_env_fate
omega_env_judge(const struct omega_env *env, const char *text)
{
	const char *equals = strchr(text, '=');
	enum omega_env_class class;
	size_t len;

	if (equals == NULL || equals == text)
		return OMEGA_ENV_REMOVED;
	len = (size_t)(equals - text);
	if (is_set_by(env, text, len))
		return OMEGA_ENV_REPLACED;
	if (is_denied(env, env->place_count, text, len))
		return OMEGA_ENV_REMOVED;
	class = omega_env_class_of(text, len);
	if (class == OMEGA_ENV_PLAIN)
		return OMEGA_ENV_KEPT;
	if (is_allowed(env, text, len) ||
	    (class == OMEGA_ENV_SOCKET && is_granted(env, equals + 1)))
		return OMEGA_ENV_GIVEN_BACK;
	return OMEGA_ENV_REMOVED;
}

int
omega_env_filter(const struct omega_env *env, char *const *base, char ***kept)
{
	size_t count = 1;
	size_t used = 0;
	size_t i;
	size_t j;
	char **made;

	for (i = 0; base != NULL && base[i] != NULL; i++)
		count++;
	for (i = 0; i < env->place_count; i++)
		count += env->places[i].set.count;
	made = calloc(count, sizeof(*made));
	if (made == NULL)
		return -ENOMEM;
	for (i = 0; base != NULL && base[i] != NULL; i++) {
		enum omega_env_fate fate = omega_env_judge(env, base[i]);

		if (fate == OMEGA_ENV_KEPT || fate == OMEGA_ENV_GIVEN_BACK)
			made[used++] = base[i];
	}
	for (i = 0; i < env->place_count; i++)
		for (j = 0; j < env->places[i].set.count; j++)
			if (omega_env_is_set(env, i, j))
				made[used++] = env->places[i].set.texts[j];
	*kept = made;
	return 0;
}

int
omega_env_add(struct omega_env_list *list, const char *text)
{
	char **texts;

	texts =
	    omega_array_resize(list->texts, list->count + 1, sizeof(*texts));
	if (texts == NULL)
		return -ENOMEM;
	list->texts = texts;
	texts[list->count] = strdup(text);
	if (texts[list->count] == NULL)
		return -ENOMEM;
	list->count++;
	return 0;
}

struct omega_env_place *
omega_env_add_place(struct omega_env *env)
{
	struct omega_env_place *places;

	places = omega_array_resize(
	    env->places, env->place_count + 1, sizeof(*places));
	if (places == NULL)
		return NULL;
	env->places = places;
	places += env->place_count++;
	memset(places, 0, sizeof(*places));
	return places;
}

static void
drop_list(struct omega_env_list *list)
{
	while (list->count > 0)
		free(list->texts[--list->count]);
	free(list->texts);
}

void
omega_env_drop(struct omega_env *env)
{
	while (env->place_count > 0) {
		struct omega_env_place *place =
		    &env->places[--env->place_count];

		drop_list(&place->deny);
		drop_list(&place->allow);
		drop_list(&place->set);
	}
	free(env->places);
	drop_list(&env->sockets);
	memset(env, 0, sizeof(*env));
}

/*
 * What is taken out of every environment unless somebody gives it back.
 * sandbox.conf(5) has the same list; keep them in step.
 *
 * Left alone on purpose: search paths of a project (PATH, PYTHONPATH,
 * PERL5LIB, NODE_PATH, RUBYLIB, CLASSPATH), programs that are asked for by
 * name when they are wanted (EDITOR, PAGER, GIT_SSH_COMMAND, SSH_ASKPASS,
 * LESSOPEN), and files that hold secrets but are not secret by name
 * (SSL_CERT_FILE, KUBECONFIG, XAUTHORITY): what such a name leads to is for
 * the policy to deny.
 */

#define PATTERN(text, class)                    \
	{                                       \
		text, sizeof(text) - 1, (class) \
	}

const struct omega_env_pattern omega_env_patterns[] = {
    /* Secrets. */
    PATTERN("*_KEY", OMEGA_ENV_SECRET),
    PATTERN("APIKEY", OMEGA_ENV_SECRET),
    PATTERN("*_APIKEY", OMEGA_ENV_SECRET),
    PATTERN("*_KEY_BASE", OMEGA_ENV_SECRET),
    PATTERN("TOKEN", OMEGA_ENV_SECRET),
    PATTERN("*_TOKEN", OMEGA_ENV_SECRET),
    PATTERN("*SECRET*", OMEGA_ENV_SECRET),
    PATTERN("*PASSWORD*", OMEGA_ENV_SECRET),
    PATTERN("*PASSWD*", OMEGA_ENV_SECRET),
    PATTERN("*PASSPHRASE*", OMEGA_ENV_SECRET),
    PATTERN("*_PASS", OMEGA_ENV_SECRET),
    PATTERN("SSHPASS", OMEGA_ENV_SECRET),
    PATTERN("MYSQL_PWD", OMEGA_ENV_SECRET),
    PATTERN("*CREDENTIAL*", OMEGA_ENV_SECRET),
    PATTERN("*_AUTH", OMEGA_ENV_SECRET),
    PATTERN("*_AUTH_CONFIG", OMEGA_ENV_SECRET),
    PATTERN("*_PAT", OMEGA_ENV_SECRET),
    PATTERN("*_COOKIE", OMEGA_ENV_SECRET),
    PATTERN("*_DSN", OMEGA_ENV_SECRET),
    PATTERN("DATABASE_URL", OMEGA_ENV_SECRET),
    PATTERN("*_DATABASE_URL", OMEGA_ENV_SECRET),
    PATTERN("*_CONNECTION_STRING", OMEGA_ENV_SECRET),
    PATTERN("REDIS_URL", OMEGA_ENV_SECRET),
    PATTERN("MONGODB_URI", OMEGA_ENV_SECRET),
    PATTERN("MONGO_URL", OMEGA_ENV_SECRET),
    PATTERN("AMQP_URL", OMEGA_ENV_SECRET),
    PATTERN("*_WEBHOOK_URL", OMEGA_ENV_SECRET),
    PATTERN("AWS_*", OMEGA_ENV_SECRET),
    /* The dynamic loader and the C library. */
    PATTERN("LD_*", OMEGA_ENV_LOADER),
    PATTERN("DYLD_*", OMEGA_ENV_LOADER),
    PATTERN("GCONV_PATH", OMEGA_ENV_LOADER),
    PATTERN("GLIBC_TUNABLES", OMEGA_ENV_LOADER),
    /* Shells. */
    PATTERN("BASH_ENV", OMEGA_ENV_LOADER),
    PATTERN("BASH_FUNC_*", OMEGA_ENV_LOADER),
    PATTERN("BASHOPTS", OMEGA_ENV_LOADER),
    PATTERN("ENV", OMEGA_ENV_LOADER),
    PATTERN("PROMPT_COMMAND", OMEGA_ENV_LOADER),
    PATTERN("PS4", OMEGA_ENV_LOADER),
    PATTERN("SHELLOPTS", OMEGA_ENV_LOADER),
    /* Interpreters. */
    PATTERN("JAVA_TOOL_OPTIONS", OMEGA_ENV_LOADER),
    PATTERN("JDK_JAVA_OPTIONS", OMEGA_ENV_LOADER),
    PATTERN("_JAVA_OPTIONS", OMEGA_ENV_LOADER),
    PATTERN("LUA_INIT*", OMEGA_ENV_LOADER),
    PATTERN("NODE_OPTIONS", OMEGA_ENV_LOADER),
    PATTERN("PERL5DB", OMEGA_ENV_LOADER),
    PATTERN("PERL5OPT", OMEGA_ENV_LOADER),
    PATTERN("PYTHONBREAKPOINT", OMEGA_ENV_LOADER),
    PATTERN("PYTHONHOME", OMEGA_ENV_LOADER),
    PATTERN("PYTHONINSPECT", OMEGA_ENV_LOADER),
    PATTERN("PYTHONSTARTUP", OMEGA_ENV_LOADER),
    PATTERN("RUBYOPT", OMEGA_ENV_LOADER),
    /* Agents, buses, and whatever else types or starts on request. */
    PATTERN("ALACRITTY_SOCKET", OMEGA_ENV_SOCKET),
    PATTERN("CONTAINERD_ADDRESS", OMEGA_ENV_SOCKET),
    PATTERN("CONTAINER_HOST", OMEGA_ENV_SOCKET),
    PATTERN("DBUS_*_ADDRESS", OMEGA_ENV_SOCKET),
    PATTERN("DOCKER_HOST", OMEGA_ENV_SOCKET),
    PATTERN("GNOME_KEYRING_CONTROL", OMEGA_ENV_SOCKET),
    PATTERN("GPG_AGENT_INFO", OMEGA_ENV_SOCKET),
    PATTERN("I3SOCK", OMEGA_ENV_SOCKET),
    PATTERN("KITTY_LISTEN_ON", OMEGA_ENV_SOCKET),
    PATTERN("NOTIFY_SOCKET", OMEGA_ENV_SOCKET),
    PATTERN("NVIM", OMEGA_ENV_SOCKET),
    PATTERN("NVIM_LISTEN_ADDRESS", OMEGA_ENV_SOCKET),
    PATTERN("SESSION_MANAGER", OMEGA_ENV_SOCKET),
    PATTERN("SSH_AUTH_SOCK", OMEGA_ENV_SOCKET),
    PATTERN("STY", OMEGA_ENV_SOCKET),
    PATTERN("SWAYSOCK", OMEGA_ENV_SOCKET),
    PATTERN("TMUX", OMEGA_ENV_SOCKET),
    PATTERN("VSCODE_*IPC*", OMEGA_ENV_SOCKET),
    PATTERN("WEZTERM_UNIX_SOCKET", OMEGA_ENV_SOCKET),
    {NULL, 0, OMEGA_ENV_PLAIN},
};
