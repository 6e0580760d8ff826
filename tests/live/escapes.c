/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes.c - further attempts, on what only the whole stack holds: signals,
 * keys, the machine's privileged calls, the ways around by other interfaces.
 * Where success would hurt, the error that comes behind the check for
 * privilege counts as success.
 */

#include "escapes.h"

#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRICK(name) static int name(const char *dir, const char *arg)
#define UNUSED (void)dir, (void)arg
#define DB "data/memory.db"
#define CONFIG "config.toml"

/* dir/rest in one of a few buffers. */
static char *
in(const char *dir, const char *rest)
{
	static char buffers[4][2 * PATH_MAX];
	static unsigned next;
	char *buffer = buffers[next++ % 4];

	snprintf(buffer, sizeof(buffers[0]), "%s/%s", dir, rest);
	return buffer;
}

socklen_t
escapes_abstract(const char *name, struct sockaddr_un *address)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "%.*s",
	    (int)sizeof(address->sun_path) - 2, name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   strlen(address->sun_path + 1));
}

static int
result(long ret)
{
	return ret < 0 ? (errno == 0 ? EIO : errno) : 0;
}

/* It got as far as to this error, so nobody had forbidden it. */
static int
reached(long ret, int expected)
{
	return ret < 0 && errno == expected ? 0 : result(ret);
}

static pid_t
outside(const char *arg)
{
	return (pid_t)strtol(arg, NULL, 10);
}

/* ---- The data and config.toml, by other calls ---------------------------- */

/* A descriptor that only names the file, opened again. */
TRICK(reopen_data)
{
	char path[64];
	int fd = open(in(dir, DB), O_PATH);

	(void)arg;
	if (fd < 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return attempts_read_secret(path);
}

TRICK(link_by_descriptor)
{
	char path[64];
	int fd = open(in(dir, DB), O_PATH);

	(void)arg;
	if (fd < 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return result(linkat(AT_FDCWD, path, AT_FDCWD,
	    in(dir, "workspace/by-fd"), AT_SYMLINK_FOLLOW));
}

TRICK(watch_data)
{
	(void)arg;
	return result(
	    inotify_add_watch(inotify_init(), in(dir, "data"), IN_ALL_EVENTS));
}

TRICK(remove_data)
{
	(void)arg;
	unlink(in(dir, DB));
	unlink(in(dir, "data/tool"));
	return result(rmdir(in(dir, "data")));
}

TRICK(handle_of_data)
{
	union {
		struct file_handle head;
		char space[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} handle;
	int id;

	(void)arg;
	handle.head.handle_bytes = MAX_HANDLE_SZ;
	return result(
	    name_to_handle_at(AT_FDCWD, in(dir, DB), &handle.head, &id, 0));
}

TRICK(link_config)
{
	(void)arg;
	return result(link(in(dir, CONFIG), in(dir, "workspace/c")));
}

TRICK(truncate_config)
{
	(void)arg;
	return result(truncate(in(dir, CONFIG), 0));
}

TRICK(chown_config)
{
	(void)arg;
	return result(chown(in(dir, CONFIG), geteuid(), getegid()));
}

TRICK(touch_config)
{
	(void)arg;
	return result(utimensat(AT_FDCWD, in(dir, CONFIG), NULL, 0));
}

TRICK(xattr_config)
{
	(void)arg;
	return result(setxattr(in(dir, CONFIG), "user.omega", "x", 1, 0));
}

TRICK(map_config)
{
	int fd = open(in(dir, CONFIG), O_RDWR);

	(void)arg;
	if (fd < 0)
		return errno;
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) ==
		       MAP_FAILED
		   ? errno
		   : 0;
}

TRICK(exchange_config)
{
	(void)arg;
	return result(syscall(SYS_renameat2, AT_FDCWD, in(dir, CONFIG),
	    AT_FDCWD, in(dir, "workspace/file"), 2));
}

TRICK(config_by_other_root)
{
	char path[3 * PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/root%s", outside(arg),
	    in(dir, CONFIG));
	return attempts_read_secret(path);
}

/* io_uring opens the file in the kernel's own time. */
static int
open_by_ring(const char *path)
{
	struct io_uring_params params;
	struct io_uring_sqe *entry;
	struct io_uring_cqe *done;
	unsigned char *rings;
	unsigned *tail;
	int ring;

	memset(&params, 0, sizeof(params));
	ring = (int)syscall(425, 4, &params);
	if (ring < 0)
		return errno;
	rings = mmap(NULL, 16384, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_POPULATE, ring, 0);
	entry = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_POPULATE, ring, 0x10000000);
	if (rings == MAP_FAILED || (void *)entry == MAP_FAILED)
		return errno;
	memset(entry, 0, sizeof(*entry));
	entry->opcode = IORING_OP_OPENAT;
	entry->fd = AT_FDCWD;
	entry->addr = (uint64_t)(uintptr_t)path;
	entry->open_flags = O_RDONLY;
	entry->flags = IOSQE_ASYNC; /* by a worker */
	*(unsigned *)(void *)(rings + params.sq_off.array) = 0;
	tail = (unsigned *)(void *)(rings + params.sq_off.tail);
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(426, ring, 1, 1, 1, NULL, 0) < 0)
		return errno;
	done = (struct io_uring_cqe *)(void *)(rings + params.cq_off.cqes);
	return done->res < 0 ? -done->res : 0;
}

TRICK(ring_data)
{
	(void)arg;
	return open_by_ring(in(dir, DB));
}

TRICK(ring_config)
{
	(void)arg;
	return open_by_ring(in(dir, CONFIG));
}

/* ---- config.toml where there is none ------------------------------------- */

TRICK(absent_create)
{
	(void)arg;
	return result(open(in(dir, CONFIG), O_CREAT | O_WRONLY, 0600));
}

TRICK(absent_rename)
{
	(void)arg;
	return result(rename(in(dir, "workspace/file"), in(dir, CONFIG)));
}

TRICK(absent_link)
{
	(void)arg;
	return result(link(in(dir, "workspace/file"), in(dir, CONFIG)));
}

TRICK(absent_symlink)
{
	(void)arg;
	return result(symlink("workspace/file", in(dir, CONFIG)));
}

TRICK(absent_mkdir)
{
	(void)arg;
	return result(mkdir(in(dir, CONFIG), 0700));
}

TRICK(absent_fifo)
{
	(void)arg;
	return result(mkfifo(in(dir, CONFIG), 0600));
}

TRICK(absent_socket)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)arg;
	if (chdir(dir) != 0)
		return errno;
	snprintf(at.sun_path, sizeof(at.sun_path), CONFIG);
	return result(bind(fd, (struct sockaddr *)&at, sizeof(at)));
}

/* A temporary file without a name, given this one. */
TRICK(absent_tmpfile)
{
	char path[64];
	int fd = open(in(dir, "workspace"), O_TMPFILE | O_RDWR, 0600);

	(void)arg;
	if (fd < 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return result(linkat(
	    AT_FDCWD, path, AT_FDCWD, in(dir, CONFIG), AT_SYMLINK_FOLLOW));
}

/* ---- Any denied file: arg is not needed, dir is the file ------------------
 */

TRICK(denied_read)
{
	(void)arg;
	return attempts_read_secret(dir);
}

TRICK(denied_write)
{
	(void)arg;
	return result(open(dir, O_WRONLY));
}

TRICK(denied_chmod)
{
	(void)arg;
	return result(chmod(dir, 0600));
}

static int
move_aside(const char *path)
{
	char other[PATH_MAX + 8];

	snprintf(other, sizeof(other), "%s.x", path);
	return rename(path, other) != 0 ? errno : result(rename(other, path));
}

TRICK(denied_rename)
{
	(void)arg;
	return move_aside(dir);
}

TRICK(denied_rename_parent)
{
	char path[PATH_MAX];

	(void)arg;
	snprintf(path, sizeof(path), "%s", dir);
	*strrchr(path, '/') = '\0';
	return move_aside(path);
}

/* dir is a symbolic link to the data directory. */
TRICK(repoint_unlink)
{
	char target[PATH_MAX] = "";

	(void)arg;
	if (readlink(dir, target, sizeof(target) - 1) < 0)
		return errno;
	return unlink(dir) != 0 ? errno : result(symlink(target, dir));
}

TRICK(repoint_replace)
{
	char target[PATH_MAX] = "";
	char other[PATH_MAX + 8];

	(void)arg;
	snprintf(other, sizeof(other), "%s.new", dir);
	if (readlink(dir, target, sizeof(target) - 1) < 0)
		return errno;
	unlink(other);
	return symlink(target, other) != 0 ? errno : result(rename(other, dir));
}

TRICK(repoint_target)
{
	char real[PATH_MAX];

	(void)arg;
	return realpath(dir, real) == NULL ? errno : move_aside(real);
}

/* ---- System directories -------------------------------------------------- */

TRICK(system_reopen)
{
	char path[64];
	int fd = open("/etc/hostname", O_RDONLY);

	UNUSED;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return result(open(path, O_WRONLY));
}

TRICK(system_fchmod)
{
	struct stat st;
	int fd = open("/etc/hostname", O_RDONLY);

	UNUSED;
	if (fd < 0 || fstat(fd, &st) != 0)
		return errno;
	return result(fchmod(fd, st.st_mode & 07777));
}

TRICK(system_chown)
{
	UNUSED;
	return result(chown("/etc/hostname", 0, 0));
}

TRICK(system_utimes)
{
	struct stat st;
	struct timespec times[2];

	UNUSED;
	if (stat("/usr/bin/true", &st) != 0)
		return errno;
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	return result(utimensat(AT_FDCWD, "/usr/bin/true", times, 0));
}

TRICK(system_xattr)
{
	int ret;

	UNUSED;
	ret = setxattr("/etc/hostname", "trusted.omega", "x", 1, 0);
	if (ret != 0 && errno == EPERM)
		ret = setxattr("/etc/hostname", "user.omega", "x", 1, 0);
	if (ret != 0)
		return errno;
	removexattr("/etc/hostname", "trusted.omega");
	return 0;
}

TRICK(system_flags)
{
	int fd = open("/etc/hostname", O_RDONLY);
	int flags = 0;

	UNUSED;
	if (ioctl(fd, 0x80086601, &flags) != 0) /* FS_IOC_GETFLAGS */
		return errno;
	return result(ioctl(fd, 0x40086602, &flags));
}

TRICK(system_rename)
{
	UNUSED;
	return move_aside("/etc/hostname");
}

TRICK(system_link_out)
{
	char *path = in(dir, "workspace/hostname");
	int ret;

	(void)arg;
	if (link("/etc/hostname", path) != 0)
		return errno;
	ret = open(path, O_WRONLY);
	ret = result(ret);
	unlink(path);
	return ret;
}

static int
make_and_remove(const char *path)
{
	return mkdir(path, 0700) != 0 ? errno : result(rmdir(path));
}

TRICK(system_create)
{
	static const char *const places[] = {"/usr/bin", "/usr/sbin",
	    "/usr/lib", "/usr/libexec", "/boot", "/dev", NULL};
	char path[64];
	int i;
	int worst = ENOENT;

	UNUSED;
	for (i = 0; places[i] != NULL; i++) {
		int ret;

		snprintf(path, sizeof(path), "%s/omega-test", places[i]);
		ret = make_and_remove(path);
		if (ret == 0)
			return 0;
		worst = ret;
	}
	return worst;
}

TRICK(system_remount)
{
	struct {
		uint64_t set, clear, propagation, fd;
	} attributes = {0, 1, 0, 0}; /* MOUNT_ATTR_RDONLY */

	UNUSED;
	mount(NULL, "/etc", NULL, MS_REMOUNT | MS_BIND, NULL);
	syscall(442, AT_FDCWD, "/etc", 0, &attributes, sizeof(attributes));
	umount2("/etc", MNT_DETACH);
	return result(open("/etc/hostname", O_WRONLY));
}

TRICK(mount_over)
{
	char *path = in(dir, "workspace");

	(void)arg;
	if (mount("t", path, "tmpfs", 0, NULL) != 0)
		return errno;
	umount2(path, MNT_DETACH);
	return 0;
}

TRICK(mount_new_way)
{
	UNUSED;
	return result(syscall(430, "tmpfs", 0)); /* fsopen */
}

/* The first of the block devices that can be opened. */
TRICK(all_disks)
{
	DIR *stream = opendir("/dev");
	const struct dirent *entry;
	int last = ENXIO;

	UNUSED;
	while (stream != NULL && (entry = readdir(stream)) != NULL) {
		struct stat st;
		char *path = in("/dev", entry->d_name);

		if (stat(path, &st) != 0 || !S_ISBLK(st.st_mode))
			continue;
		if (open(path, O_RDONLY | O_NONBLOCK) >= 0)
			return 0;
		last = errno;
	}
	return last;
}

/* A node of our own for the first disk there is. */
static int
make_node(const char *path, mode_t mode, dev_t device)
{
	int ret;

	unlink(path);
	if (mknod(path, mode | 0600, device) != 0)
		return errno;
	ret = open(path, O_RDONLY | O_NONBLOCK);
	ret = result(ret);
	unlink(path);
	return ret;
}

TRICK(disk_node)
{
	FILE *list = fopen("/proc/partitions", "r");
	char line[128];
	unsigned major_number;
	unsigned minor_number;
	unsigned long blocks;
	int last = ENXIO;

	(void)arg;
	while (list != NULL && fgets(line, sizeof(line), list) != NULL) {
		if (sscanf(line, "%u %u %lu", &major_number, &minor_number,
			&blocks) != 3 ||
		    blocks == 0)
			continue;
		last = make_node(in(dir, "workspace/disk"), S_IFBLK,
		    makedev(major_number, minor_number));
		if (last == 0)
			break;
	}
	return last;
}

TRICK(memory_node)
{
	(void)arg;
	return make_node(in(dir, "workspace/kmsg"), S_IFCHR, makedev(1, 11));
}

TRICK(kernel_messages)
{
	UNUSED;
	return result(open("/dev/kmsg", O_RDONLY | O_NONBLOCK));
}

TRICK(cgroup_files)
{
	UNUSED;
	if (access("/sys/fs/cgroup/cgroup.procs", F_OK) != 0)
		return errno;
	return result(open("/sys/fs/cgroup/cgroup.procs", O_WRONLY));
}

TRICK(kernel_log)
{
	char text[64];

	UNUSED;
	return result(syscall(SYS_syslog, 3, text, sizeof(text)));
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
	return reached(syscall(SYS_delete_module, "omega-none", 0), ENOENT);
}

TRICK(load_kernel)
{
	UNUSED;
	/* Bad flags: looked at behind the privilege. */
	return reached(syscall(SYS_kexec_load, 0, 0, NULL, 0x0badL), EINVAL);
}

TRICK(restart)
{
	UNUSED;
	/* An unknown command. */
	return reached(
	    syscall(SYS_reboot, 0xfee1dead, 672274793, 0x0bad, NULL), EINVAL);
}

TRICK(swap)
{
	UNUSED;
	return reached(syscall(SYS_swapon, "/nowhere", 0), ENOENT);
}

TRICK(name_the_host)
{
	char name[HOST_NAME_MAX + 1];

	UNUSED;
	if (gethostname(name, sizeof(name)) != 0)
		return errno;
	return result(sethostname(name, strlen(name)));
}

TRICK(account)
{
	UNUSED;
	return reached(syscall(SYS_acct, "/nowhere/omega"), ENOENT);
}

TRICK(use_bpf)
{
	uint32_t attributes[32] = {2, 4, 4, 1}; /* an array of one */

	UNUSED;
	return result(syscall(SYS_bpf, 0, attributes, sizeof(attributes)));
}

TRICK(packet_socket)
{
	UNUSED;
	return result(socket(AF_PACKET, SOCK_RAW, 0));
}

/* ---- Processes outside --------------------------------------------------- */

/* Address 0 is not there: the check for permission comes before. */
TRICK(vm_read)
{
	char byte;
	struct iovec here = {&byte, 1};
	struct iovec there = {NULL, 1};

	(void)dir;
	return reached(
	    process_vm_readv(outside(arg), &here, 1, &there, 1, 0), EFAULT);
}

TRICK(vm_write)
{
	char byte = 0;
	struct iovec here = {&byte, 1};
	struct iovec there = {NULL, 1};

	(void)dir;
	return reached(
	    process_vm_writev(outside(arg), &here, 1, &there, 1, 0), EFAULT);
}

TRICK(seize)
{
	(void)dir;
	return result(ptrace(PTRACE_SEIZE, outside(arg), NULL, NULL));
}

TRICK(read_environment)
{
	char path[64];

	(void)dir;
	snprintf(path, sizeof(path), "/proc/%d/environ", outside(arg));
	return result(open(path, O_RDONLY));
}

TRICK(read_map)
{
	char path[64];

	(void)dir;
	snprintf(path, sizeof(path), "/proc/%d/maps", outside(arg));
	return result(open(path, O_RDONLY));
}

TRICK(signal_kill)
{
	(void)dir;
	return result(kill(outside(arg), SIGCONT));
}

TRICK(signal_thread)
{
	(void)dir;
	return result(syscall(SYS_tgkill, outside(arg), outside(arg), SIGCONT));
}

TRICK(signal_pidfd)
{
	int fd = (int)syscall(434, outside(arg), 0);

	(void)dir;
	if (fd < 0)
		return errno;
	return result(syscall(424, fd, SIGCONT, NULL, 0));
}

TRICK(signal_group)
{
	(void)dir;
	if (setpgid(0, 0) != 0) /* we are allowed to signal ourselves */
		return errno;
	return result(killpg(getpgid(outside(arg)), 0));
}

static int
has_ended(pid_t pid)
{
	char path[64];
	char text[512] = "";
	const char *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return errno == ENOENT;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	at = n > 0 ? strrchr(text, ')') : NULL;
	return at == NULL || at[2] == 'Z' || at[2] == 'X';
}

/* The kernel sends it, on behalf of the owner of a descriptor. */
TRICK(signal_by_owner)
{
	int pair[2];
	int i;

	(void)dir;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 ||
	    fcntl(pair[0], F_SETOWN, outside(arg)) != 0 ||
	    fcntl(pair[0], F_SETSIG, SIGKILL) != 0 ||
	    fcntl(pair[0], F_SETFL, O_ASYNC) != 0)
		return errno;
	if (write(pair[1], "x", 1) != 1)
		return errno;
	for (i = 0; i < 20 && !has_ended(outside(arg)); i++)
		usleep(10000);
	return has_ended(outside(arg)) ? 0 : EPERM;
}

/* Without processor time the kernel would kill it. */
TRICK(limit_other)
{
	struct rlimit limit = {4096, 4096};

	(void)dir;
	return result(prlimit(outside(arg), RLIMIT_CORE, &limit, NULL));
}

TRICK(join_by_pidfd)
{
	int fd = (int)syscall(434, outside(arg), 0);

	if (fd < 0)
		return errno;
	if (setns(fd, CLONE_NEWUSER | CLONE_NEWNS) != 0 &&
	    setns(fd, CLONE_NEWNS) != 0)
		errno = 0;
	return attempts_read_secret(in(dir, DB));
}

TRICK(watch_other)
{
	struct perf_event_attr attributes;

	(void)dir;
	memset(&attributes, 0, sizeof(attributes));
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.size = sizeof(attributes);
	attributes.config = PERF_COUNT_SW_TASK_CLOCK;
	attributes.exclude_kernel = 1;
	return result(
	    syscall(SYS_perf_event_open, &attributes, outside(arg), -1, -1, 0));
}

/* ---- Keys, sockets ------------------------------------------------------- */

TRICK(session_keyring)
{
	UNUSED;
	return result(syscall(SYS_keyctl, 0, -3, 0)); /* GET_KEYRING_ID */
}

TRICK(user_keyring)
{
	UNUSED;
	return result(syscall(SYS_keyctl, 0, -4, 1));
}

TRICK(new_key)
{
	UNUSED;
	return result(syscall(SYS_add_key, "user", "omega-test", "x", 1, -2));
}

TRICK(ask_for_key)
{
	UNUSED;
	/* There is none of this name. */
	return reached(
	    syscall(SYS_request_key, "user", "omega-none", NULL, 0), ENOKEY);
}

/* One outside has the name of the data directory. */
TRICK(abstract_socket)
{
	struct sockaddr_un to;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	socklen_t size = escapes_abstract(dir, &to);

	(void)arg;
	return result(connect(fd, (struct sockaddr *)&to, size));
}

/* dir is the socket. */
TRICK(path_socket)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)arg;
	snprintf(to.sun_path, sizeof(to.sun_path), "%.100s", dir);
	return result(connect(fd, (struct sockaddr *)&to, sizeof(to)));
}

/* Root becomes the user the socket is for. */
TRICK(path_socket_as_user)
{
	struct stat st;

	if (stat(dir, &st) != 0 || setgid(st.st_gid) != 0 ||
	    setuid(st.st_uid) != 0)
		return errno;
	return path_socket(dir, arg);
}

/* ---- The terminal: descriptor 0 ------------------------------------------ */

TRICK(type_ahead)
{
	UNUSED;
	return result(ioctl(0, TIOCSTI, "x"));
}

/* The kernel looks at the lower half of the request only. */
TRICK(type_ahead_wide)
{
	UNUSED;
	return result(syscall(SYS_ioctl, 0, 0x100000000UL | TIOCSTI, "x"));
}

TRICK(type_by_name)
{
	char path[64] = "";

	UNUSED;
	if (ttyname_r(0, path, sizeof(path)) != 0)
		return errno;
	return result(ioctl(open(path, O_RDWR), TIOCSTI, "x"));
}

/*
 * A terminal that nobody has made his own yet, as every new window's is for a
 * moment: whoever leads a session can take it, so a session of one's own is
 * no protection.
 */
TRICK(type_into_a_free_one)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	int slave;

	UNUSED;
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		return errno;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0 || setsid() < 0 || ioctl(slave, TIOCSCTTY, 0) != 0)
		return ENXIO; /* not what is expected */
	return result(ioctl(slave, TIOCSTI, "x"));
}

/* ---- Descriptors of the host --------------------------------------------- */

TRICK(inherited_directory)
{
	int fd;
	int i;

	UNUSED;
	for (i = 0; i < 64; i++) {
		fd = openat(i, DB, O_RDONLY);
		if (fd >= 0)
			return 0;
	}
	return errno;
}

/* ---- The next command ---------------------------------------------------- */

static pid_t
parent_of(pid_t pid)
{
	char path[64];
	char text[512] = "";
	const char *at;
	int parent = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) > 0 &&
	    (at = strrchr(text, ')')) != NULL)
		sscanf(at + 2, "%*c %d", &parent);
	close(fd);
	return parent;
}

static int
assault(pid_t pid, bool is_apart)
{
	char path[64];
	char byte = 0;
	struct iovec here = {&byte, 1};
	struct iovec there = {NULL, 1};
	int status;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	if (open(path, O_RDWR) >= 0)
		return 1;
	if (process_vm_writev(pid, &here, 1, &there, 1, 0) < 0 &&
	    errno == EFAULT)
		return 2;
	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) == 0) {
		waitpid(pid, &status, 0);
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
		return 3;
	}
	return is_apart && kill(pid, SIGCONT) == 0 ? 4 : 0;
}

/* Attack every other child of our parent, and that, until dir/stop is there.
 * Not kept apart from them: only the memory of our parent. */
static int
reside(const char *dir, bool is_apart)
{
	pid_t host = getppid();
	pid_t self = getpid();
	char *stop = strdup(in(dir, "workspace/stop"));
	int seen = 0;
	int way;

	close(open(in(dir, "workspace/ready"), O_CREAT | O_WRONLY, 0600));
	while (access(stop, F_OK) != 0) {
		pid_t pid = 0;
		int fd = open("/proc/loadavg", O_RDONLY);
		char text[128] = "";
		const char *at;
		pid_t newest;

		if (read(fd, text, sizeof(text) - 1) <= 0)
			return 240;
		close(fd);
		at = strrchr(text, ' ');
		newest = at != NULL ? (pid_t)strtol(at, NULL, 10) : 0;
		for (pid = newest; is_apart && pid > newest - 6 && pid > 0;
		     pid--) {
			if (pid == self || parent_of(pid) != host)
				continue;
			seen++;
			if ((way = assault(pid, true)) != 0) {
				fprintf(stderr,
				    "# the next command was reached: %d\n",
				    way);
				return 0;
			}
		}
		if ((way = assault(host, is_apart)) != 0) {
			fprintf(stderr, "# the host was reached: %d\n", way);
			return 0;
		}
	}
	return seen > 0 || !is_apart ? EPERM : ENODATA;
}

TRICK(resident)
{
	(void)arg;
	return reside(dir, true);
}

TRICK(resident_against_the_host)
{
	(void)arg;
	return reside(dir, false);
}

#define BOTH ATTEMPTS_ATTACK, 0
#define ROOT ATTEMPTS_ATTACK, 1
#define MAYBE ATTEMPTS_MAYBE, 0
#define ROOT_MAYBE ATTEMPTS_MAYBE, 1

const struct attempt escapes_data[] = {
    {"reopen by /proc/self/fd", BOTH, reopen_data},
    {"link by /proc/self/fd", BOTH, link_by_descriptor},
    {"inotify", BOTH, watch_data},
    {"remove data", BOTH, remove_data},
    {"name_to_handle_at", MAYBE, handle_of_data},
    {"link config.toml", BOTH, link_config},
    {"truncate config.toml", BOTH, truncate_config},
    {"chown config.toml", BOTH, chown_config},
    {"utimes config.toml", BOTH, touch_config},
    {"xattr config.toml", BOTH, xattr_config},
    {"mmap config.toml", BOTH, map_config},
    {"exchange config.toml", BOTH, exchange_config},
    {"config.toml by /proc/PID/root", BOTH, config_by_other_root},
    {"io_uring data", MAYBE, ring_data},
    {"io_uring config.toml", MAYBE, ring_config},
    {NULL, BOTH, NULL},
};

const struct attempt escapes_absent[] = {
    {"absent: create", BOTH, absent_create},
    {"absent: rename", BOTH, absent_rename},
    {"absent: link", BOTH, absent_link},
    {"absent: symlink", BOTH, absent_symlink},
    {"absent: mkdir", BOTH, absent_mkdir},
    {"absent: mkfifo", BOTH, absent_fifo},
    {"absent: bind", BOTH, absent_socket},
    {"absent: O_TMPFILE", BOTH, absent_tmpfile},
    {NULL, BOTH, NULL},
};

const struct attempt escapes_denied[] = {
    {"denied: read", BOTH, denied_read},
    {"denied: write", BOTH, denied_write},
    {"denied: chmod", BOTH, denied_chmod},
    {"denied: rename", BOTH, denied_rename},
    {"denied: rename the parent", BOTH, denied_rename_parent},
    {NULL, BOTH, NULL},
};

const struct attempt escapes_link[] = {
    {"link: unlink", BOTH, repoint_unlink},
    {"link: replace", BOTH, repoint_replace},
    {"link: move it", BOTH, denied_rename},
    {"link: move the target", BOTH, repoint_target},
    {NULL, BOTH, NULL},
};

const struct attempt escapes_system[] = {
    {"system: reopen", ROOT, system_reopen},
    {"system: fchmod", ROOT, system_fchmod},
    {"system: chown", ROOT, system_chown},
    {"system: utimes", ROOT, system_utimes},
    {"system: xattr", ROOT, system_xattr},
    {"system: chattr", ROOT_MAYBE, system_flags},
    {"system: rename", ROOT_MAYBE, system_rename},
    {"system: link out", ROOT_MAYBE, system_link_out},
    {"system: create", ROOT, system_create},
    {"system: remount", ROOT, system_remount},
    {"mount", ROOT, mount_over},
    {"fsopen", ROOT, mount_new_way},
    {"every disk", ROOT_MAYBE, all_disks},
    {"node of a disk", ROOT_MAYBE, disk_node},
    {"node of kmsg", ROOT_MAYBE, memory_node},
    {"/dev/kmsg", ROOT_MAYBE, kernel_messages},
    {"cgroup", ROOT_MAYBE, cgroup_files},
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

const struct attempt escapes_outside[] = {
    {"process_vm_readv", BOTH, vm_read},
    {"process_vm_writev", BOTH, vm_write},
    {"PTRACE_SEIZE", BOTH, seize},
    {"/proc/PID/environ", BOTH, read_environment},
    {"/proc/PID/maps", BOTH, read_map},
    {"kill", BOTH, signal_kill},
    {"tgkill", BOTH, signal_thread},
    {"pidfd_send_signal", BOTH, signal_pidfd},
    {"killpg", BOTH, signal_group},
    {"signal by F_SETOWN", BOTH, signal_by_owner},
    {"prlimit", BOTH, limit_other},
    {"setns by a pidfd", BOTH, join_by_pidfd},
    {"perf_event_open", MAYBE, watch_other},
    {"session keyring", MAYBE, session_keyring},
    {"user keyring", MAYBE, user_keyring},
    {"add_key", MAYBE, new_key},
    {"request_key", MAYBE, ask_for_key},
    {"abstract socket", BOTH, abstract_socket},
    {NULL, BOTH, NULL},
};

const struct attempt escapes_terminal[] = {
    {"TIOCSTI", MAYBE, type_ahead},
    {"TIOCSTI with upper bits", MAYBE, type_ahead_wide},
    {"TIOCSTI by name", MAYBE, type_by_name},
    {"TIOCSTI into a free terminal", MAYBE, type_into_a_free_one},
    {NULL, BOTH, NULL},
};

const struct attempt escapes_single[] = {
    {"connect", BOTH, path_socket},
    {"connect as its user", ROOT, path_socket_as_user},
    {"inherited directory", BOTH, inherited_directory},
    {"resident", BOTH, resident},
    {"resident against the host", BOTH, resident_against_the_host},
    {NULL, BOTH, NULL},
};

int
escapes_main(int argc, char **argv)
{
	static const struct attempt *const lists[] = {escapes_data,
	    escapes_absent, escapes_denied, escapes_link, escapes_system,
	    escapes_outside, escapes_terminal, escapes_single, NULL};
	const struct attempt *at;
	int i;

	if (argc >= 4 && strcmp(argv[1], "attempt") == 0)
		for (i = 0; lists[i] != NULL; i++)
			for (at = lists[i]; at->name != NULL; at++)
				if (strcmp(at->name, argv[2]) == 0)
					return at->fn(
					    argv[3], argc > 4 ? argv[4] : "");
	return attempts_main(argc, argv);
}
