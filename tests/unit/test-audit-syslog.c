/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-audit-syslog.c - lines of the audit log that go to syslog, with a
 * /dev/log of our own: core/audit/audit.c.
 */

#include "harness.h"

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "audit/audit.h"

/* One message at /dev/log: facility and level, our name, the line. */
static int
check_message(int fd, const char *line)
{
	char got[512] = "";
	char head[16];
	char tail[256];
	size_t len;

	snprintf(head, sizeof(head), "<%d>", LOG_AUTHPRIV | LOG_INFO);
	snprintf(tail, sizeof(tail), ": omega-sandbox audit: %s", line);
	if (recv(fd, got, sizeof(got) - 1, 0) <= 0)
		return 97;
	len = strlen(got);
	if (strncmp(got, head, strlen(head)) == 0 && len >= strlen(tail) &&
	    strcmp(got + len - strlen(tail), tail) == 0)
		return 0;
	print_error("'%s'\n", got);
	return 1;
}

/* One line under such a configuration. */
static int
write_line(int fd, const char *content, const char *line)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	const struct omega_log none = {.fn = NULL};
	struct omega_conf *conf = omega_conf_new();
	struct omega_audit audit;
	int ret = 96;

	if (omega_conf_parse(
		conf, "x.conf", content, strlen(content), &error) != 0) {
		print_error("%s\n", error.text);
		return 96;
	}
	omega_audit_init(&audit, conf, &none);
	if (omega_audit_is_on(&audit) &&
	    omega_audit_ready(&audit, &error) == 0 &&
	    omega_audit_write(&audit, line, &error) == 0)
		ret = check_message(fd, line);
	else
		print_error("%s\n", error.text);
	omega_audit_close(&audit);
	omega_conf_free(conf);
	return ret;
}

/* Where /dev/log is our own. */
static int
write_to_syslog(void *dir)
{
	struct sockaddr_un name = {
	    .sun_family = AF_UNIX, .sun_path = "/dev/log"};
	struct timeval limit = {.tv_sec = 30};
	char content[PATH_MAX + 128];
	char path[PATH_MAX + 16];
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret;

	if (mount("none", "/dev", "tmpfs", 0, NULL) != 0)
		return CANNOT_MOUNT;
	if (fd < 0 || bind(fd, (struct sockaddr *)&name, sizeof(name)) != 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) != 0)
		return 98;
	/* There alone; beside a file; and where the file cannot be written. */
	ret = write_line(fd, "audit = syslog\n", "{\"100%n\":1}");
	snprintf(content, sizeof(content), "audit = {'%s/log', syslog}\n",
	    (const char *)dir);
	if (ret == 0)
		ret = write_line(fd, content, "{\"two\":2}");
	snprintf(path, sizeof(path), "%s/log", (const char *)dir);
	if (ret == 0 && strcmp(file_text(path), "{\"two\":2}\n") != 0)
		ret = 95;
	snprintf(content, sizeof(content),
	    "audit = {'%s/none/log', syslog}\naudit_failure = warn\n",
	    (const char *)dir);
	if (ret == 0)
		ret = write_line(fd, content, "{\"three\":3}");
	close(fd);
	return ret;
}

static void
test_lines_go_to_syslog(void **state)
{
	char dir[PATH_MAX];
	int status;

	(void)state;
	snprintf(dir, sizeof(dir), "%s", scratch_dir());
	assert_int_equal(chmod(dir, 0755), 0);
	status = in_mount_child(write_to_syslog, dir);
	if (status == CANNOT_MOUNT)
		skip_because("mounts are forbidden here");
	assert_int_equal(status, 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lines_go_to_syslog),
	};

	return run_all(tests);
}
