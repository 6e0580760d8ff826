/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * agreement.h - policies, accesses, paths, and what must come of them. One
 * table, asked three ways: of the planner's atoms and of the path checks
 * (unit/test-agreement.c), and of the kernel (live/test-agreement-kernel.c).
 *
 * %T is the tree that support/ground.c makes:
 *
 *   a/f a/b/f a/b/c/f a/b/c/d/f     w/f w/sub/f w/.git/f   the work directory
 *   o/data/f o/config.toml o/f      the data directory
 *   s/f s/twin, which is w/hard     f
 *   link -> a/b   toward -> a/f   w/out -> ../s   loose -> a/none
 */

#ifndef OMEGA_TEST_AGREEMENT_H
#define OMEGA_TEST_AGREEMENT_H

/* Where not all of them say the same; the list of it is complete. */
enum agreement_but {
	AGREED,
	/* A device every program needs: commands keep it. */
	BUT_DEVICE,
	/* An entry of the process's own in /proc: a user's commands keep it. */
	BUT_SELF,
	/* The path checks cannot decide, so they block. */
	BUT_UNDECIDED,
	/* Blocked by its name as spelled, though it leads elsewhere. */
	BUT_SPELLED,
	/* A denied path is absent where commands may write: they are kept
	 * from it where the report says so (absent_paths). */
	BUT_ABSENT,
	/* Another name of a denied file: the same with aliases. */
	BUT_ALIAS,
	/* Another name of a file on a list: commands have the file. */
	BUT_LISTED,
	/* What cannot be read is hidden: commands can neither write it nor
	 * pass through it. */
	BUT_HIDDEN
};

struct agreement_row {
	char access; /* r, w, x; 0 ends the rows */
	char expected; /* y or n, for the path checks */
	const char *path;
	enum agreement_but but;
};

struct agreement_policy {
	const char *name;
	const char *conf; /* policy "p", and what it needs */
	const char *rule; /* what the host adds, or NULL */
	const char *value;
	struct agreement_row rows[24];
};

static const struct agreement_policy agreement[] = {
    {"nothing but what is built in", "policy p { }", NULL, NULL,
	{{'r', 'y', "%T/a/f", AGREED}, {'w', 'y', "%T/a/f", AGREED},
	    {'w', 'y', "%T/a/new", AGREED}, {'x', 'y', "%T/a/f", AGREED},
	    {'r', 'n', "%T/o/data/f", AGREED},
	    {'w', 'n', "%T/o/data/f", AGREED},
	    {'x', 'n', "%T/o/data/f", AGREED},
	    {'r', 'n', "%T/o/config.toml", AGREED},
	    {'w', 'n', "%T/o/config.toml", AGREED},
	    {'r', 'y', "%T/o/f", AGREED}, {'r', 'y', "/etc/passwd", AGREED},
	    {'w', 'n', "/etc/passwd", AGREED},
	    {'w', 'n', "/usr/bin/new", AGREED},
	    {'w', 'n', "/dev/null", BUT_DEVICE},
	    {'w', 'n', "/dev/zero", BUT_DEVICE},
	    {'w', 'n', "/proc/self/comm", BUT_SELF},
	    {'r', 'y', "/proc/self/comm", AGREED},
	    {'w', 'y', "%T/a/../w/f", AGREED},
	    {'r', 'y', "%T/toward", AGREED}}},
    {"one tree to write", "policy p { write = { \"%T/a\" } }", NULL, NULL,
	{{'w', 'y', "%T/a/f", AGREED}, {'w', 'y', "%T/a/b/c/f", AGREED},
	    {'w', 'y', "%T/a/b/new", AGREED}, {'w', 'y', "%T/link/f", AGREED},
	    {'w', 'y', "%T/toward", AGREED}, {'w', 'n', "%T/w/f", AGREED},
	    {'w', 'n', "%T/new", AGREED}, {'w', 'n', "%T/f", AGREED},
	    {'w', 'n', "%T/a/../file", AGREED}, {'r', 'y', "%T/w/f", AGREED},
	    {'x', 'y', "%T/w/f", AGREED}, {'w', 'y', "%T/loose", AGREED},
	    {'w', 'n', "/dev/null", BUT_DEVICE}, {'r', 'y', "%T/s/f", AGREED}}},
    {"nothing to write", "policy p { write = {} }", NULL, NULL,
	{{'w', 'n', "%T/a/f", AGREED}, {'w', 'n', "%T/new", AGREED},
	    {'r', 'y', "%T/a/f", AGREED}, {'w', 'n', "%T/w/f", AGREED},
	    {'w', 'n', "/dev/zero", BUT_DEVICE}}},
    {"some to read, some to write, some to run",
	"policy p { read = { \"%T/a\" } write = { \"{work_dir}\" } "
	"execute = { \"%T/s\" } }",
	NULL, NULL,
	{{'r', 'y', "%T/a/f", AGREED}, {'w', 'n', "%T/a/f", AGREED},
	    {'x', 'n', "%T/a/f", AGREED}, {'r', 'y', "%T/w/f", AGREED},
	    {'w', 'y', "%T/w/f", AGREED}, {'w', 'y', "%T/w/new", AGREED},
	    {'x', 'n', "%T/w/f", AGREED}, {'r', 'y', "%T/s/f", AGREED},
	    {'w', 'n', "%T/s/f", AGREED}, {'x', 'y', "%T/s/f", AGREED},
	    {'r', 'n', "%T/f", AGREED}, {'r', 'n', "%T", AGREED},
	    {'r', 'n', "%T/o/f", AGREED}, {'r', 'y', "%T/link/f", AGREED},
	    {'r', 'y', "%T/w/out/f", AGREED}, {'w', 'n', "%T/w/out/f", AGREED},
	    {'r', 'n', "/dev/null", BUT_DEVICE},
	    {'r', 'n', "/etc/passwd", AGREED}}},
    {"deny in allow in deny by default",
	"policy p { read = { \"%T/a\" } deny = { \"%T/a/b\" } "
	"write = { \"%T/a/b/c\", \"%T/w\" } }",
	NULL, NULL,
	{{'r', 'y', "%T/a/f", AGREED}, {'r', 'n', "%T/a/b/f", AGREED},
	    {'r', 'n', "%T/a/b/c/f", AGREED}, {'w', 'n', "%T/a/b/c/f", AGREED},
	    {'w', 'n', "%T/a/b/c/new", AGREED}, {'r', 'n', "%T/link/f", AGREED},
	    {'r', 'n', "%T/s/f", AGREED}, {'w', 'y', "%T/w/sub/f", AGREED},
	    {'r', 'n', "%T/a/b", AGREED}, {'r', 'y', "%T/a", AGREED}}},
    {"deny wins over a deeper allow",
	"policy p { deny_write = { \"%T/a\" } write = { \"%T/a/b\", \"%T/w\" } "
	"deny_read = { \"%T/s\" } }",
	NULL, NULL,
	{{'w', 'n', "%T/a/b/f", AGREED}, {'w', 'n', "%T/a/f", AGREED},
	    {'r', 'y', "%T/a/b/f", AGREED}, {'r', 'n', "%T/s/f", AGREED},
	    {'x', 'n', "%T/s/f", AGREED}, {'w', 'y', "%T/w/f", AGREED},
	    {'r', 'n', "%T/w/out/f", AGREED}, {'x', 'y', "%T/a/b/f", AGREED}}},
    {"what cannot be read can be written, by name",
	"policy p { deny_read = { \"%T/s\" } }", NULL, NULL,
	{{'r', 'n', "%T/s/f", AGREED}, {'w', 'y', "%T/s/f", BUT_HIDDEN},
	    {'w', 'y', "%T/s/new", BUT_HIDDEN}, {'w', 'y', "%T/w/f", AGREED}}},
    {"files as grants",
	"policy p { read = { \"%T/f\", \"%T/a/f\" } "
	"write = { \"%T/w/f\" } execute = { \"%T/a/b/f\" } }",
	NULL, NULL,
	{{'r', 'y', "%T/f", AGREED}, {'w', 'n', "%T/f", AGREED},
	    {'r', 'y', "%T/a/f", AGREED}, {'r', 'y', "%T/toward", AGREED},
	    {'r', 'n', "%T/a/b/c/f", AGREED}, {'w', 'y', "%T/w/f", AGREED},
	    {'w', 'n', "%T/w/new", AGREED}, {'r', 'y', "%T/w/f", AGREED},
	    {'x', 'y', "%T/a/b/f", AGREED}, {'x', 'n', "%T/a/f", AGREED},
	    {'r', 'n', "%T/a", AGREED}}},
    {"other names of a file on a list",
	"policy p { read = { \"%T/s/twin\", \"%T/a\" } "
	"write = { \"%T/s/twin\" } }",
	NULL, NULL,
	{{'r', 'y', "%T/s/twin", AGREED}, {'w', 'y', "%T/s/twin", AGREED},
	    {'r', 'n', "%T/w/hard", BUT_LISTED}, {'r', 'n', "%T/w/f", AGREED},
	    {'r', 'y', "%T/a/f", AGREED}}},
    {"other names of a file on a list and denied",
	"policy p { read = { \"%T/s/twin\", \"%T/a\" } "
	"deny = { \"%T/s/twin\" } execute = { \"%T/s/twin\", \"%T/a\" } }",
	NULL, NULL,
	{{'r', 'n', "%T/s/twin", AGREED}, {'x', 'n', "%T/s/twin", AGREED},
	    {'r', 'n', "%T/w/hard", AGREED}, {'x', 'n', "%T/w/hard", AGREED},
	    {'r', 'y', "%T/a/f", AGREED}}},
    {"other names of files below a denied directory",
	"policy p { read = { \"%T/s/twin\", \"%T/a\" } "
	"deny = { \"%T/s\" } write = { \"%T/s/twin\", \"%T/a\" } }",
	NULL, NULL,
	{{'r', 'n', "%T/s/twin", AGREED}, {'w', 'n', "%T/s/twin", AGREED},
	    {'r', 'n', "%T/w/hard", AGREED}, {'w', 'n', "%T/w/hard", AGREED},
	    {'w', 'y', "%T/a/f", AGREED}}},
    {"grants by links",
	"policy p { read = { \"%T/link\", \"%T/toward\" } "
	"write = { \"%T/w/out\" } }",
	NULL, NULL,
	{{'r', 'y', "%T/a/b/f", AGREED}, {'r', 'y', "%T/link/c/f", AGREED},
	    {'r', 'y', "%T/a/f", AGREED}, {'r', 'n', "%T/a", AGREED},
	    {'w', 'y', "%T/s/f", AGREED}, {'w', 'y', "%T/w/out/new", AGREED},
	    {'r', 'n', "%T/w/f", AGREED}, {'w', 'n', "%T/w/f", AGREED}}},
    {"denies by links",
	"policy p { deny = { \"%T/link\" } deny_write = { \"%T/toward\" } }",
	NULL, NULL,
	{{'r', 'n', "%T/a/b/f", AGREED}, {'r', 'n', "%T/link/f", AGREED},
	    {'w', 'n', "%T/a/f", AGREED}, {'r', 'y', "%T/a/f", AGREED},
	    {'w', 'y', "%T/a/new", AGREED}, {'w', 'y', "%T/w/f", AGREED}}},
    {"absent grants",
	"policy p { read = { \"%T/none\", \"%T/a/b\" } "
	"write = { \"%T/none\", \"%T/a/none/deep\" } }",
	NULL, NULL,
	{{'w', 'n', "%T/none", AGREED}, {'w', 'n', "%T/a/none", AGREED},
	    {'r', 'y', "%T/a/b/f", AGREED}, {'w', 'n', "%T/a/b/f", AGREED},
	    {'r', 'n', "%T/a/f", AGREED}}},
    {"absent denies in a tree that may be written",
	"policy p { write = { \"%T/a\" } deny = { \"%T/a/none\" } "
	"deny_read = { \"%T/a/b/none\" } }",
	NULL, NULL,
	{{'w', 'n', "%T/a/none", BUT_ABSENT},
	    {'w', 'n', "%T/a/b/none", BUT_ABSENT},
	    {'w', 'n', "%T/loose", BUT_ABSENT}, {'w', 'y', "%T/a/f", AGREED},
	    {'w', 'y', "%T/a/nine", AGREED}}},
    {"absent denies in a tree that may not",
	"policy p { write = { \"%T/w\" } deny = { \"%T/a/none\" } "
	"deny_write = { \"%T/a/b/none\" } }",
	NULL, NULL,
	{{'w', 'n', "%T/a/none", AGREED}, {'w', 'n', "%T/a/b/none", AGREED},
	    {'w', 'n', "%T/loose", AGREED}, {'w', 'y', "%T/w/none", AGREED},
	    {'r', 'y', "%T/a/f", AGREED}}},
    {"data_dir and work_dir",
	"policy p { write = { \"{work_dir}\", \"{data_dir}\" } "
	"deny_write = { \"{work_dir}/sub\" } }",
	NULL, NULL,
	{{'w', 'y', "%T/w/f", AGREED}, {'w', 'n', "%T/w/sub/f", AGREED},
	    {'w', 'n', "%T/w/sub/new", AGREED}, {'w', 'y', "%T/o/f", AGREED},
	    {'w', 'n', "%T/o/data/f", AGREED},
	    {'r', 'n', "%T/o/config.toml", AGREED},
	    {'w', 'n', "%T/a/f", AGREED}}},
    {"the whole data directory", "policy p { deny = { \"{data_dir}\" } }", NULL,
	NULL,
	{{'r', 'n', "%T/o/f", AGREED}, {'w', 'n', "%T/o/f", AGREED},
	    {'r', 'n', "%T/o", AGREED}, {'w', 'y', "%T/a/f", AGREED}}},
    {"groups",
	"group g { paths = { \"%T/a/b\", \"{work_dir}/sub\" } } "
	"group h { paths = { \"%T/s\" } } "
	"policy p { deny = { \"@g\" } write = { \"@h\", \"%T/a\" } }",
	NULL, NULL,
	{{'r', 'n', "%T/a/b/f", AGREED}, {'r', 'n', "%T/w/sub/f", AGREED},
	    {'w', 'y', "%T/s/f", AGREED}, {'w', 'y', "%T/a/f", AGREED},
	    {'w', 'n', "%T/w/f", AGREED}, {'r', 'y', "%T/w/f", AGREED}}},
    {"a deny takes no other away", "policy p { deny_read = { \"/boot\" } }",
	NULL, NULL,
	{{'r', 'n', "/boot/f", AGREED}, {'w', 'n', "/boot/new", AGREED},
	    {'w', 'n', "/boot", AGREED}, {'r', 'y', "%T/a/f", AGREED}}},
    {"git metadata", "policy p { git_metadata = deny write = { \"%T/w\" } }",
	NULL, NULL,
	{{'r', 'n', "%T/w/.git/f", AGREED}, {'w', 'n', "%T/w/.git/f", AGREED},
	    {'w', 'n', "%T/w/.git/new", AGREED}, {'w', 'y', "%T/w/f", AGREED},
	    {'w', 'y', "%T/w/new", AGREED}}},
    {"a floor narrows",
	"floor = f policy f { write = { \"%T/a\", \"%T/w\" } "
	"deny = { \"%T/a/b/c\" } } "
	"policy p { write = { \"%T/a/b\", \"%T/s\", \"%T/w\" } }",
	NULL, NULL,
	{{'w', 'y', "%T/a/b/f", AGREED}, {'w', 'n', "%T/a/f", AGREED},
	    {'w', 'n', "%T/s/f", AGREED}, {'w', 'y', "%T/w/f", AGREED},
	    {'r', 'n', "%T/a/b/c/f", AGREED}, {'w', 'n', "%T/a/b/c/f", AGREED},
	    {'r', 'y', "%T/s/f", AGREED}}},
    {"floor, policy and host",
	"floor = f policy f { read = { \"%T\" } write = { \"%T\" } } "
	"policy p { read = { \"%T/a\", \"%T/w\" } write = { \"%T/w\" } }",
	"write", "%T/w/sub",
	{{'w', 'y', "%T/w/sub/f", AGREED}, {'w', 'n', "%T/w/f", AGREED},
	    {'r', 'y', "%T/w/f", AGREED}, {'r', 'y', "%T/a/f", AGREED},
	    {'r', 'n', "%T/s/f", AGREED}, {'r', 'n', "/etc/passwd", AGREED},
	    {'w', 'n', "%T/a/f", AGREED}}},
    {"a host denies", "policy p { read = { \"%T\" } execute = { \"%T/a\" } }",
	"deny", "%T/a/b",
	{{'r', 'n', "%T/a/b/f", AGREED}, {'x', 'n', "%T/a/b/f", AGREED},
	    {'x', 'y', "%T/a/f", AGREED}, {'x', 'n', "%T/w/f", AGREED},
	    {'r', 'y', "%T/w/f", AGREED}}},
    {"layers without anything in common",
	"floor = f policy f { write = { \"%T/a\" } } "
	"policy p { write = { \"%T/w\" } }",
	NULL, NULL,
	{{'w', 'n', "%T/a/f", AGREED}, {'w', 'n', "%T/w/f", AGREED},
	    {'r', 'y', "%T/a/f", AGREED}}},
    {"to run takes to read",
	"floor = f policy f { read = { \"%T/a\" } } "
	"policy p { execute = { \"%T/a/b\", \"%T/s\" } }",
	NULL, NULL,
	{{'x', 'y', "%T/a/b/f", AGREED}, {'x', 'n', "%T/a/f", AGREED},
	    {'x', 'n', "%T/s/f", AGREED}, {'r', 'n', "%T/s/f", AGREED}}},
    {"other names of a denied file", "policy p { deny = { \"%T/s\" } }", NULL,
	NULL,
	{{'r', 'n', "%T/s/twin", AGREED}, {'r', 'n', "%T/w/hard", BUT_ALIAS},
	    {'w', 'n', "%T/w/hard", BUT_ALIAS}, {'r', 'y', "%T/w/f", AGREED}}},
    {"blocked paths of the administrator",
	"blocked_paths = { \"%T/s\", \"%T/a/f\" } "
	"policy p { write = { \"%T/a\", \"%T/s\" } }",
	NULL, NULL,
	{{'r', 'n', "%T/s/f", AGREED}, {'w', 'n', "%T/s/f", AGREED},
	    {'r', 'n', "%T/a/f", AGREED}, {'r', 'n', "%T/toward", AGREED},
	    {'w', 'y', "%T/a/b/f", AGREED}, {'r', 'n', "%T/w/out/f", AGREED}}},
    {"configuration elsewhere",
	"config_file = \"%T/w/f\" policy p { read = { \"%T/w\" } }", NULL, NULL,
	{{'r', 'n', "%T/w/f", AGREED}, {'w', 'n', "%T/w/f", AGREED},
	    {'r', 'y', "%T/w/sub/f", AGREED}, {'w', 'y', "%T/w/new", AGREED},
	    {'r', 'n', "%T/a/f", AGREED}}},
    {"the whole tree denied, nothing brings it back",
	"policy p { deny = { \"%T\" } read = { \"%T/a\", \"/usr\" } "
	"write = { \"%T/w\" } }",
	NULL, NULL,
	{{'r', 'n', "%T/a/f", AGREED}, {'w', 'n', "%T/w/f", AGREED},
	    {'w', 'n', "%T/new", AGREED}, {'r', 'n', "%T", AGREED}}},
    {"spellings", "policy p { deny = { \"%T/w\", \"%T/f\" } }", NULL, NULL,
	{{'r', 'n', "%T/link/../../w/f", AGREED},
	    {'r', 'n', "%T/link/../f", BUT_SPELLED},
	    {'r', 'n', "%T/none/../a/f", BUT_UNDECIDED},
	    {'r', 'y', "%T//a/./f", AGREED},
	    {'r', 'y', "%T/w/../a/f", BUT_HIDDEN},
	    {'r', 'n', "%T/a/../f", AGREED}}},
};

#define AGREEMENT_COUNT (sizeof(agreement) / sizeof(agreement[0]))

#endif
