/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * start.c - one attempt in a process of its own: this program again, with a
 * hidden verb. Inside it is started as any command is, through the library;
 * outside by plain fork and exec. Only what it says on its standard output
 * counts as an answer: a program that did not start proves nothing.
 */

#include "config.h"

#include "verify.h"

#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <link.h>
#include <poll.h>

#define WAIT_MS 15000
#define PID_SIZE 16
#define ARGUMENTS 10

/* An attempt under way. */
struct running {
	struct omega_sandbox_child *child; /* inside */
	struct omega_sandbox_command *command;
	pid_t pid; /* outside */
	int in; /* its standard input, or -1 */
	int out;
};

void
verify_silent(struct verify_answer *answer, const char *text)
{
	answer->end = VERIFY_SILENT;
	snprintf(answer->text, sizeof(answer->text), "%.290s", text);
}

/* This program; inside, a copy where that cannot be reached. 0 or -1. */
static int
find_program(
    const struct verify_place *place, bool is_inside, char path[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);

	if (len < 0)
		return -1;
	path[len] = '\0';
	if (is_inside && place->is_copied)
		snprintf(path, PATH_MAX, "%.4000s/" ATTEMPT_PROGRAM,
		    place->scene->top);
	return 0;
}

static char loader[PATH_MAX];
static char library[PATH_MAX];

static int
look_at_object(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (info->dlpi_addr == getauxval(AT_BASE))
		snprintf(loader, sizeof(loader), "%s", info->dlpi_name);
	else if (strstr(info->dlpi_name, "/libomega-sandbox.so") != NULL)
		snprintf(library, sizeof(library), "%s", info->dlpi_name);
	return 0;
}

const char *
verify_library(const char **by)
{
	dl_iterate_phdr(look_at_object, NULL);
	if (by != NULL)
		*by = loader;
	return library[0] != '\0' && loader[0] != '\0' ? library : NULL;
}

int
verify_command(const struct verify_place *place, const char *const *words,
    int in, struct omega_sandbox_command **command,
    struct omega_sandbox_error *error)
{
	char program[PATH_MAX];
	char copy[PATH_MAX];
	const char *by;
	const char *first[] = {"--preload", copy, program, NULL};
	bool is_loaded = place->is_copied && verify_library(&by) != NULL;
	int ret;
	int i;

	if (find_program(place, true, program) < 0) {
		snprintf(error->text, sizeof(error->text),
		    "this program cannot be found in /proc");
		return OMEGA_SANDBOX_E_SYSTEM;
	}
	/* Where the program cannot be reached its library may not be either. */
	snprintf(
	    copy, sizeof(copy), "%.4000s/" ATTEMPT_LIBRARY, place->scene->top);
	ret = omega_sandbox_command_new(
	    place->prepared, is_loaded ? by : program, command, error);
	for (i = 0; ret == 0 && is_loaded && first[i] != NULL; i++)
		ret = omega_sandbox_command_add_arg(*command, first[i], error);
	/* What is held is to be tried, not what is refused beforehand. */
	if (ret == 0)
		ret = omega_sandbox_command_set(
		    *command, "checked", "false", error);
	for (i = 0; ret == 0 && words[i] != NULL; i++)
		ret = omega_sandbox_command_add_arg(*command, words[i], error);
	if (ret == 0)
		ret = omega_sandbox_command_set_stdio(*command, 0,
		    in >= 0 ? OMEGA_SANDBOX_STDIO_FD : OMEGA_SANDBOX_STDIO_PIPE,
		    in, error);
	if (ret == 0)
		ret = omega_sandbox_command_set_stdio(
		    *command, 2, OMEGA_SANDBOX_STDIO_NULL, -1, error);
	return ret;
}

static int
start_inside(const struct verify_place *place, const char *const *words, int in,
    struct running *run, struct verify_answer *answer)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	int ret = verify_command(place, words, in, &run->command, &error);

	if (ret == 0)
		ret = omega_sandbox_command_set_stdio(
		    run->command, 1, OMEGA_SANDBOX_STDIO_PIPE, -1, &error);
	if (ret == 0)
		ret = omega_sandbox_spawn(run->command, &run->child, &error);
	if (ret < 0) {
		verify_silent(answer, error.text);
		return ret;
	}
	run->in = omega_sandbox_child_take_stdio(run->child, 0);
	run->out = omega_sandbox_child_take_stdio(run->child, 1);
	return 0;
}

void
verify_be_program(
    const struct verify_place *place, const char *const *words, int in, int out)
{
	char *argv[ARGUMENTS + 2] = {NULL};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char program[PATH_MAX];
	int i;

	if (find_program(place, false, program) < 0)
		_exit(126);
	argv[0] = program;
	for (i = 0; words[i] != NULL; i++)
		argv[i + 1] = strdup(words[i]);
	if (dup2(in, 0) < 0 || dup2(out < 0 ? null : out, 1) < 0 ||
	    dup2(null, 2) < 0)
		_exit(126);
	execv(program, argv);
	_exit(127);
}

static int
start_outside(const struct verify_place *place, const char *const *words,
    int in, struct running *run, struct verify_answer *answer)
{
	int to[2] = {-1, -1};
	int from[2] = {-1, -1};

	if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
		verify_silent(answer, strerror(errno));
		return -1;
	}
	fflush(NULL);
	run->pid = fork();
	if (run->pid == 0)
		verify_be_program(place, words, in >= 0 ? in : to[0], from[1]);
	close(to[0]);
	close(from[1]);
	run->in = to[1];
	run->out = from[0];
	if (run->pid < 0) {
		verify_silent(answer, strerror(errno));
		return -1;
	}
	return 0;
}

/* One line, without its end. The length, or -1 when there is none. */
static int
read_line(int fd, char *line, size_t size)
{
	size_t used = 0;

	while (used + 1 < size) {
		struct pollfd wait = {.fd = fd, .events = POLLIN};

		if (poll(&wait, 1, WAIT_MS) != 1 ||
		    read(fd, line + used, 1) != 1)
			return -1;
		if (line[used] == '\n') {
			line[used] = '\0';
			return (int)used;
		}
		used++;
	}
	return -1;
}

static void
take_answer(const struct verify_place *place, const struct running *run,
    const char *target, bool is_inside, struct verify_answer *answer)
{
	struct scene *scene = is_inside ? place->scene : place->twin;
	char line[600];
	char *rest;
	int n;

	n = read_line(run->out, line, sizeof(line));
	if (n >= 0 && strcmp(line, "ready") == 0) {
		if (scene_replace(scene, target) < 0 ||
		    write(run->in, "g", 1) != 1) {
			verify_silent(answer, "the host could not replace it");
			return;
		}
		n = read_line(run->out, line, sizeof(line));
	}
	if (n < 0 || strncmp(line, "done ", 5) != 0)
		return;
	answer->error = (int)strtol(line + 5, &rest, 10);
	answer->end = answer->error == 0 ? VERIFY_WORKED : VERIFY_REFUSED;
	snprintf(answer->text, sizeof(answer->text), "%.290s",
	    *rest == ' ' ? rest + 1 : rest);
}

/* Wait for its end; how it ended matters when it said nothing. */
static void
finish(struct running *run, struct verify_answer *answer)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	int status = 0;
	int number = 0;

	if (run->child != NULL) {
		if (answer->end == VERIFY_SILENT)
			omega_sandbox_child_signal(run->child, SIGKILL);
		if (omega_sandbox_child_wait(run->child, WAIT_MS, &end, NULL) ==
		    1)
			number = end.signal;
		omega_sandbox_child_free(run->child);
	} else if (run->pid > 0) {
		if (answer->end == VERIFY_SILENT)
			kill(run->pid, SIGKILL);
		if (waitpid(run->pid, &status, 0) == run->pid &&
		    WIFSIGNALED(status))
			number = WTERMSIG(status);
	}
	if (run->child != NULL || run->pid > 0) {
		close(run->in);
		close(run->out);
	}
	omega_sandbox_command_unref(run->command);
	/* A filter may kill who tries. */
	if (answer->end == VERIFY_SILENT && number == SIGSYS) {
		answer->end = VERIFY_REFUSED;
		answer->error = EPERM;
		snprintf(answer->text, sizeof(answer->text), "killed (SIGSYS)");
	}
}

static void
run_one(const struct verify_place *place, const char *const *words,
    const char *target, int in, bool is_inside, struct verify_answer *answer)
{
	struct running run = {.in = -1, .out = -1};
	int ret;

	verify_silent(answer, "it ended without an answer");
	if (is_inside)
		ret = start_inside(place, words, in, &run, answer);
	else
		ret = start_outside(place, words, in, &run, answer);
	if (ret == 0)
		take_answer(place, &run, target, is_inside, answer);
	finish(&run, answer);
}

/* The same from a process that has the terminal as its own, and is the one
 * outside. What the kernel sends it about that does no harm. */
static void
run_at_terminal(const struct verify_place *place, const char *const *words,
    char outside[PID_SIZE], const char *target, bool is_inside,
    struct verify_answer *answer)
{
	int ends[2];
	pid_t pid;

	verify_silent(answer, "no process could be started at a terminal");
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		setsid();
		signal(SIGHUP, SIG_IGN);
		signal(SIGTTIN, SIG_IGN);
		signal(SIGTTOU, SIG_IGN);
		snprintf(outside, PID_SIZE, "%ld", (long)getpid());
		if (ioctl(place->props->terminal[1], TIOCSCTTY, 0) == 0)
			run_one(place, words, target, place->props->terminal[1],
			    is_inside, answer);
		_exit(write(ends[1], answer, sizeof(*answer)) < 0);
	}
	close(ends[1]);
	if (pid > 0) {
		if (read(ends[0], answer, sizeof(*answer)) !=
		    (ssize_t)sizeof(*answer))
			verify_silent(
			    answer, "the process at the terminal ended");
		waitpid(pid, NULL, 0);
	}
	close(ends[0]);
}

void
verify_start(const struct verify_place *place, const struct attempt *attempt,
    const char *target, char type, bool is_inside, struct verify_answer *answer)
{
	const struct scene *scene = is_inside ? place->scene : place->twin;
	static char extra[32768];
	char index[16];
	char kind[3] = {type, is_inside ? 'i' : 'o', '\0'};
	char pid[PID_SIZE];
	char mounts[64] = "";
	const char *words[ARGUMENTS + 1] = {"verify-attempt", index, kind,
	    target, scene->top, pid, scene->token, extra, mounts, scene->free,
	    NULL};
	unsigned i = 0;

	if (readlink("/proc/self/ns/mnt", mounts, sizeof(mounts) - 1) < 0)
		mounts[0] = '\0';
	memset(answer, 0, sizeof(*answer));
	while (attempt_get(i) != attempt)
		i++;
	snprintf(index, sizeof(index), "%u", i);
	snprintf(pid, sizeof(pid), "%ld", (long)scene->outside);
	if (props_extra(place->props, scene, attempt, target, type, extra,
		sizeof(extra)) < 0) {
		verify_silent(answer, "this host does not have what it takes");
		answer->is_missing = true;
		return;
	}
	if (attempt->need == ATTEMPT_TERMINAL)
		run_at_terminal(place, words, pid, target, is_inside, answer);
	else if (attempt->need == ATTEMPT_TIMED ||
		 attempt->need == ATTEMPT_UNWATCHED)
		verify_stay(place, attempt, words, is_inside, answer);
	else
		run_one(place, words, target,
		    attempt->need == ATTEMPT_CONSOLE ? place->props->console
						     : -1,
		    is_inside, answer);
}
