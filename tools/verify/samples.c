/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * samples.c - files of a real place to try, devices, and other names that a
 * place has: see verify.h.
 */

#include "config.h"

#include "verify.h"

#include <dirent.h>
#include <fnmatch.h>

#define MAX_SAMPLES 6
#define MAX_DEPTH 4

/* One more line. 0 or -errno. */
static int
add_sample(const char *path, char *extra, size_t size)
{
	size_t used = strlen(extra);
	struct stat st;
	int len;

	if (stat(path, &st) != 0)
		return -errno;
	len = snprintf(extra + used, size - used, "%s%llu:%llu=%s",
	    used > 0 ? "\n" : "", (unsigned long long)st.st_dev,
	    (unsigned long long)st.st_ino, path);
	if (len >= (int)(size - used)) {
		extra[used] = '\0';
		return -E2BIG;
	}
	return 0;
}

/* Files of the machine that are what one would write to; nothing is. */
static const char *const machine_files[] = {"/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger",
    "/proc/irq/default_smp_affinity", "/sys/kernel/uevent_helper",
    "/sys/kernel/mm/ksm/run", "/sys/power/state", "/sys/kernel/profiling",
    "/sys/module/kernel/parameters/panic", NULL};

static bool
is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(path, dir, len) == 0 &&
	       (path[len] == '/' || path[len] == '\0');
}

/* Regular files of a directory, some. */
static void
add_files(const char *dir, char *extra, size_t size)
{
	DIR *stream = opendir(dir);
	unsigned count = 0;
	struct dirent *entry;
	struct stat st;

	while (stream != NULL && count < MAX_SAMPLES &&
	       (entry = readdir(stream)) != NULL) {
		const char *path = ATTEMPT_JOIN(dir, entry->d_name);

		if (strchr(path, '\n') == NULL && lstat(path, &st) == 0 &&
		    S_ISREG(st.st_mode) && (st.st_mode & 07000) == 0 &&
		    add_sample(path, extra, size) == 0)
			count++;
	}
	if (stream != NULL)
		closedir(stream);
}

int
samples_take(const char *target, char type, char *extra, size_t size)
{
	size_t i;

	extra[0] = '\0';
	if (type == 'f')
		return add_sample(target, extra, size);
	for (i = 0; machine_files[i] != NULL; i++)
		if (is_below(machine_files[i], target))
			add_sample(machine_files[i], extra, size);
	if (extra[0] == '\0')
		add_files(target, extra, size);
	return extra[0] == '\0' ? -ENOENT : 0;
}

/* ---- Devices ------------------------------------------------------------- */

/*
 * Devices that nobody minds being written to, and those whose mere opening has
 * consequences: a watchdog starts, a tape is wound back, lines of a modem
 * change, a machine is about to be restored, a camera looks.
 */
static const char *const spared[] = {"null", "zero", "full", "random",
    "urandom", "tty", "ptmx", "watchdog*", "snapshot", "st[0-9]*", "nst[0-9]*",
    "lp[0-9]*", "parport*", "fd[0-9]*", "sr[0-9]*", "sg[0-9]*", "ppp", "rfkill",
    "ttyAMA*", "ttyUSB*", "ttyACM*", "hidraw*", "hpet", "mcelog", "cuse",
    "nvram", "cec*", "ipmi*", "tpm*", "video[0-9]*", "pcm*", NULL};

/* What is shared with programs outside, as terminals and memory are. */
static const char *const shared[] = {
    "/dev/pts", "/dev/shm", "/dev/mqueue", "/dev/hugepages", NULL};

static bool
is_among(const char *const *patterns, const char *name)
{
	for (; *patterns != NULL; patterns++)
		if (fnmatch(*patterns, name, 0) == 0)
			return true;
	return false;
}

/* The terminal in use is the command's as well. */
static bool
is_own_terminal(const struct stat *device)
{
	struct stat st;
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
		    st.st_rdev == device->st_rdev)
			return true;
	return false;
}

/* Given back by the configuration, and so no part of the promise. */
static bool
is_allowed(const struct omega_sandbox *sandbox, const char *path)
{
	const char *given;
	size_t i;

	for (i = 0; (given = omega_sandbox_get_option(
			 sandbox, "allow_devices", i, NULL, NULL)) != NULL;
	     i++)
		if (is_below(path, given))
			return true;
	return false;
}

static void
take_in(const struct omega_sandbox *sandbox, const char *dir, unsigned depth,
    char *extra, size_t size)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;
	char path[PATH_MAX];
	struct stat st;

	while (stream != NULL && (entry = readdir(stream)) != NULL) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
		    strchr(name, '\n') != NULL ||
		    snprintf(path, sizeof(path), "%s/%s", dir, name) >=
			(int)sizeof(path) ||
		    is_among(spared, name) || is_among(shared, path) ||
		    is_allowed(sandbox, path) || lstat(path, &st) != 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH)
			take_in(sandbox, path, depth + 1, extra, size);
		else if ((S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode)) &&
			 !is_own_terminal(&st))
			add_sample(path, extra, size);
	}
	if (stream != NULL)
		closedir(stream);
}

int
samples_take_devices(const struct omega_sandbox *sandbox, const char *target,
    char *extra, size_t size)
{
	extra[0] = '\0';
	if (strcmp(target, "/dev") != 0)
		return -ENODEV;
	take_in(sandbox, target, 0, extra, size);
	return extra[0] == '\0' ? -ENOENT : 0;
}

/*
 * ---- Names: by trial, so that nothing a backend believes about mounts is
 * believed here too. Every directory something is mounted at, and every layer
 * of an overlay, is put in the place of each directory above the target.
 */

struct search {
	const char *target;
	const char *secret;
	const char *token;
	struct stat st; /* of the target */
	const char *point; /* of the mount that is looked at */
	char *extra;
	size_t size;
};

/* Take \ooo back, in place. */
static void
unescape(char *text)
{
	char *to = text;
	unsigned value;

	while (*text != '\0') {
		if (text[0] == '\\' && sscanf(text + 1, "%3o", &value) == 1 &&
		    strlen(text) >= 4) {
			*to++ = (char)value;
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

static bool
has_token(const struct search *search, const char *path)
{
	const char *file = search->secret[0] == '\0'
			       ? path
			       : ATTEMPT_JOIN(path, search->secret);
	char text[256] = "";
	ssize_t n;
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n > 0 && strstr(text, search->token) != NULL;
}

static void
look_at(struct search *search, const char *name)
{
	size_t used = strlen(search->extra);
	char path[PATH_MAX];
	struct stat st;

	/* Links may lead back to the target. */
	if (realpath(name, path) == NULL || strchr(path, '\n') != NULL ||
	    strcmp(path, search->target) == 0 || stat(path, &st) != 0)
		return;
	if ((st.st_dev != search->st.st_dev ||
		st.st_ino != search->st.st_ino) &&
	    !has_token(search, path))
		return;
	if (used + strlen(path) + 2 < search->size)
		snprintf(search->extra + used, search->size - used, "%s%s",
		    used > 0 ? "\n" : "", path);
}

/* The directory in the place of each one above the target, and of it. */
static void
look_below(struct search *search, const char *dir)
{
	const char *rest = search->target + strlen(search->target);
	char path[2 * PATH_MAX];

	for (; rest >= search->target; rest--) {
		if (*rest != '/' && *rest != '\0')
			continue;
		snprintf(path, sizeof(path), "%.4000s%.4000s",
		    dir[1] == '\0' ? "" : dir, rest);
		if (path[0] == '/')
			look_at(search, path);
	}
}

/* A layer by an absolute name, or one from above the mount. */
static void
look_in_layer(struct search *search, const char *layer)
{
	char above[PATH_MAX];
	char *slash;

	if (layer[0] == '/') {
		look_below(search, layer);
		return;
	}
	snprintf(above, sizeof(above), "%s", search->point);
	while (layer[0] != '\0' && (slash = strrchr(above, '/')) != NULL) {
		*slash = '\0';
		look_below(search, ATTEMPT_JOIN(above, layer));
	}
}

/* The value of an option of an overlay; with a list of them if it is one. */
static void
look_in_option(struct search *search, char *value, bool is_list)
{
	char *to = value;
	char *from;

	unescape(value);
	look_in_layer(search, value);
	if (!is_list)
		return;
	for (from = value; *from != '\0'; from++) {
		if (*from == '\\' && from[1] != '\0') {
			*to++ = *++from;
		} else if (*from == ':') {
			*to = '\0';
			look_in_layer(search, value);
			to = value;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	look_in_layer(search, value);
}

static void
look_in_options(struct search *search, char *options)
{
	static const char *const keys[] = {
	    "lowerdir=", "lowerdir+=", "datadir+=", "upperdir=", NULL};
	char *save = NULL;
	char *option;
	size_t i;

	for (option = strtok_r(options, ",", &save); option != NULL;
	     option = strtok_r(NULL, ",", &save))
		for (i = 0; keys[i] != NULL; i++)
			if (strncmp(option, keys[i], strlen(keys[i])) == 0)
				look_in_option(
				    search, option + strlen(keys[i]), i == 0);
}

/* A line of mountinfo: number, parent, device, root, point, ... - type, source,
 * options. */
static void
look_in_line(struct search *search, char *line)
{
	char *rest = strstr(line, " - ");
	char *options = NULL;
	char *save = NULL;
	char *point = NULL;
	int i;

	line[strcspn(line, "\n")] = '\0';
	if (rest == NULL)
		return;
	*rest = '\0';
	rest += 3;
	for (i = 0; i < 5; i++)
		point = strtok_r(i == 0 ? line : NULL, " ", &save);
	if (point == NULL)
		return;
	unescape(point);
	search->point = point;
	look_below(search, point);
	if (strncmp(rest, "overlay ", 8) == 0)
		options = strrchr(rest, ' ');
	if (options != NULL)
		look_in_options(search, options + 1);
}

int
samples_take_names(const char *target, const char *secret, const char *token,
    char *extra, size_t size)
{
	struct search search = {.target = target,
	    .secret = secret,
	    .token = token,
	    .extra = extra,
	    .size = size};
	size_t capacity = 0;
	char *line = NULL;
	FILE *file;

	extra[0] = '\0';
	if (target[0] != '/' || stat(target, &search.st) != 0)
		return -ENOENT;
	file = fopen("/proc/self/mountinfo", "re");
	if (file == NULL)
		return -errno;
	while (getline(&line, &capacity, file) > 0)
		look_in_line(&search, line);
	free(line);
	fclose(file);
	return extra[0] == '\0' ? -ENOENT : 0;
}
