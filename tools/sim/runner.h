/*
 * runner.h - inside the scenario runner: one engine's lives on one disk, beside one world
 *
 * Owns: what the files of this folder share during a run. Nobody outside includes it.
 */
#ifndef PLM_TOOLS_SIM_RUNNER_H
#define PLM_TOOLS_SIM_RUNNER_H

#include "adapters/sim/sim.h"
#include "engine/engine.h"
#include "hash/state_hash.h"
#include "store/log_mem.h"
#include "tools/feasible/feasible.h"
#include "tools/sim/scenario.h"
#include "tools/sim/sim_run.h"

/* From the death of an engine to the next one. */
#define PLM_SIM_RESTART_MS 5000
/* Usage of one quota node that is above what it may have, as last seen. */
#define PLM_SIM_OVER_MAX 64

/* The state as a snapshot would hold it. */
struct plm_sim_image {
	uint64_t seq;
	uint8_t *bytes; /* owned */
	size_t size;
};

struct plm_sim_over {
	char node[160]; /* "queue/flavor/resource" */
	int64_t usage;
};

struct plm_runner {
	const struct plm_sim_run_options *options;
	struct plm_scenario scenario;
	struct plm_sim_report *report;
	struct plm_world *world;
	struct plm_log_disk *disk;
	struct plm_log *log;	   /* NULL while no engine lives */
	struct plm_engine *engine; /* NULL while none lives */
	struct plm_error err;	   /* why the engine died */
	enum plm_code failed;	   /* a failure that ends the run */
	int64_t now_ms, end_ms;
	int64_t reopen_ms;     /* PLM_UNSET while an engine lives */
	bool relist_owed;      /* the API server was down when the engine started */
	int64_t crash_by_ms;   /* a planned crash that no write has met takes place then */
	int64_t full_until_ms; /* PLM_UNSET: the disk has room */
	size_t next_action;
	uint64_t random;	    /* for crash points only */
	struct plm_log_head known;  /* what the last engine was told is durable */
	struct plm_sim_image image; /* the newest */
	struct plm_arena arena;	    /* of one check */
	struct plm_sim_over over[PLM_SIM_OVER_MAX];
	size_t over_count;
	uint64_t checked_decisions;
	uint64_t checked_budgets;      /* seq up to which removals were looked at */
	bool quiet;		       /* the run ended because nothing was due any more */
	struct plm_engine_stats stats; /* of engines that have ended */
	struct plm_feasible feasible;  /* what was planned */
};

/* A broken invariant: kept when it is the first, counted always. */
void plm_runner_broken(struct plm_runner *r, const char *format, ...) PLM_PRINTF(2, 3);

/* invariants.c */
/* After a step: S2, S12, S13, F. */
void plm_runner_check_step(struct plm_runner *r);
/* After a crash, with the log reopened and no engine yet: S8. */
void plm_runner_check_reopened(struct plm_runner *r);
/* At the end: S3, S7, L2, L4, P3. */
void plm_runner_check_end(struct plm_runner *r);
/* S13 of one state, and of facts that found no room. */
void plm_runner_check_limits(struct plm_runner *r, const struct plm_state *st, uint64_t rejected);
/* S2 of one state against what was over before; for tests too. */
void plm_runner_check_quota(struct plm_runner *r, const struct plm_state *st);
/* S12 of one state, as far as budgets go: check_budgets.c; for tests too. */
void plm_runner_check_budgets(struct plm_runner *r, const struct plm_state *st);
/* F of one state: every new plan can be carried out. */
void plm_runner_check_plans(struct plm_runner *r, const struct plm_state *st);
/* S3 and L2 of one state. */
void plm_runner_check_work(struct plm_runner *r, const struct plm_state *st);
/* S2 at rest: quota is held by what runs in the world, and by nothing else. */
void plm_runner_check_holders(struct plm_runner *r, const struct plm_state *st);
/* P3: every object says what was decided; nothing is still to be written. */
void plm_runner_check_written(struct plm_runner *r, const struct plm_state *st);
/* S7: the log folds to this hash, decisions recomputed. */
void plm_runner_check_replay(struct plm_runner *r, struct plm_log *log, struct plm_hash128 live);
/* L4: no intent is open and the engine believes what the world knows. */
void plm_runner_check_beliefs(struct plm_runner *r, const struct plm_state *st);

/* trace.c: read the whole log once: counts into the report, lines to options->trace. */
enum plm_code plm_runner_trace(struct plm_runner *r, struct plm_log *log,
			       struct plm_error *err) PLM_MUST_CHECK;

/* compare.c */
enum plm_code plm_runner_compare(struct plm_runner *r, struct plm_error *err) PLM_MUST_CHECK;

/* report.c: waits of a world's work; returns how many ran. */
size_t plm_runner_waits(const struct plm_world *world, struct plm_arena *arena, int64_t **out);
int64_t plm_runner_percentile(const int64_t *waits, size_t count, int64_t percent);
void plm_runner_report(struct plm_runner *r);

#endif
