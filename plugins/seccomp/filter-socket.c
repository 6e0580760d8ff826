/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * filter-socket.c - which sockets can be made.
 *
 * What is allowed is listed and the rest refused, so that a family or a
 * protocol of a later kernel is refused too. libseccomp has no words for "none
 * of these" about one argument but a row of rules for each instruction set;
 * so socket(2) and socketpair(2) are judged by a few instructions of our own,
 * the same for all of them, which stand before libseccomp's.
 *
 * All arguments are of 32 bits. Only those are looked at, as by the kernel.
 */

#include "filter.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#ifndef TCP_ULP
#define TCP_ULP 31
#endif

#define TYPE_MASK 0xf /* the kernel's: above are SOCK_CLOEXEC and the like */

/* ---- A program with names for its places ----------------------------------
 */

enum place {
	NEXT, /* the instruction that follows */
	SOCKET,
	PAIR,
	UNIX_PAIR,
	INTERNET,
	TCP,
	UDP,
	ALLOW,
	REFUSE,
	REST, /* behind the end */
	PLACES
};

struct script {
	struct filter_program *program;
	unsigned short at[PLACES];
	unsigned char yes[FILTER_MAX]; /* enum place */
	unsigned char no[FILTER_MAX];
};

/* Room is never short: FILTER_ARCHES is what a script grows with. */
static void
put(struct script *s, unsigned code, uint32_t k, enum place yes, enum place no)
{
	unsigned short n = s->program->count++;

	s->program->code[n] = (struct sock_filter){(uint16_t)code, 0, 0, k};
	s->yes[n] = (unsigned char)yes;
	s->no[n] = (unsigned char)no;
}

static void
put_place(struct script *s, enum place place)
{
	s->at[place] = s->program->count;
}

static void
put_load(struct script *s, size_t offset)
{
	put(s, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, NEXT, NEXT);
}

/* The lower half of an argument. */
static void
put_argument(struct script *s, unsigned n)
{
	size_t offset = offsetof(struct seccomp_data, args) + 8 * n;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	offset += 4;
#endif
	put_load(s, offset);
}

static void
put_if(struct script *s, uint32_t value, enum place yes, enum place no)
{
	put(s, BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
}

static void
put_go(struct script *s, enum place place)
{
	put(s, BPF_JMP | BPF_JA, 0, place, NEXT);
}

static void
put_return(struct script *s, uint32_t value)
{
	put(s, BPF_RET | BPF_K, value, NEXT, NEXT);
}

/* Turn places into distances. */
static void
resolve(struct script *s)
{
	unsigned short n;

	for (n = 0; n < s->program->count; n++) {
		struct sock_filter *line = &s->program->code[n];

		if (BPF_CLASS(line->code) != BPF_JMP)
			continue;
		if (BPF_OP(line->code) == BPF_JA) {
			line->k = (uint32_t)(s->at[s->yes[n]] - n - 1);
			continue;
		}
		if (s->yes[n] != NEXT)
			line->jt = (uint8_t)(s->at[s->yes[n]] - n - 1);
		if (s->no[n] != NEXT)
			line->jf = (uint8_t)(s->at[s->no[n]] - n - 1);
	}
}

/* ---- The judgement --------------------------------------------------------
 */

/*
 * The numbers of the two calls, or -ENOSYS. libseccomp's own answer is a
 * number that does not exist wherever there is socketcall too; that is refused
 * whole, see below.
 */
static int
find_calls(uint32_t token, int *make, int *pair)
{
	*make = seccomp_syscall_resolve_name_arch(token, "socket");
	*pair = seccomp_syscall_resolve_name_arch(token, "socketpair");
#if defined(SYS_socket) && defined(SYS_socketpair)
	if (token == seccomp_arch_native()) {
		*make = SYS_socket;
		*pair = SYS_socketpair;
	}
#endif
	if (token == SCMP_ARCH_X86) {
		*make = 359;
		*pair = 360;
	}
	return *make < 0 || *pair < 0 ? -ENOSYS : 0;
}

/* Find out whether it is one of the two. */
static int
put_calls(struct script *s, uint32_t native, unsigned groups)
{
	uint32_t arches[FILTER_ARCHES];
	size_t count = filter_arches(native, arches);
	size_t i;

	for (i = 0; i < count; i++) {
		unsigned short skip;
		int make;
		int pair;
		int ret = find_calls(arches[i], &make, &pair);

		if (ret < 0)
			return ret;
		put_load(s, offsetof(struct seccomp_data, arch));
		skip = s->program->count;
		put_if(s, arches[i], NEXT, NEXT);
		put_load(s, offsetof(struct seccomp_data, nr));
		put_if(s, (uint32_t)make, SOCKET, NEXT);
		if ((groups & (FILTER_FAMILIES | FILTER_UNIX)) != 0)
			put_if(s, (uint32_t)pair, PAIR, NEXT);
		s->program->code[skip].jf =
		    (uint8_t)(s->program->count - skip - 1);
	}
	put_go(s, REST);
	return 0;
}

/* Internet sockets of which some can be made: by type, then protocol. */
static void
put_protocols(struct script *s, unsigned groups)
{
	enum place tcp = (groups & FILTER_TCP) != 0 ? REFUSE : TCP;
	enum place udp = (groups & FILTER_UDP) != 0 ? REFUSE : UDP;

	put_argument(s, 1);
	put(s, BPF_ALU | BPF_AND | BPF_K, TYPE_MASK, NEXT, NEXT);
	if ((groups & FILTER_PROTOCOLS) == 0) {
		/* An old name for a packet socket. */
		put_if(s, SOCK_PACKET, REFUSE, ALLOW);
		return;
	}
	put_if(s, SOCK_STREAM, tcp, udp == UDP ? NEXT : REFUSE);
	if (udp == UDP)
		put_if(s, SOCK_DGRAM, UDP, REFUSE);
	if (tcp == TCP) {
		put_place(s, TCP);
		put_argument(s, 2);
		put_if(s, 0, ALLOW, NEXT);
		put_if(s, IPPROTO_TCP, ALLOW, REFUSE);
	}
	if (udp == UDP) {
		put_place(s, UDP);
		put_argument(s, 2);
		put_if(s, 0, ALLOW, NEXT);
		put_if(s, IPPROTO_UDP, ALLOW, REFUSE);
	}
}

/*
 * Where UNIX sockets are refused, pairs of streams and of sequenced packets are
 * not: they are connected for good. Datagrams can be sent to any name.
 */
static void
put_pairs(struct script *s, unsigned groups)
{
	int is_unix = (groups & FILTER_UNIX) != 0;

	put_place(s, PAIR);
	put_argument(s, 0);
	put_if(s, AF_UNIX, is_unix ? UNIX_PAIR : ALLOW,
	    (groups & FILTER_FAMILIES) != 0 ? REFUSE : ALLOW);
	if (!is_unix)
		return;
	put_place(s, UNIX_PAIR);
	put_argument(s, 1);
	put(s, BPF_ALU | BPF_AND | BPF_K, TYPE_MASK, NEXT, NEXT);
	put_if(s, SOCK_STREAM, ALLOW, NEXT);
	put_if(s, SOCK_SEQPACKET, ALLOW, REFUSE);
}

static void
put_families(struct script *s, unsigned groups)
{
	enum place local = (groups & FILTER_UNIX) != 0 ? REFUSE : ALLOW;
	enum place other = (groups & FILTER_FAMILIES) != 0 ? REFUSE : ALLOW;
	enum place internet =
	    (groups & FILTER_INTERNET) != 0			   ? REFUSE
	    : (groups & (FILTER_FAMILIES | FILTER_PROTOCOLS)) != 0 ? INTERNET
								   : ALLOW;

	put_place(s, SOCKET);
	put_argument(s, 0);
	if (internet == other) {
		put_if(s, AF_UNIX, local, other);
	} else {
		put_if(s, AF_UNIX, local, NEXT);
		put_if(s, AF_INET, internet, NEXT);
		put_if(s, AF_INET6, internet, other);
	}
	if ((groups & (FILTER_FAMILIES | FILTER_UNIX)) != 0)
		put_pairs(s, groups);
	if (internet == INTERNET) {
		put_place(s, INTERNET);
		put_protocols(s, groups);
	}
}

int
filter_socket_write(
    uint32_t native, unsigned groups, struct filter_program *program)
{
	const unsigned judged =
	    FILTER_FAMILIES | FILTER_INTERNET | FILTER_PROTOCOLS | FILTER_UNIX;
	struct script script = {.program = program};
	int ret;

	program->count = 0;
	if ((groups & judged) == 0)
		return 0;
	ret = put_calls(&script, native, groups);
	if (ret < 0)
		return ret;
	put_families(&script, groups);
	put_place(&script, ALLOW);
	put_return(&script, SECCOMP_RET_ALLOW);
	put_place(&script, REFUSE);
	put_return(&script, SECCOMP_RET_ERRNO | EPERM);
	put_place(&script, REST);
	resolve(&script);
	return 0;
}

/* ---- What goes around it --------------------------------------------------
 */

/* Sending with MSG_FASTOPEN connects, and Landlock is not asked. */
static int
refuse_fast_open(scmp_filter_ctx filter)
{
	static const struct filter_rule rules[] = {
	    {SCMP_SYS(sendto), EPERM,
		{FILTER_BITS(3, MSG_FASTOPEN, MSG_FASTOPEN)}},
	    {SCMP_SYS(sendmsg), EPERM,
		{FILTER_BITS(2, MSG_FASTOPEN, MSG_FASTOPEN)}},
	    {SCMP_SYS(sendmmsg), EPERM,
		{FILTER_BITS(3, MSG_FASTOPEN, MSG_FASTOPEN)}},
	};

	return FILTER_REFUSE(filter, rules);
}

int
filter_socket_add(scmp_filter_ctx filter, unsigned groups)
{
	/* A TCP socket becomes one of SMC when it is told so, by a name in
	 * memory. */
	static const struct filter_rule upper[] = {{SCMP_SYS(setsockopt), EPERM,
	    {FILTER_IS(1, IPPROTO_TCP), FILTER_IS(2, TCP_ULP)}}};
	static const struct filter_rule listening[] = {FILTER_CALL(listen)};
	static const struct filter_rule unseen[] = {FILTER_CALL(socketcall)};
	int ret = 0;

	if ((groups & FILTER_FAST_OPEN) != 0)
		ret = refuse_fast_open(filter);
	if (ret == 0 && (groups & FILTER_PROTOCOLS) != 0 &&
	    (groups & FILTER_TCP) == 0)
		ret = FILTER_REFUSE(filter, upper);
	if (ret == 0 && (groups & FILTER_LISTEN) != 0)
		ret = FILTER_REFUSE(filter, listening);
	if (ret == 0)
		ret = filter_refuse_rings(filter);
	if (ret == 0)
		ret = FILTER_REFUSE(filter, unseen);
	return ret;
}
