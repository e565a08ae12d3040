/*
 * publish.h - what was decided, written into the objects of the cluster
 *
 * Owns: when an object is made or its status is written, and what it then says. The state is the truth and
 * an object's status a view of it: a write carries the whole status, one at a time per object, and when it
 * is over the state is compared again, so whatever was decided meanwhile is in the next one. What would say
 * the same as before is not written (core/written.h), so a cluster in which nothing happens costs nothing.
 *
 * Order: what became of a workload at once; why one waits later, and slowly (PLM_LIMIT_SAY_*). Only of the
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
void plm_publish_asked(struct plm_state *st, enum plm_call call, plm_id id);
/* Its final RESULT. The object may be gone. */
void plm_publish_answered(struct plm_state *st, const struct plm_intent *intent,
			  enum plm_result_class class, int64_t now_ms);
/* The first fact of a Workload: what its status said already need not be written. */
void plm_publish_adopt(struct plm_state *st, plm_id workload, const struct plm_w_workload *w);

/* ---- steps --------------------------------------------------------------------------------------- */

void plm_publish_workloads(const struct plm_publish_pass *p);
/* PLM_UNSET = nothing of it is due at any time. */
int64_t plm_publish_workloads_due(const struct plm_state *st);

#endif
