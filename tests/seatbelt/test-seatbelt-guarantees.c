/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-seatbelt-guarantees.c - for every guarantee the README lists, questions
 * to the profile that is to hold it: what must be refused, and what must go on
 * as usual. The README has their numbers, which depend on nothing but this
 * file; and no rule of a profile can be left out unnoticed.
 */

#include "harness.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

#define HOME "/Users/u"
#define DIR HOME "/.omega"
#define DATA DIR "/data"
#define CONFIG DIR "/config.toml"
#define ALL OMEGA_SANDBOX_ATOM_ALL

/* ---- Policies -------------------------------------------------------------
 */

static void
make_default(struct judge_case *one)
{
	judge_add_default(one, DATA, CONFIG);
	texts_add(&one->sockets, "/Users/u/run/own.sock");
}

/* What can be read, changed and run by lists, with a deny among it. */
static void
make_lists(struct judge_case *one)
{
	make_default(one);
	judge_add(one, OMEGA_SANDBOX_ATOM_ELSEWHERE, JUDGE_READ, 0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_ELSEWHERE, JUDGE_CHANGE, 0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_METADATA, OMEGA_SANDBOX_ATOM_CHANGE,
	    0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_EXECUTE, ALL, 0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_PATH, JUDGE_READ, 0, HOME "/w/hid");
	judge_grant(one, JUDGE_READ | JUDGE_CHANGE, HOME);
	judge_grant(one, JUDGE_READ | OMEGA_SANDBOX_ATOM_RUN, "/usr");
}

/* The default, and something that may be written but not read. */
static void
make_hidden(struct judge_case *one)
{
	make_default(one);
	judge_add(one, OMEGA_SANDBOX_ATOM_PATH, JUDGE_READ, 0, HOME "/w/hid");
	judge_add(one, OMEGA_SANDBOX_ATOM_FORK, ALL, 0, NULL);
}

static void
make_network_denied(struct judge_case *one)
{
	make_default(one);
	judge_add(one, OMEGA_SANDBOX_ATOM_NETWORK, ALL, 0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_FAMILIES, ALL, 0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_PATH_SOCKETS, ALL, 0, NULL);
}

static const char *const some_sockets[] = {"/Users/u/run/own.sock", NULL};

static void
make_network_but_a_socket(struct judge_case *one)
{
	make_network_denied(one);
	one->request.allow_sockets = some_sockets;
}

static void
make_unix_only(struct judge_case *one)
{
	make_default(one);
	judge_add(one, OMEGA_SANDBOX_ATOM_NETWORK,
	    ALL | OMEGA_SANDBOX_ATOM_CREATE, 0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_FAMILIES, ALL, 0, NULL);
}

static const uint16_t some_ports[] = {80, 443};
static const uint16_t one_port[] = {8080};

static void
make_ports(struct judge_case *one)
{
	make_default(one);
	judge_add(one, OMEGA_SANDBOX_ATOM_CONNECT,
	    ALL | OMEGA_SANDBOX_ATOM_CREATE, 0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_BIND, ALL | OMEGA_SANDBOX_ATOM_CREATE,
	    0, NULL);
	judge_add(one, OMEGA_SANDBOX_ATOM_LISTEN, ALL, 0, NULL);
	one->request.connect = (struct omega_sandbox_ports){some_ports, 2};
	one->request.bind = (struct omega_sandbox_ports){one_port, 1};
}

/* Ports of UDP alone; TCP is as usual. */
static void
make_udp_ports(struct judge_case *one)
{
	make_default(one);
	judge_add(one, OMEGA_SANDBOX_ATOM_CONNECT_UDP,
	    ALL | OMEGA_SANDBOX_ATOM_CREATE, 0, NULL);
	one->request.connect_udp = (struct omega_sandbox_ports){some_ports, 2};
}

/* ---- Questions ------------------------------------------------------------
 */

/* A question; paths and operations may be lists, separated by blanks, and then
 * each is put with each. */
struct row {
	char expected; /* y or n */
	const char *operations;
	const char *paths;
	struct sbpl_question rest;
};

#define READS                                                \
	"file-read-data file-read-metadata file-read-xattr " \
	"file-map-executable process-exec file-clone"
#define CHANGES                                                \
	"file-write-data file-write-create file-write-unlink " \
	"file-write-mode file-write-owner file-write-flags "   \
	"file-write-times file-write-xattr file-write-acl "    \
	"file-write-setugid file-link file-mount"
#define META                                                 \
	"file-write-mode file-write-owner file-write-flags " \
	"file-write-times file-write-xattr file-write-acl "  \
	"file-write-setugid"
#define NONE "-"

static const struct row data_rows[] = {
    {'n', READS " " CHANGES, DATA " " DATA "/memory.db " DATA "/a/b " CONFIG,
	{0}},
    {'n', "file-write-unlink file-clone file-mount", "/Users " HOME " " DIR,
	{0}},
    {'n', "file-write-create", "/Users " HOME " " DIR, {.type = "SYMLINK"}},
    {'n', "network-outbound", DATA "/s " CONFIG, {.protocol = "unix"}},
    {'y',
	"file-read-data file-read-metadata file-write-data "
	"file-write-create file-write-unlink file-write-mode file-link "
	"file-clone process-exec",
	DIR "/workspace/x " DIR "/database " CONFIG ".bak " HOME "/x "
	    "/private/tmp/x /usr/local/bin/x",
	{0}},
    {'y', "file-read-data file-write-mode file-write-create", HOME " " DIR,
	{0}},
};

static const struct row system_rows[] = {
    {'n', CHANGES,
	"/System /System/x /bin /bin/ls /sbin/x /usr/bin/x /usr/sbin/x "
	"/usr/lib/x /usr/libexec/x /private/etc /private/etc/hosts /etc/hosts "
	"/Library /Library/x /dev/disk0 /dev/rdisk0",
	{0}},
    {'y', "file-read-data process-exec", "/bin/ls /usr/bin/x /System/x", {0}},
    {'y', "file-write-data file-read-data",
	"/dev/null /dev/zero /dev/random /dev/urandom /dev/tty /dev/ptmx "
	"/dev/ttys000 /dev/fd/3",
	{0}},
    {'y', CHANGES, "/usr/local/x /binaries/x /Systems/x /opt/x", {0}},
};

static const struct row trace_rows[] = {
    {'n', "mach-priv-task-port", NONE, {.target = "others"}},
    {'y', "mach-priv-task-port", NONE, {.target = "same-sandbox"}},
    {'y', "mach-priv-task-port", NONE, {.target = "self"}},
};

static const struct row launch_rows[] = {
    {'n', "lsopen appleevent-send job-creation", NONE, {0}},
    {'n', "mach-lookup", NONE,
	{.name = "com.apple.coreservices.launchservicesd"}},
    {'n', "network-outbound",
	"/var/run/docker.sock /private/var/run/docker.sock " HOME
	"/.docker/run/docker.sock " HOME "/.docker/desktop/docker.sock " HOME
	"/.colima/default/docker.sock " HOME "/.orbstack/run/docker.sock " HOME
	"/.rd/docker.sock " HOME "/.lima/default/sock/docker.sock "
	"/private/var/folders/x/T/podman/podman-machine-default-api.sock "
	"/run/containerd/containerd.sock /private/tmp/tmux-501/default " HOME
	"/.screen/1.tty " HOME "/.emacs.d/server/server "
	"/private/var/folders/x/T/emacs501/server /Users/u/run/own.sock",
	{.protocol = "unix"}},
    {'y', "network-outbound",
	"/private/var/run/mDNSResponder " HOME "/x.sock /private/tmp/x/s",
	{.protocol = "unix"}},
    {'y', "network-outbound network-bind network-inbound", NONE,
	{.protocol = "tcp", .port = 443}},
    {'y', "mach-lookup", NONE, {.name = "com.apple.logd"}},
};

static const struct row signal_rows[] = {
    {'n', "signal", NONE, {.target = "others"}},
    {'y', "signal", NONE, {.target = "same-sandbox"}},
    {'y', "signal", NONE, {.target = "self"}},
};

static const struct row terminal_rows[] = {
    {'n', "file-ioctl", "/dev/tty /dev/ttys000", {.name = "TIOCSTI"}},
    {'y', "file-ioctl", "/dev/tty /dev/ttys000", {.name = "TIOCGETA"}},
    {'y', "file-ioctl", "/dev/tty /dev/ttys000", {.name = "TIOCSETA"}},
};

static const struct row key_rows[] = {
    {'n', "mach-lookup", NONE, {.name = "com.apple.SecurityServer"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.securityd"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.securityd.xpc"}},
    {'y', "mach-lookup", NONE, {.name = "com.apple.trustd.agent"}},
};

static const struct row list_rows[] = {
    {'n', READS " " CHANGES, DATA " " DATA "/memory.db " CONFIG, {0}},
    {'n', "file-read-data file-read-xattr file-map-executable",
	"/opt/x /private/etc/hosts /private/tmp/x /Users/v/x", {0}},
    {'n', CHANGES, "/opt/x /private/tmp/x /Users/v/x /usr/bin/x /usr/local/x",
	{0}},
    {'n', "process-exec", HOME "/x /opt/x " HOME "/w/hid", {0}},
    {'n', "file-write-unlink file-clone file-mount", "/Users " HOME " " DIR,
	{0}},
    {'n', "file-write-create", HOME " " DIR, {.type = "SYMLINK"}},
    {'n',
	"file-read-data file-read-metadata file-clone file-link "
	"file-write-unlink " META,
	HOME "/w/hid " HOME "/w/hid/x", {0}},
    {'y', "file-write-data file-write-create", HOME "/w/hid " HOME "/w/hid/x",
	{0}},
    {'y',
	"file-read-data file-write-data file-write-create file-write-unlink "
	"file-link file-clone " META,
	HOME "/x " DIR "/workspace/x", {0}},
    {'y', "file-write-create file-write-mode", HOME " " DIR, {0}},
    {'y', "file-read-data file-map-executable process-exec",
	"/usr/bin/x /usr/lib/x", {0}},
    {'y', "file-read-metadata", "/opt/x /private /Users/v", {0}},
    {'y', "file-read-data", "/ /dev/null /dev/urandom", {0}},
    {'y', "file-write-data", "/dev/null /dev/tty /dev/ttys001", {0}},
    {'n', "file-write-data", "/dev/disk0", {0}},
    {'n', "file-ioctl", "/dev/tty", {.name = "TIOCSTI"}},
    {'y', "file-ioctl", "/dev/tty", {.name = "TIOCGETA"}},
    {'n', "signal mach-priv-task-port", NONE, {.target = "others"}},
    {'y', "signal mach-priv-task-port process-info-pidinfo mach-task-name",
	NONE, {.target = "self"}},
    {'n', "lsopen appleevent-send job-creation", NONE, {0}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.SecurityServer"}},
    {'y', "mach-lookup", NONE, {.name = "com.apple.logd"}},
    {'y',
	"process-fork sysctl-read ipc-posix-sem ipc-sysv-shm iokit-open "
	"iokit-get-properties mach-register pseudo-tty user-preference-read",
	NONE, {0}},
    {'y', "network-outbound network-inbound network-bind", NONE,
	{.protocol = "tcp", .port = 443}},
    {'n', "network-outbound", "/private/var/run/docker.sock",
	{.protocol = "unix"}},
    {'y', "system-socket", NONE, {.name = "AF_ROUTE"}},
};

static const struct row hidden_rows[] = {
    {'n', READS " file-write-unlink file-link " META,
	HOME "/w/hid " HOME "/w/hid/x", {0}},
    {'y', "file-write-data file-write-create", HOME "/w/hid " HOME "/w/hid/x",
	{0}},
    {'n', "file-write-unlink", HOME "/w", {0}},
};

static const struct row fork_rows[] = {
    {'n', "process-fork", NONE, {0}},
    {'y', "process-exec", "/usr/bin/x", {0}},
};

#define INTERNET "network-outbound network-inbound network-bind"

static const struct row denied_rows[] = {
    {'n', INTERNET, NONE, {.protocol = "tcp", .port = 443}},
    {'n', INTERNET, NONE, {.protocol = "udp", .port = 53}},
    {'n', "network-outbound", "/private/var/run/mDNSResponder " HOME "/x.sock",
	{.protocol = "unix"}},
    {'n', "system-socket", NONE, {.name = "AF_ROUTE"}},
    {'n', "system-socket", NONE, {.name = "AF_SYSTEM"}},
    {'n', "system-socket", NONE, {.name = "AF_VSOCK"}},
    {'y', "system-socket", NONE, {.name = "AF_UNIX"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.nsurlsessiond"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.dnssd.service"}},
    {'n', "mach-lookup", NONE, {.name = "com.apple.trustd"}},
};

static const struct row but_socket_rows[] = {
    {'n', INTERNET, NONE, {.protocol = "tcp", .port = 443}},
    {'n', "network-outbound", "/private/var/run/mDNSResponder " HOME "/x.sock",
	{.protocol = "unix"}},
    {'y', "network-outbound", "/Users/u/run/own.sock", {.protocol = "unix"}},
    {'n', "system-socket", NONE, {.name = "AF_ROUTE"}},
};

static const struct row unix_rows[] = {
    {'n', INTERNET, NONE, {.protocol = "tcp", .port = 443}},
    {'n', INTERNET, NONE, {.protocol = "udp", .port = 53}},
    {'n', "network-outbound", "/private/var/run/mDNSResponder",
	{.protocol = "unix"}},
    {'y', "network-outbound network-bind", HOME "/x.sock",
	{.protocol = "unix"}},
    {'n', "system-socket", NONE, {.name = "AF_INET"}},
    {'n', "system-socket", NONE, {.name = "AF_INET6"}},
    {'n', "system-socket", NONE, {.name = "AF_ROUTE"}},
    {'y', "system-socket", NONE, {.name = "AF_UNIX"}},
};

static const struct row port_rows[] = {
    {'y', "network-outbound", NONE, {.protocol = "tcp", .port = 443}},
    {'y', "network-outbound", NONE, {.protocol = "tcp", .port = 80}},
    {'n', "network-outbound", NONE, {.protocol = "tcp", .port = 22}},
    {'n', "network-outbound", NONE, {.protocol = "udp", .port = 443}},
    {'n', "network-outbound", NONE, {.protocol = "icmp"}},
    {'y', "network-bind network-inbound", NONE,
	{.protocol = "tcp", .port = 8080}},
    {'n', "network-bind network-inbound", NONE,
	{.protocol = "tcp", .port = 443}},
    {'n', "network-bind network-inbound", NONE, {.protocol = "tcp"}},
    {'n', "network-bind network-inbound", NONE,
	{.protocol = "udp", .port = 8080}},
    {'y', "network-outbound", HOME "/x.sock", {.protocol = "unix"}},
};

static const struct row udp_rows[] = {
    {'y', INTERNET, NONE, {.protocol = "tcp", .port = 22}},
    {'y', "network-outbound", NONE, {.protocol = "udp", .port = 443}},
    {'n', "network-outbound", NONE, {.protocol = "udp", .port = 53}},
    {'y', "network-bind", NONE, {.protocol = "udp", .port = 53}},
    {'n', INTERNET, NONE, {.protocol = "icmp"}},
};

#define ROWS(rows) rows, sizeof(rows) / sizeof(rows[0])

/* What is asked of which policy, and the line of the README about it. */
static const struct part {
	const char *line;
	void (*make)(struct judge_case *one);
	const struct row *rows;
	size_t count;
} parts[] = {
    {"the agent's data and configuration cannot be read, listed, changed, "
     "moved",
	make_default, ROWS(data_rows)},
    {"the system directories cannot be changed, metadata included",
	make_default, ROWS(system_rows)},
    {"processes outside cannot be traced", make_default, ROWS(trace_rows)},
    {"nothing outside is started on request", make_default, ROWS(launch_rows)},
    {"processes outside get no signals", make_default, ROWS(signal_rows)},
    {"nothing is typed into the caller's terminal", make_default,
	ROWS(terminal_rows)},
    {"the caller's keys cannot be used", make_default, ROWS(key_rows)},
    {"lists: nothing but what they have is read, changed, run", make_lists,
	ROWS(list_rows)},
    {"single places denied for reading or writing", make_hidden,
	ROWS(hidden_rows)},
    {"no other process is started", make_hidden, ROWS(fork_rows)},
    {"no network, or UNIX sockets only", make_network_denied,
	ROWS(denied_rows)},
    {"no network, or UNIX sockets only", make_network_but_a_socket,
	ROWS(but_socket_rows)},
    {"no network, or UNIX sockets only", make_unix_only, ROWS(unix_rows)},
    {"ports", make_ports, ROWS(port_rows)},
    {"ports", make_udp_ports, ROWS(udp_rows)},
};

#define PART_COUNT (sizeof(parts) / sizeof(parts[0]))

/* ---- Asking ---------------------------------------------------------------
 */

/* The word at *list, which goes on to the next; NULL behind the last. */
static const char *
next_word(const char **list, char *word, size_t size)
{
	size_t len = strcspn(*list, " ");

	if (len == 0)
		return NULL;
	if (len >= size)
		fail_msg("a word is too long");
	memcpy(word, *list, len);
	word[len] = '\0';
	*list += len;
	*list += strspn(*list, " ");
	return word;
}

/* What came of questions. */
struct answers {
	unsigned wrong;
	uint64_t all; /* a number that tells them from others */
	bool is_told;
};

static void
ask_row(struct judge *judge, const struct row *row, struct answers *answers)
{
	const char *operations = row->operations;
	char operation[64];
	char path[PATH_MAX];

	while (next_word(&operations, operation, sizeof(operation)) != NULL) {
		const char *paths = row->paths;

		while (next_word(&paths, path, sizeof(path)) != NULL) {
			struct sbpl_question question = row->rest;
			enum sbpl_answer answer;

			question.operation = operation;
			if (strcmp(path, NONE) != 0)
				question.path = path;
			answer = sbpl_ask(judge->sbpl, &question);
			answers->all =
			    (answers->all ^ (uint64_t)answer) * 1099511628211u;
			if (answer ==
			    (row->expected == 'y' ? SBPL_ALLOWED : SBPL_DENIED))
				continue;
			answers->wrong++;
			if (answers->is_told)
				printf("# %s %s: %d\n", operation, path,
				    (int)answer);
		}
	}
}

static void
ask_part(struct judge *judge, const struct part *part, struct answers *answers)
{
	size_t i;

	for (i = 0; i < part->count; i++)
		ask_row(judge, &part->rows[i], answers);
}

/* All that is asked of a policy; the default one is asked of all that allow by
 * default. */
static uint64_t
ask_all(struct judge *judge, const struct part *part)
{
	struct answers answers = {.wrong = 0};
	size_t i;

	for (i = 0; i < PART_COUNT; i++)
		if (parts[i].make == part->make ||
		    (parts[i].make == make_default &&
			sbpl_allows_by_default(judge->sbpl)))
			ask_part(judge, &parts[i], &answers);
	return answers.all;
}

static void
open_part(struct judge *judge, struct judge_case *one, const struct part *part)
{
	memset(one, 0, sizeof(*one));
	part->make(one);
	if (!judge_case_open(judge, one))
		fail_msg("%s\n%s", judge->error,
		    judge->profile.text == NULL ? "" : judge->profile.text);
}

static void
close_part(struct judge *judge, struct judge_case *one)
{
	judge_close(judge);
	texts_drop(&one->sockets);
}

/* Questions to all parts with the same line. */
static unsigned
count_line(const char *line)
{
	unsigned count = 0;
	size_t i;

	for (i = 0; i < PART_COUNT; i++)
		if (strcmp(parts[i].line, line) == 0) {
			struct answers answers = {.wrong = 0};
			struct judge_case one;
			struct judge judge;

			open_part(&judge, &one, &parts[i]);
			ask_part(&judge, &parts[i], &answers);
			count += sbpl_asked(judge.sbpl);
			close_part(&judge, &one);
		}
	return count;
}

static void
test_profiles_hold_every_guarantee(void **state)
{
	struct answers answers = {.is_told = true};
	size_t i;
	int j;

	(void)state;
	for (i = 0; i < PART_COUNT; i++) {
		struct judge_case one;
		struct judge judge;

		open_part(&judge, &one, &parts[i]);
		/* In whatever order the rules stand. */
		for (j = 0; j < 2; j++) {
			ask_part(&judge, &parts[i], &answers);
			sbpl_reverse(judge.sbpl);
		}
		printf("# %s: %u questions\n", parts[i].line,
		    sbpl_asked(judge.sbpl) / 2);
		close_part(&judge, &one);
	}
	assert_int_equal(answers.wrong, 0);
}

/* With each rule left out in turn some answer is another. */
static void
test_no_rule_can_be_left_out(void **state)
{
	unsigned missed = 0;
	unsigned rules = 0;
	size_t i;
	size_t j;

	(void)state;
	for (i = 0; i < PART_COUNT; i++) {
		struct judge_case one;
		struct judge judge;
		uint64_t before;

		if (i > 0 && parts[i].make == parts[i - 1].make)
			continue;
		open_part(&judge, &one, &parts[i]);
		before = ask_all(&judge, &parts[i]);
		for (j = 0; j < sbpl_rule_count(judge.sbpl); j++) {
			sbpl_leave_out(judge.sbpl, j);
			rules++;
			if (ask_all(&judge, &parts[i]) != before)
				continue;
			missed++;
			printf("# not missed: %s\n",
			    sbpl_rule_text(judge.sbpl, j));
		}
		close_part(&judge, &one);
	}
	printf("# %u rules left out, %u not noticed\n", rules, missed);
	assert_int_equal(missed, 0);
}

static void
test_the_readme_has_the_numbers(void **state)
{
	const char *top = getenv("top_srcdir");
	char *readme = NULL;
	size_t size = 0;
	size_t i;
	FILE *file;

	(void)state;
	file = fopen(text("%s/README.md", top == NULL ? "." : top), "r");
	if (file == NULL)
		skip_because("there is no README.md");
	if (getdelim(&readme, &size, '\0', file) < 0)
		fail_msg("README.md is empty");
	fclose(file);
	for (i = 0; i < PART_COUNT; i++) {
		const char *line =
		    strstr(readme, text("| %s |", parts[i].line));
		const char *cell =
		    text("modelled, %u questions", count_line(parts[i].line));
		size_t len;

		if (line == NULL)
			fail_msg("no line: %s", parts[i].line);
		len = strcspn(line, "\n");
		if (memmem(line, len, cell, strlen(cell)) == NULL)
			fail_msg("%s: not \"%s\"", parts[i].line, cell);
	}
	free(readme);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_profiles_hold_every_guarantee),
    cmocka_unit_test(test_no_rule_can_be_left_out),
    cmocka_unit_test(test_the_readme_has_the_numbers),
};

int
main(void)
{
	return run_all(tests);
}
