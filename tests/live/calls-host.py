# SPDX-License-Identifier: MIT
#
# For test-calls.sh: a host that prepares once and starts two commands, of which
# the second is to be counted. calls-host.py LIBRARY CONFIGURATION DATA_DIR
import ctypes
import os
import sys

lib = ctypes.CDLL(sys.argv[1])
handle = ctypes.c_void_p


def made(function, *args):
    result = handle()
    if getattr(lib, function)(*args, ctypes.byref(result), None) != 0:
        sys.exit(function + " failed")
    return result


sandbox = made("omega_sandbox_open", sys.argv[2].encode(), None, None)
policy = made("omega_sandbox_policy_new", sandbox, None)
if lib.omega_sandbox_policy_set(
    policy, b"data_dir", sys.argv[3].encode(), None
):
    sys.exit("data_dir cannot be set")
prepared = made("omega_sandbox_prepare", policy)
for turn in (b"1", b"2"):
    command = made("omega_sandbox_command_new", prepared, b"/bin/true")
    end = (ctypes.c_uint32 * 16)(64)
    os.access(b"/omega-begin-" + turn, os.F_OK)
    if lib.omega_sandbox_run(command, end, None) != 0:
        sys.exit("the command was not started")
    lib.omega_sandbox_command_unref(command)
