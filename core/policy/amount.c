/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * amount.c - see amount.h.
 */

#include "config.h"

#include "policy/amount.h"

#include <errno.h>
#include <string.h>

#define MAX_AMOUNT ((uint64_t)INT64_MAX)

struct unit {
	char letter; /* 0: none is written */
	uint64_t factor;
};

static int
read_digits(const char **text, uint64_t *number)
{
	uint64_t value = 0;
	const char *at = *text;

	for (; *at >= '0' && *at <= '9'; at++) {
		uint64_t digit = (uint64_t)(*at - '0');

		if (value > (MAX_AMOUNT - digit) / 10)
			return -ERANGE;
		value = value * 10 + digit;
	}
	if (at == *text)
		return -EINVAL;
	*text = at;
	*number = value;
	return 0;
}

static int
read_amount(const char *text, const struct unit *units, uint64_t *amount)
{
	uint64_t number = 0;
	int ret;

	ret = read_digits(&text, &number);
	if (ret < 0)
		return ret;
	if (strlen(text) > 1)
		return -EINVAL;
	while (units->letter != *text && units->factor != 0)
		units++;
	if (units->factor == 0)
		return -EINVAL;
	if (number == 0 || number > MAX_AMOUNT / units->factor)
		return -ERANGE;
	*amount = number * units->factor;
	return 0;
}

int
omega_amount_bytes(const char *text, uint64_t *bytes)
{
	static const struct unit units[] = {{'\0', 1}, {'K', 1ULL << 10},
	    {'M', 1ULL << 20}, {'G', 1ULL << 30}, {'T', 1ULL << 40}, {'x', 0}};

	return read_amount(text, units, bytes);
}

int
omega_amount_seconds(const char *text, uint64_t *seconds)
{
	static const struct unit units[] = {{'\0', 1}, {'s', 1}, {'m', 60},
	    {'h', 3600}, {'d', 86400}, {'x', 0}};

	return read_amount(text, units, seconds);
}

int
omega_amount_count(const char *text, uint64_t *count)
{
	static const struct unit units[] = {{'\0', 1}, {'x', 0}};

	return read_amount(text, units, count);
}
