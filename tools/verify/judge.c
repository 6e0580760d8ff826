/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * judge.c - every attempt there is against one guarantee, and what it means.
 * It goes by the report alone: kind, place and what is forbidden.
 */

#include "config.h"

#include "verify.h"

/* A place of the system: its names are not ours to take away. */
static bool
is_system(const struct omega_sandbox_guarantee *claim)
{
	return (claim->forbids & OMEGA_SANDBOX_FORBIDS_READ) == 0 &&
	       claim->path != NULL && strcmp(claim->origin, "built in") == 0 &&
	       omega_sandbox_is_write_blocked(claim->path, "/nonexistent");
}

static char
type_of(const char *path)
{
	struct stat st;

	if (path == NULL || lstat(path, &st) != 0)
		return '-';
	return S_ISDIR(st.st_mode) ? 'd' : 'f';
}

static bool
is_for(const struct attempt *attempt,
    const struct omega_sandbox_guarantee *claim, unsigned where, char type)
{
	unsigned on = type == 'd'   ? ATTEMPT_DIR
		      : type == 'f' ? ATTEMPT_FILE
				    : ATTEMPT_ABSENT;

	if (strcmp(attempt->kind, claim->kind) != 0 ||
	    (attempt->forbids & claim->forbids) == 0 ||
	    (attempt->where & where) == 0)
		return false;
	if (claim->path == NULL)
		return true;
	if (type == 'd' && is_system(claim))
		on = ATTEMPT_SYSTEM;
	return (attempt->where & on) != 0;
}

/* The same place in the other scene. */
static void
twin_of(const struct verify_place *place, const char *target, char *twin)
{
	size_t len = strlen(place->scene->top);

	if (strncmp(target, place->scene->top, len) == 0)
		snprintf(twin, PATH_MAX, "%.2000s%.2000s", place->twin->top,
		    target + len);
	else
		snprintf(twin, PATH_MAX, "%.4000s", target);
}

/*
 * Outside, what works on one directory of a copy works on the next: every
 * attempt is made once per kind of place.
 */
struct known {
	const struct attempt *attempt;
	char type;
	struct verify_answer answer;
};

static void
try_outside(const struct verify_place *place, const struct attempt *attempt,
    const char *target, char type, struct verify_answer *answer)
{
	static struct known list[512];
	static size_t count;
	bool is_kept = place->where == ATTEMPT_COPY;
	size_t i;

	for (i = 0; is_kept && i < count; i++)
		if (list[i].attempt == attempt && list[i].type == type) {
			*answer = list[i].answer;
			return;
		}
	verify_start(place, attempt, target, type, false, answer);
	scene_restore(place->twin);
	if (is_kept && count < sizeof(list) / sizeof(list[0]))
		list[count++] = (struct known){attempt, type, *answer};
}

/* Who reads may change something on the way: that is another guarantee's. */
static bool
is_judged_by_state(const struct attempt *attempt)
{
	return attempt->need != ATTEMPT_REPLACED &&
	       strcmp(attempt->kind, "aliases") != 0 &&
	       (attempt->forbids & (OMEGA_SANDBOX_FORBIDS_READ |
				       OMEGA_SANDBOX_FORBIDS_LIST)) == 0;
}

static void
try_one(const struct verify_place *place,
    const struct omega_sandbox_guarantee *claim, char type,
    struct verify_try *try)
{
	/* What has no place has its sentence: the amount of a limit. */
	const char *target = claim->path != NULL ? claim->path : claim->text;
	char twin[PATH_MAX];

	twin_of(place, target, twin);
	try_outside(place, try->attempt, twin, type, &try->outside);
	verify_start(place, try->attempt, target, type, true, &try->inside);
	/* That the twin has another name says nothing of this place. */
	if (try->attempt->need == ATTEMPT_NAMES && try->inside.is_missing)
		try->outside = try->inside;
	if (is_judged_by_state(try->attempt) &&
	    try->inside.end != VERIFY_WORKED &&
	    scene_is_changed(place->scene)) {
		try->inside.end = VERIFY_WORKED;
		snprintf(try->inside.text, sizeof(try->inside.text),
		    "what it left behind shows it");
	}
	scene_restore(place->scene);
}

/* Nobody of this user's rights can do it here: by permission, or because the
 * kernel does not have it (keys) or has it switched off (TIOCSTI: EIO). */
static bool
is_denied(int error)
{
	return error == EPERM || error == EACCES || error == EROFS ||
	       error == ENOSYS || error == EIO;
}

static void
decide(struct verify_line *line)
{
	size_t worked = 0;
	size_t answered = 0;
	size_t able = 0;
	size_t denied = 0;
	size_t i;

	for (i = 0; i < line->count; i++) {
		const struct verify_try *try = &line->tries[i];

		if (try->inside.end == VERIFY_SILENT) {
			if (try->outside.end == VERIFY_WORKED)
				snprintf(line->why, sizeof(line->why),
				    "%.60s: %.200s", try->attempt->name,
				    try->inside.text);
			continue;
		}
		answered++;
		worked += try->inside.end == VERIFY_WORKED;
		able += try->outside.end == VERIFY_WORKED;
		denied += try->outside.end == VERIFY_REFUSED &&
			  is_denied(try->outside.error);
	}
	if (line->claim.state != OMEGA_SANDBOX_ENFORCED)
		line->verdict = VERIFY_OPEN;
	else if (worked > 0)
		line->verdict = VERIFY_FALSE;
	else if (line->why[0] != '\0')
		line->verdict = VERIFY_UNTRIED;
	else if (able > 0)
		line->verdict = VERIFY_HOLDS;
	else if (answered > 0 && denied > 0)
		line->verdict = VERIFY_IDLE;
	else
		line->verdict = VERIFY_UNTRIED;
	if (line->verdict == VERIFY_UNTRIED && line->why[0] == '\0')
		snprintf(line->why, sizeof(line->why), "%s",
		    answered > 0 ? "nothing works outside either"
				 : "this host has nothing to try it with");
}

static struct verify_line *
add_line(struct verify_result *result)
{
	struct verify_line *lines =
	    reallocarray(result->lines, result->count + 1, sizeof(*lines));

	if (lines == NULL)
		return NULL;
	result->lines = lines;
	memset(&lines[result->count], 0, sizeof(*lines));
	return &lines[result->count++];
}

/* Is there something to try it with on a copy? */
static bool
has_copy(const struct omega_sandbox_guarantee *claim, char type)
{
	const struct attempt *attempt;
	unsigned i;

	for (i = 0; (attempt = attempt_get(i)) != NULL; i++)
		if (is_for(attempt, claim, ATTEMPT_COPY, type))
			return true;
	return false;
}

/*
 * "Everywhere but" is about any place that is not granted, so about one in the
 * scene: all that is tried against protected places is tried there, in full.
 */
static bool
is_about_elsewhere(const struct omega_sandbox_guarantee *claim)
{
	return claim->path == NULL && (strcmp(claim->kind, "elsewhere") == 0 ||
					  strcmp(claim->kind, "metadata") == 0);
}

int
verify_judge(const struct verify_place *place,
    const struct omega_sandbox_guarantee *sentence,
    struct verify_result *result)
{
	struct verify_line *line = add_line(result);
	struct omega_sandbox_guarantee at = *sentence;
	const struct omega_sandbox_guarantee *claim = &at;
	unsigned where = place->where;
	char example[PATH_MAX];
	const struct attempt *attempt;
	char type;
	unsigned i;

	if (line == NULL)
		return -ENOMEM;
	line->where = place->name;
	line->claim = *sentence;
	if (is_about_elsewhere(sentence)) {
		snprintf(example, sizeof(example),
		    "%.4000s/" ATTEMPT_DATA_DIR "/data", place->scene->top);
		at.path = example;
		if (strcmp(at.kind, "elsewhere") == 0)
			at.kind = "path";
		where = ATTEMPT_COPY;
	}
	type = type_of(claim->path);
	if (is_about_elsewhere(sentence) && place->is_granted) {
		line->verdict = VERIFY_UNTRIED;
		snprintf(line->why, sizeof(line->why),
		    "%.150s is where the policy allows changes; say "
		    "--data-dir with a directory elsewhere",
		    place->scene->top);
		return 0;
	}
	if (place->broken[0] != '\0') {
		line->verdict = claim->state == OMEGA_SANDBOX_ENFORCED
				    ? VERIFY_UNTRIED
				    : VERIFY_OPEN;
		snprintf(line->why, sizeof(line->why), "%.290s", place->broken);
		return 0;
	}
	for (i = 0; (attempt = attempt_get(i)) != NULL; i++) {
		struct verify_try *tries;

		if (!is_for(attempt, claim, where, type))
			continue;
		tries =
		    reallocarray(line->tries, line->count + 1, sizeof(*tries));
		if (tries == NULL)
			return -ENOMEM;
		line->tries = tries;
		memset(&tries[line->count], 0, sizeof(*tries));
		tries[line->count].attempt = attempt;
		try_one(place, claim, type, &tries[line->count++]);
	}
	decide(line);
	if (line->verdict == VERIFY_UNTRIED && place->where == ATTEMPT_REAL &&
	    has_copy(claim, type)) {
		line->verdict = VERIFY_ON_COPY;
	} else if (line->count == 0 && line->verdict == VERIFY_UNTRIED) {
		snprintf(line->why, sizeof(line->why),
		    "this version has no attempt for the kind '%.64s'",
		    claim->kind);
	}
	return 0;
}

const char *
verify_word(enum verify_verdict verdict)
{
	static const char *const words[] = {
	    "holds", "FALSE", "open", "idle", "untried", "on copy"};

	return words[verdict];
}

int
verify_exit(const struct verify_result *result)
{
	int status = result->fault[0] != '\0' ? TOOL_ERROR : TOOL_YES;
	size_t i;

	for (i = 0; i < result->count; i++) {
		if (result->lines[i].verdict == VERIFY_FALSE)
			return TOOL_NO;
		if (result->lines[i].verdict == VERIFY_UNTRIED)
			status = TOOL_ERROR;
	}
	return status;
}
