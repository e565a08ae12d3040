/*
 * queue.h - which queue a workload waits in, and whether it is active or parked there
 *
 * Owns: the members 'place' and 'failed' of workloads, the queue index (core/queue_index.h). Does not:
 * decide anything. The heads of a round are what the index has on top.
 *
 * Everything here happens while an event is folded. Facts about queue objects only mark the index
 * stale; whoever uses a list calls plm_queue_refresh() first. Source: kueue.md 2.2-2.4, dialect.md Queues.
 */
#ifndef PLM_REDUCERS_ADMISSION_QUEUE_H
#define PLM_REDUCERS_ADMISSION_QUEUE_H

#include "core/state.h"

/* The way of a workload into a queue, or the rule that ends it. */
struct plm_route {
	plm_id local, work, cluster;
	enum plm_rule rule;	/* PLM_RULE_NONE: it can wait in 'cluster' */
	enum plm_reason reason; /* of the rule */
	plm_sym object;		/* what is missing or stopped */
};

/* Follow LocalQueue, WorkQueue, ClusterQueue; then gate and activity: kueue.md 2.2. */
struct plm_route plm_queue_route(const struct plm_state *st, const struct plm_workload *workload);
/* It was made for a job, of that UID, that is not its owner any more. */
bool plm_queue_orphan(const struct plm_state *st, const struct plm_workload *workload,
		      plm_sym *out_uid);
/* kueue.md 2.3: since when a workload counts as waiting. */
int64_t plm_queue_since(const struct plm_state *st, const struct plm_workload *workload);
/* kueue.md 2.4: nothing says that it must wait longer. */
bool plm_queue_backoff_over(const struct plm_workload *workload, int64_t now_ms);
/* The scheduling-equivalence of kueue.md 2.1. */
bool plm_queue_alike(const struct plm_state *st, plm_id a, plm_id b);

/* After a load: set every link. Cheap when that is done. */
void plm_queue_fill(struct plm_state *st);
/* Place every workload anew if queue objects have changed. */
void plm_queue_refresh(struct plm_state *st);
/* Set the link of one workload from its slot. */
void plm_queue_place(struct plm_state *st, plm_id workload);
/* A workload is new or changed: where does it wait? kueue.md 2.4, first list. */
void plm_queue_arrive(struct plm_state *st, plm_id workload);

/* A LocalQueue is there again, or goes on: its workloads are tried at once. */
void plm_queue_local_arrives(struct plm_state *st, plm_id local);

/* Does somebody wait in 'queue', be it parked? */
bool plm_queue_awaited(const struct plm_state *st, plm_id queue);

/* Park, or make active. */
void plm_queue_park(struct plm_state *st, plm_id workload, bool failed);
void plm_queue_activate(struct plm_state *st, plm_id workload);
/* Park what waits actively in the same queue and would be scheduled alike. */
void plm_queue_park_alike(struct plm_state *st, plm_id workload);
/* kueue.md 2.4: retry what is parked in the tree of 'queue', or everywhere. */
void plm_queue_retry_tree(struct plm_state *st, plm_id queue);
void plm_queue_retry_all(struct plm_state *st);
/* The same where a queue has a flavor with a topology: nodes changed, or pods ended on them. */
void plm_queue_retry_topology(struct plm_state *st);
/* Set the timer of one workload from its slot. */
void plm_queue_timer(struct plm_state *st, plm_id workload);
/* The earliest timer of a workload, PLM_UNSET when there is none. */
int64_t plm_queue_next_timer(const struct plm_state *st);
/* The name of the root of the tree that 'cohort' is in; 0 when its parents form a ring. */
plm_sym plm_queue_root(const struct plm_state *st, plm_sym cohort);

#endif
