/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * refused.c - see helper.h.
 *
 * Names come from commands: no more of them are kept than fit, and only with
 * the signs that names have. The last entry stands for all others.
 */

#include "config.h"

#include "hosts/helper.h"

#include <arpa/inet.h>
#include <sys/mman.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

static struct omega_hosts_table *table;

/* It is there for a question that programs ask besides, and was counted. */
static bool is_counted[OMEGA_HOSTS_MOST_REFUSED];

int
refused_make(void)
{
	int fd = memfd_create("refused", MFD_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = ftruncate(fd, sizeof(*table)) != 0 ? -errno : 0;
	if (ret == 0) {
		table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
		ret = table == MAP_FAILED ? -errno : fd;
	}
	if (ret < 0)
		close(fd);
	return ret;
}

static bool
is_sign(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
	       c == '-' || c == '_' || c == ':' || c == '[' || c == ']';
}

void
refused_add(const char *name, uint16_t port,
    enum omega_sandbox_host_reason reason, bool is_again)
{
	struct omega_hosts_refused *one = table->list;
	char shown[sizeof(one->name)] = "";
	size_t i;

	for (i = 0; i < sizeof(shown) - 1 && name[i] != '\0'; i++)
		shown[i] = is_sign(name[i]) ? name[i] : '?';
	for (i = 0; i < OMEGA_HOSTS_MOST_REFUSED; i++, one++) {
		if (i == OMEGA_HOSTS_MOST_REFUSED - 1) {
			strcpy(shown, "*");
			port = 0;
			reason = OMEGA_SANDBOX_HOST_UNLISTED;
		}
		if (one->count == 0) {
			memcpy(one->name, shown, sizeof(shown));
			one->port = port;
			one->reason = (uint16_t)reason;
			__atomic_store_n(&one->count, 1, __ATOMIC_RELEASE);
			is_counted[i] = is_again;
			return;
		}
		if (one->port == port && one->reason == reason &&
		    strcmp(one->name, shown) == 0) {
			if (!is_again && !is_counted[i] &&
			    one->count < UINT32_MAX)
				one->count++;
			is_counted[i] &= is_again;
			return;
		}
	}
}

void
refused_print(const uint8_t *address, char *text)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	strcpy(text, "[");
	if (memcmp(address, mapped, sizeof(mapped)) == 0) {
		inet_ntop(AF_INET, address + 12, text, INET6_ADDRSTRLEN);
	} else {
		inet_ntop(AF_INET6, address, text + 1, INET6_ADDRSTRLEN);
		strcat(text, "]");
	}
}

void
refused_add_address(const uint8_t *address, uint16_t port,
    enum omega_sandbox_host_reason reason)
{
	char text[OMEGA_HOSTS_TEXT];

	refused_print(address, text);
	refused_add(text, port, reason, false);
}
