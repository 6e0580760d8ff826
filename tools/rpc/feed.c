/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * feed.c - see feed.h.
 *
 * A command that does not read must not keep others from being heard: what
 * its pipe does not take waits here.
 */

#include "config.h"

#include "rpc/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct feed {
	struct feed *next;
	json_t *id;
	int fd;
	uint8_t *bytes; /* that wait */
	size_t len;
	size_t done; /* of them are written */
	bool is_last;
};

static void
drop(struct feed **at)
{
	struct feed *feed = *at;

	*at = feed->next;
	close(feed->fd);
	json_decref(feed->id);
	free(feed->bytes);
	free(feed);
}

static struct feed **
find(struct feeds *feeds, const json_t *id)
{
	struct feed **at = &feeds->first;

	while (*at != NULL && !json_equal((*at)->id, id))
		at = &(*at)->next;
	return at;
}

int
feed_open(struct feeds *feeds, struct call *call)
{
	struct feed **old = find(feeds, call->id);
	struct feed *feed = calloc(1, sizeof(*feed));
	int ends[2];

	if (feed == NULL || pipe(ends) < 0) {
		free(feed);
		return -errno;
	}
	if (*old != NULL)
		drop(old); /* of a call that is over */
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	call->input_fd = ends[0];
	feed->fd = ends[1];
	feed->id = json_deep_copy(call->id);
	feed->next = feeds->first;
	feeds->first = feed;
	return 0;
}

/* Write what its pipe takes. False: nobody reads it any more. */
static bool
flush(struct feed *feed)
{
	while (feed->done < feed->len) {
		ssize_t n = write(
		    feed->fd, feed->bytes + feed->done, feed->len - feed->done);

		if (n < 0 && errno != EINTR)
			return errno == EAGAIN;
		feed->done += n < 0 ? 0 : (size_t)n;
	}
	return true;
}

/* True: it is done with. */
static bool
go_on(struct feeds *feeds, struct feed *feed, bool is_broken)
{
	bool is_idle = feed->len == 0;

	is_broken = is_broken || !flush(feed);
	if (is_broken)
		pool_tell(feeds->pool, feed->id,
		    json_pack("{s:s}", "kind", "input_closed"));
	else if (!is_idle && feed->done == feed->len)
		pool_tell(feeds->pool, feed->id,
		    json_pack("{s:s, s:I}", "kind", "written", "bytes",
			(json_int_t)feed->len));
	if (feed->done == feed->len)
		feed->done = feed->len = 0;
	return is_broken || (feed->is_last && feed->len == 0);
}

bool
feed_add(struct feeds *feeds, const struct call *more)
{
	struct feed **at = find(feeds, more->id);
	struct feed *feed = *at;
	uint8_t *bytes;

	if (feed == NULL || feed->is_last)
		return false;
	bytes = realloc(feed->bytes, feed->len + more->input_len + 1);
	if (bytes == NULL) {
		go_on(feeds, feed, true);
		drop(at);
		return true;
	}
	feed->bytes = bytes;
	if (more->input_len > 0)
		memcpy(bytes + feed->len, more->input, more->input_len);
	feed->len += more->input_len;
	feed->is_last = more->is_last;
	if (go_on(feeds, feed, false))
		drop(at);
	return true;
}

bool
feed_until(struct feeds *feeds, int fd)
{
	struct pollfd *set = NULL;
	bool is_read = true;
	bool is_there = false;

	while (is_read && !is_there && (fd >= 0 || feeds->first != NULL)) {
		struct feed **at;
		struct feed *feed;
		nfds_t count = 2;
		struct pollfd *more;

		for (feed = feeds->first; feed != NULL; feed = feed->next)
			count++;
		more = realloc(set, count * sizeof(*set));
		if (more == NULL)
			break;
		set = more;
		set[0] = (struct pollfd){.fd = fd, .events = POLLIN};
		set[1] = (struct pollfd){.fd = STDOUT_FILENO};
		count = 2;
		for (feed = feeds->first; feed != NULL; feed = feed->next) {
			feed->is_last = feed->is_last || fd < 0;
			set[count++] = (struct pollfd){.fd = feed->fd,
			    .events =
				feed->len > 0 || feed->is_last ? POLLOUT : 0};
		}
		if (poll(set, count, -1) < 0)
			continue;
		is_there = set[0].revents != 0;
		is_read = (set[1].revents & (POLLERR | POLLHUP)) == 0;
		count = 2;
		for (at = &feeds->first; *at != NULL; count++) {
			int seen = set[count].revents;

			if (seen != 0 &&
			    go_on(feeds, *at, (seen & POLLERR) != 0))
				drop(at);
			else
				at = &(*at)->next;
		}
	}
	free(set);
	return is_read;
}

void
feed_free(struct feeds *feeds)
{
	while (feeds->first != NULL)
		drop(&feeds->first);
}
