/*
 * drain.h - a node on its way out: closed, drained, its volumes detached, its instance terminated
 *
 * Owns: the stages of a claim that ends (karpenter.md 3.14), the order in which its pods leave, who is
 * waited for and until when. Does not: end a claim (whoever decides that says so by CLAIM_END), or know
 * how an effect is retried when there was no answer (the adapter does).
 *
 * An eviction that was *answered* with a refusal is another decision, on what is true then: the pod may
 * be protected, or its node past its time. So the wait (100 ms to 10 s) is a timer in state. As long as
 * a budget is known to let nobody go there is nothing to ask: its change wakes the drain, not the clock.
 */
#ifndef PLM_REDUCERS_DISRUPTION_DRAIN_H
#define PLM_REDUCERS_DISRUPTION_DRAIN_H

#include "core/out.h"
#include "reducers/cluster/parts.h"
#include "reducers/disruption/pdb.h"

/* The groups that leave one after the other. */
enum plm_drain_group {
	PLM_GROUP_PLAIN,
	PLM_GROUP_DAEMON,
	PLM_GROUP_CRITICAL,
	PLM_GROUP_CRITICAL_DAEMON,
	PLM_GROUPS,
};
enum plm_drain_group plm_drain_group(const struct plm_sched *sched, const struct plm_pod *pod);

/* Further all nodes on their way out, as far as they come in this cycle. */
void plm_drain_all(const struct plm_sched *sched, struct plm_out *out, int64_t now_ms);
/* The next time at which a drain goes on by itself; PLM_UNSET = none. */
int64_t plm_drain_next_due(const struct plm_state *st);

/* When the node goes whatever is on it: its grace period, or what the cloud said; PLM_UNSET = never. */
int64_t plm_drain_deadline(const struct plm_node_claim *claim);
/* When a pod is deleted directly so that it has its grace period before the deadline; PLM_UNSET = never. */
int64_t plm_drain_delete_ms(const struct plm_node_claim *claim, const struct plm_pod *pod);

/* ---- for apply() ---- */
void plm_drain_fold(struct plm_state *st, const struct plm_fold *fold, const struct plm_w_drain *w,
		    const struct plm_event *ev);
/* A claim ends at 'end_ms', or when its object was deleted: from then its grace period runs. */
void plm_drain_begin(struct plm_state *st, plm_id claim, bool forced, int64_t end_ms);
/* An effect on a claim or its node, as far as the way out remembers it. */
struct plm_drain_asked {
	enum plm_call call;
	enum plm_kind kind;
	plm_sym name;
};
void plm_drain_told(struct plm_state *st, const struct plm_drain_asked *asked, bool on,
		    int64_t now_ms);
/* A node was seen: is it (still) closed? */
void plm_drain_see_node(struct plm_state *st, plm_id node);
/* The node of a claim is gone: should it come again, it is told anew. */
void plm_drain_node_gone(struct plm_state *st, plm_id claim);
/* An eviction or deletion was refused: when the next one may be asked for. */
void plm_drain_refused(struct plm_state *st, plm_id pod, int64_t now_ms);

#endif
