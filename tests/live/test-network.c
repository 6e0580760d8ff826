/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-network.c - rules about sockets and processes as they are kept on this
 * kernel, by the seccomp backend alone and by the whole stack, as root and as
 * an ordinary user.
 *
 * Everything is tried without a sandbox first. What does not work there
 * cannot be shown to be refused; that is said, and inside it must fail all the
 * same.
 */

#include "harness.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "net-settings.h"
#include "net-tries.h"
#include "twice.h"

/* ---- What is outside ------------------------------------------------------
 */

struct outside {
	char self[PATH_MAX];
	char port[8];
	char path[PATH_MAX];
	char abstract[32];
	char foreign[PATH_MAX];
	char conf[PATH_MAX];
	char omega[PATH_MAX]; /* data directory */
};

/* TCP and UDP on the same port of the loopback. */
static int
serve_internet(struct outside *out)
{
	struct sockaddr_in at = {
	    .sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(at);
	int stream = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int datagram = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	need(bind(stream, (struct sockaddr *)&at, sizeof(at)) == 0);
	need(listen(stream, 128) == 0);
	need(getsockname(stream, (struct sockaddr *)&at, &len) == 0);
	need(bind(datagram, (struct sockaddr *)&at, sizeof(at)) == 0);
	snprintf(out->port, sizeof(out->port), "%d", ntohs(at.sin_port));
	return 0;
}

static int
serve_unix(const char *name, int is_abstract)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t len = offsetof(struct sockaddr_un, sun_path) + strlen(name) + 1;

	need(strlen(name) < sizeof(at.sun_path) - 1);
	memcpy(at.sun_path + is_abstract, name, strlen(name));
	need(bind(fd, (struct sockaddr *)&at, (socklen_t)len) == 0);
	need(listen(fd, 128) == 0);
	return 0;
}

#if defined(__aarch64__)
/* A program for 32-bit ARM that makes a TCP socket and ends with the errno. */
static const uint32_t foreign_code[] = {
    0x464c457f, 0x00010101, 0, 0, /* ELF, 32 bits */
    0x00280002, 1, 0x00010054, 0x34, 0, 0x05000400, 0x00200034, 0x00000001, 0,
    /* one segment, all of it, at 0x10000 */
    1, 0, 0x00010000, 0x00010000, 0x80, 0x80, 5, 0x1000,
    0xe3a00002, /* r0 = AF_INET */
    0xe3a01001, /* r1 = SOCK_STREAM */
    0xe3a02000, /* r2 = 0 */
    0xe3a07c01, 0xe2877019, /* r7 = 281, socket */
    0xef000000, /* call */
    0xe3500000, 0xb2600000, 0xa3a00000, /* r0 = r0 < 0 ? -r0 : 0 */
    0xe3a07001, 0xef000000, /* exit */
};
#else
static const uint32_t foreign_code[] = {0};
#endif

static int
make_foreign(const char *path)
{
	FILE *file = fopen(path, "w");

	need(file != NULL);
	need(fwrite(foreign_code, sizeof(foreign_code), 1, file) == 1);
	need(fclose(file) == 0);
	need(chmod(path, 0755) == 0);
	return 0;
}

static int
make_outside(struct outside *out, const char *base)
{
	ssize_t len = readlink("/proc/self/exe", out->self, PATH_MAX - 1);

	need(len > 0);
	out->self[len] = '\0';
	snprintf(out->path, PATH_MAX, "%s/socket", base);
	snprintf(out->abstract, sizeof(out->abstract), "omega-net-%d",
	    (int)getpid());
	snprintf(out->foreign, PATH_MAX, "%s/foreign", base);
	snprintf(out->conf, PATH_MAX, "%s/sandbox.conf", base);
	snprintf(out->omega, PATH_MAX, "%s/omega", base);
	need(mkdir(out->omega, 0700) == 0);
	need(serve_internet(out) == 0);
	need(serve_unix(out->path, 0) == 0);
	need(serve_unix(out->abstract, 1) == 0);
	return make_foreign(out->foreign);
}

/* ---- A round of tries -----------------------------------------------------
 */

#define MAX_TRIES 64

struct results {
	int error[MAX_TRIES]; /* -1: it was not tried */
};

static void
note(struct results *results, const char *name, int error)
{
	size_t i;

	for (i = 0; net_tries[i].name != NULL; i++)
		if (strcmp(net_tries[i].name, name) == 0)
			results->error[i] = error;
}

/* What the program says, until it ends. */
static void
read_results(int fd, struct results *results)
{
	FILE *said = fdopen(fd, "r");
	char name[64];
	int error;

	memset(results, 0xff, sizeof(*results));
	while (said != NULL && fscanf(said, "%63s %d", name, &error) == 2)
		note(results, name, error);
	if (said != NULL)
		fclose(said);
}

static int
try_outside(const struct outside *out, struct results *results)
{
	int ends[2];
	int status;
	pid_t pid;

	need(pipe(ends) == 0);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], 1);
		execl(out->self, out->self, "--try", out->port, out->path,
		    out->abstract, out->foreign, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	read_results(ends[0], results);
	need(waitpid(pid, &status, 0) == pid && status == 0);
	return 0;
}

static int
run_inside(const struct outside *out, struct omega_sandbox_prepared *prepared,
    struct results *results)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = NULL;
	struct omega_sandbox_child *child = NULL;

	need(omega_sandbox_command_new(prepared, out->self, &command, &error) ==
	     0);
	must(omega_sandbox_command_add_arg(command, "--try", NULL) == 0);
	must(omega_sandbox_command_add_arg(command, out->port, NULL) == 0);
	must(omega_sandbox_command_add_arg(command, out->path, NULL) == 0);
	must(omega_sandbox_command_add_arg(command, out->abstract, NULL) == 0);
	must(omega_sandbox_command_add_arg(command, out->foreign, NULL) == 0);
	must(omega_sandbox_command_set(command, "dir", "/", NULL) == 0);
	must(omega_sandbox_command_set_stdio(
		 command, 1, OMEGA_SANDBOX_STDIO_PIPE, -1, NULL) == 0);
	if (omega_sandbox_spawn(command, &child, &error) != 0) {
		fprintf(stderr, "# %s\n", error.text);
		return 1;
	}
	read_results(omega_sandbox_child_take_stdio(child, 1), results);
	need(omega_sandbox_child_wait(child, -1, &end, &error) == 1);
	need(end.status == 0);
	omega_sandbox_child_free(child);
	omega_sandbox_command_unref(command);
	return 0;
}

/* The word PORT becomes the number of it. */
static int
write_lines(const struct outside *out, const char *lines)
{
	const char *word = strstr(lines, "PORT");
	FILE *file = fopen(out->conf, "w");

	need(file != NULL);
	if (word != NULL)
		fprintf(file, "%.*s%s%s", (int)(word - lines), lines, out->port,
		    word + 4);
	else
		fputs(lines, file);
	need(fclose(file) == 0);
	return 0;
}

/* With this configuration, of which the policy "test" is used. */
static struct omega_sandbox_prepared *
prepare(const struct outside *out, const char *lines,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox *sandbox = NULL;

	if (write_lines(out, lines) == 0 &&
	    omega_sandbox_open(out->conf, NULL, NULL, &sandbox, error) == 0 &&
	    omega_sandbox_policy_new(sandbox, "test", &policy, error) == 0 &&
	    omega_sandbox_policy_set(policy, "data_dir", out->omega, error) ==
		0 &&
	    omega_sandbox_prepare(policy, &prepared, error) < 0)
		prepared = NULL;
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
	return prepared;
}

static void
read_report(struct omega_sandbox_prepared *prepared, char *text, size_t size)
{
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);

	snprintf(text, size, "%s",
	    omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT));
	omega_sandbox_report_unref(report);
}

/* ---- What must come out ---------------------------------------------------
 */

/* Is the word in the list, where a space is behind each? */
static bool
is_listed(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *at;

	if (list == NULL)
		return false;
	for (at = list; (at = strstr(at, word)) != NULL; at++)
		if ((at == list || at[-1] == ' ') && at[len] == ' ')
			return true;
	return false;
}

/* What Landlock can do here; 0 without it. */
static int
landlock_abi(void)
{
	long abi = syscall(444, NULL, 0, 1); /* landlock_create_ruleset */

	return abi < 0 ? 0 : (int)abi;
}

/* Every filter answers clone3 as an old kernel does. */
static int
error_inside(const struct setting *setting, const char *name, int outside)
{
	if (strcmp(name, "clone3") == 0)
		return ENOSYS;
	return is_listed(setting->refused, name) ? EPERM : outside;
}

static int
compare(const struct setting *setting, const struct results *outside,
    const struct results *inside)
{
	int faults = 0;
	size_t i;

	for (i = 0; net_tries[i].name != NULL; i++) {
		const char *name = net_tries[i].name;
		int expected = error_inside(setting, name, outside->error[i]);

		/* A program that cannot be run here is not run there. */
		if (strcmp(name, "foreign") == 0 &&
		    outside->error[i] == ENOEXEC && expected == EPERM &&
		    inside->error[i] == ENOEXEC)
			continue;
		/* Not all kernels can keep these apart. */
		if (strcmp(name, "unix-abstract") == 0 && landlock_abi() < 6)
			continue;
		if (inside->error[i] > 0 &&
		    (is_listed(setting->fails, name) ||
			is_listed(setting->may_fail, name)))
			continue;
		if (inside->error[i] == expected && expected >= 0 &&
		    !is_listed(setting->fails, name))
			continue;
		faults++;
		fprintf(stderr, "# %s: %s: %s instead of %s\n", setting->name,
		    name, strerror(inside->error[i]), strerror(expected));
	}
	return faults;
}

static bool
is_said(const char *report, const char *words)
{
	return words == NULL || strstr(report, words) != NULL;
}

static int
one_setting(const struct outside *out, const struct setting *setting,
    const struct results *outside)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared;
	static char report[65536];
	struct results inside;
	int faults;

	prepared = prepare(out, setting->lines, &error);
	if (landlock_abi() < setting->abi) {
		printf(
		    "# %s: Landlock has no such rules here\n", setting->name);
		need(prepared == NULL);
		need(error.code == OMEGA_SANDBOX_E_REQUIRED);
		return 0;
	}
	if (prepared == NULL) {
		fprintf(stderr, "# %s: %s\n", setting->name, error.text);
		return 1;
	}
	read_report(prepared, report, sizeof(report));
	need(run_inside(out, prepared, &inside) == 0);
	omega_sandbox_prepared_unref(prepared);
	faults = compare(setting, outside, &inside);
	if (is_said(report, setting->says) &&
	    is_said(report, setting->says_too))
		return faults;
	fprintf(stderr, "# %s: the report is\n%s", setting->name, report);
	return faults + 1;
}

static int
all_settings(void *base)
{
	struct outside out;
	struct results outside;
	int faults = 0;
	size_t i;

	need(make_outside(&out, base) == 0);
	need(try_outside(&out, &outside) == 0);
	for (i = 0; net_tries[i].name != NULL; i++)
		if (outside.error[i] != 0)
			printf("# %s cannot be shown here%s: %s\n",
			    net_tries[i].name,
			    geteuid() == 0 ? "" : " as a user",
			    strerror(outside.error[i]));
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		faults += one_setting(&out, &settings[i], &outside);
	return faults;
}

TWICE(all_settings)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_all_settings),
	};

	if (argc == 6 && strcmp(argv[1], "--try") == 0) {
		struct net_ground ground = {
		    (unsigned short)atoi(argv[2]), argv[3], argv[4], argv[5]};

		return net_tries_run(&ground);
	}
	return run_all(tests);
}
