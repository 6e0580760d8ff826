/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * learnt.c - see learn.h: places become few, and the text of a policy, beside
 * what was learnt before.
 */

#include "config.h"

#include "watch/learn.h"

#include <sys/stat.h>
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>

#include "tool.h"

/* So many in one directory stand for the directory. */
#define MANY 3
#define MERGED_MAX 1048576

/* The lists of a policy that are learnt, and what was done there. */
const struct learn_list learn_lists[LEARN_LISTS] = {{"read", "read"},
    {"write", "written"}, {"execute", "executed"}, {"state", "made"}};

/* ---- From places to a policy --------------------------------------------- */

/* What stands for a path: a directory above it that is listed itself, or the
 * one it is in, where they are many. */
static void
find_stand_in(json_t *places, json_t *parents, const char *path, char *place)
{
	snprintf(place, PATH_MAX, "%s", path);
	do
		learn_cut_name(place);
	while (place[1] != '\0' && json_object_get(places, place) == NULL);
	if (json_object_get(places, place) != NULL)
		return;
	snprintf(place, PATH_MAX, "%s", path);
	learn_cut_name(place);
	if (json_integer_value(json_object_get(parents, place)) < MANY)
		snprintf(place, PATH_MAX, "%s", path);
}

static void
add(json_t *places, const char *path, json_int_t times)
{
	json_object_set_new(places, path,
	    json_integer(
		times + json_integer_value(json_object_get(places, path))));
}

/* One step up; true: there may be more. */
static bool
fold_once(json_t *places)
{
	json_t *parents = json_object();
	json_t *folded = json_object();
	char place[PATH_MAX];
	bool is_changed = false;
	const char *path;
	json_t *times;

	json_object_foreach(places, path, times)
	{
		snprintf(place, sizeof(place), "%s", path);
		learn_cut_name(place);
		if (!learn_is_shared(place))
			add(parents, place, 1);
	}
	json_object_foreach(places, path, times)
	{
		find_stand_in(places, parents, path, place);
		is_changed |= strcmp(place, path) != 0;
		add(folded, place, json_integer_value(times));
	}
	json_object_clear(places);
	json_object_update(places, folded);
	json_decref(folded);
	json_decref(parents);
	return is_changed;
}

/* Of one list what another has already. */
static void
drop_below(json_t *places, json_t *others)
{
	const char *path;
	const char *other;
	json_t *value;
	json_t *unused;
	void *next;

	json_object_foreach_safe(places, next, path, value)
	{
		json_object_foreach(others, other, unused)
		{
			if (strcmp(path, other) == 0 ||
			    learn_is_below(path, other)) {
				json_object_del(places, path);
				break;
			}
		}
	}
}

/* Can it stand in a file that people look at, and mean itself? */
static bool
is_plain(const char *path)
{
	char *shown = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&shown, &size);
	bool is_same;

	if (out == NULL)
		return false;
	tool_put_visible(out, path);
	is_same = fclose(out) == 0 && strcmp(shown, path) == 0;
	free(shown);
	return is_same && strstr(path, "${") == NULL;
}

/* As sandbox.conf(5) wants it. */
static void
print_path(FILE *out, const char *path, const char *work_dir)
{
	const char *from = NULL;

	fputc('"', out);
	if (work_dir != NULL &&
	    (strcmp(path, work_dir) == 0 || learn_is_below(path, work_dir))) {
		fputs("{work_dir}", out);
		from = path + strlen(work_dir);
	} else if (learn_home != NULL && learn_is_below(path, learn_home)) {
		fputc('~', out);
		from = path + strlen(learn_home);
	}
	for (from = from != NULL ? from : path; *from != '\0'; from++) {
		if (strchr("*?[", *from) != NULL) {
			fprintf(out, "[%c]", *from);
			continue;
		}
		if (strchr("\"\\", *from) != NULL)
			fputc('\\', out);
		fputc(*from, out);
	}
	fputc('"', out);
}

static void
print_list(FILE *out, const struct learn_list *list, json_t *places,
    const char *work_dir)
{
	const char *path;
	json_t *times;

	if (json_object_size(places) == 0)
		return;
	fprintf(out, "\t%s = {\n", list->name);
	json_object_foreach(places, path, times)
	{
		fputs("\t\t", out);
		if (!is_plain(path)) {
			fputs("# left out for its name: ", out);
			tool_put_visible(out, path);
			fputc('\n', out);
			continue;
		}
		print_path(out, path, work_dir);
		fprintf(out, ", # %s\n",
		    json_integer_value(times) > 0 ? list->done : "from before");
	}
	fputs("\t}\n", out);
}

static void
print_comments(FILE *out, const char *title, json_t *object)
{
	const char *path;
	json_t *value;
	int lines = 0;

	if (json_object_size(object) == 0)
		return;
	fprintf(out, "\t# %s:\n", title);
	json_object_foreach(object, path, value)
	{
		if (++lines > 20)
			break;
		fputs("\t#   ", out);
		tool_put_visible(out, path);
		if (json_is_string(value))
			fprintf(out, " (%s)", json_string_value(value));
		fputc('\n', out);
	}
	if (lines > 20)
		fprintf(
		    out, "\t#   and %zu more\n", json_object_size(object) - 20);
}

static void
print_variables(FILE *out, const json_t *names)
{
	const json_t *name;
	size_t i;

	if (json_array_size(names) == 0)
		return;
	fputs("\t# not passed on:", out);
	json_array_foreach(names, i, name)
	{
		fputs(i == 0 ? " " : ", ", out);
		tool_put_visible(out, json_string_value(name));
	}
	fputs("; env_allow = { \"NAME\" } passes one on\n", out);
}

/* For the file of a project: beside the profile of an agent. */
static void
print_grants(FILE *out, const char *agent, const char *work_dir, json_t *seen)
{
	static const struct learn_list grants[] = {
	    [LEARN_READ] = {"allow_read", "read"},
	    [LEARN_WRITE] = {"allow_write", "written"},
	    [LEARN_EXECUTE] = {"allow_execute", "executed"},
	};
	size_t i;

	fprintf(
	    out, "# beside the profile %s, for .omega-sandbox.conf\n", agent);
	json_object_update(json_object_get(seen, learn_lists[LEARN_WRITE].name),
	    json_object_get(seen, learn_lists[LEARN_STATE].name));
	for (i = 0; i < sizeof(grants) / sizeof(grants[0]); i++)
		print_list(out, &grants[i],
		    json_object_get(seen, learn_lists[i].name), work_dir);
	print_comments(out, "connected to", json_object_get(seen, "addresses"));
	print_variables(out, json_object_get(seen, "variables"));
	print_comments(out, "not granted", json_object_get(seen, "refused"));
}

static void
print_policy(FILE *out, const struct tool_call *call, const char *title,
    const char *work_dir, json_t *seen, bool is_network)
{
	json_t *addresses = json_object_get(seen, "addresses");
	int i;

	fprintf(out, "policy \"%s\" {\n\tdescription = \"learnt from %s\"\n",
	    title, title + strlen("learnt-"));
	fprintf(out, "\textends = \"%s\"\n",
	    call->options.policy != NULL ? call->options.policy : "tool");
	for (i = 0; i < LEARN_LISTS; i++)
		print_list(out, &learn_lists[i],
		    json_object_get(seen, learn_lists[i].name), work_dir);
	if (is_network && json_object_size(addresses) > 0)
		fputs("\tnetwork = allow\n", out);
	print_comments(out, "connected to", addresses);
	/* As it ran. */
	fputs("\tdeny = { \"@credentials\" }\n"
	      "\tdeny_write = { \"@persistence\" }\n",
	    out);
	print_variables(out, json_object_get(seen, "variables"));
	print_comments(out, "not granted", json_object_get(seen, "refused"));
	fputs("}\n", out);
}

/* ---- With what was learnt before ------------------------------------------
 */

/* The file of --merge, as it was before the command could change it. */
static struct {
	int dir;
	const char *name;
	char *text;
} merged;

int
learn_read_merged(const char *file)
{
	const char *slash = strrchr(file, '/');
	char *dir = slash == NULL ? strdup(".")
				  : strndup(file, (size_t)(slash - file) + 1);
	struct stat st;
	ssize_t len;
	int fd;

	merged.name = slash == NULL ? file : slash + 1;
	merged.dir =
	    dir == NULL ? -1 : open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (merged.dir < 0)
		return -1;
	fd = openat(merged.dir, merged.name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno != ENOENT)
		return -1;
	merged.text = calloc(1, MERGED_MAX + 1);
	if (fd < 0 || merged.text == NULL)
		return merged.text == NULL ? -1 : 0;
	errno = EINVAL;
	len = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		      st.st_size <= MERGED_MAX
		  ? read(fd, merged.text, MERGED_MAX)
		  : -1;
	close(fd);
	return len < 0 ? -1 : 0;
}

/* A path of a list as print_path has written it. */
static bool
read_path(const char *line, const char *work_dir, char *path, size_t size)
{
	size_t used = 0;
	const char *at = strchr(line, '"');

	if (at == NULL)
		return false;
	at++;
	path[0] = '\0';
	if (at[0] == '~' && learn_home != NULL) {
		used = (size_t)snprintf(path, size, "%s", learn_home);
		at++;
	} else if (strncmp(at, "{work_dir}", 10) == 0) {
		used = (size_t)snprintf(path, size, "%s", work_dir);
		at += 10;
	}
	for (; *at != '"' && *at != '\0' && used + 1 < size; at++) {
		if (at[0] == '\\' && at[1] != '\0')
			at++;
		else if (at[0] == '[' && at[1] != '\0' && at[2] == ']') {
			path[used++] = at[1];
			at += 2;
			continue;
		}
		path[used++] = *at;
	}
	path[used < size ? used : size - 1] = '\0';
	return path[0] == '/';
}

/* Take the section of this title out of what the file had: what is around it
 * goes to out, its paths to what was seen. */
static void
take_section(const char *title, const char *work_dir, json_t *seen, FILE *out)
{
	FILE *in = merged.text[0] != '\0'
		       ? fmemopen(merged.text, strlen(merged.text), "r")
		       : NULL;
	json_t *places = NULL;
	bool is_inside = false;
	char path[PATH_MAX];
	char first[256];
	char *line = NULL;
	size_t size = 0;

	if (in == NULL)
		return;
	snprintf(first, sizeof(first), "policy \"%s\" {\n", title);
	while (getline(&line, &size, in) > 0) {
		if (strcmp(line, first) == 0) {
			is_inside = true;
		} else if (!is_inside) {
			fputs(line, out);
		} else if (strcmp(line, "}\n") == 0) {
			is_inside = false;
		} else if (line[0] == '\t' && line[1] != '\t') {
			line[1 + strcspn(line + 1, " \n")] = '\0';
			places = json_object_get(seen, line + 1);
		} else if (places != NULL &&
			   read_path(line, work_dir, path, sizeof(path)) &&
			   json_object_get(places, path) == NULL) {
			json_object_set_new(places, path, json_integer(0));
		}
	}
	free(line);
	fclose(in);
}

/* Into a file beside it, and then in its place: whatever the command has put
 * there is neither read nor followed. */
static int
write_file(const char *text)
{
	char name[NAME_MAX + 1];
	FILE *out;
	int ret;
	int fd;

	snprintf(name, sizeof(name), ".omega-learn-%ld", (long)getpid());
	unlinkat(merged.dir, name, 0);
	fd = openat(merged.dir, name,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (out == NULL)
		return -1;
	ret = fputs(text, out) < 0 ? -1 : 0;
	if (fclose(out) != 0 || ret < 0 ||
	    renameat(merged.dir, name, merged.dir, merged.name) != 0)
		return -1;
	return 0;
}

/* The policy goes by the name of the program. */
static void
make_title(const char *word, char *title, size_t size)
{
	const char *slash = strrchr(word, '/');
	char *at;

	snprintf(title, size, "learnt-%s", slash != NULL ? slash + 1 : word);
	for (at = title; *at != '\0'; at++)
		if (!isalnum((unsigned char)*at) && *at != '-' && *at != '_')
			*at = '-';
}

int
learn_tell(const struct tool_call *call, json_t *seen, bool is_network)
{
	const char *file = call->options.merge;
	char *work_dir = realpath(
	    call->options.work_dir != NULL ? call->options.work_dir : ".",
	    NULL);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	char title[64];
	int ret = 0;
	int i;

	if (out == NULL) {
		tool_error("learn: out of memory");
		free(work_dir);
		return -1;
	}
	make_title(call->words[0], title, sizeof(title));
	if (file != NULL)
		take_section(title, work_dir, seen, out);
	for (i = 0; i < LEARN_LISTS; i++)
		while (fold_once(json_object_get(seen, learn_lists[i].name)))
			;
	drop_below(json_object_get(seen, learn_lists[LEARN_WRITE].name),
	    json_object_get(seen, learn_lists[LEARN_STATE].name));
	if (call->options.agent != NULL)
		print_grants(out, call->options.agent, work_dir, seen);
	else
		print_policy(out, call, title, work_dir, seen, is_network);
	fclose(out);
	if (file != NULL)
		ret = write_file(text);
	else
		fputs(text, stdout);
	if (ret < 0)
		tool_error("learn: %s: %s", file, strerror(errno));
	free(work_dir);
	free(text);
	return ret;
}
