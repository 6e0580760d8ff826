/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-seccomp-atoms.c - what the seccomp backend says that it holds, and
 * which groups of calls it then refuses.
 */

#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <omega/sandbox-plugin.h>

#include "failing.h"
#include "seccomp/filter.h"
#include "seccomp/sockets.h"

#define ALL OMEGA_SANDBOX_ATOM_ALL
#define AROUND OMEGA_SANDBOX_ATOM_CREATE
#define BOTH (ALL | AROUND)

static int may_listen = 1;

static int64_t
say_option(const struct omega_sandbox_host *host, const char *name)
{
	(void)host;
	assert_string_equal(name, "listen");
	return may_listen;
}

static const struct omega_sandbox_host host = {
    .size = sizeof(host), .option_int = say_option};

static const uint16_t some_ports[] = {443, 8080};

/* A list of a policy: '.' not given, '0' empty, '+' with ports. */
static struct omega_sandbox_ports
ports_of(char sign)
{
	struct omega_sandbox_ports ports = {NULL, 0};

	if (sign == '+')
		ports = (struct omega_sandbox_ports){some_ports, 2};
	return ports;
}

struct question {
	struct omega_sandbox_request request;
	struct omega_sandbox_atom atoms[5];
	const struct omega_sandbox_atom *list[5];
	struct omega_sandbox_state states[5];
	struct omega_sandbox_state *answers[5];
	size_t count;
};

static void
add(struct question *q, uint32_t kind, uint32_t access)
{
	q->atoms[q->count] = (struct omega_sandbox_atom){
	    .size = sizeof(q->atoms[0]), .kind = kind, .access = access};
	q->list[q->count] = &q->atoms[q->count];
	q->states[q->count] =
	    (struct omega_sandbox_state){.size = sizeof(q->states[0])};
	q->answers[q->count] = &q->states[q->count];
	q->count++;
}

static void
describe(struct question *q)
{
	assert_int_equal(omega_sandbox_plugin.describe(
			     &host, &q->request, q->list, q->count, q->answers),
	    0);
}

/* Signs for connect, bind, connect_udp, bind_udp, as rule-atoms.c makes them.
 */
static void
ask(struct question *q, const char *signs)
{
	uint32_t i;

	*q = (struct question){.request = {.size = sizeof(q->request)}};
	q->request.connect = ports_of(signs[0]);
	q->request.bind = ports_of(signs[1]);
	q->request.connect_udp = ports_of(signs[2]);
	q->request.bind_udp = ports_of(signs[3]);
	for (i = 0; i < 4; i++)
		if (signs[i] != '.')
			add(q, OMEGA_SANDBOX_ATOM_CONNECT + i, BOTH);
	if (signs[1] != '.')
		add(q, OMEGA_SANDBOX_ATOM_LISTEN, ALL);
	describe(q);
}

/* The groups when it gets exactly what it offered. */
static unsigned
groups_of(struct question *q)
{
	const struct omega_sandbox_atom *assigned[5];
	struct sockets_view view;
	size_t count = 0;
	size_t i;

	for (i = 0; i < q->count; i++) {
		q->atoms[i].access = q->states[i].held;
		if (q->states[i].held != 0)
			assigned[count++] = &q->atoms[i];
	}
	sockets_look(&q->request, assigned, count, !may_listen, &view);
	return sockets_groups(&view, assigned, count);
}

#define PORTS (FILTER_FAMILIES | FILTER_PROTOCOLS)
#define UNIX_ONLY (FILTER_FAMILIES | FILTER_INTERNET)

static const struct {
	const char *signs;
	uint32_t held[5]; /* by atom: the lists given, then LISTEN */
	unsigned groups;
} rows[] = {
    {"....", {0}, 0},
    {"+...", {AROUND}, PORTS | FILTER_FAST_OPEN | FILTER_UDP},
    {"0...", {AROUND}, PORTS | FILTER_FAST_OPEN | FILTER_UDP},
    {".+..", {AROUND, 0}, PORTS | FILTER_UDP},
    {".0..", {AROUND, 0}, PORTS | FILTER_UDP},
    {"++..", {AROUND, AROUND, 0}, PORTS | FILTER_FAST_OPEN | FILTER_UDP},
    {"+0..", {AROUND, AROUND, 0}, PORTS | FILTER_FAST_OPEN | FILTER_UDP},
    {"0+..", {AROUND, AROUND, 0}, PORTS | FILTER_FAST_OPEN | FILTER_UDP},
    /* No port at all: no socket is left. */
    {"00..", {BOTH, BOTH, ALL}, UNIX_ONLY},
    {"0000", {BOTH, BOTH, BOTH, BOTH, ALL}, UNIX_ONLY},
    /* With a rule for UDP as well it is let through for landlock. */
    {"+.+.", {AROUND, AROUND}, PORTS | FILTER_FAST_OPEN},
    {"+++.", {AROUND, AROUND, AROUND, 0},
	PORTS | FILTER_FAST_OPEN | FILTER_UDP},
    {"++++", {AROUND, AROUND, AROUND, AROUND, 0}, PORTS | FILTER_FAST_OPEN},
    {"00++", {BOTH, BOTH, AROUND, AROUND, ALL}, PORTS | FILTER_TCP},
    {"..+.", {AROUND}, PORTS},
    {"...+", {AROUND}, PORTS},
    {"...0", {AROUND}, PORTS},
    {"..0.", {BOTH}, PORTS | FILTER_UDP},
    {"..00", {BOTH, BOTH}, PORTS | FILTER_UDP},
    {"..0+", {AROUND, AROUND}, PORTS},
    {"+.0.", {AROUND, BOTH}, PORTS | FILTER_FAST_OPEN | FILTER_UDP},
};

static void
test_lists_of_ports(void **state)
{
	size_t i;
	size_t j;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct question q;
		unsigned groups;

		ask(&q, rows[i].signs);
		for (j = 0; j < q.count; j++)
			if (q.states[j].held != rows[i].held[j] ||
			    (q.states[j].held != q.atoms[j].access &&
				q.states[j].why[0] == '\0'))
				fail_msg("%s, atom %zu: %x, '%s'",
				    rows[i].signs, j, q.states[j].held,
				    q.states[j].why);
		groups = groups_of(&q);
		if (groups != rows[i].groups)
			fail_msg("%s: groups %x", rows[i].signs, groups);
	}
}

/* The administrator's word about listen(2). */
static void
test_listen_is_the_administrators(void **state)
{
	struct question q;

	(void)state;
	may_listen = 0;
	ask(&q, ".0..");
	assert_int_equal(q.states[1].held, ALL);
	assert_int_equal(groups_of(&q), PORTS | FILTER_UDP | FILTER_LISTEN);
	/* It is needed for a port that can be bound. */
	ask(&q, ".+..");
	assert_int_equal(q.states[1].held, 0);
	assert_non_null(strstr(q.states[1].why, "is needed"));
	/* There is nothing to listen on. */
	ask(&q, "00..");
	assert_int_equal(groups_of(&q), UNIX_ONLY);
	may_listen = 1;
	ask(&q, ".0..");
	assert_non_null(strstr(q.states[1].why, "listen = false"));
}

static void
test_networks(void **state)
{
	struct question q = {.request = {.size = sizeof(q.request)}};

	(void)state;
	add(&q, OMEGA_SANDBOX_ATOM_NETWORK, BOTH);
	add(&q, OMEGA_SANDBOX_ATOM_FAMILIES, ALL);
	add(&q, OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS, ALL);
	add(&q, OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS, ALL);
	add(&q, OMEGA_SANDBOX_ATOM_FORK, ALL);
	describe(&q);
	assert_int_equal(q.states[0].held, BOTH);
	assert_int_equal(q.states[1].held, ALL);
	assert_int_equal(q.states[2].held, 0);
	assert_non_null(strstr(q.states[2].why, "in memory"));
	assert_int_equal(q.states[3].held, 0);
	assert_int_equal(q.states[4].held, ALL);
	assert_int_equal(groups_of(&q), UNIX_ONLY);
	/* Only the families, when a namespace has the network. */
	q.states[0].held = 0;
	assert_int_equal(groups_of(&q), FILTER_FAMILIES);
}

/* Without UNIX sockets nothing is reached by them, whatever it is called. */
static void
test_no_unix_sockets(void **state)
{
	struct question q = {.request = {.size = sizeof(q.request),
				 .unix_sockets = OMEGA_SANDBOX_UNIX_NONE}};

	(void)state;
	add(&q, OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS, BOTH);
	add(&q, OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS, ALL);
	add(&q, OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS, ALL);
	describe(&q);
	assert_int_equal(q.states[0].held, BOTH);
	assert_int_equal(q.states[1].held, ALL);
	assert_int_equal(q.states[2].held, 0);
	assert_int_equal(q.states[2].partial, ALL);
	assert_int_equal(groups_of(&q), FILTER_UNIX);
	q.request.unix_sockets = OMEGA_SANDBOX_UNIX_OWN;
	q.states[2].partial = 0;
	describe(&q);
	assert_int_equal(q.states[0].held | q.states[1].held, 0);
	assert_int_equal(q.states[2].partial, 0);
}

/* Where the socket rules of others are not known, nothing is claimed. */
static void
test_an_older_core(void **state)
{
	struct question q = {
	    .request = {
		.size = offsetof(struct omega_sandbox_request, connect)}};

	(void)state;
	add(&q, OMEGA_SANDBOX_ATOM_CONNECT, BOTH);
	add(&q, OMEGA_SANDBOX_ATOM_BIND, BOTH);
	describe(&q);
	assert_int_equal(q.states[0].held, AROUND);
	assert_int_equal(q.states[1].held, AROUND);
}

/* Lack of memory is not lack of filters. */
static int
probe_with(void *arg)
{
	struct omega_sandbox_probe probe = {.size = sizeof(probe)};
	const int *errors = arg;

	need(failing_call(SYS_seccomp, errors[0]));
	need(omega_sandbox_plugin.probe(&host, &probe) == errors[1]);
	need(!probe.is_usable);
	return 0;
}

static void
test_a_trial_that_fails(void **state)
{
	int errors[][2] = {
	    {ENOMEM, -ENOMEM}, {EAGAIN, -EAGAIN}, {EPERM, 0}, {ENOSYS, 0}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		assert_int_equal(in_child(probe_with, errors[i]), 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lists_of_ports),
	    cmocka_unit_test(test_listen_is_the_administrators),
	    cmocka_unit_test(test_networks),
	    cmocka_unit_test(test_no_unix_sockets),
	    cmocka_unit_test(test_an_older_core),
	    cmocka_unit_test(test_a_trial_that_fails),
	};

	return run_all(tests);
}
