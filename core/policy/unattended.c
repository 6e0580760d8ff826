/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * unattended.c - see unattended.h.
 *
 * Not in here: /usr/local, which stays writable by intent though programs and
 * units are found in it; the home directory; what belongs to one program and
 * is run when somebody uses that. /etc is a system directory.
 */

#include "config.h"

#include "policy/unattended.h"

#include <stddef.h>

#include "load/rights.h"

static const struct omega_unattended list[] = {
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

const struct omega_unattended *
omega_unattended(void)
{
	return omega_rights_override()
		   ? list
		   : &list[sizeof(list) / sizeof(list[0]) - 1];
}
