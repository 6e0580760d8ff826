/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * apart.c - see apart.h.
 *
 * Directories that people fill are covered by file systems of our own, and so
 * is a private directory on the way to our trees, which a user that a test
 * becomes could not enter. The trees are cloned before and put back behind: at
 * the same names, below directories that nobody else could have made. The
 * file system of / and with it all programs stay what they are.
 *
 * An ordinary user owns what is mounted for him. Where on a machine only root
 * writes, ours is made read-only once it is filled.
 */

#include "apart.h"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trees.h"
#include "users.h"

static char fault[256];

/* Remember what could not be done. */
static const char *
cannot(const char *what, const char *path)
{
	snprintf(
	    fault, sizeof(fault), "%s %.180s: %s", what, path, strerror(errno));
	return fault;
}

static bool
write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = (ssize_t)strlen(text);
	bool ok = fd >= 0 && write(fd, text, (size_t)len) == len;

	if (fd >= 0)
		close(fd);
	return ok;
}

/* ---- what is covered ---- */

struct cover {
	const char *dir;
	const char *data;
	bool is_for_all; /* who is not root may write it too */
	bool is_for_root; /* left alone by others, who cannot write there */
};

static const struct cover covers[] = {
    {"/tmp", "mode=1777", true, false},
    {"/var/tmp", "mode=1777", true, false},
    {"/dev/shm", "mode=1777", true, false},
    {"/run", "mode=755", false, false},
    {"/home", "mode=755", false, false},
    {"/root", "mode=755", false, true},
    {"/srv", "mode=755", false, true},
    {"/opt", "mode=755", false, true},
    {"/mnt", "mode=755", false, true},
    {"/media", "mode=755", false, true},
};
#define COVERS (sizeof(covers) / sizeof(covers[0]))

static bool
is_covering(const struct apart *apart, const struct cover *cover)
{
	struct stat st;

	return (apart->is_root || !cover->is_for_root) &&
	       lstat(cover->dir, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A new, empty file system. root takes away what is mounted there before. */
static const char *
cover_with(const struct apart *apart, const char *dir, const char *type,
    const char *data)
{
	unsigned long flags = 0;

	if (strcmp(type, "proc") == 0)
		flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
	if (apart->is_root) {
		while (umount2(dir, MNT_DETACH | UMOUNT_NOFOLLOW) == 0)
			continue;
	}
	if (mount(type, dir, type, flags, data) != 0)
		return cannot("cannot mount", dir);
	return NULL;
}

/* The machine's own mounts, and those our trees are on. */
static bool
is_needed(const char *point)
{
	static const char *const places[] = {"/dev", "/etc", "/sys", "/usr"};
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (trees_is_below(point, places[i]))
			return true;
	}
	return strcmp(point, "/") == 0 || strcmp(point, "/var") == 0 ||
	       strcmp(point, "/proc") == 0 ||
	       trees_is_below(WORLD_SRCDIR, point) ||
	       trees_is_below(WORLD_BUILDDIR, point);
}

/* Put the character for every backslash and three octal digits. */
static void
decode(char *text)
{
	unsigned number;
	char *to = text;

	for (; *text != '\0'; text++) {
		if (sscanf(text, "\\%3o", &number) == 1) {
			*to++ = (char)number;
			text += 3;
		} else
			*to++ = *text;
	}
	*to = '\0';
}

/* Let go of what other people have mounted. Only root can; to a user it stays
 * in sight. Behind a failure is a mount that went with another. */
static void
detach_others(void)
{
	FILE *stream = fopen("/proc/self/mountinfo", "re");
	char line[3 * PATH_MAX];
	char point[PATH_MAX];

	while (stream != NULL && fgets(line, sizeof(line), stream) != NULL) {
		if (sscanf(line, "%*s %*s %*s %*s %4095s", point) != 1)
			continue;
		decode(point);
		if (!is_needed(point))
			umount2(point, MNT_DETACH | UMOUNT_NOFOLLOW);
	}
	if (stream != NULL)
		fclose(stream);
}

/* ---- trees ---- */

static bool
is_covered(const struct apart *apart, const char *path)
{
	size_t i;

	for (i = 0; i < COVERS; i++) {
		if (is_covering(apart, &covers[i]) &&
		    trees_is_below(path, covers[i].dir))
			return true;
	}
	return false;
}

/*
 * The first directory on the way to path that a test which becomes another
 * user could not pass, or which is not root's alone: "" when there is none,
 * or when it goes with what is covered anyway.
 */
static void
find_private(const struct apart *apart, const char *path, char dir[PATH_MAX])
{
	const char *slash = path;
	struct stat st;

	while (apart->is_root && !is_covered(apart, path) &&
	       (slash = strchr(slash + 1, '/')) != NULL) {
		snprintf(dir, PATH_MAX, "%.*s", (int)(slash - path), path);
		if (stat(dir, &st) != 0 || st.st_uid != 0 ||
		    (st.st_mode & 0022) != 0 || (st.st_mode & 0001) == 0)
			return;
	}
	dir[0] = '\0';
}

/* ---- the rest ---- */

static void
start_loopback(void)
{
	struct ifreq request = {.ifr_name = "lo"};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	request.ifr_flags = IFF_UP | IFF_RUNNING;
	ioctl(fd, SIOCSIFFLAGS, &request);
	close(fd);
}

/* As the users' programs find it where systemd has started a machine. */
static void
allow_ping(const struct apart *apart)
{
	char text[64] = "0 2147483647";

	if (!apart->is_root)
		snprintf(text, sizeof(text), "%u %u", (unsigned)apart->gid,
		    (unsigned)apart->gid);
	write_text("/proc/sys/net/ipv4/ping_group_range", text);
}

/* Be who we are, also in the new user namespace. */
static const char *
map_ids(const struct apart *apart)
{
	char text[64];

	write_text("/proc/self/setgroups", "deny");
	snprintf(text, sizeof(text), "%u %u 1", (unsigned)apart->uid,
	    (unsigned)apart->uid);
	if (!write_text("/proc/self/uid_map", text))
		return cannot("cannot write", "/proc/self/uid_map");
	snprintf(text, sizeof(text), "%u %u 1", (unsigned)apart->gid,
	    (unsigned)apart->gid);
	if (!write_text("/proc/self/gid_map", text))
		return cannot("cannot write", "/proc/self/gid_map");
	return NULL;
}

/* What a machine has in its /run after it was started. */
static void
fill_run(const struct apart *apart)
{
	char dir[64];

	mkdir("/run/lock", 01777);
	chmod("/run/lock", 01777);
	mkdir("/run/user", 0755);
	mkdir("/run/sshd", 0755);
	if (apart->is_root)
		return;
	snprintf(dir, sizeof(dir), "/run/user/%u", (unsigned)apart->uid);
	mkdir(dir, 0700);
	cover_with(apart, dir, "tmpfs", "mode=700");
}

/* Nobody but root would write there. */
static const char *
close_cover(const char *dir)
{
	if (mount(NULL, dir, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0)
		return cannot("cannot make read-only", dir);
	return NULL;
}

static const char *
cover_all(const struct apart *apart, char private[][PATH_MAX], size_t count)
{
	const char *error = NULL;
	size_t i;

	if (apart->is_root)
		detach_others();
	for (i = 0; i < COVERS && error == NULL; i++) {
		if (is_covering(apart, &covers[i]))
			error = cover_with(
			    apart, covers[i].dir, "tmpfs", covers[i].data);
	}
	for (i = 0; i < count && error == NULL; i++) {
		struct stat st;

		/* It may have been below another. */
		if (private[i][0] != '\0' && stat(private[i], &st) == 0)
			error =
			    cover_with(apart, private[i], "tmpfs", "mode=755");
	}
	if (error == NULL)
		error = cover_with(apart, "/proc", "proc", NULL);
	if (error == NULL)
		error = cover_with(apart, "/dev/pts", "devpts",
		    apart->is_root ? "newinstance,ptmxmode=0666,mode=620,gid=5"
				   : "newinstance,ptmxmode=0666,mode=620");
	return error;
}

static const char *
close_all(const struct apart *apart)
{
	const char *error = NULL;
	size_t i;

	for (i = 0; i < COVERS && error == NULL && !apart->is_root; i++) {
		if (is_covering(apart, &covers[i]) && !covers[i].is_for_all)
			error = close_cover(covers[i].dir);
	}
	return error;
}

void
apart_plan(struct apart *apart)
{
	apart->uid = geteuid();
	apart->gid = getegid();
	apart->is_root = apart->uid == 0;
	if (getcwd(apart->here, sizeof(apart->here)) == NULL)
		snprintf(apart->here, sizeof(apart->here), "/");
}

const char *
apart_enter(const struct apart *apart)
{
	struct tree trees[TREES] = TREES_INIT;
	char private[TREES][PATH_MAX];
	const char *error = NULL;
	size_t i;

	umask(022);
	if (!apart->is_root)
		error = map_ids(apart);
	if (error == NULL &&
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		error = cannot("cannot make private:", "/");
	for (i = 0; i < TREES && error == NULL; i++) {
		find_private(apart, trees[i].path, private[i]);
		if ((is_covered(apart, trees[i].path) ||
			private[i][0] != '\0') &&
		    (i == 0 || !trees_is_below(trees[i].path, trees[0].path)) &&
		    trees_clone(&trees[i]) != 0)
			error = cannot("cannot clone", trees[i].path);
	}
	if (error == NULL)
		error = cover_all(apart, private, TREES);
	for (i = 0; i < TREES && error == NULL; i++) {
		if (trees_put_back(&trees[i]) != 0)
			error = cannot("cannot put back", trees[i].path);
	}
	if (error != NULL)
		return error;
	fill_run(apart);
	error = users_make(apart->is_root, apart->uid, apart->gid);
	if (error == NULL)
		error = close_all(apart);
	start_loopback();
	allow_ping(apart);
	if (error == NULL &&
	    sethostname("omega-test", strlen("omega-test")) != 0)
		error = cannot("cannot set", "the host name");
	if (error == NULL && chdir(apart->here) != 0)
		error = cannot("cannot enter", apart->here);
	return error;
}
