/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-plugins.c - every plugin that was built, through the real loader.
 *
 * What make has linked is looked at, not a list: a plugin that is not known
 * here fails the test until somebody has written down that it exists. A
 * shared object is a plugin when it exports what a plugin exports.
 */

#include "harness.h"

#include <sys/stat.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/loader.h"
#include "plugins.h"

/* All backends of this tree. */
static const char *const known[] = {
    "bwrap", "landlock", "namespace", "noop", "seatbelt", "seccomp"};

#define MAX_BUILT 32

static char built[MAX_BUILT][64];
static size_t built_count;

static const char *
from_environment(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value != NULL ? value : otherwise;
}

static bool
is_plugin(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	bool is_one = handle != NULL &&
		      dlsym(handle, "omega_sandbox_plugin") != NULL;

	if (handle != NULL)
		dlclose(handle);
	return is_one;
}

/* Find the plugins make has linked, once. */
static void
find_built(void)
{
	char dir[PATH_MAX];
	struct dirent *entry;
	DIR *stream;

	if (built_count != 0)
		return;
	snprintf(dir, sizeof(dir), "%s/.libs",
	    from_environment("top_builddir", "."));
	stream = opendir(dir);
	if (stream == NULL)
		fail_msg("%s: %s", dir, strerror(errno));
	while ((entry = readdir(stream)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');
		size_t len = dot == NULL ? 0 : (size_t)(dot - entry->d_name);

		/* The mutants of tests/mutation are made to be found out. */
		if (dot == NULL || strcmp(dot, ".so") != 0 ||
		    strncmp(entry->d_name, "mutant-", 7) == 0 ||
		    !is_plugin(text("%s/%s", dir, entry->d_name)))
			continue;
		if (built_count == MAX_BUILT || len >= sizeof(built[0]))
			fail_msg("more plugins than expected");
		memcpy(built[built_count++], entry->d_name, len);
	}
	closedir(stream);
}

static bool
is_built(const char *name)
{
	size_t i;

	find_built();
	for (i = 0; i < built_count; i++)
		if (strcmp(built[i], name) == 0)
			return true;
	return false;
}

static struct omega_backend *
load(const char *name)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_backend *backend = NULL;

	if (omega_loader_load(
		plugin_dir(), name, NULL, NULL, &backend, &error) != 0)
		fail_msg("%s", error.text);
	return backend;
}

static void
test_every_built_plugin_is_known(void **state)
{
	size_t i;
	size_t j;

	(void)state;
	find_built();
	for (i = 0; i < built_count; i++) {
		for (j = 0; j < sizeof(known) / sizeof(known[0]); j++)
			if (strcmp(built[i], known[j]) == 0)
				break;
		if (j == sizeof(known) / sizeof(known[0]))
			fail_msg(
			    "%s.so was built, but is not known here", built[i]);
	}
}

/* Nothing that was to be built is missing among what is tested. */
static void
test_every_configured_plugin_was_built(void **state)
{
	char list[1024];
	char *save = NULL;
	char *word;

	(void)state;
	snprintf(list, sizeof(list), "%s",
	    from_environment("OMEGA_TEST_PLUGINS", ""));
	for (word = strtok_r(list, " ", &save); word != NULL;
	     word = strtok_r(NULL, " ", &save)) {
		word[strcspn(word, ".")] = '\0';
		if (!is_built(word))
			fail_msg("%s was not built", word);
	}
}

static void
test_every_plugin_loads_under_its_name(void **state)
{
	size_t i;

	(void)state;
	find_built();
	for (i = 0; i < built_count; i++) {
		struct omega_backend *backend = load(built[i]);

		assert_string_equal(backend->plugin.name, built[i]);
		assert_int_equal(
		    backend->plugin.abi_version, OMEGA_SANDBOX_PLUGIN_ABI);
		assert_int_equal(
		    backend->plugin.struct_size, sizeof(backend->plugin));
		omega_loader_free(backend);
	}
}

static bool
is_text(const char *field, size_t size)
{
	const char *end = memchr(field, '\0', size);

	return end != NULL && strcspn(field, "\n\033") == (size_t)(end - field);
}

static void
test_every_plugin_probes(void **state)
{
	size_t i;

	(void)state;
	find_built();
	for (i = 0; i < built_count; i++) {
		struct omega_backend *backend = load(built[i]);
		struct omega_sandbox_probe probe = {.size = sizeof(probe)};
		int before = count_descriptors();
		int again;

		/* As often as one likes, and nothing is left behind. */
		for (again = 0; again < 3; again++)
			assert_int_equal(
			    backend->plugin.probe(&backend->host, &probe), 0);
		assert_int_equal(count_descriptors(), before);
		assert_in_range(probe.is_usable, 0, 1);
		assert_in_range(probe.has_network, 0, 1);
		assert_true(is_text(probe.version, sizeof(probe.version)));
		assert_true(is_text(probe.reason, sizeof(probe.reason)));
		assert_true(is_text(
		    probe.network_reason, sizeof(probe.network_reason)));
		if (!probe.is_usable)
			assert_true(probe.reason[0] != '\0');
		omega_loader_free(backend);
	}
}

#define ATOMS 32

/* The bits that an atom of a required kind without a path can have. */
static uint32_t
access_of(uint32_t kind)
{
	switch (kind) {
	case OMEGA_SANDBOX_ATOM_ELSEWHERE:
		return OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST;
	case OMEGA_SANDBOX_ATOM_NETWORK:
	case OMEGA_SANDBOX_ATOM_CONNECT:
	case OMEGA_SANDBOX_ATOM_BIND:
	case OMEGA_SANDBOX_ATOM_CONNECT_UDP:
	case OMEGA_SANDBOX_ATOM_BIND_UDP:
		return OMEGA_SANDBOX_ATOM_ALL | OMEGA_SANDBOX_ATOM_CREATE;
	default:
		return OMEGA_SANDBOX_ATOM_ALL;
	}
}

/* One atom of every kind, and one of a kind nobody knows. */
static size_t
make_atoms(struct omega_sandbox_atom *atoms, int fd)
{
	const struct omega_sandbox_atom head = {.size = sizeof(head), .fd = -1};
	struct stat st;
	size_t count = 0;
	uint32_t kind;

	if (fstat(fd, &st) != 0)
		fail_msg("fstat: %s", strerror(errno));
	atoms[count] = head;
	atoms[count].kind = OMEGA_SANDBOX_ATOM_PATH;
	atoms[count].access = 0x7f;
	atoms[count].flags =
	    OMEGA_SANDBOX_ATOM_REQUIRED | OMEGA_SANDBOX_ATOM_DIRECTORY;
	atoms[count].path = "/etc";
	atoms[count].fd = fd;
	atoms[count].device = st.st_dev;
	atoms[count++].inode = st.st_ino;
	atoms[count] = head;
	atoms[count].kind = OMEGA_SANDBOX_ATOM_PATH;
	atoms[count].access = OMEGA_SANDBOX_ATOM_CREATE;
	atoms[count].flags =
	    OMEGA_SANDBOX_ATOM_REQUIRED | OMEGA_SANDBOX_ATOM_ABSENT;
	atoms[count++].path = "/etc/omega-test-absent";
	for (kind = OMEGA_SANDBOX_ATOM_ELSEWHERE;
	     kind <= OMEGA_SANDBOX_ATOM_HOSTS; kind++) {
		atoms[count] = head;
		atoms[count].kind = kind;
		atoms[count].flags = OMEGA_SANDBOX_ATOM_REQUIRED;
		atoms[count++].access = access_of(kind);
	}
	for (kind = OMEGA_SANDBOX_ATOM_METADATA;
	     kind <= OMEGA_SANDBOX_ATOM_LIMIT; kind++) {
		atoms[count] = head;
		atoms[count].kind = kind;
		atoms[count].access = kind == OMEGA_SANDBOX_ATOM_METADATA
					  ? OMEGA_SANDBOX_ATOM_CHANGE
					  : OMEGA_SANDBOX_ATOM_ALL;
		if (kind == OMEGA_SANDBOX_ATOM_METADATA)
			atoms[count].path = "/etc";
		count++;
	}
	atoms[count] = head;
	atoms[count].kind = 60000;
	atoms[count++].access = OMEGA_SANDBOX_ATOM_ALL;
	return count;
}

static void
check_states(const char *name, const struct omega_sandbox_atom *atoms,
    const struct omega_sandbox_state *states, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct omega_sandbox_state *s = &states[i];

		if (s->size != sizeof(*s) ||
		    ((s->held | s->partial) & ~atoms[i].access) != 0 ||
		    (s->held & s->partial) != 0 ||
		    !is_text(s->why, sizeof(s->why)) ||
		    (s->held != atoms[i].access && s->why[0] == '\0'))
			fail_msg("%s, kind %u: held %x, partial %x of %x, '%s'",
			    name, atoms[i].kind, s->held, s->partial,
			    atoms[i].access, s->why);
	}
	/* The last one is of a kind that does not exist. */
	assert_int_equal(states[count - 1].held, 0);
	assert_int_equal(states[count - 1].partial, 0);
}

static void
test_every_plugin_describes(void **state)
{
	const struct omega_sandbox_request request = {.size = sizeof(request)};
	struct omega_sandbox_atom atoms[ATOMS];
	const struct omega_sandbox_atom *atom_list[ATOMS];
	struct omega_sandbox_state states[ATOMS];
	struct omega_sandbox_state *state_list[ATOMS];
	int fd = open("/etc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t count = make_atoms(atoms, fd);
	size_t i;
	size_t j;

	(void)state;
	find_built();
	for (i = 0; i < built_count; i++) {
		struct omega_backend *backend = load(built[i]);
		int before = count_descriptors();

		memset(states, 0, sizeof(states));
		for (j = 0; j < count; j++) {
			atom_list[j] = &atoms[j];
			state_list[j] = &states[j];
			states[j].size = sizeof(states[j]);
		}
		assert_int_equal(backend->plugin.describe(&backend->host,
				     &request, atom_list, count, state_list),
		    0);
		check_states(built[i], atoms, states, count);
		assert_int_equal(backend->plugin.describe(&backend->host,
				     &request, atom_list, 0, state_list),
		    0);
		assert_int_equal(count_descriptors(), before);
		omega_loader_free(backend);
	}
	close(fd);
}

static void
test_every_plugin_has_a_readme(void **state)
{
	const char *top = from_environment("top_srcdir", ".");
	size_t i;

	(void)state;
	find_built();
	for (i = 0; i < built_count; i++) {
		const char *path =
		    text("%s/plugins/%s/README.md", top, built[i]);

		if (access(path, R_OK) != 0)
			fail_msg("%s: %s", path, strerror(errno));
	}
}

/* The word noop must not be a way to a better report. */
static void
test_noop_holds_nothing(void **state)
{
	const struct omega_sandbox_request request = {.size = sizeof(request)};
	const struct omega_sandbox_atom atom = {.size = sizeof(atom),
	    .kind = OMEGA_SANDBOX_ATOM_PATH,
	    .access = 0x7f,
	    .path = "/etc",
	    .fd = -1};
	const struct omega_sandbox_atom *atoms[] = {&atom};
	struct omega_sandbox_state held = {.size = sizeof(held)};
	struct omega_sandbox_state *states[] = {&held};
	struct omega_sandbox_launch launch = {.size = sizeof(launch)};
	struct omega_backend *backend;

	(void)state;
	if (!is_built("noop"))
		skip_because("noop was switched off");
	backend = load("noop");
	assert_int_equal(backend->plugin.describe(
			     &backend->host, &request, atoms, 1, states),
	    0);
	assert_int_equal(held.held | held.partial, 0);
	assert_string_equal(held.why, "noop enforces nothing");
	assert_int_equal(
	    backend->plugin.apply(&backend->host, &request, atoms, 1, &launch),
	    -EINVAL);
	assert_int_equal(
	    backend->plugin.apply(&backend->host, &request, atoms, 0, &launch),
	    0);
	omega_loader_free(backend);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_built_plugin_is_known),
	    cmocka_unit_test(test_every_configured_plugin_was_built),
	    cmocka_unit_test(test_every_plugin_loads_under_its_name),
	    cmocka_unit_test(test_every_plugin_probes),
	    cmocka_unit_test(test_every_plugin_describes),
	    cmocka_unit_test(test_every_plugin_has_a_readme),
	    cmocka_unit_test(test_noop_holds_nothing),
	};

	return run_all(tests);
}
