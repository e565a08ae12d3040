/*
 * sim_run.h - run a scenario: the engine over a memory log, on the embedded cluster and cloud
 *
 * Owns: reading a scenario (scenario.md), the step loop on virtual time, the faults that act at the
 * store (crash, diskFull), the invariants that need more than the embedded ends know (S2, S3, S7, S8,
 * S13, L2, L4), the report of `sim`.
 * Does not: parse the command line or choose an exit code: PLM_OK with report.violations > 0 is exit 70.
 *
 * The same scenario and seed give the same log bytes on every machine.
 */
#ifndef PLM_TOOLS_SIM_RUN_H
#define PLM_TOOLS_SIM_RUN_H

#include "core/error.h"
#include "core/event.h"
#include "hash/hash.h"

#include <stdio.h>

struct plm_sim_run_options {
	const char *scenario; /* a file or a folder */
	struct plm_slice
		text; /* instead of 'scenario', whose name then serves for errors; may be empty */
	const char *catalog;	     /* "builtin", NULL = builtin, or a file */
	const char *const *families; /* only types of these ("m5"), NULL-terminated; NULL = all */
	const char *log_folder;	     /* -L: the log is saved there at the end; NULL = not */
	uint64_t seed;
	int64_t until_ms; /* after the start; PLM_UNSET = the scenario's duration */
	int64_t speed;	  /* simulated seconds per wall second; 0 = as fast as it goes */
	bool strict;	  /* decide as the peers do, quirks included; else as the scenario says */
	bool lying_disk;  /* commits are acknowledged and forgotten: to show that S8 notices */
	FILE *trace;	  /* what happened, a line per decision, effect and outcome; may be NULL */
	void (*warn)(void *ctx, const char *text);			/* may be NULL */
	void (*progress)(void *ctx, int64_t done_ms, int64_t total_ms); /* may be NULL */
	void *ctx;
};

#define PLM_SIM_VIOLATION_SIZE 512
#define PLM_SIM_RESOURCES_SHOWN 12

struct plm_sim_used {
	char resource[64];
	int64_t permille;
};

/* Everything an integer; times in milliseconds. */
struct plm_sim_report {
	char name[128];
	uint64_t seed;
	int64_t simulated_ms;
	uint64_t events, facts, decisions, cycles, intents, results, duplicates;
	uint64_t submitted, admitted, finished, failed, preemptions;
	int64_t wait_p50_ms, wait_p95_ms,
		wait_max_ms; /* submission to all pods running; PLM_UNSET = none */
	uint64_t pods_bound, launches, terminations, reclaims, crashes;
	uint64_t created, written; /* of the API: objects, statuses */
	int64_t node_hours_milli;  /* node hours times 1000 */
	int64_t cost_micro_usd;
	struct plm_sim_used used[PLM_SIM_RESOURCES_SHOWN];
	size_t used_count;
	bool compared;
	int64_t other_wait_p50_ms, other_cost_micro_usd, other_node_hours_milli;
	uint64_t other_finished;
	uint64_t violations;
	char violation[PLM_SIM_VIOLATION_SIZE]; /* the first, with the seq at which it was seen */
	uint64_t violation_seq;
	struct plm_sha256 log_head;
	uint64_t log_seq;
	struct plm_hash128 state_hash;
};

/*
 * Run it. PLM_E_INPUT: the scenario or a manifest is wrong, 'err' names file, line and field.
 * PLM_E_NOT_FOUND, PLM_E_IO: it cannot be read. PLM_E_REFUSED: 'log_folder' is not empty (checked before
 * the run). PLM_E_DIVERGED and others: the engine's word. Nothing is left open.
 */
enum plm_code plm_sim_run(const struct plm_sim_run_options *options, struct plm_sim_report *out,
			  struct plm_error *err) PLM_MUST_CHECK;

/* The SimReport of the CLI contract: one JSON object on one line, keys sorted, integers only. */
void plm_sim_report_json(const struct plm_sim_report *report, FILE *to);
/* The same for people. */
void plm_sim_report_text(const struct plm_sim_report *report, FILE *to);

#endif
