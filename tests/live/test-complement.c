/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-complement.c - a host without namespaces: what is said there, and what
 * Landlock holds alone when the administrator pays for it.
 */

#include "harness.h"

#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "twice.h"

#define ALONE                                                               \
	"backend = { landlock, seccomp }\n"                                 \
	"accept = { metadata, outside_signals, abstract_sockets, "          \
	"outside_sockets, aliases, replaced_files, absent_paths, execute, " \
	"launcher_sockets }\n"                                              \
	"plugin \"landlock\" { complement = true }\n"

struct ground {
	char home[PATH_MAX];
	struct omega_sandbox *sandbox;
	struct omega_sandbox_prepared *prepared;
	const char *session; /* or NULL */
};

static int
write_file(const char *path, const char *content)
{
	FILE *file = fopen(path, "w");

	need(file != NULL && fputs(content, file) >= 0 && fclose(file) == 0);
	return 0;
}

/* base/home with a data directory and other things in it. */
static int
make_home(struct ground *g, const char *base)
{
	static const char *const dirs[] = {
	    "", "/.omega", "/.omega/data", "/.omega/workspace", "/docs"};
	size_t i;

	snprintf(g->home, sizeof(g->home), "%s/home", base);
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		need(mkdir(text("%s%s", g->home, dirs[i]), 0700) == 0 ||
		     errno == EEXIST);
	need(write_file(text("%s/.omega/data/db", g->home), "secret") == 0);
	need(write_file(text("%s/.omega/config.toml", g->home), "key") == 0);
	return 0;
}

static int
open_ground(struct ground *g, const char *base, const char *lines,
    const char *dir, struct omega_sandbox_error *error)
{
	struct omega_sandbox_policy *policy = NULL;
	const char *conf = text("%s/sandbox.conf", base);
	int ret;

	g->sandbox = NULL;
	g->prepared = NULL;
	need(write_file(conf, lines) == 0);
	ret = omega_sandbox_open(conf, NULL, NULL, &g->sandbox, error);
	if (ret == 0)
		ret =
		    omega_sandbox_policy_new(g->sandbox, NULL, &policy, error);
	if (ret == 0)
		ret = omega_sandbox_policy_set(policy, "data_dir", dir, error);
	if (ret == 0 && g->session != NULL)
		ret = omega_sandbox_policy_set(
		    policy, "session", g->session, error);
	if (ret == 0)
		ret = omega_sandbox_prepare(policy, &g->prepared, error);
	omega_sandbox_policy_unref(policy);
	return ret;
}

static void
close_ground(struct ground *g)
{
	omega_sandbox_prepared_unref(g->prepared);
	omega_sandbox_unref(g->sandbox);
}

/* Does a line of shell work in there? $0 is the home. */
static bool
works(struct ground *g, const char *script)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = NULL;
	int ret;

	ret =
	    omega_sandbox_command_new(g->prepared, "/bin/sh", &command, &error);
	if (ret == 0) {
		must(omega_sandbox_command_add_arg(command, "-c", NULL) == 0);
		must(omega_sandbox_command_add_arg(command, script, NULL) == 0);
		must(
		    omega_sandbox_command_add_arg(command, g->home, NULL) == 0);
		must(omega_sandbox_command_set(command, "dir", "/", NULL) == 0);
		must(omega_sandbox_command_set_stdio(
			 command, 2, OMEGA_SANDBOX_STDIO_NULL, -1, NULL) == 0);
		must(omega_sandbox_command_set_stdio(
			 command, 1, OMEGA_SANDBOX_STDIO_NULL, -1, NULL) == 0);
		ret = omega_sandbox_run(command, &end, &error);
	}
	omega_sandbox_command_unref(command);
	if (ret < 0)
		fprintf(stderr, "# %s\n", error.text);
	return ret == 0 && end.signal == 0 && end.status == 0;
}

/* A line of shell that has this program hang up its terminal. */
static const char *
hang_up(void)
{
	char self[PATH_MAX] = "";

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return "exit 1";
	return text("trap '' HUP; '%s' vhangup", self);
}

static volatile sig_atomic_t was_hung_up;

static void
note(int number)
{
	(void)number;
	was_hung_up = 1;
}

/* A terminal for the session this process leads. */
static int
take_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int slave;

	need(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	need(slave >= 0 && ioctl(slave, TIOCSCTTY, 0) == 0);
	return 0;
}

/* The code of a start with this file as standard output. */
static int
start_with(struct ground *g, const char *path)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = NULL;
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	int ret;

	ret = omega_sandbox_command_new(
	    g->prepared, "/bin/true", &command, &error);
	if (ret == 0) {
		must(omega_sandbox_command_set(command, "dir", "/", NULL) == 0);
		must(omega_sandbox_command_set_stdio(
			 command, 1, OMEGA_SANDBOX_STDIO_FD, fd, NULL) == 0);
		ret = omega_sandbox_run(command, &end, &error);
	}
	omega_sandbox_command_unref(command);
	close(fd);
	return ret;
}

/* Attempts that undo themselves where they succeed. */
static const char *const attacks[] = {
    "cat \"$0/.omega/data/db\"",
    "ls \"$0/.omega/data\"",
    "cat \"$0/.omega/config.toml\"",
    "echo x >>\"$0/.omega/data/db\"",
    "echo x >>\"$0/.omega/config.toml\"",
    "echo x >\"$0/.omega/data/new\" && rm \"$0/.omega/data/new\"",
    "mv \"$0/.omega/data/db\" \"$0/docs/db\" && "
    "mv \"$0/docs/db\" \"$0/.omega/data/db\"",
    "ln \"$0/.omega/data/db\" \"$0/docs/db\" && rm \"$0/docs/db\"",
    "mv \"$0/.omega\" \"$0/away\" && mv \"$0/away\" \"$0/.omega\"",
    "mv \"$0\" \"$0.away\" && mv \"$0.away\" \"$0\"",
    "cp \"$0/.omega/config.toml\" \"$0/docs/c\" && "
    "mv \"$0/docs/c\" \"$0/.omega/config.toml\"",
};

static const char *const uses[] = {
    "echo x >\"$0/docs/new\" && cat \"$0/docs/new\" && rm \"$0/docs/new\"",
    "mkdir \"$0/.omega/workspace/d\" && rmdir \"$0/.omega/workspace/d\"",
    "ls /etc && cat /etc/passwd && echo x >/dev/null",
    "(sleep 0) & wait",
};

/* What it costs: the documents say so, and it must stay true. */
static const char *const prices[] = {
    "ls \"$0\"",
    "echo x >\"$0/new\" && rm \"$0/new\"",
    "ls /",
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static int
try_all(
    struct ground *g, const char *const *list, size_t count, bool is_expected)
{
	int faults = 0;
	size_t i;

	for (i = 0; i < count; i++)
		if (works(g, list[i]) != is_expected) {
			fprintf(stderr, "# %s: %s\n", list[i],
			    is_expected ? "does not work" : "works");
			faults++;
		}
	return faults;
}

static int
held(void *base)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct ground g = {.session = NULL};
	int faults;

	need(make_home(&g, base) == 0);
	need(open_ground(&g, base, "backend = noop\n",
		 text("%s/.omega", g.home), &error) == 0);
	faults = try_all(&g, attacks, COUNT(attacks), true) +
		 try_all(&g, uses, COUNT(uses), true) +
		 try_all(&g, prices, COUNT(prices), true);
	close_ground(&g);
	if (open_ground(&g, base, ALONE, text("%s/.omega", g.home), &error) <
	    0) {
		fprintf(stderr, "# %s\n", error.text);
		return faults + 1;
	}
	faults += try_all(&g, attacks, COUNT(attacks), false) +
		  try_all(&g, uses, COUNT(uses), true) +
		  try_all(&g, prices, COUNT(prices), false);
	close_ground(&g);
	return faults;
}

static int
absent_config(void *base)
{
	static const char make[] = "echo x >\"$0/.omega/config.toml\"";
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct ground g = {.session = NULL};
	const char *path;

	need(make_home(&g, base) == 0);
	path = text("%s/.omega/config.toml", g.home);
	need(unlink(path) == 0);
	need(open_ground(&g, base, ALONE, text("%s/.omega", g.home), &error) ==
	     0);
	need(!works(&g, make));
	need(access(path, F_OK) != 0);
	close_ground(&g);
	need(open_ground(&g, base, "backend = noop\n",
		 text("%s/.omega", g.home), &error) == 0);
	need(works(&g, make));
	close_ground(&g);
	return 0;
}

/* Landlock asks who opens a file, not who writes to an open one: the core
 * does not hand one on. */
static int
descriptors(void *base)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct ground g = {.session = NULL};

	need(make_home(&g, base) == 0);
	need(write_file(text("%s/docs/no", g.home), "secret") == 0);
	need(open_ground(&g, base,
		 text(ALONE "blocked_paths = { \"%s/docs/no\" }\n", g.home),
		 text("%s/.omega", g.home), &error) == 0);
	need(start_with(&g, text("%s/.omega/data/db", g.home)) ==
	     OMEGA_SANDBOX_E_REFUSED);
	need(start_with(&g, text("%s/.omega/config.toml", g.home)) ==
	     OMEGA_SANDBOX_E_REFUSED);
	need(start_with(&g, text("%s/docs/no", g.home)) ==
	     OMEGA_SANDBOX_E_REFUSED);
	need(start_with(&g, text("%s/docs/yes", g.home)) == 0);
	need(
	    start_with(&g, text("/dev/shm/omega-test-%d", (int)getpid())) == 0);
	unlink(text("/dev/shm/omega-test-%d", (int)getpid()));
	close_ground(&g);
	return 0;
}

/* The data directory's name is a link in a directory of its own. */
static int
link_on_the_way(void *base)
{
	static const char turn[] = "rm \"$0/../names/omega\" && "
				   "ln -s /tmp \"$0/../names/omega\"";
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct ground g = {.session = NULL};
	const char *dir = text("%s/names/omega", (const char *)base);

	need(make_home(&g, base) == 0);
	need(mkdir(text("%s/names", (const char *)base), 0700) == 0);
	need(symlink("../home/.omega", dir) == 0);
	need(open_ground(&g, base, ALONE, dir, &error) == 0);
	need(!works(&g, "cat \"$0/.omega/data/db\""));
	need(!works(&g, "cat \"$0/../names/omega/data/db\""));
	need(!works(&g, turn));
	need(works(&g, uses[0]));
	close_ground(&g);
	need(open_ground(&g, base, "backend = noop\n", dir, &error) == 0);
	need(works(&g, turn));
	close_ground(&g);
	return 0;
}

/* All sets but for CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID.
 */
static const char small_sets[] =
    "while read -r key set; do case $key in Cap???:) "
    "[ $((0x$set & ~0xfb)) = 0 ] || exit 1;; esac; done </proc/self/status";

/* Root's capabilities that Landlock is not asked about, one of which ends the
 * caller by its terminal. */
static int
powers(void *base)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct sigaction action = {.sa_handler = note};
	const char *dir;
	struct ground g = {.session = NULL};

	g.session = "keep"; /* else it has no terminal of ours */
	need(make_home(&g, base) == 0);
	dir = text("%s/.omega", g.home);
	need(setsid() > 0 && sigaction(SIGHUP, &action, NULL) == 0);
	need(open_ground(&g, base, "backend = noop\n", dir, &error) == 0);
	need(take_terminal() == 0);
	need(works(&g, hang_up()) && was_hung_up);
	need(!works(&g, small_sets));
	close_ground(&g);
	was_hung_up = 0;
	need(open_ground(&g, base, ALONE, dir, &error) == 0);
	need(take_terminal() == 0);
	need(!works(&g, hang_up()) && !was_hung_up);
	need(works(&g, small_sets));
	close_ground(&g);
	return 0;
}

static void
test_powers(void **state)
{
	char base[PATH_MAX];

	(void)state;
	if (geteuid() != 0)
		skip_because("only root has them");
	twice_scratch(base, sizeof(base), 0);
	assert_int_equal(in_child(powers, base), 0);
}

/* As the default filter of a container does. */
static int
forbid_namespaces(void)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		(uint32_t)offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
	return 0;
}

/* Everything by itself, on a host that forbids namespaces. */
static int
refusal(void *base)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct ground g = {.session = NULL};
	int ret;

	need(make_home(&g, base) == 0);
	need(forbid_namespaces() == 0);
	/* bwrap would step in for root. */
	ret =
	    open_ground(&g, base, "plugin \"bwrap\" { program = \"/none\" }\n",
		text("%s/.omega", g.home), &error);
	fprintf(stderr, "# %s\n", error.text);
	need(ret == OMEGA_SANDBOX_E_REQUIRED);
	need(strstr(error.text, "omega-sandbox-namespace.apparmor") != NULL);
	need(strstr(error.text, "complement = true") != NULL);
	need(strstr(error.text, "nothing can be created") != NULL);
	need(strstr(error.text, "fail_closed") == NULL);
	close_ground(&g);
	/* And the remedy is one. */
	need(open_ground(&g, base, ALONE, text("%s/.omega", g.home), &error) ==
	     0);
	need(!works(&g, attacks[0]) && works(&g, uses[0]));
	close_ground(&g);
	return 0;
}

TWICE(held)
TWICE(absent_config)
TWICE(descriptors)
TWICE(link_on_the_way)
TWICE(refusal)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_held),
	    cmocka_unit_test(test_absent_config),
	    cmocka_unit_test(test_descriptors),
	    cmocka_unit_test(test_link_on_the_way),
	    cmocka_unit_test(test_refusal),
	    cmocka_unit_test(test_powers),
	};

	if (argc == 2 && strcmp(argv[1], "vhangup") == 0)
		return vhangup() == 0 ? 0 : 1;
	return run_all(tests);
}
