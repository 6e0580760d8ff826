/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * spawning.c - see spawning.h.
 */

#include "spawning.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int inspect_source = -1;

void
spawning_begin(void)
{
	inspect_source = open(INSPECT_FILE, O_RDONLY | O_CLOEXEC);
}

static void
copy_file(int from, const char *to)
{
	char buffer[65536];
	int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	ssize_t len;

	assert_true(fd >= 0);
	lseek(from, 0, SEEK_SET);
	while ((len = read(from, buffer, sizeof(buffer))) > 0)
		assert_int_equal(write(fd, buffer, (size_t)len), len);
	fchmod(fd, 0755);
	close(fd);
}

const char *
inspect_program(void)
{
	static char *path;

	if (path == NULL) {
		if (inspect_source < 0)
			fail_msg("no inspect program: %s", INSPECT_FILE);
		path = text("%s/inspect", scratch_dir());
		copy_file(inspect_source, path);
	}
	return path;
}

bool
is_under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload != NULL && strstr(preload, "vgpreload") != NULL;
}

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#endif

bool
is_sanitized(void)
{
#ifdef IS_SANITIZED
	return true;
#else
	return false;
#endif
}

int
rounds_of(int many)
{
	many = harness_rounds(many);
	if (is_sanitized())
		many = many / 10 + 1;
	return is_under_valgrind() ? many / 20 + 1 : many;
}

struct omega_launch *
make_launch(bool has_own_memory)
{
	struct omega_launch *launch = omega_launch_new();

	assert_non_null(launch);
	if (has_own_memory)
		launch->flags = OMEGA_SANDBOX_LAUNCH_SHARES;
	return launch;
}

void
add_step(struct omega_launch *launch, uint32_t phase, const char *name,
    omega_sandbox_step *step, const void *state, size_t size)
{
	struct omega_launch_builder builder;

	omega_launch_builder_begin(&builder, launch, "mock", false);
	assert_int_equal(builder.public.add_step(
			     &builder.public, phase, name, step, state, size),
	    0);
	omega_launch_builder_end(&builder);
	omega_launch_finish(launch);
}

int
fail_with(const void *state)
{
	return *(const int *)state;
}

int
write_note(const void *state)
{
	const struct note *note = state;

	return write(note->fd, &note->letter, 1) == 1 ? 0 : -errno;
}

int
keep_fd(struct omega_launch *launch, int fd)
{
	struct omega_launch_builder builder;
	int kept;

	omega_launch_builder_begin(&builder, launch, "mock", false);
	kept = builder.public.keep_fd(&builder.public, fd);
	omega_launch_builder_end(&builder);
	assert_true(kept >= 10);
	return kept;
}

static void
add_words(struct omega_command *command, va_list words)
{
	const char *word;

	assert_int_equal(
	    omega_command_init(command, inspect_program(), NULL), 0);
	while ((word = va_arg(words, const char *)) != NULL)
		assert_int_equal(omega_command_add_arg(command, word), 0);
	assert_int_equal(
	    omega_command_set_stdio(command, 1, OMEGA_SANDBOX_STDIO_PIPE, -1),
	    0);
}

void
make_inspect(struct omega_command *command, ...)
{
	va_list words;

	va_start(words, command);
	add_words(command, words);
	va_end(words);
}

static void
read_all(int fd, char *out, size_t size)
{
	size_t used = 0;
	ssize_t len = 1;

	while (fd >= 0 && len > 0 && used < size - 1) {
		len = read(fd, out + used, size - 1 - used);
		if (len > 0)
			used += (size_t)len;
		else if (len < 0 && errno == EINTR)
			len = 1;
	}
	out[used] = '\0';
}

void
run_command(const struct omega_launch *launch,
    const struct omega_command *command, struct outcome *outcome)
{
	struct omega_spawned spawned;
	struct omega_sandbox_child *child = omega_child_new();
	int out;

	assert_non_null(child);
	*outcome = (struct outcome){.error = OMEGA_SANDBOX_ERROR_INIT,
	    .end = OMEGA_SANDBOX_OUTCOME_INIT};
	outcome->code = omega_spawn(launch, command, &spawned, &outcome->error);
	if (outcome->code == 0) {
		omega_child_adopt(child, &spawned, true);
		out = omega_child_take_stdio(child, 1);
		read_all(out, outcome->out, sizeof(outcome->out));
		close(out);
		assert_int_equal(
		    omega_child_wait(child, -1, &outcome->end, &outcome->error),
		    1);
	}
	omega_child_free(child);
}

void
run_inspect(const struct omega_launch *launch, struct outcome *outcome, ...)
{
	struct omega_command command;
	va_list words;

	va_start(words, outcome);
	add_words(&command, words);
	va_end(words);
	run_command(launch, &command, outcome);
	omega_command_drop(&command);
}

bool
deny_call(long number, int sys_errno)
{
	struct sock_filter code[] = {
	    BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K,
		SECCOMP_RET_ERRNO | ((uint32_t)sys_errno & SECCOMP_RET_DATA)),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {
	    .len = sizeof(code) / sizeof(code[0]), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

void
assert_no_children(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}
