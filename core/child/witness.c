/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * witness.c - the child's part: see witness.h.
 *
 * Between clone and exec: no function of a library is called here, which a
 * test looks at the object file for. The parent's part is in
 * launch.c.
 */

#include "config.h"

#include "child/witness.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>

#include "child/calls.h"

/* Errors that say nothing about what is allowed. */
OMEGA_PLAIN static bool
is_untried(long error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM ||
	       error == -EINTR || error == -EAGAIN; /* a lease */
}

OMEGA_PLAIN static uint32_t
not_possible(long ret, int32_t *error)
{
	if (!is_untried(ret))
		return OMEGA_WITNESS_HELD;
	*error = (int32_t)-ret;
	return OMEGA_WITNESS_UNTRIED;
}

OMEGA_PLAIN static bool
is_on_device(
    const struct omega_witness_try *try, const struct omega_touch_seen *seen)
{
	return seen->object.major == try->object.major &&
	       seen->object.minor == try->object.minor;
}

/* Numbers are used again by file systems; times of birth are not. */
OMEGA_PLAIN static bool
is_itself(
    const struct omega_witness_try *try, const struct omega_touch_seen *seen)
{
	if (try->object.inode == 0 || seen->object.inode != try->object.inode ||
	    !is_on_device(try, seen))
		return false;
	return try->object.birth == 0 || seen->object.birth == 0 ||
	       (seen->object.birth == try->object.birth &&
		   seen->object.birth_nsec == try->object.birth_nsec);
}

OMEGA_PLAIN static uint32_t
try_read(const struct omega_witness_try *try, int32_t *error)
{
	uint32_t finding = OMEGA_WITNESS_HELD;
	struct omega_touch_seen seen;
	int fd;
	int ret;

	fd = omega_touch_open(try->path, O_RDONLY);
	if (fd < 0)
		return not_possible(fd, error);
	ret = omega_touch_look(fd, "", &seen);
	if (ret < 0) {
		*error = (int32_t)-ret;
		finding = OMEGA_WITNESS_UNTRIED;
	} else if (is_itself(try, &seen)) {
		finding = OMEGA_WITNESS_ITSELF;
	} else if (S_ISDIR(seen.object.mode)) {
		if (omega_touch_has_names(fd))
			finding = OMEGA_WITNESS_NAMES;
	} else if (S_ISREG(seen.object.mode)) {
		if (omega_touch_has_content(fd))
			finding = OMEGA_WITNESS_CONTENT;
	}
	omega_touch_close(fd);
	return finding;
}

OMEGA_PLAIN static uint32_t
try_write(const struct omega_witness_try *try, int32_t *error)
{
	uint32_t finding = OMEGA_WITNESS_HELD;
	struct omega_touch_seen seen;
	int fd;
	int ret;

	fd = omega_touch_open(try->path, O_WRONLY);
	if (fd < 0)
		return not_possible(fd, error);
	ret = omega_touch_look(fd, "", &seen);
	if (try->is_any) {
		finding = OMEGA_WITNESS_DONE;
	} else if (ret < 0) {
		*error = (int32_t)-ret;
		finding = OMEGA_WITNESS_UNTRIED;
	} else if (is_itself(try, &seen)) {
		finding = OMEGA_WITNESS_ITSELF;
	} else if (S_ISREG(seen.object.mode) && seen.size > 0 &&
		   is_on_device(try, &seen)) {
		finding = OMEGA_WITNESS_CONTENT;
	}
	omega_touch_close(fd);
	return finding;
}

/* On another device it is not the host's directory that was written to. The
 * directory is asked, since overlays give files another device. */
OMEGA_PLAIN static uint32_t
try_create(const struct omega_witness_try *try, int32_t *error)
{
	struct omega_touch_seen seen;
	int ret;

	ret = omega_touch_create(try->path);
	if (ret < 0)
		return not_possible(ret, error);
	ret = omega_touch_look(AT_FDCWD, try->path, &seen);
	if (ret < 0) {
		*error = (int32_t)-ret;
		return OMEGA_WITNESS_UNTRIED;
	}
	return is_on_device(try, &seen) ? OMEGA_WITNESS_DONE
					: OMEGA_WITNESS_HELD;
}

/* On another device than the host's parent directory it is not on the host. */
OMEGA_PLAIN static uint32_t
try_make(const struct omega_witness_try *try, int32_t *error)
{
	uint32_t finding = OMEGA_WITNESS_DONE;
	struct omega_touch_seen seen;
	int ret;

	ret = omega_touch_make(try->path);
	if (ret < 0)
		return not_possible(ret, error);
	if (omega_touch_look(AT_FDCWD, try->path, &seen) == 0 &&
	    !is_on_device(try, &seen))
		finding = OMEGA_WITNESS_HELD;
	omega_touch_remove(try->path);
	return finding;
}

OMEGA_PLAIN static uint32_t
try_change(const struct omega_witness_try *try)
{
	struct omega_touch_seen seen;

	if (!omega_touch_change(try->path))
		return OMEGA_WITNESS_HELD;
	if (omega_touch_look(AT_FDCWD, try->path, &seen) < 0 ||
	    !is_itself(try, &seen))
		return OMEGA_WITNESS_HELD;
	return OMEGA_WITNESS_ITSELF;
}

OMEGA_PLAIN static uint32_t
try_signal(void)
{
	return omega_touch_signal() ? OMEGA_WITNESS_DONE : OMEGA_WITNESS_HELD;
}

OMEGA_PLAIN static uint32_t
try_trace(int32_t *error)
{
	int ret = omega_touch_trace();

	if (ret < 0)
		return not_possible(ret, error);
	return ret == 1 ? OMEGA_WITNESS_DONE : OMEGA_WITNESS_HELD;
}

/* What must be possible: how it went is ret. */
OMEGA_PLAIN static uint32_t
see_allowed(int ret, int32_t *error)
{
	if (ret >= 0)
		return OMEGA_WITNESS_HELD;
	*error = (int32_t)-ret;
	return is_untried(ret) ? OMEGA_WITNESS_UNTRIED : OMEGA_WITNESS_BROKEN;
}

OMEGA_PLAIN static uint32_t
try_allowed(const struct omega_witness_try *try, int flags, int32_t *error)
{
	int fd = omega_touch_open(try->path, flags);

	if (fd >= 0)
		omega_touch_close(fd);
	return see_allowed(fd, error);
}

/*
 * Making a file, even one without a name, costs as much as all the rest; so
 * only the first start does, and the others ask.
 */
OMEGA_PLAIN static uint32_t
try_can_create(const struct omega_witness_try *try, size_t turn, int32_t *error)
{
	return see_allowed(turn == 0 ? omega_touch_create(try->path)
				     : omega_touch_may_create(try->path),
	    error);
}

OMEGA_PLAIN static uint32_t
try_one(const struct omega_witness_try *try, size_t turn, int32_t *error)
{
	/* No switch: its table would be a relocation to write to. */
	if (try->how == OMEGA_WITNESS_READ)
		return try_read(try, error);
	if (try->how == OMEGA_WITNESS_WRITE)
		return try_write(try, error);
	if (try->how == OMEGA_WITNESS_CREATE)
		return try_create(try, error);
	if (try->how == OMEGA_WITNESS_MAKE)
		return try_make(try, error);
	if (try->how == OMEGA_WITNESS_CHANGE)
		return try_change(try);
	if (try->how == OMEGA_WITNESS_SIGNAL)
		return try_signal();
	if (try->how == OMEGA_WITNESS_TRACE)
		return try_trace(error);
	if (try->how == OMEGA_WITNESS_CAN_LIST)
		return try_allowed(try, O_RDONLY | O_DIRECTORY, error);
	if (try->how == OMEGA_WITNESS_CAN_WRITE)
		return try_allowed(try, O_WRONLY, error);
	if (try->how == OMEGA_WITNESS_CAN_CREATE)
		return try_can_create(try, turn, error);
	*error = EINVAL;
	return OMEGA_WITNESS_UNTRIED;
}

OMEGA_PLAIN static bool
is_wrong(const struct omega_witness *witness, size_t turn, size_t i,
    struct omega_witness_found *found)
{
	found->index = (uint32_t)i;
	found->error = 0;
	found->finding = try_one(&witness->tries[i], turn, &found->error);
	return found->finding != OMEGA_WITNESS_HELD;
}

OMEGA_PLAIN void
omega_witness_run(const struct omega_witness *witness, size_t turn,
    struct omega_witness_found *found)
{
	size_t listed = witness->count - witness->fixed;
	size_t stride =
	    (listed + OMEGA_WITNESS_LISTED - 1) / OMEGA_WITNESS_LISTED;
	size_t i;

	found->finding = OMEGA_WITNESS_HELD;
	for (i = 0; i < witness->fixed; i++)
		if (is_wrong(witness, turn, i, found))
			return;
	if (listed == 0)
		return;
	for (i = witness->fixed + turn % stride; i < witness->count;
	     i += stride)
		if (is_wrong(witness, turn, i, found))
			return;
}
