/*
 * method.h - the methods of disruption and what they share: karpenter.md 3.1
 *
 * Owns: the pass of one cycle, in which each method in turn may start one command, and the first that does
 * ends it; how a removal is written out. A method is a file of its own and a row in step.c, where the order
 * Emptiness, StaticDrift, Drift, MultiNode, SingleNode is kept. Does not: drain or terminate.
 */
#ifndef PLM_REDUCERS_DISRUPTION_METHOD_H
#define PLM_REDUCERS_DISRUPTION_METHOD_H

#include "core/out.h"
#include "reducers/disruption/budget.h"
#include "reducers/disruption/candidate.h"

struct plm_disruption {
	const struct plm_state *st;
	struct plm_arena *arena;
	struct plm_out *out;
	int64_t now_ms;
	int64_t wait_ms; /* until a command is looked at again; 0 = it is carried out at once */
	struct plm_candidates book;
};

/* True: it started a command. */
typedef bool plm_method_fn(const struct plm_disruption *d);
plm_method_fn plm_disrupt_empty;

/* Of a command that waited: those that still qualify go, the others stay. */
void plm_validate_empty(const struct plm_disruption *d);
/* A node that has nothing on it that anybody would miss, and for long enough, as far as nodes are counted. */
bool plm_may_be_empty(const struct plm_state *st, plm_id node, int64_t now_ms);

/* Nodes and claims of the pool that are there to stay: what minSize is about. */
int64_t plm_pool_size(const struct plm_state *st, plm_sym pool);

/* Its node goes for 'why', now or once it was looked at again. */
void plm_disrupt_node(const struct plm_disruption *d, const struct plm_candidate *c,
		      const struct plm_w_explain *why);
/* It was to go, and does not qualify any more. */
void plm_disrupt_drop(const struct plm_disruption *d, const struct plm_candidate *c,
		      const struct plm_w_explain *why);
/* Its time has come and 'why' keeps it: said once, until that changes. */
void plm_disrupt_blocked(const struct plm_disruption *d, const struct plm_candidate *c,
			 const struct plm_w_explain *why, int64_t until_ms);
/* Why the filter refuses it. */
struct plm_w_explain plm_blocker_explain(const struct plm_candidates *book,
					 const struct plm_candidate *c);

#endif
