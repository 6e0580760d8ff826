/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * conf.h - the administrator's settings, read from sandbox.conf and sandbox.d.
 *
 * The only room that knows libconfuse. What it gives out is plain data that
 * owns its texts. A text goes through four hands: token.c and scan.c find its
 * shape and refuse everything libconfuse would let pass, confuse.c has
 * libconfuse read the values, read.c gives them their meaning by the table of
 * options (option.h), layer.c combines the files. load.c finds the files.
 */

#ifndef OMEGA_CONF_H
#define OMEGA_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <omega/sandbox.h>

#include "conf/layer.h"
#include "conf/scan.h"

struct omega_conf {
	struct omega_conf_list files; /* those that were read, in order, but
					 for the product's own */
	struct omega_conf_list changeable; /* of the places looked at, present
					      or not, those that somebody
					      with our rights could change or
					      fill: what a child must not be
					      able to write */
	struct omega_conf_list warnings; /* about what was mended */
	char *users_dir; /* of the user's file, if it is to be made */
	struct omega_layer top; /* what stands outside of the sections */
	struct omega_conf_list plugins; /* that have a section */
	/* As they were written. What they mean is for conf/named.h to say, of
	 * plugins for their own table (load/options.h). */
	struct omega_conf_section *sections;
	size_t section_count;
	enum omega_conf_rank rank; /* of the file that is being read */
	/* What is shipped was read and checked before, by tests. */
	bool believes_shipped;
	struct omega_faults *faults; /* where faults are kept (faults.h); NULL:
					the first ends everything */
};

/* What an option in the file asks for. */
static inline struct omega_setting
omega_conf_setting(const struct omega_conf_entry *entry, const char *file)
{
	return (struct omega_setting){.name = entry->name,
	    .values = entry->values.items,
	    .count = entry->values.count,
	    .is_list = entry->is_list,
	    .file = file,
	    .line = entry->line};
}

/* What an option of the top level comes to. */
static inline uint64_t
omega_conf_number(const struct omega_conf *conf, enum omega_option_id id)
{
	return conf->top.values[id].number;
}

static inline bool
omega_conf_is(const struct omega_conf *conf, enum omega_option_id id)
{
	return conf->top.values[id].number != 0;
}

static inline const struct omega_conf_list *
omega_conf_items(const struct omega_conf *conf, enum omega_option_id id)
{
	return &conf->top.values[id].items;
}

static inline const char *
omega_conf_word(const struct omega_conf *conf, enum omega_option_id id)
{
	return omega_option_table[id].words[conf->top.values[id].number];
}

/* The first text; one whose text is NULL when there is none. */
const struct omega_conf_text *omega_conf_first(
    const struct omega_conf *conf, enum omega_option_id id);

/* The file that executions are written to, as above, and is it syslog too? */
const struct omega_conf_text *omega_conf_audit_file(
    const struct omega_conf *conf);
bool omega_conf_is_audit_syslog(const struct omega_conf *conf);

/* Where to read from. */
struct omega_conf_paths {
	const char *file; /* .../omega/sandbox.conf */
	const char *dropin; /* .../omega/sandbox.d, or NULL */
	bool is_explicit; /* file must exist; no drop-ins, no user's file */
	const char *shipped; /* directory of the product's own, or NULL */
	const char *user; /* below the user's home, or NULL */
	struct omega_faults *faults; /* as in struct omega_conf */
};

/* The installed places. */
extern const struct omega_conf_paths omega_conf_installed;

/*
 * Read every *.conf of shipped, file, every *.conf of dropin, each in the
 * order of their names, and user; other names there, and those that begin
 * with ".", are ignored. Later files only
 * tighten (settings.h). A missing file or directory gives defaults unless it
 * is explicit; a symbolic link that leads nowhere is not "missing". A
 * relative explicit file is taken from the working directory. With faults,
 * every file is read whatever the others are like. On success *conf is the
 * caller's. Returns 0 or OMEGA_SANDBOX_E_CONFIG, _E_TRUST,
 * _E_SYSTEM, _E_MEMORY with error filled. Thread-safe.
 */
int omega_conf_load(const struct omega_conf_paths *paths,
    struct omega_conf **conf, struct omega_sandbox_error *error);

/*
 * Make the directory of the user's file where it is missing, so that it can be
 * kept from being filled. It stays.
 */
void omega_conf_make_users_dir(const struct omega_conf *conf);

/*
 * Parse text as if it were the file called name, of the rank that conf has,
 * on top of conf. What stands in sections is not understood before
 * omega_named_check() (conf/named.h). After a
 * failure conf is good for nothing but to be freed. Thread-safe for different
 * conf.
 */
int omega_conf_parse(struct omega_conf *conf, const char *name,
    const char *text, size_t len, struct omega_sandbox_error *error);

/* The system would not let us have a file of this name. Returns the code. */
int omega_conf_system_error(
    struct omega_sandbox_error *error, const char *path, int sys_errno);

/* The whole content of a file, to be freed, one byte more than is allowed
 * (scan.h) at most. 0 or -errno. */
int omega_conf_read_all(int fd, char **content, size_t *len);

/* Defaults only. NULL when out of memory. */
struct omega_conf *omega_conf_new(void);

void omega_conf_free(struct omega_conf *conf);

#endif
