/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ruleset.c - see landlock.h and ruleset.h.
 */

#include "ruleset.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "landlock.h"

/* What a child takes on. */
struct restricting {
	int ruleset;
	struct fresh fresh;
};

/* A ruleset under construction. */
struct work {
	int abi;
	int fd;
	uint64_t handled;
	uint64_t handled_ports;
	uint64_t granting; /* the rights the walk under way grants */
	struct classes classes;
	struct restricting restricting;
	struct seen seen;
	const struct omega_sandbox_request *request;
	struct omega_sandbox_launch *launch;
};

static int
allow(struct work *work, int fd, uint64_t rights)
{
	struct calls_path_beneath rule = {
	    .allowed = rights & work->handled, .parent_fd = fd};
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISDIR(st.st_mode))
		rule.allowed = rights_for_file(rule.allowed);
	if (rule.allowed == 0)
		return 0;
	if (calls_allow(work->fd, &rule) != 0)
		return -errno;
	fresh_note(&work->restricting.fresh, fd, st.st_dev, rule.allowed);
	return 0;
}

static int
allow_walked(void *arg, int fd)
{
	struct work *work = arg;

	return allow(work, fd, work->granting);
}

static int
note_directory(void *arg, const char *dir)
{
	struct work *work = arg;
	int ret = seen_add(&work->seen, dir, 1);

	if (ret == -E2BIG)
		work->launch->explain(
		    work->launch, "too many directories to enumerate");
	return ret;
}

static int
has_kind(
    const struct omega_sandbox_atom *const *atoms, size_t count, uint32_t kind)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (atoms[i]->kind == kind)
			return 1;
	return 0;
}

static int
is_denied(const struct class *class, const char *path)
{
	size_t i;

	for (i = 0; i < class->denied_count; i++)
		if (strcmp(class->denied[i], path) == 0)
			return 1;
	return 0;
}

/* What another backend has put there. */
static int
allow_stand_ins(struct work *work, const char *path, uint64_t rights)
{
	const struct omega_sandbox_request *request = work->request;
	size_t i;
	int ret = 0;

	if (!OMEGA_SANDBOX_HAS(request, stand_in_count))
		return 0;
	for (i = 0; ret == 0 && i < request->stand_in_count; i++)
		if (strcmp(request->stand_ins[i].path, path) == 0)
			ret = allow(work, request->stand_ins[i].fd, rights);
	return ret;
}

static int
allow_named(struct work *work, const char *path, uint64_t rights)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return errno == ENOENT || errno == EACCES ? 0 : -errno;
	ret = allow(work, fd, rights);
	close(fd);
	return ret == 0 ? allow_stand_ins(work, path, rights) : ret;
}

/* What somebody has given back, as far as it is there. */
static int
allow_given(struct work *work, const char *const *paths, uint64_t rights)
{
	int ret = 0;

	for (; ret == 0 && paths != NULL && *paths != NULL; paths++)
		ret = allow_named(work, *paths, rights);
	return ret;
}

/* What every program needs of places that are otherwise kept. */
static int
allow_devices(struct work *work, uint64_t rights)
{
	int ret = 0;
	int fd;

	if (OMEGA_SANDBOX_HAS(work->request, devices))
		ret = allow_given(work, work->request->devices, rights);

	/* The terminal in use may have its name elsewhere inside. */
	for (fd = 0; ret == 0 && fd < 3; fd++)
		if (isatty(fd))
			ret = allow(work, fd, rights);
	if (ret == 0 && OMEGA_SANDBOX_HAS(work->request, allow_devices))
		ret = allow_given(work, work->request->allow_devices, rights);
	return ret;
}

static int
allow_needed(struct work *work)
{
	const struct class *changing = &work->classes.list[CHANGING];
	int is_dev_denied = is_denied(changing, "/dev");
	int ret = 0;

	if (work->classes.list[READING].is_limited)
		ret = allow_devices(work, FS_READ_FILE | FS_READ_DIR);
	if (ret == 0 && (changing->is_limited || is_dev_denied))
		ret = allow_devices(
		    work, FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV);
	if (ret == 0 && !changing->is_limited && is_dev_denied)
		ret = allow_named(work, "/dev/shm", RIGHTS_WRITE);
	/* A process's own entries. Root could reach the machine's there. */
	if (ret == 0 && geteuid() != 0 &&
	    (changing->is_limited || is_denied(changing, "/proc")))
		ret = allow_named(work, "/proc", FS_WRITE_FILE | FS_TRUNCATE);
	return ret;
}

/* Path sockets made outside that stay: what the policy lists and, unless it
 * wants none of others, those that give answers, not programs. */
static int
allow_sockets(struct work *work)
{
	const struct omega_sandbox_request *request = work->request;
	size_t i;
	int ret = 0;

	if (OMEGA_SANDBOX_HAS(request, service_count) &&
	    request->unix_sockets == OMEGA_SANDBOX_UNIX_ALL)
		for (i = 0; ret == 0 && i < request->service_count; i++)
			if (request->services[i]->type ==
			    OMEGA_SANDBOX_SERVICE_ANSWERS)
				ret = allow_named(work,
				    request->services[i]->path,
				    FS_RESOLVE_UNIX);
	if (ret == 0 && OMEGA_SANDBOX_HAS(request, allow_sockets))
		ret =
		    allow_given(work, request->allow_sockets, FS_RESOLVE_UNIX);
	return ret;
}

/* Atoms about ports, the right they are about, and the list of the request. */
static const struct {
	uint32_t kind;
	uint64_t right;
	size_t list;
} ports[] = {
    {OMEGA_SANDBOX_ATOM_BIND, NET_BIND_TCP,
	offsetof(struct omega_sandbox_request, bind)},
    {OMEGA_SANDBOX_ATOM_CONNECT, NET_CONNECT_TCP,
	offsetof(struct omega_sandbox_request, connect)},
    {OMEGA_SANDBOX_ATOM_BIND_UDP, NET_BIND_UDP,
	offsetof(struct omega_sandbox_request, bind_udp)},
    {OMEGA_SANDBOX_ATOM_CONNECT_UDP, NET_CONNECT_SEND_UDP,
	offsetof(struct omega_sandbox_request, connect_udp)},
};

#define PORTS (sizeof(ports) / sizeof(ports[0]))

static int
allow_ports(const struct work *work)
{
	size_t i;
	size_t j;

	for (i = 0; i < PORTS; i++) {
		const struct omega_sandbox_ports *list =
		    (const void *)((const char *)work->request + ports[i].list);
		struct calls_port rule = {
		    .allowed = work->handled_ports & ports[i].right};

		for (j = 0; rule.allowed != 0 && j < list->count; j++) {
			rule.port = list->list[j];
			if (calls_allow_port(work->fd, &rule) != 0)
				return -errno;
		}
	}
	return 0;
}

static int
make_ruleset(struct work *work, const struct omega_sandbox_atom *const *atoms,
    size_t count)
{
	const struct calls_ruleset known = rights_known(work->abi);
	struct calls_ruleset ruleset = {.fs = RIGHTS_DEVICE_NODES};
	size_t size = sizeof(ruleset);
	size_t i;

	/* Some file right is always handled: only then does the kernel also
	 * refuse every mount inside. Making device nodes is never granted.
	 * Renaming from one directory to another is refused by any ruleset
	 * that does not grant it, so it is handled, and granted below. */
	ruleset.fs |= FS_REFER;
	for (i = 0; i < CLASSES; i++)
		if (classes_is_active(&work->classes.list[i]))
			ruleset.fs |= work->classes.list[i].rights;
	for (i = 0; i < PORTS; i++)
		if (has_kind(atoms, count, ports[i].kind))
			ruleset.net |= ports[i].right;
	if (has_kind(atoms, count, OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS) ||
	    has_kind(atoms, count, OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS))
		ruleset.fs |= FS_RESOLVE_UNIX;
	if (has_kind(atoms, count, OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS))
		ruleset.scoped |= SCOPE_SIGNAL;
	if (has_kind(atoms, count, OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS))
		ruleset.scoped |= SCOPE_ABSTRACT_UNIX;
	ruleset.fs &= known.fs;
	ruleset.net &= known.net;
	ruleset.scoped &= known.scoped;
	if (work->abi < 6)
		size = work->abi < 4 ? sizeof(ruleset.fs)
				     : offsetof(struct calls_ruleset, scoped);
	work->handled = ruleset.fs;
	work->handled_ports = ruleset.net;
	work->fd = calls_create(&ruleset, size);
	return work->fd < 0 ? -errno : 0;
}

static int
restrict_step(const void *state)
{
	const struct restricting *restricting = state;
	int ret = fresh_allow(&restricting->fresh, restricting->ruleset);

	if (ret == 0 && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
			    calls_restrict(restricting->ruleset) != 0))
		ret = -errno;
	return ret;
}

static int
add_to_launch(struct work *work)
{
	struct omega_sandbox_launch *launch = work->launch;
	struct restricting *restricting = &work->restricting;
	int ret;

	restricting->ruleset = launch->keep_fd(launch, work->fd);
	if (restricting->ruleset < 0)
		return restricting->ruleset;
	ret = fresh_finish(&restricting->fresh, launch);
	if (ret == 0)
		ret = launch->add_step(launch, OMEGA_SANDBOX_PHASE_RESTRICT,
		    "landlock_restrict_self", restrict_step, restricting,
		    sizeof(*restricting));
	return ret == 0 ? seen_watch(&work->seen, launch) : ret;
}

/* Does the class leave open all that is at path and below? */
static int
leaves_open(
    const struct work *work, const struct class *class, const char *path)
{
	const struct omega_sandbox_request *request = work->request;
	int is_granted = !class->is_limited;
	size_t i;

	for (i = 0; i < request->grant_count; i++)
		is_granted |= (request->grants[i]->access & class->bits) != 0 &&
			      grants_is_below(path, request->grants[i]->path);
	for (i = 0; i < class->denied_count; i++)
		if (grants_is_below(path, class->denied[i]) ||
		    grants_is_below(class->denied[i], path))
			return 0;
	return is_granted;
}

static int
fill_stand_ins(struct work *work, const struct class *class)
{
	const struct omega_sandbox_request *request = work->request;
	size_t i;
	int ret = 0;

	if (!OMEGA_SANDBOX_HAS(request, stand_in_count))
		return 0;
	for (i = 0; ret == 0 && i < request->stand_in_count; i++)
		if (leaves_open(work, class, request->stand_ins[i].path))
			ret = allow(
			    work, request->stand_ins[i].fd, class->rights);
	return ret;
}

/* What went meanwhile: look at everything again. */
static int
stale(int ret)
{
	return ret == -ENOENT || ret == -ENOTDIR || ret == -ELOOP ? -ESTALE
								  : ret;
}

/* Grant the rights of one class wherever they are not kept back. */
static int
fill_class(struct work *work, const struct class *class)
{
	const struct omega_sandbox_request *request = work->request;
	size_t i;
	int root;
	int ret = 0;

	work->granting = class->rights;
	if (!class->is_limited) {
		root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (root < 0)
			return -errno;
		ret = grants_all_but(root, "/", class->denied,
		    class->denied_count, allow_walked, note_directory, work);
		close(root);
		return stale(ret);
	}
	for (i = 0; ret == 0 && i < request->grant_count; i++) {
		const struct omega_sandbox_grant *grant = request->grants[i];

		if ((grant->access & class->bits) == 0)
			continue;
		ret = seen_add(&work->seen, grant->path, 0);
		if (ret == 0)
			ret = grants_all_but(grant->fd, grant->path,
			    class->denied, class->denied_count, allow_walked,
			    note_directory, work);
		ret = stale(ret);
	}
	return ret;
}

static int
allow_loader(struct work *work, const char *program)
{
	char path[PATH_MAX];
	int ret = interp_find(program, path);

	if (ret < 0)
		work->launch->explain(
		    work->launch, "another program holds a lease on a program");
	return ret > 0 ? allow_named(work, path, FS_EXECUTE) : ret;
}

/* The kernel runs the loader of a program in its stead: that of each program
 * listed, and for whole directories the one of this machine. */
static int
allow_loaders(struct work *work)
{
	const struct omega_sandbox_request *request = work->request;
	size_t i;
	int ret;

	ret = allow_loader(work, "/proc/self/exe");
	if (ret == 0)
		ret = allow_loader(work, "/bin/sh");
	for (i = 0; ret == 0 && i < request->grant_count; i++)
		if ((request->grants[i]->access & OMEGA_SANDBOX_ATOM_RUN) !=
			0 &&
		    (request->grants[i]->flags &
			OMEGA_SANDBOX_ATOM_DIRECTORY) == 0)
			ret = allow_loader(work, request->grants[i]->path);
	return ret;
}

static int
fill_ruleset(struct work *work)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < CLASSES; i++)
		if (classes_is_active(&work->classes.list[i])) {
			ret = fill_class(work, &work->classes.list[i]);
			if (ret == 0)
				ret = fill_stand_ins(
				    work, &work->classes.list[i]);
		}
	if (ret == 0)
		ret = allow_needed(work);
	if (ret == 0 && work->classes.list[RUNNING].is_limited)
		ret = allow_loaders(work);
	if (ret == 0 && !classes_is_active(&work->classes.list[CHANGING]))
		ret = allow_named(work, "/", FS_REFER);
	if (ret == 0)
		ret = allow_sockets(work);
	if (ret == 0)
		ret = allow_ports(work);
	return ret;
}

int
ruleset_build(int abi, int is_complement,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch)
{
	struct work work = {
	    .abi = abi, .fd = -1, .request = request, .launch = launch};
	int ret;

	fresh_begin(&work.restricting.fresh);
	ret = classes_find(&work.classes, is_complement, request, atoms, count);
	if (ret == 0)
		ret = make_ruleset(&work, atoms, count);
	if (ret == 0)
		ret = fill_ruleset(&work);
	if (ret == 0)
		ret = add_to_launch(&work);
	if (work.fd >= 0)
		close(work.fd);
	classes_drop(&work.classes);
	seen_drop(&work.seen);
	return ret;
}
