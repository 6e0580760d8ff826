/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * record.c - see record.h.
 */

#include "config.h"

#include "plan/record.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "audit/audit.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/hosts.h"
#include "policy/policy.h"

/* No more of one argument, and of all of them, is written; JSON may take six
 * bytes for one. */
#define MAX_ARGUMENT 1024
#define MAX_ARGUMENTS (16 * 1024)

/* More kinds of guarantees than there are. */
#define MAX_KINDS 64

struct omega_record {
	struct omega_sandbox_prepared *prepared;
	enum omega_record_kind kind;
	char *what; /* members about the command, each behind a comma, */
	char *held; /* and about what protects it; NULL: not known yet */
	char *id;
	struct timespec start;
	pid_t pid;
	uint32_t refused[OMEGA_HOSTS_MOST_REFUSED]; /* hosts, when it began */
};

static struct omega_audit *
audit_of(struct omega_sandbox_prepared *prepared)
{
	return &prepared->policy->sandbox->audit;
}

/* ---- Members ------------------------------------------------------------ */

/* {"time":...,"event":...,"id":...,"host_pid":...,"uid":... */
static void
add_head(struct omega_buffer *out, const char *event, const char *id)
{
	struct timespec now;
	struct tm parts;
	char text[32];

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &parts);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
	omega_buffer_print(out, "{\"time\":\"%s.%03ldZ\",\"event\":\"%s\"",
	    text, now.tv_nsec / 1000000, event);
	omega_buffer_member(out, "id", id);
	omega_buffer_print(out, ",\"host_pid\":%ld,\"uid\":%lu", (long)getpid(),
	    (unsigned long)getuid());
}

/* One argument, masked and cut. Returns how much of it is shown. */
static size_t
add_argument(struct omega_buffer *out, const struct omega_conf_list *masks,
    const char *before, const char *argument)
{
	size_t all = strlen(argument);
	size_t keep = omega_audit_shown(masks, before, argument);
	size_t shown = keep < MAX_ARGUMENT ? keep : MAX_ARGUMENT;
	char *text = malloc(shown + 4);

	if (text == NULL) {
		out->has_failed = true;
		return 0;
	}
	memcpy(text, argument, shown);
	strcpy(text + shown, keep < all ? "***" : shown < all ? "..." : "");
	omega_buffer_json(out, text);
	free(text);
	return shown + 3;
}

static void
add_arguments(struct omega_buffer *out, const struct omega_conf_list *masks,
    const struct omega_command *command)
{
	size_t used = 0;
	size_t i;

	omega_buffer_add(out, ",\"argv\":[");
	for (i = 0; i < command->arg_count && used < MAX_ARGUMENTS; i++) {
		omega_buffer_add(out, i == 0 ? "" : ",");
		used += add_argument(out, masks,
		    i == 0 ? NULL : command->args[i - 1], command->args[i]);
	}
	omega_buffer_add(out, "]");
	if (i < command->arg_count)
		omega_buffer_print(
		    out, ",\"argv_omitted\":%zu", command->arg_count - i);
}

static void
add_directory(struct omega_buffer *out, const char *dir)
{
	char here[PATH_MAX];
	char *whole = NULL;

	if ((dir != NULL && dir[0] == '/') ||
	    getcwd(here, sizeof(here)) == NULL)
		omega_buffer_member(out, "directory", dir);
	else if (dir == NULL)
		omega_buffer_member(out, "directory", here);
	else if (asprintf(&whole, "%s/%s", here, dir) >= 0)
		omega_buffer_member(out, "directory", whole);
	else
		out->has_failed = true;
	free(whole);
}

/* The names in "namespace, core (resource limit)", those not listed yet. */
static void
add_backends(struct omega_buffer *list, const char *names)
{
	size_t len;

	for (; *names != '\0';
	     names += strcspn(names, ","), names += strspn(names, ", ")) {
		char quoted[64];

		len = strcspn(names, ", ");
		snprintf(quoted, sizeof(quoted), "\"%.*s\"",
		    len < 48 ? (int)len : 48, names);
		if (len == 0 ||
		    (list->text != NULL && strstr(list->text, quoted) != NULL))
			continue;
		omega_buffer_print(
		    list, "%s%s", list->len == 0 ? "" : ",", quoted);
	}
}

/* How many guarantees of one kind are not enforced; a report has the texts. */
struct kind {
	const char *name;
	size_t count;
};

static void
count_kind(struct kind kinds[MAX_KINDS], const char *name)
{
	size_t i = 0;

	while (kinds[i].name != NULL && strcmp(kinds[i].name, name) != 0 &&
	       i < MAX_KINDS - 2)
		i++;
	kinds[i].name = name;
	kinds[i].count++;
}

/* Who protects, how much of it is held, and what is not. */
static void
add_guarantees(struct omega_buffer *out, struct omega_sandbox_report *report)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_buffer backends = {.text = NULL};
	struct kind missing[MAX_KINDS] = {{.name = NULL}};
	size_t counts[3] = {0, 0, 0};
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &line) == 0; i++) {
		counts[line.state]++;
		add_backends(&backends, line.backends);
		if (line.state != OMEGA_SANDBOX_ENFORCED)
			count_kind(missing, line.kind);
	}
	omega_buffer_print(out, ",\"backends\":[%s]",
	    backends.text == NULL ? "" : backends.text);
	omega_buffer_flag(
	    out, "protected", omega_sandbox_report_is_protected(report));
	omega_buffer_print(out,
	    ",\"guarantees\":{\"enforced\":%zu,\"partial\":%zu,"
	    "\"not_enforced\":%zu,\"missing\":{",
	    counts[OMEGA_SANDBOX_ENFORCED], counts[OMEGA_SANDBOX_PARTIAL],
	    counts[OMEGA_SANDBOX_NOT_ENFORCED]);
	for (i = 0; missing[i].name != NULL; i++)
		omega_buffer_print(out, "%s\"%s\":%zu", i == 0 ? "" : ",",
		    missing[i].name, missing[i].count);
	omega_buffer_add(out, "}}");
	if (backends.has_failed)
		out->has_failed = true;
	omega_buffer_drop(&backends);
}

static char *
describe(struct omega_sandbox_prepared *prepared,
    const struct omega_command *command)
{
	const struct omega_sandbox_policy *policy = prepared->policy;
	struct omega_buffer out = {.text = NULL};

	omega_buffer_member(&out, "context", command->context);
	omega_buffer_member(&out, "program", command->program);
	add_arguments(&out,
	    omega_conf_items(policy->sandbox->conf, OMEGA_OPTION_AUDIT_MASK),
	    command);
	add_directory(&out, command->dir);
	omega_buffer_member(&out, "policy", policy->name);
	return omega_buffer_take(&out);
}

/* How often each host was refused until now. */
static void
count_refused(struct omega_record *record)
{
	struct omega_sandbox_refused_host host =
	    OMEGA_SANDBOX_REFUSED_HOST_INIT;
	size_t i;

	for (i = 0; omega_sandbox_prepared_get_refused(
			record->prepared, i, &host) == 0;
	     i++)
		record->refused[i] = host.count;
}

/* The hosts that were refused since; to another command of the same
 * preparation, maybe, if there was one at that time. */
static void
add_refused(struct omega_buffer *out, const struct omega_record *record)
{
	struct omega_sandbox_refused_host host =
	    OMEGA_SANDBOX_REFUSED_HOST_INIT;
	bool is_begun = false;
	size_t i;

	for (i = 0; omega_sandbox_prepared_get_refused(
			record->prepared, i, &host) == 0;
	     i++) {
		/* Fewer than before: the helper is another one. */
		uint32_t before =
		    record->refused[i] > host.count ? 0 : record->refused[i];

		if (host.count == before)
			continue;
		omega_buffer_add(
		    out, is_begun ? ",{" : ",\"refused_hosts\":[{");
		is_begun = true;
		omega_buffer_add(out, "\"host\":");
		omega_buffer_json(out, host.name);
		if (host.port != 0)
			omega_buffer_print(
			    out, ",\"port\":%u", (unsigned)host.port);
		omega_buffer_print(out, ",\"count\":%lu",
		    (unsigned long)(host.count - before));
		omega_buffer_member(out, "why", host.why);
		omega_buffer_add(out, "}");
	}
	omega_buffer_add(out, is_begun ? "]" : "");
}

/* ---- Lines -------------------------------------------------------------- */

/* Give it to the log and drop it. */
static int
write_line(struct omega_audit *audit, struct omega_buffer *out,
    struct omega_sandbox_error *error)
{
	char *line;
	int ret;

	omega_buffer_add(out, "}");
	line = omega_buffer_take(out);
	if (line == NULL)
		return omega_error_memory(error);
	ret = omega_audit_write(audit, line, error);
	free(line);
	return ret;
}

/* The same with why nothing was started. */
static void
write_refusal(struct omega_audit *audit, struct omega_buffer *out,
    const struct omega_sandbox_error *error)
{
	omega_buffer_print(out, ",\"code\":%d", (int)error->code);
	omega_buffer_member(out, "error", error->text);
	(void)write_line(audit, out, NULL);
}

static void
drop(struct omega_record *record)
{
	omega_sandbox_prepared_unref(record->prepared);
	free(record->what);
	free(record->held);
	free(record->id);
	free(record);
}

static void
add_what(struct omega_buffer *out, const struct omega_record *record)
{
	omega_buffer_add(out, record->what);
	omega_buffer_add(out, record->held == NULL ? "" : record->held);
}

static int
write_start(struct omega_record *record, struct omega_sandbox_error *error)
{
	struct omega_buffer out = {.text = NULL};

	add_head(&out, record->kind == OMEGA_RECORD_EXEC ? "exec" : "start",
	    record->id);
	add_what(&out, record);
	return write_line(audit_of(record->prepared), &out, error);
}

static int
tell_refused(int ret, struct omega_sandbox_error *error)
{
	struct omega_sandbox_error why = OMEGA_SANDBOX_ERROR_INIT;

	if (ret != OMEGA_SANDBOX_E_REFUSED)
		return ret;
	omega_error_copy(&why, error);
	omega_error_set(error, OMEGA_SANDBOX_E_REFUSED, why.sys_errno,
	    "not started: %.900s", why.text);
	omega_error_file(error, why.file, why.line);
	return ret;
}

int
omega_record_begin(struct omega_sandbox_prepared *prepared,
    const struct omega_command *command, enum omega_record_kind kind,
    struct omega_record **record, struct omega_sandbox_error *error)
{
	static atomic_ulong number;
	struct omega_audit *audit = audit_of(prepared);
	struct omega_sandbox_error own = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_record *made;
	int ret;

	*record = NULL;
	if (!omega_audit_is_on(audit))
		return 0;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return omega_error_memory(error);
	made->prepared = omega_sandbox_prepared_ref(prepared);
	made->kind = kind;
	made->what = describe(prepared, command);
	if (asprintf(&made->id, "%ld-%lu", (long)getpid(),
		atomic_fetch_add(&number, 1) + 1) < 0)
		made->id = NULL;
	clock_gettime(CLOCK_MONOTONIC, &made->start);
	if (made->what == NULL || made->id == NULL) {
		drop(made);
		return omega_error_memory(error);
	}
	ret = omega_audit_ready(audit, &own);
	if (ret < 0) {
		tell_refused(ret, &own);
		omega_error_copy(error, &own);
		drop(made);
		return ret;
	}
	*record = made;
	return 0;
}

int
omega_record_held(struct omega_record *record,
    struct omega_sandbox_report *report, struct omega_sandbox_error *error)
{
	struct omega_buffer out = {.text = NULL};
	char *held;
	int ret = 0;

	if (record == NULL)
		return 0;
	add_guarantees(&out, report);
	held = omega_buffer_take(&out);
	if (held == NULL)
		return omega_error_memory(error);
	count_refused(record);
	if (record->held != NULL && strcmp(record->held, held) == 0) {
		free(held);
		return 0;
	}
	free(record->held);
	record->held = held;
	if (record->kind != OMEGA_RECORD_RUN)
		ret = write_start(record, error);
	return ret < 0 ? tell_refused(ret, error) : 0;
}

void
omega_record_refuse(
    struct omega_record *record, const struct omega_sandbox_error *error)
{
	struct omega_buffer out = {.text = NULL};

	if (record == NULL)
		return;
	add_head(&out, "refused", record->id);
	/* Unless it was written before. */
	if (record->kind == OMEGA_RECORD_RUN || record->held == NULL)
		add_what(&out, record);
	write_refusal(audit_of(record->prepared), &out, error);
	drop(record);
}

void
omega_record_start(struct omega_record *record, pid_t pid)
{
	if (record != NULL)
		record->pid = pid;
}

static void
add_number(struct omega_buffer *out, const char *name, bool is_known, long n)
{
	if (is_known)
		omega_buffer_print(out, ",\"%s\":%ld", name, n);
	else
		omega_buffer_print(out, ",\"%s\":null", name);
}

void
omega_record_end(struct omega_record *record,
    const struct omega_sandbox_outcome *end, bool is_lost)
{
	struct omega_buffer out = {.text = NULL};
	struct timespec now;
	long long ms;

	if (record == NULL)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (long long)(now.tv_sec - record->start.tv_sec) * 1000 +
	     (now.tv_nsec - record->start.tv_nsec) / 1000000;
	add_head(
	    &out, record->kind == OMEGA_RECORD_RUN ? "run" : "end", record->id);
	if (record->kind == OMEGA_RECORD_RUN)
		add_what(&out, record);
	add_number(&out, "pid", record->pid > 0, record->pid);
	add_number(&out, "exit", !is_lost && end->status >= 0, end->status);
	add_number(&out, "signal", !is_lost && end->signal != 0, end->signal);
	omega_buffer_flag(&out, "lost", is_lost);
	omega_buffer_print(&out, ",\"duration_ms\":%lld", ms);
	omega_buffer_flag(&out, "truncated", end->is_truncated);
	omega_buffer_flag(&out, "timed_out", end->is_timed_out);
	omega_buffer_flag(&out, "cancelled", end->is_cancelled);
	if (end->left > 0)
		omega_buffer_print(
		    &out, ",\"processes_left\":%lu", (unsigned long)end->left);
	add_refused(&out, record);
	(void)write_line(audit_of(record->prepared), &out, NULL);
	drop(record);
}

void
omega_record_unprepared(struct omega_sandbox_policy *policy,
    const struct omega_sandbox_error *error)
{
	struct omega_audit *audit = &policy->sandbox->audit;
	struct omega_buffer out = {.text = NULL};

	if (!omega_audit_is_on(audit))
		return;
	add_head(&out, "refused", NULL);
	omega_buffer_member(&out, "policy", policy->name);
	write_refusal(audit, &out, error);
}
