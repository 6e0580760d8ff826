/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-seatbelt-names.c - the names of one place: those a volume takes for
 * each other while it is absent, and those that lead to it by links.
 */

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

#define HOME "/Users/u"

/* ---- Absent names ---------------------------------------------------------
 */

static size_t
anchor_at_home(const char *path)
{
	(void)path;
	return strlen(HOME);
}

static void
open_absent(struct judge *judge, struct judge_case *one, const char *path)
{
	memset(one, 0, sizeof(*one));
	one->anchor = anchor_at_home;
	judge_add(one, OMEGA_SANDBOX_ATOM_ABSENT_PATHS, OMEGA_SANDBOX_ATOM_ALL,
	    OMEGA_SANDBOX_ATOM_ABSENT, path);
	judge_must_open(judge, one);
}

#define LONG_S "\xc5\xbf"
#define SHARP_S "\xc3\x9f"
#define LARGE_SHARP_S "\xe1\xba\x9e"
#define KELVIN "\xe2\x84\xaa"
#define FF "\xef\xac\x80"
#define FI "\xef\xac\x81"
#define FFI "\xef\xac\x83"
#define ST "\xef\xac\x86"
#define NON_JOINER "\xe2\x80\x8c"
#define ACUTE "\xcc\x81" /* combining */
#define E_ACUTE "\xc3\xa9"
#define LARGE_E_ACUTE "\xc3\x89"
#define QUESTION "\xcd\xbe" /* canonically ";" */

/* An absent name, spellings of it, and neighbours that are others. */
static const struct {
	const char *name;
	const char *kept[8];
	const char *open[8];
} rows[] = {
    {"config.toml",
	{"CONFIG.TOML", "con" FI "g.toml", "con" NON_JOINER "fig.toml",
	    NON_JOINER "config.toml", "config.toml" NON_JOINER,
	    "CON" FI NON_JOINER "G.toml", "config.toml/x"},
	{"configXtoml", "config.tom", "aconfig.toml", "config.toml2", "conf",
	    "con" FI "g", "cong.toml"}},
    {"keys", {"Keys", KELVIN "eys", "key" LONG_S, KELVIN "ey" LONG_S},
	{"eys", "key", "keyss", "kays", "\xe6\x95\xb0\xe6\x8d\xae"}},
    {"secrets", {LONG_S "ecrets", "SECRET" LONG_S}, {"ecrets", "secret"}},
    {"passwd", {"pa" SHARP_S "wd", "PA" LARGE_SHARP_S "WD", "pa" LONG_S "swd"},
	{"pawd", "paswd", "password"}},
    {"stra" SHARP_S "e", {"strasse", "STRASSE", "\xef\xac\x85ra" SHARP_S "e"},
	{"strae", "strase", "stra\xc3\xa9"}},
    {"office", {"o" FFI "ce", "o" FF "ice", "of" FI "ce"}, {"oce", "ofice"}},
    {FI "le", {"file", "FILE"}, {"le", "fle"}},
    {"master", {"ma" ST "er", "MA" ST "ER"}, {"maer", "mater"}},
    {KELVIN "ey", {"key", "KEY"}, {"ey"}},
    {"a;b", {"a" QUESTION "b", "A;B"}, {"ab", "a:b"}},
    {"caf" E_ACUTE,
	{"cafe" ACUTE, "CAF" LARGE_E_ACUTE, "CAFE" ACUTE,
	    "caf" NON_JOINER "e" ACUTE},
	{"caf", "cafe", "cafes", "cafe" ACUTE "s"}},
    {"cafe" ACUTE, {"caf" E_ACUTE, "CAF" LARGE_E_ACUTE}, {"caf", "cafe"}},
    {"a" E_ACUTE "b", {"ae" ACUTE "b", "A" LARGE_E_ACUTE "B"},
	{"ab", "aeb", "a" E_ACUTE "c"}},
    /* An s with a dot, one that is long; an apostrophe and an n, and a sign
     * for them; a sign for an a and half a ring; "not equal". */
    {"s\xcc\x87x", {"\xe1\xb9\xa1x", "\xe1\xba\x9bx", "S\xcc\x87X"},
	{"x", "sx"}},
    {"\xe1\xba\x9b", {"s\xcc\x87", "\xe1\xb9\xa1"}, {"s"}},
    {"\xc5\x89", {"\xca\xbcn", "\xca\xbcN"}, {"n"}},
    {"\xca\xbcnx", {"\xc5\x89x"}, {"nx", "x"}},
    {"a\xca\xbe", {"\xe1\xba\x9a"}, {"a"}},
    {"\xe2\x89\xa0x", {"=\xcc\xb8x"}, {"=x", "x"}},
    {"sks", {LONG_S KELVIN LONG_S, "s" KELVIN "S"}, {"sk", "skss", "ks"}},
    /* "secret" in Cyrillic; others wholly of such letters go with it. */
    {"\xd1\x81\xd0\xb5\xd0\xba\xd1\x80\xd0\xb5\xd1\x82",
	{"\xd0\xa1\xd0\x95\xd0\x9a\xd0\xa0\xd0\x95\xd0\xa2"},
	{"anything", "x", "\xd1\x81.txt", "2\xd1\x81", "se\xd1\x81ret"}},
    {"\xe6\x95\xb0\xe6\x8d\xae/key", {"\xe6\x95\xb0\xe6\x8d\xae/KEY"},
	{"project/key", "key", "\xe6\x95\xb0\xe6\x8d\xae/other"}},
    {"+", {"+/x"}, {"anything", "a", "++", "-"}},
    {"my secrets", {"MY SECRETS"}, {"myxsecrets", "my other secrets"}},
    {"a\"[\\]^", {"A\"[\\]^"}, {"ax[\\]^", "a", "axxxxx"}},
    {"a\nb", {"A\nB"}, {"axb", "a b"}},
};

static void
test_absent_names_are_kept_in_every_spelling(void **state)
{
	size_t i;
	size_t j;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char path[256];
		struct judge_case one;
		struct judge judge;

		snprintf(path, sizeof(path), HOME "/%s", rows[i].name);
		open_absent(&judge, &one, path);
		judge_expect(&judge, "file-write-create", path, SBPL_DENIED);
		for (j = 0; j < 8 && rows[i].kept[j] != NULL; j++)
			judge_expect(&judge, "file-write-create",
			    text(HOME "/%s", rows[i].kept[j]), SBPL_DENIED);
		for (j = 0; j < 8 && rows[i].open[j] != NULL; j++)
			judge_expect(&judge, "file-write-create",
			    text(HOME "/%s", rows[i].open[j]), SBPL_ALLOWED);
		for (j = 0; judge.profile.text[j] != '\0'; j++)
			assert_true(
			    (unsigned char)judge.profile.text[j] < 0x80);
		judge_close(&judge);
	}
}

/* What is prepared elsewhere cannot be moved to where a directory is absent,
 * whatever it is called there. */
static void
test_absent_ways_are_not_made(void **state)
{
	static const char *const ways[] = {HOME "/.omega", HOME "/.OMEGA",
	    HOME "/.omega/sub", HOME "/.o" NON_JOINER "mega/SUB"};
	static const char *const open[] = {HOME "/evil", HOME "/.omegas",
	    HOME "/.omega/x", HOME "/.omega/subs", HOME "/x/.omega"};
	static const char *const types[] = {
	    "DIRECTORY", "SYMLINK", "REGULAR-FILE"};
	size_t i;
	size_t j;
	int k;

	(void)state;
	for (k = 0; k < 2; k++) {
		struct judge_case one = {.anchor = anchor_at_home};
		struct sbpl_question ask = {.operation = "file-write-create"};
		struct judge judge;

		judge_add(&one, OMEGA_SANDBOX_ATOM_ABSENT_PATHS,
		    OMEGA_SANDBOX_ATOM_ALL, OMEGA_SANDBOX_ATOM_ABSENT,
		    HOME "/.omega/sub/config.toml");
		if (k == 1) {
			judge_add(&one, OMEGA_SANDBOX_ATOM_ELSEWHERE,
			    JUDGE_CHANGE, 0, NULL);
			judge_grant(&one, JUDGE_CHANGE, HOME);
		}
		judge_must_open(&judge, &one);
		for (j = 0; j < 3; j++) {
			ask.type = types[j];
			for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
				ask.path = ways[i];
				assert_int_equal(
				    sbpl_ask(judge.sbpl, &ask), SBPL_DENIED);
			}
			for (i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
				ask.path = open[i];
				assert_int_equal(
				    sbpl_ask(judge.sbpl, &ask), SBPL_ALLOWED);
			}
		}
		judge_close(&judge);
	}
}

/* A way below what can be written and not read is a way all the same. */
static void
test_ways_in_hidden_places_are_kept(void **state)
{
	struct judge_case one = {.count = 0};
	struct judge judge;

	(void)state;
	judge_add(&one, OMEGA_SANDBOX_ATOM_PATH, JUDGE_READ, 0, HOME "/hid");
	judge_add(&one, OMEGA_SANDBOX_ATOM_PATH, JUDGE_CHANGE, 0,
	    HOME "/hid/way/file");
	judge_add(&one, OMEGA_SANDBOX_ATOM_ELSEWHERE, JUDGE_CHANGE, 0, NULL);
	judge_grant(&one, JUDGE_CHANGE, HOME);
	judge_must_open(&judge, &one);
	judge_expect(&judge, "file-write-create", HOME "/hid/way", SBPL_DENIED);
	judge_expect(&judge, "file-write-unlink", HOME "/hid/way", SBPL_DENIED);
	judge_expect(&judge, "file-write-mode", HOME "/hid/way", SBPL_DENIED);
	judge_expect(&judge, "file-write-data", HOME "/hid/way", SBPL_ALLOWED);
	judge_expect(&judge, "file-write-create", HOME "/hid/x", SBPL_ALLOWED);
	judge_expect(&judge, "file-write-mode", HOME, SBPL_ALLOWED);
	judge_close(&judge);
}

/* ---- Lists ----------------------------------------------------------------
 */

static const char *const written[] = {"/bin", HOME "/link", NULL};

/* What is listed is open by the name it was listed by, and the link stays. */
static void
test_listed_places_are_open_by_their_own_names(void **state)
{
	struct judge_case one = {.count = 0};
	struct judge judge;

	(void)state;
	judge_add(&one, OMEGA_SANDBOX_ATOM_ELSEWHERE, JUDGE_READ, 0, NULL);
	judge_add(&one, OMEGA_SANDBOX_ATOM_ELSEWHERE, JUDGE_CHANGE, 0, NULL);
	judge_add(
	    &one, OMEGA_SANDBOX_ATOM_EXECUTE, OMEGA_SANDBOX_ATOM_ALL, 0, NULL);
	judge_grant(&one, JUDGE_READ | OMEGA_SANDBOX_ATOM_RUN, "/opt/bin");
	judge_grant(&one, JUDGE_READ | JUDGE_CHANGE, HOME "/real");
	one.grants[0].spelled = written;
	one.grants[1].spelled = written + 1;
	texts_add(&one.links, HOME "/link");
	judge_must_open(&judge, &one);
	judge_expect(&judge, "file-read-data", "/bin/sh", SBPL_ALLOWED);
	judge_expect(&judge, "process-exec", "/bin/sh", SBPL_ALLOWED);
	judge_expect(&judge, "process-exec", "/opt/bin/sh", SBPL_ALLOWED);
	judge_expect(&judge, "process-exec", HOME "/real/x", SBPL_DENIED);
	judge_expect(&judge, "file-write-create", HOME "/link/x", SBPL_ALLOWED);
	judge_expect(&judge, "file-write-create", HOME "/real/x", SBPL_ALLOWED);
	judge_expect(&judge, "file-write-unlink", HOME "/link", SBPL_DENIED);
	judge_expect(&judge, "file-write-create", HOME "/link", SBPL_DENIED);
	judge_expect(&judge, "file-write-create", HOME "/other", SBPL_DENIED);
	judge_close(&judge);
	texts_drop(&one.links);
}

/* What is listed and absent is open where it is only shown. */
static void
test_absent_listed_places_are_open_when_shown(void **state)
{
	struct judge_case one = {.count = 0};
	struct profile_source source = {.request = &one.request};
	struct judge judge;
	int i;

	(void)state;
	judge_add(&one, OMEGA_SANDBOX_ATOM_ELSEWHERE, JUDGE_READ, 0, NULL);
	judge_grant(&one, JUDGE_READ, "/System");
	judge_grant(&one, JUDGE_READ, "/usr");
	one.grants[0].fd = -1;
	one.request.size = sizeof(one.request);
	source.atoms = one.list;
	source.count = one.count;
	for (i = 0; i < 2; i++) {
		source.is_absent_out = i;
		assert_true(judge_open(&judge, &source));
		judge_expect(&judge, "file-read-data", "/System/x",
		    i == 0 ? SBPL_ALLOWED : SBPL_DENIED);
		judge_expect(&judge, "file-read-data", "/usr/x", SBPL_ALLOWED);
		judge_close(&judge);
	}
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_absent_names_are_kept_in_every_spelling),
    cmocka_unit_test(test_absent_ways_are_not_made),
    cmocka_unit_test(test_ways_in_hidden_places_are_kept),
    cmocka_unit_test(test_listed_places_are_open_by_their_own_names),
    cmocka_unit_test(test_absent_listed_places_are_open_when_shown),
};

int
main(void)
{
	return run_all(tests);
}
