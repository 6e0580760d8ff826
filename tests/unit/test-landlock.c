/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-landlock.c - the pure parts of the Landlock backend: the table of
 * rights, the complement, what it says about atoms and what it builds.
 */

#include "harness.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox-plugin.h>

#include "landlock/calls.h"
#include "landlock/landlock.h"
#include "landlock/ruleset.h"
#include "launch/launch.h"

/* ---- Rights ------------------------------------------------------------- */

static void
test_read_access_flags(void **state)
{
	(void)state;
	assert_true((RIGHTS_READ & FS_READ_FILE) != 0);
	assert_true((RIGHTS_READ & FS_READ_DIR) != 0);
	assert_true((RIGHTS_READ & FS_EXECUTE) != 0);
	assert_true((RIGHTS_READ & FS_WRITE_FILE) == 0);
}

static void
test_full_access_contains_writes(void **state)
{
	(void)state;
	assert_true((RIGHTS_FULL & FS_WRITE_FILE) != 0);
	assert_true((RIGHTS_FULL & FS_MAKE_DIR) != 0);
	/* What a write grant needs to be of use. */
	assert_true((RIGHTS_WRITE & FS_REFER) != 0);
	assert_true((RIGHTS_WRITE & FS_TRUNCATE) != 0);
	assert_true((RIGHTS_WRITE & FS_IOCTL_DEV) != 0);
	assert_true((RIGHTS_FULL & RIGHTS_DEVICE_NODES) == 0);
}

static void
test_refer_only_blocks_reads_and_writes(void **state)
{
	(void)state;
	assert_true((RIGHTS_REFER_ONLY & FS_READ_FILE) == 0);
	assert_true((RIGHTS_REFER_ONLY & FS_WRITE_FILE) == 0);
}

static void
test_every_abi_knows_what_the_one_before_knew(void **state)
{
	int abi;

	(void)state;
	assert_true(rights_known(0).fs == 0);
	assert_true(rights_known(-1).fs == 0);
	for (abi = 1; abi <= RIGHTS_NEWEST_ABI; abi++) {
		assert_true(
		    (rights_known(abi - 1).fs & ~rights_known(abi).fs) == 0);
		assert_true((rights_known(abi - 1).scoped &
				~rights_known(abi).scoped) == 0);
	}
	assert_true((rights_known(1).fs & FS_REFER) == 0);
	assert_true((rights_known(2).fs & FS_REFER) != 0);
	assert_true((rights_known(2).fs & FS_TRUNCATE) == 0);
	assert_true((rights_known(3).fs & FS_TRUNCATE) != 0);
	assert_true((rights_known(4).fs & FS_IOCTL_DEV) == 0);
	assert_true((rights_known(5).fs & FS_IOCTL_DEV) != 0);
	assert_true(rights_known(5).scoped == 0);
	assert_true(rights_known(6).scoped != 0);
	assert_true((rights_known(8).fs & FS_RESOLVE_UNIX) == 0);
	assert_true((rights_known(9).fs & FS_RESOLVE_UNIX) != 0);
	/* A newer kernel is used as the newest we know. */
	assert_true(rights_known(RIGHTS_NEWEST_ABI + 5).fs ==
		    rights_known(RIGHTS_NEWEST_ABI).fs);
}

static void
test_files_take_fewer_rights(void **state)
{
	(void)state;
	assert_true(rights_for_file(FS_READ_DIR | FS_MAKE_REG | FS_REFER) == 0);
	assert_true(rights_for_file(RIGHTS_FULL) ==
		    (FS_EXECUTE | FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE |
			FS_IOCTL_DEV));
}

/* ---- Grants ------------------------------------------------------------- */

struct walked {
	dev_t devices[512];
	ino_t inodes[512];
	size_t count;
	char enumerated[512];
};

static int
note_allowed(void *arg, int fd)
{
	struct walked *walked = arg;
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	assert_true(walked->count < 512);
	walked->devices[walked->count] = st.st_dev;
	walked->inodes[walked->count++] = st.st_ino;
	return 0;
}

static int
note_enumerated(void *arg, const char *dir)
{
	struct walked *walked = arg;

	strncat(walked->enumerated, dir,
	    sizeof(walked->enumerated) - strlen(walked->enumerated) - 1);
	strncat(walked->enumerated, " ",
	    sizeof(walked->enumerated) - strlen(walked->enumerated) - 1);
	return 0;
}

static bool
is_allowed(const struct walked *walked, const char *path)
{
	struct stat st;
	size_t i;

	assert_int_equal(lstat(path, &st), 0);
	for (i = 0; i < walked->count; i++)
		if (walked->devices[i] == st.st_dev &&
		    walked->inodes[i] == st.st_ino)
			return true;
	return false;
}

static void
test_complement_allows_what_is_beside(void **state)
{
	struct walked walked = {.count = 0};
	const char *denied[] = {"/etc", "/usr/bin", "/proc"};
	int root = open("/", O_PATH);

	(void)state;
	assert_int_equal(grants_all_but(root, "/", denied, 3, note_allowed,
			     note_enumerated, &walked),
	    0);
	assert_true(is_allowed(&walked, "/tmp"));
	assert_true(is_allowed(&walked, "/usr/share"));
	assert_false(is_allowed(&walked, "/etc"));
	assert_false(is_allowed(&walked, "/usr/bin"));
	assert_false(is_allowed(&walked, "/usr"));
	assert_false(is_allowed(&walked, "/"));
	assert_non_null(strstr(walked.enumerated, "/ "));
	assert_non_null(strstr(walked.enumerated, "/usr "));
}

static void
test_complement_of_a_deep_place_opens_only_its_way(void **state)
{
	struct walked walked = {.count = 0};
	char data[512];
	const char *denied[1];
	const char *home = scratch_dir();
	int root = open("/", O_PATH);

	(void)state;
	snprintf(data, sizeof(data), "%s/.omega/data", home);
	make_file(text("%s/memory.db", data), "s");
	make_file(text("%s/.omega/workspace/x", home), "x");
	make_link(data, text("%s/link", home));
	denied[0] = data;
	assert_int_equal(grants_all_but(root, "/", denied, 1, note_allowed,
			     note_enumerated, &walked),
	    0);
	assert_true(is_allowed(&walked, text("%s/.omega/workspace", home)));
	assert_false(is_allowed(&walked, text("%s/.omega", home)));
	assert_false(is_allowed(&walked, home));
	assert_false(is_allowed(&walked, data));
	assert_false(is_allowed(&walked, text("%s/link", home)));
}

/* Somebody puts a link in its place, or on the way, meanwhile. */
static void
test_what_is_allowed_is_what_was_opened(void **state)
{
	struct walked walked = {.count = 0};
	const char *home = scratch_dir();
	const char *denied[] = {
	    text("%s/d/way/denied", home), text("%s/d/none", home)};
	int fd;

	(void)state;
	make_file(text("%s/d/in", home), "x");
	make_file(text("%s/other/way/denied", home), "x");
	make_file(text("%s/other/way/open", home), "x");
	make_link(text("%s/other/way", home), text("%s/d/way", home));
	fd = open(text("%s/d", home), O_PATH);
	assert_int_equal(rename(text("%s/d", home), text("%s/e", home)), 0);
	make_link("other", text("%s/d", home));
	assert_int_equal(grants_all_but(fd, text("%s/d", home), NULL, 0,
			     note_allowed, note_enumerated, &walked),
	    0);
	assert_true(is_allowed(&walked, text("%s/e", home)));
	assert_false(is_allowed(&walked, text("%s/other", home)));
	walked.count = 0;
	assert_int_equal(grants_all_but(fd, text("%s/d", home), denied + 1, 1,
			     note_allowed, note_enumerated, &walked),
	    0);
	assert_true(is_allowed(&walked, text("%s/e/in", home)));
	assert_int_equal(walked.count, 1);
	assert_true(grants_all_but(fd, text("%s/d", home), denied, 1,
			note_allowed, note_enumerated, &walked) < 0);
	assert_false(is_allowed(&walked, text("%s/other/way/open", home)));
	close(fd);
}

static void
test_only_places_at_the_top_are_free(void **state)
{
	(void)state;
	assert_true(grants_is_free("/etc"));
	assert_true(grants_is_free("/usr/bin"));
	assert_false(grants_is_free("/home/user"));
	assert_false(grants_is_free("/usr/local/bin"));
	assert_false(grants_is_free("/usrx/bin"));
}

/* ---- Ports, asked of this kernel ------------------------------------------
 */

#define RULE_NET_PORT 2

struct port_rule {
	uint64_t allowed;
	uint64_t port;
};

static int
udp_at(uint16_t *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) != 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &size) != 0)
		return -1;
	*port = ntohs(at.sin_port);
	return fd;
}

/* 0 or errno. */
static int
send_to(uint16_t port)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	at.sin_port = htons(port);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return sendto(fd, "x", 1, 0, (struct sockaddr *)&at, sizeof(at)) == 1
		   ? 0
		   : errno;
}

/* In a child: one port allowed, another not. 0 when that is so. */
static int
try_ports(uint64_t handled, uint16_t allowed, uint16_t other)
{
	const struct calls_ruleset ruleset = {.net = handled};
	const struct port_rule rule = {NET_CONNECT_SEND_UDP, allowed};
	int fd = calls_create(&ruleset, offsetof(struct calls_ruleset, scoped));

	if (send_to(allowed) != 0 || send_to(other) != 0)
		return 1;
	if (fd < 0 || syscall(SYS_ADD_RULE, fd, RULE_NET_PORT, &rule, 0) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    calls_restrict(fd) != 0)
		return 2;
	if (send_to(other) != EACCES)
		return 3;
	return send_to(allowed) == 0 ? 0 : 4;
}

static struct omega_sandbox_state
say_of(int abi, uint32_t which, uint32_t kind, uint32_t access)
{
	struct omega_sandbox_request request = {
	    .size = sizeof(request), .unix_sockets = which};
	struct omega_sandbox_atom atom = {
	    .size = sizeof(atom), .kind = kind, .access = access};
	const struct omega_sandbox_atom *list = &atom;
	struct holds_view view = {.abi = abi,
	    .request = &request,
	    .limited = holds_limited(&list, 1)};
	struct omega_sandbox_state state = {.size = sizeof(state)};

	holds_say(&view, &atom, &state);
	return state;
}

/* Those of everybody, so not where a policy leaves some; and no pipes. */
static void
test_path_sockets_are_held_from_abi_9(void **state)
{
	const uint32_t kind = OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS;
	const uint32_t all = OMEGA_SANDBOX_ATOM_ALL;
	struct omega_sandbox_state said;

	(void)state;
	said = say_of(8, OMEGA_SANDBOX_UNIX_OWN, kind, all);
	assert_int_equal(said.held | said.partial, 0);
	said = say_of(9, OMEGA_SANDBOX_UNIX_OWN, kind, all);
	assert_int_equal(said.held, all);
	said = say_of(9, OMEGA_SANDBOX_UNIX_ALL, kind, all);
	assert_int_equal(said.held | said.partial, 0);
	assert_non_null(strstr(said.why, "unix_sockets = own"));
	said = say_of(
	    9, OMEGA_SANDBOX_UNIX_NONE, kind, all | OMEGA_SANDBOX_ATOM_CREATE);
	assert_int_equal(said.held, all);
	said = say_of(9, OMEGA_SANDBOX_UNIX_OWN,
	    OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS, all);
	assert_int_equal(said.held, 0);
	assert_int_equal(said.partial, all);
}

static void
test_udp_ports_are_held_from_abi_10(void **state)
{
	uint16_t ports[2] = {0, 0};
	int status = -1;
	int fds[2];
	pid_t pid;

	(void)state;
	assert_true(rights_known(3).net == 0);
	assert_true(rights_known(4).net == (NET_BIND_TCP | NET_CONNECT_TCP));
	assert_true((rights_known(9).net & NET_CONNECT_SEND_UDP) == 0);
	if ((rights_known(calls_abi()).net & NET_CONNECT_SEND_UDP) == 0)
		skip_because(
		    "UDP ports need ABI 10; this kernel has %d", calls_abi());
	fds[0] = udp_at(&ports[0]);
	fds[1] = udp_at(&ports[1]);
	if (fds[0] < 0 || fds[1] < 0)
		skip_because("no UDP on the loopback device");
	pid = fork();
	if (pid == 0)
		_exit(try_ports(NET_CONNECT_SEND_UDP, ports[0], ports[1]));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(status, 0);
}

/* ---- The plugin --------------------------------------------------------- */

static int64_t is_complement;

static int64_t
fake_option_int(const struct omega_sandbox_host *host, const char *name)
{
	(void)host;
	assert_string_equal(name, "complement");
	return is_complement;
}

static const struct omega_sandbox_host fake_host = {
    .size = sizeof(struct omega_sandbox_host),
    .option_int = fake_option_int,
};

static struct omega_sandbox_state
ask(uint32_t kind, uint32_t access, uint32_t flags, const char *path)
{
	struct omega_sandbox_request request = {.size = sizeof(request)};
	struct omega_sandbox_atom atom = {.size = sizeof(atom),
	    .kind = kind,
	    .access = access,
	    .flags = flags,
	    .path = path,
	    .fd = -1};
	struct omega_sandbox_state answer = {.size = sizeof(answer)};
	const struct omega_sandbox_atom *const atoms[] = {&atom};
	struct omega_sandbox_state *const states[] = {&answer};

	assert_int_equal(omega_sandbox_plugin.describe(
			     &fake_host, &request, atoms, 1, states),
	    0);
	return answer;
}

static void
need_landlock(void)
{
	struct omega_sandbox_probe probe = {.size = sizeof(probe)};

	assert_int_equal(omega_sandbox_plugin.probe(&fake_host, &probe), 0);
	if (!probe.is_usable)
		skip_because("no Landlock: %s", probe.reason);
}

static void
test_places_in_a_home_are_not_promised_without_complement(void **state)
{
	const uint32_t read = OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST;
	struct omega_sandbox_state answer;

	(void)state;
	need_landlock();
	is_complement = 0;
	answer = ask(OMEGA_SANDBOX_ATOM_PATH, read, 0, "/home/u/.omega/data");
	assert_int_equal(answer.held | answer.partial, 0);
	assert_non_null(strstr(answer.why, "complement"));
	answer = ask(OMEGA_SANDBOX_ATOM_PATH, read, 0, "/srv");
	assert_int_equal(answer.held, read);
	is_complement = 1;
	answer = ask(OMEGA_SANDBOX_ATOM_PATH, read, 0, "/home/u/.omega/data");
	assert_int_equal(answer.held, read);
	answer = ask(OMEGA_SANDBOX_ATOM_PATH, read, OMEGA_SANDBOX_ATOM_ABSENT,
	    "/home/u/.omega/config.toml");
	assert_int_equal(answer.held, read);
	is_complement = 0;
}

static void
test_metadata_and_unknown_kinds_are_not_promised(void **state)
{
	(void)state;
	need_landlock();
	assert_int_equal(ask(OMEGA_SANDBOX_ATOM_METADATA,
			     OMEGA_SANDBOX_ATOM_CHANGE, 0, "/etc")
			     .held,
	    0);
	assert_int_equal(ask(9999, OMEGA_SANDBOX_ATOM_ALL, 0, NULL).held, 0);
	assert_int_equal(ask(OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE,
			     OMEGA_SANDBOX_ATOM_ALL, 0, NULL)
			     .held,
	    OMEGA_SANDBOX_ATOM_ALL);
}

/* prlimit is a way to a signal that the kernel's scope does not see. */
static void
test_signals_alone_are_not_all_of_the_promise(void **state)
{
	const uint32_t access =
	    OMEGA_SANDBOX_ATOM_ALL | OMEGA_SANDBOX_ATOM_CHANGE;
	struct omega_sandbox_state answer;

	(void)state;
	need_landlock();
	answer = ask(OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS, access, 0, NULL);
	assert_int_equal(answer.held & OMEGA_SANDBOX_ATOM_CHANGE, 0);
	assert_true(answer.why[0] != '\0');
}

/* Nobody asks Landlock about most capabilities: so they are given up, for
 * good, but for those about files and the like: 0, 1, 3 to 7. */
static void
test_capabilities_are_given_up(void **state)
{
	int status = 0;
	pid_t pid;

	(void)state;
	assert_int_equal(capabilities_are_many(), geteuid() == 0);
	pid = fork();
	if (pid == 0) {
		if (capabilities_give_up(NULL) != 0 || capabilities_are_many())
			_exit(1);
		execl("/bin/sh", "sh", "-c",
		    "while read -r key set; do case $key in CapInh: | CapPrm: "
		    "| CapEff: | CapAmb:) test $((0x$set & ~0xfb)) = 0 || exit "
		    "3;; CapBnd:) test $(id -u) != 0 || "
		    "test $((0x$set & ~0xfb)) = 0 || exit 4;; esac; done "
		    "</proc/self/status",
		    (char *)NULL);
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* The command itself is untouched: no words before it, one step in front. */
static void
test_command_structure(void **state)
{
	struct omega_sandbox_request request = {.size = sizeof(request)};
	struct omega_sandbox_atom atom = {.size = sizeof(atom),
	    .kind = OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE,
	    .access = OMEGA_SANDBOX_ATOM_ALL,
	    .fd = -1};
	const struct omega_sandbox_atom *const atoms[] = {&atom};
	struct omega_launch *launch = omega_launch_new();
	struct omega_launch_builder builder;

	(void)state;
	need_landlock();
	omega_launch_builder_begin(&builder, launch, "landlock", false);
	assert_int_equal(omega_sandbox_plugin.apply(
			     &fake_host, &request, atoms, 1, &builder.public),
	    0);
	assert_int_equal(
	    omega_launch_builder_held(&builder, &atom), OMEGA_SANDBOX_ATOM_ALL);
	omega_launch_builder_end(&builder);
	omega_launch_finish(launch);
	assert_int_equal(launch->word_count, 0);
	/* Root gives up capabilities, in a second step. */
	assert_int_equal(launch->step_count, 1 + capabilities_are_many());
	assert_int_equal(launch->steps[0].phase, OMEGA_SANDBOX_PHASE_RESTRICT);
	if (capabilities_are_many())
		assert_int_equal(launch->steps[1].phase, CAPABILITIES_PHASE);
	assert_false(omega_launch_needs_own_memory(launch));
	omega_launch_unref(launch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_path_sockets_are_held_from_abi_9),
	    cmocka_unit_test(test_udp_ports_are_held_from_abi_10),
	    cmocka_unit_test(test_read_access_flags),
	    cmocka_unit_test(test_full_access_contains_writes),
	    cmocka_unit_test(test_refer_only_blocks_reads_and_writes),
	    cmocka_unit_test(test_every_abi_knows_what_the_one_before_knew),
	    cmocka_unit_test(test_files_take_fewer_rights),
	    cmocka_unit_test(test_complement_allows_what_is_beside),
	    cmocka_unit_test(
		test_complement_of_a_deep_place_opens_only_its_way),
	    cmocka_unit_test(test_what_is_allowed_is_what_was_opened),
	    cmocka_unit_test(test_only_places_at_the_top_are_free),
	    cmocka_unit_test(
		test_places_in_a_home_are_not_promised_without_complement),
	    cmocka_unit_test(test_metadata_and_unknown_kinds_are_not_promised),
	    cmocka_unit_test(test_signals_alone_are_not_all_of_the_promise),
	    cmocka_unit_test(test_capabilities_are_given_up),
	    cmocka_unit_test(test_command_structure),
	};

	return run_all(tests);
}
