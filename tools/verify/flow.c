/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * flow.c - the places in which a policy is attacked, one after the other.
 *
 * On the real places only in a form that does no harm when it works; in full
 * on a copy: a data directory of verify's own beside the real one, protected
 * by the same policy and the same backends.
 */

#include "config.h"

#include "verify.h"

#include <sys/random.h>

/* What the data directory had before, and what preparing adds to it. */
static const char *const made_entries[] = {
    "data", "workspace", "skills", "projects", "stores", NULL};

struct traces {
	char data_dir[PATH_MAX];
	char above[PATH_MAX]; /* the first parent that was there */
	bool had[8];
};

static void
look_before(struct traces *traces, const struct omega_sandbox_report *report)
{
	json_t *root = tool_json_report(report);
	const char *dir = json_string_value(json_object_get(root, "data_dir"));
	char *slash;
	size_t i;

	memset(traces, 0, sizeof(*traces));
	if (dir != NULL) {
		snprintf(
		    traces->data_dir, sizeof(traces->data_dir), "%.4000s", dir);
		strcpy(traces->above, traces->data_dir);
		for (i = 0; made_entries[i] != NULL; i++)
			traces->had[i] =
			    access(ATTEMPT_JOIN(dir, made_entries[i]), F_OK) ==
			    0;
	}
	while (access(traces->above, F_OK) != 0 &&
	       (slash = strrchr(traces->above, '/')) != NULL)
		*slash = '\0';
	json_decref(root);
}

/* Preparing makes what is missing of the data directory; nobody asked us to
 * leave it. Only what is empty goes. */
static void
sweep(const struct traces *traces)
{
	char path[PATH_MAX];
	char *slash;
	size_t i;

	for (i = 0; traces->data_dir[0] != '\0' && made_entries[i] != NULL; i++)
		if (!traces->had[i])
			rmdir(ATTEMPT_JOIN(traces->data_dir, made_entries[i]));
	strcpy(path, traces->data_dir);
	while (strlen(path) > strlen(traces->above) && rmdir(path) == 0 &&
	       (slash = strrchr(path, '/')) != NULL)
		*slash = '\0';
}

/* A directory of our own beside the data directory, or where there is room. */
static int
make_base(const struct traces *traces, struct verify_result *result)
{
	char beside[PATH_MAX];
	const char *const places[] = {beside, "/var/tmp", "/tmp", NULL};
	char *slash;
	size_t i;

	strcpy(beside, traces->above);
	slash = strrchr(beside, '/');
	if (strcmp(traces->above, traces->data_dir) == 0 && slash != NULL &&
	    slash != beside)
		*slash = '\0';
	for (i = 0; places[i] != NULL; i++) {
		snprintf(result->base, sizeof(result->base),
		    "%.4000s/.omega-verify-XXXXXX", places[i]);
		if (mkdtemp(result->base) != NULL)
			return 0;
	}
	result->base[0] = '\0';
	return -errno;
}

static void
make_token(char token[SCENE_TOKEN])
{
	unsigned char bytes[16] = {0};
	size_t i;

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		snprintf((char *)bytes, sizeof(bytes), "%ld", (long)getpid());
	for (i = 0; i < sizeof(bytes); i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
}

/*
 * The policy of the options, or the same about a scene. A policy with lists
 * gets the work directory of a scene, else nothing could be tried from there.
 */
static int
open_policy(const struct tool_options *options, struct omega_sandbox *sandbox,
    const struct scene *scene, const struct scene *work,
    struct omega_sandbox_policy **policy, struct omega_sandbox_error *error)
{
	struct tool_options at = *options;
	const char *work_dir =
	    work != NULL ? ATTEMPT_JOIN(work->top, ATTEMPT_WORK) : NULL;
	const char *data_dir =
	    scene != NULL ? ATTEMPT_JOIN(scene->top, ATTEMPT_DATA_DIR) : NULL;
	int ret;

	if (work != NULL && work->is_listed)
		at.work_dir = work_dir;
	if (scene != NULL)
		at.data_dir = data_dir;
	ret = tool_policy(&at, sandbox, policy, error);
	/* Once is enough for these. */
	if (ret == 0 && scene != NULL && scene->has_config)
		ret = omega_sandbox_policy_set(*policy, "blocked_paths",
		    ATTEMPT_JOIN(scene->top, ATTEMPT_HOME "/blocked"), error);
	if (ret == 0 && scene != NULL && scene->has_config)
		ret = omega_sandbox_policy_set(*policy, "blocked_paths",
		    ATTEMPT_JOIN(scene->top, ATTEMPT_HOME "/absent"), error);
	return ret;
}

/* Are commands kept off everything but some places, or off all of the data
 * directory? */
static bool
has_lists(const struct omega_sandbox_report *report, const char *data_dir)
{
	struct omega_sandbox_guarantee claim = OMEGA_SANDBOX_GUARANTEE_INIT;
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &claim) == 0; i++)
		if (strcmp(claim.kind, "elsewhere") == 0 ||
		    (claim.path != NULL && strcmp(claim.kind, "path") == 0 &&
			strcmp(claim.path, data_dir) == 0))
			return true;
	return false;
}

/* Does the sentence name a place that path is in: "... but A, B and 2 more"? */
static bool
is_named(const char *sentence, const char *path)
{
	const char *at = strstr(sentence, " but /");

	while (at != NULL && (at = strchr(at, '/')) != NULL) {
		const char *end = strstr(at, ", ");
		size_t len = end != NULL ? (size_t)(end - at) : strlen(at);

		if (strncmp(path, at, len) == 0 &&
		    (path[len] == '/' || path[len] == '\0' || len == 1))
			return true;
		at = end;
	}
	return false;
}

/* Is the scene where the policy lets commands do what they like? */
static bool
is_granted(const struct omega_sandbox_report *report, const char *top)
{
	struct omega_sandbox_guarantee claim = OMEGA_SANDBOX_GUARANTEE_INIT;
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &claim) == 0; i++)
		if (strcmp(claim.kind, "elsewhere") == 0 &&
		    is_named(claim.text, top))
			return true;
	return false;
}

/* Does a command work there at all? Otherwise all is refused for nothing. */
static bool
is_broken(struct verify_place *place)
{
	const struct attempt *attempt = attempt_get(0);
	struct verify_answer answer;
	unsigned i;

	for (i = 1; strcmp(attempt->name, ATTEMPT_USE) != 0; i++)
		attempt = attempt_get(i);
	verify_start(place, attempt, "", '-', true, &answer);
	place->broken[0] = '\0';
	if (answer.end == VERIFY_WORKED)
		return false;
	snprintf(place->broken, sizeof(place->broken),
	    "a command inside cannot use its own files: %.200s",
	    answer.end == VERIFY_SILENT ? answer.text : strerror(answer.error));
	return true;
}

/* A policy with lists may allow neither this program nor the scene's work
 * directory: look for what it does allow. */
static void
find_way(struct verify_place *place)
{
	static const char *const dirs[] = {
	    NULL, "/tmp", "/var/tmp", "/dev/shm"};
	bool is_lost = is_broken(place);
	size_t i;

	for (i = 0; is_lost && place->scene->is_listed &&
		    i < sizeof(dirs) / sizeof(dirs[0]);
	     i++) {
		if (dirs[i] != NULL && (scene_use(place->scene, dirs[i]) < 0 ||
					   scene_use(place->twin, dirs[i]) < 0))
			continue;
		place->is_copied = false;
		if (dirs[i] != NULL && !is_broken(place))
			break;
		place->is_copied = true;
		is_lost = is_broken(place);
	}
}

/* Asked to end: what was made is to be removed first. */
static volatile sig_atomic_t is_interrupted;

static void
interrupt(int number)
{
	(void)number;
	is_interrupted = 1;
}

/* Of a copy what is in it; of the real places all. */
static bool
is_about(const struct verify_place *place,
    const struct omega_sandbox_guarantee *claim)
{
	return place->where != ATTEMPT_COPY ||
	       (claim->path != NULL && strncmp(claim->path, place->scene->top,
					   strlen(place->scene->top)) == 0);
}

/* Prepare, and try every guarantee that is about this place. */
static int
try_place(struct verify_place *place, struct omega_sandbox_policy *policy,
    struct verify_result *result, struct omega_sandbox_error *error)
{
	struct omega_sandbox_guarantee claim = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_sandbox_report *report;
	size_t i;
	int ret;

	ret = omega_sandbox_prepare(policy, &place->prepared, error);
	if (ret < 0)
		return ret;
	report = omega_sandbox_prepared_report(place->prepared);
	result->reports[result->report_count++] = report;
	props_make_late(place->props);
	for (i = 0; omega_sandbox_report_get(report, i, &claim) == 0; i++)
		result->expected += is_about(place, &claim);
	place->is_granted = is_granted(report, place->scene->top);
	find_way(place);
	for (i = 0; omega_sandbox_report_get(report, i, &claim) == 0; i++) {
		if (is_interrupted) {
			snprintf(error->text, sizeof(error->text),
			    "it was interrupted");
			return OMEGA_SANDBOX_E_STATE;
		}
		if (!is_about(place, &claim))
			continue;
		if (place->is_first && verify_exit(result) == TOOL_NO)
			break;
		if (verify_judge(place, &claim, result) < 0)
			return OMEGA_SANDBOX_E_MEMORY;
		if (!result->is_silent)
			verify_tell(result);
	}
	return 0;
}

/* The places, one after the other. */
static const struct {
	const char *name;
	unsigned where;
	bool has_config;
} places[] = {
    {"real", ATTEMPT_REAL, true},
    {"copy", ATTEMPT_COPY, true},
    {"copy without config.toml", ATTEMPT_COPY, false},
};

static int
make_scenes(struct scene *scene, struct scene *twin, bool has_config,
    const struct verify_result *result, struct omega_sandbox_error *error)
{
	char token[SCENE_TOKEN];
	int ret;

	make_token(token);
	ret = scene_make(scene, result->base, VERIFY_SCENE, token, has_config,
	    result->is_listed);
	if (ret == 0)
		ret = scene_make(twin, result->base, VERIFY_TWIN, token,
		    has_config, result->is_listed);
	if (ret == 0)
		return 0;
	snprintf(error->text, sizeof(error->text),
	    "a copy cannot be made in %.900s: %s", result->base,
	    strerror(-ret));
	return OMEGA_SANDBOX_E_SYSTEM;
}

/* One place from beginning to end. */
static int
do_place(const struct tool_options *options, struct omega_sandbox *sandbox,
    size_t index, struct verify_result *result,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_policy *policy = NULL;
	struct scene scene = {.outside = 0};
	struct scene twin = {.outside = 0};
	struct props props;
	struct verify_place place = {.name = places[index].name,
	    .where = places[index].where,
	    .is_first = options->is_first,
	    .scene = &scene,
	    .twin = &twin,
	    .props = &props};
	int ret;

	if (options->is_first && verify_exit(result) == TOOL_NO)
		return 0;
	ret =
	    make_scenes(&scene, &twin, places[index].has_config, result, error);
	if (ret == 0) {
		props_make(&props, sandbox, &scene);
		ret = open_policy(options, sandbox,
		    place.where == ATTEMPT_COPY ? &scene : NULL, &scene,
		    &policy, error);
		if (ret == 0)
			ret = try_place(&place, policy, result, error);
		omega_sandbox_prepared_unref(place.prepared);
		omega_sandbox_policy_unref(policy);
		props_end(&props);
	}
	scene_end(&twin);
	scene_end(&scene);
	return ret;
}

int
verify_all(const struct tool_options *options, struct omega_sandbox *sandbox,
    struct verify_result *result)
{
	static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1,
	    SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_report *report = NULL;
	struct traces traces;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		signal(endings[i], interrupt);
	ret = open_policy(options, sandbox, NULL, NULL, &policy, &error);
	if (ret == 0)
		ret = omega_sandbox_describe(policy, &report, &error);
	if (ret == 0) {
		look_before(&traces, report);
		result->is_listed = has_lists(report, traces.data_dir);
		ret = make_base(&traces, result);
		if (ret < 0)
			snprintf(error.text, sizeof(error.text),
			    "no directory for the copies can be made: %s",
			    strerror(-ret));
	}
	for (i = 0; ret == 0 && i < sizeof(places) / sizeof(places[0]); i++)
		ret = do_place(options, sandbox, i, result, &error);
	if (ret < 0)
		snprintf(result->fault, sizeof(result->fault), "%.390s",
		    error.text[0] != '\0' ? error.text : "out of memory");
	if (result->base[0] != '\0')
		scene_remove(result->base);
	if (report != NULL)
		sweep(&traces);
	omega_sandbox_report_unref(report);
	omega_sandbox_policy_unref(policy);
	return ret;
}
