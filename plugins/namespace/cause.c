/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * cause.c - see cause.h.
 *
 * Each call fails for its own reasons, and some errors tell one from another:
 * limits are ENOSPC, filters and chroots EPERM, AppArmor EACCES. Landlock lets
 * everything about mounts be made and refuses only to attach it.
 */

#include "cause.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int
is_denied(int error)
{
	return error == EPERM || error == EACCES;
}

/* Does a limit of this name say that there can be none at all? */
static int
is_zero(const char *path)
{
	FILE *file = fopen(path, "re");
	long value = -1;

	if (file == NULL)
		return 0;
	if (fscanf(file, "%ld", &value) != 1)
		value = -1;
	fclose(file);
	return value == 0;
}

static const char *
cause_of_limit(void)
{
	if (is_zero("/proc/sys/user/max_user_namespaces"))
		return "the sysctl user.max_user_namespaces is 0: raise it; "
		       "inside another omega-sandbox it always is: start "
		       "this one outside";
	return "all that are allowed are in use: raise the sysctls "
	       "user.max_user_namespaces and user.max_mnt_namespaces";
}

static const char *
cause_of_namespace(int error)
{
	if (error == ENOSPC || error == EUSERS)
		return cause_of_limit();
	if (error == EINVAL || error == ENOSYS)
		return "the kernel has no user namespaces (CONFIG_USER_NS)";
	if (is_denied(error))
		return "user namespaces are forbidden here: by a container's "
		       "filter, a chroot, AppArmor (load " PROFILE "), or "
		       "kernel.unprivileged_userns_clone";
	return NULL;
}

static const char *
cause_of_network(int error)
{
	if (error == ENOSPC || error == EUSERS)
		return is_zero("/proc/sys/user/max_net_namespaces")
			   ? "the sysctl user.max_net_namespaces is 0: raise it"
			   : "all that are allowed are in use: raise the "
			     "sysctl user.max_net_namespaces";
	if (error == EINVAL || error == ENOSYS)
		return "the kernel has no network namespaces "
		       "(CONFIG_NET_NS)";
	if (is_denied(error))
		return "network namespaces are forbidden here: by a "
		       "container's filter or AppArmor";
	return NULL;
}

static const char *
cause_of_map(int error)
{
	if (!is_denied(error))
		return NULL;
	if (geteuid() == 0)
		return "root without CAP_SETFCAP cannot be mapped; add it, or "
		       "run as an ordinary user";
	return "AppArmor or the container forbids it; install the shipped "
	       "AppArmor profile";
}

static const char *
cause_of_mount(const struct request_reply *reply)
{
	if (strcmp(reply->what, "fsopen") == 0 && reply->error == ENODEV)
		return "the kernel has no tmpfs (CONFIG_TMPFS), and masks are "
		       "made of it";
	if (strcmp(reply->what, "move_mount") == 0 && reply->error == EPERM)
		return "nothing can be mounted inside a Landlock domain: "
		       "start the host outside of it, or the container "
		       "forbids it";
	if (is_denied(reply->error))
		return "mounting is forbidden: by a container, or by AppArmor "
		       "(kernel.apparmor_restrict_unprivileged_userns; "
		       "install the shipped profile)";
	return NULL;
}

const char *
cause_of(const struct request_reply *reply)
{
	if (strcmp(reply->what, "start") == 0)
		return reply->error == ENOENT ? "is it installed?" : NULL;
	if (strcmp(reply->what, REQUEST_CHROOT) == 0)
		return "the kernel makes no user namespaces in a chroot; "
		       "start the host outside, or make the directory the "
		       "root of a mount namespace (pivot_root)";
	if (strcmp(reply->path, "/proc") == 0 &&
	    strcmp(reply->what, "open") == 0)
		return "/proc is not mounted; mount -t proc proc /proc";
	if (strcmp(reply->path, "/proc/sys/user") == 0)
		return "namespaces inside could not be forbidden; in a "
		       "container /proc/sys must be writable";
	if (reply->error == EWOULDBLOCK)
		return "another program holds a lease on it";
	if (reply->error == ESTALE)
		return "it changed meanwhile";
	if (strcmp(reply->what, REQUEST_UNSHARE_NETWORK) == 0 ||
	    strcmp(reply->what, REQUEST_LOOPBACK) == 0)
		return cause_of_network(reply->error);
	if (strncmp(reply->what, "unshare", 7) == 0)
		return cause_of_namespace(reply->error);
	if (strcmp(reply->what, "uid_map") == 0)
		return cause_of_map(reply->error);
	if (reply->error == ENOSYS)
		return "needs Linux 5.12";
	return cause_of_mount(reply);
}
