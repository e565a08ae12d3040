/*
 * engine_private.h - what the files of the engine share; nobody else includes it
 */
#ifndef PLM_ENGINE_ENGINE_PRIVATE_H
#define PLM_ENGINE_ENGINE_PRIVATE_H

#include "engine/batch.h"
#include "engine/decide.h"
#include "engine/engine.h"
#include "engine/sweep.h"
#include "engine/ticker.h"

/* An intent of the batch, to be released when it is durable. */
struct plm_pending {
	uint64_t seq;
	const struct plm_w_intent *intent; /* in the batch's arena */
};

struct plm_engine {
	struct plm_engine_options options;
	struct plm_state state;
	struct plm_batch batch;
	struct plm_ticker ticker;
	struct plm_decider decider;
	struct plm_arena scratch;    /* one fold, one decoded observation, one submitted effect */
	struct plm_arena fold;	     /* scratch of plm_apply() */
	struct plm_pending *pending; /* owned */
	size_t pending_count, pending_capacity;
	uint64_t cluster_seq;			     /* 0 until GENESIS is there */
	uint64_t since_hash;			     /* events after the last HASH */
	uint64_t last_snapshot;			     /* seq */
	struct plm_snapshot_info due;		     /* HASH of this batch; seq 0 = none */
	struct plm_slice due_parts[PLM_IMAGE_PARTS]; /* owned copy */
	bool again;				     /* the last cycle left work over */
	bool dead;
	struct plm_engine_stats stats;
	struct plm_sweeps sweeps; /* what the lists that are being told have shown */
};

/* Begin a batch if none is open, with the HASH and LIMITS that are due at its head. */
void plm_engine_begin_batch(struct plm_engine *engine);
/* Append a control event and fold it. */
void plm_engine_add_control(struct plm_engine *engine, enum plm_event_type type, const void *value);
/* Fold an event that was just appended as 'seq'. */
void plm_engine_apply(struct plm_engine *engine, enum plm_event_type type, uint64_t seq,
		      const void *value, struct plm_hash128 print);

#endif
