/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * confuse.c - see confuse.h.
 *
 * The table libconfuse works by is made from the text itself: every option
 * the scan has found, as a list of strings. So an option of a plugin needs no
 * declaration here, and what an option means is settled in one place, the
 * table of option.c. That both have seen the same is checked at the end: a
 * scanner disturbed by the host application's own use of libconfuse must not
 * lose a setting in silence.
 */

#include "config.h"

#include "conf/confuse.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <confuse.h>

#include "base/error.h"

/* The scanner of libconfuse is one per process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What libconfuse said last; under the lock. It has no place of its own for
 * the receiver of its messages. */
static char said[256];

__attribute__((format(printf, 2, 0))) static void
note_error(cfg_t *cfg, const char *format, va_list args)
{
	(void)cfg;
	vsnprintf(said, sizeof(said), format, args);
}

static bool
has_name(const cfg_opt_t *opts, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strcmp(opts[i].name, name) == 0)
			return true;
	return false;
}

/* The tables: opts for the top level, keys for all sections. Both have room
 * for every option and their end, opts for every type of section too. */
static void
make_tables(const struct omega_scan *scan, cfg_opt_t *opts, cfg_opt_t *keys)
{
	const cfg_opt_t list = CFG_STR_LIST("", NULL, CFGF_NODEFAULT);
	const cfg_opt_t section =
	    CFG_SEC("", keys, CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES);
	const cfg_opt_t end = CFG_END();
	const struct omega_conf_section *top = &scan->sections[0];
	size_t opt_count;
	size_t key_count = 0;
	size_t i;
	size_t j;

	for (opt_count = 0; opt_count < top->entry_count; opt_count++) {
		opts[opt_count] = list;
		opts[opt_count].name = top->entries[opt_count].name;
	}
	for (i = 1; i < scan->section_count; i++)
		for (j = 0; j < scan->sections[i].entry_count; j++) {
			const char *name = scan->sections[i].entries[j].name;

			if (has_name(keys, key_count, name))
				continue;
			keys[key_count] = list;
			keys[key_count++].name = name;
		}
	for (i = OMEGA_SCAN_PLUGIN; i < OMEGA_SCAN_TYPES; i++) {
		opts[opt_count] = section;
		opts[opt_count++].name = omega_scan_types[i];
	}
	opts[opt_count] = end;
	keys[key_count] = end;
}

/* Parse text by the table of cfg. Under the lock. 0, -ENOMEM or -EBADMSG. */
static int
parse(cfg_t *cfg, char *text, size_t len)
{
	FILE *stream;
	int ret;

	stream = fmemopen(text, len, "r");
	if (stream == NULL)
		return -ENOMEM;
	cfg_set_error_function(cfg, note_error);
	ret = cfg_parse_fp(cfg, stream);
	fclose(stream);
	return ret == CFG_SUCCESS ? 0 : -EBADMSG;
}

/*
 * The scanner keeps its state from one text to the next, so that the host
 * application's last text may have left it within a string. It starts afresh
 * when a table is freed. Under the lock.
 */
static void
reset_scanner(void)
{
	cfg_opt_t none[] = {CFG_END()};
	cfg_t *cfg = cfg_init(none, CFGF_NONE);

	if (cfg != NULL)
		cfg_free(cfg);
	said[0] = '\0';
}

/* How many sections of the same type are before this one? */
static unsigned
rank_of(const struct omega_scan *scan, size_t section)
{
	unsigned rank = 0;
	size_t i;

	for (i = 1; i < section; i++)
		if (scan->sections[i].type == scan->sections[section].type)
			rank++;
	return rank;
}

/* Copy the values of one option. 0, -ENOMEM, or -EBADMSG when they are not
 * those the scan has found. */
static int
copy_values(cfg_t *cfg, struct omega_conf_entry *entry)
{
	cfg_opt_t *opt = cfg_getopt(cfg, entry->name);
	unsigned i;

	if (opt == NULL || cfg_opt_size(opt) != entry->values.count)
		return -EBADMSG;
	for (i = 0; i < entry->values.count; i++) {
		struct omega_conf_text *value = &entry->values.items[i];
		const char *text = cfg_opt_getnstr(opt, i);

		if (text == NULL)
			return -EBADMSG;
		if (value->text == NULL)
			value->text = strdup(text);
		if (value->text == NULL)
			return -ENOMEM;
		if (strcmp(value->text, text) != 0)
			return -EBADMSG;
	}
	return 0;
}

/* The same of all options of a section. */
static int
copy_section(cfg_t *cfg, struct omega_scan *scan, size_t index)
{
	struct omega_conf_section *section = &scan->sections[index];
	size_t i;
	int ret = 0;

	if (index != 0)
		cfg = cfg_getnsec(
		    cfg, omega_scan_types[section->type], rank_of(scan, index));
	if (cfg == NULL)
		return -EBADMSG;
	for (i = 0; ret == 0 && i < section->entry_count; i++)
		ret = copy_values(cfg, &section->entries[i]);
	return ret;
}

/* Under the lock. Returns like copy_values(). */
static int
parse_and_copy(cfg_t *cfg, struct omega_scan *scan)
{
	size_t sections = 0;
	size_t i;
	int ret;

	ret = parse(cfg, scan->text, scan->len);
	if (ret < 0)
		return ret;
	for (i = OMEGA_SCAN_PLUGIN; i < OMEGA_SCAN_TYPES; i++)
		sections += cfg_size(cfg, omega_scan_types[i]);
	if (sections != scan->section_count - 1)
		return -EBADMSG;
	for (i = 0; ret == 0 && i < scan->section_count; i++)
		ret = copy_section(cfg, scan, i);
	return ret;
}

int
omega_confuse_fill(struct omega_scan *scan, const char *file,
    struct omega_sandbox_error *error)
{
	cfg_opt_t *opts;
	cfg_opt_t *keys;
	cfg_t *cfg = NULL;
	int ret = -ENOMEM;

	if (scan->entry_count == 0 && scan->section_count == 1)
		return 0;
	opts = calloc(scan->entry_count + OMEGA_SCAN_TYPES + 1, sizeof(*opts));
	keys = calloc(scan->entry_count + 1, sizeof(*keys));
	pthread_mutex_lock(&lock);
	reset_scanner();
	if (opts == NULL || keys == NULL)
		goto out;
	make_tables(scan, opts, keys);
	cfg = cfg_init(opts, CFGF_NONE);
	if (cfg == NULL)
		goto out;
	ret = parse_and_copy(cfg, scan);
out:
	if (ret == -ENOMEM)
		ret = omega_error_memory(error);
	else if (ret < 0)
		ret = omega_error_conf(error, file, 0,
		    "libconfuse did not find the same settings in it; does "
		    "another thread use libconfuse? %s",
		    said);
	if (cfg != NULL)
		cfg_free(cfg);
	pthread_mutex_unlock(&lock);
	free(opts);
	free(keys);
	return ret;
}
