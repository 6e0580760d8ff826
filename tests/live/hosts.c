/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * hosts.c - see hosts.h.
 */

#include "hosts.h"

#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/capability.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lesser.h"

#define CREATE_RULESET 444L
#define ADD_RULE 445L
#define RESTRICT_SELF 446L
#define MAKE_BLOCK (1ull << 11)
#define SETATTR 442L

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

static int
done(int ret)
{
	if (ret == 0)
		return 0;
	fprintf(stderr, "# host: %s\n", strerror(errno));
	return HOSTS_CANNOT;
}

int
hosts_as_it_is(const char *base)
{
	(void)base;
	return 0;
}

/* ---- Landlock ----------------------------------------------------------- */

static const long landlock_calls[] = {CREATE_RULESET, ADD_RULE, RESTRICT_SELF};

int
hosts_no_landlock(const char *base)
{
	(void)base;
	return done(lesser_refuse(landlock_calls, 3, ENOSYS));
}

int
hosts_landlock_off(const char *base)
{
	(void)base;
	return done(lesser_refuse(landlock_calls, 3, EOPNOTSUPP));
}

static int
landlock_of(int abi)
{
	const struct lesser lesser = {.landlock_abi = abi};

	return lesser_landlock_abi() < abi ? HOSTS_CANNOT
					   : done(lesser_watch(&lesser));
}

int
hosts_landlock_1(const char *base)
{
	(void)base;
	return landlock_of(1);
}

int
hosts_landlock_2(const char *base)
{
	(void)base;
	return landlock_of(2);
}

int
hosts_landlock_3(const char *base)
{
	(void)base;
	return landlock_of(3);
}

int
hosts_landlock_5(const char *base)
{
	(void)base;
	return landlock_of(5);
}

static int
enter_domains(int count)
{
	const uint64_t handled = MAKE_BLOCK;
	int fd = (int)syscall(CREATE_RULESET, &handled, sizeof(handled), 0u);

	if (fd < 0)
		return HOSTS_CANNOT;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return HOSTS_CANNOT;
	while (count-- > 0)
		if (syscall(RESTRICT_SELF, fd, 0u) != 0)
			return done(-1);
	close(fd);
	return 0;
}

int
hosts_in_landlock(const char *base)
{
	(void)base;
	return enter_domains(1);
}

int
hosts_in_15_landlocks(const char *base)
{
	(void)base;
	return enter_domains(15);
}

int
hosts_in_16_landlocks(const char *base)
{
	(void)base;
	return enter_domains(16);
}

/* ---- User namespaces ---------------------------------------------------- */

static int
write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = (ssize_t)strlen(text);
	int ret;

	if (fd < 0)
		return -1;
	ret = write(fd, text, (size_t)len) == len ? 0 : -1;
	close(fd);
	return ret;
}

/* From outside: what may be written from inside is one id. */
static int
write_maps_of(pid_t pid, const char *map)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/uid_map", (long)pid);
	if (write_text(path, map) != 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/%ld/gid_map", (long)pid);
	return write_text(path, map);
}

/* Into a user namespace with all ids, for root; with the own one else. */
static int
enter_user_namespace(void)
{
	char map[64];
	int go[2];
	int status;
	pid_t self = getpid();
	pid_t pid;
	char byte;

	if (geteuid() != 0) {
		unsigned uid = geteuid();
		unsigned gid = getegid();

		if (unshare(CLONE_NEWUSER) != 0)
			return -1;
		write_text("/proc/self/setgroups", "deny");
		snprintf(map, sizeof(map), "%u %u 1\n", uid, uid);
		if (write_text("/proc/self/uid_map", map) != 0)
			return -1;
		snprintf(map, sizeof(map), "%u %u 1\n", gid, gid);
		return write_text("/proc/self/gid_map", map);
	}
	if (pipe2(go, O_CLOEXEC) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		_exit(write_maps_of(self, "0 0 4294967295\n") == 0 ? 0 : 1);
	}
	if (pid < 0 || unshare(CLONE_NEWUSER) != 0 ||
	    write(go[1], "x", 1) != 1 || waitpid(pid, &status, 0) != pid)
		return -1;
	close(go[0]);
	close(go[1]);
	errno = EPERM;
	return status == 0 ? 0 : -1;
}

int
hosts_no_user_namespaces(const char *base)
{
	(void)base;
	if (enter_user_namespace() != 0)
		return done(-1);
	return done(write_text("/proc/sys/user/max_user_namespaces", "0"));
}

int
hosts_no_pid_namespaces(const char *base)
{
	(void)base;
	if (enter_user_namespace() != 0)
		return done(-1);
	return done(write_text("/proc/sys/user/max_pid_namespaces", "0"));
}

int
hosts_filtered_namespaces(const char *base)
{
	(void)base;
	return done(lesser_refuse_user_namespaces(EPERM));
}

int
hosts_filtered_and_old(const char *base)
{
	int ret = hosts_landlock_1(base);

	return ret != 0 ? ret : hosts_filtered_namespaces(base);
}

int
hosts_nothing(const char *base)
{
	return hosts_filtered_namespaces(base) + hosts_no_landlock(base);
}

static int
drop_capabilities(uint64_t dropped)
{
	struct __user_cap_header_struct head = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	int i;

	if (geteuid() != 0)
		return 0;
	for (i = 0; i < 64; i++)
		if ((dropped & 1ull << i) != 0 &&
		    prctl(PR_CAPBSET_DROP, i, 0, 0, 0) != 0 && errno != EINVAL)
			return -1;
	if (syscall(SYS_capget, &head, data) != 0)
		return -1;
	for (i = 0; i < 2; i++) {
		uint32_t kept = ~(uint32_t)(dropped >> (32 * i));

		data[i].effective &= kept;
		data[i].permitted &= kept;
		data[i].inheritable &= kept;
	}
	return (int)syscall(SYS_capset, &head, data);
}

int
hosts_docker(const char *base)
{
	/* Those of its profile that matter here; without CAP_SYS_ADMIN they
	 * are refused. */
	static const long calls[] = {SYS_mount, SYS_umount2, SYS_pivot_root,
	    SYS_setns, SYS_unshare, SYS_sethostname, SYS_bpf, SYS_syslog,
	    SYS_perf_event_open, SYS_quotactl, SYS_keyctl, SYS_add_key,
	    SYS_request_key, SYS_open_by_handle_at, 428, 429, 430, 431, 432,
	    433, 442};
	const uint64_t kept =
	    1ull << CAP_CHOWN | 1ull << CAP_DAC_OVERRIDE | 1ull << CAP_FSETID |
	    1ull << CAP_FOWNER | 1ull << CAP_MKNOD | 1ull << CAP_NET_RAW |
	    1ull << CAP_SETGID | 1ull << CAP_SETUID | 1ull << CAP_SETFCAP |
	    1ull << CAP_SETPCAP | 1ull << CAP_NET_BIND_SERVICE |
	    1ull << CAP_SYS_CHROOT | 1ull << CAP_KILL | 1ull << CAP_AUDIT_WRITE;

	(void)base;
	if (drop_capabilities(~kept) != 0 ||
	    lesser_refuse(calls, sizeof(calls) / sizeof(*calls), EPERM) != 0)
		return done(-1);
	return done(lesser_refuse_user_namespaces(EPERM));
}

int
hosts_no_maps(const char *base)
{
	const struct lesser lesser = {.has_no_maps = true};

	(void)base;
	return done(lesser_watch(&lesser));
}

/* As uid inside; nobody else is there. */
static int
enter_with_one_id(unsigned uid, unsigned gid)
{
	unsigned outer_uid = geteuid();
	unsigned outer_gid = getegid();
	char map[64];

	if (unshare(CLONE_NEWUSER) != 0)
		return -1;
	write_text("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1\n", uid, outer_uid);
	if (write_text("/proc/self/uid_map", map) != 0)
		return -1;
	snprintf(map, sizeof(map), "%u %u 1\n", gid, outer_gid);
	return write_text("/proc/self/gid_map", map);
}

int
hosts_one_id(const char *base)
{
	(void)base;
	return done(enter_with_one_id(geteuid(), getegid()));
}

int
hosts_mapped_root(const char *base)
{
	(void)base;
	return done(enter_with_one_id(0, 0));
}

/* ---- Capabilities ------------------------------------------------------- */

int
hosts_no_sys_admin(const char *base)
{
	(void)base;
	return done(drop_capabilities(1ull << CAP_SYS_ADMIN));
}

int
hosts_no_setfcap(const char *base)
{
	(void)base;
	return done(drop_capabilities(1ull << CAP_SETFCAP));
}

int
hosts_neither_cap(const char *base)
{
	(void)base;
	return done(
	    drop_capabilities(1ull << CAP_SYS_ADMIN | 1ull << CAP_SETFCAP));
}

/* ---- Mounts ------------------------------------------------------------- */

/* Where this process may mount without anybody else's seeing it. */
static int
enter_mounts(void)
{
	if (geteuid() != 0 && enter_user_namespace() != 0)
		return -1;
	if (unshare(CLONE_NEWNS) != 0)
		return -1;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

int
hosts_no_proc(const char *base)
{
	(void)base;
	if (HAS_SANITIZER)
		return HOSTS_CANNOT; /* it does not start without */
	if (enter_mounts() != 0)
		return done(-1);
	return done(mount("none", "/proc", "tmpfs", MS_RDONLY, NULL));
}

int
hosts_read_only(const char *base)
{
	struct {
		uint64_t set, clear, propagation, user_fd;
	} read_only = {.set = 1};
	struct stat st;

	if (enter_mounts() != 0 || stat(base, &st) != 0)
		return done(-1);
	/* And /tmp with it, which may be a mount of its own. */
	if (syscall(SETATTR, AT_FDCWD, "/", 0, &read_only, sizeof(read_only)) !=
		0 ||
	    (syscall(SETATTR, AT_FDCWD, "/tmp", 0, &read_only,
		 sizeof(read_only)) != 0 &&
		errno != EINVAL) ||
	    mount("here", base, "tmpfs", 0, NULL) != 0)
		return done(-1);
	/* As it was: ours, or the user's that will be. */
	return done(chown(base, st.st_uid, st.st_gid) | chmod(base, 0755));
}

int
hosts_read_only_sysctls(const char *base)
{
	(void)base;
	if (enter_mounts() != 0 ||
	    mount("/proc/sys", "/proc/sys", NULL, MS_BIND, NULL) != 0)
		return done(-1);
	return done(mount(
	    NULL, "/proc/sys", NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL));
}

int
hosts_no_tmpfs(const char *base)
{
	const struct lesser lesser = {.has_no_tmpfs = true};

	(void)base;
	return done(lesser_watch(&lesser));
}

int
hosts_chroot(const char *base)
{
	char root[PATH_MAX];

	snprintf(root, sizeof(root), "%s/root", base);
	if (enter_mounts() != 0 || mkdir(root, 0755) != 0 ||
	    mount("/", root, NULL, MS_BIND | MS_REC, NULL) != 0 ||
	    chroot(root) != 0)
		return done(-1);
	return done(chdir("/"));
}

/* ---- Filters ------------------------------------------------------------ */

int
hosts_no_filters(const char *base)
{
	static const long calls[] = {SYS_seccomp};

	(void)base;
	if (lesser_refuse_prctl(PR_SET_SECCOMP, EINVAL) != 0)
		return done(-1);
	return done(lesser_refuse(calls, 1, ENOSYS));
}
