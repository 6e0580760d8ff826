/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * hides.c - see hides.h.
 */

#include "hides.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pins.h"
#include "request.h"
#include "ways.h"

int
hides_is_allowed(
    const struct setup *setup, const char *path, const struct stat *st)
{
	const char *const *item = setup->request.allow_sockets;
	struct stat allowed;

	for (; item != NULL && *item != NULL; item++)
		if (strcmp(*item, path) == 0 ||
		    (stat(*item, &allowed) == 0 &&
			allowed.st_dev == st->st_dev &&
			allowed.st_ino == st->st_ino))
			return 1;
	return 0;
}

int
hides_has_allowed(const struct setup *setup, const char *dir)
{
	const char *const *item = setup->request.allow_sockets;
	char real[PATH_MAX];

	for (; item != NULL && *item != NULL; item++)
		if (places_is_below(*item, dir) ||
		    (realpath(*item, real) != NULL &&
			places_is_below(real, dir)))
			return 1;
	return 0;
}

/* Does the error say that nothing, or nothing within reach, is there now? */
static int
is_gone(int error)
{
	return places_is_absent(error) || error == EACCES || error == EPERM ||
	       error == ENOTCONN || error == ESTALE;
}

static int
add(struct hides *hides, uint32_t type, const char *path)
{
	int ret = ops_add(hides->ops, type, path);

	return is_gone(-ret) ? 0 : ret;
}

/* Whoever turned a link would let the next search end elsewhere. */
static int
pin_link(void *arg, const char *link)
{
	struct hides *hides = arg;
	int ret;

	ret = pins_add_way(hides->setup, hides->ops, REQUEST_PIN_SOCKET, link);
	return is_gone(-ret) ? 0 : ret;
}

/*
 * Has whoever bound it ended? Then a command may have the name for a server of
 * its own. Servers of streams do not notice the question, which is answered
 * with EPROTOTYPE.
 */
static int
is_dead(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int is_refused;
	int fd;

	if (strlen(path) >= sizeof(to.sun_path))
		return 0;
	strcpy(to.sun_path, path);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return 0;
	is_refused = connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0 &&
		     errno == ECONNREFUSED;
	close(fd);
	return is_refused;
}

int
hides_add(struct hides *hides, const char *path)
{
	char real[PATH_MAX];
	struct stat st;
	int ret;

	if (realpath(path, real) == NULL || lstat(real, &st) != 0) {
		if (errno == EACCES)
			return hides_add_behind(hides, path);
		return is_gone(errno) ? 0 : -errno;
	}
	if ((!S_ISSOCK(st.st_mode) && !S_ISFIFO(st.st_mode)) ||
	    hides_is_allowed(hides->setup, path, &st) ||
	    (S_ISSOCK(st.st_mode) && is_dead(real)))
		return 0;
	ret = add(hides, REQUEST_HIDE, real);
	return ret == 0 ? ways_follow(path, pin_link, hides, NULL) : ret;
}

int
hides_add_directory(struct hides *hides, const char *dir)
{
	char real[PATH_MAX];

	if (realpath(dir, real) == NULL || real[1] == '\0' ||
	    hides_has_allowed(hides->setup, real))
		return 0;
	return add(hides, REQUEST_DENY, real);
}

int
hides_add_behind(struct hides *hides, const char *path)
{
	char closed[PATH_MAX];
	struct stat st;
	int ret;

	ret = ways_follow(path, pin_link, hides, closed);
	if (ret < 0 && !is_gone(-ret))
		return ret;
	if (closed[0] == '\0') /* it can be entered, but not listed */
		strcpy(closed, path);
	if (lstat(closed, &st) != 0 || !S_ISDIR(st.st_mode) ||
	    st.st_uid != hides->setup->caller.uid || closed[1] == '\0')
		return 0;
	return add(hides, REQUEST_DENY, closed);
}
