/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bwrap.c - the backend that has bubblewrap make the sandbox: for hosts where
 * that program may make namespaces, and others may not.
 *
 *   program.c  which bwrap, and running it     (probe)
 *   setup.c    does it work; who asks for what (all)
 *   holds.c    what is held of an atom         (describe)
 *   plan.c     atoms -> words for bwrap        (apply)
 *   sockets.c  what is hidden of others        (apply)
 *   filter.c   no namespaces inside            (apply)
 */

#include <omega/sandbox-plugin.h>

#include <sys/mman.h>
#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "setup.h"

static const struct omega_sandbox_option option_program = {
    .size = sizeof(struct omega_sandbox_option),
    .type = OMEGA_SANDBOX_OPTION_STRING,
    .name = "program",
    .help = "the absolute path of bwrap; without it /usr/bin/bwrap, then "
	    "/usr/local/bin/bwrap",
};

static const struct omega_sandbox_option *const options[] = {
    &option_program, NULL};

static int
bwrap_probe(
    const struct omega_sandbox_host *host, struct omega_sandbox_probe *probe)
{
	struct setup_trial trial;
	struct program program;
	int ret;

	if (!filter_is_known()) {
		snprintf(probe->reason, sizeof(probe->reason),
		    "not made for this kind of processor");
		return 0;
	}
	ret = setup_try(host, &program, &trial);
	if (ret < 0)
		return ret;
	probe->is_usable = trial.is_usable;
	probe->has_network = trial.has_network;
	memcpy(probe->network_reason, trial.network_why,
	    sizeof(trial.network_why));
	memcpy(probe->reason, trial.why, sizeof(trial.why));
	if (!trial.is_usable)
		return 0;
	memcpy(probe->version, program.version, sizeof(program.version));
	snprintf(probe->reason, sizeof(probe->reason), "%.200s%s", program.path,
	    (program.st.st_mode & S_ISUID) != 0 ? ", set-user-ID" : "");
	return 0;
}

static int
bwrap_describe(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_state *const *states)
{
	struct setup setup;
	size_t i;
	int ret;

	ret = setup_make(host, request, atoms, count, &setup);
	for (i = 0; ret == 0 && i < count; i++)
		holds_say(&setup, atoms[i], states[i]);
	return ret;
}

/* ---- What a child does ----------------------------------------------------
 *
 * bwrap reads to the end of what it is given, and a descriptor that is passed
 * on has one position for all starts. So each gets new ones.
 */

#define FRESH_MS 20

struct poured {
	int32_t fd; /* to be replaced */
	int32_t is_words;
	size_t size;
	char bytes[];
};

static int
put(int fd, const char *from, const char *end)
{
	while (from < end) {
		ssize_t n = write(fd, from, (size_t)(end - from));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		from += n;
	}
	return 0;
}

static const char *
skip(const char *word, int count)
{
	while (count-- > 0)
		word += strlen(word) + 1;
	return word;
}

/*
 * Is it there? What has come only now is often gone again in a moment, before
 * bwrap looks for it, which then starts nothing: so it is looked at twice.
 */
static int
is_there(const char *path)
{
	const struct timespec moment = {0, 5000000};
	struct timespec now;
	struct stat st;

	if (fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return 0;
	if (clock_gettime(CLOCK_REALTIME, &now) != 0 ||
	    (now.tv_sec - st.st_ctim.tv_sec) * 1000 +
		    (now.tv_nsec - st.st_ctim.tv_nsec) / 1000000 >=
		FRESH_MS)
		return 1;
	nanosleep(&moment, NULL);
	return fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The words, but for those about what is not there any more. */
static int
put_words(int fd, const char *word, const char *end)
{
	const char *from = word;
	int ret = 0;

	while (ret == 0 && word < end) {
		const char *path = skip(word, 1);
		const char *next;

		if (word[0] != PLAN_IF_THERE[0]) {
			word = path;
			continue;
		}
		ret = put(fd, from, word);
		next = skip(path, 1);
		from = skip(next, 1);
		if (!is_there(path))
			from = skip(from, next[0] - '0');
		word = from;
	}
	return ret == 0 ? put(fd, from, end) : ret;
}

static int
pour_step(const void *state)
{
	const struct poured *poured = state;
	const char *end = poured->bytes + poured->size;
	int fd = memfd_create("omega-sandbox", MFD_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = poured->is_words ? put_words(fd, poured->bytes, end)
			       : put(fd, poured->bytes, end);
	if (ret == 0 && (lseek(fd, 0, SEEK_SET) != 0 ||
			    dup3(fd, poured->fd, O_CLOEXEC) < 0))
		ret = -errno;
	close(fd);
	return ret;
}

/* Have bwrap find the bytes; the number of the descriptor, or -errno. */
static int
pass(struct omega_sandbox_launch *launch, const struct args *bytes)
{
	struct poured *poured;
	int number = -ENOMEM;
	int ret;
	int fd;

	if (bytes->error < 0)
		return bytes->error;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	poured = malloc(sizeof(*poured) + bytes->size);
	if (poured != NULL)
		number = launch->pass_fd(launch, fd);
	if (number >= 0) {
		poured->fd = number;
		poured->is_words = bytes->count != 0;
		poured->size = bytes->size;
		memcpy(poured->bytes, bytes->bytes, bytes->size);
		ret = launch->add_step(launch, OMEGA_SANDBOX_PHASE_JOIN,
		    "words for bwrap", pour_step, poured,
		    sizeof(*poured) + bytes->size);
		if (ret < 0)
			number = ret;
	}
	close(fd);
	free(poured);
	return number;
}

/* The same, with an option and the number as words. */
static int
pass_as(struct omega_sandbox_launch *launch, const char *option,
    const struct args *bytes)
{
	int ret = pass(launch, bytes);
	char number[16];

	if (ret < 0)
		return ret;
	snprintf(number, sizeof(number), "%d", ret);
	ret = launch->add_word(launch, option);
	return ret == 0 ? launch->add_word(launch, number) : ret;
}

/* ---- Copies ---------------------------------------------------------------
 *
 * ssh believes an included file only when it is root's or the caller's. In a
 * user's namespace root is unknown, so the caller gets copies.
 */

#define MAX_COPY (256u << 10)

static int
copy(struct omega_sandbox_launch *launch, const char *path, struct args *words)
{
	struct args bytes = {.bytes = NULL};
	char text[4096];
	char number[16];
	struct stat st;
	ssize_t n = 1;
	int ret = 0;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return 0;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == 0 &&
	    st.st_size <= (off_t)MAX_COPY) {
		while (n > 0 && bytes.size <= MAX_COPY) {
			n = read(fd, text, sizeof(text));
			if (n > 0)
				args_bytes(&bytes, text, (size_t)n);
		}
		ret = pass(launch, &bytes);
		snprintf(number, sizeof(number), "%d", ret);
		if (ret >= 0)
			args_add(words, "--ro-bind-data", number, path, NULL);
	}
	close(fd);
	args_drop(&bytes);
	return ret < 0 ? ret : 0;
}

static int
add_copies(const struct setup *setup, struct omega_sandbox_launch *launch,
    struct args *words)
{
	static const char dir[] = "/etc/ssh/ssh_config.d";
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *stream;
	int ret = 0;

	if (setup->uid == 0 || (setup->program.st.st_mode & S_ISUID) != 0)
		return 0;
	stream = opendir(dir);
	if (stream == NULL)
		return 0;
	while (ret == 0 && (entry = readdir(stream)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		ret = copy(launch, path, words);
	}
	closedir(stream);
	return ret;
}

/* What the loader of programs obeys: a command could put a library where the
 * next bwrap looks for one, which is outside of every sandbox. */
static int
clear_env(struct omega_sandbox_launch *launch)
{
	static const char *const names[] = {"LD_PRELOAD", "LD_LIBRARY_PATH",
	    "LD_AUDIT", "LD_DEBUG", "LD_DEBUG_OUTPUT", "LD_DYNAMIC_WEAK",
	    "LD_ORIGIN_PATH", "LD_PROFILE", "LD_PROFILE_OUTPUT", "LD_SHOW_AUXV",
	    "LD_USE_LOAD_BIAS", "LD_BIND_NOT", "LD_HWCAP_MASK",
	    "GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH", "NLSPATH",
	    "MALLOC_TRACE", NULL};
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && names[i] != NULL; i++)
		ret = launch->set_env(launch, names[i], NULL);
	return ret;
}

static int
start_by(struct setup *setup, struct omega_sandbox_launch *launch)
{
	struct plan plan = {.list = NULL};
	struct args filter = {.bytes = NULL};
	struct args args = {.bytes = NULL};
	int ret;

	ret = plan_make(setup, &plan);
	if (ret == 0)
		ret = plan_compile(setup, &plan, &args);
	filter_make(&setup->request, &filter);
	if (ret == 0)
		ret = launch->add_word(launch, setup->program.path);
	if (ret == 0)
		ret = add_copies(setup, launch, &args);
	if (ret == 0)
		ret = pass_as(launch, "--args", &args);
	if (ret == 0)
		ret = pass_as(launch, "--seccomp", &filter);
	/* So that no program's name is an option. */
	if (ret == 0)
		ret = launch->add_word(launch, "--");
	if (ret == 0)
		ret = clear_env(launch);
	if (ret == 0) {
		args_bytes(&plan.watched, "", 1);
		ret = plan.watched.error;
	}
	if (ret == 0)
		ret = launch->add_check(
		    launch, plan_check, plan.watched.bytes, plan.watched.size);
	args_drop(&filter);
	args_drop(&args);
	plan_drop(&plan);
	return ret;
}

static int
bwrap_apply(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch)
{
	struct setup setup;
	size_t i;
	int ret;

	ret = setup_make(host, request, atoms, count, &setup);
	if (ret == 0 && !setup.trial.is_usable) {
		launch->explain(launch, setup.trial.why);
		ret = -ENOSYS;
	}
	/* These are ours only where the network is. */
	for (i = 0; ret == 0 && i < count; i++)
		if (atoms[i]->kind == OMEGA_SANDBOX_ATOM_NETWORK ||
		    atoms[i]->kind == OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS)
			setup.wants_network = 1;
	if (!setup.trial.has_network)
		setup.wants_network = 0;
	for (i = 0; ret == 0 && i < count; i++) {
		struct omega_sandbox_state state = {.size = sizeof(state)};

		holds_say(&setup, atoms[i], &state);
		ret =
		    launch->hold(launch, atoms[i], state.held | state.partial);
	}
	if (ret == 0)
		ret = start_by(&setup, launch);
	if (ret == -E2BIG)
		launch->explain(launch,
		    "too many places are to be protected one by one; deny "
		    "directories instead of the files in them");
	else if (ret == -EBUSY)
		launch->explain(launch,
		    "another backend of the stack would keep bwrap from "
		    "mounting; leave it out");
	else if (ret == -ESTALE)
		launch->explain(
		    launch, "a protected place changed while it was prepared");
	return ret;
}

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    .abi_version = OMEGA_SANDBOX_PLUGIN_ABI,
    .struct_size = sizeof(struct omega_sandbox_plugin),
    .flags = OMEGA_SANDBOX_PLUGIN_PREFIX | OMEGA_SANDBOX_PLUGIN_CHANGES_MOUNTS |
	     OMEGA_SANDBOX_PLUGIN_FILTERS,
    .name = "bwrap",
    .description = "bubblewrap: protected places, processes, network",
    .options = options,
    .probe = bwrap_probe,
    .describe = bwrap_describe,
    .apply = bwrap_apply,
};
