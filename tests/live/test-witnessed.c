/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-witnessed.c - the witness in the real stack, as root and as an ordinary
 * user: it lets what is protected start, on every way a command can be
 * started, and notices when a part of the protection is left out or lost.
 */

#include "harness.h"

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "child/witness.h"
#include "launch/launch.h"
#include "plan/prepared.h"
#include "twice.h"

/* ---- A data directory and the stack for it --------------------------------
 */

struct place {
	char dir[PATH_MAX];
	struct omega_sandbox *sandbox;
	struct omega_sandbox_prepared *prepared;
	struct omega_launch *launch; /* the one in use, ours to disturb */
	struct omega_sandbox_command *command;
	struct omega_sandbox_error error;
};

static int
put(const char *text_to_write, const char *path)
{
	FILE *file = fopen(path, "w");

	if (file == NULL)
		return -1;
	fputs(text_to_write, file);
	return fclose(file);
}

/* data, config.toml and workspace below base; lines are the configuration. */
static int
make_place(struct place *place, const char *base, const char *lines)
{
	memset(place, 0, sizeof(*place));
	place->error.size = sizeof(place->error);
	snprintf(place->dir, sizeof(place->dir), "%s/omega", base);
	need(mkdir(place->dir, 0755) == 0 || errno == EEXIST);
	need(mkdir(text("%s/data", place->dir), 0755) == 0 || errno == EEXIST);
	need(mkdir(text("%s/workspace", place->dir), 0755) == 0 ||
	     errno == EEXIST);
	need(put("secret\n", text("%s/data/memory.db", place->dir)) == 0);
	need(put("key\n", text("%s/config.toml", place->dir)) == 0);
	need(put(lines, text("%s/sandbox.conf", base)) == 0);
	return 0;
}

static int
fault(const struct place *place)
{
	fprintf(stderr, "# %s\n", place->error.text);
	return 1;
}

static int
prepare(struct place *place, const char *base)
{
	struct omega_sandbox_policy *policy = NULL;

	if (omega_sandbox_open(text("%s/sandbox.conf", base), NULL, NULL,
		&place->sandbox, &place->error) < 0 ||
	    omega_sandbox_policy_new(
		place->sandbox, NULL, &policy, &place->error) < 0 ||
	    omega_sandbox_policy_set(
		policy, "data_dir", place->dir, &place->error) < 0 ||
	    omega_sandbox_prepare(policy, &place->prepared, &place->error) <
		0 ||
	    omega_sandbox_command_new(
		place->prepared, "true", &place->command, &place->error) < 0 ||
	    omega_prepared_launch(
		place->prepared, &place->launch, NULL, &place->error) < 0)
		return fault(place);
	omega_sandbox_policy_unref(policy);
	return 0;
}

static void
drop_place(struct place *place)
{
	omega_launch_unref(place->launch);
	omega_sandbox_command_unref(place->command);
	omega_sandbox_prepared_unref(place->prepared);
	omega_sandbox_unref(place->sandbox);
}

/* Start "true": the code of the library, or 1 when it did not end well. */
static int
start(struct place *place)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	int ret;

	place->error.text[0] = '\0';
	ret = omega_sandbox_run(place->command, &end, &place->error);
	return ret < 0 ? ret : end.status != 0;
}

static bool
is_tried(const struct place *place, uint32_t how, const char *path)
{
	const struct omega_witness *witness = place->launch->witness;
	size_t i;

	for (i = 0; i < witness->count; i++)
		if (witness->tries[i].how == how &&
		    witness->tries[i].path != NULL &&
		    strcmp(witness->tries[i].path, path) == 0)
			return true;
	fprintf(stderr, "# not tried: %u %s\n", how, path);
	return false;
}

/* The tries every policy has, and a start that passes them all. */
static int
expect_start(struct place *place)
{
	need(place->launch->witness != NULL);
	need(is_tried(place, OMEGA_WITNESS_READ, text("%s/data", place->dir)));
	need(is_tried(
	    place, OMEGA_WITNESS_READ, text("%s/config.toml", place->dir)));
	need(is_tried(place, OMEGA_WITNESS_CREATE, "/etc"));
	need(is_tried(place, OMEGA_WITNESS_CAN_WRITE, "/dev/null"));
	need(is_tried(
	    place, OMEGA_WITNESS_CAN_CREATE, text("%s/workspace", place->dir)));
	if (start(place) != 0)
		return fault(place);
	return 0;
}

/* ---- What is protected starts ---------------------------------------------
 */

static int
masked(void *base)
{
	struct place place;

	need(make_place(&place, base, "data_dir_mode = mask\n") == 0);
	need(prepare(&place, base) == 0);
	need(is_tried(
	    &place, OMEGA_WITNESS_READ, text("%s/data/memory.db", place.dir)));
	need(is_tried(
	    &place, OMEGA_WITNESS_WRITE, text("%s/config.toml", place.dir)));
	need(expect_start(&place) == 0);
	drop_place(&place);
	return 0;
}

static int
shielded(void *base)
{
	struct place place;

	need(make_place(&place, base, "data_dir_mode = shield\n") == 0);
	need(prepare(&place, base) == 0);
	need(expect_start(&place) == 0);
	drop_place(&place);
	return 0;
}

static int
absent_config(void *base)
{
	struct place place;

	need(make_place(&place, base, "") == 0);
	need(unlink(text("%s/config.toml", place.dir)) == 0);
	need(prepare(&place, base) == 0);
	need(is_tried(
	    &place, OMEGA_WITNESS_MAKE, text("%s/config.toml", place.dir)));
	need(expect_start(&place) == 0);
	need(access(text("%s/config.toml", place.dir), F_OK) != 0);
	drop_place(&place);
	return 0;
}

static int
blocked(void *base)
{
	char *keys = text("%s/keys", (char *)base);
	char *token = text("%s/token", (char *)base);
	struct place place;

	need(mkdir(keys, 0755) == 0);
	need(put("secret\n", text("%s/id", keys)) == 0);
	need(put("secret\n", token) == 0);
	need(make_place(&place, base,
		 text("blocked_paths = {\"%s\", \"%s\", \"%s/none\"}\n", keys,
		     token, (char *)base)) == 0);
	need(prepare(&place, base) == 0);
	need(is_tried(&place, OMEGA_WITNESS_READ, keys));
	need(is_tried(&place, OMEGA_WITNESS_READ, text("%s/id", keys)));
	need(is_tried(&place, OMEGA_WITNESS_WRITE, text("%s/id", keys)));
	need(is_tried(&place, OMEGA_WITNESS_CREATE, keys));
	need(is_tried(&place, OMEGA_WITNESS_READ, token));
	need(expect_start(&place) == 0);
	drop_place(&place);
	return 0;
}

#define MANY 1000

/* Not all of a long list, and yet all of it in the end. */
static int
long_list(void *base)
{
	struct place place;
	struct rlimit limit;
	char *lines;
	size_t used;
	size_t size = MANY * 128;
	size_t turns;
	size_t i;

	/* More descriptors are held than a login has. */
	need(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = limit.rlim_max;
	need(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	need((lines = malloc(size)) != NULL);
	need(mkdir(text("%s/many", (char *)base), 0755) == 0);
	used = (size_t)snprintf(lines, size, "blocked_paths = {");
	for (i = 0; i < MANY; i++) {
		need(
		    put("secret\n", text("%s/many/%zu", (char *)base, i)) == 0);
		used += (size_t)snprintf(lines + used, size - used,
		    "%s\"%s/many/%zu\"", i == 0 ? "" : ", ", (char *)base, i);
	}
	snprintf(lines + used, size - used, "}\n");
	need(make_place(&place, base, lines) == 0);
	free(lines);
	need(prepare(&place, base) == 0);
	need(place.launch->witness->count > 2 * MANY);
	need(place.launch->witness->fixed < OMEGA_WITNESS_LISTED);
	turns = (place.launch->witness->count - place.launch->witness->fixed) /
		    OMEGA_WITNESS_LISTED +
		1;
	for (i = 0; i < turns; i++)
		need(expect_start(&place) == 0);
	need(atomic_load(&place.launch->witness->turn) == turns);
	drop_place(&place);
	return 0;
}

/* ---- On every way ---------------------------------------------------------
 */

static int
own_memory(void *base)
{
	struct place place;

	need(make_place(&place, base, "") == 0);
	need(prepare(&place, base) == 0);
	place.launch->flags = OMEGA_SANDBOX_LAUNCH_SHARES;
	need(omega_launch_needs_own_memory(place.launch));
	need(expect_start(&place) == 0);
	drop_place(&place);
	return 0;
}

static int
become(void *arg)
{
	struct place *place = arg;

	omega_sandbox_exec(place->command, &place->error);
	return fault(place);
}

static int
confine(void *arg)
{
	struct place *place = arg;

	if (omega_sandbox_confine_self(place->prepared, &place->error) != 0)
		return fault(place);
	need(open(text("%s/data/memory.db", place->dir), O_RDONLY) < 0);
	return 0;
}

static int
in_place(void *base)
{
	struct place place;

	need(make_place(&place, base, "") == 0);
	need(prepare(&place, base) == 0);
	need(in_child(become, &place) == 0);
	need(in_child(confine, &place) == 0);
	drop_place(&place);
	return 0;
}

/* ---- What is left out or lost is noticed ----------------------------------
 */

static int
do_nothing(const void *state)
{
	(void)state;
	return 0;
}

/*
 * A backend's own looks, before the start and last in the child, would have it
 * prepared again; without them the witness is the last to notice.
 */
struct looks {
	omega_sandbox_step *steps[8];
	size_t checks;
};

static int
close_eyes(struct place *place, struct looks *looks, omega_sandbox_step *step)
{
	struct omega_launch *launch = place->launch;
	size_t used = 0;
	size_t i;

	looks->checks = launch->check_count;
	launch->check_count = 0;
	for (i = 0; i < launch->step_count; i++)
		if (launch->steps[i].phase >= OMEGA_SANDBOX_PHASE_WITNESS) {
			need(used < 8);
			looks->steps[used++] = launch->steps[i].step;
			launch->steps[i].step = step;
		}
	need(used > 0);
	return 0;
}

static void
open_eyes(struct place *place, const struct looks *looks)
{
	struct omega_launch *launch = place->launch;
	size_t used = 0;
	size_t i;

	launch->check_count = looks->checks;
	for (i = 0; i < launch->step_count; i++)
		if (launch->steps[i].phase >= OMEGA_SANDBOX_PHASE_WITNESS)
			launch->steps[i].step = looks->steps[used++];
}

/* Each step of the child in turn. What the witness does not try, such as the
 * terminal, starts; the list says which. */
static int
left_out(void *base)
{
	struct place place;
	struct looks looks;
	omega_sandbox_step *kept;
	size_t noticed = 0;
	size_t i;
	int ret;

	need(make_place(&place, base, "") == 0);
	need(prepare(&place, base) == 0);
	need(place.launch->step_count > 0);
	/* Else what was left out is made again when a later step fails. */
	place.launch->is_believed = false;
	for (i = 0; i < place.launch->step_count; i++) {
		struct omega_inner_step *step = &place.launch->steps[i];

		need(close_eyes(&place, &looks, do_nothing) == 0);
		kept = step->step;
		step->step = do_nothing;
		ret = start(&place);
		step->step = kept;
		open_eyes(&place, &looks);
		printf("# without %s: %s: %s\n", step->backend, step->name,
		    ret == 0 ? "starts" : place.error.text);
		/* These hold what the witness tries. */
		if (step->phase / 100 == OMEGA_SANDBOX_PHASE_JOIN / 100 ||
		    step->phase / 100 == OMEGA_SANDBOX_PHASE_RESTRICT / 100)
			need(ret < 0);
		noticed += ret == OMEGA_SANDBOX_E_WITNESS;
		need(expect_start(&place) == 0);
	}
	need(noticed >= 1);
	drop_place(&place);
	return 0;
}

/* A mask goes with the file it is on. */
static int
replaced(void *base)
{
	struct place place;
	struct looks looks;
	int ret;

	need(make_place(&place, base, "data_dir_mode = mask\n") == 0);
	need(prepare(&place, base) == 0);
	need(expect_start(&place) == 0);
	need(close_eyes(&place, &looks, do_nothing) == 0);
	need(put("new key\n", text("%s/new", place.dir)) == 0);
	need(rename(text("%s/new", place.dir),
		 text("%s/config.toml", place.dir)) == 0);
	ret = start(&place);
	printf("# replaced: %s\n", place.error.text);
	open_eyes(&place, &looks);
	need(ret == OMEGA_SANDBOX_E_WITNESS);
	need(strstr(place.error.text, "config.toml could be read "
				      "(it has content)") != NULL);
	need(strstr(place.error.atom, "config.toml cannot be read") != NULL);
	need(strstr(place.error.backend, "namespace") != NULL);
	/* With the check it is prepared again, and starts. */
	need(start(&place) == 0);
	drop_place(&place);
	return 0;
}

/* Good at first, then no longer: as when the mask goes behind its back. */
static int
look_twice(const void *state)
{
	static int looked;

	(void)state;
	return looked++ == 0 ? 0 : -ESTALE;
}

/* The same between the backend's last look and the witness: no hole. */
static int
replaced_meanwhile(void *base)
{
	struct place place;
	struct looks looks;

	need(make_place(&place, base, "data_dir_mode = mask\n") == 0);
	need(prepare(&place, base) == 0);
	need(close_eyes(&place, &looks, look_twice) == 0);
	need(put("new key\n", text("%s/new", place.dir)) == 0);
	need(rename(text("%s/new", place.dir),
		 text("%s/config.toml", place.dir)) == 0);
	if (start(&place) != 0)
		return fault(&place);
	drop_place(&place);
	return 0;
}

static int
moved_away(void *base)
{
	struct place place;
	struct looks looks;
	int ret;

	need(make_place(&place, base, "data_dir_mode = mask\n") == 0);
	need(prepare(&place, base) == 0);
	need(close_eyes(&place, &looks, do_nothing) == 0);
	need(
	    rename(text("%s/data", place.dir), text("%s/old", place.dir)) == 0);
	need(mkdir(text("%s/data", place.dir), 0755) == 0);
	need(put("x\n", text("%s/data/other.db", place.dir)) == 0);
	ret = start(&place);
	printf("# moved away: %s\n", place.error.text);
	open_eyes(&place, &looks);
	need(ret == OMEGA_SANDBOX_E_WITNESS);
	need(strstr(place.error.text, "/data could be read "
				      "(it has names in it)") != NULL);
	drop_place(&place);
	return 0;
}

/* ---- Root and an empty mask ------------------------------------------------
 */

/* What one try finds at path, where object was. */
static uint32_t
find(char *path, const struct omega_witness_object *object)
{
	struct omega_witness_try try = {
	    .how = OMEGA_WITNESS_READ, .path = path, .object = *object};
	struct omega_witness witness = {.tries = &try, .fixed = 1, .count = 1};
	struct omega_witness_found found;

	omega_witness_run(&witness, 0, &found);
	return found.finding;
}

static int
mask_by_hand(void *base)
{
	char *file = text("%s/file", (char *)base);
	char *dir = text("%s/dir", (char *)base);
	char *masks = text("%s/masks", (char *)base);
	struct omega_witness_object file_object;
	struct omega_witness_object dir_object;

	need(put("secret\n", file) == 0);
	need(mkdir(dir, 0755) == 0 && mkdir(masks, 0755) == 0);
	need(put("secret\n", text("%s/inside", dir)) == 0);
	need(omega_witness_look(AT_FDCWD, file, &file_object) == 0);
	need(omega_witness_look(AT_FDCWD, dir, &dir_object) == 0);
	need(find(file, &file_object) == OMEGA_WITNESS_ITSELF);
	need(find(dir, &dir_object) == OMEGA_WITNESS_ITSELF);
	need(mount("none", masks, "tmpfs", 0, "mode=755") == 0);
	need(put("", text("%s/file", masks)) == 0);
	need(mkdir(text("%s/dir", masks), 0) == 0);
	need(chmod(text("%s/file", masks), 0) == 0);
	need(mount(text("%s/file", masks), file, NULL, MS_BIND, NULL) == 0);
	need(mount(text("%s/dir", masks), dir, NULL, MS_BIND, NULL) == 0);
	/* Opened it can be, and yet there is nothing. */
	need(open(file, O_RDONLY) >= 0 && open(dir, O_RDONLY) >= 0);
	need(find(file, &file_object) == OMEGA_WITNESS_HELD);
	need(find(dir, &dir_object) == OMEGA_WITNESS_HELD);
	return 0;
}

static void
test_root_opens_an_empty_mask(void **state)
{
	char base[PATH_MAX];
	int status;

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_dir());
	status = in_mount_child(mask_by_hand, base);
	if (status == CANNOT_MOUNT)
		skip_because("nothing can be mounted here");
	assert_int_equal(status, 0);
}

TWICE(masked)
TWICE(shielded)
TWICE(absent_config)
TWICE(blocked)
TWICE(long_list)
TWICE(own_memory)
TWICE(in_place)
TWICE(left_out)
TWICE(replaced)
TWICE(replaced_meanwhile)
TWICE(moved_away)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_masked),
	    cmocka_unit_test(test_shielded),
	    cmocka_unit_test(test_absent_config),
	    cmocka_unit_test(test_blocked),
	    cmocka_unit_test(test_long_list),
	    cmocka_unit_test(test_own_memory),
	    cmocka_unit_test(test_in_place),
	    cmocka_unit_test(test_left_out),
	    cmocka_unit_test(test_replaced),
	    cmocka_unit_test(test_replaced_meanwhile),
	    cmocka_unit_test(test_moved_away),
	    cmocka_unit_test(test_root_opens_an_empty_mask),
	};

	return run_all(tests);
}
