/*
 * What preemptors are promised: a claim on the quota that their victims hold or have given back, so
 * that nobody slips in between (DESIGN.md 6.3, kueue.md 2.20 (5)). Not under strict compatibility.
 *
 * A claim is good for the sticky workload of a queue only. In the snapshot it is usage of the
 * preemptor's queue: what it will be charged, less what its victims still hold.
 */
#include "reducers/admission/queue.h"
#include "reducers/admission/round.h"
#include "reducers/admission/topology.h"

/* What workloads that are being evicted still hold, by root and pair; NULL until asked for. */
struct leaving {
	int64_t **by_root;
};

static int64_t *leaving_of(struct plm_round *round, struct leaving *leaving, uint32_t root)
{
	struct plm_quotas *snap = &round->snap;
	int64_t *sums = leaving->by_root[root];

	if (sums != NULL) {
		return sums;
	}
	plm_quotas_prepare(snap, root);
	sums = PLM_NEW_ARRAY(round->arena, plm_quotas_pair_count(snap, root), int64_t);
	for (uint32_t n = 0; n < snap->tree.count; n++) {
		const struct plm_holders *holders = &snap->holders[n];

		if (snap->tree.nodes[n].tree != root || !snap->tree.nodes[n].queue) {
			continue;
		}
		for (uint32_t i = 0; i < holders->count; i++) {
			const struct plm_holder *holder = &holders->list[i];

			if (plm_workload_at(round->st, holder->workload)->evicted_ms == PLM_UNSET) {
				continue;
			}
			for (uint32_t k = 0; k < holder->uses.count; k++) {
				int64_t *sum = &sums[holder->uses.list[k].pair];

				*sum = plm_quota_add(*sum, holder->uses.list[k].amount);
			}
		}
	}
	leaving->by_root[root] = sums;
	return sums;
}

/* Victims may be shared, so what they still hold is taken off claim after claim. */
static void take_off(struct plm_uses claim, int64_t *leaving)
{
	for (uint32_t j = 0; j < claim.count; j++) {
		int64_t *amount = &claim.list[j].amount;
		int64_t covered = plm_min(*amount, leaving[claim.list[j].pair]);

		*amount = plm_quota_sub(*amount, covered);
		leaving[claim.list[j].pair] = plm_quota_sub(leaving[claim.list[j].pair], covered);
	}
}

/* Does the preemptor still wait in 'queue' for what it was promised? */
static bool holds_claim(const struct plm_state *st, plm_id queue, plm_id id)
{
	const struct plm_workload *workload = NULL;
	struct plm_route route = {0};

	if (id.n == 0) {
		return false;
	}
	workload = plm_workload_at(st, id);
	if (workload->hold.n == 0 || workload->stage != PLM_STAGE_PENDING) {
		return false;
	}
	route = plm_queue_route(st, workload);
	return route.rule == PLM_RULE_NONE && route.cluster.n == queue.n;
}

static struct plm_entry *entry_of(const struct plm_round *round, plm_id workload)
{
	for (uint32_t i = 0; i < round->count; i++) {
		if (round->entries[i].workload.n == workload.n) {
			return &round->entries[i];
		}
	}
	return NULL;
}

void plm_claims_enter(struct plm_round *round)
{
	const struct plm_state *st = round->st;
	struct leaving leaving = {NULL};

	if (!round->better) {
		return;
	}
	leaving.by_root = PLM_NEW_ARRAY(round->arena, round->snap.tree.count + 1, int64_t *);
	PLM_EACH(st, cluster_queue, queue)
	{
		plm_id id = plm_cluster_queue_at(st, queue)->sticky;
		uint32_t node = round->snap.queue_nodes[queue.n];
		struct plm_entry *entry = NULL;
		struct plm_uses claim = {0};
		struct plm_tas_uses tas = {0};

		if (round->snap.tree.nodes[node].cells == NULL || !holds_claim(st, queue, id)) {
			continue;
		}
		claim = plm_quotas_uses(&round->snap, node, plm_workload_at(st, id)->hold,
					plm_workload_at(st, id));
		take_off(claim, leaving_of(round, &leaving, round->snap.tree.nodes[node].tree));
		plm_quotas_use(&round->snap, node, claim);
		tas = plm_topology_held(st, round->arena, plm_workload_at(st, id)->hold,
					plm_workload_at(st, id)->pod_sets);
		plm_tas_add(round->snap.tas, tas.list, tas.count, 1);
		entry = entry_of(round, id);
		if (entry != NULL) {
			entry->claim = claim;
			entry->claim_tas = tas;
			entry->claimed = true;
		}
	}
}

/* While the preemptor itself is looked at, its claim is free for it. */
void plm_claim_suspend(const struct plm_round *round, const struct plm_entry *entry)
{
	plm_quotas_free(&round->snap, entry->node, entry->claim);
	plm_tas_add(round->snap.tas, entry->claim_tas.list, entry->claim_tas.count, -1);
}

void plm_claim_resume(const struct plm_round *round, const struct plm_entry *entry)
{
	plm_quotas_use(&round->snap, entry->node, entry->claim);
	plm_tas_add(round->snap.tas, entry->claim_tas.list, entry->claim_tas.count, 1);
}

/* The picks of one pod set as its claim names them. */
static struct plm_set_picks picks_of(const struct plm_round *round,
				     const struct plm_assignment *set)
{
	struct plm_set_picks picks = {.count = set->count};
	const struct plm_kv *flavors =
		PLM_SPAN(round->st, set->flavors, struct plm_kv, &picks.list_count);

	picks.list = PLM_NEW_ARRAY(round->arena, picks.list_count, struct plm_pick);
	for (uint32_t i = 0; i < picks.list_count; i++) {
		picks.list[i].resource = flavors[i].key;
		picks.list[i].flavor = flavors[i].value;
	}
	return picks;
}

/* A preemptor that changed its mind with every look would take back and forth what it asks for. */
bool plm_claim_assess(const struct plm_round *round, struct plm_entry *entry)
{
	struct plm_applicant *a = &entry->applicant;
	struct plm_assess pin = {0};
	uint32_t sets = 0;
	const struct plm_assignment *set =
		PLM_SPAN(round->st, a->workload->hold, struct plm_assignment, &sets);

	if (!entry->claimed || sets != a->requests.count) {
		return false;
	}
	pin.count = sets;
	pin.sets = PLM_NEW_ARRAY(round->arena, sets, struct plm_set_picks);
	for (uint32_t i = 0; i < sets; i++) {
		pin.sets[i] = picks_of(round, &set[i]);
	}
	a->pin = &pin;
	plm_assess_run(a, &entry->result);
	a->pin = NULL;
	return entry->result.assess.mode == PLM_MODE_FIT || entry->result.targets.count > 0;
}
