/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-function.c - exports a function under the name of the object. */

void omega_sandbox_plugin(void);

void
omega_sandbox_plugin(void)
{
}
