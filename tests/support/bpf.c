/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bpf.c - see bpf.h.
 */

#include "harness.h"

#include "bpf.h"

#include <string.h>

static uint32_t
load(const struct seccomp_data *data, uint32_t offset)
{
	uint32_t value;

	assert_true(offset % 4 == 0 && offset + 4 <= sizeof(*data));
	memcpy(&value, (const char *)data + offset, sizeof(value));
	return value;
}

static bool
compare(uint16_t op, uint32_t a, uint32_t k)
{
	switch (op) {
	case BPF_JEQ:
		return a == k;
	case BPF_JGT:
		return a > k;
	case BPF_JGE:
		return a >= k;
	case BPF_JSET:
		return (a & k) != 0;
	default:
		fail_msg("unknown jump %x", op);
		return false;
	}
}

uint32_t
bpf_run(const struct sock_filter *code, size_t count,
    const struct seccomp_data *data)
{
	uint32_t a = 0;
	size_t at;

	for (at = 0; at < count; at++) {
		const struct sock_filter *line = &code[at];

		if (line->code == (BPF_LD | BPF_W | BPF_ABS))
			a = load(data, line->k);
		else if (line->code == (BPF_ALU | BPF_AND | BPF_K))
			a &= line->k;
		else if (line->code == (BPF_JMP | BPF_JA))
			at += line->k;
		else if (BPF_CLASS(line->code) == BPF_JMP)
			at += compare(BPF_OP(line->code), a, line->k)
				  ? line->jt
				  : line->jf;
		else if (line->code == (BPF_RET | BPF_K))
			return line->k;
		else
			fail_msg("unknown instruction %x", line->code);
	}
	fail_msg("the program has no end");
	return 0;
}
