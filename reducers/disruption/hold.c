#include "reducers/disruption/hold.h"

#include "reducers/disruption/drain.h"
#include "reducers/provision/pass.h"

/* Is the place that the pod is expected on there, and up? */
static bool has_ready_place(const struct plm_state *st, const struct plm_pod *pod)
{
	plm_id claim = {0};
	plm_id node = {0};

	if (!plm_target_stands(st, pod->target, pod->target_claim != 0)) {
		return false;
	}
	if (pod->target_claim != 0) {
		claim = plm_find(st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, pod->target);
	} else {
		node = plm_find(st, PLM_KIND_NODE, (plm_sym){0}, pod->target);
		claim = plm_node_at(st, node)->claim;
	}
	if (claim.n == 0) {
		return plm_node_at(st, node)->ready != 0;
	}
	return plm_node_claim_at(st, claim)->phase == PLM_CLAIM_READY;
}

bool plm_hold_pods(const struct plm_leaving *l, const struct plm_node_claim *claim,
		   const struct plm_leaving_node *on, struct plm_drain_wait *out)
{
	const struct plm_state *st = l->sched->st;
	int64_t deadline = plm_drain_deadline(claim);
	struct plm_drain_wait wait = {.rule = PLM_RULE_REPLACEMENT, .reason = PLM_REASON_DRAINING};

	if (claim->hold_until_ms == 0 || l->now_ms >= claim->hold_until_ms ||
	    (deadline != PLM_UNSET && l->now_ms >= deadline)) {
		return false;
	}
	for (uint32_t i = 0; i < on->count; i++) {
		const struct plm_pod *pod = plm_pod_at(st, on->pods[i]);

		if (!plm_pod_moves(&l->pdbs, pod) || has_ready_place(st, pod)) {
			continue;
		}
		wait.pods++;
		if (wait.object.size == 0) {
			wait.object = plm_sched_text(l->sched, pod->target);
		}
	}
	*out = wait;
	return wait.pods > 0 || claim->hold_whole != 0;
}
