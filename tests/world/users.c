/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * users.c - see users.h.
 */

#include "users.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Where the files are written before they are put into /etc. */
#define DESK "/run/world"

/* The caller, where that is not root. */
#define HOME "/home/tester"

struct file {
	const char *name;
	mode_t mode;
	const char *text;
};

static const struct file files[] = {
    {"passwd", 0644,
	"root:x:0:0:root:/root:/bin/sh\n"
	"daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
	"bin:x:2:2:bin:/bin:/usr/sbin/nologin\n"
	"_apt:x:42:65534::/nonexistent:/usr/sbin/nologin\n"
	"games:x:5:60:games:/usr/games:/usr/sbin/nologin\n"
	"mail:x:8:8:mail:/var/mail:/usr/sbin/nologin\n"
	"news:x:9:9:news:/var/spool/news:/usr/sbin/nologin\n"
	"sshd:x:102:65534::/run/sshd:/usr/sbin/nologin\n"
	"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
    {"group", 0644,
	"root:x:0:\ndaemon:x:1:\nbin:x:2:\nadm:x:4:\ntty:x:5:\nmail:x:8:\n"
	"news:x:9:\nshadow:x:42:\nstaff:x:50:\ngames:x:60:\n"
	"nogroup:x:65534:\n"},
    {"shadow", 0640, "root:*:19000:0:99999:7:::\ngames:*:19000:0:99999:7:::\n"},
    {"nsswitch.conf", 0644,
	"passwd: files\ngroup: files\nshadow: files\nhosts: files\n"
	"networks: files\nprotocols: files\nservices: files\nethers: files\n"
	"rpc: files\n"},
    {"hosts", 0644, "127.0.0.1 localhost omega-test\n::1 localhost\n"},
};

static char fault[256];

static const char *
cannot(const char *what, const char *path)
{
	snprintf(fault, sizeof(fault), "cannot %s %.180s: %s", what, path,
	    strerror(errno));
	return fault;
}

static const char *
write_file(const struct file *file, const char *path, uid_t uid, gid_t gid)
{
	FILE *stream = fopen(path, "w");

	if (stream == NULL)
		return cannot("write", path);
	fputs(file->text, stream);
	if (uid != 0 && strcmp(file->name, "passwd") == 0)
		fprintf(stream, "tester:x:%u:%u::" HOME ":/bin/sh\n",
		    (unsigned)uid, (unsigned)gid);
	if (uid != 0 && strcmp(file->name, "group") == 0)
		fprintf(stream, "tester:x:%u:\n", (unsigned)gid);
	if (fclose(stream) != 0 || chmod(path, file->mode) != 0)
		return cannot("write", path);
	return NULL;
}

static const char *
put(const struct file *file, bool is_root, uid_t uid, gid_t gid)
{
	const char *error;
	char from[64];
	char to[64];

	snprintf(from, sizeof(from), DESK "/%s", file->name);
	snprintf(to, sizeof(to), "/etc/%s", file->name);
	if (access(to, F_OK) != 0)
		return NULL; /* nothing to be covered */
	error = write_file(file, from, uid, gid);
	if (error != NULL)
		return error;
	if (mount(from, to, NULL, MS_BIND, NULL) != 0)
		return cannot("cover", to);
	/* What is root's on a machine belongs to him here, who must not
	 * write it. */
	if (!is_root &&
	    mount(NULL, to, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0)
		return cannot("close", to);
	return NULL;
}

const char *
users_make(bool is_root, uid_t uid, gid_t gid)
{
	const char *error = NULL;
	size_t i;

	if (mkdir(DESK, 0755) != 0 ||
	    mount("world", DESK, "tmpfs", 0, "mode=755") != 0)
		return cannot("mount", DESK);
	for (i = 0; i < sizeof(files) / sizeof(files[0]) && error == NULL; i++)
		error = put(&files[i], is_root, uid, gid);
	umount2(DESK, MNT_DETACH);
	rmdir(DESK);
	if (error != NULL || is_root)
		return error;
	if (mkdir(HOME, 0755) != 0 ||
	    mount("home", HOME, "tmpfs", 0, "mode=755") != 0)
		return cannot("mount", HOME);
	return NULL;
}
