/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * show.h - the settings in force as the text of one file that, read again,
 * comes to the same. What nobody has set is a comment: to set it, even to its
 * default, would take the choice from applications. What is shipped is left
 * out, since it is read in any case.
 */

#ifndef OMEGA_CONF_SHOW_H
#define OMEGA_CONF_SHOW_H

#include "conf/conf.h"

/* On the heap and the caller's; NULL when out of memory. */
char *omega_show(const struct omega_conf *conf);

#endif
