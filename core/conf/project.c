/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * project.c - see project.h.
 */

#include "config.h"

#include "conf/project.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/project-trust.h"
#include "conf/confuse.h"
#include "conf/named.h"
#include "conf/sections.h"
#include "path/trust.h"

/* ---- A policy by its path --------------------------------------------------
 */

/* Its text; only sections may be in it, as in files of the product. */
static int
load(struct omega_conf *made, const char *path,
    struct omega_sandbox_error *error)
{
	char *content = NULL;
	size_t len = 0;
	int fd;
	int ret;

	fd = omega_trust_open(path, OMEGA_TRUST_FILE, NULL, error);
	if (fd < 0)
		return error == NULL || fd == -ENOENT ||
			       error->code == OMEGA_SANDBOX_OK
			   ? omega_conf_system_error(error, path, -fd)
			   : error->code;
	ret = omega_conf_read_all(fd, &content, &len);
	close(fd);
	if (ret < 0)
		return omega_conf_system_error(error, path, -ret);
	made->rank = OMEGA_CONF_SHIPPED;
	ret = omega_conf_parse(made, path, content, len, error);
	free(content);
	return ret;
}

/* The first policy; nothing else has a place in the file. */
static int
find_policy(const struct omega_conf *made, const char *path,
    const struct omega_conf_section **found, struct omega_sandbox_error *error)
{
	size_t i;

	*found = NULL;
	for (i = 0; i < made->section_count; i++) {
		const struct omega_conf_section *section = &made->sections[i];

		if (section->type != OMEGA_SCAN_POLICY)
			return omega_error_conf(error, path, section->line,
			    "a file of a policy has no %s sections",
			    omega_scan_types[section->type]);
		if (*found == NULL)
			*found = section;
	}
	return *found != NULL
		   ? 0
		   : omega_error_conf(error, path, 0,
			 "there is no policy in it: policy \"NAME\" { ... }");
}

int
omega_project_policy(const struct omega_conf *conf, const char *path,
    struct omega_layer *rules, char **name, struct omega_sandbox_error *error)
{
	const struct omega_conf_section *found = NULL;
	struct omega_conf *made = omega_conf_new();
	struct omega_conf both;
	int ret;

	memset(&both, 0, sizeof(both));
	if (made == NULL)
		return omega_error_memory(error);
	ret = load(made, path, error);
	if (ret == 0)
		ret = find_policy(made, path, &found, error);
	if (ret < 0)
		goto out;
	/* Seen together, its own first. */
	both.sections = calloc(
	    made->section_count + conf->section_count, sizeof(*both.sections));
	*name = strdup(found->title);
	if (both.sections == NULL || *name == NULL) {
		ret = omega_error_memory(error);
		goto out;
	}
	memcpy(both.sections, made->sections,
	    made->section_count * sizeof(*both.sections));
	if (conf->section_count > 0)
		memcpy(both.sections + made->section_count, conf->sections,
		    conf->section_count * sizeof(*both.sections));
	both.section_count = made->section_count + conf->section_count;
	ret = omega_named_rules(
	    &both, OMEGA_SCAN_POLICY, found->title, rules, error);
out:
	if (ret < 0) {
		free(*name);
		*name = NULL;
	}
	free(both.sections);
	omega_conf_free(made);
	return ret;
}

/* ---- What a project asks for -----------------------------------------------
 */

/* The file as it is, if it is one; -ENOENT: there is none. */
static int
read_file(const char *path, char **content, size_t *len)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int ret;

	if (fd < 0) /* a link, a socket */
		return errno == ELOOP || errno == ENXIO ? -EINVAL : -errno;
	ret = fstat(fd, &st) != 0    ? -errno
	      : !S_ISREG(st.st_mode) ? -EINVAL
				     : omega_conf_read_all(fd, content, len);
	close(fd);
	return ret;
}

/* Does the user trust this content of path? */
static bool
is_trusted(const char *path, const char *content, size_t len)
{
	struct omega_sandbox_error ignored = OMEGA_SANDBOX_ERROR_INIT;
	size_t path_len = strlen(path);
	char *name = NULL;
	char *kept = NULL;
	size_t kept_len = 0;
	bool is_same = false;
	int fd = -1;

	if (omega_project_trust_name(path, &name) == 0)
		fd = omega_trust_open(name, OMEGA_TRUST_FILE, NULL, &ignored);
	if (fd >= 0 && omega_conf_read_all(fd, &kept, &kept_len) == 0)
		is_same = kept_len == path_len + 1 + len &&
			  memcmp(kept, path, path_len) == 0 &&
			  kept[path_len] == '\n' &&
			  memcmp(kept + path_len + 1, content, len) == 0;
	if (fd >= 0)
		close(fd);
	free(kept);
	free(name);
	return is_same;
}

static int
apply(const struct omega_scan *scan, const char *path,
    struct omega_layer *layer, struct omega_sandbox_error *error)
{
	size_t i;
	int ret = 0;

	if (scan->section_count > 1)
		return omega_error_conf(error, path, scan->sections[1].line,
		    "a project's file has no sections, but rules and what is "
		    "allowed beside a policy: allow_read, allow_write, "
		    "allow_execute, env_allow");
	for (i = 0; ret == 0 && i < scan->sections[0].entry_count; i++) {
		struct omega_setting setting =
		    omega_conf_setting(&scan->sections[0].entries[i], path);

		setting.by = OMEGA_BY_RULE | OMEGA_BY_GRANT;
		ret = omega_layer_set(layer, &setting, error);
	}
	return ret;
}

int
omega_project_read(const char *dir, struct omega_layer *layer,
    struct omega_sandbox_error *error)
{
	struct omega_scan scan;
	char path[PATH_MAX];
	char *content = NULL;
	size_t len = 0;
	int ret;

	memset(&scan, 0, sizeof(scan));
	if ((size_t)snprintf(path, sizeof(path), "%s/" OMEGA_PROJECT_TRUST_FILE,
		strcmp(dir, "/") == 0 ? "" : dir) >= sizeof(path))
		return omega_conf_system_error(error, dir, ENAMETOOLONG);
	ret = read_file(path, &content, &len);
	if (ret == -ENOENT)
		return 0;
	if (ret == -ENOMEM)
		return omega_error_memory(error);
	/* A command may have put anything there. */
	if (ret < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_TRUST, -ret,
		    "%s is left out: %s", path,
		    ret == -EINVAL ? "it is not a regular file"
				   : strerror(-ret));
	if (!is_trusted(path, content, len))
		ret = omega_error_set(error, OMEGA_SANDBOX_E_TRUST, 0,
		    "%s is not trusted as it is, and is left out; read it, "
		    "then, in its directory: omega-sandbox trust",
		    path);
	if (ret == 0)
		ret = omega_scan_text(&scan, path, content, len, NULL, error);
	if (ret == 0)
		ret = omega_confuse_fill(&scan, path, error);
	if (ret == 0)
		ret = apply(&scan, path, layer, error);
	omega_scan_clear(&scan);
	free(content);
	return ret < 0 ? ret : 1;
}
