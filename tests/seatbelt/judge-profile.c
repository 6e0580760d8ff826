/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * judge-profile.c - judge-profile [--lists] DATA-DIR: is what standard input
 * has, one JSON array of strings, a command line of sandbox-exec whose profile
 * protects this data directory? Exit 0 or 1, and what is wrong.
 *
 * judge-profile --ask [y|n OPERATION PATH]...: does it answer so? PATH may be
 * unix:PATH, a socket.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "sbpl.h"

static unsigned faults;

static void
expect(struct sbpl *sbpl, const char *dir, const char *below,
    const char *operation, enum sbpl_answer expected)
{
	struct sbpl_question question = {.operation = operation};
	char *path = NULL;

	if (asprintf(&path, "%s%s", dir, below) < 0)
		abort();
	question.path = path;
	if (sbpl_ask(sbpl, &question) != expected) {
		printf("%s %s: not as expected\n", operation, path);
		faults++;
	}
	free(path);
}

static void
judge(struct sbpl *sbpl, const char *dir, bool is_listed)
{
	static const char *const secret[] = {
	    "/data", "/data/memory.db", "/config.toml"};
	static const char *const operations[] = {"file-read-data",
	    "file-read-metadata", "file-write-data", "file-write-create",
	    "file-write-unlink", "file-write-mode", "file-link", "file-clone",
	    "process-exec"};
	size_t i;
	size_t j;

	for (i = 0; i < sizeof(secret) / sizeof(secret[0]); i++)
		for (j = 0; j < sizeof(operations) / sizeof(operations[0]); j++)
			expect(
			    sbpl, dir, secret[i], operations[j], SBPL_DENIED);
	expect(sbpl, dir, "", "file-write-unlink", SBPL_DENIED);
	if (strncmp(dir, "/tmp/", 5) == 0 || strncmp(dir, "/var/", 5) == 0)
		expect(sbpl, "/private", dir, "file-write-unlink", SBPL_DENIED);
	expect(sbpl, "/usr/bin", "/x", "file-write-data", SBPL_DENIED);
	expect(sbpl, "/dev/null", "", "file-write-data", SBPL_ALLOWED);
	if (sbpl_allows_by_default(sbpl) == is_listed) {
		printf("not the form expected\n");
		faults++;
	}
	if (is_listed)
		return;
	expect(sbpl, dir, "/workspace/x", "file-write-create", SBPL_ALLOWED);
	expect(sbpl, dir, "/workspace/x", "file-read-data", SBPL_ALLOWED);
	expect(sbpl, dir, "x", "file-read-data", SBPL_ALLOWED);
}

static void
ask(struct sbpl *sbpl, char **words)
{
	for (; words[0] != NULL && words[1] != NULL && words[2] != NULL;
	     words += 3) {
		bool is_socket = strncmp(words[2], "unix:", 5) == 0;
		struct sbpl_question question = {.operation = words[1],
		    .path = words[2] + (is_socket ? 5 : 0),
		    .protocol = is_socket ? "unix" : NULL};

		if (sbpl_ask(sbpl, &question) !=
		    (words[0][0] == 'y' ? SBPL_ALLOWED : SBPL_DENIED)) {
			printf("%s %s: not as expected\n", words[1], words[2]);
			faults++;
		}
	}
}

/* Names and values of the parameters behind "-D". */
static const char **
find_params(json_t *words)
{
	size_t count = json_array_size(words);
	const char **params = calloc(count + 1, sizeof(*params));
	size_t used = 0;
	size_t i;

	for (i = 3; i + 1 < count; i += 2) {
		const char *flag = json_string_value(json_array_get(words, i));
		const char *word =
		    json_string_value(json_array_get(words, i + 1));
		const char *sign = word == NULL ? NULL : strchr(word, '=');

		if (flag == NULL || strcmp(flag, "-D") != 0 || sign == NULL)
			return NULL;
		params[used++] = strndup(word, (size_t)(sign - word));
		params[used++] = sign + 1;
	}
	return i == count ? params : NULL;
}

static const char *
word_at(json_t *words, size_t index)
{
	const char *word = json_string_value(json_array_get(words, index));

	return word == NULL ? "" : word;
}

int
main(int argc, char **argv)
{
	bool is_asked = argc > 1 && strcmp(argv[1], "--ask") == 0;
	bool is_listed = argc == 3 && strcmp(argv[1], "--lists") == 0;
	json_error_t where;
	json_t *words = json_loadf(stdin, 0, &where);
	const char **params;
	struct sbpl *sbpl;
	char error[256];

	if (is_asked ? argc % 3 != 2 : argc != (is_listed ? 3 : 2))
		return 2;
	if (!json_is_array(words) ||
	    strcmp(word_at(words, 0), "/usr/bin/sandbox-exec") != 0 ||
	    strcmp(word_at(words, 1), "-p") != 0) {
		printf("not a command line of sandbox-exec\n");
		return 1;
	}
	params = find_params(words);
	if (params == NULL) {
		printf("not parameters of sandbox-exec\n");
		return 1;
	}
	/* No name of ours has a part of the directory's that is its own. */
	if (!is_asked && strstr(word_at(words, 2), argv[argc - 1]) != NULL) {
		printf("the profile has the path in its text\n");
		return 1;
	}
	sbpl = sbpl_read(word_at(words, 2), params, error, sizeof(error));
	if (sbpl == NULL) {
		printf("%s\n", error);
		return 1;
	}
	if (is_asked)
		ask(sbpl, argv + 2);
	else
		judge(sbpl, argv[argc - 1], is_listed);
	printf("%u questions, %u faults\n", sbpl_asked(sbpl), faults);
	return faults == 0 ? 0 : 1;
}
