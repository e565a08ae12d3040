/*
 * queue_index.h - what is derived from the workload table, so that a round need not read all of it
 *
 * Owns: per ClusterQueue a heap of the workloads that wait actively (one per "lane": the queue itself
 * and each WorkQueue that feeds it; under admission fair sharing each LocalQueue, so that no heap must
 * be put in order when usage changes), lists of those parked and of those holding quota, and the sums of
 * what is held by (flavor, resource). Lists without a queue: waiting outside of any queue, reserved
 * with open checks. Per LocalQueue what it uses, and the penalties that it is charged. Does not: decide who belongs where (reducers/admission/queue.h does, by calling
 * plm_queue_index_set()), write the image.
 *
 * Outside the image: emptied by a load, filled by the next event that admission folds. The order within
 * lists is never seen by a decision. Source: kueue.md 2.2, 2.3.
 */
#ifndef PLM_CORE_QUEUE_INDEX_H
#define PLM_CORE_QUEUE_INDEX_H

#include "core/tables.h"
#include "core/timer_heap.h"

struct plm_state;

__extension__ typedef __int128 plm_i128;

enum plm_standing {
	PLM_STANDS_NOWHERE, /* finished, or the slot is free */
	PLM_STANDS_OUTSIDE, /* pending, but in no queue: gated, deactivated, its queue is missing */
	PLM_STANDS_ACTIVE,
	PLM_STANDS_PARKED,
	PLM_STANDS_HOLDING,
};

/* Where a workload stands, and what was counted for it. */
struct plm_link {
	uint32_t standing; /* enum plm_standing */
	uint32_t queue;	   /* slot of the ClusterQueue, 0 = none */
	uint32_t lane;	   /* slot of the WorkQueue, 0 = the queue's own */
	uint32_t next,
		prev; /* in the list of its standing; ACTIVE: 'next' is the place in the heap */
	int64_t priority, since_ms;
	plm_sym uid;
	plm_sym pod_sets, reclaimable, assignments;
	uint32_t reserved; /* 1: HOLDING with open checks */
	uint32_t parked;   /* 1: its place is PARKED, be its queue missing or not */
	uint32_t local;	   /* slot of the LocalQueue, 0 = none, or nobody keeps its usage */
	uint32_t by_usage; /* 1: ACTIVE in the lane of its LocalQueue */
	plm_sym penalty;   /* span of plm_fixed */
};

/* A binary heap of workload slots: kueue.md 2.3 without the sticky one. */
struct plm_lane {
	uint32_t *heap; /* owned */
	uint32_t count, capacity;
};

struct plm_held {
	plm_sym flavor, resource;
	plm_i128 sum; /* exact, whatever is added */
};

struct plm_helds {
	struct plm_held *list; /* owned */
	uint32_t count, capacity;
};

/* A LocalQueue whose usage is kept. */
struct plm_local_cell {
	struct plm_lane lane;
	uint32_t queue, work;	   /* what its lane leads to while somebody is in it */
	struct plm_helds admitted; /* by resource: what its admitted workloads use */
	struct plm_helds pending;  /* by resource, in 2^-32: penalties not settled yet */
};

struct plm_queue_cell {
	struct plm_lane lane;
	uint32_t parked, holding, outside; /* first of the list */
	uint32_t parked_count, holding_count;
	struct plm_helds held;
	uint32_t locals; /* LocalQueues with somebody in their lanes */
};

struct plm_queue_index {
	struct plm_link *links; /* owned, by workload slot */
	uint32_t link_count;
	struct plm_queue_cell *queues; /* owned, by ClusterQueue slot; cell 0: no queue */
	uint32_t queue_count;
	struct plm_lane *lanes; /* owned, by WorkQueue slot */
	uint32_t *running;	/* owned, by WorkQueue slot: workloads that hold quota */
	uint32_t lane_count;
	struct plm_local_cell *locals; /* owned, by LocalQueue slot */
	uint32_t local_count;
	uint32_t contended; /* ClusterQueues in which two LocalQueues or more have somebody */
	void *block;	    /* owned: reducers/admission/skeleton.h */
	uint64_t block_bytes;
	uint32_t *room; /* owned */
	uint32_t room_count;
	uint32_t reserved;     /* HOLDING with open checks */
	uint32_t parked_total; /* links with 'parked' */
	uint32_t left_queue;   /* ClusterQueue of the holder whose slot was freed last, 0 = none */
	struct plm_timer_heap timers; /* when a workload is due: reducers/admission/due.h */
	bool block_made;	      /* the block is true of the state as it is */
	bool left;		      /* a slot of a workload was freed since this was looked at */
	bool stale;  /* queue objects changed: every workload must be placed anew */
	bool filled; /* false after a load: no link is set */
};

void plm_queue_index_fini(struct plm_queue_index *index);
/* Forget everything: not filled, stale. */
void plm_queue_index_reset(struct plm_queue_index *index);

/* The standing of a workload; all zero when it was never set. Borrowed until the next set. */
const struct plm_link *plm_queue_index_link(const struct plm_state *st, plm_id workload);
/*
 * Move a workload to where 'to' says (all but 'next' and 'prev' is read), and count what it holds.
 */
void plm_queue_index_set(struct plm_state *st, plm_id workload, const struct plm_link *to);
/* A block of 'bytes' for what admission derives from queue objects; what was in it is lost. */
void *plm_queue_index_block(struct plm_state *st, size_t bytes);
/* Room for a list of 'count' workloads, until this is called again. */
uint32_t *plm_queue_index_room(struct plm_state *st, uint32_t count);
/*
 * As plm_queue_index_set() for many that wait in one queue and lane and go from PARKED to ACTIVE, or back:
 * nothing else of their links changes. 'workloads' are all ACTIVE, or all PARKED; none has a LocalQueue
 * whose usage is kept.
 */
void plm_queue_index_wake(struct plm_state *st, plm_id queue, uint32_t lane,
			  const uint32_t *workloads, uint32_t count);
void plm_queue_index_park(struct plm_state *st, plm_id queue, uint32_t lane,
			  const uint32_t *workloads, uint32_t count);
/* The workload's slot is about to be freed: called by plm_slot_free(). */
void plm_queue_index_drop(struct plm_state *st, plm_id workload);

/* The cell of a ClusterQueue; an empty one when nothing was ever in it. */
const struct plm_queue_cell *plm_queue_index_cell(const struct plm_state *st, plm_id queue);
const struct plm_lane *plm_queue_index_lane(const struct plm_state *st, plm_id work_queue);
const struct plm_local_cell *plm_queue_index_local(const struct plm_state *st, plm_id local);
uint32_t plm_queue_index_running(const struct plm_state *st, plm_id work_queue);
/* kueue.md 2.3 between two links: <0 when 'a' is tried first. */
int plm_link_order(const struct plm_state *st, const struct plm_link *a, const struct plm_link *b);
/* What 'held' sums up, saturated to int64. */
int64_t plm_held_amount(const struct plm_held *held);

/*
 * Usage of one entry of a holder's assignment: charged amount when some of its pods are reclaimable
 * (kueue.md 2.1: divided by the admitted count first, then times what is left).
 */
int64_t plm_charged(const struct plm_state *st, const struct plm_assignment *set, int64_t amount,
		    plm_sym reclaimable, plm_sym pod_sets);

/* Assert that the index is what setting every link anew gives. */
void plm_queue_index_check(const struct plm_state *st);

#endif
