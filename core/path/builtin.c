/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * builtin.c - see builtin.h.
 */

#include "config.h"

#include "path/builtin.h"

#include <stddef.h>

#include <omega/sandbox-plugin.h>
#include <omega/sandbox.h>

/* clang-format off: the libraries of Linux have many names. */
#define SYSTEM_DIRS(ROW) \
	ROW("/System") ROW("/bin") ROW("/sbin") ROW("/usr/bin") \
	ROW("/usr/sbin") ROW("/usr/lib") ROW("/usr/libexec") \
	ROW("/private/etc") ROW("/Library") ROW("/etc") ROW("/boot") \
	ROW("/proc") ROW("/sys") ROW("/dev") ROW("/lib") ROW("/lib32") \
	ROW("/lib64") ROW("/libx32") ROW("/usr/lib32") ROW("/usr/lib64") \
	ROW("/usr/libx32")
#define AS_RULE(path) {.text = path, .len = sizeof(path) - 1, .shown = path, \
	.access = OMEGA_SANDBOX_WRITE, .origin = "built in"},
#define AS_TEXT(path) path,
/* clang-format on */

const struct omega_rule omega_rules_system[] = {SYSTEM_DIRS(AS_RULE)};

const char *const omega_builtin_system_dirs[] = {SYSTEM_DIRS(AS_TEXT) NULL};

_Static_assert(sizeof(omega_builtin_system_dirs) ==
	(OMEGA_RULES_SYSTEM_COUNT + 1) * sizeof(omega_builtin_system_dirs[0]),
    "rules.h has their number");

const char *const omega_builtin_devices[] = {"/dev/null", "/dev/zero",
    "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
    "/dev/pts", NULL};

#define LAUNCHER OMEGA_SANDBOX_SERVICE_LAUNCHER
#define LAUNCHER_DIR OMEGA_SANDBOX_SERVICE_LAUNCHER_DIR
#define LAUNCHER_TREE OMEGA_SANDBOX_SERVICE_LAUNCHER_TREE
#define PATTERN OMEGA_SANDBOX_SERVICE_LAUNCHER_PATTERN
#define ANSWERS OMEGA_SANDBOX_SERVICE_ANSWERS

const struct omega_builtin_service omega_builtin_services[] = {
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

const size_t omega_builtin_service_count =
    sizeof(omega_builtin_services) / sizeof(omega_builtin_services[0]);

const struct omega_builtin_unattended omega_builtin_unattended[] = {
    /* Programs at a time */
    {"/var/spool/cron", false},
    {"/var/spool/anacron", false},
    {"/var/spool/at", false},
    {"/var/spool/fcron", false},
    {"/var/spool/incron", false},
    {"/var/cron", false},
    /* Units, rules of devices, services of other kinds of init */
    {"/run/systemd", false},
    {"/run/udev", false},
    {"/run/runit", false},
    {"/run/service", false},
    {"/run/s6", false},
    {"/run/s6-rc", false},
    {"/run/openrc", false},
    {"/service", false},
    {"/var/service", false},
    {"/var/lib/systemd", false},
    {"/var/lib/portables", false},
    /* Trees that are laid over /usr and /etc, or started from */
    {"/var/lib/extensions", false},
    {"/var/lib/confexts", false},
    {"/run/extensions", true},
    {"/run/confexts", true},
    {"/run/initramfs", true},
    {"/run/nextroot", true},
    {"/efi", false},
    /* Commands of modprobe, files, settings and handlers of the kernel */
    {"/run/modprobe.d", true},
    {"/run/tmpfiles.d", true},
    {"/run/sysctl.d", true},
    {"/run/binfmt.d", true},
    /* Who may do what */
    {"/run/polkit-1", true},
    {"/var/lib/polkit-1", false},
    {"/usr/share/polkit-1", false},
    {"/usr/share/dbus-1", false},
    {"/var/lib/pam", false},
    {"/run/sudo", false},
    {"/var/lib/sudo", false},
    /* Scripts of packages, of drivers, of a machine's first start */
    {"/var/lib/dpkg", false},
    {"/var/lib/apt", false},
    {"/var/lib/ucf", false},
    {"/var/cache/debconf", false},
    {"/usr/share/debconf", false},
    {"/usr/share/initramfs-tools", false},
    {"/usr/share/perl5", false},
    {"/usr/share/python3", false},
    /* What shells, git and gdb of everybody take without asking */
    {"/usr/share/bash-completion", false},
    {"/usr/share/git-core", false},
    {"/usr/share/gdb", false},
    {"/var/lib/rpm", false},
    {"/var/lib/pacman", false},
    {"/var/lib/snapd", false},
    {"/var/lib/flatpak", false},
    {"/var/lib/dkms", false},
    {"/var/lib/cloud", false},
    {"/var/lib/waagent", false},
    {NULL, false},
};
