/*
 * engine.h - batch, reduce, commit, release
 *
 * Owns: the log's writing end, the state, the order of things in a batch: facts, CYCLE, decisions,
 * intents; one frame, one transaction; effects leave after it is durable. Recovery: newest snapshot
 * that holds, tail replayed, open intents handed to the effects port again with their old keys.
 * Does not: threads, sockets or files but through the log and the snapshot store (wiring in src/).
 *
 * One thread calls it. After PLM_E_FULL, PLM_E_IO or PLM_E_CORRUPT only plm_engine_close() is legal and
 * the process is expected to end (DESIGN.md 4). Sources: eventsourcing.md D6, D11, D14, D15, D17.
 * The shadow replayer (D13) will attach as a reader of the log; fencing by epoch (D16) at EPOCH.
 */
#ifndef PLM_ENGINE_ENGINE_H
#define PLM_ENGINE_ENGINE_H

#include "core/ports.h"
#include "core/state.h"
#include "reducers/reducer.h"
#include "store/log.h"
#include "store/snapshot.h"

struct plm_engine; /* opaque */

struct plm_engine_options {
	struct plm_log *log; /* borrowed; opened for writing */
	const char *folder;  /* the log's, for snapshots; NULL = none are read (memory logs) */
	/*
	 * A HASH point worth a snapshot is durable: write it. The parts are borrowed for the call. NULL =
	 * no snapshots are made. Its failure is the callee's to tell: a snapshot is a cache.
	 */
	void (*snapshot)(void *self, const struct plm_snapshot_info *info,
			 const struct plm_slice *parts, size_t count);
	void *snapshot_self;
	uint64_t snapshot_events; /* between two snapshots; 0 = PLM_LIMIT_SNAPSHOT_EVENTS */
	struct plm_clock clock;
	struct plm_effects effects; /* 'submit' NULL = intents are logged and go nowhere */
	const char *cluster_uid;    /* checked against GENESIS: PLM_E_REFUSED when it differs */
	enum plm_profile profile;
	struct plm_w_config config; /* borrowed during open; logged when it differs from state's */
	const struct plm_w_catalog
		*catalog; /* logged when its region is not in state; may be NULL */
	void (*note)(void *self,
		     const char *text); /* ignored snapshots and the like; may be NULL */
	void *note_self;
};

struct plm_engine_stats {
	uint64_t events, facts, duplicates, stale, decisions, intents, results, cycles, batches,
		rejected;
	uint64_t inferred;  /* of the facts: GONE that a complete list implied (sweep.h) */
	uint64_t reserved;  /* decisions that reserve quota */
	uint64_t commit_ns; /* spent in commits, by the wall clock */
};

/* Recover what the log holds, or begin it. PLM_E_REFUSED: another cluster's log. */
enum plm_code plm_engine_open(const struct plm_engine_options *options, struct plm_engine **out,
			      struct plm_error *err) PLM_MUST_CHECK;
void plm_engine_close(struct plm_engine *engine); /* NULL-safe; drops what is not committed */

/*
 * Take an event from outside into the batch that is being filled. Equal projections are dropped and
 * counted. PLM_E_AGAIN: the batch is full (PLM_LIMIT_BATCH_*), call plm_engine_step() first.
 * PLM_E_INPUT: the payload is not canonical; nothing was taken.
 */
enum plm_code plm_engine_observe(struct plm_engine *engine,
				 const struct plm_observation *observation,
				 struct plm_error *err) PLM_MUST_CHECK;

/*
 * Commit the batch: facts taken so far, and, when something is dirty or a timer is due, a CYCLE with
 * what it decides. Then release the effects. '*out_did' is false when there was nothing to do.
 */
enum plm_code plm_engine_step(struct plm_engine *engine, bool *out_did,
			      struct plm_error *err) PLM_MUST_CHECK;
/*
 * Commit the facts taken so far without a CYCLE: before the input is complete nothing is decided on it
 * (decide). Nothing is done when there are none.
 */
enum plm_code plm_engine_flush(struct plm_engine *engine, struct plm_error *err) PLM_MUST_CHECK;
/* As plm_engine_step(), with a CYCLE of these bounds in any case (decide). */
enum plm_code plm_engine_cycle(struct plm_engine *engine, int64_t max_rounds, bool *out_settled,
			       struct plm_error *err) PLM_MUST_CHECK;

/* Write down a mark, for the point grammar's "mark:NAME". Part of the batch that is being filled. */
enum plm_code plm_engine_mark(struct plm_engine *engine, const char *name, const char *reason,
			      struct plm_error *err) PLM_MUST_CHECK;

/* Logical time (ticker.h) in ms at which a step is due without any outside event; PLM_UNSET = none. */
int64_t plm_engine_next_due(const struct plm_engine *engine);
const struct plm_state *plm_engine_state(const struct plm_engine *engine);
struct plm_engine_stats plm_engine_stats(const struct plm_engine *engine);
/* Of the log as of the last commit. */
struct plm_log_head plm_engine_head(const struct plm_engine *engine);

#endif
