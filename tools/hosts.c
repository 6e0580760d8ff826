/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * hosts.c - hosts that a command wanted to reach and did not: see tool.h.
 */

#include "config.h"

#include "tool.h"

/* "NAME:PORT", or what is right for one that was only looked up. */
static void
print_host(const struct omega_sandbox_refused_host *host, char *text,
    size_t size, bool is_whole)
{
	if (host->port != 0)
		snprintf(text, size, "%s:%u", host->name, (unsigned)host->port);
	else
		snprintf(
		    text, size, "%s%s", host->name, is_whole ? ":443" : "");
}

/* How often that one was refused by then. */
static json_int_t
count_before(const json_t *before, size_t i)
{
	return json_integer_value(
	    json_object_get(json_array_get(before, i), "count"));
}

json_t *
tool_json_hosts(struct omega_sandbox_prepared *prepared,
    struct omega_sandbox_policy *policy, const json_t *before)
{
	struct omega_sandbox_refused_host host =
	    OMEGA_SANDBOX_REFUSED_HOST_INIT;
	json_t *list = json_array();
	size_t i;

	for (i = 0; omega_sandbox_prepared_get_refused(prepared, i, &host) == 0;
	     i++) {
		struct omega_sandbox_judgement found =
		    OMEGA_SANDBOX_JUDGEMENT_INIT;
		json_int_t last = count_before(before, i);
		char text[300];
		json_t *item;

		/* Fewer than before: by another helper. */
		if (last > (json_int_t)host.count)
			last = 0;
		if (before != NULL && last == (json_int_t)host.count)
			continue;
		print_host(&host, text, sizeof(text), true);
		item = json_pack("{s:s, s:o, s:I, s:s}", "host", host.name,
		    "port",
		    host.port != 0 ? json_integer(host.port) : json_null(),
		    "count", (json_int_t)host.count - last, "why", host.why);
		if (item != NULL && policy != NULL &&
		    host.reason <= OMEGA_SANDBOX_HOST_PORT &&
		    omega_sandbox_policy_judge(policy, NULL,
			OMEGA_SANDBOX_CONNECT, text, &found, NULL) == 0 &&
		    !found.is_allowed) {
			print_host(&host, text, sizeof(text), false);
			json_object_set_new(
			    item, "rule", tool_json_text(found.rule));
			json_object_set_new(
			    item, "origin", tool_json_text(found.origin));
			json_object_set_new(
			    item, "line", json_integer(found.line));
			if (found.resolved[0] != '\0')
				json_object_set_new(item, "allow",
				    json_sprintf("--allow-host %s", text));
		}
		json_array_append_new(list, item);
	}
	return list;
}

void
tool_tell_hosts(const json_t *list, bool is_brief)
{
	const json_t *item;
	size_t i;

	if (is_brief && json_array_size(list) > 0) {
		tool_error("%zu host%s not reached, %s first; run --verbose "
			   "tells why",
		    json_array_size(list),
		    json_array_size(list) == 1 ? " was" : "s were",
		    json_string_value(
			json_object_get(json_array_get(list, 0), "host")));
		return;
	}
	json_array_foreach(list, i, item)
	{
		const char *allow =
		    json_string_value(json_object_get(item, "allow"));
		json_int_t port =
		    json_integer_value(json_object_get(item, "port"));
		char text[16] = "";

		if (port != 0)
			snprintf(text, sizeof(text), ":%d", (int)port);
		tool_error("not reached: %s%s, %" JSON_INTEGER_FORMAT
			   " times: %s%s%s",
		    json_string_value(json_object_get(item, "host")), text,
		    json_integer_value(json_object_get(item, "count")),
		    json_string_value(json_object_get(item, "why")),
		    allow != NULL ? "; would be allowed by " : "",
		    allow != NULL ? allow : "");
	}
}

static json_t *
member(const json_t *item, const char *name, const char *other)
{
	json_t *value = json_object_get(item, name);

	return value != NULL ? json_incref(value) : json_string(other);
}

void
tool_add_hosts(json_t *refused, const json_t *list)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		json_int_t port =
		    json_integer_value(json_object_get(item, "port"));
		const char *host =
		    json_string_value(json_object_get(item, "host"));
		json_t *allow = json_object_get(item, "allow");

		json_array_append_new(refused,
		    json_pack("{s:s, s:o, s:o, s:o, s:I, s:O, s:o}", "access",
			"connect", "path",
			port == 0 ? json_string(host)
				  : json_sprintf("%s:%d", host, (int)port),
			"rule",
			member(item, "rule",
			    json_string_value(json_object_get(item, "why"))),
			"origin", member(item, "origin", "hosts"), "line",
			json_integer_value(json_object_get(item, "line")),
			"count", json_object_get(item, "count"), "allow",
			allow != NULL ? json_incref(allow) : json_null()));
	}
}
