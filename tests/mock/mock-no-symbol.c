/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-no-symbol.c - a shared object like any other. */

int mock_no_symbol(void);

int
mock_no_symbol(void)
{
	return 0;
}
