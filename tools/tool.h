/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * tool.h - what the verbs of the tool share. One file per verb.
 */

#ifndef OMEGA_TOOL_H
#define OMEGA_TOOL_H

#include <jansson.h>

/* Exits of every verb but run. */
enum tool_exit {
	TOOL_YES = 0,  /* fine, not blocked */
	TOOL_NO = 1,   /* blocked, a hole was found */
	TOOL_ERROR = 2 /* wrong usage, or it could not be found out */
};

/* The verbs: argv[0] is the verb's own name. */
int tool_check(int argc, char **argv);

/* Print "omega-sandbox: ..." on stderr, on one line; returns TOOL_ERROR. */
__attribute__((format(printf, 1, 2))) int tool_error(const char *format, ...);

/* Flush standard output; a full disk turns a good exit into TOOL_ERROR. */
int tool_finish(int exit_status);

/* ~/.omega by the password database, on the heap; NULL after an error. */
char *tool_default_data_dir(void);

/*
 * A JSON string of bytes that may not be UTF-8: bytes that are not become
 * U+FFFD, since JSON has no other way to show them.
 */
json_t *tool_json_text(const char *text);

#endif
