/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * value.h - values that mean the same wherever they are written: in a file, in
 * an option of a plugin, by a host application.
 */

#ifndef OMEGA_CONF_VALUE_H
#define OMEGA_CONF_VALUE_H

/* A switch: 1 for true, yes and on, 0 for false, no and off, in either case;
 * -1 for anything else. */
int omega_value_switch(const char *text);

#endif
