/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * loopback.c - see loopback.h.
 */

#include "loopback.h"

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <net/if.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

int
loopback_raise(void)
{
	struct ifreq device;
	int ret = 0;
	int fd;

	memset(&device, 0, sizeof(device));
	strcpy(device.ifr_name, "lo");
	/* Any socket will do; this kind is always there. */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, SIOCGIFFLAGS, &device) != 0) {
		ret = -errno;
	} else {
		device.ifr_flags |= IFF_UP;
		if (ioctl(fd, SIOCSIFFLAGS, &device) != 0)
			ret = -errno;
	}
	close(fd);
	return ret;
}
