/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * explain.c - omega-sandbox explain: may a command read, write or run this, or
 * reach that host, by which rule of which file and line not, and who holds
 * that?
 */

#include "config.h"

#include "tool.h"

static const struct {
	const char *name;
	unsigned access;
} accesses[] = {
    {"read", OMEGA_SANDBOX_READ},
    {"write", OMEGA_SANDBOX_WRITE},
    {"execute", OMEGA_SANDBOX_EXECUTE},
};

#define ACCESS_COUNT (sizeof(accesses) / sizeof(accesses[0]))

static const char *
state_word(const struct omega_sandbox_judgement *judgement)
{
	if (judgement->guarantee != NULL &&
	    judgement->state == OMEGA_SANDBOX_ENFORCED)
		return "enforced";
	return judgement->guarantee != NULL &&
		       judgement->state == OMEGA_SANDBOX_PARTIAL
		   ? "partly enforced"
		   : "not enforced";
}

/* "by DENY at FILE:LINE", as far as it is known. */
static void
print_rule(const struct omega_sandbox_judgement *judgement)
{
	tool_print_visible(
	    judgement->rule[0] != '\0' ? judgement->rule : "a list");
	if (judgement->origin[0] != '\0') {
		fputs(" (", stdout);
		tool_print_visible(
		    tool_origin(judgement->origin, judgement->rule));
		if (judgement->line != 0)
			printf(":%u", judgement->line);
		putchar(')');
	}
}

static void
print_judgement(
    const char *name, const struct omega_sandbox_judgement *judgement)
{
	if (judgement->is_allowed) {
		printf("  %-8s allowed\n", name);
		return;
	}
	if (judgement->reason == OMEGA_SANDBOX_UNDECIDED) {
		printf("  %-8s unknown", name);
		tool_print_undecided(judgement->rule, judgement->sys_errno);
		putchar('\n');
		return;
	}
	printf("  %-8s denied by ", name);
	print_rule(judgement);
	printf("\n           %s", state_word(judgement));
	if (judgement->backends != NULL && judgement->backends[0] != '\0')
		printf(" by %s", judgement->backends);
	if (judgement->guarantee != NULL) {
		fputs(": ", stdout);
		tool_print_visible(judgement->guarantee);
	}
	putchar('\n');
}

static json_t *
judgement_json(const struct omega_sandbox_judgement *judgement)
{
	if (judgement->is_allowed)
		return json_pack("{s:b}", "allowed", 1);
	if (judgement->reason == OMEGA_SANDBOX_UNDECIDED)
		return json_pack("{s:b, s:s}", "allowed", 0, "error",
		    strerror(judgement->sys_errno));
	return json_pack("{s:b, s:o, s:o, s:I, s:s, s:o, s:o}", "allowed", 0,
	    "rule", tool_json_text(judgement->rule), "origin",
	    tool_json_text(tool_origin(judgement->origin, judgement->rule)),
	    "line", (json_int_t)judgement->line, "state", state_word(judgement),
	    "guarantee",
	    judgement->guarantee != NULL ? tool_json_text(judgement->guarantee)
					 : json_null(),
	    "backends",
	    tool_json_text(
		judgement->backends != NULL ? judgement->backends : ""));
}

/* Of /dev nothing else is kept from being read. */
static void
print_absence(const char *path, const struct omega_sandbox_judgement *judgement)
{
	if (access(path, F_OK) != 0 && errno == ENOENT)
		puts(", which does not exist");
	else if (!judgement->is_allowed &&
		 strcmp(judgement->rule, "/dev") == 0 &&
		 strcmp(judgement->origin, "built in") == 0)
		puts(", which is not in the /dev that commands have");
	else
		putchar('\n');
}

/* One path; its JSON goes to list, if there is one. 0 or a code. */
static int
explain_path(struct omega_sandbox_policy *policy,
    const struct omega_sandbox_report *report, const char *path, json_t *list,
    struct omega_sandbox_error *error)
{
	json_t *object = json_pack("{s:o}", "path", tool_json_text(path));
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < ACCESS_COUNT; i++) {
		struct omega_sandbox_judgement judgement =
		    OMEGA_SANDBOX_JUDGEMENT_INIT;

		ret = omega_sandbox_policy_judge(policy, report,
		    accesses[i].access, path, &judgement, error);
		if (ret < 0)
			break;
		if (i == 0 && list == NULL) {
			tool_print_visible(path);
			if (judgement.resolved[0] != '\0' &&
			    strcmp(judgement.resolved, path) != 0) {
				fputs(" -> ", stdout);
				tool_print_visible(judgement.resolved);
			}
			print_absence(path, &judgement);
		}
		if (i == 0)
			json_object_set_new(object, "resolved",
			    tool_json_text(judgement.resolved));
		if (list == NULL)
			print_judgement(accesses[i].name, &judgement);
		json_object_set_new(
		    object, accesses[i].name, judgement_json(&judgement));
	}
	if (list != NULL)
		json_array_append(list, object);
	json_decref(object);
	return ret;
}

/* NAME:PORT, and no file of that name? */
static bool
is_host(const char *word)
{
	const char *colon = strrchr(word, ':');

	return colon != NULL && strchr(word, '/') == NULL && colon[1] != '\0' &&
	       strspn(colon + 1, "0123456789") == strlen(colon + 1) &&
	       access(word, F_OK) != 0;
}

static int
explain_host(struct omega_sandbox_policy *policy,
    const struct omega_sandbox_report *report, const char *host, json_t *list,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_judgement judgement = OMEGA_SANDBOX_JUDGEMENT_INIT;
	json_t *object;
	int ret;

	ret = omega_sandbox_policy_judge(
	    policy, report, OMEGA_SANDBOX_CONNECT, host, &judgement, error);
	if (ret < 0)
		return ret;
	if (list == NULL) {
		puts(host);
		print_judgement("connect", &judgement);
		if (judgement.resolved[0] != '\0')
			printf(
			    "           would be allowed by --allow-host %s, "
			    "or by adding it to hosts there\n",
			    judgement.resolved);
		return 0;
	}
	object = json_pack("{s:o, s:o}", "host", tool_json_text(host),
	    "connect", judgement_json(&judgement));
	if (judgement.resolved[0] != '\0')
		json_object_set_new(object, "allow",
		    json_sprintf("--allow-host %s", judgement.resolved));
	json_array_append_new(list, object);
	return 0;
}

static int
explain(struct tool_call *call)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	json_t *list = NULL;
	int ret;
	int i;

	if (call->word_count == 0)
		return tool_error("explain: no path given; see omega-sandbox "
				  "explain --help");
	if (tool_open_policy(call) < 0)
		return TOOL_ERROR;
	if (call->options.is_json)
		list = json_array();
	ret = omega_sandbox_describe(call->policy, &report, &error);
	for (i = 0; ret == 0 && i < call->word_count; i++) {
		char *path;

		if (is_host(call->words[i])) {
			ret = explain_host(
			    call->policy, report, call->words[i], list, &error);
			continue;
		}
		path = tool_full_path(call->words[i], &error);
		ret = path == NULL ? OMEGA_SANDBOX_E_MEMORY
				   : explain_path(call->policy, report, path,
					 list, &error);
		free(path);
	}
	if (ret < 0)
		tool_error("explain: %s",
		    error.text[0] != '\0' ? error.text : "out of memory");
	else if (list != NULL)
		tool_print_json(json_incref(list));
	json_decref(list);
	omega_sandbox_report_unref(report);
	return ret < 0 ? TOOL_ERROR : TOOL_YES;
}

const struct tool_verb tool_explain = {
    .name = "explain",
    .summary = "why may a path or host not be used?",
    .run = explain,
    .options = TOOL_UNDER " json",
    .usage = "[OPTION...] PATH|HOST:PORT...",
    .help =
	"Says for each PATH whether a command may read, write and execute it, "
	"for\n"
	"each HOST:PORT whether it may connect; if not, which rule of which "
	"file\n"
	"forbids it, and which backend holds that here.\n",
    .json_help = "print one JSON array",
    .exit_help = "Exit: 0, or 2 after an error.\n",
};
