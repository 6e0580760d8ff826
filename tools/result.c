/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * result.c - the result of a captured command as JSON.
 */

#include "config.h"

#include "bytes.h"
#include "tool.h"

json_t *
tool_json_result(const struct omega_sandbox_result *result)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_report *report =
	    omega_sandbox_result_report(result);
	json_t *guarantees =
	    json_loads(omega_sandbox_report_json(report), 0, NULL);
	json_t *value;

	omega_sandbox_result_get(result, &outcome);
	value = json_pack("{s:o, s:o, s:b, s:b, s:b, s:b, s:I, s:I, s:I, s:I, "
			  "s:I, s:I, s:o}",
	    "exit",
	    outcome.signal == 0 ? json_integer(outcome.status) : json_null(),
	    "signal",
	    outcome.signal != 0 ? json_integer(outcome.signal) : json_null(),
	    "sandbox_applied", outcome.is_protected, "truncated",
	    outcome.is_truncated, "timed_out", outcome.is_timed_out,
	    "cancelled", outcome.is_cancelled, "duration_ms",
	    (json_int_t)outcome.duration_ms, "cpu_ms",
	    (json_int_t)outcome.cpu_ms, "peak_memory",
	    (json_int_t)outcome.peak_memory, "processes_left",
	    (json_int_t)outcome.left, "stdout_bytes",
	    (json_int_t)outcome.out.seen, "stderr_bytes",
	    (json_int_t)outcome.err.seen, "report",
	    guarantees != NULL ? guarantees : json_null());
	if (value != NULL && (bytes_set(value, "stdout", outcome.out.bytes,
				  outcome.out.len) < 0 ||
				 bytes_set(value, "stderr", outcome.err.bytes,
				     outcome.err.len) < 0)) {
		json_decref(value);
		value = NULL;
	}
	omega_sandbox_report_unref(report);
	return value;
}
