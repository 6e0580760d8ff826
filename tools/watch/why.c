/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * why.c - see watch.h.
 *
 * The policy says which rule forbids a thing; whether the command is really
 * kept from it is seen by the mounts it has: a place that is another one there,
 * or read-only. What is absent, or closed to the caller too, was not refused by
 * us.
 */

#include "config.h"

#include "watch/watch.h"

#include <arpa/inet.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <unistd.h>

#include "tool.h"

/* So many are told apart; the rest is only counted. */
#define MOST 500

/* So many lines at most, for people, and grants in one. */
#define SCREEN 21
#define GRANTS 4

static struct {
	const struct tool_call *call;
	struct omega_sandbox_policy *policy;
	struct omega_sandbox_report *report;
	struct omega_sandbox_guard *guard;
	json_t *list; /* what was refused */
	json_t *known; /* by access and path: its place in the list, or -1 */
} why;

/* ---- In the watcher: was it refused? ------------------------------------ */

/* The directory of a path, or of the entry that is meant. */
static void
cut_name(char *path)
{
	char *slash = strrchr(path, '/');

	slash[slash == path] = '\0';
}

static int
open_inside(const char *path, bool is_link)
{
	struct open_how how = {
	    .flags = O_PATH | O_CLOEXEC | (is_link ? O_NOFOLLOW : 0),
	    .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};

	return (int)syscall(SYS_openat2, watch_root(), path, &how, sizeof(how));
}

/* Do the mounts of the command keep it from that? Who only looks sees a mask,
 * but nothing below it. */
static bool
is_mounted_away(const char *path, bool is_link, bool is_look, bool is_write)
{
	int outside =
	    open(path, O_PATH | O_CLOEXEC | (is_link ? O_NOFOLLOW : 0));
	int inside = open_inside(path, is_link);
	struct statvfs at;
	struct stat here;
	struct stat there;
	bool is_away = outside >= 0 && inside < 0;

	if (outside >= 0 && inside >= 0 && fstat(outside, &here) == 0 &&
	    fstat(inside, &there) == 0)
		is_away = !is_look && (here.st_dev != there.st_dev ||
					  here.st_ino != there.st_ino);
	if (inside >= 0 && is_write && fstatvfs(inside, &at) == 0 &&
	    (at.f_flag & ST_RDONLY) != 0)
		is_away = true;
	if (outside >= 0)
		close(outside);
	if (inside >= 0)
		close(inside);
	return is_away;
}

/* Could the caller do it? */
static bool
is_possible(const struct watch_act *act, char *place, bool *is_there)
{
	struct stat st;
	int mode = 0;

	strcpy(place, act->path);
	*is_there =
	    fstatat(AT_FDCWD, place, &st,
		act->is_name || act->is_made ? AT_SYMLINK_NOFOLLOW : 0) == 0;
	if (act->is_made ? *is_there : !*is_there && !act->is_new)
		return false;
	if (act->is_name || !*is_there)
		cut_name(place);
	if ((act->access & OMEGA_SANDBOX_WRITE) != 0 || !*is_there)
		mode |= W_OK;
	if ((act->access & OMEGA_SANDBOX_READ) != 0 && *is_there &&
	    !act->is_look)
		mode |= R_OK;
	if ((act->access & OMEGA_SANDBOX_EXECUTE) != 0)
		mode |= X_OK;
	return faccessat(AT_FDCWD, place, mode, AT_EACCESS) == 0;
}

/* Its own entries are another matter for each process. */
static bool
is_own_proc(const char *path)
{
	return strncmp(path, "/proc/", 6) == 0 &&
	       ((path[6] >= '0' && path[6] <= '9') ||
		   strncmp(path + 6, "self", 4) == 0 ||
		   strncmp(path + 6, "thread-self", 11) == 0);
}

/* Add one to the list, if it is not there by another call; its place. */
static int
add(const char *access, const char *path, const char *rule, const char *origin,
    json_int_t line, json_t *allow)
{
	json_t *item =
	    json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:o}", "access", access,
		"path", tool_json_text(path), "rule", tool_json_text(rule),
		"origin", tool_json_text(tool_origin(origin, rule)), "line",
		line, "count", (json_int_t)0, "allow", allow);
	size_t count = json_array_size(why.list);
	size_t i;

	for (i = 0; i < count; i++) {
		const json_t *other = json_array_get(why.list, i);

		if (json_equal(json_object_get(other, "path"),
			json_object_get(item, "path")) &&
		    json_equal(json_object_get(other, "access"),
			json_object_get(item, "access")))
			break;
	}
	if (i < count)
		json_decref(item);
	else if (json_array_append_new(why.list, item) < 0)
		return -1;
	return (int)i;
}

/* Where it stands in the list of what was refused, or -1. */
static int
judge_path(const struct watch_act *act, unsigned access, const char *word)
{
	struct omega_sandbox_judgement judgement = OMEGA_SANDBOX_JUDGEMENT_INIT;
	char place[sizeof(act->path)];
	bool is_there;
	int at;

	if (json_array_size(why.list) >= MOST || is_own_proc(act->path) ||
	    !omega_sandbox_guard_is_blocked(
		why.guard, access, act->path, NULL) ||
	    !is_possible(act, place, &is_there) ||
	    omega_sandbox_policy_judge(why.policy, why.report, access,
		act->path, &judgement, NULL) < 0 ||
	    judgement.is_allowed || judgement.rule[0] == '\0' ||
	    judgement.backends == NULL || judgement.backends[0] == '\0')
		return -1;
	if ((act->is_look || strstr(judgement.backends, "namespace") != NULL) &&
	    !is_mounted_away(place, is_there && act->is_name, act->is_look,
		access == OMEGA_SANDBOX_WRITE) &&
	    /* A name that is mounted on stays, though its directory may be
	     * written: EBUSY. */
	    !(is_there && act->is_name &&
		is_mounted_away(act->path, true, false, true)))
		return -1;
	at = add(word, act->path, judgement.rule, judgement.origin,
	    judgement.line, json_null());
	/* For find_remedy(), when all has been seen. */
	if (at >= 0)
		json_object_set_new(json_array_get(why.list, (size_t)at),
		    "place", tool_json_text(place));
	return at;
}

/* The guarantee that keeps commands from it, if it is held. */
static bool
find_guarantee(const char *kind, struct omega_sandbox_guarantee *found)
{
	size_t i;

	for (i = 0; omega_sandbox_report_get(why.report, i, found) == 0; i++)
		if (strcmp(found->kind, kind) == 0 &&
		    found->state == OMEGA_SANDBOX_ENFORCED)
			return true;
	return false;
}

bool
why_print_address(
    const struct sockaddr_storage *address, char *text, size_t size)
{
	const struct sockaddr_in *in = (const void *)address;
	const struct sockaddr_in6 *in6 = (const void *)address;
	char name[INET6_ADDRSTRLEN] = "?";
	bool is_four = address->ss_family == AF_INET;

	inet_ntop(address->ss_family,
	    is_four ? (const void *)&in->sin_addr
		    : (const void *)&in6->sin6_addr,
	    name, sizeof(name));
	snprintf(text, size, is_four ? "%s:%u" : "[%s]:%u", name,
	    (unsigned)ntohs(is_four ? in->sin_port : in6->sin6_port));
	return strncmp(name, "127.", 4) != 0 && strcmp(name, "::1") != 0 &&
	       strncmp(name, "::ffff:127.", 11) != 0;
}

/* Is it --net alone that keeps commands from an address? */
static bool
is_open_without_net(const char *text)
{
	struct omega_sandbox_judgement judged = OMEGA_SANDBOX_JUDGEMENT_INIT;
	struct tool_options options = why.call->options;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy = NULL;
	bool is_open;

	options.network = NULL;
	is_open =
	    why.call->options.network != NULL &&
	    tool_policy(&options, why.call->sandbox, &policy, &error) == 0 &&
	    omega_sandbox_policy_judge(policy, NULL, OMEGA_SANDBOX_CONNECT,
		text, &judged, &error) == 0 &&
	    judged.is_allowed;
	omega_sandbox_policy_unref(policy);
	return is_open;
}

static int
judge_address(const struct watch_act *act, const char *text)
{
	struct omega_sandbox_guarantee found = OMEGA_SANDBOX_GUARANTEE_INIT;
	char origin[1100];
	char *colon;
	json_int_t line = 0;

	struct omega_sandbox_judgement judged = OMEGA_SANDBOX_JUDGEMENT_INIT;

	(void)act;
	/* An address that stands for a name is not refused here. */
	if (find_guarantee("hosts", &found) && strncmp(text, "198.18.", 7) != 0)
		return omega_sandbox_policy_judge(why.policy, NULL,
			   OMEGA_SANDBOX_CONNECT, text, &judged, NULL) == 0 &&
			       !judged.is_allowed
			   ? add("connect", text, judged.rule, judged.origin,
				 judged.line,
				 judged.resolved[0] == '\0'
				     ? json_null()
				     : json_sprintf("--allow-host %s", text))
			   : -1;
	if (!find_guarantee("network", &found))
		return -1;
	snprintf(origin, sizeof(origin), "%s", found.origin);
	colon = strrchr(origin, ':');
	if (colon != NULL && origin[0] == '/') {
		line = strtol(colon + 1, NULL, 10);
		*colon = '\0';
	}
	return add("connect", text, "network", origin, line,
	    json_string(is_open_without_net(text)
			    ? "leaving out --net"
			    : "network = allow in a policy of your own"));
}

/* The path of a socket that is hidden. */
static int
judge_socket(const struct watch_act *act)
{
	struct omega_sandbox_guarantee found = OMEGA_SANDBOX_GUARANTEE_INIT;

	if (access(act->path, W_OK) != 0 ||
	    !is_mounted_away(act->path, false, false, false) ||
	    (!find_guarantee("outside_sockets", &found) &&
		!find_guarantee("launcher_sockets", &found)))
		return -1;
	return add("connect", act->path, found.text, found.origin, 0,
	    json_sprintf(
		"allow_sockets = { \"%s\" } in sandbox.conf", act->path));
}

/* Once for each thing; then it is known. */
static void
count(const struct watch_act *act, unsigned access, const char *word)
{
	char text[sizeof(act->path) + 8];
	json_t *item;
	int at;

	if (act->address != NULL) {
		if (!why_print_address(act->address, text, sizeof(text)))
			return;
	} else {
		snprintf(text, sizeof(text), "%c%d%d%d%d%s", word[0],
		    act->is_name, act->is_new, act->is_made, act->is_look,
		    act->path);
	}
	item = json_object_get(why.known, text);
	if (item == NULL) {
		at = act->address != NULL ? judge_address(act, text)
		     : access == 0	  ? judge_socket(act)
					  : judge_path(act, access, word);
		if (json_object_size(why.known) > 40 * MOST)
			json_object_clear(why.known);
		json_object_set_new_nocheck(why.known, text, json_integer(at));
	} else {
		at = (int)json_integer_value(item);
	}
	item = json_object_get(json_array_get(why.list, (size_t)at), "count");
	if (at >= 0)
		json_integer_set(item, json_integer_value(item) + 1);
}

static void
note(void *arg, const struct watch_act *act)
{
	(void)arg;
	if (act->access == 0)
		count(act, 0, "connect");
	if ((act->access & OMEGA_SANDBOX_WRITE) != 0 ||
	    (act->is_new && !act->is_name))
		count(act, OMEGA_SANDBOX_WRITE, "write");
	if ((act->access & OMEGA_SANDBOX_READ) != 0)
		count(act, OMEGA_SANDBOX_READ, "read");
	if ((act->access & OMEGA_SANDBOX_EXECUTE) != 0)
		count(act, OMEGA_SANDBOX_EXECUTE, "execute");
}

static json_t *
sum(void *arg)
{
	(void)arg;
	return why.list;
}

/* ---- In the tool -------------------------------------------------------- */

int
why_begin(struct omega_sandbox_command *command, const struct tool_call *call,
    struct omega_sandbox_error *error)
{
	static const struct watch_look look = {.note = note, .sum = sum};
	struct omega_sandbox_prepared *prepared =
	    omega_sandbox_command_prepared(command);
	int ret;

	why.call = call;
	why.policy = call->policy;
	why.report = omega_sandbox_prepared_report(prepared);
	why.list = json_array();
	why.known = json_object();
	omega_sandbox_prepared_unref(prepared);
	ret = omega_sandbox_guard_new_for_policy(why.policy, &why.guard, error);
	return ret < 0 ? ret : watch_begin(command, &look, error);
}

static const char *
text_of(const json_t *item, const char *name)
{
	const char *text = json_string_value(json_object_get(item, name));

	return text != NULL ? text : "";
}

static json_int_t
number_of(const json_t *item, const char *name)
{
	return json_integer_value(json_object_get(item, name));
}

/* Is the path the place, or in it? */
static bool
is_within(const char *path, const char *place)
{
	size_t len = strlen(place);

	return strncmp(path, place, len) == 0 &&
	       (path[len] == '\0' || path[len] == '/');
}

/* All that somebody has, or all there is, is no advice. */
static bool
is_too_wide(const char *path)
{
	const char *home = getenv("HOME");

	return strcmp(path, "/") == 0 ||
	       (home != NULL && is_within(home, path));
}

/* What a shell takes as it is. */
static bool
is_plain(const char *path)
{
	for (; *path != '\0'; path++)
		if ((*path & 0x80) == 0 && !isalnum((unsigned char)*path) &&
		    strchr("/._-+=:,@%", *path) == NULL)
			return false;
	return true;
}

/*
 * The smallest grant that allows one of the list: the thing itself, the
 * directory it would be made in, what the rule names. NULL: none does. What
 * was found for one before counts for all in it.
 */
static json_t *
find_remedy(const json_t *list, size_t at)
{
	const json_t *item = json_array_get(list, at);
	const char *word = text_of(item, "access");
	const char *needs[] = {
	    text_of(item, "path"), text_of(item, "place"), NULL};
	const char *tries[] = {needs[0], needs[1], text_of(item, "rule")};
	size_t i;

	for (i = 0; i < at; i++) {
		const json_t *other = json_array_get(list, i);
		const char *allow = text_of(other, "allow");

		if (strcmp(text_of(other, "access"), word) == 0 &&
		    strcmp(text_of(other, "rule"), tries[2]) == 0 &&
		    allow[0] == '-' &&
		    is_within(needs[1], strchr(allow, ' ') + 1))
			return json_string(allow);
	}
	if (strcmp(needs[0], needs[1]) == 0)
		needs[1] = NULL;
	for (i = 0; i < 3; i++)
		if ((i != 1 || needs[1] != NULL) && tries[i][0] == '/' &&
		    !is_too_wide(tries[i]) && strchr(tries[i], '\'') == NULL &&
		    tool_would_grant(why.call, why.report, tool_access(word),
			tries[i], needs))
			return json_sprintf(
			    is_plain(tries[i]) ? "--%s %s" : "--%s '%s'", word,
			    tries[i]);
	return json_null();
}

json_t *
why_end(void)
{
	json_t *said = watch_end();
	json_t *list = json_incref(json_object_get(said, "sum"));
	json_int_t unread = json_integer_value(json_object_get(said, "unread"));
	json_t *item;
	size_t i;

	json_array_foreach(
	    list, i, item) if (json_object_get(item, "place") != NULL)
	{
		json_object_set_new(item, "allow", find_remedy(list, i));
		json_object_del(item, "place");
	}
	if (unread > 0)
		tool_error("warning: %" JSON_INTEGER_FORMAT
			   " calls could not be looked at",
		    unread);
	json_decref(said);
	omega_sandbox_guard_free(why.guard);
	omega_sandbox_report_unref(why.report);
	json_decref(why.list);
	json_decref(why.known);
	why.guard = NULL;
	why.report = NULL;
	why.list = why.known = NULL;
	return list;
}

/* The same access refused by the same rule, which a grant changes or not. */
static bool
is_like(const json_t *a, const json_t *b)
{
	return strcmp(text_of(a, "access"), text_of(b, "access")) == 0 &&
	       strcmp(text_of(a, "rule"), text_of(b, "rule")) == 0 &&
	       strcmp(text_of(a, "origin"), text_of(b, "origin")) == 0 &&
	       number_of(a, "line") == number_of(b, "line") &&
	       text_of(a, "allow")[0] == text_of(b, "allow")[0];
}

/* What allows one of the list, unless an earlier one of its group is told to;
 * *more counts those there is no room for. */
static void
print_allow(const json_t *list, size_t first, size_t at, size_t *shown)
{
	const char *allow = text_of(json_array_get(list, at), "allow");
	size_t i;

	for (i = first; i < at; i++)
		if (is_like(
			json_array_get(list, first), json_array_get(list, i)) &&
		    strcmp(text_of(json_array_get(list, i), "allow"), allow) ==
			0)
			return;
	if (++*shown > GRANTS)
		return;
	putc(' ', stderr);
	tool_put_visible(stderr, allow);
}

/* All like the one at first: their names, how often, by what. */
static void
print_group(const json_t *list, size_t first)
{
	const json_t *item = json_array_get(list, first);
	json_int_t times = 0;
	size_t shown = 0;
	size_t more = 0;
	size_t i;

	for (i = first; i < json_array_size(list); i++)
		if (is_like(item, json_array_get(list, i))) {
			times += number_of(json_array_get(list, i), "count");
			more += i > first;
		}
	fprintf(stderr, "  %-8s ", text_of(item, "access"));
	tool_put_visible(stderr, text_of(item, "path"));
	if (more > 0)
		fprintf(stderr, " and %zu more", more);
	fprintf(stderr, ", %" JSON_INTEGER_FORMAT " time%s\n           by ",
	    times, times == 1 ? "" : "s");
	tool_put_visible(stderr, text_of(item, "rule"));
	fputs(" (", stderr);
	tool_put_visible(stderr, text_of(item, "origin"));
	if (number_of(item, "line") != 0)
		fprintf(
		    stderr, ":%" JSON_INTEGER_FORMAT, number_of(item, "line"));
	if (text_of(item, "allow")[0] == '\0') {
		/* All of a home may be the least that a list could have. */
		fprintf(stderr, "); no %soption allows it\n",
		    text_of(item, "rule")[0] == '/' ? "" : "narrow ");
		return;
	}
	fputs(")\n           would be allowed by", stderr);
	for (i = first; i < json_array_size(list); i++)
		if (is_like(item, json_array_get(list, i)))
			print_allow(list, first, i, &shown);
	if (shown > GRANTS)
		fprintf(stderr, " and %zu more", shown - GRANTS);
	putc('\n', stderr);
}

void
why_print(const json_t *list)
{
	size_t count = json_array_size(list);
	size_t groups = 0;
	size_t i;
	size_t k;

	fflush(stdout);
	if (list == NULL || count == 0) {
		tool_error("why: %s",
		    list == NULL ? "what was refused is not known"
				 : "nothing was refused that could be seen");
		return;
	}
	tool_error("why: refused was");
	for (i = 0; i < count; i++) {
		for (k = 0; k < i; k++)
			if (is_like(json_array_get(list, k),
				json_array_get(list, i)))
				break;
		if (k < i)
			continue;
		if (++groups <= SCREEN / 3)
			print_group(list, i);
	}
	if (groups > SCREEN / 3)
		fprintf(stderr,
		    "  and more by %zu other rules or places; "
		    "--json --why has all\n",
		    groups - SCREEN / 3);
}
