/*
 * What preemptors are promised: a claim on the quota that their victims hold or have given back, so
 * that nobody slips in between (DESIGN 6.3, kueue.md 2.20 (5)). Not under strict compatibility.
 *
 * A claim is good for the sticky workload of a queue only. In the snapshot it is usage of the
 * preemptor's queue: what it will be charged, less what its victims still hold.
 */
#include "reducers/admission/round.h"

/* What the victims of 'id' still hold, taken off 'claim'. */
static void take_off_victims(struct plm_round *round, uint32_t node, plm_id id,
			     struct plm_uses claim)
{
	struct plm_quotas *snap = &round->snap;
	uint32_t root = snap->tree.nodes[node].tree;

	plm_quotas_prepare(snap, node);
	for (uint32_t n = 0; n < snap->tree.count; n++) {
		const struct plm_holders *holders = &snap->holders[n];

		if (snap->tree.nodes[n].tree != root || !snap->tree.nodes[n].queue) {
			continue;
		}
		for (uint32_t i = 0; i < holders->count; i++) {
			const struct plm_holder *holder = &holders->list[i];

			if (plm_workload_at(round->st, holder->workload)->by.n != id.n) {
				continue;
			}
			for (uint32_t j = 0; j < claim.count; j++) {
				for (uint32_t k = 0; k < holder->uses.count; k++) {
					if (holder->uses.list[k].pair == claim.list[j].pair) {
						claim.list[j].amount = plm_max(
							0,
							plm_quota_sub(claim.list[j].amount,
								      holder->uses.list[k].amount));
					}
				}
			}
		}
	}
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

	if (!round->better) {
		return;
	}
	PLM_EACH(st, cluster_queue, queue)
	{
		plm_id id = plm_cluster_queue_at(st, queue)->sticky;
		uint32_t node = round->snap.queue_nodes[queue.n];
		const struct plm_workload *workload = id.n == 0 ? NULL : plm_workload_at(st, id);
		struct plm_entry *entry = NULL;
		struct plm_uses claim = {0};

		if (workload == NULL || workload->hold.n == 0 ||
		    workload->stage != PLM_STAGE_PENDING ||
		    round->snap.tree.nodes[node].cells == NULL) {
			continue;
		}
		claim = plm_quotas_uses(&round->snap, node, workload->hold, workload);
		take_off_victims(round, node, id, claim);
		plm_quotas_use(&round->snap, node, claim);
		entry = entry_of(round, id);
		if (entry != NULL) {
			entry->claim = claim;
			entry->claimed = true;
		}
	}
}

/* While the preemptor itself is looked at, its claim is free for it. */
void plm_claim_suspend(const struct plm_round *round, const struct plm_entry *entry)
{
	plm_quotas_free(&round->snap, entry->node, entry->claim);
}

void plm_claim_resume(const struct plm_round *round, const struct plm_entry *entry)
{
	plm_quotas_use(&round->snap, entry->node, entry->claim);
}
