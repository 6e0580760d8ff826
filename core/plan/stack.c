/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack.c - see stack.h.
 */

#include "config.h"

#include "plan/stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "load/loader.h"
#include "load/sandbox.h"
#include "path/helper.h"

#ifdef __APPLE__
const char *const omega_stack_auto[] = {"seatbelt", NULL};
const char *const omega_stack_auto_instead = NULL;
#else
const char *const omega_stack_auto[] = {
    "namespace", "landlock", "seccomp", NULL};
const char *const omega_stack_auto_instead = "bwrap";
#endif

const char omega_stack_noop[] = "noop";

bool
omega_stack_has(char *const *names, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

bool
omega_stack_has_noop(char *const *names, size_t count)
{
	return omega_stack_has(names, count, omega_stack_noop);
}

static int
add_name(char **names, size_t *count, const char *name,
    struct omega_sandbox_error *error)
{
	if (!omega_helper_is_name(name))
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, 0,
		    "'%s' is not the name of a backend: lower-case letters, "
		    "digits, '_' and '-' are",
		    name);
	if (omega_stack_has(names, *count, name))
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, 0,
		    "backend '%s' is named twice", name);
	if (*count == OMEGA_SANDBOX_MAX_BACKENDS)
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, 0,
		    "more than %d backends", OMEGA_SANDBOX_MAX_BACKENDS);
	names[*count] = strdup(name);
	if (names[*count] == NULL)
		return omega_error_memory(error);
	(*count)++;
	return 0;
}

static int
add_word(const char *word, bool is_alone, char **names, size_t *count,
    struct omega_sandbox_error *error)
{
	size_t i;
	int ret = 0;

	if (word[0] == '\0' || strcmp(word, "auto") == 0) {
		if (is_alone)
			return 0;
		if (word[0] == '\0')
			return omega_error_set(error,
			    OMEGA_SANDBOX_E_INVALID_POLICY, 0,
			    "a name in the list of backends is empty");
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, 0,
		    "'auto' stands alone, not in a list of backends");
	}
	if (strcmp(word, "none") == 0)
		return add_name(names, count, omega_stack_noop, error);
	if (strcmp(word, "native") != 0)
		return add_name(names, count, word, error);
	for (i = 0; ret == 0 && omega_stack_auto[i] != NULL; i++)
		ret = add_name(names, count, omega_stack_auto[i], error);
	return ret;
}

int
omega_stack_expand(const char *const *words, size_t word_count, char **names,
    size_t *count, struct omega_sandbox_error *error)
{
	size_t i;
	int ret = 0;

	*count = 0;
	for (i = 0; ret == 0 && i < word_count; i++)
		ret = add_word(words[i], word_count == 1, names, count, error);
	while (ret < 0 && *count > 0)
		free(names[--*count]);
	return ret;
}

int
omega_stack_parse(const char *list, char **names, size_t *count,
    struct omega_sandbox_error *error)
{
	const char *words[OMEGA_SANDBOX_MAX_BACKENDS + 1];
	char *copy = strdup(list);
	char *rest = copy;
	char *word;
	size_t word_count = 0;
	int ret;

	*count = 0;
	if (copy == NULL)
		return omega_error_memory(error);
	while ((word = strsep(&rest, ",")) != NULL) {
		if (word_count > OMEGA_SANDBOX_MAX_BACKENDS)
			break; /* one too many: expanding says so */
		words[word_count++] = word;
	}
	ret = omega_stack_expand(words, word_count, names, count, error);
	free(copy);
	return ret;
}
