/*
 * publish.h - what was decided, written into the objects of the cluster
 *
 * Owns: when an object is made or its status is written, and what it then says. The state is the truth and
 * an object's status a view of it: a write carries the whole status, one at a time per object, and when it
 * is over the state is compared again, so whatever was decided meanwhile is in the next one. What would say
 * the same as before is not written (core/written.h), so a cluster in which nothing happens costs nothing.
 *
 * Order: what became of a workload at once; why one waits, and what queues hold, later and slowly
 * (PLM_LIMIT_SAY_*, PLM_LIMIT_BOARD_*). Only of the
 * areas that CONFIG names ('publish'): elsewhere another program owns these objects. Objects are made when
 * the list of those that are there is complete (LISTED), so that none is made twice.
 *
 * Does not: decide, or compose texts (reducers/status). Sources: kueue.md 1.5, 3.2; exact.md 3, 8, 9.
 */
#ifndef PLM_REDUCERS_PUBLISH_PUBLISH_H
#define PLM_REDUCERS_PUBLISH_PUBLISH_H

#include "core/out.h"
#include "core/state.h"

struct plm_publish_pass {
	const struct plm_state *st;
	struct plm_arena *arena;
	struct plm_out *out;
	int64_t now_ms;
};

/* ---- fold ---------------------------------------------------------------------------------------- */

/* Is 'call' one of ours? */
bool plm_publish_is(int64_t call);
/* An INTENT of ours on object 'id' (of the kind of the call). */
void plm_publish_asked(struct plm_state *st, const struct plm_w_intent *intent, plm_id id);
/* Its final RESULT. The object may be gone. */
void plm_publish_answered(struct plm_state *st, const struct plm_intent *intent,
			  enum plm_result_class class, int64_t now_ms);
/*
 * Around the fold of a Workload fact. A first one: what its status says already need not be written. A
 * later one is an echo, or somebody else's word: what it tells that we did not know (the job's controller
 * ended it) is not written again, what contradicts us is set right once.
 */
struct plm_publish_seen {
	bool first;	/* its status was taken as it is */
	bool current;	/* before it, nothing was owed and nothing on its way */
	uint64_t print; /* before it */
};
struct plm_publish_seen plm_publish_before(const struct plm_state *st, plm_id workload);
void plm_publish_after(struct plm_state *st, plm_id workload, const struct plm_w_workload *w,
		       const struct plm_publish_seen *seen);
/* May a fact of 'workload' say that its eviction is complete? Not an echo of an earlier one. */
bool plm_publish_answers(const struct plm_state *st, plm_id workload,
			 const struct plm_w_workload *w);

/* checks.c: the entries of its admission checks, those that its queue asks for and that are not there yet too. */
struct plm_vec plm_publish_checks(const struct plm_publish_pass *p, plm_id workload);

/* Any event: does it move what queues say? queue.c */
void plm_publish_fold_board(struct plm_state *st, const struct plm_event *ev);
void plm_publish_queue_asked(struct plm_state *st, enum plm_kind kind, plm_id id, uint64_t print);
void plm_publish_queue_answered(struct plm_state *st, const struct plm_intent *intent, bool done);

/* nodes.c: NodeClaims, NodePools, EC2NodeClasses. */
void plm_publish_fold_nodes(struct plm_state *st, const struct plm_event *ev);
bool plm_publish_is_of_nodes(int64_t call);
void plm_publish_node_asked(struct plm_state *st, const struct plm_w_intent *w, plm_id id);
void plm_publish_node_answered(struct plm_state *st, const struct plm_intent *intent,
			       enum plm_result_class class, int64_t now_ms);

/* ---- steps --------------------------------------------------------------------------------------- */

/* How many of the less urgent writes there is room for now: one for each PLM_LIMIT_SAY_EVERY_MS. */
uint32_t plm_publish_room(const struct plm_publish_pass *p);

/* Objects for jobs, and what became of workloads. */
void plm_publish_workloads(const struct plm_publish_pass *p);
/* Less urgent: why workloads wait; what queues hold. Each write takes from 'room'. */
void plm_publish_waiting(const struct plm_publish_pass *p, uint32_t *room);
void plm_publish_queues(const struct plm_publish_pass *p, uint32_t *room);
/* PLM_UNSET = nothing of it is due at any time. */
int64_t plm_publish_workloads_due(const struct plm_state *st);
int64_t plm_publish_queues_due(const struct plm_state *st);
/* Objects of claims, and what claims, pools and classes say of themselves. */
void plm_publish_nodes(const struct plm_publish_pass *p);
int64_t plm_publish_nodes_due(const struct plm_state *st);

#endif
