/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * args.c - see args.h.
 */

#include "args.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void
args_bytes(struct args *args, const void *bytes, size_t size)
{
	if (args->error == 0 && args->size + size > args->room) {
		size_t room = 2 * (args->size + size) + 256;
		char *more = realloc(args->bytes, room);

		if (more == NULL) {
			args->error = -ENOMEM;
		} else {
			args->bytes = more;
			args->room = room;
		}
	}
	if (args->error != 0)
		return;
	memcpy(args->bytes + args->size, bytes, size);
	args->size += size;
}

void
args_add(struct args *args, ...)
{
	const char *word;
	va_list words;

	va_start(words, args);
	while ((word = va_arg(words, const char *)) != NULL) {
		args_bytes(args, word, strlen(word) + 1);
		args->count++;
	}
	va_end(words);
}

void
args_drop(struct args *args)
{
	free(args->bytes);
	*args = (struct args){.bytes = NULL};
}
