/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * self.c - see self.h.
 */

#include "config.h"

#include "run/self.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int
omega_self_set(struct omega_self *self, omega_sandbox_step *step,
    const void *state, size_t state_size)
{
	void *copy = NULL;

	if (step == NULL || (state == NULL && state_size != 0))
		return -EINVAL;
	if (self->step != NULL)
		return -EEXIST;
	if (state_size != 0) {
		copy = malloc(state_size);
		if (copy == NULL)
			return -ENOMEM;
		memcpy(copy, state, state_size);
	}
	self->step = step;
	self->state = copy;
	return 0;
}

void
omega_self_drop(struct omega_self *self)
{
	free(self->state);
	*self = (struct omega_self){.step = NULL};
}
