/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * loader.c - see loader.h.
 *
 * One check after the other, each with its own message, and nothing of the
 * file runs before it was found to be trusted. It is loaded by its full path:
 * nobody but root and the caller can have exchanged anything on that way,
 * which is what trust.c has made sure of.
 */

#include "config.h"

#include "load/loader.h"

#include <sys/stat.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "base/error.h"
#include "load/object.h"
#include "load/options.h"
#include "load/shipped.h"
#include "path/helper.h"
#include "path/trust.h"

/* The plugin's one exported object. */
#define SYMBOL "omega_sandbox_plugin"

#define KNOWN_FLAGS                                                          \
	(OMEGA_SANDBOX_PLUGIN_PREFIX | OMEGA_SANDBOX_PLUGIN_CHANGES_MOUNTS | \
	    OMEGA_SANDBOX_PLUGIN_SEPARATES | OMEGA_SANDBOX_PLUGIN_PREVIEWS | \
	    OMEGA_SANDBOX_PLUGIN_FILTERS)

const char *const omega_loader_plugindir = OMEGA_PLUGINDIR;

/* ---- What a plugin is given --------------------------------------------- */

static const struct omega_backend *
backend_of(const struct omega_sandbox_host *host)
{
	return host->core;
}

static void
host_log(const struct omega_sandbox_host *host, int level, const char *text)
{
	const struct omega_backend *backend = backend_of(host);

	omega_log_say(&backend->log, level, 0, "%s: %s", backend->plugin.name,
	    text == NULL ? "" : text);
}

static int64_t
host_option_int(const struct omega_sandbox_host *host, const char *name)
{
	return omega_options_int(backend_of(host)->options, name);
}

static const char *
host_option_text(const struct omega_sandbox_host *host, const char *name)
{
	return omega_options_text(backend_of(host)->options, name);
}

static const char *
host_option_item(
    const struct omega_sandbox_host *host, const char *name, size_t index)
{
	return omega_options_item(backend_of(host)->options, name, index);
}

static int
host_open_helper(const struct omega_sandbox_host *host, const char *name)
{
	const struct omega_backend *backend = backend_of(host);
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	int fd = omega_helper_open(omega_helper_dir, name, &error);

	/* The plugin passes on a number; the reason would be lost. */
	if (fd < 0)
		omega_log_say(&backend->log, LOG_ERR, error.code, "%s: %s",
		    backend->plugin.name, error.text);
	return fd;
}

static void
make_host(struct omega_backend *backend)
{
	backend->host = (struct omega_sandbox_host){
	    .size = sizeof(backend->host),
	    .abi_version = OMEGA_SANDBOX_PLUGIN_ABI,
	    .core = backend,
	    .log = host_log,
	    .option_int = host_option_int,
	    .option_text = host_option_text,
	    .option_item = host_option_item,
	    .open_helper = host_open_helper,
	};
}

/* ---- The file ----------------------------------------------------------- */

static char *
make_path(const char *plugindir, const char *name)
{
	char *path = NULL;

	return asprintf(&path, "%s/%s.so", plugindir, name) < 0 ? NULL : path;
}

bool
omega_loader_is_installed(const char *plugindir, const char *name)
{
	struct stat st;
	char *path;
	bool is_there;

	if (plugindir == NULL || !omega_helper_is_name(name))
		return false;
	path = make_path(plugindir, name);
	/* Not knowing is not being without it: let loading say what it is. */
	is_there = path == NULL || lstat(path, &st) == 0 ||
		   (errno != ENOENT && errno != ENOTDIR);
	free(path);
	return is_there;
}

/* Every message about a plugin begins with whose file it is. */
__attribute__((format(printf, 3, 4))) static int
refuse(const struct omega_backend *backend, struct omega_sandbox_error *error,
    const char *format, ...)
{
	char what[900];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, 0,
	    "%s cannot be used: %s", backend->file, what);
}

/* Open the file when it can be trusted. */
static int
open_file(struct omega_backend *backend, const char *plugindir,
    const char *name, int *fd, struct omega_sandbox_error *error)
{
	struct omega_sandbox_error cause = OMEGA_SANDBOX_ERROR_INIT;
	char why[512];
	int ret = omega_trust_open(
	    backend->file, OMEGA_TRUST_FILE, &backend->is_roots, &cause);

	if (ret == -ENOENT) {
		omega_shipped_missing(plugindir, name, why, sizeof(why));
		return omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, ENOENT,
		    "backend '%s' is %s", name, why);
	}
	if (ret < 0)
		return omega_error_set(error, cause.code, cause.sys_errno,
		    "backend '%s' is not loaded: %s", name, cause.text);
	*fd = ret;
	return 0;
}

/* Can it be loaded? */
static int
check_file(const struct omega_backend *backend, int fd,
    struct omega_sandbox_error *error)
{
	int ret = omega_object_check(fd);

	switch (ret) {
	case 0:
		return 0;
	case -ENOEXEC:
		return refuse(
		    backend, error, "it is not a shared object, or damaged");
	case -EBADMSG:
		return refuse(
		    backend, error, "it was built for another machine");
	default:
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -ret,
		    "cannot read %s: %s", backend->file, strerror(-ret));
	}
}

/* Is what was looked at still what the path leads to? */
static int
check_identity(const struct omega_backend *backend, int fd,
    struct omega_sandbox_error *error)
{
	struct stat seen;
	struct stat now;

	if (fstat(fd, &seen) != 0 || stat(backend->file, &now) != 0) {
		int saved = errno;

		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, saved,
		    "cannot look at %s: %s", backend->file, strerror(saved));
	}
	if (seen.st_dev != now.st_dev || seen.st_ino != now.st_ino)
		return refuse(backend, error,
		    "it was replaced while it was being loaded; try again");
	return 0;
}

static int
load_file(struct omega_backend *backend, const char *plugindir,
    const char *name, const void **object, struct omega_sandbox_error *error)
{
	char why[512];
	int fd = -1;
	int ret;

	ret = open_file(backend, plugindir, name, &fd, error);
	if (ret != 0)
		return ret;
	ret = check_file(backend, fd, error);
	if (ret == 0)
		ret = check_identity(backend, fd, error);
	close(fd);
	if (ret != 0)
		return ret;
	backend->handle = omega_dl_open(backend->file, why, sizeof(why));
	if (backend->handle == NULL)
		return refuse(
		    backend, error, "the dynamic loader says: %s", why);
	*object = omega_dl_symbol(backend->handle, SYMBOL);
	if (*object == NULL)
		return refuse(backend, error,
		    "it is no plugin, for it does not export " SYMBOL);
	return 0;
}

/* ---- The object --------------------------------------------------------- */

/* Copy as much of the plugin's object as both sides know. */
static int
copy_object(struct omega_backend *backend, const void *object,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_plugin *plugin = &backend->plugin;
	uint32_t head[2]; /* abi_version, struct_size */

	memcpy(head, object, sizeof(head));
	if (head[0] >> 16 != OMEGA_SANDBOX_PLUGIN_ABI_MAJOR)
		return refuse(backend, error,
		    "it was built for plugin ABI %" PRIu32 ".%" PRIu32
		    ", this library has %u.%u; build it anew",
		    head[0] >> 16, head[0] & 0xffff,
		    OMEGA_SANDBOX_PLUGIN_ABI_MAJOR,
		    OMEGA_SANDBOX_PLUGIN_ABI_MINOR);
	if (head[1] < OMEGA_ABI_PLUGIN_SIZE)
		return refuse(backend, error,
		    "its object has %" PRIu32
		    " bytes, plugin ABI 1.0 has %zu; struct_size is wrong",
		    head[1], OMEGA_ABI_PLUGIN_SIZE);
	memcpy(plugin, object,
	    head[1] < sizeof(*plugin) ? head[1] : sizeof(*plugin));
	return 0;
}

static bool
is_one_line(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

static int
check_object(struct omega_backend *backend, const char *name,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_plugin *plugin = &backend->plugin;
	uint32_t minor = plugin->abi_version & 0xffff;

	if (plugin->name == NULL)
		return refuse(backend, error, "it has no name");
	if (strcmp(plugin->name, name) != 0)
		return refuse(backend, error,
		    "it is called '%.64s', not '%s' as its file is",
		    plugin->name, name);
	if (plugin->description == NULL || plugin->description[0] == '\0')
		return refuse(backend, error, "it has no description");
	if (!is_one_line(plugin->description))
		return refuse(
		    backend, error, "its description is not one line");
	if (plugin->probe == NULL)
		return refuse(backend, error, "it has no function probe");
	if (plugin->describe == NULL)
		return refuse(backend, error, "it has no function describe");
	if (plugin->apply == NULL)
		return refuse(backend, error, "it has no function apply");
	/* A newer minor may have flags we do without; ours has none. */
	if ((plugin->flags & ~(uint64_t)KNOWN_FLAGS) != 0 &&
	    minor <= OMEGA_SANDBOX_PLUGIN_ABI_MINOR)
		return refuse(backend, error,
		    "it sets flags (0x%" PRIx64 ") that plugin ABI 1.%" PRIu32
		    " does not have",
		    plugin->flags, minor);
	plugin->flags &= KNOWN_FLAGS;
	return 0;
}

static int
take_options(struct omega_backend *backend, const struct omega_conf *conf,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_error cause = OMEGA_SANDBOX_ERROR_INIT;
	int ret = omega_options_new(backend->plugin.options,
	    backend->plugin.name, conf, &backend->options, &cause);

	if (ret == OMEGA_SANDBOX_E_PLUGIN)
		return refuse(backend, error, "%s", cause.text);
	if (ret != 0)
		omega_error_copy(error, &cause);
	return ret;
}

static int
load(struct omega_backend *backend, const char *plugindir, const char *name,
    const struct omega_conf *conf, struct omega_sandbox_error *error)
{
	const void *object = NULL;
	int ret;

	backend->file = make_path(plugindir, name);
	if (backend->file == NULL)
		return omega_error_memory(error);
	ret = load_file(backend, plugindir, name, &object, error);
	if (ret == 0)
		ret = copy_object(backend, object, error);
	if (ret == 0)
		ret = check_object(backend, name, error);
	if (ret == 0)
		ret = take_options(backend, conf, error);
	return ret;
}

int
omega_loader_load(const char *plugindir, const char *name,
    const struct omega_conf *conf, const struct omega_log *log,
    struct omega_backend **backend, struct omega_sandbox_error *error)
{
	struct omega_backend *made = NULL;
	int ret;

	if (!omega_helper_is_name(name)) {
		ret = omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, 0,
		    "'%.64s' is not the name of a backend: at most %d "
		    "lower-case letters, digits, '_' and '-'",
		    name == NULL ? "" : name, OMEGA_HELPER_NAME_MAX);
		goto out;
	}
	made = calloc(1, sizeof(*made));
	if (made == NULL) {
		ret = omega_error_memory(error);
		goto out;
	}
	if (log != NULL)
		made->log = *log;
	make_host(made);
	ret = load(made, plugindir, name, conf, error);
	if (ret != 0)
		goto out;
	*backend = made;
	made = NULL;
out:
	if (ret != 0)
		omega_error_backend(error, name);
	omega_loader_free(made);
	return ret;
}

void
omega_loader_free(struct omega_backend *backend)
{
	if (backend == NULL)
		return;
	omega_options_free(backend->options);
	omega_dl_close(backend->handle);
	free(backend->file);
	free(backend);
}
