/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * env-patterns.c - what is taken out of every environment unless somebody
 * gives it back. sandbox.conf(5) has the same list; keep them in step.
 *
 * Left alone on purpose: search paths of a project (PATH, PYTHONPATH,
 * PERL5LIB, NODE_PATH, RUBYLIB, CLASSPATH), programs that are asked for by
 * name when they are wanted (EDITOR, PAGER, GIT_SSH_COMMAND, SSH_ASKPASS,
 * LESSOPEN), and files that hold secrets but are not secret by name
 * (SSL_CERT_FILE, KUBECONFIG, XAUTHORITY): what such a name leads to is for
 * the policy to deny.
 */

#include "config.h"

#include "run/env.h"

#include <stddef.h>

const struct omega_env_pattern omega_env_patterns[] = {
    /* Secrets. */
    {"*_KEY", OMEGA_ENV_SECRET},
    {"APIKEY", OMEGA_ENV_SECRET},
    {"*_APIKEY", OMEGA_ENV_SECRET},
    {"*_KEY_BASE", OMEGA_ENV_SECRET},
    {"TOKEN", OMEGA_ENV_SECRET},
    {"*_TOKEN", OMEGA_ENV_SECRET},
    {"*SECRET*", OMEGA_ENV_SECRET},
    {"*PASSWORD*", OMEGA_ENV_SECRET},
    {"*PASSWD*", OMEGA_ENV_SECRET},
    {"*PASSPHRASE*", OMEGA_ENV_SECRET},
    {"*_PASS", OMEGA_ENV_SECRET},
    {"SSHPASS", OMEGA_ENV_SECRET},
    {"MYSQL_PWD", OMEGA_ENV_SECRET},
    {"*CREDENTIAL*", OMEGA_ENV_SECRET},
    {"*_AUTH", OMEGA_ENV_SECRET},
    {"*_AUTH_CONFIG", OMEGA_ENV_SECRET},
    {"*_PAT", OMEGA_ENV_SECRET},
    {"*_COOKIE", OMEGA_ENV_SECRET},
    {"*_DSN", OMEGA_ENV_SECRET},
    {"DATABASE_URL", OMEGA_ENV_SECRET},
    {"*_DATABASE_URL", OMEGA_ENV_SECRET},
    {"*_CONNECTION_STRING", OMEGA_ENV_SECRET},
    {"REDIS_URL", OMEGA_ENV_SECRET},
    {"MONGODB_URI", OMEGA_ENV_SECRET},
    {"MONGO_URL", OMEGA_ENV_SECRET},
    {"AMQP_URL", OMEGA_ENV_SECRET},
    {"*_WEBHOOK_URL", OMEGA_ENV_SECRET},
    {"AWS_*", OMEGA_ENV_SECRET},
    /* The dynamic loader and the C library. */
    {"LD_*", OMEGA_ENV_LOADER},
    {"DYLD_*", OMEGA_ENV_LOADER},
    {"GCONV_PATH", OMEGA_ENV_LOADER},
    {"GLIBC_TUNABLES", OMEGA_ENV_LOADER},
    /* Shells. */
    {"BASH_ENV", OMEGA_ENV_LOADER},
    {"BASH_FUNC_*", OMEGA_ENV_LOADER},
    {"BASHOPTS", OMEGA_ENV_LOADER},
    {"ENV", OMEGA_ENV_LOADER},
    {"PROMPT_COMMAND", OMEGA_ENV_LOADER},
    {"PS4", OMEGA_ENV_LOADER},
    {"SHELLOPTS", OMEGA_ENV_LOADER},
    /* Interpreters. */
    {"JAVA_TOOL_OPTIONS", OMEGA_ENV_LOADER},
    {"JDK_JAVA_OPTIONS", OMEGA_ENV_LOADER},
    {"_JAVA_OPTIONS", OMEGA_ENV_LOADER},
    {"LUA_INIT*", OMEGA_ENV_LOADER},
    {"NODE_OPTIONS", OMEGA_ENV_LOADER},
    {"PERL5DB", OMEGA_ENV_LOADER},
    {"PERL5OPT", OMEGA_ENV_LOADER},
    {"PYTHONBREAKPOINT", OMEGA_ENV_LOADER},
    {"PYTHONHOME", OMEGA_ENV_LOADER},
    {"PYTHONINSPECT", OMEGA_ENV_LOADER},
    {"PYTHONSTARTUP", OMEGA_ENV_LOADER},
    {"RUBYOPT", OMEGA_ENV_LOADER},
    /* Agents, buses, and whatever else types or starts on request. */
    {"ALACRITTY_SOCKET", OMEGA_ENV_SOCKET},
    {"CONTAINERD_ADDRESS", OMEGA_ENV_SOCKET},
    {"CONTAINER_HOST", OMEGA_ENV_SOCKET},
    {"DBUS_*_ADDRESS", OMEGA_ENV_SOCKET},
    {"DOCKER_HOST", OMEGA_ENV_SOCKET},
    {"GNOME_KEYRING_CONTROL", OMEGA_ENV_SOCKET},
    {"GPG_AGENT_INFO", OMEGA_ENV_SOCKET},
    {"I3SOCK", OMEGA_ENV_SOCKET},
    {"KITTY_LISTEN_ON", OMEGA_ENV_SOCKET},
    {"NOTIFY_SOCKET", OMEGA_ENV_SOCKET},
    {"NVIM", OMEGA_ENV_SOCKET},
    {"NVIM_LISTEN_ADDRESS", OMEGA_ENV_SOCKET},
    {"SESSION_MANAGER", OMEGA_ENV_SOCKET},
    {"SSH_AUTH_SOCK", OMEGA_ENV_SOCKET},
    {"STY", OMEGA_ENV_SOCKET},
    {"SWAYSOCK", OMEGA_ENV_SOCKET},
    {"TMUX", OMEGA_ENV_SOCKET},
    {"VSCODE_*IPC*", OMEGA_ENV_SOCKET},
    {"WEZTERM_UNIX_SOCKET", OMEGA_ENV_SOCKET},
    {NULL, OMEGA_ENV_PLAIN},
};
