/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * option.c - see option.h.
 */

#include "config.h"

#include "conf/option.h"

#include <string.h>

#include "base/nearest.h"

/* Every start would pay for it; the twin the tests use looks always. */
#ifndef OMEGA_WITNESS_DEFAULT
#define OMEGA_WITNESS_DEFAULT false
#endif

/* The tests go past the check of arguments, to see what is held behind it. */
#ifndef OMEGA_CHECK_ARGUMENTS_DEFAULT
#define OMEGA_CHECK_ARGUMENTS_DEFAULT true
#endif

#define SHAPE(name) .shape = OMEGA_SHAPE_##name
#define MERGE(name) .merge = OMEGA_MERGE_##name
#define TOP .by = OMEGA_BY_ADMIN
#define USERS .by = OMEGA_BY_ADMIN | OMEGA_BY_USER
#define BOTH .by = OMEGA_BY_ADMIN | OMEGA_BY_RULE
#define HOST .by = OMEGA_BY_ADMIN | OMEGA_BY_HOST
#define RULE .by = OMEGA_BY_RULE
#define GRANT .by = OMEGA_BY_GRANT

/* clang-format off */
const struct omega_option omega_option_table[OMEGA_OPTION_COUNT] = {
[OMEGA_OPTION_ENABLED] = {"enabled", SHAPE(SWITCH), MERGE(LEAST), TOP,
	.initial = 1},
[OMEGA_OPTION_BACKEND] = {"backend", SHAPE(BACKENDS), MERGE(ONCE), TOP,
	.unset = "auto", .empty = "the list of backends is empty; name one, or "
	"write backend = auto"},
[OMEGA_OPTION_FAIL_CLOSED] = {"fail_closed", SHAPE(SWITCH), MERGE(MOST), TOP,
	.initial = 1},
[OMEGA_OPTION_ACCEPT] = {"accept", SHAPE(KINDS), MERGE(COMMON), TOP},
[OMEGA_OPTION_ALLOW_ROOT] = {"allow_root", SHAPE(SWITCH), MERGE(LEAST), TOP,
	.initial = 1},
[OMEGA_OPTION_DATA_DIR] = {"data_dir", SHAPE(PATH), MERGE(ONCE), TOP,
	.unset = "~/.omega"},
[OMEGA_OPTION_CONFIG_FILE] = {"config_file", SHAPE(PATH), MERGE(ONCE), TOP,
	.unset = ""},
[OMEGA_OPTION_BLOCKED_PATHS] = {"blocked_paths", SHAPE(PATHS), MERGE(SUM),
	.by = OMEGA_BY_ADMIN | OMEGA_BY_USER | OMEGA_BY_HOST},
[OMEGA_OPTION_DATA_DIR_MODE] = {"data_dir_mode", SHAPE(WORD), MERGE(MOST), HOST,
	.initial = 1, .words = {"mask", "auto", "shield"},
	.form = "one of mask, auto, shield"},
[OMEGA_OPTION_HIDE_SOCKETS] = {"hide_sockets", SHAPE(WORD), MERGE(LEAST), HOST,
	.words = {"own", "launchers", "none"}, /* omega_sandbox_hide_sockets */
	.form = "one of none, launchers, own"},
[OMEGA_OPTION_ALLOW_SOCKETS] = {"allow_sockets", SHAPE(PATHS), MERGE(COMMON),
	HOST},
[OMEGA_OPTION_ALLOW_DEVICES] = {"allow_devices", SHAPE(PATHS), MERGE(COMMON),
	HOST},
[OMEGA_OPTION_LOG] = {"log", SHAPE(WORD), MERGE(ONCE), TOP,
	.words = {"none", "syslog"}, .form = "\"none\" or \"syslog\""},
[OMEGA_OPTION_FLOOR] = {"floor", SHAPE(POLICIES), MERGE(SUM), USERS,
	.unset = "default"},
[OMEGA_OPTION_WITNESS] = {"witness", SHAPE(SWITCH), MERGE(MOST), TOP,
	.initial = OMEGA_WITNESS_DEFAULT},
[OMEGA_OPTION_TIMEOUT] = {"timeout", SHAPE(TIME), MERGE(LEAST), BOTH,
	.twin = OMEGA_OPTION_MAX_EXECUTION_TIME_SECS},
[OMEGA_OPTION_MAX_OUTPUT] = {"max_output", SHAPE(BYTES), MERGE(LEAST), BOTH,
	.twin = OMEGA_OPTION_MAX_OUTPUT_BYTES},
[OMEGA_OPTION_MAX_EXECUTION_TIME_SECS] = {"max_execution_time_secs",
	SHAPE(NUMBER), MERGE(LEAST), TOP, .form = "a number of seconds",
	.twin = OMEGA_OPTION_TIMEOUT},
[OMEGA_OPTION_MAX_OUTPUT_BYTES] = {"max_output_bytes",
	SHAPE(NUMBER), MERGE(LEAST), TOP, .form = "a number of bytes",
	.twin = OMEGA_OPTION_MAX_OUTPUT},
[OMEGA_OPTION_ENV_DENY] = {"env_deny", SHAPE(PATTERNS), MERGE(SUM), BOTH},
[OMEGA_OPTION_ENV_ALLOW] = {"env_allow", SHAPE(PATTERNS), MERGE(ONCE), BOTH},
[OMEGA_OPTION_ENV_SET] = {"env_set", SHAPE(SETTINGS), MERGE(ONCE), BOTH},
[OMEGA_OPTION_ALLOWED_COMMANDS] = {"allowed_commands", SHAPE(COMMANDS),
	MERGE(SUM), TOP}, /* of every file that has some one must fit */
[OMEGA_OPTION_SAFE_PATH] = {"safe_path", SHAPE(PATHS), MERGE(ONCE), TOP,
	.empty = "safe_path is empty: no command could be found"},
[OMEGA_OPTION_CHECK_ARGUMENTS] = {"check_arguments", SHAPE(SWITCH), MERGE(MOST),
	TOP, .initial = OMEGA_CHECK_ARGUMENTS_DEFAULT},
[OMEGA_OPTION_AUDIT] = {"audit", SHAPE(AUDIT), MERGE(ONCE), TOP,
	.unset = "none"},
[OMEGA_OPTION_AUDIT_MASK] = {"audit_mask", SHAPE(MASKS), MERGE(SUM), TOP},
[OMEGA_OPTION_AUDIT_FAILURE] = {"audit_failure", SHAPE(WORD), MERGE(LEAST), TOP,
	.words = {"refuse", "warn"}, .form = "refuse or warn"},
[OMEGA_OPTION_HOSTS_PROXY] = {"hosts_proxy", SHAPE(PROXY), MERGE(ONCE), TOP,
	.unset = ""},

[OMEGA_OPTION_READ_ALL] = {"read_all", SHAPE(SWITCH), MERGE(LEAST), RULE},
[OMEGA_OPTION_READ] = {"read", SHAPE(PLACES), MERGE(COMMON), RULE},
[OMEGA_OPTION_WRITE] = {"write", SHAPE(PLACES), MERGE(COMMON), RULE},
[OMEGA_OPTION_STATE] = {"state", SHAPE(PLACES), MERGE(COMMON), RULE},
[OMEGA_OPTION_EXECUTE] = {"execute", SHAPE(PLACES), MERGE(COMMON), RULE},
[OMEGA_OPTION_DENY] = {"deny", SHAPE(PLACES), MERGE(SUM), RULE},
[OMEGA_OPTION_DENY_READ] = {"deny_read", SHAPE(PLACES), MERGE(SUM), RULE},
[OMEGA_OPTION_DENY_WRITE] = {"deny_write", SHAPE(PLACES), MERGE(SUM), RULE},
[OMEGA_OPTION_ALLOW_READ] = {"allow_read", SHAPE(PLACES), MERGE(SUM), GRANT},
[OMEGA_OPTION_ALLOW_WRITE] = {"allow_write", SHAPE(PLACES), MERGE(SUM), GRANT},
[OMEGA_OPTION_ALLOW_EXECUTE] = {"allow_execute", SHAPE(PLACES), MERGE(SUM),
	GRANT},
[OMEGA_OPTION_GIT_METADATA] = {"git_metadata", SHAPE(WORD), MERGE(SUM), RULE,
	.words = {"allow", "deny", "keep", "read"},
	.form = "allow, read, keep or deny"},
[OMEGA_OPTION_NETWORK] = {"network", SHAPE(WORD), MERGE(SUM), RULE,
	.words = {"allow", "unix-only", "deny"},
	.form = "allow, unix-only or deny"},
[OMEGA_OPTION_UNIX_SOCKETS] = {"unix_sockets", SHAPE(WORD), MERGE(MOST), RULE,
	.words = {"all", "own", "none"}, /* enum omega_sandbox_unix_sockets */
	.form = "all, own or none"},
[OMEGA_OPTION_CONNECT] = {"connect", SHAPE(PORTS), MERGE(COMMON), RULE},
[OMEGA_OPTION_BIND] = {"bind", SHAPE(PORTS), MERGE(COMMON), RULE},
[OMEGA_OPTION_CONNECT_UDP] = {"connect_udp", SHAPE(PORTS), MERGE(COMMON), RULE},
[OMEGA_OPTION_BIND_UDP] = {"bind_udp", SHAPE(PORTS), MERGE(COMMON), RULE},
[OMEGA_OPTION_HOSTS] = {"hosts", SHAPE(HOSTS), MERGE(COMMON), RULE},
[OMEGA_OPTION_ALLOW_HOSTS] = {"allow_hosts", SHAPE(HOSTS), MERGE(SUM), GRANT},
[OMEGA_OPTION_DENY_HOSTS] = {"deny_hosts", SHAPE(HOSTS), MERGE(SUM), RULE},
[OMEGA_OPTION_NAMES] = {"names", SHAPE(WORD), MERGE(MOST), RULE,
	.words = {"any", "strict"}, .form = "any or strict"},
[OMEGA_OPTION_FORK] = {"fork", SHAPE(SWITCH), MERGE(LEAST), RULE},
[OMEGA_OPTION_SIGNALS] = {"signals", SHAPE(SWITCH), MERGE(LEAST), RULE},
[OMEGA_OPTION_PTRACE] = {"ptrace", SHAPE(SWITCH), MERGE(LEAST), RULE,
	.words = {"deny"}, .form = "deny, true or false"},
[OMEGA_OPTION_NEW_PRIVILEGES] = {"new_privileges", SHAPE(SWITCH), MERGE(LEAST),
	RULE},
[OMEGA_OPTION_TERMINAL_INJECTION] = {"terminal_injection", SHAPE(SWITCH),
	MERGE(LEAST), RULE},
[OMEGA_OPTION_SESSION] = {"session", SHAPE(WORD), MERGE(MOST), RULE,
	.words = {"keep", "new", "pty"}, /* enum omega_sandbox_session */
	.form = "keep, new or pty"},
[OMEGA_OPTION_USER_NAMESPACES] = {"user_namespaces", SHAPE(WORD), MERGE(LEAST),
	RULE, .words = {"deny", "allow"}, .form = "deny or allow"},
[OMEGA_OPTION_MAX_MEMORY] = {"max_memory", SHAPE(BYTES), MERGE(LEAST), RULE},
[OMEGA_OPTION_MAX_OPEN_FILES] = {"max_open_files", SHAPE(NUMBER), MERGE(LEAST),
	RULE},
[OMEGA_OPTION_MAX_PROCESSES] = {"max_processes", SHAPE(NUMBER), MERGE(LEAST),
	RULE},
[OMEGA_OPTION_MAX_CPU_SECONDS] = {"max_cpu_seconds", SHAPE(TIME), MERGE(LEAST),
	RULE},
[OMEGA_OPTION_MAX_FILE_SIZE] = {"max_file_size", SHAPE(BYTES), MERGE(LEAST),
	RULE},
};
/* clang-format on */

enum omega_option_id
omega_option_find(const char *name, unsigned by)
{
	int i;

	for (i = 0; i < OMEGA_OPTION_COUNT; i++)
		if ((omega_option_table[i].by & by) != 0 &&
		    strcmp(omega_option_table[i].name, name) == 0)
			break;
	return (enum omega_option_id)i;
}

const char *
omega_option_nearest(const char *name, unsigned by)
{
	int i;

	for (i = 0; i < OMEGA_OPTION_COUNT; i++)
		if ((omega_option_table[i].by & by) != 0 &&
		    omega_nearest(name, omega_option_table[i].name))
			return omega_option_table[i].name;
	return NULL;
}

bool
omega_option_is_list(enum omega_option_id id)
{
	return omega_option_table[id].shape >= OMEGA_SHAPE_PATHS;
}

bool
omega_option_is_amount(enum omega_option_id id)
{
	enum omega_option_shape shape = omega_option_table[id].shape;

	return shape >= OMEGA_SHAPE_BYTES && shape <= OMEGA_SHAPE_NUMBER;
}

bool
omega_option_is_yes(enum omega_option_id id, uint64_t number)
{
	return number == (omega_option_table[id].words[0] != NULL ? 2 : 1);
}
