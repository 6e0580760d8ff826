/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * services.c - see services.h.
 */

#include "config.h"

#include "policy/services.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"

#define LAUNCHER OMEGA_SANDBOX_SERVICE_LAUNCHER
#define LAUNCHER_DIR OMEGA_SANDBOX_SERVICE_LAUNCHER_DIR
#define LAUNCHER_TREE OMEGA_SANDBOX_SERVICE_LAUNCHER_TREE
#define PATTERN OMEGA_SANDBOX_SERVICE_LAUNCHER_PATTERN
#define ANSWERS OMEGA_SANDBOX_SERVICE_ANSWERS

/* %u is the number of the caller. */
static const struct {
	uint32_t type;
	const char *path;
} table[] = {
    {LAUNCHER, "/run/docker.sock"},
    {LAUNCHER, "/run/user/%u/docker.sock"},
    {LAUNCHER, "/run/podman/podman.sock"},
    {LAUNCHER, "/run/user/%u/podman/podman.sock"},
    {LAUNCHER, "/run/containerd/containerd.sock"},
    {LAUNCHER, "/run/k3s/containerd/containerd.sock"},
    {LAUNCHER, "/run/crio/crio.sock"},
    {LAUNCHER, "/run/cri-dockerd.sock"},
    {LAUNCHER, "/run/buildkit/buildkitd.sock"},
    {LAUNCHER, "/run/libvirt/libvirt-sock"},
    {LAUNCHER, "/run/libvirt/virtqemud-sock"},
    {LAUNCHER, "/run/libvirt/virtlxcd-sock"},
    {LAUNCHER, "/run/user/%u/libvirt/libvirt-sock"},
    {LAUNCHER, "/run/user/%u/libvirt/virtqemud-sock"},
    {LAUNCHER, "/var/lib/lxd/unix.socket"},
    {LAUNCHER, "/var/lib/incus/unix.socket"},
    {LAUNCHER, "/var/lib/incus/unix.socket.user"},
    {LAUNCHER, "/var/snap/lxd/common/lxd/unix.socket"},
    {LAUNCHER, "/var/snap/lxd/common/lxd-user/unix.socket"},
    {LAUNCHER, "/nix/var/nix/daemon-socket/socket"},
    {LAUNCHER, "/var/guix/daemon-socket/socket"},
    {LAUNCHER, "/run/dbus/system_bus_socket"},
    {LAUNCHER, "/run/snapd.socket"},
    {LAUNCHER, "/run/snapd-snap.socket"},
    {LAUNCHER, "/run/user/%u/bus"},
    {LAUNCHER, "/run/user/%u/systemd/private"},
    {LAUNCHER, "/run/user/%u/systemd/io.system.ManagedOOM"},
    {LAUNCHER, "/run/systemd/private"},
    {LAUNCHER, "/run/initctl"},
    {LAUNCHER, "/dev/initctl"},
    {LAUNCHER, "/run/systemd/initctl/fifo"},
    {LAUNCHER_DIR, "/tmp/.X11-unix"},
    {LAUNCHER_DIR, "/tmp/tmux-%u"},
    {LAUNCHER_DIR, "/tmp/emacs%u"},
    {LAUNCHER_DIR, "/run/user/%u/emacs"},
    {LAUNCHER_DIR, "/run/user/%u/tmux-%u"},
    {LAUNCHER_TREE, "/run/screen"},
    {LAUNCHER_TREE, "/run/uscreens"},
    {LAUNCHER_TREE, "/tmp/screens"},
    {LAUNCHER_TREE, "/tmp/uscreens"},
    {PATTERN, "/(var/run|[.]docker/run|[.]docker/desktop)/"
	      "docker([-.a-z]*)[.]sock$"},
    {PATTERN, "/[.]colima/([^/]+/)?(docker|containerd)[.]sock$"},
    {PATTERN, "/[.](orbstack|rd)/(run/)?docker[.]sock$"},
    {PATTERN, "/[.]lima/[^/]+/(sock/)?[^/]+[.]sock$"},
    {PATTERN, "/podman[^/]*/([^/]+/)?(podman|api|[^/]*api)[.]sock$"},
    {PATTERN, "/containerd/([^/]+/)?containerd[.]sock$"},
    {PATTERN, "/tmux-[0-9]+/[^/]+$"},
    {PATTERN, "/([.]screen|uscreens/S-[^/]+)/[^/]+$"},
    {PATTERN, "/(emacs[0-9]+|[.]emacs[.]d/server)/[^/]+$"},
    {ANSWERS, "/run/systemd/journal"},
    {ANSWERS, "/run/systemd/userdb"},
    {ANSWERS, "/run/systemd/resolve"},
    {ANSWERS, "/run/nscd"},
    {ANSWERS, "/dev/log"},
};

#define COUNT (sizeof(table) / sizeof(table[0]))

/* The path with this in the place of each %u. */
static char *
fill_in(const char *path, const char *who)
{
	struct omega_buffer text = {.text = NULL};
	const char *at;

	for (; (at = strstr(path, "%u")) != NULL; path = at + 2)
		omega_buffer_print(
		    &text, "%.*s%s", (int)(at - path), path, who);
	omega_buffer_add(&text, path);
	return omega_buffer_take(&text);
}

static int
add(struct omega_services *services, size_t row, const char *who)
{
	struct omega_sandbox_service *service =
	    &services->list[services->count];

	service->size = sizeof(*service);
	service->type = table[row].type;
	service->path = fill_in(table[row].path, who);
	if (service->path == NULL)
		return -ENOMEM;
	services->pointers[services->count++] = service;
	return 0;
}

int
omega_services_make(struct omega_services *services)
{
	char who[24];
	size_t i;
	int ret = 0;

	memset(services, 0, sizeof(*services));
	services->list = calloc(2 * COUNT, sizeof(*services->list));
	services->pointers = calloc(2 * COUNT, sizeof(*services->pointers));
	if (services->list == NULL || services->pointers == NULL)
		return -ENOMEM;
	snprintf(who, sizeof(who), "%lu", (unsigned long)geteuid());
	for (i = 0; ret == 0 && i < COUNT; i++) {
		ret = add(services, i, who);
		if (ret == 0 && geteuid() == 0 &&
		    strstr(table[i].path, "%u") != NULL)
			ret = add(services, i, "*");
	}
	return ret;
}

void
omega_services_drop(struct omega_services *services)
{
	while (services->count > 0)
		free((void *)(uintptr_t)services->list[--services->count].path);
	free(services->list);
	free(services->pointers);
	memset(services, 0, sizeof(*services));
}
