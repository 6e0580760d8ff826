/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes-machine.c - calls that are about the machine. Where success would
 * hurt, the error that comes behind the check for privilege counts as success.
 */

#include "escapes.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

TRICK(kernel_log)
{
	char text[64];

	UNUSED;
	return escapes_result(syscall(SYS_syslog, 3, text, sizeof(text)));
}

TRICK(load_module)
{
	UNUSED;
	errno = 0;
	if (syscall(SYS_init_module, NULL, 0, "") < 0 && errno == EPERM)
		return EPERM;
	return errno == ENOSYS ? ENOSYS : 0;
}

TRICK(load_module_file)
{
	int fd = open("/etc/hostname", O_RDONLY);

	UNUSED;
	errno = 0;
	if (syscall(SYS_finit_module, fd, "", 0) < 0 && errno == EPERM)
		return EPERM;
	return errno == ENOSYS ? ENOSYS : 0;
}

TRICK(remove_module)
{
	UNUSED;
	return escapes_reached(
	    syscall(SYS_delete_module, "omega-none", 0), ENOENT);
}

TRICK(load_kernel)
{
	UNUSED;
	/* Bad flags: looked at behind the privilege. */
	return escapes_reached(
	    syscall(SYS_kexec_load, 0, 0, NULL, 0x0badL), EINVAL);
}

TRICK(restart)
{
	UNUSED;
	/* An unknown command. */
	return escapes_reached(
	    syscall(SYS_reboot, 0xfee1dead, 672274793, 0x0bad, NULL), EINVAL);
}

TRICK(swap)
{
	UNUSED;
	return escapes_reached(syscall(SYS_swapon, "/nowhere", 0), ENOENT);
}

TRICK(name_the_host)
{
	char name[HOST_NAME_MAX + 1];

	UNUSED;
	if (gethostname(name, sizeof(name)) != 0)
		return errno;
	return escapes_result(sethostname(name, strlen(name)));
}

TRICK(account)
{
	UNUSED;
	return escapes_reached(syscall(SYS_acct, "/nowhere/omega"), ENOENT);
}

TRICK(use_bpf)
{
	uint32_t attributes[32] = {2, 4, 4, 1}; /* an array of one */

	UNUSED;
	return escapes_result(
	    syscall(SYS_bpf, 0, attributes, sizeof(attributes)));
}

TRICK(packet_socket)
{
	UNUSED;
	return escapes_result(socket(AF_PACKET, SOCK_RAW, 0));
}

const struct attempt escapes_machine[] = {
    {"syslog", ROOT_MAYBE, kernel_log},
    {"init_module", ROOT_MAYBE, load_module},
    {"finit_module", ROOT_MAYBE, load_module_file},
    {"delete_module", ROOT_MAYBE, remove_module},
    {"kexec_load", ROOT_MAYBE, load_kernel},
    {"reboot", ROOT_MAYBE, restart},
    {"swapon", ROOT_MAYBE, swap},
    {"sethostname", ROOT_MAYBE, name_the_host},
    {"acct", ROOT_MAYBE, account},
    {"bpf", ROOT_MAYBE, use_bpf},
    {"packet socket", ROOT_MAYBE, packet_socket},
    {NULL, BOTH, NULL},
};
